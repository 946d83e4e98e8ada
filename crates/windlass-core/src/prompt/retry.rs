//! What the next attempt is told about the last: what failed and where, what to fix, what is there
//! already, how each check stands, and whether trying again is worth it.

use std::fmt::Write as _;

use super::criterion::Words;
use super::earlier;
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

/// How much is told of earlier tries to whoever begins anew.
const MAX_EARLIER: usize = 1500;

/// Adds what became of the last attempt, in at most `room` bytes; without a failure, what somebody noted.
pub(super) fn last_failure(text: &mut String, state: &RunState, index: StepIndex, room: usize) {
    let most = room.saturating_sub(FRAME).clamp(MIN_RETRY, MAX_RETRY);
    let (plan, step) = (state.plan.step(index), state.step(index));
    let Some(failure) = &step.failure else {
        let notes = notes(state, index);
        if !notes.is_empty() {
            section(text, "Noted failures", &notes);
        }
        let earlier = earlier::all(state, index);
        let most = room.saturating_sub(FRAME).min(MAX_EARLIER);
        if !earlier.is_empty() && most > 0 {
            section(text, "Earlier tries", cut(&earlier, most));
        }
        return;
    };
    if is_put_right(failure, step) {
        // A person has helped, and `Resolved` says so: what was missing then is no advice now.
        return;
    }
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
    if let Some(hotfix) = step.hotfix.as_ref().filter(|hotfix| !hotfix.resolved) {
        let _ = writeln!(body, "Still asked for: {}", one_line(&hotfix.message, 400));
    }
    if let Some(looked) = &step.looked {
        changed_so_far(&mut body, looked);
        checks(&mut body, state, index, looked);
    }
    body.push_str(&earlier::all(state, index));
    let room = most.saturating_sub(body.len()).max(MIN_OUTPUT);
    body = cut(&body, most - MIN_OUTPUT).to_owned();
    body.push_str(&evidence(failure, room));
    section(text, &format!("Try {} of {}", step.tries + 1, plan.retries), &body);
}

/// Whether the failure was something only a person could solve: no attempt starts before that.
pub(super) fn is_put_right(failure: &Failure, step: &StepState) -> bool {
    match failure.category {
        Category::External => true,
        Category::Environment => step.repeats >= 2,
        Category::Code
        | Category::Test
        | Category::Compile
        | Category::Type
        | Category::Lint
        | Category::Security
        | Category::Flaky
        | Category::Infra
        | Category::Network
        | Category::Disk
        | Category::Timeout
        | Category::Limit
        | Category::Lost => false,
    }
}

/// What its title takes.
const FRAME: usize = 40;

fn to_fix(failure: &Failure, step: &StepState) -> String {
    let missing = failure.checks.iter().find_map(|check| check.cause.as_ref()?.missing.as_ref());
    if let (Category::Environment, Some(missing)) = (failure.category, missing) {
        let missing = one_line(&missing.to_string(), 160);
        return format!(
            "{missing}, and before your change nothing needed it. Do without it, or declare it where \
             the project declares such things; if a person has to bring it, say so with `windlass block`."
        );
    }
    how_to_fix(failure, step).to_owned()
}

fn how_to_fix(failure: &Failure, step: &StepState) -> &'static str {
    if step.looked.as_ref().is_some_and(|looked| looked.out_of_bounds) {
        return "put the files back that this step may not write (`git restore FILE`, or remove what is \
                new), and keep the rest of the work.";
    }
    if step.repeats >= 2 && failure.category.is_of_work() {
        return "the cause, which is not where the last tries looked for it: they failed in the same \
                way. Read the whole output, reproduce it, and change something else.";
    }
    match failure.category {
        Category::Code => "what the failed checks say.",
        Category::Test => "the cause of what failed. Leave the tests and the command as they are.",
        Category::Compile => {
            "what does not compile or load, at the first error; later ones often follow from it."
        }
        Category::Type => {
            "the types at the places that are named, without switching the checker off."
        }
        Category::Lint => {
            "what the linter names; run its own fix or the formatter where there is one, and change no \
             rule."
        }
        Category::Security => {
            "what the scanner names: another version or another way, and no exception for the finding."
        }
        Category::Flaky => {
            "what makes the result depend on time, order or chance: the same files passed before."
        }
        Category::Timeout => "what took too long: look for what hangs, or do less at once.",
        Category::Infra | Category::Network | Category::Disk => {
            "nothing of the work, as far as is known: go on with it."
        }
        Category::Limit | Category::Lost => "nothing: go on from the files that are there.",
        Category::Environment => {
            "do without what is missing, or say what a person has to bring with `windlass block`."
        }
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

/// What the step has done so far; documents of the run are no change of the repository.
fn changed_so_far(body: &mut String, looked: &Looked) {
    let list = |paths: &[String], count: u64| {
        let shown: Vec<String> =
            paths.iter().take(MAX_LISTED).map(|path| one_line(path, 80)).collect();
        let more = count.saturating_sub(shown.len() as u64);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("`{}`{more}", shown.join("`, `"))
    };
    match looked.changed_count {
        0 => body.push_str("Changed so far: no file of the repository.\n"),
        count => {
            let _ = writeln!(body, "Changed so far: {}", list(&looked.changed, count));
        }
    }
    if !looked.papers.is_empty() {
        let count = looked.papers.len() as u64;
        let _ = writeln!(body, "Written so far: {}", list(&looked.papers, count));
    }
}

fn checks(body: &mut String, state: &RunState, index: StepIndex, looked: &Looked) {
    let Some(criterion) = &state.plan.step(index).done else { return };
    let context = state.context_of(index);
    let words = Words::new(&context, state.plan.step(index));
    let all = criterion.checks();
    let left_out = all.len().saturating_sub(MAX_LISTED);
    body.push_str("Checks:\n");
    for check in all.into_iter().take(MAX_LISTED) {
        let stands = match looked.holds(check.id) {
            Some(Holds::Yes) => "passed",
            Some(Holds::No) => "failed",
            Some(Holds::Unknown) | None => "not run",
        };
        let words = one_line(&words.check(&check.kind), 90);
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
