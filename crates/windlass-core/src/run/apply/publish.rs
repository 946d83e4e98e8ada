//! From an intent to what is outside.

use super::Applied;
use crate::id::StepIndex;
use crate::plan::StepKind;
use crate::run::Event;
use crate::run::state::{Phase, RunState};

impl RunState {
    pub(super) fn apply_publishing(&mut self, index: StepIndex, event: &Event) -> Applied {
        let phase = self.step(index).phase.clone();
        match (event, phase) {
            (Event::PublishIntended { commit, expected, .. }, Phase::Proven { snapshot })
                if self.is_pull_request(index) && self.is_in_hand(index) =>
            {
                let (commit, expected) = (commit.clone(), expected.clone());
                self.since = self.now;
                if !self.intended.contains(&commit) {
                    self.intended.push(commit.clone());
                }
                self.update(index, |step| {
                    step.phase = Phase::Publishing { snapshot, commit, expected };
                });
            }
            (Event::Published { publication, .. }, Phase::Publishing { snapshot, .. }) => {
                self.publication = Some(publication.clone());
                self.update(index, |step| {
                    step.acted = true;
                    step.phase = Phase::Proven { snapshot };
                });
            }
            (Event::PublishRefused { settings, .. }, Phase::Publishing { snapshot, .. }) => {
                let settings = settings.clone();
                self.update(index, |step| {
                    step.phase = Phase::Proven { snapshot };
                    step.shown_settings = settings;
                });
            }
            (Event::PushSettingsAccepted { .. }, Phase::Proven { .. })
                if self.step(index).shown_settings.is_some() =>
            {
                self.update(index, |step| step.accepted_settings = step.shown_settings.take());
            }
            _ => return Err(self.wrong_phase(index, event)),
        }
        Ok(())
    }

    pub(super) fn is_pull_request(&self, index: StepIndex) -> bool {
        matches!(self.plan.step(index).kind, StepKind::PullRequest(_))
    }
}
