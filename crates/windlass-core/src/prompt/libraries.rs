//! Documentation of libraries, where a server offers it.

use std::fmt::Write as _;

use super::RUN_FOLDER;
use super::text::one_line;
use crate::plan::{CheckKind, Criterion, PlanStep};
use crate::run::RunState;

/// What the names of servers hold that serve documentation.
const SERVES_DOCUMENTATION: [&str; 7] =
    ["context7", "docs", "documentation", "deepwiki", "devdocs", "ref-tools", "angular-cli"];

/// Tells who writes code to look libraries up, where a server for that is configured. It may be
/// missing on this machine, so nobody is told that it is there.
pub(super) fn look_up(list: &mut String, state: &RunState, plan: &PlanStep) {
    if !writes_code(plan) {
        return;
    }
    let servers: Vec<&str> = state
        .plan
        .servers_of(plan)
        .into_keys()
        .filter(|name| SERVES_DOCUMENTATION.iter().any(|known| name.contains(known)))
        .collect();
    if servers.is_empty() {
        return;
    }
    let names = one_line(&servers.join("`, `"), 120);
    let _ = writeln!(
        list,
        "- Before you write code that uses a library, look up the version that is used here with the \
         tools of `{names}`, if you have them: do not write its calls from memory"
    );
}

/// Whether the step may change more than documents of the run, and judges nobody.
fn writes_code(plan: &PlanStep) -> bool {
    let judges = |criterion: &Criterion| {
        criterion.checks().iter().any(|check| {
            matches!(check.kind, CheckKind::Verdict { .. } | CheckKind::VerdictIn { .. })
        })
    };
    let only_papers = !plan.may_write.is_empty()
        && plan.may_write.iter().all(|path| path.starts_with(RUN_FOLDER));
    !plan.is_spoke() && !only_papers && !plan.done.as_ref().is_some_and(judges)
}
