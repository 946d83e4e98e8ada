//! Compares the anchor with the database: has anything durable gone?
//!
//! The order of reading matters. A driver may append at any moment, database first and anchor
//! second; so the anchor is read first here, and then the database can only be ahead of it. (In
//! an append the order is free: the write lock keeps everyone else out.)

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;

use windlass_core::id::RunId;

use super::anchor::{Anchor, Anchored};
use super::error::Fault;
use super::open::{At as _, Store};
use super::record::{ChainHash, Head, Seq};
use super::runs::{RunRow, hash, hash_at, unsigned};

/// What the database says about an anchored run: name, last record and its hash.
type Found = (RunId, Seq, ChainHash);

impl Store {
    /// Checks every anchored run, and brings a line that is behind up to date when this store
    /// was opened to write.
    pub fn check_anchor(&self) -> Result<(), Fault> {
        let Some(anchor) = &self.anchor else { return Ok(()) };
        let mut lines = BTreeMap::new();
        for number in 1..=anchor.last_number().map_err(Fault::Io)? {
            if let Some(anchored) = anchor.get(number).map_err(Fault::Io)? {
                lines.insert(number, anchored);
            }
        }
        let found = heads(&self.conn).at(&self.path)?;
        for (&number, anchored) in &lines {
            compare(&self.conn, &self.path, number, anchored, found.get(&number))?;
        }
        if self.identity.is_none() {
            return Ok(());
        }
        for (number, (run, seq, hash)) in found {
            if lines.get(&number).is_none_or(|anchored| anchored.seq < seq) {
                anchor.set(number, &Anchored { run, seq, hash }).map_err(Fault::Io)?;
            }
        }
        Ok(())
    }

    /// Notes the new head of a run after its commit.
    pub(super) fn drop_anchor(&self, number: u64, run: &RunId, head: Head) {
        let Some(anchor) = &self.anchor else { return };
        let anchored = Anchored { run: run.clone(), seq: head.seq, hash: head.hash };
        // The records are durable; an anchor that could not be written is merely behind, and
        // failing now would make the caller take a durable decision for one that is not.
        let _ = anchor.set(number, &anchored);
    }
}

/// Checks the anchored line of the run with this row.
pub(super) fn check_row(
    conn: &Connection,
    path: &Path,
    anchor: &Anchor,
    row: &RunRow,
) -> Result<(), Fault> {
    match anchor.get(row.number).map_err(Fault::Io)? {
        Some(anchored) => check_line(conn, path, &anchored, row),
        None => Ok(()),
    }
}

/// Checks one anchored line against the row of its run.
pub(super) fn check_line(
    conn: &Connection,
    path: &Path,
    anchored: &Anchored,
    row: &RunRow,
) -> Result<(), Fault> {
    let found = (row.run.id.clone(), row.run.head.seq, row.run.head.hash);
    compare(conn, path, row.number, anchored, Some(&found))
}

/// Returns the fault when a run that the database does not know is anchored.
pub(super) fn check_unknown(path: &Path, anchor: &Anchor, run: &RunId) -> Result<(), Fault> {
    for number in 1..=anchor.last_number().map_err(Fault::Io)? {
        match anchor.get(number).map_err(Fault::Io)? {
            Some(anchored) if anchored.run == *run => {
                return Err(rolled_back(path, &anchored, Seq(0)));
            }
            _ => {}
        }
    }
    Ok(())
}

fn compare(
    conn: &Connection,
    path: &Path,
    number: u64,
    anchored: &Anchored,
    found: Option<&Found>,
) -> Result<(), Fault> {
    let Some((_, seq, hash)) = found.filter(|(run, ..)| *run == anchored.run) else {
        return Err(rolled_back(path, anchored, Seq(0)));
    };
    let same = match anchored.seq.cmp(seq) {
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal => anchored.hash == *hash,
        std::cmp::Ordering::Less => {
            hash_at(conn, number, anchored.seq).at(path)? == Some(anchored.hash)
        }
    };
    if same { Ok(()) } else { Err(rolled_back(path, anchored, *seq)) }
}

fn rolled_back(path: &Path, anchored: &Anchored, found: Seq) -> Fault {
    Fault::RolledBack {
        path: path.to_owned(),
        run: anchored.run.clone(),
        anchored: anchored.seq,
        found,
    }
}

/// Returns where the journal of every run ends, by number.
fn heads(conn: &Connection) -> rusqlite::Result<BTreeMap<u64, Found>> {
    conn.prepare("SELECT number, id, head_seq, head_hash FROM runs")?
        .query_map([], |row| {
            let run = RunId::new(row.get::<_, String>(1)?);
            Ok((unsigned(row, 0)?, (run, Seq(unsigned(row, 2)?), hash(row, 3)?)))
        })?
        .collect()
}
