//! Tests that a step proved to fail are held until the run ends: who changes or removes one later has to
//! ask a person.

use crate::id::StepIndex;
use crate::plan::{CheckKind, Criterion};
use crate::run::state::RunState;

impl RunState {
    /// Returns the steps whose failing tests the step at `index` has to leave as they are.
    ///
    /// A step that makes them pass is not among those who are asked about: `green` compares them itself,
    /// and a change there fails the try.
    pub fn held_before(&self, index: StepIndex) -> Vec<StepIndex> {
        let compared = self.plan.red_before(index).filter(|_| self.has_green(index));
        let holds = |other: &StepIndex| {
            *other != index && Some(*other) != compared && self.step(*other).red.is_some()
        };
        self.plan.indexes().filter(holds).collect()
    }

    fn has_green(&self, index: StepIndex) -> bool {
        let checks = self.plan.step(index).done.as_ref().map(Criterion::checks).unwrap_or_default();
        checks.iter().any(|check| matches!(check.kind, CheckKind::Green(_)))
    }
}

#[cfg(test)]
mod tests {
    use crate::id::StepIndex;
    use crate::run::testing::*;

    #[test]
    fn tests_that_were_proven_to_fail_are_held_for_everybody_but_who_makes_them_pass() {
        let mut run = Run::of([agent("red").red(), agent("green").green(), agent("lint")]);
        let held = |run: &Run, step: u32| run.state.held_before(StepIndex(step));
        assert_eq!(held(&run, 2), []);
        run.begins("red");
        run.ends("red#1", "c1");
        run.decides(PAUSE);
        run.verifies(fail_as_they_should());
        assert_eq!(held(&run, 0), [], "not against itself");
        assert_eq!(held(&run, 1), [], "`green` compares them itself");
        assert_eq!(held(&run, 2), [StepIndex(0)]);
        run.decides(rollback("red", "c1"));
        assert_eq!(held(&run, 2), [], "they are written anew");
    }
}
