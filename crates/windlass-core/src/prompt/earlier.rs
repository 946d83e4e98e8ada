//! What is known besides the last failure: how earlier tries failed, what was asked for and suggested before,
//! and where other runs met the same.

use std::fmt::Write as _;

use super::text::one_line;
use crate::id::StepIndex;
use crate::run::{AskedBefore, FailedBefore, FailedElsewhere, RunState, StepState};

/// How much is told of one earlier failure.
const MAX_BEFORE_BYTES: usize = 160;

/// How much is told of one thing that was asked for before.
const MAX_ASKED_BYTES: usize = 300;

/// How many suggestions of judges are told.
const MAX_SUGGESTED: usize = 4;

/// Returns all of it, in lines; nothing for a first try.
pub(super) fn all(state: &RunState, index: StepIndex) -> String {
    let step = state.step(index);
    let mut text = failures(step);
    text.push_str(&asked(&step.asked_before));
    if step.failure.is_some() || step.hotfix.is_some() {
        text.push_str(&suggested(state, index));
    }
    let looked = step.looked.as_ref().map(|looked| looked.elsewhere.as_slice());
    text.push_str(&elsewhere(looked.unwrap_or_default()));
    text
}

/// The other ways in which tries of the step failed, the shortest first.
fn failures(step: &StepState) -> String {
    let last = step.failure.as_ref().map(|failure| &failure.signature);
    let others = step.failed_before.iter().filter(|before| Some(&before.signature) != last);
    let line = |before: &FailedBefore| {
        let times =
            if before.times > 1 { format!(" ({} times)", before.times) } else { String::new() };
        let tried = match before.tried.is_empty() {
            true => String::new(),
            false => format!("; tried in `{}`", one_line(&before.tried.join("`, `"), 120)),
        };
        format!("- {}{times}{tried}\n", one_line(&before.summary, MAX_BEFORE_BYTES))
    };
    let mut lines: Vec<String> = others.map(line).collect();
    lines.sort_by_key(String::len);
    let title = match last {
        Some(_) => "Earlier tries failed in other ways; do not bring these back:",
        None => "Earlier tries failed; do not bring these back:",
    };
    under(title, &lines.concat())
}

fn asked(before: &[AskedBefore]) -> String {
    let line = |asked: &AskedBefore| {
        let (by, words) = (one_line(&asked.by, 60), one_line(&asked.message, MAX_ASKED_BYTES));
        format!("- {by}: {words}\n")
    };
    let lines: String = before.iter().map(line).collect();
    under("Asked for earlier, and to stay so:", &lines)
}

/// What judges of this step's work would like better.
fn suggested(state: &RunState, index: StepIndex) -> String {
    let mut lines = String::new();
    let judges = state.plan.judges_of(index).into_iter();
    let found = judges.flat_map(|judge| {
        let id = &state.plan.step(judge).id;
        state.step(judge).suggested.iter().map(move |words| (id, words))
    });
    for (judge, words) in found.take(MAX_SUGGESTED) {
        let _ = writeln!(lines, "- `{judge}`: {}", one_line(words, MAX_BEFORE_BYTES));
    }
    under("Suggested earlier; take what fits:", &lines)
}

/// The same failure in other runs. What they changed is a hint, and no more.
fn elsewhere(found: &[FailedElsewhere]) -> String {
    let line = |found: &FailedElsewhere| {
        let (run, step) = (one_line(found.run.as_str(), 40), one_line(found.step.as_str(), 60));
        let became = match (found.proven, found.changed.is_empty()) {
            (false, _) => "not solved there".to_owned(),
            (true, true) => "solved there".to_owned(),
            (true, false) => {
                format!(
                    "solved there with changes in `{}`",
                    one_line(&found.changed.join("`, `"), 200)
                )
            }
        };
        format!("- run `{run}`, step `{step}`, {}: {became}\n", found.at)
    };
    let lines: String = found.iter().map(line).collect();
    under("Other runs of this repository failed in the same way:", &lines)
}

fn under(title: &str, lines: &str) -> String {
    if lines.is_empty() { String::new() } else { format!("{title}\n{lines}") }
}
