//! The row of a run: where its journal ends, who may write, what a listing shows.

use std::path::Path;

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, named_params};

use windlass_core::id::{Fence, RunId};
use windlass_core::time::Timestamp;

use super::error::{Fault, Part, ReadError};
use super::open::{At as _, Store};
use super::record::{ChainHash, Head, Seq};

/// Whether a run still occupies its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It may go on; no other unfinished run can have the same place.
    Unfinished,
    /// It has ended.
    Finished,
}

/// What the store knows of a run without reading its journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRun {
    /// Its name.
    pub id: RunId,
    /// The time of its first decision.
    pub created_at: Timestamp,
    /// The time of its last decision.
    pub changed_at: Timestamp,
    /// Where it works, if it has a place of its own.
    pub place: Option<String>,
    /// Whether it occupies that place.
    pub life: Life,
    /// Its status, in the typed layer's words.
    pub status: String,
    /// What a listing shows, in the typed layer's format.
    pub summary: Vec<u8>,
    /// The fence that may write.
    pub fence: Fence,
    /// Where its journal ends.
    pub head: Head,
}

/// A run's row with its number, which is what other tables refer to.
pub(super) struct RunRow {
    pub(super) number: u64,
    pub(super) run: StoredRun,
    seal: [u8; 32],
}

const COLUMNS: &str = "number, id, created_at, changed_at, place, unfinished, status, summary, \
                       fence, head_seq, head_decision, head_hash, seal";

impl RunRow {
    /// Finds a run by name.
    pub(super) fn find(conn: &Connection, id: &RunId) -> rusqlite::Result<Option<Self>> {
        conn.prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE id = ?1"))?
            .query_row([id.as_str()], Self::read)
            .optional()
    }

    /// Returns the newest `limit` runs, the newest first.
    pub(super) fn newest(conn: &Connection, limit: u32) -> rusqlite::Result<Vec<Self>> {
        conn.prepare_cached(&format!("SELECT {COLUMNS} FROM runs ORDER BY number DESC LIMIT ?1"))?
            .query_map([limit], Self::read)?
            .collect()
    }

    /// Returns the run when its row is what was written, otherwise says that it is damaged.
    pub(super) fn sealed(self, path: &Path) -> Result<Self, Fault> {
        if self.is_intact() {
            return Ok(self);
        }
        Err(Fault::Damaged { path: path.to_owned(), run: self.run.id, part: Part::Row })
    }

    /// Returns whether the row is what was written.
    pub(super) fn is_intact(&self) -> bool {
        self.run.seal() == self.seal
    }

    /// Checks that the journal really ends with the record that the row names.
    pub(super) fn check_head(&self, conn: &Connection, path: &Path) -> Result<(), Fault> {
        let head = self.run.head;
        let damaged = |seq| Fault::Damaged {
            path: path.to_owned(),
            run: self.run.id.clone(),
            part: Part::Record(seq),
        };
        let last: Option<(Seq, ChainHash, Vec<u8>)> = conn
            .prepare_cached(
                "SELECT seq, hash, bytes FROM events WHERE run = ?1 ORDER BY seq DESC LIMIT 1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([signed(self.number)], |row| {
                        Ok((Seq(unsigned(row, 0)?), hash(row, 1)?, row.get(2)?))
                    })
                    .optional()
            })
            .at(path)?;
        let Some((seq, stored, bytes)) = last else { return Err(damaged(Seq(1))) };
        let before = match head.seq.0 {
            0 | 1 => Some(ChainHash::genesis(&self.run.id)),
            seq => hash_at(conn, self.number, Seq(seq - 1)).at(path)?,
        };
        let Some(before) = before else { return Err(damaged(Seq(head.seq.0 - 1))) };
        if seq != head.seq || stored != head.hash || before.link(&bytes) != head.hash {
            return Err(damaged(seq.min(head.seq)));
        }
        Ok(())
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: unsigned(row, 0)?,
            run: StoredRun {
                id: RunId::new(row.get::<_, String>(1)?),
                created_at: Timestamp(row.get(2)?),
                changed_at: Timestamp(row.get(3)?),
                place: row.get(4)?,
                life: if row.get(5)? { Life::Unfinished } else { Life::Finished },
                status: row.get(6)?,
                summary: row.get(7)?,
                fence: Fence(unsigned(row, 8)?),
                head: Head {
                    seq: Seq(unsigned(row, 9)?),
                    decision: unsigned(row, 10)?,
                    hash: hash(row, 11)?,
                },
            },
            seal: hash(row, 12)?.0,
        })
    }
}

impl StoredRun {
    /// Hashes every column, so that a flipped byte in one of them does not go unseen.
    fn seal(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        };
        field(self.id.as_str().as_bytes());
        field(&self.created_at.0.to_le_bytes());
        field(&self.changed_at.0.to_le_bytes());
        field(&[u8::from(self.place.is_some())]);
        field(self.place.as_deref().unwrap_or_default().as_bytes());
        field(&[u8::from(self.life == Life::Unfinished)]);
        field(self.status.as_bytes());
        field(&self.summary);
        field(&self.fence.0.to_le_bytes());
        field(&self.head.seq.0.to_le_bytes());
        field(&self.head.decision.to_le_bytes());
        field(&self.head.hash.0);
        *hasher.finalize().as_bytes()
    }

    /// Inserts the row of a new run and returns its number.
    pub(super) fn insert(&self, conn: &Connection) -> rusqlite::Result<u64> {
        self.store(
            conn,
            "INSERT INTO runs (id, created_at, changed_at, place, unfinished, status, summary, \
             fence, head_seq, head_decision, head_hash, seal) \
             VALUES (:id, :created, :changed, :place, :unfinished, :status, :summary, :fence, \
             :seq, :decision, :hash, :seal)",
        )?;
        Ok(conn.last_insert_rowid().cast_unsigned())
    }

    /// Writes the changed row of a run back.
    pub(super) fn update(&self, conn: &Connection) -> rusqlite::Result<()> {
        self.store(
            conn,
            "UPDATE runs SET created_at = :created, changed_at = :changed, place = :place, \
             unfinished = :unfinished, status = :status, summary = :summary, fence = :fence, \
             head_seq = :seq, head_decision = :decision, head_hash = :hash, seal = :seal \
             WHERE id = :id",
        )
    }

    fn store(&self, conn: &Connection, sql: &str) -> rusqlite::Result<()> {
        conn.prepare_cached(sql)?.execute(named_params! {
            ":id": self.id.as_str(),
            ":created": self.created_at.0,
            ":changed": self.changed_at.0,
            ":place": self.place,
            ":unfinished": self.life == Life::Unfinished,
            ":status": self.status,
            ":summary": self.summary,
            ":fence": signed(self.fence.0),
            ":seq": signed(self.head.seq.0),
            ":decision": signed(self.head.decision),
            ":hash": self.head.hash.0,
            ":seal": self.seal(),
        })?;
        Ok(())
    }
}

impl Store {
    /// Lists all runs, the newest first.
    pub fn runs(&self) -> Result<Vec<StoredRun>, Fault> {
        RunRow::newest(&self.conn, u32::MAX)
            .at(&self.path)?
            .into_iter()
            .map(|row| Ok(row.sealed(&self.path)?.run))
            .collect()
    }

    /// Returns one run.
    pub fn run(&self, id: &RunId) -> Result<StoredRun, ReadError> {
        Ok(self.row(id)?.run)
    }

    /// Returns where a run's journal ends.
    pub fn head(&self, id: &RunId) -> Result<Head, ReadError> {
        Ok(self.row(id)?.run.head)
    }

    /// Returns the fence that may write a run.
    pub fn fence(&self, id: &RunId) -> Result<Fence, ReadError> {
        Ok(self.row(id)?.run.fence)
    }

    pub(super) fn row(&self, id: &RunId) -> Result<RunRow, ReadError> {
        let row = RunRow::find(&self.conn, id).at(&self.path)?;
        Ok(row.ok_or_else(|| ReadError::UnknownRun(id.clone()))?.sealed(&self.path)?)
    }
}

/// Returns the link of the chain at `seq`.
pub(super) fn hash_at(
    conn: &Connection,
    number: u64,
    seq: Seq,
) -> rusqlite::Result<Option<ChainHash>> {
    conn.prepare_cached("SELECT hash FROM events WHERE run = ?1 AND seq = ?2")?
        .query_row([signed(number), signed(seq.0)], |row| hash(row, 0))
        .optional()
}

/// Reads a column of 32 bytes.
pub(super) fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<ChainHash> {
    row.get(column).map(ChainHash)
}

/// Reads a column that never holds a negative number.
pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, Box::new(error))
    })
}

/// Turns a count into SQLite's integer; counts never come near the sign bit.
pub(super) fn signed(value: u64) -> i64 {
    value.cast_signed()
}
