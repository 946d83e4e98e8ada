//! What commits say: a subject that a maintainer would write, and trailers that lead to the journal.
//!
//! A message follows from the run's state alone, so that a commit that is made twice is one commit. How
//! the repository writes its subjects is looked at once, when the run starts.

use crate::id::{ItemId, StepId, StepIndex};
pub use crate::plan::{CommitStyle, Squash};
use crate::run::RunState;
use crate::view::{self, Lines, printable};

/// The longest first line of a message.
pub const MAX_SUBJECT_CHARACTERS: usize = 72;

/// How many subjects of the repository are looked at.
pub const SUBJECTS_LOOKED_AT: usize = 50;

/// Fewer subjects than that say nothing about a repository's habits.
const FEWEST_SUBJECTS: usize = 5;

/// The types of conventional commits.
const TYPES: [&str; 11] =
    ["feat", "fix", "docs", "test", "refactor", "perf", "build", "ci", "chore", "style", "revert"];

/// What can stand in a template of a subject.
pub const PLACEHOLDERS: [&str; 4] = ["{type}", "{what}", "{step}", "{issue}"];

/// Says whether a repository writes conventional commits, by its last subjects.
pub fn is_conventional<'s>(subjects: impl IntoIterator<Item = &'s str>) -> bool {
    let written = |subject: &&str| !subject.is_empty() && !subject.starts_with("Merge ");
    let subjects: Vec<&str> =
        subjects.into_iter().filter(written).take(SUBJECTS_LOOKED_AT).collect();
    let typed = subjects.iter().filter(|subject| has_type(subject)).count();
    subjects.len() >= FEWEST_SUBJECTS && 2 * typed > subjects.len()
}

fn has_type(subject: &str) -> bool {
    let Some((head, _)) = subject.split_once(": ") else { return false };
    let head = head.strip_suffix('!').unwrap_or(head);
    let name = match head.split_once('(') {
        Some((name, scope)) if scope.ends_with(')') => name,
        Some(_) => return false,
        None => head,
    };
    TYPES.contains(&name)
}

/// Returns the message of the commit of a proven step; `link` leads to the journal.
pub fn message(state: &RunState, step: &StepId, link: Option<&String>) -> String {
    let index = state.plan.find(step);
    let about = index.map_or_else(String::new, |index| act_of(state, index));
    let subject = subject(state, index, Some(&about));
    with_trailers(state, &subject, std::slice::from_ref(step), link)
}

/// Returns the message of one commit for several steps, the last of which leads to the journal.
pub fn squashed_message(state: &RunState, steps: &[StepId], link: Option<&String>) -> String {
    let indexes: Vec<StepIndex> = steps.iter().filter_map(|step| state.plan.find(step)).collect();
    let items: Vec<Option<ItemId>> = indexes.iter().map(|index| item_of(state, *index)).collect();
    let one_story = items
        .first()
        .is_some_and(|first| first.is_some() && items.iter().all(|item| item == first));
    // Of several stories the run's own goal says what they are for.
    let about = indexes.last().copied().filter(|_| one_story || steps.len() == 1);
    let act = match steps {
        [_] => about.map(|index| act_of(state, index)),
        _ => None,
    };
    let subject = subject_of_kind(state, about, act.as_deref(), worked_type(state, &indexes));
    with_trailers(state, &subject, steps, link)
}

/// Returns the story that a step belongs to.
pub fn item_of(state: &RunState, index: StepIndex) -> Option<ItemId> {
    state.item_of(index).map(|item| item.item.id.clone())
}

fn with_trailers(
    state: &RunState,
    subject: &str,
    steps: &[StepId],
    link: Option<&String>,
) -> String {
    let steps: String = steps.iter().map(|step| format!("Windlass-Step: {step}\n")).collect();
    let link = link.map(|link| format!("Windlass-Journal: {link}\n")).unwrap_or_default();
    format!("{subject}\n\nWindlass-Run: {}\n{steps}{link}", state.facts.run)
}

fn subject(state: &RunState, index: Option<StepIndex>, act: Option<&str>) -> String {
    let kind = index.map_or("feat", |index| type_of(state, index));
    subject_of_kind(state, index, act, kind)
}

/// Returns the first line. A forge acts on messages as it does on descriptions (`closes #5`, `@name`,
/// `[skip ci]`), so only what windlass writes itself may refer to an issue.
fn subject_of_kind(
    state: &RunState,
    index: Option<StepIndex>,
    act: Option<&str>,
    kind: &str,
) -> String {
    let style = &state.facts.commits;
    let quiet = |words: &str| view::quiet(&printable(&one_line(words), Lines::One));
    let what = quiet(&what(state, index));
    let act = act.map(quiet).filter(|act| !act.is_empty());
    let issue = state.plan.issue.as_ref().map(|issue| format!("#{}", issue.number));
    if let Some(template) = &style.subject {
        let fixed = |template: &str| {
            template
                .replace("{type}", kind)
                .replace("{step}", act.as_deref().unwrap_or_default())
                .replace("{issue}", issue.as_deref().unwrap_or_default())
        };
        return match template.split_once("{what}") {
            Some((before, after)) => fitted(&fixed(before), &what, &fixed(after)),
            None => fitted("", &fixed(template), ""),
        };
    }
    let beside: Vec<&str> = issue.as_deref().into_iter().chain(act.as_deref()).collect();
    let after = if beside.is_empty() { String::new() } else { format!(" ({})", beside.join(", ")) };
    match style.conventional {
        true => fitted(&format!("{kind}: "), &in_small(&what), &after),
        false => fitted("", &what, &after),
    }
}

/// What a step is about: its story, or what the run is for.
fn what(state: &RunState, index: Option<StepIndex>) -> String {
    let story = index.and_then(|index| state.item_of(index)).map(|item| item.item.title.clone());
    let issue = state.plan.issue.as_ref().map(|issue| issue.title.clone());
    let goal = || state.plan.goal.lines().next().unwrap_or_default().to_owned();
    story.or(issue).filter(|title| !title.trim().is_empty()).unwrap_or_else(goal)
}

/// What a step does, in small letters: `implement`, `failing tests`.
fn act_of(state: &RunState, index: StepIndex) -> String {
    let title = in_small(&state.plan.step(index).title);
    match state.step(index).taken_back {
        Some(_) => format!("taken back: {title}"),
        None => title,
    }
}

/// The type of the work of several steps: what is not only tests or documents counts.
fn worked_type(state: &RunState, indexes: &[StepIndex]) -> &'static str {
    let types = || indexes.iter().map(|index| type_of(state, *index));
    let main = types().find(|kind| matches!(*kind, "feat" | "fix"));
    main.or_else(|| types().next_back()).unwrap_or("feat")
}

/// The type of a step's work, by its own name and by what the run is for.
fn type_of(state: &RunState, index: StepIndex) -> &'static str {
    if state.step(index).taken_back.is_some() {
        return "revert";
    }
    let plan = state.plan.step(index);
    let name = plan.id.as_str().rsplit('/').next().unwrap_or_default().to_lowercase();
    let title = plan.title.to_lowercase();
    let speaks =
        |words: &[&str]| words.iter().any(|word| name.contains(word) || title.contains(word));
    let is_bug = |label: &String| label.to_lowercase().contains("bug");
    let issue = state.plan.issue.as_ref();
    if name == "red" || speaks(&["test"]) {
        "test"
    } else if speaks(&["doc"]) {
        "docs"
    } else if speaks(&["refactor"]) {
        "refactor"
    } else if state.plan.workflow.contains("fix")
        || issue.is_some_and(|issue| issue.labels.iter().any(is_bug))
    {
        "fix"
    } else if state.plan.workflow.contains("doc") {
        "docs"
    } else {
        "feat"
    }
}

fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first letter small, unless it begins an abbreviation.
fn in_small(words: &str) -> String {
    let mut signs = words.chars();
    let Some(first) = signs.next() else { return String::new() };
    match signs.clone().next() {
        Some(second) if second.is_uppercase() => words.to_owned(),
        _ => first.to_lowercase().chain(signs).collect(),
    }
}

/// Cuts what stands in the middle so that all of it fits, at the end of a word where there is one.
fn fitted(before: &str, what: &str, after: &str) -> String {
    let fixed = before.chars().count() + after.chars().count();
    let room = MAX_SUBJECT_CHARACTERS.saturating_sub(fixed);
    if what.chars().count() <= room {
        let whole = format!("{before}{what}{after}");
        return whole.trim().to_owned();
    }
    // Where the words around leave no room, they are what is cut.
    if room < MAX_SUBJECT_CHARACTERS / 3 {
        let all: String = format!("{before}{what}{after}").chars().collect();
        return cut(&all, MAX_SUBJECT_CHARACTERS);
    }
    format!("{before}{}{after}", cut(what, room)).trim().to_owned()
}

fn cut(words: &str, most: usize) -> String {
    if words.chars().count() <= most {
        return words.to_owned();
    }
    let start: String = words.chars().take(most.saturating_sub(1)).collect();
    let whole = match start.rfind(' ') {
        Some(end) if 2 * end > start.len() => &start[..end],
        _ => &start,
    };
    // A sign that would be separated from what follows it does not stand at the end.
    format!("{}…", whole.trim_end_matches([' ', ',', ';', ':', view::SEPARATOR]))
}

#[cfg(test)]
#[path = "commit_tests.rs"]
mod tests;
