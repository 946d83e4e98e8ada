//! Proven work that a person goes on without: it leaves the place, and the branch.

use super::Applied;
use crate::id::{ObjectId, StepIndex};
use crate::plan::CommitPolicy;
use crate::run::Event;
use crate::run::state::{Phase, RunState};
use crate::snapshot::{Baseline, Snapshot};

impl RunState {
    /// Returns the code that was proven before the step, where the step has proven other code since.
    ///
    /// The files of a group are those of the steps in it, which are done by themselves, and a spoke's
    /// are mixed with those of its team.
    pub fn proven_without(&self, index: StepIndex) -> Option<&ObjectId> {
        let plan = self.plan.step(index);
        let alone = self.holder == Some(index) && !plan.kind.is_group() && !plan.is_spoke();
        let before = self.step(index).before.as_ref().filter(|_| alone);
        before.filter(|before| **before != self.proven_code)
    }

    /// The place goes back to what was proven before the step, by the effect that takes a baseline, so
    /// that a kill in between is made up for.
    pub(super) fn set_back(&mut self, index: StepIndex, event: &Event, reason: &str) -> Applied {
        let before = self.proven_without(index).cloned();
        let Some(before) = before.filter(|_| !self.is_in_flight(index)) else {
            return Err(self.wrong_phase(index, event));
        };
        self.proven_code = before.clone();
        self.reset_code = Some(before);
        self.since = self.now;
        self.update(index, |step| {
            // Tests that are gone hold nobody.
            (step.red, step.questions) = (None, Vec::new());
            (step.spoiled, step.reverting, step.set_aside) = (false, true, true);
            step.taken_back = Some(reason.to_owned());
            step.phase = Phase::Beginning;
        });
        Ok(())
    }

    /// The place is set back; a branch that has the work gets a commit without it.
    pub(super) fn commit_set_back(&mut self, index: StepIndex, baseline: &Baseline) {
        let code = self.proven_code.clone();
        let commits = self.plan.step(index).commit == CommitPolicy::Wip && code != self.head_code;
        let snapshot = Snapshot { code, papers: baseline.snapshot.papers.clone() };
        let date = self.now;
        self.update(index, |step| {
            step.reverting = false;
            step.phase = match commits {
                true => Phase::Committing { snapshot, date },
                false => Phase::Proven { snapshot },
            };
        });
    }
}
