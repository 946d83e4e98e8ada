//! Several files, changed as one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_core::id::ContentHash;
use windlass_core::markdown::MAX_DOCUMENT_BYTES;

use super::ledger::{Entry, Record};
use super::{Shelf, ShelfError};
use crate::fault;
use crate::git::place_files;

/// A file that is to change: its old bytes and its new ones, none where it is not there.
#[derive(Clone, Debug)]
pub struct Change {
    /// The file, relative to the checkout.
    pub path: String,
    /// As it is.
    pub before: Option<Vec<u8>>,
    /// As it is to be.
    pub after: Option<Vec<u8>>,
}

/// A file that changed, by the hashes of what was kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileChange {
    /// The file, relative to the checkout.
    pub path: String,
    /// As it was.
    pub before: Option<ContentHash>,
    /// As it is.
    pub after: Option<ContentHash>,
}

/// What became of a change that a dead process had begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// It was finished.
    Finished(Vec<String>),
    /// It was taken back, because somebody changed this file meanwhile.
    TakenBack(String),
}

/// What is about to happen.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pending {
    root: PathBuf,
    record: Record,
}

impl Shelf {
    /// Changes files as one, and records it. Files that are already as they are to be are fine.
    ///
    /// # Errors
    /// A file is not as it was read, and nothing was written; or it cannot be written.
    pub fn change(&self, changes: &[Change], entry: Entry) -> Result<(), ShelfError> {
        let mut files = Vec::with_capacity(changes.len());
        for change in changes {
            let keep = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(|b| self.keep(b)).transpose();
            let (before, after) = (keep(&change.before)?, keep(&change.after)?);
            if self.now(&change.path)? != before {
                return Err(ShelfError::Changed { path: change.path.clone() });
            }
            files.push(FileChange { path: change.path.clone(), before, after });
        }
        let record = self.next_record(Entry { files, ..entry })?;
        let pending = Pending { root: self.root.clone(), record };
        let text = serde_json::to_vec(&pending)
            .map_err(|error| ShelfError::Io { path: self.pending_path(), source: error.into() })?;
        fault::point("documents-kept");
        self.replace(&self.pending_path(), &text)?;
        fault::point("documents-pending");
        self.finish(&pending)
    }

    /// Writes files of which none is a decision, such as a new draft. A crash leaves each whole or as it was.
    ///
    /// # Errors
    /// A file is not as it was read, and nothing was written; or it cannot be written.
    pub fn write_plain(&self, changes: &[Change]) -> Result<(), ShelfError> {
        for change in changes {
            if self.now(&change.path)? != change.before.as_deref().map(ContentHash::of) {
                return Err(ShelfError::Changed { path: change.path.clone() });
            }
        }
        for change in changes {
            let bytes = change.after.as_deref().unwrap_or_default();
            place_files::write_file_synced(&self.root, Path::new(&change.path), bytes)?;
        }
        Ok(())
    }

    /// Writes what is pending, records it and forgets that it was.
    fn finish(&self, pending: &Pending) -> Result<(), ShelfError> {
        for file in &pending.record.entry.files {
            if self.now(&file.path)? != file.after {
                self.write(&file.path, file.after.as_ref())?;
                fault::point("documents-file-written");
            }
        }
        self.append(&pending.record)?;
        fault::point("documents-recorded");
        self.forget()
    }

    /// Finishes what a dead process began, or takes it back.
    pub(super) fn recover(&self) -> Result<Option<Interrupted>, ShelfError> {
        let path = self.pending_path();
        let text = match fs_err::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ShelfError::Io { path, source }),
        };
        let pending: Pending = serde_json::from_slice(&text)
            .map_err(|_| ShelfError::Broken { path: path.clone(), line: 1 })?;
        // Another worktree of the repository has other files: what was begun there is finished there.
        if pending.root != self.root && pending.root.is_dir() {
            return self.at(&pending.root).settle(&pending);
        }
        self.settle(&pending)
    }

    fn settle(&self, pending: &Pending) -> Result<Option<Interrupted>, ShelfError> {
        if self.records()?.contains(&pending.record) {
            self.forget()?;
            return Ok(None);
        }
        for file in &pending.record.entry.files {
            let now = self.now(&file.path)?;
            if now != file.before && now != file.after {
                self.take_back(pending)?;
                return Ok(Some(Interrupted::TakenBack(file.path.clone())));
            }
        }
        self.finish(pending)?;
        let files = pending.record.entry.files.iter().map(|file| file.path.clone());
        Ok(Some(Interrupted::Finished(files.collect())))
    }

    fn take_back(&self, pending: &Pending) -> Result<(), ShelfError> {
        for file in &pending.record.entry.files {
            if self.now(&file.path)? == file.after && file.before != file.after {
                self.write(&file.path, file.before.as_ref())?;
            }
        }
        self.forget()
    }

    fn write(&self, path: &str, hash: Option<&ContentHash>) -> Result<(), ShelfError> {
        let Some(hash) = hash else {
            return Ok(place_files::remove_file(&self.root, Path::new(path))?);
        };
        let bytes = self.kept(hash).ok_or_else(|| ShelfError::Gone { path: path.to_owned() })?;
        Ok(place_files::write_file_synced(&self.root, Path::new(path), &bytes)?)
    }

    /// Returns the hash of a file as it is; none where it is not there.
    ///
    /// # Errors
    /// It is no plain file, or leads out of the checkout.
    pub fn now(&self, path: &str) -> Result<Option<ContentHash>, ShelfError> {
        let limit = MAX_DOCUMENT_BYTES as u64;
        match place_files::read_file_bounded(&self.root, Path::new(path), limit) {
            Ok(bytes) => Ok(Some(ContentHash::of(&bytes))),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn pending_path(&self) -> PathBuf {
        self.folder.join("pending.json")
    }

    fn forget(&self) -> Result<(), ShelfError> {
        let path = self.pending_path();
        fs_err::remove_file(&path).map_err(|source| ShelfError::Io { path, source })
    }
}
