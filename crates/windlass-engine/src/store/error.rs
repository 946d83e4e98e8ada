//! What can befall any use of the database, told apart so that a message can say what to do.
//!
//! Each operation has its own small error; all of them carry a [`Fault`] for what is wrong with
//! the folder, the disk or the file itself.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rusqlite::ffi;

use windlass_core::id::RunId;

use super::inbox::InboxId;
use super::record::Seq;

/// Something is wrong with the database itself, whatever was asked of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file is gone although the anchor beside it tells of a store.
    #[error("the journal database `{}` is missing", path.display())]
    Missing {
        /// The database.
        path: PathBuf,
    },
    /// The file is shorter than it was.
    #[error("the journal database `{}` was cut to {length} bytes", path.display())]
    Truncated {
        /// The database.
        path: PathBuf,
        /// How long it is now.
        length: u64,
    },
    /// Another file stands in the place of the one that was opened, or of the one anchored.
    #[error("the file `{}` was replaced by another one", path.display())]
    Replaced {
        /// The database, or its write-ahead log.
        path: PathBuf,
    },
    /// The database is an older or another copy: it lacks records that were once durable.
    #[error(
        "the journal of run `{run}` in `{}` went back: record {anchored} was durable, \
         but the database ends at {found} or differs there",
        path.display()
    )]
    RolledBack {
        /// The database.
        path: PathBuf,
        /// The run whose records are missing.
        run: RunId,
        /// The last record known to have been durable.
        anchored: Seq,
        /// The last record there is.
        found: Seq,
    },
    /// Stored bytes are not what their hash says.
    #[error("{part} of run `{run}` in `{}` is damaged", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// The run.
        run: RunId,
        /// What was found wrong first.
        part: Part,
    },
    /// SQLite found a malformed page.
    #[error("the journal database `{}` is corrupt", path.display())]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// The file is no SQLite database.
    #[error("`{}` is not a database", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// The folder or the file cannot be written.
    #[error("the journal database `{}` cannot be written", path.display())]
    ReadOnly {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// The disk is full. Nothing was written; the same call works once there is room.
    #[error("no room is left for the journal database `{}`", path.display())]
    Full {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// Another process kept the database locked for too long.
    #[error("the journal database `{}` stayed locked by another process", path.display())]
    Busy {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// Any other refusal of SQLite: input and output errors, no permission, out of memory.
    #[error("the journal database `{}` cannot be used", path.display())]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: Box<rusqlite::Error>,
    },
    /// A file beside the database cannot be read or written; the source names it.
    #[error("a file of the store cannot be used")]
    Io(#[source] io::Error),
}

/// A part of what is stored about a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One record of the journal.
    Record(Seq),
    /// The row that says where the journal ends, and what a listing shows.
    Row,
    /// One input that waits, or waited, in the inbox.
    Inbox(InboxId),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record(seq) => write!(f, "record {seq}"),
            Self::Row => f.write_str("the row"),
            Self::Inbox(id) => write!(f, "inbox item {id}"),
        }
    }
}

impl Fault {
    /// Says what a person can do about it, for the `hint:` line.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } | Self::Truncated { .. } => {
                "restore the folder from a backup; if the runs are to be given up, move the whole \
                 folder away"
            }
            Self::Replaced { .. } => {
                "stop every windlass process of this repository and put the original file back"
            }
            Self::RolledBack { .. } => {
                "put the newer database back; an older one is accepted only by removing \
                 `journal.anchor`, and the records in between are then lost"
            }
            Self::Damaged { .. } => "run `windlass audit` and compare with a backup of the folder",
            Self::Corrupt { .. } | Self::NotADatabase { .. } => {
                "check the disk, then restore the folder from a backup"
            }
            Self::ReadOnly { .. } => {
                "make the folder writable, or point WINDLASS_HOME at one that is"
            }
            Self::Full { .. } => "free some space and run the same command again",
            Self::Busy { .. } => "wait for the other windlass process, or end it",
            Self::Sqlite { .. } | Self::Io(_) => {
                "check the folder's owner, its permissions and the disk"
            }
        }
    }

    /// Sorts what SQLite said about the database at `path`.
    pub(super) fn from_sqlite(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        let code = error.sqlite_error_code();
        let extended = error.sqlite_error().map(|inner| inner.extended_code);
        // A column of the wrong type can only come from damage: every write goes through here.
        let malformed = matches!(
            error,
            rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::Utf8Error(..)
        );
        let source = Box::new(error);
        match code {
            _ if malformed => Self::Corrupt { path, source },
            Some(ErrorCode::DatabaseCorrupt) => Self::Corrupt { path, source },
            Some(ErrorCode::NotADatabase) => Self::NotADatabase { path, source },
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { path, source },
            Some(ErrorCode::DiskFull) => Self::Full { path, source },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::Busy { path, source }
            }
            // On a full disk the shared-memory file cannot grow either, and SQLite reports that
            // as an input/output error; the file system itself tells the two apart.
            Some(ErrorCode::SystemIoFailure)
                if extended == Some(ffi::SQLITE_IOERR_SHMSIZE) || no_room_at(&path) =>
            {
                Self::Full { path, source }
            }
            // A folder that cannot be written shows as "cannot open": neither the write-ahead
            // log nor a new database can be created in it.
            Some(ErrorCode::CannotOpen) if not_writable(&path) => Self::ReadOnly { path, source },
            _ => Self::Sqlite { path, source },
        }
    }
}

fn no_room_at(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(path);
    rustix::fs::statvfs(folder).is_ok_and(|stat| stat.f_bavail == 0)
}

fn not_writable(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(path);
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK)
        .is_err_and(|errno| matches!(errno, rustix::io::Errno::ACCESS | rustix::io::Errno::ROFS))
}

/// Why a question about the store has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No run has this name.
    #[error("there is no run `{0}` in this store")]
    UnknownRun(RunId),
    /// The database has a fault.
    #[error(transparent)]
    Fault(#[from] Fault),
}
