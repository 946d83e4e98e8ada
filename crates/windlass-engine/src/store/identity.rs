//! Which files the open connection really writes to.
//!
//! SQLite holds descriptors; a person, a backup tool or a cleaner acts on paths. When the path no
//! longer leads to the file behind the descriptor, a commit would succeed and yet be lost, so
//! every write first compares the two. Only `stat` is used: opening the database a second time
//! and closing it again would drop the POSIX locks that SQLite holds in this process.

use std::cell::Cell;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::error::Fault;

/// The device and inode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
}

/// What a path leads to just now.
struct Seen {
    id: FileId,
    length: u64,
}

fn look(path: &Path) -> Result<Option<Seen>, Fault> {
    match fs_err::metadata(path) {
        Ok(meta) => Ok(Some(Seen {
            id: FileId { device: meta.dev(), inode: meta.ino() },
            length: meta.len(),
        })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Fault::Io(error)),
    }
}

/// Returns the length of the file at `path`, or nothing when there is none.
pub(super) fn length(path: &Path) -> Result<Option<u64>, Fault> {
    Ok(look(path)?.map(|seen| seen.length))
}

/// The files of an open connection, remembered as they were when it was opened.
#[derive(Debug)]
pub(super) struct Identity {
    database: PathBuf,
    database_id: FileId,
    /// The database never shrinks, since nothing vacuums it; so this only grows.
    length: Cell<u64>,
    log: PathBuf,
    log_id: Option<FileId>,
}

impl Identity {
    /// Remembers the database at `path`; to be called once before SQLite opens it and compared
    /// with [`Self::check`] afterwards, which proves that SQLite opened this very file.
    pub(super) fn of(path: &Path) -> Result<Option<Self>, Fault> {
        Ok(look(path)?.map(|seen| Self {
            database: path.to_owned(),
            database_id: seen.id,
            length: Cell::new(seen.length),
            log: log_of(path),
            log_id: None,
        }))
    }

    /// Remembers the write-ahead log too; SQLite has created it by the end of its first read.
    pub(super) fn note_log(&mut self) -> Result<(), Fault> {
        self.log_id = look(&self.log)?.map(|seen| seen.id);
        Ok(())
    }

    /// Compares the paths with what was opened.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let path = || self.database.clone();
        let seen = look(&self.database)?.ok_or_else(|| Fault::Missing { path: path() })?;
        if seen.id != self.database_id {
            return Err(Fault::Replaced { path: path() });
        }
        if seen.length < self.length.get().max(1) {
            return Err(Fault::Truncated { path: path(), length: seen.length });
        }
        self.length.set(seen.length);
        // SQLite removes the log only with its last connection, and this one is still open.
        if self.log_id.is_some() && look(&self.log)?.map(|seen| seen.id) != self.log_id {
            return Err(Fault::Replaced { path: self.log.clone() });
        }
        Ok(())
    }
}

/// Returns the path of the write-ahead log of the database at `path`.
pub(super) fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}
