//! Tests that a step proved to fail are held until the run ends.

use std::collections::BTreeSet;

use windlass_core::id::{ObjectId, StepIndex};
use windlass_core::proof::{ProtectedChange, Red};
use windlass_core::run::RunState;

use super::changes::Changes;
use super::green::RedStep;
use super::verifier::{Broken, Looking};
use crate::git::TreePath;

impl<'a> RedStep<'a> {
    /// Returns the step at `index` as one that proved tests to fail.
    pub fn of(state: &'a RunState, index: StepIndex) -> Self {
        let plan = state.plan.step(index);
        Self {
            id: &plan.id,
            tests: plan.reds().flat_map(|suite| suite.tests.clone()).collect(),
            proven: state.step(index).red.as_ref(),
        }
    }
}

impl Looking<'_> {
    /// Returns the tests that earlier steps proved to fail and that are neither as they were then nor as
    /// a person accepted them.
    pub(super) fn held_tests_changed(&self) -> Result<Vec<ProtectedChange>, Broken> {
        let mut found = Vec::new();
        for held in &self.request.held {
            let Some(red) = held.proven else { continue };
            for (path, now) in self.changed_since_red(red, &held.tests)? {
                let path = path.to_string();
                if self.request.pins.get(&path).is_some_and(|pin| *pin == now) {
                    continue;
                }
                let held_by = Some(held.id.clone());
                found.push(ProtectedChange { held_by, ..ProtectedChange::of_file(path, now) });
            }
        }
        Ok(found)
    }

    /// Returns which of the test files that red wrote, changed or removed are different now.
    pub(super) fn changed_since_red(
        &self,
        red: &Red,
        globs: &[String],
    ) -> Result<Vec<(TreePath, Option<ObjectId>)>, Broken> {
        let since = Changes::between(self.engine, &red.code, &self.request.snapshot.code)?;
        let since = since.matching(globs);
        if since.is_empty() {
            return Ok(Vec::new());
        }
        let by_red = Changes::between(self.engine, &red.base, &red.code)?;
        let by_red: BTreeSet<&TreePath> =
            by_red.matching(globs).into_iter().map(|change| &change.path).collect();
        let of_red = since.into_iter().filter(|change| by_red.contains(&change.path));
        let now = |entry: &crate::git::TreeEntry| entry.id.clone();
        Ok(of_red.map(|change| (change.path.clone(), change.new.as_ref().map(now))).collect())
    }
}
