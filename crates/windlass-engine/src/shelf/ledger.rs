//! The chained list of what was decided and done.

use std::io::Write as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use windlass_core::id::ContentHash;
use windlass_core::time::Timestamp;

use super::change::FileChange;
use super::{Shelf, ShelfError};

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// A person accepted these bytes.
    Approved,
    /// Files were changed.
    Applied,
    /// They were set back.
    Reverted,
}

/// What was decided or done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What it is.
    pub kind: RecordKind,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub person: String,
    /// The terminal of that person, or that there was none.
    pub from: String,
    /// The document, relative to the checkout; several are one change.
    pub documents: Vec<String>,
    /// The hash of each document's bytes.
    pub hashes: Vec<ContentHash>,
    /// The files that were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
}

/// An entry and its place in the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Its number, from 1.
    pub seq: u64,
    /// The hash of the line before; of nothing for the first.
    pub previous: ContentHash,
    /// What it says.
    pub entry: Entry,
}

impl Shelf {
    pub(super) fn ledger_path(&self) -> PathBuf {
        self.folder.join("ledger.jsonl")
    }

    /// Reads all records.
    ///
    /// # Errors
    /// One of them is not as it was written.
    pub fn records(&self) -> Result<Vec<Record>, ShelfError> {
        Ok(self.chain()?.0)
    }

    /// Reads all records, and the hash of the last line. A line that was cut off by a crash was never called
    /// written, and does not count.
    fn chain(&self) -> Result<(Vec<Record>, ContentHash), ShelfError> {
        let path = self.ledger_path();
        let text = match fs_err::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(ShelfError::Io { path, source }),
        };
        let mut records: Vec<Record> = Vec::new();
        let mut previous = ContentHash::of(b"");
        for (number, line) in (1..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
            if !line.ends_with(b"\n") {
                break;
            }
            let broken = || ShelfError::Broken { path: path.clone(), line: number };
            let record: Record = serde_json::from_slice(line).map_err(|_| broken())?;
            if record.previous != previous || record.seq != records.len() as u64 + 1 {
                return Err(broken());
            }
            previous = ContentHash::of(line);
            records.push(record);
        }
        Ok((records, previous))
    }

    /// Makes the record that comes next.
    pub(super) fn next_record(&self, entry: Entry) -> Result<Record, ShelfError> {
        let (records, previous) = self.chain()?;
        Ok(Record { seq: records.len() as u64 + 1, previous, entry })
    }

    /// Writes down what was decided.
    ///
    /// # Errors
    /// The list cannot be read or written.
    pub fn record(&self, entry: Entry) -> Result<(), ShelfError> {
        let record = self.next_record(entry)?;
        self.append(&record)
    }

    pub(super) fn append(&self, record: &Record) -> Result<(), ShelfError> {
        let path = self.ledger_path();
        let failed = |source: std::io::Error| ShelfError::Io { path: path.clone(), source };
        let mut line = serde_json::to_vec(record).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut file = fs_err::OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(&path)
            .map_err(failed)?;
        // What a crash cut off goes before the next line is written.
        let text = fs_err::read(&path).map_err(failed)?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(failed)?;
        }
        file.write_all(&line).and_then(|()| file.file().sync_data()).map_err(failed)
    }
}
