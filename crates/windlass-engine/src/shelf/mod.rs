//! What windlass keeps about the documents of a repository: decisions of people, and changes of several files.
//!
//! It lies with the rest of the repository's state, where no attempt and no check writes.
//!
//! - `ledger` is a list of records, each with the hash of the one before. What a person decided is decided about
//!   bytes: a record names their hash, and other bytes are undecided.
//! - `change` writes several files as one. Before the first byte is written, all of them are kept, old and new, and
//!   what is about to happen stands in a file. Whoever opens the shelf next finishes what a dead process began; where
//!   somebody changed one of the files meanwhile, it takes back what was written.
//!
//! One process has a shelf at a time.

mod change;
mod ledger;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use windlass_core::id::ContentHash;

use crate::git::ObjectFormat;
use crate::git::place_files::PlaceFileError;
use crate::home::RepositoryHome;
use crate::store::lock::{ExclusiveLock, WaitError};

pub use change::{Change, FileChange, Interrupted};
pub use ledger::{Entry, Record, RecordKind};

/// How long another process may have the shelf.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why the shelf cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ShelfError {
    #[error("another windlass changes documents of this repository")]
    Locked(#[from] WaitError),
    #[error("`{path}` cannot be read or written")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    File(#[from] PlaceFileError),
    #[error("`{path}`, line {line}: the record is not the one that was written")]
    Broken { path: PathBuf, line: usize },
    #[error("`{path}` changed while it was looked at; nothing was written")]
    Changed { path: String },
    #[error("what was kept of `{path}` is gone")]
    Gone { path: String },
}

/// The documents of one checkout, and what is kept about them.
#[derive(Debug)]
pub struct Shelf {
    folder: PathBuf,
    root: PathBuf,
    _lock: Arc<ExclusiveLock>,
}

impl Shelf {
    /// Opens the shelf of a repository for the checkout at `root`, and finishes what a dead process began.
    ///
    /// # Errors
    /// Somebody else has it, or it cannot be read or written.
    pub fn open(
        home: &RepositoryHome,
        root: &Path,
    ) -> Result<(Self, Option<Interrupted>), ShelfError> {
        let folder = home.state.join("documents");
        fs_err::create_dir_all(folder.join("kept"))
            .map_err(|source| ShelfError::Io { path: folder.clone(), source })?;
        let lock = ExclusiveLock::wait(&folder.join("lock"), Instant::now() + PATIENCE)?;
        let shelf = Self { folder, root: root.to_owned(), _lock: Arc::new(lock) };
        let interrupted = shelf.recover()?;
        Ok((shelf, interrupted))
    }

    /// Whether a dead process left something unfinished: then whoever reads documents opens the shelf first.
    pub fn is_interrupted(home: &RepositoryHome) -> bool {
        home.state.join("documents").join("pending.json").exists()
    }

    /// Keeps bytes, and returns what they are found by.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn keep(&self, bytes: &[u8]) -> Result<ContentHash, ShelfError> {
        let hash = ContentHash::of(bytes);
        let path = self.kept_path(&hash);
        if fs_err::read(&path).is_ok_and(|there| there == bytes) {
            return Ok(hash);
        }
        self.replace(&path, bytes)?;
        Ok(hash)
    }

    /// Returns bytes that were kept; none where they are gone or damaged.
    pub fn kept(&self, hash: &ContentHash) -> Option<Vec<u8>> {
        let bytes = fs_err::read(self.kept_path(hash)).ok()?;
        (ContentHash::of(&bytes) == *hash).then_some(bytes)
    }

    /// Keeps bytes under the name that git gives them, for a repository that may not have them yet.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn keep_base(&self, name: &str, bytes: &[u8]) -> Result<(), ShelfError> {
        self.replace(&self.folder.join("kept").join(format!("git-{name}")), bytes)
    }

    /// Returns bytes that were kept under the name that git gives them.
    pub fn base(&self, name: &str, format: ObjectFormat) -> Option<Vec<u8>> {
        // A name is part of a path: only what git itself would call an object is one.
        if !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let bytes = fs_err::read(self.folder.join("kept").join(format!("git-{name}"))).ok()?;
        (format.blob_name(&bytes).as_str() == name).then_some(bytes)
    }

    /// Returns the shelf for another checkout of the repository.
    fn at(&self, root: &Path) -> Self {
        Self { folder: self.folder.clone(), root: root.to_owned(), _lock: Arc::clone(&self._lock) }
    }

    fn kept_path(&self, hash: &ContentHash) -> PathBuf {
        self.folder.join("kept").join(hash.as_str())
    }

    /// Writes a file of the shelf so that it is whole after any crash.
    fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), ShelfError> {
        use std::io::Write as _;
        let failed = |source: io::Error| ShelfError::Io { path: path.to_owned(), source };
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(failed)?;
        file.write_all(bytes).and_then(|()| file.as_file().sync_data()).map_err(failed)?;
        file.persist(path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}
