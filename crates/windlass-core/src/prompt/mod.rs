//! What an agent is told: a pure function of the state.
//!
//! A prompt gives paths, never contents, and every part of it has a bound, so it stays below
//! [`MAX_BYTES`] however long the run is. What a bound cuts off stands whole in a file that the
//! prompt names.

mod change;
mod commands;
mod criterion;
mod earlier;
mod issue;
mod libraries;
mod places;
mod platform;
mod reads;
mod resolved;
mod retry;
mod services;
mod text;

use std::fmt::Write as _;

use crate::id::{AttemptId, ContentHash, ItemId, StepId, StepIndex};
use crate::plan::{BaselinePolicy, CheckKind, Criterion, PlanStep, Publish, StepKind, template};
use crate::protect::{IN_SHORT, Protected};
use crate::run::{RunState, StepState};

use criterion::Words;
pub use issue::issue_text;
use text::{cut, one_line};

/// No prompt is longer.
pub const MAX_BYTES: usize = 12 * 1024;

/// The file that holds the whole goal, relative to the place.
pub const GOAL_FILE: &str = ".windlass/run/goal.md";

/// The file that holds the whole text of the issue, relative to the place.
pub const ISSUE_FILE: &str = ".windlass/run/issue.md";

/// The file that holds everything about the platforms, relative to the place.
pub const PLATFORM_FILE: &str = ".windlass/run/platform.md";

/// The file that holds what was asked before and answered, relative to the place.
pub const CLARIFICATIONS_FILE: &str = ".windlass/run/clarifications.md";

/// Bounds per part. Where all of them together would be too long, the parts that stand in files as well
/// are left to those.
const MAX_GOAL: usize = 700;
const MAX_TASK: usize = 2200;
const MAX_TASK_AGAIN: usize = 1200;
const MAX_READS: usize = 1000;
const MAX_CONTEXT: usize = 700;
const MAX_CRITERION: usize = 3000;
const MAX_PLATFORM: usize = 900;
const MAX_RULES: usize = 1400;
const MAX_HOTFIX: usize = 2300;
const MAX_COMMANDS: usize = 600;
const MAX_ASKED: usize = 900;

/// Where documents of a run are.
const RUN_FOLDER: &str = ".windlass/run/";

/// How every prompt ends.
const WHEN_FINISHED: &str = "\n## When you are finished\n\nAnswer with `Done.` and nothing else. \
    Windlass checks the files itself; what you say about them counts for nothing.\n";

/// Returns the file that holds the whole task of a step, relative to the place.
pub fn task_file(step: &PlanStep) -> String {
    format!(".windlass/run/tasks/{}.md", step.id.as_str().replace('/', "."))
}

/// Returns the file that holds all that has to hold for a step, relative to the place.
pub fn criterion_file(step: &PlanStep) -> String {
    format!(".windlass/run/tasks/{}.done.md", step.id.as_str().replace('/', "."))
}

/// Returns all that has to hold for a step, in words.
pub fn criterion_text(state: &RunState, index: StepIndex) -> String {
    let plan = state.plan.step(index);
    let context = state.context_of(index);
    plan.done.as_ref().map(|done| Words::new(&context, plan).criterion(done)).unwrap_or_default()
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
    let most = MAX_BYTES - WHEN_FINISHED.len();
    let again = if state.step(index).failure.is_some() { retry::MIN_RETRY } else { 0 };
    let mut text = beginning(state, index, attempt, Length::Whole);
    if text.len() + again > most {
        text = beginning(state, index, attempt, Length::Short);
    }
    let room = most.saturating_sub(text.len());
    retry::last_failure(&mut text, state, index, room);
    // Whatever the bounds of the parts add up to, a prompt has its end.
    format!("{}{WHEN_FINISHED}", cut(&text, most))
}

/// How much of a prompt there is room for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    /// Every part.
    Whole,
    /// What the agent finds in files is left out or cut shorter.
    Short,
}

/// Everything but what became of the last attempt.
fn beginning(state: &RunState, index: StepIndex, attempt: &AttemptId, length: Length) -> String {
    let (plan, step) = (state.plan.step(index), state.step(index));
    let mut text = String::with_capacity(MAX_BYTES);
    let _ = writeln!(text, "# {} (step `{}`)\n", one_line(&plan.title, 120), plan.id);
    if let StepKind::Agent { agent, .. } = &plan.kind {
        let _ = writeln!(text, "You are `{}`. This is attempt `{attempt}`.\n", one_line(agent, 80));
    }
    let published = state.context_of(index);
    goal(&mut text, state);
    item(&mut text, state, index);
    let reads = reads::files(state, index);
    reads::list(&mut text, &reads);
    if length == Length::Whole {
        context(&mut text, &published, &reads);
        platform::describe(&mut text, &state.plan.platforms);
        commands::of_run(&mut text, state, index);
    }
    failed_before(&mut text, state);
    // Whoever tries again needs to know what failed more than every word of the task.
    let again = step.failure.is_some() || length == Length::Short;
    let max_task = if again { MAX_TASK_AGAIN } else { MAX_TASK };
    section(&mut text, "Task", &bounded(&task(&published, plan), max_task, &task_file(plan)));
    if let (Some(fix), 0, true) = (&plan.fix, step.tries, state.is_hosted()) {
        let _ = writeln!(text, "\nFirst run `{}`: it may be all.", one_line(fix, 300));
    }
    only_named(&mut text, state, index);
    services::outside(&mut text, state, index);
    change::describe(&mut text, state, index);
    done_when(&mut text, state, index);
    rules(&mut text, state, plan);
    let asks = step.hotfix.as_ref().is_some_and(|hotfix| !hotfix.resolved);
    if asks && step.failure.is_none() {
        hotfix(&mut text, state, index);
    }
    asked_of_work(&mut text, state, index);
    resolved::blockers(&mut text, state, index);
    cut_off(&mut text, step);
    text
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
    let what = if item.story.is_some() { "Story" } else { "Item" };
    if text.ends_with("`\n") || text.ends_with("~\n") {
        // A paragraph of its own after the marks of an issue.
        text.push('\n');
    }
    let _ = writeln!(text, "{what}: `{}` {}", item.id, one_line(&item.title, 120));
}

/// Stories that people only named: whoever writes the file of stories completes them.
fn only_named(text: &mut String, state: &RunState, index: StepIndex) {
    let checks = state.plan.step(index).done.as_ref().map(Criterion::checks).unwrap_or_default();
    if !checks.iter().any(|check| matches!(check.kind, CheckKind::Stories { .. })) {
        return;
    }
    let named = state.items.iter().map(|state| &state.item);
    let named = named.filter(|item| item.story.is_none() && item.skipped.is_none());
    let list: String =
        named.map(|item| format!("- {}: {}\n", item.id, one_line(&item.title, 120))).collect();
    if !list.is_empty() {
        let head =
            "Put these into the file, under these ids, with criteria, size and the rest:\n\n";
        section(text, "Stories that people added", &lines_within(&format!("{head}{list}"), 800));
    }
}

fn task(context: &serde_json::Value, plan: &PlanStep) -> String {
    template::fill_context(&plan.task, context).unwrap_or_else(|_| plan.task.clone())
}

/// What steps published, without the paths that "Read these first" names.
fn context(text: &mut String, context: &serde_json::Value, reads: &[reads::File]) {
    let mut list = String::new();
    flatten("", context, reads, &mut list);
    if !list.is_empty() {
        section(text, "Context", &lines_within(&list, MAX_CONTEXT));
    }
}

fn flatten(prefix: &str, value: &serde_json::Value, reads: &[reads::File], into: &mut String) {
    if let Some(object) = value.as_object() {
        for (key, value) in object {
            let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
            flatten(&key, value, reads, into);
        }
    } else if !prefix.is_empty() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if reads.iter().any(|file| file.path == value) {
            return;
        }
        let _ = writeln!(into, "- {}: {}", one_line(prefix, 80), one_line(&value, 160));
    }
}

/// Who does not know all that is asked cannot do it: what is too long for a prompt stands whole in a
/// file.
fn done_when(text: &mut String, state: &RunState, index: StepIndex) {
    let list = criterion_text(state, index);
    if list.is_empty() {
        return;
    }
    let file = criterion_file(state.plan.step(index));
    section(text, "Done when", &bounded(&list, MAX_CRITERION, &file));
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
        let _ = match plan.may_write.iter().all(|path| path.starts_with(RUN_FOLDER)) {
            true => writeln!(list, "- Write only {paths}; change no file of the repository"),
            false => writeln!(list, "- Change only: {paths} (and documents in `.windlass/run`)"),
        };
    }
    if !state.plan.protect.is_empty() {
        let rules: Vec<String> = state.plan.protect.iter().map(Protected::called).collect();
        let protect = one_line(&rules.join(", "), 160);
        let _ = writeln!(list, "- Do not change these, they judge the work: {protect}");
    }
    let _ = writeln!(list, "- Do not change these without asking a person: {IN_SHORT}");
    let held = state.plan.find(&plan.id).map(|index| state.held_before(index)).unwrap_or_default();
    if !held.is_empty() {
        list.push_str(
            "- Do not change tests of earlier steps that were proven to fail first: write new tests \
             into new files. A change of them stops the run for a person\n",
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
    libraries::look_up(&mut list, state, plan);
    list.push_str(
        "- If only a person can help (a missing key, a decision), run `windlass block \"WHAT IS \
         MISSING\"` and stop\n",
    );
    section(text, "Rules", &lines_within(&list, MAX_RULES));
}

fn hotfix(text: &mut String, state: &RunState, index: StepIndex) {
    let Some(hotfix) = &state.step(index).hotfix else { return };
    let mut body = format!(
        "This step was done before and is open again. What it did is in the files: change what is asked \
         for now, and keep the rest. {} asks:\n\n{}\n",
        one_line(&hotfix.by, 80),
        cut(&hotfix.message, MAX_HOTFIX - 300),
    );
    if !hotfix.files.is_empty() {
        let _ = writeln!(body, "\nFiles concerned: {}", one_line(&hotfix.files.join(", "), 160));
    }
    if let Some(said) = resolved::said_about_findings(state, index) {
        let _ = writeln!(body, "\n{said}");
    }
    section(text, "Hotfix", &body);
}

/// What people asked of the work that a judge looks at: it sees to it that it is done.
fn asked_of_work(text: &mut String, state: &RunState, index: StepIndex) {
    let Some(judged) = state.plan.judged_by(index) else { return };
    let step = state.step(judged);
    let now = step.hotfix.iter().filter(|hotfix| !hotfix.resolved);
    let now = now.map(|hotfix| (&hotfix.by, &hotfix.message));
    let before = step.asked_before.iter().map(|asked| (&asked.by, &asked.message));
    let by_people =
        before.chain(now).filter(|(by, _)| state.plan.find(&StepId::from(by.as_str())).is_none());
    let list: String = by_people
        .map(|(by, words)| format!("- {}: {}\n", one_line(by, 60), one_line(words, 300)))
        .collect();
    if !list.is_empty() {
        let head = "People saw the work and asked for this. Look whether it is done:\n\n";
        section(text, "Asked of the work", &lines_within(&format!("{head}{list}"), MAX_ASKED));
    }
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
