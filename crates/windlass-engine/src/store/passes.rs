//! Checks that passed: a cache, so that the same check of the same code is run once.
//!
//! A pass that is lost costs a check; a pass that is wrong would be a false proof. So a damaged
//! entry reads as none.

use rusqlite::{Connection, OptionalExtension as _, params};

use windlass_core::id::RunId;
use windlass_core::time::Timestamp;

use super::error::Fault;
use super::open::{At as _, Store};
use super::runs::signed;

/// A hash over everything that a check's verdict depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PassKey(pub [u8; 32]);

/// A pass that is remembered with the decision that it was part of.
#[derive(Clone, Debug)]
pub struct NewPass {
    /// What passed.
    pub key: PassKey,
    /// The proof, in the typed layer's format.
    pub bytes: Vec<u8>,
}

/// A remembered pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The run that saw it.
    pub run: RunId,
    /// When.
    pub time: Timestamp,
    /// The proof.
    pub bytes: Vec<u8>,
}

impl Store {
    /// Returns the remembered pass for `key`, of whichever run.
    pub fn pass(&self, key: PassKey) -> Result<Option<Pass>, Fault> {
        let found = self
            .conn
            .prepare_cached(
                "SELECT runs.id, passes.time, passes.bytes, passes.seal \
                 FROM passes JOIN runs ON runs.number = passes.run WHERE key = ?1",
            )
            .and_then(|mut select| {
                select
                    .query_row([key.0], |row| {
                        let pass = Pass {
                            run: RunId::new(row.get::<_, String>(0)?),
                            time: Timestamp(row.get(1)?),
                            bytes: row.get(2)?,
                        };
                        Ok((pass, row.get::<_, [u8; 32]>(3)?))
                    })
                    .optional()
            })
            .at(&self.path)?;
        Ok(found.and_then(|(pass, stored)| {
            (seal(key, &pass.run, pass.time, &pass.bytes) == stored).then_some(pass)
        }))
    }
}

/// Remembers a pass; a newer one takes the place of an older one.
pub(super) fn remember(
    conn: &Connection,
    pass: &NewPass,
    number: u64,
    run: &RunId,
    time: Timestamp,
) -> rusqlite::Result<()> {
    let seal = seal(pass.key, run, time, &pass.bytes);
    conn.prepare_cached(
        "INSERT OR REPLACE INTO passes (key, run, time, seal, bytes) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![pass.key.0, signed(number), time.0, seal, pass.bytes])?;
    Ok(())
}

fn seal(key: PassKey, run: &RunId, time: Timestamp, bytes: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    // Only the last field has no fixed length once the run's name is hashed by itself.
    hasher.update(&key.0).update(blake3::hash(run.as_str().as_bytes()).as_bytes());
    hasher.update(&time.0.to_le_bytes()).update(bytes);
    *hasher.finalize().as_bytes()
}
