//! Which folders of the layers are in use, and by somebody who is alive.
//!
//! Spokes, a driver and somebody who only looks at a blocker use the layers of one run at the same
//! time. Each holds a shared lock on the folders that it uses; the kernel drops it with the process.
//! So whoever gets the exclusive lock knows that a folder is nobody's.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use super::sweep;

/// A folder that nobody removes before this is dropped.
#[derive(Debug)]
pub struct InUse {
    path: PathBuf,
    _lock: OwnedFd,
}

impl InUse {
    /// Says that a folder is in use; none if it is gone.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(crate) fn mark(path: &Path) -> io::Result<Option<Self>> {
        let Some(folder) = open(path)? else { return Ok(None) };
        // Whoever has it alone is about to take it away.
        match rustix::io::retry_on_intr(|| flock(&folder, FlockOperation::LockShared)) {
            // A file system without locks has one process at a time on it.
            Ok(()) | Err(Errno::NOTSUP | Errno::INVAL | Errno::BADF | Errno::NOLCK) => {}
            Err(error) => return Err(error.into()),
        }
        let opened = rustix::fs::fstat(&folder)?;
        let same =
            |found: std::fs::Metadata| (found.dev(), found.ino()) == (opened.st_dev, opened.st_ino);
        let is_there = path.symlink_metadata().is_ok_and(same);
        Ok(is_there.then(|| Self { path: path.to_owned(), _lock: folder }))
    }

    /// Gives the folder another name, under which it is in use from the beginning.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub(super) fn renamed(self, to: &Path) -> io::Result<Self> {
        fs_err::rename(&self.path, to)?;
        Ok(Self { path: to.to_owned(), ..self })
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A new folder, which is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Draft {
    folder: InUse,
}

impl Draft {
    /// Makes a folder below `parent` whose name begins with `prefix`.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn make(parent: &Path, prefix: &str) -> io::Result<Self> {
        loop {
            let path = tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?.keep();
            // Somebody who tidies up may have taken it away before it was marked.
            if let Some(folder) = InUse::mark(&path)? {
                return Ok(Self { folder });
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        sweep::remove(self.folder.path());
    }
}

/// Takes a folder away if nobody uses it, and says whether.
pub(super) fn remove_unused(path: &Path) -> bool {
    let Ok(Some(folder)) = open(path) else { return false };
    let alone = flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok();
    if alone {
        // Renamed under the lock: whoever waits for it sees that the folder is gone.
        sweep::remove(path);
    }
    alone
}

fn open(path: &Path) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(folder) => Ok(Some(folder)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Notes that a layer is used now.
pub(super) fn note_use(layer: &Path) -> io::Result<()> {
    let note = note_of(layer);
    fs_err::write(&note, "")?;
    super::layers::set_time(&note, super::now())
}

/// Removes all folders of `all` but the `kept` that were used last, and those in use.
pub(super) fn keep_last_used(all: &Path, kept: usize) -> io::Result<()> {
    let mut known = Vec::new();
    for entry in fs_err::read_dir(all)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && !sweep::is_gone(&entry.path()) {
            let used = note_of(&entry.path()).metadata().and_then(|note| note.modified());
            known.push((used.ok(), entry.path()));
        }
    }
    known.sort();
    let too_many = known.len().saturating_sub(kept);
    for (_, path) in known.into_iter().take(too_many) {
        if remove_unused(&path) {
            let _ = fs_err::remove_file(note_of(&path));
        }
    }
    Ok(())
}

fn note_of(layer: &Path) -> PathBuf {
    layer.with_extension("used")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_stays_and_what_is_not_goes_by_its_last_use() {
        let dir = tempfile::tempdir().unwrap();
        let layer = |name: &str| dir.path().join(name);
        for name in ["a", "b", "c", "d"] {
            fs_err::create_dir(layer(name)).unwrap();
            note_use(&layer(name)).unwrap();
        }
        let held = InUse::mark(&layer("b")).unwrap().unwrap();
        note_use(&layer("a")).unwrap();
        keep_last_used(dir.path(), 2).unwrap();
        let there = |name: &str| layer(name).is_dir();
        assert!(there("a") && there("b") && !there("c") && there("d"), "b is in use, c the oldest");
        drop(held);
        keep_last_used(dir.path(), 2).unwrap();
        assert!(there("a") && !there("b") && there("d"));
        assert!(InUse::mark(&layer("b")).unwrap().is_none());
    }

    #[test]
    fn a_draft_goes_with_its_owner() {
        let dir = tempfile::tempdir().unwrap();
        let draft = Draft::make(dir.path(), "making-").unwrap();
        let path = draft.path().to_owned();
        assert!(!remove_unused(&path) && path.is_dir());
        drop(draft);
        assert!(!path.exists());
    }
}
