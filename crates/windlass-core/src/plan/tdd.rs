//! Test-first, as a plan has it: which tests are meant, and which step wrote them.

use serde::{Deserialize, Serialize};

use super::{CheckCommand, CheckKind, Plan, PlanStep, RoomWishes};
use crate::id::StepIndex;
use crate::time::Span;

/// The tests that a `red` or `green` check is about, and the command that runs them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The shell command, placeholders already filled in and quoted.
    pub command: String,
    /// Folder below the tree's root to run in.
    pub folder: Option<String>,
    /// How long it may take.
    pub timeout: Span,
    /// Whether an earlier pass on the same code counts.
    pub cache: bool,
    /// Environment variables that matter to the result.
    pub env: Vec<String>,
    /// What it has in its room besides.
    #[serde(default, skip_serializing_if = "RoomWishes::is_plain")]
    pub room: Box<RoomWishes>,
    /// Globs of the test files, relative to the tree; empty for those of the step's `red`.
    pub tests: Vec<String>,
    /// The glob of the reports that the command writes, in JUnit's XML.
    pub report: Option<String>,
}

impl Suite {
    /// Returns the command.
    pub fn command(&self) -> CheckCommand<'_> {
        CheckCommand {
            command: &self.command,
            folder: self.folder.as_deref(),
            timeout: self.timeout,
            cache: self.cache,
            env: &self.env,
            room: &self.room,
        }
    }
}

impl PlanStep {
    /// Returns the suites whose tests the step has to make fail.
    pub fn reds(&self) -> impl Iterator<Item = &Suite> {
        let checks = self.done.iter().flat_map(|done| done.checks());
        checks.filter_map(|check| match &check.kind {
            CheckKind::Red(suite) => Some(suite),
            CheckKind::File { .. }
            | CheckKind::Run { .. }
            | CheckKind::Junit { .. }
            | CheckKind::Coverage { .. }
            | CheckKind::Green(_)
            | CheckKind::Diff { .. }
            | CheckKind::Checklist { .. }
            | CheckKind::State { .. }
            | CheckKind::Stories { .. }
            | CheckKind::Questions { .. }
            | CheckKind::Verdict { .. }
            | CheckKind::VerdictIn { .. } => None,
        })
    }
}

impl Plan {
    /// Returns the step whose tests a `green` check of the step at `index` is about: of those that
    /// it needs, the last one with a `red` check. Steps of an item need steps of that item alone.
    pub fn red_before(&self, index: StepIndex) -> Option<StepIndex> {
        let mut seen = std::collections::BTreeSet::new();
        let mut queue = self.step(index).needs.clone();
        while let Some(need) = queue.pop() {
            if seen.insert(need) {
                queue.extend(&self.step(need).needs);
            }
        }
        seen.into_iter().rev().find(|need| self.step(*need).reds().next().is_some())
    }
}
