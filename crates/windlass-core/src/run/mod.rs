//! The machine: three pure functions over a run.
//!
//! - [`decide`] says which events follow from an [`Input`], or why the input is refused.
//! - [`RunState::apply`] is the only mutator; state is a fold of it over the journal.
//! - [`outstanding`] says what should be happening now. A restart folds the journal and ensures
//!   these effects; there is no other recovery code.
//!
//! Invariants, each held by a property test:
//! the events of one decision are appended together or not at all; an effect may be performed
//! twice; a report that names another attempt or verification than the current one is refused;
//! no event follows a terminal one.

mod actor;
mod advice;
mod apply;
mod base_record;
mod blocker;
mod bounds;
mod clarification;
mod cold;
mod cold_checks;
mod decide;
mod effect;
mod event;
mod failure;
mod format;
mod held;
mod input;
mod items;
mod not_part;
mod noted;
mod outstanding;
mod presence;
mod session;
mod settings;
mod state;
mod status;
#[cfg(test)]
pub(crate) mod testing;
mod unseen;

pub use crate::failure_rules::Category;
pub use crate::proof::{FailedElsewhere, MAX_ELSEWHERE, MAX_ELSEWHERE_PATHS};
pub use actor::{Actor, UnknownActor};
pub use advice::{Advice, advice};
pub use apply::IllegalEvent;
pub use base_record::{BaseOutcome, BaseRecord, BaseResult, MAX_FAILING_NAMES};
pub use blocker::{
    Blocker, BlockerCheck, BlockerKind, MAX_BLOCKER_BYTES, MAX_BLOCKER_CHECK_BYTES, NewBlocker,
    Resolution, Severity,
};
pub use bounds::{StepBounds, step_bounds};
pub use clarification::{Clarification, QUESTIONS_WAIT};
pub use cold::{Cold, ColdProof, ColdSubject};
pub use cold_checks::ColdCheck;
pub(crate) use decide::SAME_FAILURE;
pub use decide::{
    DECIDER_VERSION, LEFT_OUT, Rejected, decide, failure_signature, limit_without_reset, start,
    why_it_stays,
};
pub use effect::{Effect, TimerKey};
pub use event::{Event, VerifyReason};
pub use failure::{AskedBefore, FailedBefore, FailedCheck, Failure, Looked};
pub use format::{FOLD_FORMAT, JOURNAL_FORMAT};
pub use input::{
    BaselineRequest, Decision, EVEN_CHANCE, Input, InputKind, PlayedBy, Raise, RunFacts, aside_file,
};
pub use items::ItemStatus;
pub use not_part::is_no_part;
pub use noted::{About, MAX_NOTE_BYTES, Noted};
pub use outstanding::outstanding;
pub use presence::{DecidedFrom, Presence};
pub use session::{
    BLOCKS_IN_A_ROW, BLOCKS_IN_ALL, Blocks, HandOver, HostKind, HostProcess, ROUNDS_END, Session,
};
pub use settings::PushSettings;
pub use state::{
    Checkpoint, Control, Gate, GateKind, Hotfix, ItemState, PauseReason, Phase, Publication,
    RunState, Spent, StepState, StopReason, Told,
};
pub use status::{RunStatus, StepStatus};
pub use unseen::Unseen;
