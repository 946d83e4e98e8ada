//! What was observed or asked: the only way anything enters the machine.

use serde::{Deserialize, Serialize};

use crate::id::{AttemptId, Fence, GateId, ItemId, ObjectId, RunId, StepId, VerificationId};
use crate::item::{ItemChange, NewItem, Task};
use crate::plan::Plan;
use crate::proof::{AttemptReport, Trouble, Usage, VerifyReport};
use crate::run::{
    About, Actor, Category, NewBlocker, Presence, Publication, PushSettings, Session, TimerKey,
};
use crate::snapshot::{Baseline, Snapshot};
use crate::time::{Span, Timestamp};

/// Something that was observed or asked, when, and by whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// When, by the clock of the edge; it may go backwards.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// What.
    pub kind: InputKind,
}

/// What a run is about, besides its plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFacts {
    /// The run.
    pub run: RunId,
    /// The branch that proven work is committed on.
    pub branch: String,
    /// The branch or commit that the user had checked out.
    pub base_name: String,
    /// The commit that the run starts from.
    pub base: ObjectId,
    /// The tree of that commit.
    pub base_tree: ObjectId,
    /// Where the run works.
    pub place: String,
    /// Whether that is the user's own checkout.
    pub here: bool,
    /// The person who approved all workflow gates in advance, with `--yes`.
    pub approved_in_advance: Option<String>,
    /// The backend that plays the agents.
    pub backend: String,
    /// The command behind the backend, where it has one.
    pub command: Option<String>,
    /// Whether the repository chose that command, and not whoever started the run: its words then open
    /// nothing of the machine to attempts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub command_from_repository: bool,
    /// Pinned ignored files that checks need: path and blob.
    pub carried: Vec<(String, crate::id::ContentHash)>,
    /// The version of windlass that started the run.
    pub version: String,
    /// How attempts that failed are told apart, as it was configured when the run started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_rules: Vec<crate::failure_rules::FailureRule>,
    /// Services outside the repository that stories may need, as they were configured when the run
    /// started: prompts are made with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<crate::deps::Service>,
    /// The repository's settings that decide about a push; none where no agent can write them, or
    /// where the run publishes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push_settings: Option<PushSettings>,
    /// How long questions wait for an answer; not at all where nobody is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions_wait: Option<Span>,
    /// What the checks said about the base commit; none in journals from before there were baselines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_record: Option<super::BaseRecord>,
    /// Why whoever started it lets it end without a proof on a fresh clone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_cold: Option<String>,
    /// How its commits are written.
    #[serde(default, skip_serializing_if = "crate::plan::CommitStyle::is_usual")]
    pub commits: crate::plan::CommitStyle,
}

/// Who plays the agents of a run since a person chose anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedBy {
    /// The backend.
    pub backend: String,
    /// The command behind it, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl PlayedBy {
    /// Returns what people call it.
    pub fn words(&self) -> String {
        match &self.command {
            Some(command) => format!("`{command}`"),
            None => self.backend.clone(),
        }
    }
}

impl RunFacts {
    /// Returns the facts with somebody else who plays the agents: whoever runs windlass chose the command.
    pub(super) fn played_by(&self, chosen: &PlayedBy) -> Self {
        Self {
            backend: chosen.backend.clone(),
            command: chosen.command.clone(),
            command_from_repository: false,
            ..self.clone()
        }
    }

    /// Stands in for the facts of a stored state until the real ones are put back.
    pub(crate) fn unknown() -> Self {
        Self {
            run: RunId::new(""),
            branch: String::new(),
            base_name: String::new(),
            base: ObjectId::new(""),
            base_tree: ObjectId::new(""),
            place: String::new(),
            here: false,
            approved_in_advance: None,
            backend: String::new(),
            command: None,
            command_from_repository: false,
            carried: Vec::new(),
            version: String::new(),
            failure_rules: Vec::new(),
            services: Vec::new(),
            push_settings: None,
            questions_wait: None,
            base_record: None,
            no_cold: None,
            commits: crate::plan::CommitStyle::default(),
        }
    }
}

/// What a baseline has to be taken for, and what has to happen just before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineRequest {
    /// The step that begins.
    pub step: StepId,
    /// How often the step was reopened.
    pub epoch: u32,
    /// Papers of its earlier life, to be moved aside.
    pub set_aside: Vec<String>,
    /// The code tree that the place is set to first.
    pub reset_code: Option<ObjectId>,
}

/// Returns where a paper of an earlier life of a step is moved, relative to the place.
pub fn aside_file(step: &StepId, epoch: u32, number: usize, paper: &str) -> String {
    let step = step.as_str().replace('/', ".");
    let name = paper.rsplit('/').next().unwrap_or(paper);
    format!(".windlass/run/aside/{step}-{epoch}/{number}-{name}")
}

/// Whether nothing at all is known of what an attempt used.
pub(super) fn is_unknown(usage: &Usage) -> bool {
    *usage == Usage::default()
}

/// The chance where nobody drew one.
pub const EVEN_CHANCE: u16 = 500;

fn even() -> u16 {
    EVEN_CHANCE
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_even(jitter: &u16) -> bool {
    *jitter == EVEN_CHANCE
}

/// What was observed or asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum InputKind {
    /// A run is to start. Only ever the first input.
    Start {
        /// What it executes.
        plan: Box<Plan>,
        /// What it is about.
        facts: Box<RunFacts>,
    },
    /// A driver took the run over; fed before anything else it does.
    DriverTookOver {
        /// Its fence number.
        driver: Fence,
        /// The session that drives through its hooks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<Session>,
        /// Whether attempts that it starts run in a box; none where a session has them in its hands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        boxes: Option<bool>,
    },
    /// The driver left, or was found dead: nothing new starts until another one takes over.
    DriverLeft,
    /// The `when` of a step was evaluated.
    WhenEvaluated {
        /// The step.
        step: StepId,
        /// How often the step was reopened.
        epoch: u32,
        /// Its value, or why it has none.
        value: Result<bool, String>,
    },
    /// The task list of a step was read.
    TasksRead {
        /// The step.
        step: StepId,
        /// How often the step was reopened.
        epoch: u32,
        /// The file, relative to the place.
        file: String,
        /// Its entries, or why there are none.
        tasks: Result<Vec<Task>, String>,
    },
    /// An agent asks for an item.
    ItemAsked {
        /// Its attempt.
        attempt: AttemptId,
        /// What it asks for.
        item: NewItem,
    },
    /// An agent asks for help of a person.
    HelpAsked {
        /// Its attempt.
        attempt: AttemptId,
        /// What it needs.
        blocker: NewBlocker,
    },
    /// The check of a blocker was run, and what has to hold before the run continues.
    BlockerLookedAt {
        /// The blocker.
        blocker: u32,
        /// How often it had been looked at.
        look: u32,
        /// What was seen.
        report: Box<VerifyReport>,
    },
    /// An agent wants an item to be different.
    ItemChanged {
        /// Its attempt.
        attempt: AttemptId,
        /// The item.
        item: ItemId,
        /// What is to be different.
        change: ItemChange,
    },
    /// An agent notes a failure of what it works on.
    FailureNoted {
        /// Its attempt.
        attempt: AttemptId,
        /// What failed: its item or its step, by name.
        about: String,
        /// What kind of failure it is.
        category: Category,
        /// What happened.
        summary: String,
    },
    /// The files that a step begins from were recorded.
    BaselineTaken {
        /// The step.
        step: StepId,
        /// How often the step was reopened.
        epoch: u32,
        /// The files.
        baseline: Baseline,
    },
    /// The session that drives calls its tool to start the agent of an attempt that was offered.
    OfferTaken {
        /// The attempt.
        attempt: AttemptId,
        /// The call, as the session names it.
        call: String,
    },
    /// The session's subagent for an attempt is there.
    HandedOver {
        /// The attempt.
        attempt: AttemptId,
        /// The subagent, as the session names it.
        agent: String,
    },
    /// The session that drives wants to stop although something is to be done.
    StopAsked {
        /// How often it was sent on since it last called a tool.
        idle_blocks: u32,
        /// How often in a row its program lets itself be sent on; none without such a bound.
        cap: Option<u32>,
    },
    /// A person said something in the session that drives.
    PersonSpoke,
    /// The session tells of something that changes nothing: a compaction, a teammate that is idle.
    SessionNoted {
        /// What, as the host names it.
        event: String,
    },
    /// An agent set a context key.
    ContextSet {
        /// Its attempt.
        attempt: AttemptId,
        /// The key, dotted.
        key: String,
        /// The value.
        value: serde_json::Value,
    },
    /// An attempt ended and its files were kept.
    AttemptEnded {
        /// The attempt.
        attempt: AttemptId,
        /// What it left behind.
        report: Box<AttemptReport>,
        /// Its files.
        snapshot: Snapshot,
        /// Chance for the backoff, in thousandths, drawn at the edge; half where nobody drew.
        #[serde(default = "even", skip_serializing_if = "is_even")]
        jitter: u16,
    },
    /// The driver that ran an attempt died, and with it the attempt.
    AttemptLost {
        /// The attempt.
        attempt: AttemptId,
        /// The files that are there.
        snapshot: Snapshot,
        /// What happened to the place that must not happen.
        trouble: Vec<Trouble>,
        /// What it used, as far as its output tells.
        #[serde(default, skip_serializing_if = "is_unknown")]
        usage: Usage,
        /// When it was last seen at work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_seen: Option<Timestamp>,
        /// Whether it was in a box; none in journals from before that was asked, and where nothing tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        boxed: Option<bool>,
    },
    /// The verifier looked.
    Verified {
        /// The verification.
        verification: VerificationId,
        /// What it saw.
        report: Box<VerifyReport>,
        /// Chance for the backoff, in thousandths, drawn at the edge.
        jitter: u16,
    },
    /// What a spoke wrote was brought into the run's place.
    Adopted {
        /// The spoke.
        step: StepId,
        /// How often the step was reopened.
        epoch: u32,
        /// The files of the run's place.
        snapshot: Snapshot,
        /// Whether nobody else had changed the code there.
        untouched: bool,
    },
    /// Proven work was committed on the run's branch.
    Committed {
        /// The step.
        step: StepId,
        /// The code that was asked for.
        code: ObjectId,
        /// The commit before that was asked for.
        parent: ObjectId,
        /// The commit.
        commit: ObjectId,
    },
    /// Proven work could not be committed.
    CommitRefused {
        /// The step.
        step: StepId,
        /// The code that was asked for.
        code: ObjectId,
        /// The commit before that was asked for.
        parent: ObjectId,
        /// Why, and what to do.
        message: String,
    },
    /// The run's branch was pushed, and its pull request opened where that could be done.
    Published {
        /// The step.
        step: StepId,
        /// How often the step was reopened.
        epoch: u32,
        /// What is outside now.
        publication: Publication,
    },
    /// The branch could not be pushed, or the pull request not be opened.
    PublishRefused {
        /// The step.
        step: StepId,
        /// How often the step was reopened.
        epoch: u32,
        /// Why, and what to do.
        message: String,
        /// The settings that the message is about: whoever resumes the run accepts them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settings: Option<PushSettings>,
    },
    /// What has to hold at the end was looked at on a fresh clone.
    ColdProved {
        /// The proof.
        proof: u32,
        /// What was seen: one record for each of [`RunState::cold_checks`], which is numbered by its
        /// place in that list.
        ///
        /// [`RunState::cold_checks`]: crate::run::RunState::cold_checks
        report: Box<VerifyReport>,
    },
    /// A timer that was armed went off.
    TimerFired {
        /// The timer.
        key: TimerKey,
    },
    /// A person decided; nobody noted from where, as before that was asked.
    Decided(Decision),
    /// A person decided, and it is known from where.
    DecidedAt {
        /// From where.
        presence: Presence,
        /// What.
        decision: Decision,
    },
}

impl InputKind {
    /// Returns the kind's name, as it is stored.
    pub fn name(&self) -> String {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(name)) => name,
            Ok(serde_json::Value::Object(fields)) => {
                fields.keys().next().cloned().unwrap_or_default()
            }
            Ok(_) | Err(_) => String::new(),
        }
    }

    /// An attempt was lost, and nothing is known of what it used.
    pub fn lost(attempt: AttemptId, snapshot: Snapshot, trouble: Vec<Trouble>) -> Self {
        let usage = Usage::default();
        Self::AttemptLost { attempt, snapshot, trouble, usage, last_seen: None, boxed: None }
    }
}

/// What people can decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Decision {
    /// The shown work is accepted.
    Approve {
        /// The gate that was shown.
        gate: GateId,
        /// What the person said.
        message: Option<String>,
        /// The files now.
        observed: Snapshot,
        /// Paths that differ from what was shown.
        changed: Vec<String>,
    },
    /// The step is to be done again, with this in mind.
    Feedback {
        /// The message.
        message: String,
        /// The files now.
        observed: Snapshot,
    },
    /// The run goes back to a step.
    Rollback {
        /// The step.
        step: StepId,
        /// Why.
        message: String,
        /// Whether the code goes back as well.
        reset_code: bool,
        /// The checkpoint that it goes back to, where that is not what the step began from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        checkpoint: Option<String>,
        /// The files now.
        observed: Snapshot,
    },
    /// The step counts as done without being done.
    Skip {
        /// The step.
        step: StepId,
        /// Why.
        reason: String,
        /// Whether what the step left stays, unproven as it is.
        #[serde(
            default = "super::event::stayed_before",
            skip_serializing_if = "super::event::stays"
        )]
        keep: bool,
    },
    /// No new attempt starts.
    Pause {
        /// Whether the running attempt is stopped.
        now: bool,
    },
    /// The run goes on.
    Resume {
        /// What is added to the budget.
        raise: Raise,
    },
    /// Somebody else plays the agents from the next attempt on, but for steps that name a backend.
    PlayBy {
        /// Who.
        played_by: PlayedBy,
    },
    /// The run may end without the proof on a fresh clone.
    WaiveCold {
        /// Why.
        reason: String,
    },
    /// A step's tries count from zero again.
    RetryReset {
        /// The step; by default the one that failed.
        step: Option<StepId>,
    },
    /// There is one more item to repeat over.
    AddItem {
        /// What is asked for.
        item: NewItem,
    },
    /// An item is to be different.
    UpdateItem {
        /// The item.
        item: ItemId,
        /// What is to be different.
        change: ItemChange,
    },
    /// The run stops until something is solved.
    Block {
        /// What.
        blocker: NewBlocker,
    },
    /// Something is solved.
    Fixed {
        /// A blocker by its number, or a blocked item or step; by default the only one.
        what: Option<String>,
        /// What was done.
        notes: Option<String>,
    },
    /// The code as it is gets a name.
    Checkpoint {
        /// The name; by default a number.
        name: Option<String>,
        /// The files now.
        observed: Snapshot,
    },
    /// The run ends in a pull request that is not ready, without what is blocked.
    PublishDraft,
    /// A question is answered.
    Answer {
        /// The question.
        question: String,
        /// The choice that is taken.
        choice: Option<String>,
        /// Own words.
        text: Option<String>,
    },
    /// Something that agents should know is said unasked.
    Clarify {
        /// What it stands before.
        phase: crate::question::Phase,
        /// What it is about.
        category: String,
        /// What could have been asked.
        question: String,
        /// What is said.
        text: String,
    },
    /// An item is to come up earlier or later.
    MoveItem {
        /// The item.
        item: ItemId,
        /// The item that it is to come before; by default it comes last.
        before: Option<ItemId>,
    },
    /// A failure that windlass cannot see is noted.
    NoteFailure {
        /// What failed.
        about: About,
        /// What kind of failure it is.
        category: Category,
        /// What happened.
        summary: String,
    },
    /// The run ends here.
    Abort {
        /// Why.
        reason: Option<String>,
    },
}

/// What a person adds to the budget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raise {
    /// More attempts.
    pub attempts: u64,
    /// More US dollars.
    pub cost_usd: f64,
    /// More time.
    pub wall: Span,
}
