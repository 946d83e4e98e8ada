//! What a step repeats over: a story, or an entry of a task list.
//!
//! - `Item` is what somebody asked for; [`tasks`](crate::tasks) reads items out of a Markdown task list.
//! - Which items there are and how far they have come is part of the run's state; what becomes of
//!   the steps that are repeated for each stands in `plan/foreach.rs`.
//!
//! An item's id is safe in paths, globs and step names. Title and body are words, never more.

pub(crate) mod name;
mod story;
mod task;
mod text;

pub use name::{BadItem, MAX_BODY_BYTES, MAX_ID_BYTES, MAX_TITLE_BYTES, id_of, is_id};
pub use story::{AcceptanceCriterion, Size, Story};
pub use task::Task;

use serde::{Deserialize, Serialize};

use crate::id::{AttemptId, ItemId, StepId};

/// One element that a step repeats over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Its name; unique in the run.
    pub id: ItemId,
    /// The step that repeats over it.
    pub step: StepId,
    /// What it is, in one line.
    pub title: String,
    /// What is asked for, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// What makes it a story.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
    /// Who asked for it.
    pub source: ItemSource,
    /// Why nobody works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// Who asked for an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ItemSource {
    /// An agent, in this attempt.
    Agent {
        /// The attempt.
        attempt: AttemptId,
    },
    /// A person.
    Person {
        /// The name.
        name: String,
    },
    /// An entry of a task list.
    Tasks {
        /// The file, relative to the place.
        file: String,
    },
}

impl ItemSource {
    /// Returns who asked, for people to read.
    pub fn words(&self) -> String {
        match self {
            Self::Agent { attempt } => attempt.to_string(),
            Self::Person { name } => name.clone(),
            Self::Tasks { file } => file.clone(),
        }
    }
}

/// An item as somebody asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewItem {
    /// Its name.
    pub id: ItemId,
    /// What it is, in one line.
    pub title: String,
    /// What is asked for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// What makes it a story.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
    /// The step that repeats over it; by default the only one that still takes items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
}

/// What is to be different about an item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemChange {
    /// Another title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Another body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Another story.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
    /// Whether somebody works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<Wanted>,
}

/// Whether somebody works on an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Wanted {
    /// Nobody does, for this reason.
    Skip {
        /// Why.
        reason: String,
    },
    /// Somebody does after all.
    Reopen,
}
