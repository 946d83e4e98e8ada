//! What people and agents can read in the place: copies, written for them and never read back.

use std::path::Path;

use windlass_core::id::StepIndex;
use windlass_core::plan::template;
use windlass_core::platform;
use windlass_core::prompt::{
    CLARIFICATIONS_FILE, GOAL_FILE, ISSUE_FILE, PLATFORM_FILE, criterion_file, criterion_text,
    evidence_file, issue_text, item_file, task_file,
};
use windlass_core::run::RunState;
use windlass_core::view;

use crate::git::place_files::{self, PlaceFileError};
use crate::store::blobs::Blobs;

/// How much of one piece of evidence is copied into the place.
const MAX_EVIDENCE_BYTES: u64 = 1 << 20;

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
    let criterion = criterion_text(state, index);
    courtesy(copy(place, &criterion_file(plan), criterion.as_bytes()))?;
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
