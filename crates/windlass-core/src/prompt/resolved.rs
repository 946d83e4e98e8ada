//! What kept a step and was put right since: whoever goes on has to know.

use std::fmt::Write as _;

use super::section;
use super::text::{cut, one_line};
use crate::id::StepIndex;
use crate::run::{Blocker, RunState};

/// How much of a prompt it takes.
const MAX_RESOLVED: usize = 700;

/// How many blockers are told, the newest first.
const MAX_TOLD: usize = 3;

/// Adds what was resolved for the step, and what the person says about it.
pub(super) fn blockers(text: &mut String, state: &RunState, index: StepIndex) {
    let id = &state.plan.step(index).id;
    let of_step = |blocker: &&Blocker| blocker.step.as_ref() == Some(id);
    let all = state.blockers.iter().rev().map(|blocker| &**blocker).filter(of_step);
    let mut body = String::new();
    for (blocker, resolution) in
        all.filter_map(|blocker| Some((blocker, blocker.resolved.as_ref()?))).take(MAX_TOLD)
    {
        let by = match &resolution.by {
            Some(by) => format!("put right by {}", one_line(by, 60)),
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
