//! Runs that were about to start when their process was killed.
//!
//! A run's place is made before the run is in the journal: what cannot be verified there is not
//! started at all. A note in the run's folder says so meanwhile. Whoever finds a note whose writer
//! is dead and a run that no journal knows takes everything back.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_core::id::{ObjectId, RunId};

use super::site::Site;
use crate::git::{Head, RemoveError, give_back, remove_place, remove_whole};
use crate::store::lock::{DriverLock, LockError};
use crate::store::{Fault, OpenError, Store};

const NOTE_FILE: &str = "starting.json";

/// Why an earlier start could not be taken back.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum UnstartedError {
    #[error("the store cannot be opened")]
    Open(#[from] OpenError),
    #[error("the runs cannot be listed")]
    List(#[from] Fault),
    #[error("the lock of a run cannot be taken")]
    Lock(#[from] LockError),
    #[error("the checkout could not be given back")]
    Git(#[from] crate::git::GitError),
    #[error("a place could not be removed")]
    Remove(#[from] RemoveError),
    #[error("a folder could not be read or removed")]
    Io(#[from] std::io::Error),
}

/// What was to be made, and where the user's HEAD was before.
#[derive(Serialize, Deserialize)]
struct Note {
    here: bool,
    branch: String,
    /// The branch that was checked out, if any was.
    back: Option<String>,
    base: ObjectId,
}

/// Stands until the run is in the journal, or its start was taken back.
pub(super) struct Starting {
    note: PathBuf,
    _lock: Option<DriverLock>,
}

impl Starting {
    /// Writes the note, as a driver of the run.
    pub(super) fn begin(
        site: &Site,
        run: &RunId,
        branch: &str,
        here: bool,
    ) -> Result<Self, UnstartedError> {
        let home = site.home.run(run);
        let lock = DriverLock::try_acquire(&home.driver_lock())?;
        let back = match &site.user.head {
            Head::Branch(branch) => Some(branch.clone()),
            Head::Detached => None,
        };
        let (branch, base) = (branch.to_owned(), site.user.commit.clone());
        let bytes = serde_json::to_vec(&Note { here, branch, back, base });
        let note = home.state.join(NOTE_FILE);
        fs_err::write(&note, bytes.map_err(std::io::Error::from)?)?;
        Ok(Self { note, _lock: lock })
    }

    /// The run is known now, or nothing of it is left.
    pub(super) fn end(self) -> std::io::Result<()> {
        fs_err::remove_file(self.note)
    }
}

/// Takes back what runs left that were killed before they started. Returns their names.
///
/// # Errors
/// Something of them cannot be read or removed.
pub fn clear_unstarted(site: &Site) -> Result<Vec<RunId>, UnstartedError> {
    let folder = site.home.state.join("runs");
    let entries = match fs_err::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut cleared = Vec::new();
    for entry in entries {
        let state = entry?.path();
        let name = state.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let run = RunId::new(name);
        if state.join(NOTE_FILE).is_file() && clear(site, &run, &state)? {
            cleared.push(run);
        }
    }
    Ok(cleared)
}

fn clear(site: &Site, run: &RunId, state: &Path) -> Result<bool, UnstartedError> {
    let home = site.home.run(run);
    let Some(_lock) = DriverLock::try_acquire(&home.driver_lock())? else { return Ok(false) };
    let path = state.join(NOTE_FILE);
    let known = Store::open(&site.home.state)?.runs()?.iter().any(|known| known.id == *run);
    if known {
        fs_err::remove_file(path)?;
        return Ok(false);
    }
    // A note that was cut off was followed by nothing.
    if let Ok(note) = serde_json::from_slice::<Note>(&fs_err::read(&path)?) {
        if note.here {
            let back = note.back.map_or(Head::Detached, Head::Branch);
            give_back(&site.user, &note.branch, &back, &note.base)?;
        } else if home.place.symlink_metadata().is_ok() {
            remove_place(&site.home.data, &home.place)?;
        }
    }
    for folder in [&home.layers, &home.scratch] {
        // What `prepare` left there may be read-only.
        remove_whole(folder)?;
    }
    fs_err::remove_dir_all(state)?;
    Ok(true)
}
