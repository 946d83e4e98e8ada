//! What people and agents can read in the place: copies, written for them and never read back.

use std::path::Path;

use windlass_core::id::{StepId, StepIndex};
use windlass_core::plan::template;
use windlass_core::platform;
use windlass_core::prompt::{
    CLARIFICATIONS_FILE, GOAL_FILE, ISSUE_FILE, PLATFORM_FILE, evidence_file, issue_text,
    item_file, task_file,
};
use windlass_core::run::RunState;
use windlass_core::view::{self, Lines, printable};

use crate::git::place_files::{self, PlaceFileError};
use crate::store::blobs::Blobs;

/// How much of one piece of evidence is copied into the place.
const MAX_EVIDENCE_BYTES: u64 = 1 << 20;

/// The longest first line of a commit's message.
const MAX_SUBJECT_CHARACTERS: usize = 200;

/// Where people read how far the stories have come.
const PROGRESS_FILE: &str = ".windlass/run/progress.md";

/// Writes how far the stories have come.
pub(super) fn progress(state: &RunState, place: &Path) -> Result<(), PlaceFileError> {
    let Some(progress) = view::progress_view(state) else { return Ok(()) };
    courtesy(copy(place, PROGRESS_FILE, view::progress_markdown(&progress).as_bytes()))
}

/// Writes the run's document, its goal, issue and platforms, the task of `step` and the evidence of its last failure.
///
/// A link that an agent put in the way stops the copy and nothing else: the copies are a courtesy.
pub(super) fn write(
    state: &RunState,
    step: Option<StepIndex>,
    place: &Path,
    blobs: &Blobs,
) -> Result<(), PlaceFileError> {
    let document = serde_json::to_vec_pretty(&view::document(state)).unwrap_or_default();
    courtesy(copy(place, ".windlass/run/state.json", &document))?;
    courtesy(copy(place, GOAL_FILE, state.plan.goal.as_bytes()))?;
    if let Some(issue) = &state.plan.issue {
        courtesy(copy(place, ISSUE_FILE, issue_text(issue).as_bytes()))?;
    }
    if !state.plan.platforms.is_empty() {
        let text = platform::describe(&state.plan.platforms);
        courtesy(copy(place, PLATFORM_FILE, text.as_bytes()))?;
    }
    if let Some(text) = view::clarifications_text(state) {
        courtesy(copy(place, CLARIFICATIONS_FILE, text.as_bytes()))?;
    }
    let Some(index) = step else { return Ok(()) };
    let (plan, step) = (state.plan.step(index), state.step(index));
    if let Some(item) = state.item_of(index).map(|state| &state.item) {
        courtesy(copy(place, &item_file(&item.id), item.text().as_bytes()))?;
    }
    let task = template::fill_context(&plan.task, &state.context_of(index))
        .unwrap_or_else(|_| plan.task.clone());
    courtesy(copy(place, &task_file(plan), task.as_bytes()))?;
    let evidence = step.failure.iter().flat_map(|failure| &failure.checks);
    for blob in evidence.filter_map(|check| check.evidence.as_ref()) {
        if let Ok(bytes) = blobs.get(&blob.hash, MAX_EVIDENCE_BYTES) {
            courtesy(copy(place, &evidence_file(&blob.hash), &bytes))?;
        }
    }
    Ok(())
}

fn copy(place: &Path, relative: &str, bytes: &[u8]) -> Result<(), PlaceFileError> {
    let relative = Path::new(relative);
    if let Some(parent) = relative.parent() {
        place_files::create_dir(place, parent)?;
    }
    place_files::write_file(place, relative, bytes)
}

/// Lets pass what an agent can cause; a full disk is an error.
fn courtesy(written: Result<(), PlaceFileError>) -> Result<(), PlaceFileError> {
    match written {
        Err(PlaceFileError::Io { path, source })
            if source.kind() == std::io::ErrorKind::StorageFull =>
        {
            Err(PlaceFileError::Io { path, source })
        }
        _ => Ok(()),
    }
}

/// Returns the message of the commit of a proven step.
pub(super) fn commit_message(state: &RunState, step: &StepId, link: Option<&String>) -> String {
    let title = state.plan.find(step).map(|index| state.plan.step(index).title.clone());
    let title = title.unwrap_or_else(|| step.to_string());
    let (about, goal) = match &state.plan.issue {
        Some(issue) if !issue.title.is_empty() => {
            (format!("#{}/{step}", issue.number), &issue.title)
        }
        Some(issue) => (format!("#{}/{step}", issue.number), &state.plan.goal),
        None => (step.to_string(), &state.plan.goal),
    };
    let index = state.plan.find(step);
    let set_back = index.is_some_and(|index| state.step(index).taken_back.is_some());
    let subject = match set_back {
        true => subject(&about, &format!("set back, skipped: {title} - {goal}")),
        false => subject(&about, &format!("{title} - {goal}")),
    };
    let link = link.map(|link| format!("Windlass-Journal: {link}\n")).unwrap_or_default();
    format!("{subject}\n\nWindlass-Run: {}\nWindlass-Step: {step}\n{link}", state.facts.run)
}

/// Returns the first line of a message. A forge acts on messages as it does on descriptions (`closes #5`,
/// `@name`, `[skip ci]`), so only what windlass writes in front may refer to an issue.
fn subject(about: &str, words: &str) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let subject = format!("wip({about}): {}", view::quiet(&printable(&words, Lines::One)));
    subject.chars().take(MAX_SUBJECT_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_refers_to_the_runs_issue_and_to_nothing_else() {
        assert_eq!(
            subject("#12/build", "Build - closes #5\nfor @ada [skip ci]\u{202e}"),
            "wip(#12/build): Build - closes #\u{200b}5 for @\u{200b}ada [\u{200b}skip ci]\\u{202e}"
        );
        let long = subject("build", &"@a #1 ".repeat(200));
        assert!(long.chars().count() == MAX_SUBJECT_CHARACTERS && !long.contains("#1"), "{long}");
    }
}
