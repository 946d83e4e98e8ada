//! The commands that judge the work of a run, for those whose own step has none.

use std::fmt::Write as _;

use super::text::one_line;
use super::{MAX_COMMANDS, lines_within, section};
use crate::id::StepIndex;
use crate::plan::{CheckCommand, Criterion, PlanStep};
use crate::run::RunState;

/// Adds the commands of the other steps: who plans or reviews needs to know what the work has to pass.
pub(super) fn of_run(text: &mut String, state: &RunState, index: StepIndex) {
    let plan = state.plan.step(index);
    if commands(plan).next().is_some() || !state.plan.platforms.is_empty() {
        return;
    }
    let mut list = String::new();
    for command in state.plan.steps.iter().flat_map(commands) {
        let folder = command.folder.map(|folder| format!(" in `{}`", one_line(folder, 80)));
        let line =
            format!("- `{}`{}\n", one_line(command.command, 240), folder.unwrap_or_default());
        if !list.contains(&line) {
            list.push_str(&line);
        }
    }
    if !list.is_empty() {
        let body = lines_within(&list, MAX_COMMANDS);
        let body = body.trim_end();
        let mut shown =
            String::from("Windlass runs these in a clean checkout; you can run them, too.\n");
        let _ = writeln!(shown, "{body}");
        section(text, "What judges the work", &shown);
    }
}

fn commands(plan: &PlanStep) -> impl Iterator<Item = CheckCommand<'_>> {
    let checks = plan.done.as_ref().map(Criterion::checks).unwrap_or_default();
    checks.into_iter().filter_map(|check| check.kind.command())
}
