//! Writing: a run begins, a driver takes it over, a decision is appended.

use rusqlite::params;

use windlass_core::id::{Fence, RunId};
use windlass_core::time::Timestamp;

use super::anchor::LONGEST_RUN_ID;
use super::error::{Fault, Part, ReadError};
use super::inbox::{InboxId, settle};
use super::links::Links;
use super::open::{At as _, Store, Writing};
use super::passes::{NewPass, remember};
use super::read::fold_seal;
use super::record::{ChainHash, Head, NewRecord, Seq};
use super::rollback;
use super::runs::{Life, RunRow, StoredRun, hash_at, signed};

/// What a listing shows of a run; replaced as a whole by every append.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a> {
    /// The status, in the typed layer's words.
    pub status: &'a str,
    /// Whether the run still occupies its place.
    pub life: Life,
    /// Anything else, in the typed layer's format.
    pub summary: &'a [u8],
}

/// A fold of the journal up to and including the records it is appended with.
#[derive(Clone, Copy, Debug)]
pub struct NewFold<'a> {
    /// The version of the typed layer's format.
    pub format: u32,
    /// The folded state.
    pub bytes: &'a [u8],
}

/// A run that is to begin.
#[derive(Debug)]
pub struct NewRun<'a> {
    /// Its name: letters, digits, `-` and `_`, at most 40.
    pub id: &'a RunId,
    /// Where it works; at most one unfinished run can be there.
    pub place: Option<&'a str>,
    /// When it begins.
    pub time: Timestamp,
    /// Who began it.
    pub actor: &'a str,
    /// Its first decision.
    pub records: Vec<NewRecord>,
    /// The fold of that decision.
    pub fold: Option<NewFold<'a>>,
    /// What a listing shows.
    pub listing: Listing<'a>,
}

/// A decision that is to be appended.
#[derive(Debug)]
pub struct Append<'a> {
    /// The run.
    pub run: &'a RunId,
    /// The fence that the writer was given.
    pub fence: Fence,
    /// The last record that the decision was taken on.
    pub expected: Seq,
    /// When it was taken.
    pub time: Timestamp,
    /// Whose input led to it.
    pub actor: &'a str,
    /// The input and the events it caused.
    pub records: Vec<NewRecord>,
    /// The fold after these records; without one, an earlier fold stays.
    pub fold: Option<NewFold<'a>>,
    /// What a listing shows from now on.
    pub listing: Listing<'a>,
    /// The inbox items that this decision answers.
    pub outcomes: Vec<(InboxId, Vec<u8>)>,
    /// The checks that passed.
    pub passes: Vec<NewPass>,
}

/// A run that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created {
    /// Where its journal ends.
    pub head: Head,
    /// The fence that may write until another one is raised.
    pub fence: Fence,
}

/// Why a run cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateRunError {
    /// The name does not fit.
    #[error("`{0}` is not a name for a run: up to 40 letters, digits, `-` and `_`")]
    BadId(RunId),
    /// The name is taken.
    #[error("there is a run `{0}` already")]
    Exists(RunId),
    /// The place is occupied.
    #[error("run `{by}` is unfinished in `{place}`")]
    PlaceTaken {
        /// The place.
        place: String,
        /// The run that is there.
        by: RunId,
    },
    /// A decision has at least one record.
    #[error("a run cannot begin without a record")]
    Empty,
    /// The database has a fault.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Why a decision was not appended. Nothing of it was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// No run has this name.
    #[error("there is no run `{0}` in this store")]
    UnknownRun(RunId),
    /// Another driver has taken the run over; this one has to stop.
    #[error("run `{run}` was taken over: its fence is {}, not {}", current.0, held.0)]
    Fenced {
        /// The run.
        run: RunId,
        /// The fence that the writer held.
        held: Fence,
        /// The fence that may write.
        current: Fence,
    },
    /// The journal goes on after the record that the decision was taken on: read, decide again.
    #[error("run `{run}` is at record {}, not {expected}", head.seq)]
    Conflict {
        /// The run.
        run: RunId,
        /// What the writer took for the last record.
        expected: Seq,
        /// Where the journal ends.
        head: Head,
    },
    /// An inbox item was answered before, or is not of this run.
    #[error("inbox item {0} waits for no answer")]
    AlreadySettled(InboxId),
    /// A finished run cannot come back to a place that another one has taken.
    #[error("run `{by}` is unfinished in `{place}`")]
    PlaceTaken {
        /// The place.
        place: String,
        /// The run that is there.
        by: RunId,
    },
    /// A decision has at least one record.
    #[error("a decision without a record cannot be appended")]
    Empty,
    /// The database has a fault.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl Store {
    /// Begins a run with its first decision.
    pub fn create_run(&mut self, new: &NewRun<'_>) -> Result<Created, CreateRunError> {
        if !is_run_id(new.id.as_str()) {
            return Err(CreateRunError::BadId(new.id.clone()));
        }
        if new.records.is_empty() {
            return Err(CreateRunError::Empty);
        }
        let start = Head { seq: Seq(0), decision: 0, hash: ChainHash::genesis(new.id) };
        let links = Links::forge(new.id, start, new.time, new.actor, &new.records);
        let created = Created { head: links.head, fence: Fence(1) };
        let run = StoredRun {
            id: new.id.clone(),
            created_at: new.time,
            changed_at: new.time,
            place: new.place.map(str::to_owned),
            life: new.listing.life,
            status: new.listing.status.to_owned(),
            summary: new.listing.summary.to_owned(),
            fence: created.fence,
            head: links.head,
        };
        let number = self.write(|writing| {
            let Writing { tx, path, anchor } = *writing;
            if RunRow::find(tx, new.id).at(path)?.is_some() {
                return Err(CreateRunError::Exists(new.id.clone()));
            }
            if let Some((place, by)) = taken(writing, &run)? {
                return Err(CreateRunError::PlaceTaken { place, by });
            }
            if let Some(anchor) = anchor {
                rollback::check_unknown(path, anchor, new.id)?;
            }
            let number = run.insert(tx).at(path)?;
            links.insert(writing, number, new.time, new.actor, &new.records)?;
            put_fold(writing, number, links.head, new.fold)?;
            Ok(number)
        })?;
        self.drop_anchor(number, new.id, created.head);
        Ok(created)
    }

    /// Raises the fence of a run, so that only the caller can append from now on.
    ///
    /// For the driver that holds the run's lock: the lock keeps honest drivers apart, the fence
    /// stops one that was thought dead. The end of the journal is checked on the way.
    pub fn raise_fence(&mut self, run: &RunId) -> Result<Fence, ReadError> {
        self.write(|writing| {
            let Writing { tx, path, .. } = *writing;
            let Some(mut row) = find(writing, run)? else {
                return Err(ReadError::UnknownRun(run.clone()));
            };
            row.check_head(tx, path)?;
            row.run.fence.0 += 1;
            row.run.update(tx).at(path)?;
            Ok(row.run.fence)
        })
    }

    /// Appends one decision: all of it or, on any error, nothing.
    ///
    /// The store numbers the decision: one more than that of the last record.
    pub fn append(&mut self, append: &Append<'_>) -> Result<Head, AppendError> {
        if append.records.is_empty() {
            return Err(AppendError::Empty);
        }
        let (number, head) = self.write(|writing| {
            let Writing { tx, path, .. } = *writing;
            let Some(RunRow { number, mut run, .. }) = find(writing, append.run)? else {
                return Err(AppendError::UnknownRun(append.run.clone()));
            };
            if run.fence != append.fence {
                let (held, current) = (append.fence, run.fence);
                return Err(AppendError::Fenced { run: run.id, held, current });
            }
            if run.head.seq != append.expected {
                let (expected, head) = (append.expected, run.head);
                return Err(AppendError::Conflict { run: run.id, expected, head });
            }
            // The row is sealed but its records may have been removed; building on them would
            // hide that.
            if hash_at(tx, number, run.head.seq).at(path)? != Some(run.head.hash) {
                let part = Part::Record(run.head.seq);
                return Err(Fault::Damaged { path: path.to_owned(), run: run.id, part }.into());
            }
            let Append { time, actor, ref records, .. } = *append;
            let links = Links::forge(append.run, run.head, time, actor, records);
            links.insert(writing, number, time, actor, records)?;
            put_fold(writing, number, links.head, append.fold)?;
            for (id, outcome) in &append.outcomes {
                if !settle(tx, *id, Some(number), outcome).at(path)? {
                    return Err(AppendError::AlreadySettled(*id));
                }
            }
            for pass in &append.passes {
                remember(tx, pass, number, append.run, time).at(path)?;
            }
            run.head = links.head;
            run.changed_at = time;
            run.life = append.listing.life;
            append.listing.status.clone_into(&mut run.status);
            append.listing.summary.clone_into(&mut run.summary);
            if let Some((place, by)) = taken(writing, &run)? {
                return Err(AppendError::PlaceTaken { place, by });
            }
            run.update(tx).at(path)?;
            Ok((number, run.head))
        })?;
        self.drop_anchor(number, append.run, head);
        Ok(head)
    }
}

/// Finds a run that is about to be changed, and checks that nothing durable of it has gone.
fn find(writing: &Writing<'_>, run: &RunId) -> Result<Option<RunRow>, Fault> {
    let Writing { tx, path, anchor } = *writing;
    let row = RunRow::find(tx, run).at(path)?;
    match (row, anchor) {
        (Some(row), Some(anchor)) => {
            let row = row.sealed(path)?;
            rollback::check_row(tx, path, anchor, &row)?;
            Ok(Some(row))
        }
        (None, Some(anchor)) => rollback::check_unknown(path, anchor, run).map(|()| None),
        (row, None) => row.map(|row| row.sealed(path)).transpose(),
    }
}

/// Returns the other run that occupies the place of `run`.
///
/// Asked under the write lock, so the answer holds until the commit; the unique index is there
/// for whoever forgets to ask.
fn taken(writing: &Writing<'_>, run: &StoredRun) -> Result<Option<(String, RunId)>, Fault> {
    let (Life::Unfinished, Some(place)) = (run.life, &run.place) else { return Ok(None) };
    let by: Result<String, _> = writing
        .tx
        .prepare_cached("SELECT id FROM runs WHERE place = ?1 AND unfinished = 1 AND id <> ?2")
        .and_then(|mut statement| {
            statement.query_row([place.as_str(), run.id.as_str()], |row| row.get(0))
        });
    match by {
        Ok(by) => Ok(Some((place.clone(), RunId::new(by)))),
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
        Err(error) => Err(Fault::from_sqlite(writing.path, error)),
    }
}

fn put_fold(
    writing: &Writing<'_>,
    number: u64,
    head: Head,
    fold: Option<NewFold<'_>>,
) -> Result<(), Fault> {
    let Some(NewFold { format, bytes }) = fold else { return Ok(()) };
    let seal = fold_seal(head.hash, format, bytes);
    writing
        .tx
        .prepare_cached(
            "INSERT OR REPLACE INTO folds (run, seq, format, seal, bytes) \
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )
        .and_then(|mut statement| {
            statement.execute(params![signed(number), signed(head.seq.0), format, seal, bytes])
        })
        .at(writing.path)?;
    Ok(())
}

fn is_run_id(id: &str) -> bool {
    (1..=LONGEST_RUN_ID).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: Listing<'static> =
        Listing { status: "active", life: Life::Unfinished, summary: b"{}" };

    fn plan() -> Vec<NewRecord> {
        vec![NewRecord::new("plan", &"x".repeat(50_000)).unwrap()]
    }

    /// The real thing, on a full file system, is in `tests/store/room.rs`; this one runs
    /// everywhere.
    #[test]
    fn a_database_without_room_takes_nothing_of_a_decision() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let (id, time, actor) = (RunId::from("r"), Timestamp(1), "person");
        let (fold, listing, records) = (None, LISTING, plan());
        let new = NewRun { id: &id, place: None, time, actor, records, fold, listing };
        let Created { head, fence } = store.create_run(&new).unwrap();
        let next = Append {
            run: &id,
            fence,
            expected: head.seq,
            time,
            actor,
            records: plan(),
            fold,
            listing,
            outcomes: Vec::new(),
            passes: Vec::new(),
        };
        store.conn.pragma_update(None, "max_page_count", 30).unwrap();
        let error = store.append(&next).unwrap_err();
        assert!(matches!(error, AppendError::Fault(Fault::Full { .. })), "{error:?}");
        assert_eq!(store.head(&id).unwrap(), head);
        store.conn.pragma_update(None, "max_page_count", 3000).unwrap();
        assert_eq!(store.append(&next).unwrap().seq, head.seq.next());
        assert_eq!(store.verify_chain(&id).unwrap().problems, []);
    }
}
