//! The inbox: how a process that does not drive a run gives it an input.
//!
//! An `approve` or a hook posts here and rings the driver. The driver answers inside the append
//! that the input caused, so an input is decided exactly once: it is pending until then, and an
//! append that answers it a second time is refused.

use std::fmt;

use rusqlite::{Connection, OptionalExtension as _, params};

use windlass_core::id::RunId;
use windlass_core::time::Timestamp;

use super::error::{Fault, Part, ReadError};
use super::open::{At as _, Store, Writing};
use super::runs::{RunRow, signed, unsigned};

/// How many waiting items one call returns; the rest comes with the next, once these are settled.
const PENDING_PAGE: u32 = 256;

/// An item of the inbox, numbered over the whole store in the order of posting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InboxId(pub u64);

impl fmt::Display for InboxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An input that waits for a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxItem {
    /// Its number.
    pub id: InboxId,
    /// When it was posted.
    pub time: Timestamp,
    /// Who posted it.
    pub actor: String,
    /// The input, in the typed layer's format.
    pub bytes: Vec<u8>,
}

/// Why an item was not settled.
#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    /// It was answered before, or never posted.
    #[error("inbox item {0} waits for no answer")]
    AlreadySettled(InboxId),
    /// The database has a fault.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl Store {
    /// Posts an input for the driver of `run`; durable once this returns.
    pub fn post(
        &mut self,
        run: &RunId,
        time: Timestamp,
        actor: &str,
        bytes: &[u8],
    ) -> Result<InboxId, ReadError> {
        self.write(|Writing { tx, path, .. }| {
            let Some(row) = RunRow::find(tx, run).at(path)? else {
                return Err(ReadError::UnknownRun(run.clone()));
            };
            let seal = seal(run, time, actor, bytes);
            tx.prepare_cached(
                "INSERT INTO inbox (run, time, actor, bytes, seal) VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .and_then(|mut insert| {
                insert.execute(params![signed(row.number), time.0, actor, bytes, seal])
            })
            .at(path)?;
            Ok(InboxId(tx.last_insert_rowid().cast_unsigned()))
        })
    }

    /// Returns the oldest inputs of `run` that wait for a decision, at most 256.
    pub fn pending(&self, run: &RunId) -> Result<Vec<InboxItem>, ReadError> {
        let number = self.row(run)?.number;
        let items = pending(&self.conn, number).at(&self.path)?;
        let mut last = InboxId(0);
        items
            .into_iter()
            .map(|(item, stored)| {
                // A damaged index can name an item twice, and each would be intact.
                let twice = std::mem::replace(&mut last, item.id) >= item.id;
                if twice || seal(run, item.time, &item.actor, &item.bytes) != stored {
                    let (path, part) = (self.path.clone(), Part::Inbox(item.id));
                    return Err(Fault::Damaged { path, run: run.clone(), part }.into());
                }
                Ok(item)
            })
            .collect()
    }

    /// Answers an item that led to no decision, such as a refused one.
    pub fn settle(&mut self, id: InboxId, outcome: &[u8]) -> Result<(), SettleError> {
        self.write(|Writing { tx, path, .. }| {
            if settle(tx, id, None, outcome).at(path)? {
                Ok(())
            } else {
                Err(SettleError::AlreadySettled(id))
            }
        })
    }

    /// Returns the answer to an item, or nothing while it waits.
    pub fn outcome(&self, id: InboxId) -> Result<Option<Vec<u8>>, Fault> {
        self.conn
            .prepare_cached("SELECT outcome FROM inbox WHERE id = ?1")
            .and_then(|mut select| select.query_row([signed(id.0)], |row| row.get(0)).optional())
            .map(Option::flatten)
            .at(&self.path)
    }
}

/// Answers a waiting item, of that run when one is given; says whether there was one.
pub(super) fn settle(
    conn: &Connection,
    id: InboxId,
    run: Option<u64>,
    outcome: &[u8],
) -> rusqlite::Result<bool> {
    let changed = conn
        .prepare_cached(
            "UPDATE inbox SET outcome = ?3 \
             WHERE id = ?1 AND outcome IS NULL AND run = coalesce(?2, run)",
        )?
        .execute(params![signed(id.0), run.map(signed), outcome])?;
    Ok(changed == 1)
}

fn pending(conn: &Connection, number: u64) -> rusqlite::Result<Vec<(InboxItem, [u8; 32])>> {
    conn.prepare_cached(
        "SELECT id, time, actor, bytes, seal FROM inbox \
         WHERE run = ?1 AND outcome IS NULL ORDER BY id LIMIT ?2",
    )?
    .query_map(params![signed(number), PENDING_PAGE], |row| {
        let item = InboxItem {
            id: InboxId(unsigned(row, 0)?),
            time: Timestamp(row.get(1)?),
            actor: row.get(2)?,
            bytes: row.get(3)?,
        };
        Ok((item, row.get(4)?))
    })?
    .collect()
}

fn seal(run: &RunId, time: Timestamp, actor: &str, bytes: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for field in [run.as_str().as_bytes(), &time.0.to_le_bytes(), actor.as_bytes(), bytes] {
        hasher.update(&(field.len() as u64).to_le_bytes()).update(field);
    }
    *hasher.finalize().as_bytes()
}
