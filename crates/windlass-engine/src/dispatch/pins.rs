//! Files that a person accepted, as far as they are still what was accepted.

use std::collections::BTreeMap;

use windlass_core::id::ObjectId;
use windlass_core::run::RunState;

use crate::git::{Change, EngineRepository, GitError};

/// Returns the pins that count for this code: the mode is part of what a person saw, so that a script
/// that becomes executable since, or a file that becomes a link, is not accepted by its bytes.
pub(super) fn pins_for(
    engine: &EngineRepository,
    state: &RunState,
    code: &ObjectId,
) -> Result<BTreeMap<String, Option<ObjectId>>, GitError> {
    let mut pins = (*state.pins).clone();
    let mut seen: BTreeMap<&ObjectId, Vec<Change>> = BTreeMap::new();
    for (path, accepted_in) in state.pinned_in.iter().filter(|(_, tree)| *tree != code) {
        if !seen.contains_key(accepted_in) {
            seen.insert(accepted_in, engine.diff(accepted_in, code)?);
        }
        let has_other_mode = |change: &Change| match (&change.old, &change.new) {
            (Some(old), Some(new)) => old.mode != new.mode && change.path.to_string() == *path,
            _ => false,
        };
        if seen[accepted_in].iter().any(has_other_mode) {
            pins.remove(path);
        }
    }
    Ok(pins)
}
