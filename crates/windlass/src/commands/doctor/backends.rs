//! Programs that can play agents.

use super::Finding;
use crate::commands::agent::backends::{BackendView, look as look_at_all, unusable};
use crate::surroundings::environment;

/// Says of each backend that is there whether it can be used, and in one line which are not.
pub(super) fn look() -> Vec<Finding> {
    let (there, missing): (Vec<BackendView>, Vec<BackendView>) =
        look_at_all(&environment()).into_iter().partition(|found| found.survey.program.is_some());
    let names: Vec<&str> = missing.iter().map(|found| found.name).collect();
    let mut findings: Vec<Finding> = there.iter().map(found).collect();
    if there.is_empty() {
        findings.push(Finding::warning(
            "agents",
            format!("none of {} is in PATH", names.join(", ")),
            "install one, or use any other: windlass run … --agent-command 'CMD'",
        ));
    } else if !missing.is_empty() {
        findings.push(Finding::ok("agents", format!("not in PATH: {}", names.join(", "))));
    }
    findings
}

fn found(found: &BackendView) -> Finding {
    match unusable(&found.survey) {
        Some(_) => {
            let at = found.survey.program.as_deref().unwrap_or_else(|| "".as_ref()).display();
            Finding::warning(found.name, format!("{at} cannot be used"), found.line())
        }
        None => Finding::ok(found.name, found.line()),
    }
}
