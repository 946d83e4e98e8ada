//! Every failure of a run: attempts that led to no proof, and what somebody noted.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::id::{AttemptId, ItemId, StepId};
use crate::proof::Outcome;
use crate::run::{About, Category, Event, RunState};
use crate::time::Timestamp;

/// One failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `failure list --json`")]
pub struct FailureView {
    /// None for a note about a whole item.
    pub step: Option<StepId>,
    pub item: Option<ItemId>,
    /// None where no attempt is behind it: a group that does not hold, or a note.
    pub attempt: Option<AttemptId>,
    pub category: Category,
    pub summary: String,
    pub at: String,
    /// Who noted it; none for what windlass saw itself.
    pub by: Option<String>,
}

/// Failures, read off the journal event by event.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    found: Vec<FailureView>,
    /// The last attempt of each step.
    attempts: BTreeMap<StepId, u32>,
}

impl Failures {
    /// Adds one event.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other events are no failures")]
    pub fn add(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::AttemptStarted { attempt, .. } => {
                self.attempts.insert(attempt.step.clone(), attempt.number);
            }
            Event::OfferWithdrawn { attempt } => {
                self.attempts.insert(attempt.step.clone(), attempt.number.saturating_sub(1));
            }
            Event::AttemptLost { attempt, .. } => {
                let summary = "windlass or the machine died".to_owned();
                self.of_attempt(at, attempt, Category::Lost, summary);
            }
            Event::AttemptEnded { attempt, report, .. } => {
                if let Some((category, message)) = without_judgement(&report.outcome) {
                    self.of_attempt(at, attempt, category, message.to_owned());
                }
            }
            Event::RoundFailed { attempt, failure, .. } => {
                self.of_attempt(at, attempt, failure.category, failure.summary.clone());
            }
            Event::StepNotProven { step, failure, costs_try, .. } => {
                let number = self.attempts.get(step).copied().filter(|number| *number > 0);
                // Work that was looked for before anybody had tried is no failure of anybody.
                if number.is_some() || *costs_try {
                    let attempt = number.map(|number| AttemptId { step: step.clone(), number });
                    self.push(at, Some(step.clone()), attempt, failure.category, &failure.summary);
                }
            }
            Event::VerificationHindered { step, cause, .. } => {
                let number = self.attempts.get(step).copied().filter(|number| *number > 0);
                let attempt = number.map(|number| AttemptId { step: step.clone(), number });
                self.push(at, Some(step.clone()), attempt, cause.category, &cause.in_words());
            }
            Event::FailureNoted { about, category, summary, by } => {
                let (step, item) = match about {
                    About::Step(step) => (Some(step.clone()), None),
                    About::Item(item) => (None, Some(item.clone())),
                };
                self.push(at, step, None, *category, summary);
                if let Some(view) = self.found.last_mut() {
                    (view.item, view.by) = (item, Some(by.clone()));
                }
            }
            _ => {}
        }
    }

    /// Returns all of them, the oldest first; with `about` those of one item or step.
    pub fn finish(self, state: &RunState, about: Option<&About>) -> Vec<FailureView> {
        let mut found = self.found;
        for view in &mut found {
            let index = view.step.as_ref().and_then(|step| state.plan.find(step));
            let item = index.and_then(|index| state.plan.item_of(index));
            view.item = view.item.take().or(item);
        }
        found.retain(|view| match about {
            None => true,
            Some(About::Item(item)) => view.item.as_ref() == Some(item),
            Some(About::Step(step)) => view.step.as_ref() == Some(step),
        });
        found
    }

    fn of_attempt(
        &mut self,
        at: Timestamp,
        attempt: &AttemptId,
        category: Category,
        summary: String,
    ) {
        self.push(at, Some(attempt.step.clone()), Some(attempt.clone()), category, &summary);
    }

    fn push(
        &mut self,
        at: Timestamp,
        step: Option<StepId>,
        attempt: Option<AttemptId>,
        category: Category,
        summary: &str,
    ) {
        let (at, summary) = (at.to_string(), summary.to_owned());
        self.found.push(FailureView { step, item: None, attempt, category, summary, at, by: None });
    }
}

/// Attempts that ended so that nobody judges their work.
fn without_judgement(outcome: &Outcome) -> Option<(Category, &str)> {
    match outcome {
        Outcome::ProviderLimit { message, .. } => Some((Category::Limit, message)),
        Outcome::Interrupted { message } => Some((Category::Lost, message)),
        Outcome::AgentFailed {
            category: category @ (Category::Limit | Category::Lost),
            message,
        } => Some((*category, message)),
        Outcome::AgentFailed { .. }
        | Outcome::CouldNotStart { .. }
        | Outcome::Exited { .. }
        | Outcome::Signalled { .. }
        | Outcome::TimedOut
        | Outcome::Idle
        | Outcome::OverLimit { .. }
        | Outcome::Cancelled
        | Outcome::Held { .. }
        | Outcome::OverBudget { .. } => None,
    }
}
