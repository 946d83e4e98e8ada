//! The audit of one run: everything recomputed, everything wrong listed.
//!
//! Reading stops at the first wrong record; an audit goes on from the stored link, so that one
//! flipped byte shows as one problem and not as a broken rest.

use rusqlite::{Row, Transaction};

use windlass_core::id::RunId;
use windlass_core::time::Timestamp;

use super::error::{Fault, ReadError};
use super::open::{At as _, Store};
use super::read::{fold_seal, stored_fold};
use super::record::{ChainHash, Envelope, Head, Seq};
use super::rollback;
use super::runs::{RunRow, hash_at, signed};

/// A report lists this many problems; a journal with more is damaged all the same.
const MOST_PROBLEMS: usize = 100;

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainReport {
    /// How many records there are.
    pub events: u64,
    /// Where the journal should end.
    pub head: Head,
    /// What is wrong, in the order of the journal; at most a hundred.
    pub problems: Vec<Problem>,
}

/// One thing that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The record it concerns, or the last one before it.
    pub seq: Seq,
    /// What kind of thing it is.
    pub kind: ProblemKind,
    /// What was found, for people.
    pub message: String,
}

/// What can be wrong with a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Records are missing in the middle.
    Gap,
    /// Decisions do not follow each other.
    Decision,
    /// The columns say something else than the bytes.
    Columns,
    /// The bytes do not hash to the stored link.
    Hash,
    /// Records are missing at the end.
    Tail,
    /// There are records after the end.
    Beyond,
    /// The last record is not the one that the run's row names.
    Head,
    /// The run's row is not what was written.
    Row,
    /// The stored fold is not of this journal.
    Fold,
    /// The journal lacks what was once durable.
    Anchor,
}

impl Store {
    /// Recomputes the whole chain of `run`.
    ///
    /// An error means that the database could not be read to the end; damage that could be read
    /// is in the report.
    pub fn verify_chain(&self, run: &RunId) -> Result<ChainReport, ReadError> {
        // One snapshot for the row and the records, or an append in between would look like
        // damage.
        let tx = self.snapshot()?;
        let row = RunRow::find(&tx, run).at(&self.path)?;
        let row = row.ok_or_else(|| ReadError::UnknownRun(run.clone()))?;
        let head = row.run.head;
        let mut audit = Audit {
            run,
            last: Head { seq: Seq(0), decision: 0, hash: ChainHash::genesis(run) },
            events: 0,
            problems: Vec::new(),
            scratch: String::new(),
        };
        if !row.is_intact() {
            audit.report(Seq(0), ProblemKind::Row, "the run's row does not match its seal".into());
        }
        audit.read_all(&tx, row.number).at(&self.path)?;
        audit.compare_end(head);
        audit.check_fold(&tx, row.number).at(&self.path)?;
        // The anchor is read after the snapshot was taken and may be ahead of it by what was
        // appended since, so it is compared with what the database says by then.
        drop(tx);
        if let Some(anchor) = &self.anchor {
            let anchored = anchor.get(row.number).map_err(Fault::Io)?;
            let now = RunRow::find(&self.conn, run).at(&self.path)?;
            if let (Some(anchored), Some(now)) = (anchored, now)
                && let Err(fault) = rollback::check_line(&self.conn, &self.path, &anchored, &now)
            {
                audit.report(anchored.seq, ProblemKind::Anchor, fault.to_string());
            }
        }
        Ok(ChainReport { events: audit.events, head, problems: audit.problems })
    }
}

impl Store {
    /// Lets SQLite compare every page, and every index with its table; returns what it says.
    ///
    /// Hashes cover what was written, not how it is found: a damaged index could hide a waiting
    /// input while each row is intact. This reads the whole database, so it is for audits.
    pub fn verify_pages(&self) -> Result<Vec<String>, Fault> {
        let mut lines: Vec<String> = self
            .conn
            .prepare(&format!("PRAGMA integrity_check({MOST_PROBLEMS})"))
            .and_then(|mut check| check.query_map([], |row| row.get(0))?.collect())
            .at(&self.path)?;
        lines.retain(|line| line != "ok");
        Ok(lines)
    }
}

/// An audit under way.
struct Audit<'a> {
    run: &'a RunId,
    last: Head,
    events: u64,
    problems: Vec<Problem>,
    scratch: String,
}

impl Audit<'_> {
    fn report(&mut self, seq: Seq, kind: ProblemKind, message: String) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(Problem { seq, kind, message });
        }
    }

    fn read_all(&mut self, tx: &Transaction<'_>, number: u64) -> rusqlite::Result<()> {
        let mut select = tx.prepare(
            "SELECT seq, decision, time, actor, kind, hash, bytes FROM events \
             WHERE run = ?1 ORDER BY seq",
        )?;
        let mut rows = select.query([signed(number)])?;
        while let Some(row) = rows.next()? {
            self.check_record(row)?;
        }
        Ok(())
    }

    fn check_record(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let Head { seq: last, decision: last_decision, hash: before } = self.last;
        // Negative numbers are damage like any other: they wrap, and then fit nowhere.
        let seq = Seq(row.get::<_, i64>(0)?.cast_unsigned());
        let decision = row.get::<_, i64>(1)?.cast_unsigned();
        let bytes = row.get_ref(6)?.as_blob()?;
        self.events += 1;
        if seq.0 != last.0.wrapping_add(1) {
            self.report(seq, ProblemKind::Gap, format!("record {seq} follows record {last}"));
        }
        let follows =
            decision == last_decision.wrapping_add(1) || (decision == last_decision && last.0 > 0);
        if !follows {
            let message = format!("decision {decision} follows decision {last_decision}");
            self.report(seq, ProblemKind::Decision, message);
        }
        let texts = (row.get_ref(3)?.as_str(), row.get_ref(4)?.as_str());
        let agrees = if let (Ok(actor), Ok(kind)) = texts {
            let time = Timestamp(row.get(2)?);
            Envelope { run: self.run, seq, decision, time, actor, kind }
                .payload_in(bytes, &mut self.scratch)
                .is_some()
        } else {
            false
        };
        if !agrees {
            let message = format!("the columns of record {seq} do not agree with its bytes");
            self.report(seq, ProblemKind::Columns, message);
        }
        let stored = <[u8; 32]>::try_from(row.get_ref(5)?.as_blob()?).ok().map(ChainHash);
        let computed = before.link(bytes);
        if stored != Some(computed) {
            self.report(seq, ProblemKind::Hash, format!("record {seq} does not match its hash"));
        }
        self.last = Head { seq, decision, hash: stored.unwrap_or(computed) };
        Ok(())
    }

    fn compare_end(&mut self, head: Head) {
        let found = self.last;
        if found.seq < head.seq {
            let message = format!("the journal should end at {}, not {}", head.seq, found.seq);
            self.report(found.seq, ProblemKind::Tail, message);
        } else if found.seq > head.seq {
            let message = format!("the journal should have ended at {}", head.seq);
            self.report(found.seq, ProblemKind::Beyond, message);
        } else if found != head {
            let message = "the last record is not the one that the run's row names".to_owned();
            self.report(found.seq, ProblemKind::Head, message);
        }
    }

    fn check_fold(&mut self, tx: &Transaction<'_>, number: u64) -> rusqlite::Result<()> {
        let Some((fold, stored)) = stored_fold(tx, number)? else { return Ok(()) };
        let link = hash_at(tx, number, fold.seq)?;
        if link.is_none_or(|link| fold_seal(link, fold.format, &fold.bytes) != stored) {
            let message = format!("the fold at record {} is not of this journal", fold.seq);
            self.report(fold.seq, ProblemKind::Fold, message);
        }
        Ok(())
    }
}
