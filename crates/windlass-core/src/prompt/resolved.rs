//! What kept a step and was solved since: whoever goes on has to know.

use std::fmt::Write as _;

use super::retry::is_put_right;
use super::section;
use super::text::{cut, one_line};
use crate::id::StepIndex;
use crate::run::{Blocker, BlockerKind, Resolution, RunState};

/// How much of a prompt it takes.
const MAX_RESOLVED: usize = 700;

/// How many blockers are told, the newest first.
const MAX_TOLD: usize = 3;

/// What was resolved for the step, the newest first.
fn resolved(state: &RunState, index: StepIndex) -> impl Iterator<Item = (&Blocker, &Resolution)> {
    let id = &state.plan.step(index).id;
    let of_step = move |blocker: &&Blocker| blocker.step.as_ref() == Some(id);
    let all = state.blockers.iter().rev().map(|blocker| &**blocker).filter(of_step);
    all.filter_map(|blocker| Some((blocker, blocker.resolved.as_ref()?)))
}

/// Returns what a person said about findings that sent the step back: it was seen, and is still to be done.
pub(super) fn said_about_findings(state: &RunState, index: StepIndex) -> Option<String> {
    let (_, resolution) =
        resolved(state, index).find(|(blocker, _)| blocker.kind == BlockerKind::Security)?;
    let (by, notes) = (resolution.by.as_deref()?, resolution.notes.as_deref()?);
    Some(format!("{} says: {}", one_line(by, 60), one_line(notes, 300)))
}

/// Adds what was resolved for the step, and what the person says about it. Findings of a judge are not
/// among it while they are asked for.
pub(super) fn blockers(text: &mut String, state: &RunState, index: StepIndex) {
    let step = state.step(index);
    let asked = step.hotfix.as_ref().is_some_and(|hotfix| !hotfix.resolved);
    let told = resolved(state, index)
        .filter(|(blocker, _)| !(asked && blocker.kind == BlockerKind::Security));
    let mut body = String::new();
    if let Some(told) = step.hotfix.as_ref().filter(|hotfix| hotfix.resolved) {
        let _ = writeln!(body, "- {}: {}", one_line(&told.by, 60), one_line(&told.message, 400));
    }
    // Raised without a number, as by an agent's program that cannot use its account.
    if let Some(failure) = step.failure.as_ref().filter(|failure| is_put_right(failure, step)) {
        let _ = writeln!(body, "- {}", one_line(&failure.summary, 200));
    }
    for (blocker, resolution) in told.take(MAX_TOLD) {
        let by = match &resolution.by {
            Some(by) => format!("solved by {}", one_line(by, 60)),
            None => "its check holds now".to_owned(),
        };
        let _ = writeln!(body, "- {} ({by})", one_line(&blocker.message, 160));
        if let Some(notes) = &resolution.notes {
            let _ = writeln!(body, "  {}", one_line(notes, 300));
        }
    }
    if !body.is_empty() {
        let head = "This kept the step, and is resolved. Go on from the files that are there.\n";
        section(text, "Resolved", cut(&format!("{head}{body}"), MAX_RESOLVED));
    }
}
