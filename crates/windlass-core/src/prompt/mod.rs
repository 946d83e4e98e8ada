//! What an agent is told: a pure function of the state.
//!
//! A prompt gives paths, never contents, and every part of it has a bound, so it stays below
//! [`MAX_BYTES`] however long the run is. What a bound cuts off stands whole in a file that the
//! prompt names.

mod criterion;
mod issue;
mod places;
mod platform;
mod resolved;
mod retry;
mod services;
mod text;

use std::fmt::Write as _;

use crate::id::{AttemptId, ContentHash, ItemId, StepIndex};
use crate::plan::{BaselinePolicy, PlanStep, Publish, StepKind, template};
use crate::protect::{IN_SHORT, Protected};
use crate::run::{RunState, StepState};

use criterion::describe_criterion;
pub use issue::issue_text;
use text::{cut, one_line};

/// No prompt is longer.
pub const MAX_BYTES: usize = 8 * 1024;

/// The file that holds the whole goal, relative to the place.
pub const GOAL_FILE: &str = ".windlass/run/goal.md";

/// The file that holds the whole text of the issue, relative to the place.
pub const ISSUE_FILE: &str = ".windlass/run/issue.md";

/// The file that holds everything about the platforms, relative to the place.
pub const PLATFORM_FILE: &str = ".windlass/run/platform.md";

/// The file that holds what was asked before and answered, relative to the place.
pub const CLARIFICATIONS_FILE: &str = ".windlass/run/clarifications.md";

/// Bounds per part; with the fixed words between them they stay below [`MAX_BYTES`].
const MAX_GOAL: usize = 700;
const MAX_TASK: usize = 2200;
const MAX_TASK_AGAIN: usize = 1200;
const MAX_READS: usize = 1000;
const MAX_CONTEXT: usize = 700;
const MAX_CRITERION: usize = 1000;
const MAX_PLATFORM: usize = 900;
const MAX_RULES: usize = 600;
const MAX_HOTFIX: usize = 1200;

/// How every prompt ends.
const WHEN_FINISHED: &str = "\n## When you are finished\n\nAnswer with `Done.` and nothing else. \
    Windlass checks the files itself; what you say about them counts for nothing.\n";

/// Returns the file that holds the whole task of a step, relative to the place.
pub fn task_file(step: &PlanStep) -> String {
    format!(".windlass/run/tasks/{}.md", step.id.as_str().replace('/', "."))
}

/// Returns the file that holds what an item asks for, relative to the place.
pub fn item_file(item: &ItemId) -> String {
    format!(".windlass/run/items/{item}.md")
}

/// Returns the file that holds a copy of some evidence, relative to the place.
pub fn evidence_file(hash: &ContentHash) -> String {
    format!(".windlass/run/evidence/{}.txt", hash.as_str().get(..16).unwrap_or(hash.as_str()))
}

/// Returns the prompt of an attempt.
pub fn prompt(state: &RunState, index: StepIndex, attempt: &AttemptId) -> String {
    let (plan, step) = (state.plan.step(index), state.step(index));
    let mut text = String::with_capacity(MAX_BYTES);
    let _ = writeln!(text, "# {} (step `{}`)\n", one_line(&plan.title, 120), plan.id);
    if let StepKind::Agent { agent, .. } = &plan.kind {
        let _ = writeln!(text, "You are `{}`. This is attempt `{attempt}`.\n", one_line(agent, 80));
    }
    let published = state.context_of(index);
    goal(&mut text, state);
    item(&mut text, state, index);
    clarifications(&mut text, state);
    reads(&mut text, &published, plan);
    context(&mut text, &published);
    platform::describe(&mut text, &state.plan.platforms);
    failed_before(&mut text, state);
    // Whoever tries again needs to know what failed more than every word of the task.
    let max_task = if step.failure.is_some() { MAX_TASK_AGAIN } else { MAX_TASK };
    section(&mut text, "Task", &bounded(&task(&published, plan), max_task, &task_file(plan)));
    if let (Some(fix), 0, true) = (&plan.fix, step.tries, state.is_hosted()) {
        let _ = writeln!(text, "\nFirst run `{}`: it may be all.", one_line(fix, 300));
    }
    services::outside(&mut text, state, index);
    done_when(&mut text, &published, plan);
    rules(&mut text, state, plan);
    if step.hotfix.is_some() && step.failure.is_none() {
        hotfix(&mut text, step);
    }
    resolved::blockers(&mut text, state, index);
    cut_off(&mut text, step);
    let room = (MAX_BYTES - WHEN_FINISHED.len()).saturating_sub(text.len());
    retry::last_failure(&mut text, state, index, room);
    // Whatever the bounds of the parts add up to, a prompt has its end.
    format!("{}{WHEN_FINISHED}", cut(&text, MAX_BYTES - WHEN_FINISHED.len()))
}

/// What failed before anybody did anything: nobody should look for the cause in their own work.
fn failed_before(text: &mut String, state: &RunState) {
    let Some(record) = &state.facts.base_record else { return };
    let Some(words) = record.in_words() else { return };
    let mut body = format!("{}.", one_line(&words, 600));
    if state.plan.baseline == BaselinePolicy::NoNewFailures {
        body.push_str(" Only new failures count.");
    }
    section(text, "Before this run", &body);
}

fn section(text: &mut String, title: &str, body: &str) {
    let _ = writeln!(text, "\n## {title}\n\n{}", body.trim_end());
}

/// The text, or its beginning and where the whole stands.
fn bounded(whole: &str, max: usize, file: &str) -> String {
    if whole.len() <= max {
        return whole.to_owned();
    }
    format!("{}\n\n[Cut here. The whole text is in `{file}`: read it first.]", cut(whole, max))
}

fn goal(text: &mut String, state: &RunState) {
    let Some(issue) = &state.plan.issue else {
        let _ = writeln!(text, "Goal: {}", bounded(&state.plan.goal, MAX_GOAL, GOAL_FILE).trim());
        return;
    };
    // A goal that is the issue's title is not the user's words, and stands with the issue.
    if state.plan.goal == issue.goal() {
        let _ = writeln!(text, "Goal: what issue #{} asks for.", issue.number);
    } else {
        let goal = bounded(&state.plan.goal, issue::MAX_GOAL_BESIDE, GOAL_FILE);
        let _ = writeln!(text, "Goal: {}", goal.trim());
    }
    issue::describe(text, issue);
}

fn item(text: &mut String, state: &RunState, index: StepIndex) {
    let Some(item) = state.item_of(index).map(|state| &state.item) else { return };
    let _ = writeln!(text, "Item: `{}` {}", item.id, one_line(&item.title, 120));
    if !item.body.is_empty() || item.story.is_some() {
        let _ = writeln!(text, "What it asks for is in `{}`: read it first.", item_file(&item.id));
    }
}

/// What was asked and answered before stands in a file of its own.
fn clarifications(text: &mut String, state: &RunState) {
    if state.clarifications.iter().any(|known| known.answer.is_some()) {
        let _ = writeln!(text, "What was clarified is in `{CLARIFICATIONS_FILE}`: read it first.");
    }
}

fn task(context: &serde_json::Value, plan: &PlanStep) -> String {
    template::fill_context(&plan.task, context).unwrap_or_else(|_| plan.task.clone())
}

fn reads(text: &mut String, context: &serde_json::Value, plan: &PlanStep) {
    let mut list = String::new();
    for read in &plan.reads {
        let Ok(file) = template::fill_context(&read.file, context) else {
            // The step that should have published the path was skipped.
            continue;
        };
        let purpose = read.purpose.as_deref().unwrap_or("input for this step");
        let optional = if read.optional { ", if it is there" } else { "" };
        let _ =
            writeln!(list, "- `{}`: {}{optional}", one_line(&file, 300), one_line(purpose, 100));
    }
    if !list.is_empty() {
        section(text, "Read these first", &lines_within(&list, MAX_READS));
    }
}

fn context(text: &mut String, context: &serde_json::Value) {
    let mut list = String::new();
    flatten("", context, &mut list);
    if !list.is_empty() {
        section(text, "Context", &lines_within(&list, MAX_CONTEXT));
    }
}

fn flatten(prefix: &str, value: &serde_json::Value, into: &mut String) {
    if let Some(object) = value.as_object() {
        for (key, value) in object {
            let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
            flatten(&key, value, into);
        }
    } else if !prefix.is_empty() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let _ = writeln!(into, "- {}: {}", one_line(prefix, 80), one_line(&value, 160));
    }
}

fn done_when(text: &mut String, context: &serde_json::Value, plan: &PlanStep) {
    let Some(criterion) = &plan.done else { return };
    let mut list = String::new();
    describe_criterion(criterion, context, 0, &mut list);
    section(text, "Done when", &lines_within(&list, MAX_CRITERION));
}

fn rules(text: &mut String, state: &RunState, plan: &PlanStep) {
    let mut list = String::from(
        "- Stay on the current branch. Do not push, and make no repository inside this one.\n",
    );
    if plan.is_spoke() {
        let paths = one_line(&plan.writes.join(", "), 300);
        let _ = writeln!(list, "- Write {paths} and change nothing else: others work beside you");
    }
    if !plan.may_write.is_empty() {
        let paths = one_line(&plan.may_write.join(", "), 200);
        let _ = writeln!(list, "- Change only: {paths} (and papers in `.windlass/run`)");
    }
    if !state.plan.protect.is_empty() {
        let rules: Vec<String> = state.plan.protect.iter().map(Protected::called).collect();
        let protect = one_line(&rules.join(", "), 160);
        let _ = writeln!(list, "- Leave these as they are, they judge the work: {protect}");
    }
    let _ = writeln!(
        list,
        "- Leave these as they are, whoever changes one has to ask a person: {IN_SHORT}"
    );
    let held = state.plan.find(&plan.id).map(|index| state.held_before(index)).unwrap_or_default();
    if !held.is_empty() {
        list.push_str(
            "- Leave the tests of earlier steps as they are, and write new ones into files of their \
             own: who changes one that was proven to fail first has to ask a person\n",
        );
    }
    let repeats = state.plan.foreaches().next().is_some();
    for (key, publish) in &plan.publishes {
        if key == "items" && repeats {
            list.push_str("- Add items with `windlass item add TITLE --id ID --body TEXT`\n");
            if !state.items.is_empty() {
                list.push_str("- There are items already: see `windlass item list`\n");
            }
        } else if let Publish::Value(kind) = publish {
            let kind = format!("{kind:?}").to_lowercase();
            let key = one_line(key, 80);
            let _ = writeln!(list, "- Publish with `windlass context set {key}=…` ({kind})");
        }
    }
    section(text, "Rules", &lines_within(&list, MAX_RULES));
}

fn hotfix(text: &mut String, step: &StepState) {
    let Some(hotfix) = &step.hotfix else { return };
    let mut body = format!(
        "This step was done before and is open again. {} asks:\n\n{}\n",
        one_line(&hotfix.by, 80),
        cut(&hotfix.message, MAX_HOTFIX - 300),
    );
    if !hotfix.files.is_empty() {
        let _ = writeln!(body, "\nFiles concerned: {}", one_line(&hotfix.files.join(", "), 160));
    }
    section(text, "Hotfix", &body);
}

/// An attempt that something else ended did not fail: who goes on with it needs to know that it is not
/// finished, and nothing else.
fn cut_off(text: &mut String, step: &StepState) {
    let was_cut_off = match &step.ended {
        Some(outcome) => outcome.was_cut_off(),
        None => step.lost > 0,
    };
    if !was_cut_off || step.failure.is_some() {
        return;
    }
    let body = match &step.resumed {
        Some(_) => "You were interrupted; nothing you did was judged. Go on where you were.",
        None => {
            "An earlier attempt was interrupted; nothing it did was judged. What it left is in the \
             files (`git status`, `git diff`): look at it, and finish the task."
        }
    };
    section(text, "Interrupted", body);
}

/// As many whole lines as fit, and how many were left out.
fn lines_within(list: &str, max: usize) -> String {
    let mut kept = String::new();
    let mut left_out = 0;
    for line in list.lines() {
        if left_out == 0 && kept.len() + line.len() < max {
            kept.push_str(line);
            kept.push('\n');
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let _ = writeln!(kept, "- … and {left_out} more in `.windlass/run/state.json`");
    }
    kept
}
