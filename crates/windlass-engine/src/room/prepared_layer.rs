//! What `prepare` made: layers that are named by what they were made from.

use std::path::{Path, PathBuf};

use super::copied::is_installed;
use super::in_use::{Draft, InUse, keep_last_used, note_use};
use super::{Room, RoomError, Rooms, sweep};

/// Removes what `prepare` made of files that the base commit has. The layer lies above the commit, and a
/// script of the work could otherwise replace the tests that judge it. Folders of dependencies are what
/// `prepare` is there for.
fn drop_tracked(made: &Path, base: &Path) -> Result<(), RoomError> {
    for entry in fs_err::read_dir(made)? {
        let entry = entry?;
        let (path, in_base) = (entry.path(), base.join(entry.file_name()));
        let Ok(tracked) = in_base.symlink_metadata() else { continue };
        if entry.file_name().to_str().is_some_and(is_installed) {
            continue;
        }
        match (entry.file_type()?.is_dir(), tracked.is_dir()) {
            (true, true) => drop_tracked(&path, &in_base)?,
            (true, false) => crate::git::remove_whole(&path)?,
            // A file or a mark that hides a folder of the commit goes too.
            (false, _) => fs_err::remove_file(&path)?,
        }
    }
    Ok(())
}

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
        drop_tracked(&layer.join("u"), &self.dir.join("base"))?;
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
