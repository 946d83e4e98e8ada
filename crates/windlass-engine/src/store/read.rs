//! Reading a journal: in order, in pages, and never without the chain being checked.

use std::collections::VecDeque;

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use windlass_core::id::RunId;
use windlass_core::time::Timestamp;

use super::error::{Fault, Part, ReadError};
use super::open::{At as _, Store};
use super::record::{ChainHash, Envelope, Record, Seq};
use super::runs::{hash, hash_at, signed, unsigned};

/// A page ends after this many records ...
const PAGE_RECORDS: u32 = 512;

/// ... or once it holds this many bytes, so that memory stays bounded by this and one record,
/// whatever a plan weighs.
const PAGE_BYTES: usize = 1 << 20;

/// How many of the other runs are searched: what happened long ago explains little, and a search reads
/// all that it looks at.
const RUNS_SEARCHED: u32 = 50;

/// The latest stored fold of a run. Its seal has been checked against the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The last record that it covers.
    pub seq: Seq,
    /// The version of the typed layer's format.
    pub format: u32,
    /// The folded state.
    pub bytes: Vec<u8>,
}

impl Store {
    /// Reads the records of `run` from `from` on.
    ///
    /// Each one is checked against its columns and against the chain, starting with the stored
    /// link before `from`. The iterator ends where the journal ends when it gets there; records
    /// appended meanwhile are included. It holds no transaction, so it never stops a checkpoint.
    pub fn records(&self, run: &RunId, from: Seq) -> Result<Records<'_>, ReadError> {
        let row = self.row(run)?;
        let number = row.number;
        let next = from.max(Seq(1));
        let before = match next.0 {
            1 => Some((ChainHash::genesis(run), 0)),
            seq => link_at(&self.conn, number, Seq(seq - 1)).at(&self.path)?,
        };
        Ok(Records {
            store: self,
            run: run.clone(),
            number,
            next,
            at_least: row.run.head.seq,
            before,
            page: VecDeque::new(),
            state: State::More,
        })
    }

    /// Finds records of other runs than `run` that are of one of `kinds` and have `text` in them: of each run
    /// the newest, of at most so many runs, the newest first. They are only found; whoever reads them checks
    /// them.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn find_in_others(
        &self,
        run: &RunId,
        kinds: [&str; 2],
        text: &str,
        most: u32,
    ) -> Result<Vec<(RunId, Seq)>, Fault> {
        let mut select = self
            .conn
            .prepare_cached(
                "SELECT runs.id, max(events.seq) FROM events JOIN runs ON runs.number = events.run \
                 WHERE events.run IN \
                     (SELECT number FROM runs WHERE id != ?1 ORDER BY number DESC LIMIT ?2) \
                 AND events.kind IN (?3, ?4) AND instr(events.bytes, CAST(?5 AS BLOB)) > 0 \
                 GROUP BY events.run ORDER BY events.run DESC LIMIT ?6",
            )
            .at(&self.path)?;
        let [one, other] = kinds;
        select
            .query_map(params![run.as_str(), RUNS_SEARCHED, one, other, text, most], |row| {
                Ok((RunId::new(row.get::<_, String>(0)?), Seq(unsigned(row, 1)?)))
            })
            .and_then(Iterator::collect)
            .at(&self.path)
    }

    /// Returns the latest fold of `run`, if there is one whose seal holds.
    ///
    /// A fold that does not match the chain is no error: the journal is the truth, and the
    /// caller folds it from the start.
    pub fn latest_fold(&self, run: &RunId) -> Result<Option<Fold>, ReadError> {
        let number = self.row(run)?.number;
        let Some((fold, stored)) = stored_fold(&self.conn, number).at(&self.path)? else {
            return Ok(None);
        };
        let link = hash_at(&self.conn, number, fold.seq).at(&self.path)?;
        let holds = link.is_some_and(|link| fold_seal(link, fold.format, &fold.bytes) == stored);
        Ok(holds.then_some(fold))
    }
}

/// Returns what binds a fold to the record it stops at.
pub(super) fn fold_seal(link: ChainHash, format: u32, bytes: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&link.0).update(&format.to_le_bytes()).update(bytes);
    *hasher.finalize().as_bytes()
}

/// Returns the stored fold and its seal, unchecked.
pub(super) fn stored_fold(
    conn: &Connection,
    number: u64,
) -> rusqlite::Result<Option<(Fold, [u8; 32])>> {
    conn.prepare_cached("SELECT seq, format, bytes, seal FROM folds WHERE run = ?1")?
        .query_row([signed(number)], |row| {
            let fold =
                Fold { seq: Seq(unsigned(row, 0)?), format: row.get(1)?, bytes: row.get(2)? };
            Ok((fold, row.get(3)?))
        })
        .optional()
}

fn link_at(conn: &Connection, number: u64, seq: Seq) -> rusqlite::Result<Option<(ChainHash, u64)>> {
    conn.prepare_cached("SELECT hash, decision FROM events WHERE run = ?1 AND seq = ?2")?
        .query_row([signed(number), signed(seq.0)], |row| Ok((hash(row, 0)?, unsigned(row, 1)?)))
        .optional()
}

/// Where a [`Records`] stands.
#[derive(Debug, PartialEq, Eq)]
enum State {
    /// There may be another page.
    More,
    /// The page at hand is the last one.
    Last,
    /// A record was wrong; what follows it proves nothing.
    Broken,
}

/// The records of a run, in order. See [`Store::records`].
#[derive(Debug)]
pub struct Records<'a> {
    store: &'a Store,
    run: RunId,
    number: u64,
    /// The record that the next page begins with.
    next: Seq,
    /// Where the journal ended when the reading began; it cannot end earlier.
    at_least: Seq,
    /// The link and the decision before `next`; nothing when `next` lies beyond the end.
    before: Option<(ChainHash, u64)>,
    page: VecDeque<Record>,
    state: State,
}

impl Iterator for Records<'_> {
    type Item = Result<Record, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.is_empty()
            && self.state == State::More
            && let Err(fault) = self.load()
        {
            self.state = State::Broken;
            self.page.clear();
            return Some(Err(fault));
        }
        self.page.pop_front().map(Ok)
    }
}

impl Records<'_> {
    /// Loads the next page.
    fn load(&mut self) -> Result<(), Fault> {
        self.state = State::Last;
        let Some((mut link, mut decision)) = self.before else { return self.check_end() };
        let path = &self.store.path;
        let mut select = self
            .store
            .conn
            .prepare_cached(
                "SELECT seq, decision, time, actor, kind, hash, bytes FROM events \
                 WHERE run = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?3",
            )
            .at(path)?;
        let mut rows = select
            .query(params![signed(self.number), signed(self.next.0), PAGE_RECORDS])
            .at(path)?;
        let (mut bytes, mut scratch) = (0, String::new());
        while let Some(row) = rows.next().at(path)? {
            let record = checked(row, &self.run, link, &mut scratch).at(path)?.filter(|record| {
                record.seq == self.next && (decision..=decision + 1).contains(&record.decision)
            });
            let Some(record) = record else {
                return Err(self.damaged());
            };
            (link, decision) = (record.hash, record.decision);
            self.next = self.next.next();
            bytes += record.bytes.len();
            self.page.push_back(record);
            if bytes >= PAGE_BYTES || self.page.len() == PAGE_RECORDS as usize {
                self.state = State::More;
                break;
            }
        }
        self.before = Some((link, decision));
        self.check_end()
    }

    /// Checks that the end of the journal is not earlier than it was.
    fn check_end(&self) -> Result<(), Fault> {
        if self.state == State::Last && self.next <= self.at_least {
            return Err(self.damaged());
        }
        Ok(())
    }

    fn damaged(&self) -> Fault {
        let (path, part) = (self.store.path.clone(), Part::Record(self.next));
        Fault::Damaged { path, run: self.run.clone(), part }
    }
}

/// Reads one record, or nothing when it is not what its columns or the chain say.
fn checked(
    row: &Row<'_>,
    run: &RunId,
    before: ChainHash,
    scratch: &mut String,
) -> rusqlite::Result<Option<Record>> {
    let (seq, decision) = (Seq(unsigned(row, 0)?), unsigned(row, 1)?);
    let time = Timestamp(row.get(2)?);
    let (actor, kind) = (row.get_ref(3)?.as_str()?, row.get_ref(4)?.as_str()?);
    let hash = hash(row, 5)?;
    let bytes = row.get_ref(6)?.as_blob()?;
    if before.link(bytes) != hash {
        return Ok(None);
    }
    let envelope = Envelope { run, seq, decision, time, actor, kind };
    let Some(payload) = envelope.payload_in(bytes, scratch) else { return Ok(None) };
    let Ok(bytes) = std::str::from_utf8(bytes) else { return Ok(None) };
    let (actor, kind, bytes) = (actor.to_owned(), kind.to_owned(), bytes.to_owned());
    Ok(Some(Record { seq, decision, time, actor, kind, hash, bytes, payload }))
}
