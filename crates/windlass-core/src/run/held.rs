//! Tests that a step proved to fail are held until the run ends: who changes or removes one later has to
//! ask a person.

use crate::id::StepIndex;
use crate::plan::{CheckId, CheckKind, Holds};
use crate::run::state::RunState;

impl RunState {
    /// Returns the steps whose failing tests the step at `index` has to leave as they are.
    ///
    /// A step that makes them pass is not among those who are asked about: `green` compares them itself,
    /// and a change there fails the try.
    pub fn held_before(&self, index: StepIndex) -> Vec<StepIndex> {
        let compared = self.plan.red_before(index).filter(|_| self.needs_green(index));
        // What was done for an item that is stuck has left the place, its tests included.
        let is_there =
            |other: StepIndex| self.item_of(other).is_none_or(|item| item.left.is_none());
        let holds = |other: &StepIndex| {
            *other != index
                && Some(*other) != compared
                && self.step(*other).red.is_some()
                && is_there(*other)
        };
        self.plan.indexes().filter(holds).collect()
    }

    /// Whether the step cannot be proven without a `green`; one beside an `any` compares nothing.
    fn needs_green(&self, index: StepIndex) -> bool {
        let Some(done) = &self.plan.step(index).done else { return false };
        let checks = done.checks();
        let is_green = |id: CheckId| {
            checks.iter().any(|check| check.id == id && matches!(check.kind, CheckKind::Green(_)))
        };
        done.judge(&|id| if is_green(id) { Holds::No } else { Holds::Yes }) != Holds::Yes
    }
}

#[cfg(test)]
mod tests {
    use crate::id::StepIndex;
    use crate::plan::{Check, CheckId, CheckKind, Criterion};
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

    #[test]
    fn a_green_that_is_not_needed_compares_nothing() {
        let any = Criterion::Any(vec![
            Criterion::Check(Check { id: CheckId(0), kind: CheckKind::Green(suite()) }),
            runs(1, "true"),
        ]);
        let mut run = Run::of([agent("red").red(), agent("green").proven_by(any)]);
        run.begins("red");
        run.ends("red#1", "c1");
        run.verifies(fail_as_they_should());
        assert_eq!(run.state.held_before(StepIndex(1)), [StepIndex(0)]);
    }
}
