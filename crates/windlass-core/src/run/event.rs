//! What happened: the journal's vocabulary. Events are facts, in the past tense.

use serde::{Deserialize, Serialize};

use crate::failure_rules::Cause;
use crate::id::{AttemptId, ContentHash, Fence, GateId, ItemId, ObjectId, StepId, VerificationId};
use crate::item::{Item, ItemChange};
use crate::plan::Plan;
use crate::proof::{AttemptReport, ProtectedChange, Trouble, Usage, VerifyReport};
use crate::question::{Answer, Question};
use crate::run::{
    About, Blocker, Category, Checkpoint, Clarification, Failure, Gate, PauseReason, PlayedBy,
    Presence, Publication, PushSettings, Raise, Resolution, RunFacts, Session, StopReason,
};
use crate::snapshot::{Baseline, Snapshot};
use crate::time::Timestamp;

/// A fact of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(
    missing_docs,
    reason = "the fields are the words of the glossary; the variants say what happened"
)]
pub enum Event {
    /// The run began with this plan. Always the first event, and only that.
    RunStarted { plan: Box<Plan>, facts: Box<RunFacts> },
    /// A driver took the run over; a session drives through its hooks.
    DriverTookOver {
        driver: Fence,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<Session>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        boxes: Option<bool>,
    },
    /// The driver left; nothing new starts until another one takes over.
    DriverLeft,
    /// All that a step needs is there.
    StepReady { step: StepId },
    /// A step took the place.
    StepTaken { step: StepId },
    /// The files that the step begins from were recorded.
    StepBegan { step: StepId, baseline: Baseline },
    /// A step counts as done without being done.
    StepSkipped {
        step: StepId,
        reason: String,
        /// Whether what the step left stays, unproven as it is.
        #[serde(default = "stayed_before", skip_serializing_if = "stays")]
        kept: bool,
    },
    /// A person goes on without a step whose work is proven, and maybe committed: place and branch are
    /// set back to what was proven before it. It is skipped when they are.
    StepTakenBack { step: StepId, reason: String },
    /// An attempt was decided on; its process starts after this is durable.
    /// `resumes` names the agent's own conversation when it goes on.
    AttemptStarted {
        attempt: AttemptId,
        try_number: u32,
        driver: Fence,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resumes: Option<String>,
        /// Whether it runs in a box, where the driver knows; older journals say so when it has ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        boxed: Option<bool>,
    },
    /// The session took the attempt that it was offered: its subagent is about to start.
    OfferTaken { attempt: AttemptId, call: String },
    /// Nobody took the attempt that was offered, and nobody is to: it never was.
    OfferWithdrawn { attempt: AttemptId },
    /// The session's subagent for the attempt is there.
    AttemptHandedOver { attempt: AttemptId, agent: String },
    /// The work of the attempt is not proven, and its subagent goes on with it.
    RoundFailed { attempt: AttemptId, failure: Failure, report: Box<VerifyReport> },
    /// The session wanted to stop, and was sent on.
    StopBlocked,
    /// A person said something in the session; how often it was sent on counts from zero.
    BlocksReset,
    /// The session told of something that changes nothing.
    SessionNoted { event: String },
    /// An attempt is to be stopped.
    StopRequested { attempt: AttemptId, reason: StopReason },
    /// An agent set a context key.
    ContextSet { step: StepId, key: String, value: serde_json::Value },
    /// An attempt ended; its files are kept.
    AttemptEnded { attempt: AttemptId, report: Box<AttemptReport>, snapshot: Snapshot },
    /// An attempt died with its driver; its files are kept.
    AttemptLost {
        attempt: AttemptId,
        snapshot: Snapshot,
        trouble: Vec<Trouble>,
        #[serde(default, skip_serializing_if = "super::input::is_unknown")]
        usage: Usage,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_seen: Option<Timestamp>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        boxed: Option<bool>,
    },
    /// A snapshot is to be verified.
    VerificationStarted {
        verification: VerificationId,
        step: StepId,
        snapshot: Snapshot,
        reason: VerifyReason,
    },
    /// A verification was given up because the run stops.
    VerificationAbandoned { verification: VerificationId },
    /// The verifier could not do its work.
    VerificationBroken { step: StepId, message: String },
    /// The surroundings kept the checks from an answer about the work: they are run again.
    VerificationHindered { step: StepId, failure: Failure, cause: Cause, report: Box<VerifyReport> },
    /// The criterion holds on the snapshot.
    StepProven { step: StepId, snapshot: Snapshot, report: Box<VerifyReport> },
    /// The criterion does not hold; without an attempt behind it this costs no try.
    StepNotProven {
        step: StepId,
        failure: Failure,
        report: Option<Box<VerifyReport>>,
        costs_try: bool,
        /// Whether it would cost a try, were the surroundings not at fault.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        of_surroundings: bool,
    },
    /// The step waits before its next attempt.
    WaitStarted { step: StepId, until: Timestamp, limit: bool },
    /// The wait is over.
    WaitEnded { step: StepId },
    /// Proven work was committed on the run's branch.
    StepCommitted { step: StepId, commit: ObjectId, code: ObjectId },
    /// What a spoke wrote was brought into the run's place. `untouched` when nobody else had changed
    /// the code there, so that all of it is proven.
    StepAdopted { step: StepId, snapshot: Snapshot, untouched: bool },
    /// The run's branch is to be pushed and its pull request opened. `expected` is where the branch
    /// was last seen at the remote.
    PublishIntended { step: StepId, commit: ObjectId, expected: Option<ObjectId> },
    /// The branch is at the remote, and the pull request is open where that could be done.
    Published { step: StepId, publication: Publication },
    /// It could not be published; a person has to help. `settings` are those that the person was
    /// told about: a resume accepts them.
    PublishRefused {
        step: StepId,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settings: Option<PushSettings>,
    },
    /// A person who was told which settings differ wants the step to publish with them.
    PushSettingsAccepted { step: StepId },
    /// A person has to decide.
    GateOpened { gate: Gate },
    /// A person accepted what was shown; `in_advance` when that was with `--yes`.
    GateApproved {
        gate: GateId,
        by: String,
        message: Option<String>,
        in_advance: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        presence: Option<Presence>,
    },
    /// The files changed between showing and answering.
    GateAnswerRefused { gate: GateId, observed: Snapshot, changed: Vec<String> },
    /// A person accepted changed protected files.
    ProtectedPinned { changes: Vec<ProtectedChange> },
    /// A person sent a step back.
    FeedbackGiven {
        step: StepId,
        by: String,
        message: String,
        observed: Snapshot,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        presence: Option<Presence>,
    },
    /// A verdict led to another step.
    RouteTaken { step: StepId, verdict: String, target: StepId },
    /// The run went back to a step; all that depends on it is open again.
    RolledBack {
        target: StepId,
        by: String,
        message: String,
        files: Vec<String>,
        reset_code: bool,
        /// The code that it goes back to, where that is not what the step began from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<ObjectId>,
        observed: Snapshot,
        /// What counts as a failed try of the step, where the rollback comes of one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Box<Failure>>,
        /// Where the person was, where one went back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        presence: Option<Presence>,
    },
    /// A step is done.
    StepDone { step: StepId },
    /// A step counts as done although its proof is missing.
    StepWaived {
        step: StepId,
        /// Whether its work stays, unproven as it is; otherwise the place is set back to proven code.
        #[serde(default = "stayed_before", skip_serializing_if = "stays")]
        kept: bool,
    },
    /// A try that broke what its step keeps is taken back: the place is set to what the step began
    /// from, and its next try begins there.
    WorkReverted { step: StepId },
    /// A step's tries are used up.
    StepFailed { step: StepId },
    /// A step cannot go on; others can.
    StepBlocked { step: StepId, reason: String },
    /// A step that repeats over items begins with them; its task list is read first, if it has one.
    RepeatBegan { step: StepId },
    /// The task list of a step was read; the items that it holds were added.
    TasksRead { step: StepId, tasks: u32 },
    /// There is one more item to repeat over.
    ItemAdded { item: Item },
    /// An item that had not come up is different now.
    ItemUpdated { item: ItemId, change: ItemChange },
    /// An item came up: its steps are part of the plan from here on.
    ItemOpened { item: ItemId },
    /// An item that had not come up has another place among the items: before `before`, else last.
    ItemMoved { item: ItemId, before: Option<ItemId> },
    /// An item is stuck: what was done for it leaves the place, so that nobody builds on half of it.
    ItemTakenBack { item: ItemId, code: ObjectId },
    /// An item that was stuck goes on with what was done for it.
    ItemGoesOn { item: ItemId },
    /// Somebody noted a failure.
    FailureNoted { about: About, category: Category, summary: String, by: String },
    /// Something outside the run has to be solved by a person.
    BlockerRaised { message: String },
    /// A person has to put something right before the run continues.
    BlockerOpened { blocker: Box<Blocker> },
    /// It is looked at whether a blocker is solved; a person says so, or it was time.
    BlockerLookedAt {
        blocker: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<String>,
    },
    /// A blocker is not solved, or the work does not hold any more.
    BlockerStays { blocker: u32, why: String },
    /// A blocker is solved.
    BlockerResolved { blocker: u32, resolution: Resolution },
    /// A person told what was done about a blocked step.
    ResolutionNoted { step: StepId, by: String, notes: String },
    /// People are told how far the items of a step have come.
    ProgressReported { step: StepId, finished: u32 },
    /// A person gave a state of the code a name.
    CheckpointMade { checkpoint: Box<Checkpoint> },
    /// A person wants a pull request that is not ready, without what is blocked.
    DraftAsked { by: String },
    /// What an agent wants to know is asked; silence answers at `until`, where it may.
    QuestionsAsked { step: StepId, questions: Vec<Question>, until: Timestamp },
    /// A question is answered, by a person or by silence.
    QuestionAnswered { answer: Answer },
    /// A person told something unasked that agents should know.
    ClarificationAdded { clarification: Box<Clarification> },
    /// What has to hold at the end is being proven once more, on a fresh clone of this code. `checks`
    /// names what is looked at.
    ColdProofBegan { proof: u32, code: ObjectId, checks: Vec<ContentHash> },
    /// All of it holds on a fresh clone.
    ColdProofHeld { proof: u32, report: Box<VerifyReport> },
    /// What `step` proved does not hold on a fresh clone.
    ColdProofFailed { proof: u32, step: StepId, failure: Failure, report: Box<VerifyReport> },
    /// Whether it holds on a fresh clone could not be found out.
    ColdProofBroken { proof: u32, message: String, report: Box<VerifyReport> },
    /// The proof on a fresh clone was given up: the run stops, or goes elsewhere.
    ColdProofAbandoned { proof: u32 },
    /// A person lets the run end without a proof on a fresh clone.
    ColdProofWaived { reason: String },
    /// Somebody else plays the agents from now on.
    AgentChanged { by: String, played_by: PlayedBy },
    /// No new attempt starts.
    RunPaused { reason: PauseReason, detail: String },
    /// The run goes on.
    RunResumed { raise: Raise },
    /// The tries of a step count from zero again.
    RetriesReset { step: StepId },
    /// The run is to end.
    AbortRequested { reason: Option<String> },
    /// The run ended without being complete.
    RunAborted,
    /// All steps are done or skipped.
    RunCompleted,
}

/// Why a snapshot is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyReason {
    /// An attempt ended.
    AttemptEnded,
    /// The work may be there already: lost, resumed, or `satisfied: ok`.
    MayBeDone,
    /// The steps nested in this one are done.
    GroupDone,
    /// Windlass is about to publish.
    BeforePublishing,
    /// The files changed while a gate was open.
    ChangedAtGate,
    /// Protected files were pinned anew.
    Pinned,
    /// The files changed between the snapshot and its verification.
    MovedOn,
}

impl Event {
    /// Returns the event's name as it stands in the journal.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::DriverTookOver { .. } => "driver_took_over",
            Self::DriverLeft => "driver_left",
            Self::StepReady { .. } => "step_ready",
            Self::StepTaken { .. } => "step_taken",
            Self::StepBegan { .. } => "step_began",
            Self::StepSkipped { .. } => "step_skipped",
            Self::StepTakenBack { .. } => "step_taken_back",
            Self::AttemptStarted { .. } => "attempt_started",
            Self::OfferTaken { .. } => "offer_taken",
            Self::OfferWithdrawn { .. } => "offer_withdrawn",
            Self::AttemptHandedOver { .. } => "attempt_handed_over",
            Self::RoundFailed { .. } => "round_failed",
            Self::StopBlocked => "stop_blocked",
            Self::BlocksReset => "blocks_reset",
            Self::SessionNoted { .. } => "session_noted",
            Self::StopRequested { .. } => "stop_requested",
            Self::ContextSet { .. } => "context_set",
            Self::AttemptEnded { .. } => "attempt_ended",
            Self::AttemptLost { .. } => "attempt_lost",
            Self::VerificationStarted { .. } => "verification_started",
            Self::VerificationAbandoned { .. } => "verification_abandoned",
            Self::VerificationBroken { .. } => "verification_broken",
            Self::VerificationHindered { .. } => "verification_hindered",
            Self::StepProven { .. } => "step_proven",
            Self::StepNotProven { .. } => "step_not_proven",
            Self::WaitStarted { .. } => "wait_started",
            Self::WaitEnded { .. } => "wait_ended",
            Self::StepCommitted { .. } => "step_committed",
            Self::StepAdopted { .. } => "step_adopted",
            Self::PublishIntended { .. } => "publish_intended",
            Self::Published { .. } => "published",
            Self::PublishRefused { .. } => "publish_refused",
            Self::PushSettingsAccepted { .. } => "push_settings_accepted",
            Self::GateOpened { .. } => "gate_opened",
            Self::GateApproved { .. } => "gate_approved",
            Self::GateAnswerRefused { .. } => "gate_answer_refused",
            Self::ProtectedPinned { .. } => "protected_pinned",
            Self::FeedbackGiven { .. } => "feedback_given",
            Self::RouteTaken { .. } => "route_taken",
            Self::RolledBack { .. } => "rolled_back",
            Self::StepDone { .. } => "step_done",
            Self::StepWaived { .. } => "step_waived",
            Self::WorkReverted { .. } => "work_reverted",
            Self::StepFailed { .. } => "step_failed",
            Self::StepBlocked { .. } => "step_blocked",
            Self::RepeatBegan { .. } => "repeat_began",
            Self::TasksRead { .. } => "tasks_read",
            Self::ItemAdded { .. } => "item_added",
            Self::ItemUpdated { .. } => "item_updated",
            Self::ItemOpened { .. } => "item_opened",
            Self::ItemMoved { .. } => "item_moved",
            Self::ItemTakenBack { .. } => "item_taken_back",
            Self::ItemGoesOn { .. } => "item_goes_on",
            Self::FailureNoted { .. } => "failure_noted",
            Self::BlockerRaised { .. } => "blocker_raised",
            Self::BlockerOpened { .. } => "blocker_opened",
            Self::BlockerLookedAt { .. } => "blocker_looked_at",
            Self::BlockerStays { .. } => "blocker_stays",
            Self::BlockerResolved { .. } => "blocker_resolved",
            Self::ResolutionNoted { .. } => "resolution_noted",
            Self::ProgressReported { .. } => "progress_reported",
            Self::CheckpointMade { .. } => "checkpoint_made",
            Self::DraftAsked { .. } => "draft_asked",
            Self::QuestionsAsked { .. } => "questions_asked",
            Self::QuestionAnswered { .. } => "question_answered",
            Self::ClarificationAdded { .. } => "clarification_added",
            Self::ColdProofBegan { .. } => "cold_proof_began",
            Self::ColdProofHeld { .. } => "cold_proof_held",
            Self::ColdProofFailed { .. } => "cold_proof_failed",
            Self::ColdProofBroken { .. } => "cold_proof_broken",
            Self::ColdProofAbandoned { .. } => "cold_proof_abandoned",
            Self::ColdProofWaived { .. } => "cold_proof_waived",
            Self::AgentChanged { .. } => "agent_changed",
            Self::RunPaused { .. } => "run_paused",
            Self::RunResumed { .. } => "run_resumed",
            Self::RetriesReset { .. } => "retries_reset",
            Self::AbortRequested { .. } => "abort_requested",
            Self::RunAborted => "run_aborted",
            Self::RunCompleted => "run_completed",
        }
    }
}

/// Older journals do not say whether what a step left stays: it always did.
pub(super) fn stayed_before() -> bool {
    true
}

/// Whether what a step left stays, which journals do not say.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for this signature")]
pub(super) fn stays(kept: &bool) -> bool {
    *kept
}
