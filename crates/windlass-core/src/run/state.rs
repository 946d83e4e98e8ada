//! What a run is, as a fold over its journal.
//!
//! Steps live in a persistent vector and everything that is in flight or could start has an
//! index, so a decision costs what it touches and never the size of the plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::{OrdSet, Vector};
use serde::{Deserialize, Serialize};

use crate::id::{
    AttemptId, ContentHash, Fence, GateId, ObjectId, StepId, StepIndex, VerificationId,
};
use crate::item::Item;
use crate::plan::{CheckId, Plan, PlanStep, Skip};
use crate::proof::ProtectedChange;
use crate::question::Question;
use crate::run::{
    AskedBefore, Blocker, Blocks, Clarification, Cold, FailedBefore, Failure, HandOver, Looked,
    Noted, PlayedBy, PushSettings, RunFacts, Session,
};
use crate::snapshot::{Baseline, Snapshot};
use crate::time::{Span, Timestamp};

/// The state of a run.
///
/// Plan and facts are not part of its stored form: they stand in the run's first event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunState {
    /// What is executed.
    #[serde(skip, default = "no_plan")]
    pub plan: Arc<Plan>,
    /// What the run is about.
    #[serde(skip, default = "no_facts")]
    pub facts: Arc<RunFacts>,
    /// Whether new attempts may start.
    pub control: Control,
    /// The latest moment that was seen; never goes backwards.
    pub now: Timestamp,
    /// When the run began.
    pub started_at: Timestamp,
    /// Since when the run has been as it is for people: the last change of control, gate or step.
    pub since: Timestamp,
    /// The fence number of the driver, while there is one.
    pub driver: Option<Fence>,
    /// The session that drives, or drove last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
    /// How often that session was sent on.
    #[serde(default, skip_serializing_if = "Blocks::is_none")]
    pub blocks: Blocks,
    /// One per step of the plan.
    pub steps: Vector<Arc<StepState>>,
    /// What steps published.
    pub context: Arc<serde_json::Value>,
    /// What the run used so far.
    pub spent: Spent,
    /// Who plays the agents since a person chose anew; the facts say the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played_by: Option<PlayedBy>,
    /// The budget that people added.
    pub raised: super::Raise,
    /// Steps whose `when` is to be evaluated.
    pub deciding: OrdSet<StepIndex>,
    /// Steps that could take the place.
    pub ready: OrdSet<StepIndex>,
    /// The step that has the place. One writing attempt per place at a time.
    pub holder: Option<StepIndex>,
    /// Spokes of one team that are at work, each in a place of its own. While there are any, nobody
    /// has the run's place.
    #[serde(default, skip_serializing_if = "OrdSet::is_empty")]
    pub aside: OrdSet<StepIndex>,
    /// Steps that cannot go on.
    pub blocked: OrdSet<StepIndex>,
    /// How many steps are neither done nor skipped.
    pub remaining: u32,
    /// The last commit on the run's branch.
    pub head: ObjectId,
    /// The code of that commit.
    pub head_code: ObjectId,
    /// The code that was proven last, committed or not: whatever differs from it is the work of the
    /// step that has the place.
    pub proven_code: ObjectId,
    /// The last snapshot that was seen.
    pub latest: Option<Snapshot>,
    /// Protected files that a person pinned anew: the object, or none for a removed file.
    pub pins: Arc<BTreeMap<String, Option<ObjectId>>>,
    /// The same for files of which only some keys count: what stands for their values.
    #[serde(default, skip_serializing_if = "has_none")]
    pub pinned_values: Arc<BTreeMap<String, ContentHash>>,
    /// In which code each of the pinned files was accepted: its mode there is part of the pin.
    #[serde(default, skip_serializing_if = "has_none")]
    pub pinned_in: Arc<BTreeMap<String, ObjectId>>,
    /// Who accepted which file as it was, and at which gate.
    #[serde(default, skip_serializing_if = "has_none")]
    pub accepted: Arc<BTreeMap<String, Accepted>>,
    /// Changes of protected files that no person has seen, by the code that they are in.
    #[serde(default, skip_serializing_if = "has_none")]
    pub unseen: Arc<super::unseen::UnseenByCode>,
    /// The code tree that the place is set to before the next step begins.
    pub reset_code: Option<ObjectId>,
    /// Verifications so far.
    pub verifications: u32,
    /// Gates so far.
    pub gates: u32,
    /// When the last gate opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_since: Option<Timestamp>,
    /// Whether attempts of the driver run in a box, as far as it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boxes: Option<bool>,
    /// Whether any attempt so far was outside a box, where it may reach what speaks for the person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unboxed: bool,
    /// What steps repeat over, in the order in which it came up.
    #[serde(default, skip_serializing_if = "Vector::is_empty")]
    pub items: Vector<Arc<ItemState>>,
    /// States of the code that people gave a name, the oldest first.
    #[serde(default, skip_serializing_if = "Vector::is_empty")]
    pub checkpoints: Vector<Arc<Checkpoint>>,
    /// Whether a person asked for a pull request that is not ready.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// What agents asked and were told.
    #[serde(default, skip_serializing_if = "Vector::is_empty")]
    pub clarifications: Vector<Arc<Clarification>>,
    /// What people had to solve, open or not.
    #[serde(default, skip_serializing_if = "Vector::is_empty")]
    pub blockers: Vector<Arc<Blocker>>,
    /// Failures that somebody noted, in their order.
    #[serde(default, skip_serializing_if = "Vector::is_empty")]
    pub noted: Vector<Arc<Noted>>,
    /// What was published last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publication: Option<Publication>,
    /// Commits that windlass set out to push: the branch at the remote may be at any of them, also
    /// where the rest of the publishing failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intended: Vec<ObjectId>,
    /// What was proven on a fresh clone, and what is being.
    #[serde(default, skip_serializing_if = "Cold::is_nothing")]
    pub cold: Cold,
    /// Steps whose task list is being read.
    #[serde(default, skip_serializing_if = "OrdSet::is_empty")]
    pub reading: OrdSet<StepIndex>,
    /// Steps that repeat over items and are not finished with them.
    #[serde(default, skip_serializing_if = "OrdSet::is_empty")]
    pub repeating: OrdSet<StepIndex>,
}

/// A state of the code that a person gave a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The name.
    pub name: String,
    /// The files.
    pub snapshot: Snapshot,
    /// Who.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// What people were told about the items of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// Items that were finished when a progress report was made.
    pub items: u32,
    /// When it was made.
    pub at: Option<Timestamp>,
    /// Items that were finished when a person last looked.
    pub looked: u32,
}

impl Told {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// How far an item has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemState {
    /// What was asked for.
    pub item: Item,
    /// Where its steps begin, once it has some.
    pub first: Option<StepIndex>,
    /// Whether it has come up since the step that repeats over it began.
    pub open: bool,
    /// What its steps published: no other item sees it.
    pub context: serde_json::Value,
    /// The code that it began from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<ObjectId>,
    /// The commit that it began on: what the run's branch has since is its work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_at: Option<ObjectId>,
    /// The code that was proven for it when it was stuck and left the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<ObjectId>,
}

/// Whether new attempts may start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// They may.
    Active,
    /// Not until a person resumes the run.
    Paused {
        /// Why.
        reason: PauseReason,
        /// The same for people, with names and numbers.
        detail: String,
    },
    /// Not until a person has put something right outside the run.
    Obstructed {
        /// What.
        message: String,
    },
    /// The run is being ended.
    Aborting,
    /// The run ended without being complete.
    Aborted,
    /// All steps are done or skipped.
    Completed,
}

/// Why a run pauses: a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documented list")]
pub enum PauseReason {
    RetriesExhausted,
    RollbackLimit,
    RepeatedFailure,
    LoopDetected,
    Budget,
    LostTooOften,
    ProtectedChanged,
    InternalError,
    User,
}

impl PauseReason {
    /// Returns the reason's name as it stands in the document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RetriesExhausted => "retries_exhausted",
            Self::RollbackLimit => "rollback_limit",
            Self::RepeatedFailure => "repeated_failure",
            Self::LoopDetected => "loop_detected",
            Self::Budget => "budget",
            Self::LostTooOften => "lost_too_often",
            Self::ProtectedChanged => "protected_changed",
            Self::InternalError => "internal_error",
            Self::User => "user",
        }
    }
}

/// What of a run is outside: its branch at the remote, and its pull request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// The remote that the branch was pushed to.
    pub remote: String,
    /// The commit that its branch is at there.
    pub pushed: ObjectId,
    /// The pull request's number; none where it has to be opened by hand.
    pub number: Option<u64>,
    /// Where people read it.
    pub url: Option<String>,
    /// Where it can be opened by hand.
    pub compare_url: Option<String>,
    /// The file that holds its text, where it has to be opened by hand.
    pub body_file: Option<String>,
    /// What people should know besides: why there is no pull request, or that one was there.
    pub notes: Vec<String>,
}

/// What a run used so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spent {
    /// Attempts that were started.
    pub attempts: u64,
    /// What the attempts that said so cost, in US dollars.
    pub cost_usd: f64,
    /// Attempts whose cost is unknown.
    pub unknown_cost: u64,
    /// Time that attempts and checks took.
    pub wall: Span,
}

/// The state of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepState {
    /// Where the step is in its life.
    pub phase: Phase,
    /// Needs that are neither done nor skipped.
    pub unmet: u32,
    /// How often the step was opened again: by feedback, rollback, or new tries for a blocked one.
    pub epoch: u32,
    /// Attempts in all.
    pub attempts: u32,
    /// Tries that count against `retries`, since the step was opened.
    pub tries: u32,
    /// Attempts that were lost in a row.
    pub lost: u32,
    /// Verifications that broke in a row.
    pub broken: u32,
    /// Failures of the surroundings that cost no try, since the step was opened.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub free: u32,
    /// Limits without a stated end that were met in a row.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub limits: u32,
    /// The branch that the place was on when the last attempt ended, where that was not the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// How many of them came in a row: the wait grows with it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub troubled: u32,
    /// What the surroundings lack, while that keeps the step from being judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<crate::failure_rules::Cause>,
    /// How often the last failure came in a row.
    pub repeats: u32,
    /// How the last attempt ended.
    pub ended: Option<crate::proof::Outcome>,
    /// The conversation that the next attempt goes on with: the last one was lost, interrupted or
    /// met a limit. A retry never does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The conversation that the attempt that is running goes on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed: Option<String>,
    /// The hands of a session that the last attempt is or was in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handover: Option<HandOver>,
    /// Whether the work may be there already, so that verifying comes before the next attempt.
    pub verify_first: bool,
    /// Whether the last attempt ended by itself and no verification has judged it yet.
    pub unjudged: bool,
    /// The files that the step began from.
    pub baseline: Option<Baseline>,
    /// The code that a step with a `red` check first began from. A later life begins with what was
    /// made in between, and tests that fail without it have to fail without all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_code: Option<ObjectId>,
    /// The code that was proven when the step took the place: what is left if a person goes on without
    /// it. Feedback does not change it, because nobody accepted what was sent back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<ObjectId>,
    /// Why a person goes on without the step, while its work is being set back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<String>,
    /// The failing tests that the step proved, since it was last opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub red: Option<crate::proof::Red>,
    /// Checks of the criterion that did not hold when it was proven: an `any` needs not all of them,
    /// and a `not` the opposite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unheld: Vec<CheckId>,
    /// Whether the step is open again because what it proved does not hold on a fresh clone. Its
    /// criterion would hold at once, and says nothing before somebody has worked on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fails_cold: bool,
    /// How often its attempt that runs, or ran last, published something.
    #[serde(default)]
    pub facts_set: u32,
    /// Whether the last try broke what the step keeps, so that it is taken back before the next.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spoiled: bool,
    /// Whether the place is being set back to what the step began from, for its next try.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reverting: bool,
    /// The last files that were seen in the spoke's own place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Snapshot>,
    /// Why the last attempt failed.
    pub failure: Option<Failure>,
    /// Why earlier ones did, each way of failing once, the newest last; also in earlier lives of the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_before: Vec<FailedBefore>,
    /// What was asked for in its earlier lives, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked_before: Vec<AskedBefore>,
    /// What a judge suggested when it was last proven, and did not insist on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggested: Vec<String>,
    /// What the verification behind that failure saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked: Option<Looked>,
    /// What a person or a review asked for when the step was reopened.
    pub hotfix: Option<Hotfix>,
    /// Papers that the step's proof rested on.
    pub papers: Vec<String>,
    /// Where those of its earlier life are, since it began again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_papers: Vec<String>,
    /// Context keys that the step set.
    pub published: Vec<String>,
    /// How often each route was taken; never reset.
    pub routes: BTreeMap<String, u32>,
    /// What people were told about the items that it repeats over.
    #[serde(default, skip_serializing_if = "Told::is_nothing")]
    pub told: Told,
    /// What the step wants to know, until it is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Question>,
    /// The stories that it planned, which a person sees at its gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stories: Vec<crate::story::PlannedStory>,
    /// Whether a person accepted the proven work.
    pub approved: bool,
    /// Whether the step's own act is done, for a step of windlass itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acted: bool,
    /// Settings that a person was told about when the step could not publish with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_settings: Option<PushSettings>,
    /// Settings that a person then accepted, besides those the run started with. Who sends the step
    /// back lets agents work again, and has to accept them anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_settings: Option<PushSettings>,
    /// Whether the step counts as done without its proof.
    pub waived: bool,
    /// Whether unproven work of it left the place; its snapshots keep it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub set_aside: bool,
    /// Whether unproven work of it stayed, because a person or the workflow wants it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept_unproven: bool,
    /// Why the step was skipped or is blocked.
    pub note: Option<String>,
    /// When the step first took the place.
    pub started_at: Option<Timestamp>,
    /// When the step was done, skipped or waived.
    pub completed_at: Option<Timestamp>,
    /// What its attempts cost, in US dollars, as far as known.
    pub cost_usd: f64,
    /// Time that its attempts and checks took.
    pub wall: Span,
}

/// Where a step is in its life.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the fields are the words of the glossary")]
pub enum Phase {
    /// Something it needs is not there.
    Pending,
    /// Its `when` is to be evaluated.
    Deciding,
    /// It could take the place.
    Ready,
    /// Its task list is being read.
    Reading,
    /// Its items come up one after the other.
    Repeating,
    /// It has the place; the files that it begins from are being recorded.
    Beginning,
    /// It has the place, and its next attempt or verification may start.
    Due,
    /// An attempt is running.
    Running { attempt: u32, driver: Fence, since: Timestamp },
    /// An attempt is being stopped.
    Stopping { attempt: u32, driver: Fence, since: Timestamp, reason: StopReason },
    /// A snapshot is being verified; `attempt` when that attempt's work is judged.
    Verifying {
        verification: VerificationId,
        snapshot: Snapshot,
        attempt: Option<u32>,
        since: Timestamp,
    },
    /// Proven work is being committed.
    Committing { snapshot: Snapshot, date: Timestamp },
    /// What a spoke proved is being brought into the run's place.
    Adopting { snapshot: Snapshot },
    /// The run's branch is being pushed and its pull request opened.
    Publishing { snapshot: Snapshot, commit: ObjectId, expected: Option<ObjectId> },
    /// Proven and committed, and about to open its gate or be done.
    Proven { snapshot: Snapshot },
    /// A person has to decide.
    AtGate { gate: Gate },
    /// It waits before its next attempt.
    Waiting { until: Timestamp, limit: bool },
    /// Its tries are used up.
    Failed,
    /// It cannot go on, and others can.
    Blocked,
    /// It is done.
    Done,
    /// It counts as done without being done.
    Skipped,
}

/// Why an attempt is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// A person paused the run at once.
    Pause,
    /// A person aborted the run.
    Abort,
}

/// A point where a person decides, about exactly what was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The gate.
    pub id: GateId,
    /// The step that waits.
    pub step: StepId,
    /// What is decided.
    pub kind: GateKind,
    /// The files that are shown.
    pub snapshot: Snapshot,
}

/// What is decided at a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateKind {
    /// Whether the proven work is accepted.
    Approval,
    /// Whether changed protected files are accepted.
    Protected {
        /// The files.
        changes: Vec<ProtectedChange>,
        /// Their diff.
        diff: Option<crate::proof::Blob>,
        /// Whether the work is proven, and this is the last gate before it lands.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        late: bool,
    },
    /// Whether the run goes back to where a verdict leads.
    Route {
        /// The verdict.
        verdict: String,
        /// The step that it leads to.
        target: StepId,
        /// The files behind it.
        files: Vec<String>,
        /// What the judge's report says, where it was read.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        told: String,
    },
}

/// A person's acceptance of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// What was accepted: the object, or none for a file that was removed.
    pub now: Option<ObjectId>,
    /// The step at whose gate.
    pub step: StepId,
    /// Who.
    pub by: String,
}

/// What was asked for when a step was reopened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hotfix {
    /// Who asked.
    pub by: String,
    /// What for.
    pub message: String,
    /// Files concerned.
    pub files: Vec<String>,
    /// Whether it tells what was solved, and asks for nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resolved: bool,
}

impl StepState {
    /// Returns whether nothing more has to happen for the step.
    pub fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Done | Phase::Skipped)
    }
}

impl RunState {
    /// Returns the state of the step at `index`.
    pub fn step(&self, index: StepIndex) -> &StepState {
        &self.steps[index.get()]
    }

    /// Returns the step that has the place, or the spokes that are at work aside.
    pub fn in_hand(&self) -> impl Iterator<Item = StepIndex> {
        self.holder.into_iter().chain(self.aside.iter().copied())
    }

    /// Returns whether the step has the place, or one of its own.
    pub fn is_in_hand(&self, index: StepIndex) -> bool {
        self.holder == Some(index) || self.aside.contains(&index)
    }

    /// Returns plan and state of the step that has the place; of several spokes the one that says
    /// most about where the run stands: a failed one, else one that goes on, else one that waits.
    pub fn holding(&self) -> Option<(StepIndex, &PlanStep, &StepState)> {
        let says = |index: &StepIndex| {
            let phase = &self.step(*index).phase;
            if matches!(phase, Phase::Failed) {
                return (0, None);
            }
            if let Phase::Waiting { until, .. } = phase { (2, Some(*until)) } else { (1, None) }
        };
        let index = self.in_hand().min_by_key(says)?;
        Some((index, self.plan.step(index), self.step(index)))
    }

    /// Returns whether a session drives the run through its hooks.
    pub fn is_hosted(&self) -> bool {
        self.driver.is_some() && self.session.is_some()
    }

    /// Returns the command that is the next try at the step, where it is not an agent's: the first
    /// one of a step with `fix`. In a session the agent runs it.
    pub fn fix(&self, index: StepIndex) -> Option<&str> {
        let first = self.step(index).tries == 0 && !self.is_hosted();
        self.plan.step(index).fix.as_deref().filter(|_| first)
    }

    /// Returns the last files that were seen where the step works.
    pub fn seen(&self, index: StepIndex) -> Option<&Snapshot> {
        if self.plan.step(index).is_spoke() {
            self.step(index).seen.as_ref()
        } else {
            self.latest.as_ref()
        }
    }

    /// Returns why an earlier step asked to skip the step at `index`, which has to allow it: some
    /// published object's `skip` names it.
    pub fn asked_to_skip(&self, index: StepIndex) -> Option<String> {
        let plan = self.plan.step(index);
        if plan.skip != Skip::Allowed {
            return None;
        }
        let context = self.context_of(index);
        let published = context.as_object()?;
        published.values().find_map(|value| {
            let reason = value.get("skip")?.get(plan.id.as_str())?;
            let refused = reason.is_null() || *reason == false;
            let text = || reason.as_str().map_or_else(|| reason.to_string(), str::to_owned);
            (!refused).then(text)
        })
    }

    /// Returns the gate that waits for a person.
    pub fn gate(&self) -> Option<&Gate> {
        let (_, _, step) = self.holding()?;
        if let Phase::AtGate { gate } = &step.phase { Some(gate) } else { None }
    }

    /// Returns the attempts that are running or being stopped; several only for spokes.
    pub fn running_attempts(&self) -> impl Iterator<Item = AttemptId> {
        self.in_hand().filter_map(|index| {
            let phase = &self.step(index).phase;
            if let Phase::Running { attempt, .. } | Phase::Stopping { attempt, .. } = phase {
                return Some(AttemptId {
                    step: self.plan.step(index).id.clone(),
                    number: *attempt,
                });
            }
            None
        })
    }

    /// Returns whether the run has ended for good.
    pub fn is_ended(&self) -> bool {
        matches!(self.control, Control::Aborted | Control::Completed)
    }

    /// Returns whether the step is in flight: the edge has something to do or to report for it.
    pub fn is_in_flight(&self, index: StepIndex) -> bool {
        matches!(
            self.step(index).phase,
            Phase::Reading
                | Phase::Beginning
                | Phase::Running { .. }
                | Phase::Stopping { .. }
                | Phase::Verifying { .. }
                | Phase::Committing { .. }
                | Phase::Adopting { .. }
                | Phase::Publishing { .. }
        )
    }

    /// Returns the first step that the edge has something to do or to report for.
    pub fn in_flight(&self) -> Option<StepIndex> {
        self.in_hand().find(|index| self.is_in_flight(*index))
    }

    /// Returns the step that this verification judges.
    pub fn verified_by(&self, id: VerificationId) -> Option<StepIndex> {
        let judges = |index: &StepIndex| {
            matches!(self.step(*index).phase,
                Phase::Verifying { verification, .. } if verification == id)
        };
        self.in_hand().find(judges)
    }

    /// Returns the budget with what people added to it.
    pub fn limits(&self) -> crate::plan::Limits {
        let plan = &self.plan.limits;
        crate::plan::Limits {
            cost_usd: plan.cost_usd + self.raised.cost_usd,
            wall: plan.wall.plus(self.raised.wall),
            attempts: plan.attempts.saturating_add(self.raised.attempts),
        }
    }

    /// Puts plan and facts back into a state that was read from its stored form; the steps of items
    /// follow from both.
    #[must_use]
    pub fn with_plan(mut self, plan: Arc<Plan>, facts: Arc<RunFacts>) -> Self {
        self.plan = self.with_items(plan);
        self.facts = match &self.played_by {
            Some(chosen) => Arc::new(facts.played_by(chosen)),
            None => facts,
        };
        self
    }
}

fn no_plan() -> Arc<Plan> {
    Arc::new(Plan::empty())
}

fn no_facts() -> Arc<RunFacts> {
    Arc::new(RunFacts::unknown())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Whether there is nothing in a map that several states share.
fn has_none<K, V>(map: &Arc<BTreeMap<K, V>>) -> bool {
    map.is_empty()
}
