//! What follows from an input.
//!
//! One file per kind of input. Each file answers two questions: may this input be taken in this
//! state, and which facts does it cause directly. What then follows by itself (the next step takes
//! the place, the next attempt starts, the run is complete) is in `advance.rs` and is part of the
//! same decision, so a journal is never cut between a cause and its consequence.

mod advance;
mod attempt;
mod blocker;
mod bug;
mod checkpoint;
mod cold;
mod context;
mod control;
mod draft;
mod gate;
mod item;
mod note;
mod publish;
mod question;
mod rollback;
mod session;
mod step;
mod trouble;
mod verified;

#[cfg(test)]
mod attempt_tests;
#[cfg(test)]
mod blocker_tests;
#[cfg(test)]
mod cold_tests;
#[cfg(test)]
mod context_tests;
#[cfg(test)]
mod control_tests;
#[cfg(test)]
mod failed_tests;
#[cfg(test)]
mod gate_tests;
#[cfg(test)]
mod group_tests;
#[cfg(test)]
mod item_tests;
#[cfg(test)]
mod keeps_tests;
#[cfg(test)]
mod note_tests;
#[cfg(test)]
mod path_tests;
#[cfg(test)]
mod publish_tests;
#[cfg(test)]
mod question_tests;
#[cfg(test)]
mod rollback_tests;
#[cfg(test)]
mod session_tests;
#[cfg(test)]
mod skip_tests;
#[cfg(test)]
mod step_tests;
#[cfg(test)]
mod tdd_tests;
#[cfg(test)]
mod team_tests;
#[cfg(test)]
mod trouble_tests;
#[cfg(test)]
mod unseen_tests;
#[cfg(test)]
mod verified_tests;

use crate::id::{AttemptId, GateId, ItemId, StepId};
use crate::item::{BadItem, ItemSource};
use crate::run::state::RunState;
use crate::run::{Decision, Event, Input, InputKind};

use draft::Draft;

pub use attempt::limit_without_reset;
pub use blocker::why_it_stays;
pub use publish::LEFT_OUT;
pub(crate) use verified::SAME_FAILURE;
pub use verified::failure_signature;

/// Raised whenever the same state and input would give other events than before.
///
/// `audit` replays decisions of this version through [`decide`], and others by their events alone.
pub const DECIDER_VERSION: u32 = 8;

/// Why an input was not taken. Nothing is journalled for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum Rejected {
    #[error("the run has ended")]
    Ended,
    #[error("the run has already started")]
    AlreadyStarted,
    #[error("the attempt `{attempt}` is not the current one")]
    StaleAttempt { attempt: AttemptId },
    #[error("the verification is not the current one")]
    StaleVerification,
    #[error("no step expects this report")]
    NotExpected,
    #[error("no session drives the run")]
    NoSession,
    #[error("the attempt `{attempt}` is assigned to another subagent")]
    Taken { attempt: AttemptId },
    #[error("there is no step `{step}` in this run")]
    UnknownStep { step: StepId },
    #[error("no gate waits for an answer")]
    NoGate,
    #[error("the gate that was shown is not the one that waits now")]
    StaleGate { shown: GateId, now: GateId },
    #[error("the step `{step}` does not publish `{key}`")]
    NotPublished { step: StepId, key: String, published: Vec<String> },
    #[error("`{key}` must be {expected}")]
    WrongType { key: String, expected: String },
    #[error("the run is busy: {what}")]
    Busy { what: String },
    #[error("the step `{step}` is {status} already")]
    StepFinished { step: StepId, status: String },
    #[error("the step `{step}` has not begun")]
    NotBegun { step: StepId },
    #[error("the run is not paused")]
    NotPaused,
    #[error("the run is paused already")]
    AlreadyPaused,
    #[error("the tries of `{step}` are used up")]
    Exhausted { step: StepId },
    #[error("no step has failed")]
    NothingFailed,
    #[error("this run ends without a proof on a fresh clone already")]
    NoColdProof,
    #[error("a reason is needed")]
    NoReason,
    #[error("`{key}` is too large: a value has at most 32 KiB, and all of them 256 KiB")]
    TooLarge { key: String },
    #[error("this attempt has published {max} times already")]
    PublishedTooOften { max: u32 },
    #[error("only a person can decide this")]
    NotAPerson,
    #[error("windlass itself does `{step}`: nobody there can act on feedback")]
    NobodyWorks { step: StepId },
    #[error("no step of this run repeats over items")]
    NoItems,
    #[error("the step `{step}` does not repeat over items")]
    NoForeach { step: StepId },
    #[error("more than one step repeats over items")]
    WhichForeach { steps: Vec<StepId> },
    #[error("there is no item `{item}` in this run")]
    UnknownItem { item: ItemId, known: Vec<ItemId> },
    #[error("there is an item `{item}` already")]
    ItemTaken { item: ItemId },
    #[error("the item `{item}` has come up already")]
    ItemBegun { item: ItemId },
    #[error("the item `{item}` is skipped already")]
    ItemSkipped { item: ItemId },
    #[error("the item `{item}` is not skipped")]
    ItemNotSkipped { item: ItemId },
    #[error("another step or a person asked for the item `{item}`")]
    NotYourItem { item: ItemId },
    #[error("the step `{step}` may not add items")]
    MayNotAddItems { step: StepId },
    #[error("`{step}` has all the items that it may have: `max: {max}`")]
    TooManyItems { step: StepId, max: u32 },
    #[error("all items together are too large: their bodies have at most 1 MiB")]
    ItemsTooLarge,
    #[error("the item `{item}` would depend on itself")]
    DependencyCycle { item: ItemId },
    #[error("the item `{item}` cannot come before itself")]
    BeforeItself { item: ItemId },
    #[error("a blocker is text of at most 2 KiB, and its check a command of at most 4 KiB")]
    BadBlocker,
    #[error("{max} blockers are open already")]
    TooManyBlockers { max: usize },
    #[error("more than one blocker is open")]
    WhichBlocker { open: Vec<u32> },
    #[error("more than one step is blocked")]
    WhichBlocked { steps: Vec<StepId> },
    #[error("{}", nothing_blocked(what.as_deref()))]
    NothingBlocked { what: Option<String> },
    #[error("there is a checkpoint `{name}` already")]
    CheckpointTaken { name: String },
    #[error("there is no checkpoint `{name}`")]
    UnknownCheckpoint { name: String, known: Vec<String> },
    #[error("the name of a checkpoint is 1 to 64 letters, digits, `-`, `_` and `.`")]
    BadCheckpoint,
    #[error("the workflow of this run opens no pull request")]
    NothingToPublish,
    #[error("no item is blocked: the workflow opens the pull request itself")]
    NothingLeftOut,
    #[error("no question `{question}` waits for an answer")]
    UnknownQuestion { question: String, open: Vec<String> },
    #[error("the question has no choice `{choice}`")]
    UnknownChoice { choice: String, choices: Vec<String> },
    #[error("`{category}` is not a category of clarifications")]
    UnknownCategory { category: String, known: Vec<String> },
    #[error("the run has {max} clarifications already")]
    TooManyClarifications { max: usize },
    #[error("an answer is text of at most 2 KiB")]
    AnswerTooLong,
    #[error("items are not set as a context key")]
    ItemsAreAdded,
    #[error("your attempt is not about `{about}`")]
    NotYourWork { about: String },
    #[error("`{about}` is finished")]
    AlreadyOver { about: String },
    #[error("a failure has at most 1000 bytes")]
    NoteTooLong,
    #[error("{detail}")]
    Bug { detail: String },
    #[error(transparent)]
    BadItem(#[from] BadItem),
}

fn nothing_blocked(what: Option<&str>) -> String {
    match what {
        Some(what) => format!("`{what}` is not an open blocker, and no blocked item or step"),
        None => "nothing is blocked".to_owned(),
    }
}

/// Starts a run: returns its first state and the events of its first decision.
///
/// # Errors
/// The input is not `start`, or the plan has items that no step of it can repeat over.
pub fn start(input: &Input) -> Result<(RunState, Vec<Event>), Rejected> {
    let InputKind::Start { plan, facts } = &input.kind else {
        return Err(Rejected::NotExpected);
    };
    let started = Event::RunStarted { plan: plan.clone(), facts: facts.clone() };
    let state = RunState::begin(input.at, &started).map_err(|_| Rejected::NotExpected)?;
    let mut draft = Draft::new(&state, input);
    for new in &plan.items {
        let source = ItemSource::Person { name: draft.actor() };
        item::add(&mut draft, new, source)?;
    }
    advance::advance(&mut draft);
    let (state, mut events) = draft.finish();
    events.insert(0, started);
    Ok((state, events))
}

/// Says which events follow from `input`.
///
/// Pure: the state is left as it is. An empty list means that the input changes nothing. A fault of
/// the decider itself pauses the run.
///
/// # Errors
/// The input cannot be taken in this state.
pub fn decide(state: &RunState, input: &Input) -> Result<Vec<Event>, Rejected> {
    if state.is_ended() {
        return Err(Rejected::Ended);
    }
    bug::contained(state, input, || follow(state, input))
}

fn follow(state: &RunState, input: &Input) -> Result<Vec<Event>, Rejected> {
    let mut draft = Draft::new(state, input);
    match &input.kind {
        InputKind::Start { .. } => return Err(Rejected::AlreadyStarted),
        InputKind::DriverTookOver { driver, session, boxes } => {
            session::withdraw_offers(&mut draft);
            draft.emit(Event::DriverTookOver {
                driver: *driver,
                session: session.clone(),
                boxes: *boxes,
            });
        }
        InputKind::DriverLeft => {
            if draft.state.driver.is_some() {
                session::withdraw_offers(&mut draft);
                draft.emit(Event::DriverLeft);
            }
        }
        InputKind::OfferTaken { attempt, call } => session::taken(&mut draft, attempt, call)?,
        InputKind::HandedOver { attempt, agent } => {
            session::handed_over(&mut draft, attempt, agent)?;
        }
        InputKind::StopAsked { idle_blocks, cap } => {
            session::stop_asked(&mut draft, *idle_blocks, *cap)?;
        }
        InputKind::PersonSpoke => session::person_spoke(&mut draft),
        InputKind::SessionNoted { event } => {
            draft.emit(Event::SessionNoted { event: event.clone() });
        }
        InputKind::WhenEvaluated { step, epoch, value } => {
            step::when_evaluated(&mut draft, step, *epoch, value)?;
        }
        InputKind::TasksRead { step, epoch, file, tasks } => {
            item::tasks_read(&mut draft, step, *epoch, file, tasks)?;
        }
        InputKind::ItemAsked { attempt, item } => {
            item::asked_by_agent(&mut draft, attempt, item)?;
        }
        InputKind::ItemChanged { attempt, item, change } => {
            item::changed_by_agent(&mut draft, attempt, item, change)?;
        }
        InputKind::HelpAsked { attempt, blocker } => {
            blocker::asked_by_agent(&mut draft, attempt, blocker)?;
        }
        InputKind::BlockerLookedAt { blocker, look, report } => {
            blocker::looked_at(&mut draft, *blocker, *look, report)?;
        }
        InputKind::FailureNoted { attempt, about, category, summary } => {
            note::by_agent(&mut draft, attempt, about, *category, summary)?;
        }
        InputKind::BaselineTaken { step, epoch, baseline } => {
            step::baseline_taken(&mut draft, step, *epoch, baseline)?;
        }
        InputKind::Adopted { step, epoch, snapshot, untouched } => {
            step::adopted(&mut draft, step, *epoch, snapshot, *untouched)?;
        }
        InputKind::Committed { step, code, parent, commit } => {
            step::committed(&mut draft, step, code, parent, commit)?;
        }
        InputKind::CommitRefused { step, code, parent, message } => {
            step::commit_refused(&mut draft, step, code, parent, message)?;
        }
        InputKind::Published { step, epoch, publication } => {
            publish::published(&mut draft, step, *epoch, publication)?;
        }
        InputKind::PublishRefused { step, epoch, message, settings } => {
            publish::refused(&mut draft, step, *epoch, message, settings.as_ref())?;
        }
        InputKind::ColdProved { proof, report } => cold::proved(&mut draft, *proof, report)?,
        InputKind::TimerFired { key } => step::timer_fired(&mut draft, key, input.at),
        InputKind::ContextSet { attempt, key, value } => {
            context::set(&mut draft, attempt, key, value)?;
        }
        InputKind::AttemptEnded { attempt, report, snapshot, jitter } => {
            attempt::ended(&mut draft, attempt, report, snapshot, *jitter)?;
        }
        InputKind::AttemptLost { attempt, snapshot, trouble, usage, last_seen, boxed } => {
            attempt::lost(&mut draft, attempt, snapshot, trouble, usage, *last_seen, *boxed)?;
        }
        InputKind::Verified { verification, report, jitter } => {
            verified::verified(&mut draft, *verification, report, *jitter)?;
        }
        InputKind::Decided(decision) | InputKind::DecidedAt { decision, .. } => {
            decided(&mut draft, decision)?;
        }
    }
    advance::advance(&mut draft);
    Ok(draft.finish().1)
}

fn decided(draft: &mut Draft, decision: &Decision) -> Result<(), Rejected> {
    if !draft.is_by_person() {
        return Err(Rejected::NotAPerson);
    }
    match decision {
        Decision::Approve { gate, message, observed, changed } => {
            gate::approve(draft, *gate, message.as_deref(), observed, changed)
        }
        Decision::Feedback { message, observed } => gate::feedback(draft, message, observed),
        Decision::Rollback { step, message, reset_code, checkpoint, observed } => {
            let reset = match checkpoint {
                Some(name) => rollback::Reset::Checkpoint(name),
                None if *reset_code => rollback::Reset::Code,
                None => rollback::Reset::Nothing,
            };
            rollback::by_person(draft, step, message, reset, observed)
        }
        Decision::Checkpoint { name, observed } => {
            checkpoint::make(draft, name.as_deref(), observed)
        }
        Decision::PublishDraft => publish::draft(draft),
        Decision::Skip { step, reason, keep } => control::skip(draft, step, reason, *keep),
        Decision::Pause { now } => control::pause(draft, *now),
        Decision::Resume { raise } => control::resume(draft, raise),
        Decision::PlayBy { played_by } => control::play_by(draft, played_by),
        Decision::WaiveCold { reason } => cold::waive(draft, reason),
        Decision::RetryReset { step } => control::retry_reset(draft, step.as_ref()),
        Decision::AddItem { item } => {
            let source = ItemSource::Person { name: draft.actor() };
            item::add(draft, item, source)
        }
        Decision::UpdateItem { item, change } => item::update(draft, item, change),
        Decision::Block { blocker } => blocker::asked_by_person(draft, blocker),
        Decision::Fixed { what, notes } => blocker::fixed(draft, what.as_deref(), notes.as_deref()),
        Decision::Answer { question, choice, text } => {
            question::answered(draft, question, choice.as_deref(), text.as_deref())
        }
        Decision::Clarify { phase, category, question, text } => {
            question::said(draft, *phase, category, question, text)
        }
        Decision::MoveItem { item, before } => item::move_to(draft, item, before.as_ref()),
        Decision::NoteFailure { about, category, summary } => {
            let by = draft.actor();
            note::note(draft, about, *category, summary, by)
        }
        Decision::Abort { reason } => control::abort(draft, reason.as_deref()),
    }
}
