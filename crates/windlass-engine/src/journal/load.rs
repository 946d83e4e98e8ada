//! Reading a run back.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use windlass_core::id::{RunId, StepId};
use windlass_core::run::{Event, FOLD_FORMAT, IllegalEvent, RunState};

use super::record::{Entry, INPUT_KIND, RecordError, entry};
use crate::store::{ChainHash, Fault, Head, ReadError, Record, Seq, Store};

/// A run as its journal tells it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The state.
    pub state: RunState,
    /// Where the journal ends.
    pub head: Head,
    /// The link of the last proof of the step that is being committed.
    pub proven: Option<(StepId, ChainHash)>,
    /// Records since the last stored fold.
    pub since_fold: u64,
}

/// Why a run cannot be read back.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum LoadError {
    #[error("the journal of run `{run}` cannot be read")]
    Read {
        run: RunId,
        #[source]
        source: ReadError,
    },
    #[error("the journal of run `{run}` is damaged")]
    Damaged {
        run: RunId,
        #[source]
        source: Fault,
    },
    #[error("the journal of run `{run}` cannot be read by this version")]
    Record {
        run: RunId,
        #[source]
        source: RecordError,
    },
    #[error("the journal of run `{run}` is inconsistent at record {seq}")]
    Illegal {
        run: RunId,
        seq: u64,
        #[source]
        source: IllegalEvent,
    },
    #[error("the journal of run `{run}` has no events")]
    Empty { run: RunId },
}

/// A fold as it is stored: the state without plan and facts, which stand in the first event.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredFold {
    pub(super) state: RunState,
    pub(super) proven: Option<(StepId, String)>,
}

/// Reads a run back: the latest fold, and the events since.
///
/// # Errors
/// The journal is damaged, of a newer version, or does not make sense.
pub fn load(store: &Store, run: &RunId) -> Result<Loaded, LoadError> {
    let read = |source| LoadError::Read { run: run.clone(), source };
    let head = store.head(run).map_err(read)?;
    let fold = store.latest_fold(run).map_err(read)?;
    let fold = fold.filter(|fold| fold.format == FOLD_FORMAT && fold.seq > Seq(2));
    if let Some(fold) = fold
        && let Ok(stored) = serde_json::from_slice::<StoredFold>(&fold.bytes)
        && let Some(first) = first_state(store, run)?
    {
        let state = stored.state.with_plan(Arc::clone(&first.plan), Arc::clone(&first.facts));
        let proven =
            stored.proven.and_then(|(step, hash)| Some((step, ChainHash::from_hex(&hash)?)));
        return replay(store, run, Some((state, proven)), fold.seq, head);
    }
    replay(store, run, None, Seq(0), head)
}

/// Reads a run back from its first record, whatever folds are stored.
///
/// # Errors
/// As for [`load`].
pub fn fold(store: &Store, run: &RunId) -> Result<Loaded, LoadError> {
    let head = store.head(run).map_err(|source| LoadError::Read { run: run.clone(), source })?;
    replay(store, run, None, Seq(0), head)
}

/// The state right after the run's first event, for its plan and facts.
fn first_state(store: &Store, run: &RunId) -> Result<Option<RunState>, LoadError> {
    let records = store
        .records(run, Seq(1))
        .map_err(|source| LoadError::Read { run: run.clone(), source })?;
    for record in records.take(2) {
        let record = record.map_err(|source| LoadError::Damaged { run: run.clone(), source })?;
        if let Entry::Event(event) = read_entry(run, &record)? {
            return RunState::begin(record.time, &event).map(Some).map_err(|source| {
                LoadError::Illegal { run: run.clone(), seq: record.seq.0, source }
            });
        }
    }
    Ok(None)
}

fn replay(
    store: &Store,
    run: &RunId,
    start: Option<(RunState, Option<(StepId, ChainHash)>)>,
    after: Seq,
    mut head: Head,
) -> Result<Loaded, LoadError> {
    let (mut state, mut proven) = match start {
        Some((state, proven)) => (Some(state), proven),
        None => (None, None),
    };
    let mut since_fold = 0;
    let records = store
        .records(run, after.next())
        .map_err(|source| LoadError::Read { run: run.clone(), source })?;
    for record in records {
        let record = record.map_err(|source| LoadError::Damaged { run: run.clone(), source })?;
        since_fold += 1;
        if record.seq >= head.seq {
            head = Head { seq: record.seq, decision: record.decision, hash: record.hash };
        }
        // State follows from events alone; the chain has covered the bytes of the input already.
        if record.kind == INPUT_KIND {
            continue;
        }
        let Entry::Event(event) = read_entry(run, &record)? else { continue };
        if let Event::StepProven { step, .. } = &*event {
            proven = Some((step.clone(), record.hash));
        }
        let applied = match &mut state {
            Some(state) => state.apply(record.time, &event),
            None => RunState::begin(record.time, &event).map(|begun| state = Some(begun)),
        };
        applied.map_err(|source| LoadError::Illegal {
            run: run.clone(),
            seq: record.seq.0,
            source,
        })?;
    }
    match state {
        Some(state) => Ok(Loaded { state, head, proven, since_fold }),
        None => Err(LoadError::Empty { run: run.clone() }),
    }
}

fn read_entry(run: &RunId, record: &Record) -> Result<Entry, LoadError> {
    entry(record).map_err(|source| LoadError::Record { run: run.clone(), source })
}
