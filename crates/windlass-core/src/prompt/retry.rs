//! What the next attempt is told about the last: what failed and where, what to fix, what is there
//! already, how each check stands, and whether trying again is worth it.

use std::fmt::Write as _;

use super::criterion::describe_check;
use super::places::places;
use super::text::{cut, one_line};
use super::{evidence_file, section};
use crate::id::StepIndex;
use crate::plan::Holds;
use crate::run::{About, Advice, Category, Failure, Looked, RunState, StepState, advice};

/// What is left for it in a prompt at least: a bound of the other parts.
pub(super) const MIN_RETRY: usize = 2100;

/// More would be the output itself, which stands in a file.
const MAX_RETRY: usize = 5000;

/// How much of the outputs is told at least, whatever else there is to say.
const MIN_OUTPUT: usize = 500;

/// How many checks and changed files are listed.
const MAX_LISTED: usize = 6;

/// How many earlier ways of failing are told, and how much of each.
const MAX_BEFORE: usize = 4;
const MAX_BEFORE_BYTES: usize = 160;

/// Adds what became of the last attempt, in at most `room` bytes; without a failure, what somebody noted.
pub(super) fn last_failure(text: &mut String, state: &RunState, index: StepIndex, room: usize) {
    let most = room.saturating_sub(FRAME).clamp(MIN_RETRY, MAX_RETRY);
    let (plan, step) = (state.plan.step(index), state.step(index));
    let Some(failure) = &step.failure else {
        let notes = notes(state, index);
        if !notes.is_empty() {
            section(text, "Noted failures", &notes);
        }
        return;
    };
    let changed = step.looked.as_ref().map(|looked| looked.changed.as_slice()).unwrap_or_default();
    let mut body = String::new();
    if let Some(item) = state.item_of(index).map(|state| &state.item) {
        let _ = writeln!(body, "Story: `{}` {}", item.id, one_line(&item.title, 120));
    }
    let _ = writeln!(body, "The last try was not accepted: {}", one_line(&failure.summary, 300));
    let outputs: Vec<&str> =
        failure.checks.iter().filter_map(|check| check.excerpt.as_deref()).collect();
    let places = places(&outputs.join("\n"), changed);
    if !places.is_empty() {
        let _ = writeln!(body, "Where: `{}`", places.join("`, `"));
    }
    let _ = writeln!(body, "To fix: {}", to_fix(failure, step));
    let _ = writeln!(body, "Advice: {}", advised(state, index));
    body.push_str(&notes(state, index));
    if let Some(hotfix) = &step.hotfix {
        let _ = writeln!(body, "Still asked for: {}", one_line(&hotfix.message, 200));
    }
    if let Some(looked) = &step.looked {
        changed_so_far(&mut body, looked);
        checks(&mut body, state, index, looked);
    }
    body.push_str(&before(step));
    let room = most.saturating_sub(body.len()).max(MIN_OUTPUT);
    body = cut(&body, most - MIN_OUTPUT).to_owned();
    body.push_str(&evidence(failure, room));
    section(text, &format!("Try {} of {}", step.tries + 1, plan.retries), &body);
}

/// What its title takes.
const FRAME: usize = 40;

/// The other ways in which earlier tries failed, the shortest first.
fn before(step: &StepState) -> String {
    let last = step.failure.as_ref().map(|failure| &failure.signature);
    let others = step.failed_before.iter().filter(|before| Some(&before.signature) != last);
    let mut lines: Vec<String> = others
        .rev()
        .take(MAX_BEFORE)
        .map(|before| {
            let times =
                if before.times > 1 { format!(" ({} times)", before.times) } else { String::new() };
            format!("- {}{times}\n", one_line(&before.summary, MAX_BEFORE_BYTES))
        })
        .collect();
    lines.sort_by_key(String::len);
    match lines.is_empty() {
        true => String::new(),
        false => format!(
            "Earlier tries failed in other ways; do not bring these back:\n{}",
            lines.concat()
        ),
    }
}

fn to_fix(failure: &Failure, step: &StepState) -> &'static str {
    if step.looked.as_ref().is_some_and(|looked| looked.out_of_bounds) {
        return "put the files back that this step may not write (`git restore FILE`, or remove what is \
                new), and keep the rest of the work.";
    }
    if step.repeats >= 2 && matches!(failure.category, Category::Code | Category::Test) {
        return "the cause, which is not where the last tries looked for it: they failed in the same \
                way. Read the whole output, reproduce it, and change something else.";
    }
    match failure.category {
        Category::Code => "what the checks that do not hold say.",
        Category::Test => "the cause of what failed. Leave the tests and the command as they are.",
        Category::Timeout => "what took too long: look for what hangs, or do less at once.",
        Category::Infra => "nothing of the work, as far as is known: go on with it.",
        Category::Limit | Category::Lost => "nothing: go on from the files that are there.",
        Category::External => "only a person can: say what is missing with `windlass block`.",
    }
}

fn advised(state: &RunState, index: StepIndex) -> String {
    let about = About::Step(state.plan.step(index).id.clone());
    let Advice { should_retry, escalate, reason, .. } = advice(state, &about, state.now);
    let what = match (should_retry, escalate) {
        (true, _) => "try again",
        (false, true) => "a person has to help",
        (false, false) => "nothing to do",
    };
    one_line(&format!("{what}: {reason}"), 240)
}

/// What people and agents noted of the step or its item, the newest last.
fn notes(state: &RunState, index: StepIndex) -> String {
    let about = About::Step(state.plan.step(index).id.clone());
    let notes: Vec<_> = state.notes_about(&about).collect();
    let newest = &notes[notes.len().saturating_sub(3)..];
    let line = |noted: &&crate::run::Noted| {
        let (by, words) = (one_line(&noted.by, 80), one_line(&noted.summary, 160));
        format!("Noted by {by} ({}): {words}\n", noted.category)
    };
    newest.iter().map(line).collect()
}

fn changed_so_far(body: &mut String, looked: &Looked) {
    if looked.changed_count == 0 {
        body.push_str("Changed so far: nothing.\n");
        return;
    }
    let paths: Vec<String> =
        looked.changed.iter().take(MAX_LISTED).map(|path| one_line(path, 80)).collect();
    let more = looked.changed_count.saturating_sub(paths.len() as u64);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let _ = writeln!(body, "Changed so far: `{}`{more}", paths.join("`, `"));
}

fn checks(body: &mut String, state: &RunState, index: StepIndex, looked: &Looked) {
    let Some(criterion) = &state.plan.step(index).done else { return };
    let context = state.context_of(index);
    let all = criterion.checks();
    let left_out = all.len().saturating_sub(MAX_LISTED);
    body.push_str("Checks:\n");
    for check in all.into_iter().take(MAX_LISTED) {
        let stands = match looked.holds(check.id) {
            Some(Holds::Yes) => "holds",
            Some(Holds::No) => "does not hold",
            Some(Holds::Unknown) | None => "not looked at",
        };
        let words = one_line(&describe_check(&check.kind, &context), 90);
        let _ = writeln!(body, "- {stands}: {words}");
    }
    if left_out > 0 {
        let _ = writeln!(body, "- … and {left_out} more");
    }
}

/// The ends of the story: what the checks that failed printed.
fn evidence(failure: &Failure, room: usize) -> String {
    let shown = failure.checks.iter().filter(|check| check.excerpt.is_some()).count().clamp(1, 3);
    // The marks and the line that names the file take their part.
    let each = (room / shown).saturating_sub(90);
    let mut text = String::new();
    for check in failure.checks.iter().take(3) {
        if let Some(excerpt) = &check.excerpt {
            let _ = writeln!(text, "\n```\n{}\n```", cut(excerpt, each).replace("```", "'''"));
        }
        if let Some(evidence) = &check.evidence {
            let _ = writeln!(text, "Whole output: `{}`", evidence_file(&evidence.hash));
        }
    }
    text
}
