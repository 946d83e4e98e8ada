//! The anchor: what is known to have been durable, kept outside the database.
//!
//! A database that was cut, rolled back to an older copy or exchanged for another one is
//! consistent in itself; only something beside it can tell. The anchor is a text file of
//! fixed-width lines: the first names the store, line *n* names the last durable record of run
//! number *n*. A line is written in place *after* the commit returned, so:
//!
//! - An anchor can never be ahead of a healthy database, not even after power loss: the commit
//!   was synced before the line was written at all. Ahead therefore always means lost records.
//! - An anchor that is behind, missing or torn (each line has a checksum) is no alarm. It is
//!   what power loss leaves, since the anchor itself is never synced, and the next append or
//!   open brings it up to date.
//! - Each run's line is written by the driver of that run alone. An overtaken driver that still
//!   writes its last line leaves the anchor behind, which again is harmless.
//!
//! Lines are overwritten in place rather than the file renamed: a rename over an existing file
//! makes some file systems write the data out at once, which would be the second sync per append
//! that the budget does not have.
//!
//! Limit: whoever restores the whole folder, anchor included, is not noticed here. The head hash
//! in checkpoint commits and pull requests is for that.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use windlass_core::id::RunId;

use super::record::{ChainHash, Seq};

/// The length of every line, its newline included.
const LINE: usize = 160;

/// The longest run name that fits a line.
pub(super) const LONGEST_RUN_ID: usize = 40;

/// How many hexadecimal digits of a line's hash stand at its end.
const CHECK_DIGITS: usize = 32;

const NAME: &str = "journal.anchor";
const TITLE: &str = "windlass anchor 1";

/// The last record of a run that was known to be durable when the line was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Anchored {
    pub(super) run: RunId,
    pub(super) seq: Seq,
    pub(super) hash: ChainHash,
}

/// An open anchor file.
#[derive(Debug)]
pub(super) struct Anchor {
    file: File,
}

/// Returns where the anchor of the store in `dir` is.
fn path_in(dir: &Path) -> PathBuf {
    dir.join(NAME)
}

/// Returns the store that the anchor in `dir` belongs to, if there is a readable one.
pub(super) fn store_named_in(dir: &Path) -> io::Result<Option<String>> {
    match fs_err::File::open(path_in(dir)) {
        Ok(file) => Anchor { file: file.into_file() }.store(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl Anchor {
    /// Opens the anchor to read it, if there is a readable one.
    pub(super) fn open_read_only(dir: &Path) -> io::Result<Option<Self>> {
        if store_named_in(dir)?.is_none() {
            return Ok(None);
        }
        let file = fs_err::File::open(path_in(dir))?.into_file();
        Ok(Some(Self { file }))
    }

    /// Opens the anchor of `store`, or begins one. The caller has compared the store's name.
    pub(super) fn open(dir: &Path, store: &str) -> io::Result<Self> {
        let file = fs_err::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path_in(dir))?
            .into_file();
        let anchor = Self { file };
        if anchor.store()?.as_deref() != Some(store) {
            // Torn or empty: nothing in it can be believed.
            anchor.file.set_len(0)?;
            anchor.file.write_all_at(&line(&format!("{TITLE} {store}")), 0)?;
        }
        Ok(anchor)
    }

    /// Returns the store that this anchor names.
    fn store(&self) -> io::Result<Option<String>> {
        let Some(text) = self.text_at(0)? else { return Ok(None) };
        Ok(text.strip_prefix(TITLE).map(|store| store.trim().to_owned()))
    }

    /// Returns what is anchored for the run with this number.
    pub(super) fn get(&self, number: u64) -> io::Result<Option<Anchored>> {
        let Some(text) = self.text_at(number)? else { return Ok(None) };
        let mut words = text.split_ascii_whitespace();
        Ok((|| {
            Some(Anchored {
                run: RunId::from(words.next()?),
                seq: Seq(words.next()?.parse().ok()?),
                hash: ChainHash::from_hex(words.next()?)?,
            })
        })())
    }

    /// Notes that this record of the run with this number is durable.
    pub(super) fn set(&self, number: u64, anchored: &Anchored) -> io::Result<()> {
        let Anchored { run, seq, hash } = anchored;
        self.file.write_all_at(&line(&format!("{run} {seq} {hash}")), offset(number))
    }

    /// Returns the largest run number that can have a line.
    pub(super) fn last_number(&self) -> io::Result<u64> {
        Ok((self.file.metadata()?.len() / LINE as u64).saturating_sub(1))
    }

    /// Returns what line `number` says, or nothing when it is missing, torn or blank.
    fn text_at(&self, number: u64) -> io::Result<Option<String>> {
        let mut bytes = [0u8; LINE];
        match self.file.read_exact_at(&mut bytes, offset(number)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let body = &bytes[..LINE - CHECK_DIGITS - 1];
        if bytes[body.len()..LINE - 1] != *check_of(body).as_bytes() {
            return Ok(None);
        }
        Ok(std::str::from_utf8(body).ok().map(str::to_owned))
    }
}

fn offset(number: u64) -> u64 {
    // A number that is too large is damage, and finds no line.
    number.saturating_mul(LINE as u64).min(i64::MAX as u64 - LINE as u64)
}

fn line(text: &str) -> Vec<u8> {
    let body = format!("{text:<width$}", width = LINE - CHECK_DIGITS - 1);
    let check = check_of(body.as_bytes());
    format!("{body}{check}\n").into_bytes()
}

fn check_of(body: &[u8]) -> String {
    blake3::hash(body).to_hex()[..CHECK_DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchored(run: &str, seq: u64) -> Anchored {
        Anchored { run: RunId::from(run), seq: Seq(seq), hash: ChainHash([7; 32]) }
    }

    #[test]
    fn lines_have_one_width_up_to_the_longest_names_and_numbers() {
        let longest = "x".repeat(LONGEST_RUN_ID);
        let text = format!("{longest} {} {}", u64::MAX, ChainHash([0; 32]));
        assert_eq!(line(&text).len(), LINE);
        assert_eq!(line("").len(), LINE);
    }

    #[test]
    fn a_torn_line_reads_as_none_and_leaves_its_neighbours() {
        let dir = tempfile::tempdir().unwrap();
        let anchor = Anchor::open(dir.path(), "store").unwrap();
        for number in 1..=3 {
            anchor.set(number, &anchored("run", number)).unwrap();
        }
        for byte in [0, 5, 60, 158] {
            let mut old = [0];
            anchor.file.read_exact_at(&mut old, offset(2) + byte).unwrap();
            anchor.file.write_all_at(&[old[0] ^ 1], offset(2) + byte).unwrap();
            assert_eq!(anchor.get(2).unwrap(), None);
            anchor.file.write_all_at(&old, offset(2) + byte).unwrap();
        }
        assert_eq!(anchor.get(1).unwrap(), Some(anchored("run", 1)));
        assert_eq!(anchor.get(2).unwrap(), Some(anchored("run", 2)));
        assert_eq!(anchor.get(3).unwrap(), Some(anchored("run", 3)));
        assert_eq!(anchor.get(4).unwrap(), None);
        assert_eq!(anchor.last_number().unwrap(), 3);
    }

    #[test]
    fn a_torn_title_starts_the_anchor_anew() {
        let dir = tempfile::tempdir().unwrap();
        let anchor = Anchor::open(dir.path(), "store").unwrap();
        anchor.set(1, &anchored("run", 9)).unwrap();
        anchor.file.write_all_at(b"W", 0).unwrap();
        assert_eq!(store_named_in(dir.path()).unwrap(), None);
        let anchor = Anchor::open(dir.path(), "store").unwrap();
        assert_eq!(anchor.get(1).unwrap(), None);
        assert_eq!(store_named_in(dir.path()).unwrap().as_deref(), Some("store"));
    }
}
