//! States of the code that people give a name, to come back to.

use super::draft::Draft;
use crate::id::ObjectId;
use crate::run::state::Checkpoint;
use crate::run::{Event, Rejected};
use crate::snapshot::Snapshot;

/// The longest name: it is typed.
const MAX_NAME: usize = 64;

/// Gives the code as it is a name.
pub(super) fn make(
    draft: &mut Draft,
    name: Option<&str>,
    observed: &Snapshot,
) -> Result<(), Rejected> {
    let number = draft.state.checkpoints.len() + 1;
    let name = name.map_or_else(|| format!("C{number}"), |name| name.trim().to_owned());
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(fits) {
        return Err(Rejected::BadCheckpoint);
    }
    if draft.state.checkpoints.iter().any(|known| known.name == name) {
        return Err(Rejected::CheckpointTaken { name });
    }
    let (by, at) = (draft.actor(), draft.now());
    let checkpoint = Checkpoint { name, snapshot: observed.clone(), by, at };
    draft.emit(Event::CheckpointMade { checkpoint: Box::new(checkpoint) });
    Ok(())
}

/// Returns the code of a checkpoint.
pub(super) fn find(draft: &Draft, name: &str) -> Result<ObjectId, Rejected> {
    let known = draft.state.checkpoints.iter().rev().find(|known| known.name == name);
    known.map(|known| known.snapshot.code.clone()).ok_or_else(|| Rejected::UnknownCheckpoint {
        name: name.to_owned(),
        known: draft.state.checkpoints.iter().map(|known| known.name.clone()).collect(),
    })
}
