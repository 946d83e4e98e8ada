//! Deciding and appending: the only way a run changes.

use windlass_core::id::{Fence, RunId, StepId};
use windlass_core::run::{
    Actor, DECIDER_VERSION, Event, FOLD_FORMAT, Input, InputKind, Rejected, RunState, decide, start,
};

use super::load::{LoadError, StoredFold, load};
use super::record::records;
use crate::fault;
use crate::store::{
    Append, AppendError, ChainHash, CreateRunError, Head, InboxId, Life, Listing, NewFold, NewPass,
    NewRun, ReadError, Store,
};

/// How many records may pass before the fold is stored again; plans with more steps than that get
/// one per as many records as they have steps, so that folding stays cheap per decision.
const FOLD_EVERY: u64 = 256;

/// Why a decision was not made.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum DecideError {
    #[error(transparent)]
    Rejected(#[from] Rejected),
    #[error("the decision could not be written to the journal")]
    Append(#[source] AppendError),
    #[error("the run could not be created")]
    Create(#[source] CreateRunError),
    #[error("the run could not be taken over")]
    TakeOver(#[source] ReadError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("the decision could not be encoded")]
    Encode(#[source] serde_json::Error),
}

/// One decision that was made and is durable.
#[derive(Debug)]
pub struct Step {
    /// The input.
    pub input: Input,
    /// What followed.
    pub events: Vec<Event>,
}

/// A run that this process may write, as long as nobody raises the fence.
#[derive(Debug)]
pub struct Journal {
    store: Store,
    run: RunId,
    fence: Fence,
    state: RunState,
    head: Head,
    proven: Option<(StepId, ChainHash)>,
    since_fold: u64,
}

/// Creates a run with its first decision.
///
/// # Errors
/// The place is taken by another unfinished run, or the store has a fault.
pub fn create(store: &mut Store, input: &Input) -> Result<RunState, DecideError> {
    let (state, events) = start(input)?;
    let records = records(input, DECIDER_VERSION, &events).map_err(DecideError::Encode)?;
    let summary = summary(&state);
    store
        .create_run(&NewRun {
            id: &state.facts.run,
            place: Some(&state.facts.place),
            time: input.at,
            actor: &input.actor.to_string(),
            records,
            fold: None,
            listing: listing(&state, &summary),
        })
        .map_err(DecideError::Create)?;
    Ok(state)
}

impl Journal {
    /// Takes a run over: whoever wrote it before can write no more.
    ///
    /// The caller holds the driver lock.
    ///
    /// # Errors
    /// The journal cannot be read, or the store has a fault.
    pub fn take_over(mut store: Store, run: &RunId) -> Result<Self, DecideError> {
        let fence = store.raise_fence(run).map_err(DecideError::TakeOver)?;
        let loaded = load(&store, run)?;
        Ok(Self {
            store,
            run: run.clone(),
            fence,
            state: loaded.state,
            head: loaded.head,
            proven: loaded.proven,
            since_fold: loaded.since_fold,
        })
    }

    /// Goes on writing under the fence that is in force: another process of the same driver did so
    /// before.
    ///
    /// The caller holds the driver lock.
    ///
    /// # Errors
    /// The journal cannot be read, or the store has a fault.
    pub fn join(store: Store, run: &RunId) -> Result<Self, DecideError> {
        let fence = store.fence(run).map_err(DecideError::TakeOver)?;
        let loaded = load(&store, run)?;
        Ok(Self {
            store,
            run: run.clone(),
            fence,
            state: loaded.state,
            head: loaded.head,
            proven: loaded.proven,
            since_fold: loaded.since_fold,
        })
    }

    /// Returns the state.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Returns where the journal ends.
    pub fn head(&self) -> Head {
        self.head
    }

    /// Returns the fence under which this process writes.
    pub fn fence(&self) -> Fence {
        self.fence
    }

    /// Returns the store.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Returns the store, to read from it.
    pub fn stored(&self) -> &Store {
        &self.store
    }

    /// Returns the link of the proof of `step`, which its commit names.
    pub fn proven(&self, step: &StepId) -> Option<ChainHash> {
        self.proven.as_ref().filter(|(proven, _)| proven == step).map(|(_, hash)| *hash)
    }

    /// Decides on `input` and appends what follows.
    ///
    /// `outcomes` answers inbox items in the same transaction. An input that changes nothing is
    /// not appended, unless it answers an item.
    ///
    /// # Errors
    /// The input was rejected, or it could not be appended; then nothing has changed.
    pub fn decide(
        &mut self,
        input: Input,
        outcomes: Vec<(InboxId, Vec<u8>)>,
        passes: Vec<NewPass>,
    ) -> Result<Step, DecideError> {
        let _span =
            tracing::info_span!("decision", run = %self.run, input = %input.kind.name()).entered();
        let events = decide(&self.state, &input)?;
        if events.is_empty() && outcomes.is_empty() {
            return Ok(Step { input, events });
        }
        let mut next = self.state.clone();
        for event in &events {
            next.apply(input.at, event).map_err(|source| LoadError::Illegal {
                run: self.run.clone(),
                seq: self.head.seq.0,
                source,
            })?;
        }
        self.append(&input, &events, &next, outcomes, passes)?;
        self.state = next;
        Ok(Step { input, events })
    }

    fn append(
        &mut self,
        input: &Input,
        events: &[Event],
        next: &RunState,
        outcomes: Vec<(InboxId, Vec<u8>)>,
        passes: Vec<NewPass>,
    ) -> Result<(), DecideError> {
        let records = records(input, DECIDER_VERSION, events).map_err(DecideError::Encode)?;
        let appended = records.len() as u64;
        let proves = events.iter().position(|event| matches!(event, Event::StepProven { .. }));
        let fold = self.fold(next, appended, proves.is_some())?;
        let summary = summary(next);
        fault::point("before-append");
        let head = self
            .store
            .append(&Append {
                run: &self.run,
                fence: self.fence,
                expected: self.head.seq,
                time: input.at,
                actor: &input.actor.to_string(),
                records,
                fold: fold.as_deref().map(|bytes| NewFold { format: FOLD_FORMAT, bytes }),
                listing: listing(next, &summary),
                outcomes,
                passes,
            })
            .map_err(DecideError::Append)?;
        fault::point("after-append");
        self.head = head;
        self.since_fold = if fold.is_some() { 0 } else { self.since_fold + appended };
        if let Some(Event::StepProven { step, .. }) = proves.map(|at| &events[at]) {
            self.proven = self.link_of_proof(step);
        }
        Ok(())
    }

    /// The fold after this decision, when it is time for one.
    fn fold(
        &self,
        next: &RunState,
        appended: u64,
        proves: bool,
    ) -> Result<Option<Vec<u8>>, DecideError> {
        let every = FOLD_EVERY.max(next.steps.len() as u64);
        // The link of a proof is known only after its append; that decision stores no fold.
        if proves || self.since_fold + appended < every {
            return Ok(None);
        }
        let proven = self.proven.as_ref().map(|(step, hash)| (step.clone(), hash.to_string()));
        let fold = StoredFold { state: next.clone(), proven };
        serde_json::to_vec(&fold).map(Some).map_err(DecideError::Encode)
    }

    fn link_of_proof(&self, step: &StepId) -> Option<(StepId, ChainHash)> {
        let from = self.head.seq.0.saturating_sub(64).max(1);
        let records = self.store.records(&self.run, crate::store::Seq(from)).ok()?;
        let proofs = records.filter_map(Result::ok).filter(|record| record.kind == "step_proven");
        proofs.last().map(|record| (step.clone(), record.hash))
    }

    /// Feeds the input that every driver begins with.
    ///
    /// # Errors
    /// As for [`Journal::decide`].
    pub fn greet(
        &mut self,
        at: windlass_core::time::Timestamp,
        session: Option<windlass_core::run::Session>,
        boxes: Option<bool>,
    ) -> Result<Step, DecideError> {
        let kind = InputKind::DriverTookOver { driver: self.fence, session, boxes };
        self.decide(Input { at, actor: Actor::engine(), kind }, Vec::new(), Vec::new())
    }
}

fn listing<'a>(state: &RunState, summary: &'a [u8]) -> Listing<'a> {
    Listing {
        status: state.status().as_str(),
        life: if state.is_ended() { Life::Finished } else { Life::Unfinished },
        summary,
    }
}

/// What a listing shows of a run without reading its journal.
fn summary(state: &RunState) -> Vec<u8> {
    let goal: String = state.plan.goal.chars().take(200).collect();
    serde_json::json!({"workflow": state.plan.workflow, "goal": goal, "branch": state.facts.branch})
        .to_string()
        .into_bytes()
}
