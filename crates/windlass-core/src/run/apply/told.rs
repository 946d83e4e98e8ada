//! What people are told on the way, and what they ask for besides decisions about steps.

use std::sync::Arc;

use super::Applied;
use crate::id::{StepId, StepIndex};
use crate::run::Event;
use crate::run::state::{Phase, RunState};
use crate::time::Timestamp;

impl RunState {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    pub(super) fn apply_told(&mut self, event: &Event) -> Applied {
        match event {
            Event::ProgressReported { step, finished } => {
                let index = self.index(event, step)?;
                let now = self.now;
                self.update(index, |step| {
                    step.told.items = *finished;
                    step.told.at = Some(now);
                });
            }
            Event::CheckpointMade { checkpoint } => {
                self.checkpoints.push_back(Arc::new((**checkpoint).clone()));
            }
            Event::DraftAsked { .. } => self.draft = true,
            _ => return Err(self.wrong_control(event)),
        }
        Ok(())
    }

    /// Returns when people are told next how far the items of a step have come.
    pub fn next_report(&self, step: &StepId) -> Option<Timestamp> {
        let index = self.plan.find(step)?;
        let every = self.plan.foreach(index)?.report?.time?;
        let state = self.step(index);
        let repeats = matches!(state.phase, Phase::Repeating);
        let last = state.told.at.or(state.started_at).filter(|_| repeats)?;
        Some(last.plus(every))
    }

    /// Returns how many items of a step are finished.
    pub fn finished_items(&self, foreach: StepIndex) -> u32 {
        let finished = self.items_of(foreach).filter(|item| self.is_item_finished(item));
        u32::try_from(finished.count()).unwrap_or(u32::MAX)
    }
}
