//! Failures that somebody noted: what windlass cannot see by itself.

use serde::{Deserialize, Serialize};

use crate::id::{ItemId, StepId, StepIndex};
use crate::run::Category;
use crate::run::state::RunState;
use crate::time::Timestamp;

/// How many notes are kept of one item or step; every fold of the journal carries them.
pub(super) const MAX_NOTES: usize = 8;

/// How long a note may be.
pub const MAX_NOTE_BYTES: usize = 1000;

/// What something is about: a whole item, or one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum About {
    /// An item.
    Item(ItemId),
    /// A step, which may belong to an item.
    Step(StepId),
}

impl std::fmt::Display for About {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Item(item) => item.fmt(f),
            Self::Step(step) => step.fmt(f),
        }
    }
}

/// A failure that a person or an agent noted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noted {
    /// What it is about.
    pub about: About,
    /// What kind of failure it is.
    pub category: Category,
    /// What happened.
    pub summary: String,
    /// Who noted it: a person's name, or an attempt.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Whether the work went on since: a step of it was proven, or a person opened one again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settled: bool,
}

impl RunState {
    /// Finds what a name is about: an item, else a step.
    pub fn about(&self, name: &str) -> Option<About> {
        if self.item(&ItemId::from(name)).is_some() {
            return Some(About::Item(ItemId::from(name)));
        }
        let step = StepId::from(name);
        self.plan.find(&step).map(|_| About::Step(step))
    }

    /// Returns the steps that something is about, in their order.
    pub fn steps_about(&self, about: &About) -> Vec<StepIndex> {
        match about {
            About::Item(item) => {
                self.item(item).map(|item| item.steps(&self.plan)).unwrap_or_default()
            }
            About::Step(step) => self.plan.find(step).into_iter().collect(),
        }
    }

    /// Returns the notes that still count for an item or a step, the oldest first. What is noted of
    /// an item counts for its steps, and the other way round.
    pub fn notes_about(&self, about: &About) -> impl Iterator<Item = &Noted> {
        let steps = self.steps_about(about);
        self.noted.iter().map(|noted| &**noted).filter(move |noted| {
            !noted.settled
                && (noted.about == *about || steps.iter().any(|step| self.is_about(noted, *step)))
        })
    }

    /// Returns whether a note is about the step, or about its item.
    pub(super) fn is_about(&self, noted: &Noted, step: StepIndex) -> bool {
        match &noted.about {
            About::Step(id) => self.plan.step(step).id == *id,
            About::Item(id) => self.plan.item_of(step).as_ref() == Some(id),
        }
    }
}
