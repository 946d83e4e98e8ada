//! Who judges whose work: a verdict that leads back to a step is about what that step did.

use super::{Plan, Rollback};
use crate::id::StepIndex;

impl Rollback {
    /// Returns every step that it can lead to.
    pub fn targets(&self) -> impl Iterator<Item = StepIndex> {
        let by_path = self.by_path.iter().map(|(_, step)| *step);
        let by_type = self.by_type.iter().map(|(_, step)| *step);
        by_path.chain(by_type).chain([self.otherwise])
    }
}

impl Plan {
    /// Returns the judges whose verdicts can lead back to the step at `index`.
    pub fn judges_of(&self, index: StepIndex) -> Vec<StepIndex> {
        let leads_here = |judge: &StepIndex| {
            let mut routes = self.step(*judge).on.values();
            routes.any(|route| route.rollback.targets().any(|target| target == index))
        };
        self.indexes().filter(leads_here).collect()
    }

    /// Returns the step whose work a judge looks at: the one that its verdicts lead back to where nothing
    /// says more. Of several it is the last, which leaves most of the work alone.
    pub fn judged_by(&self, judge: StepIndex) -> Option<StepIndex> {
        self.step(judge).on.values().map(|route| route.rollback.otherwise).max()
    }
}
