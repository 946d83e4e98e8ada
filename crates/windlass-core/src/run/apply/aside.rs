//! Spokes of a team: each works in a place of its own.

use crate::id::StepIndex;
use crate::run::state::{Phase, RunState};
use crate::snapshot::Snapshot;

impl RunState {
    /// Gives a spoke a place of its own, and every other step the run's.
    pub(super) fn take_in_hand(&mut self, index: StepIndex) {
        if self.plan.step(index).is_spoke() {
            self.aside.insert(index);
        } else {
            self.holder = Some(index);
        }
    }

    /// Returns whether the spokes that are at work leave room for the step: nobody is at work, or
    /// it is of the same team.
    pub(super) fn may_join_aside(&self, index: StepIndex) -> bool {
        let plan = self.plan.step(index);
        let of_team = |spoke: &StepIndex| self.plan.step(*spoke).parent == plan.parent;
        self.aside.is_empty() || (plan.is_spoke() && self.aside.iter().all(of_team))
    }

    /// Remembers the last files that were seen where the step works.
    pub(super) fn note_files(&mut self, index: StepIndex, snapshot: &Snapshot) {
        if self.plan.step(index).is_spoke() {
            self.update(index, |step| step.seen = Some(snapshot.clone()));
        } else {
            self.latest = Some(snapshot.clone());
        }
    }

    /// What a spoke wrote is in the run's place. Only what it wrote is proven by that: where somebody
    /// else changed the code meanwhile, the next step answers for all of it.
    pub(super) fn adopt(&mut self, index: StepIndex, snapshot: &Snapshot, untouched: bool) {
        self.latest = Some(snapshot.clone());
        if untouched {
            self.proven_code = snapshot.code.clone();
        }
        let snapshot = snapshot.clone();
        self.update(index, |step| step.phase = Phase::Proven { snapshot });
    }
}
