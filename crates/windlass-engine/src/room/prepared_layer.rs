//! What `prepare` made: layers that are named by what they were made from.

use std::path::{Path, PathBuf};

use super::in_use::{Draft, InUse, keep_last_used, note_use};
use super::{Room, RoomError, Rooms, sweep};

impl Rooms {
    /// Returns a layer that was made before; none if it is not there.
    pub(crate) fn prepared_layer(&self, folder: &Path) -> Result<Option<InUse>, RoomError> {
        let layer = InUse::mark(folder)?;
        if layer.is_some() {
            note_use(folder)?;
        }
        Ok(layer)
    }

    /// Keeps what was written in a room as the layer `folder`. Where the layers then hold more than they
    /// may, it is not kept: whoever asks again is told the same.
    pub(crate) fn keep_prepared(&self, room: Room, folder: &Path) -> Result<InUse, RoomError> {
        let draft = Draft::make(&self.dir, "making-")?;
        let layer = draft.path().join("layer");
        room.keep_in(&layer)?;
        crate::git::remove_whole(&layer.join("u/.git"))?;
        self.check_disk()?;
        // Somebody who did not wait may have been faster.
        if let Some(made) = self.prepared_layer(folder)? {
            return Ok(made);
        }
        note_use(folder)?;
        let layer = InUse::mark(&layer)?.ok_or(RoomError::Missing { layer })?;
        Ok(layer.renamed(folder)?)
    }

    /// Returns where everything but the last proof keeps what `prepare` made.
    pub(crate) fn prepared_folder(&self) -> PathBuf {
        self.dir.join("prepared")
    }

    /// Removes all but the `kept` layers that were used last; what a room stands on stays.
    pub(crate) fn forget_prepared(&self, kept: usize) -> Result<(), RoomError> {
        let all = self.prepared_folder();
        if all.is_dir() {
            keep_last_used(&all, kept)?;
        }
        Ok(())
    }

    /// Returns where the last proof keeps what `prepare` made for it.
    pub(crate) fn cold_folder(&self) -> PathBuf {
        self.dir.join("prepared-cold")
    }

    /// Removes what the last proof prepared: the next one does it anew.
    pub(crate) fn forget_cold(&self) {
        sweep::remove(&self.cold_folder());
    }
}
