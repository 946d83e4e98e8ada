//! One step of a plan.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Criterion, StepNetwork};
use crate::id::{StepId, StepIndex};
use crate::time::Span;

/// One step: who does it, what it may use, what proves it, and where it leads.
///
/// Texts have all placeholders filled in except `{context.…}`, which is known only while the run
/// goes on. `task`, `reads`, the paths of `publishes` and the globs of `file` checks may hold it:
/// they go through [`fill_context`](super::template::fill_context) before use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanStep {
    /// The id in the workflow file; nested steps are `parent/child`.
    pub id: StepId,
    /// What people call the step.
    pub title: String,
    /// Whether an agent works on it.
    pub kind: StepKind,
    /// The step that this one is nested in.
    pub parent: Option<StepIndex>,
    /// What the agent is asked to do.
    pub task: String,
    /// Steps that must be done or skipped first.
    pub needs: Vec<StepIndex>,
    /// jq expression over the run's document; the step is skipped when it is not true.
    pub when: Option<String>,
    /// Files that the agent should read first.
    pub reads: Vec<Read>,
    /// Context keys that the step may set.
    pub publishes: BTreeMap<String, Publish>,
    /// Globs that changes must stay inside; empty means anywhere.
    pub may_write: Vec<String>,
    /// The files that a spoke of a team writes, and nothing else; empty for every other step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// Tries in all, the first included.
    pub retries: u32,
    /// The most wall time for one attempt.
    pub timeout: Span,
    /// How long an attempt may show no sign of life.
    pub idle_timeout: Span,
    /// The network that its attempts have.
    #[serde(default, skip_serializing_if = "StepNetwork::is_on")]
    pub network: StepNetwork,
    /// Hosts that they reach besides, where the network is by list: `HOST`, `HOST:PORT`, `*.DOMAIN`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// How long to wait after a failure of the surroundings.
    pub backoff: Backoff,
    /// Whether a person decides after the proof.
    pub gate: Option<GatePolicy>,
    /// Where verdicts that are not accepted lead.
    pub on: BTreeMap<String, Route>,
    /// Whether an earlier step may ask to skip this one.
    pub skip: Skip,
    /// What happens after the last allowed try.
    pub exhausted: Exhausted,
    /// Whether the work of a waived step stays, where it is within `may_write`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waive_keeps: bool,
    /// Whether proven work is committed on the run's branch.
    pub commit: CommitPolicy,
    /// What must hold for the step to be done; only a group may have none.
    pub done: Option<Criterion>,
    /// Whether the criterion is tried before the first attempt.
    pub satisfied_ok: bool,
    /// Whether claims of the step's own agent suffice.
    pub trust_agent: bool,
    /// Whether the first part of `done` is what a try must not break: a try after which it does not
    /// hold is taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps: bool,
    /// The shell command that is the first try, instead of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Where a step that nobody works on goes back to when its criterion does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<FailedRoute>,
}

impl PlanStep {
    /// Returns the name of the agent that works on it.
    pub fn agent(&self) -> Option<&str> {
        match &self.kind {
            StepKind::Agent { agent, .. } => Some(agent),
            StepKind::Group | StepKind::Foreach(_) | StepKind::PullRequest(_) => None,
        }
    }

    /// Returns what a try must not break.
    pub fn kept(&self) -> Option<&Criterion> {
        match &self.done {
            Some(Criterion::All(parts)) if self.keeps => parts.first(),
            Some(_) | None => None,
        }
    }

    /// Returns whether the step is a spoke of a team: it works beside the other spokes, in a place
    /// of its own, and only the files that it `writes` are brought over.
    pub fn is_spoke(&self) -> bool {
        !self.writes.is_empty()
    }
}

/// Who works on a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StepKind {
    /// An agent works on it.
    Agent {
        /// The role.
        agent: String,
        /// The backend that plays it, where the step names one.
        backend: Option<String>,
        /// The model, where the step names one.
        model: Option<String>,
    },
    /// Nobody: the step stands for the steps nested in it and is done when they are.
    Group,
    /// Nobody: the step stands for its items, and is done when they are.
    Foreach(Box<super::Foreach>),
    /// Windlass itself: it pushes the run's branch and opens a pull request.
    PullRequest(PullRequest),
}

/// The pull request that a run ends in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PullRequest {
    /// Its title.
    pub title: String,
    /// The branch that it is to be merged into; by default the one that the run began from.
    pub base: Option<String>,
    /// Whether it is marked as not ready.
    pub draft: bool,
}

impl StepKind {
    /// Returns whether no agent works on the step itself.
    pub fn is_group(&self) -> bool {
        match self {
            Self::Agent { .. } => false,
            Self::Group | Self::Foreach(_) | Self::PullRequest(_) => true,
        }
    }
}

/// A file that the agent should read first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The path, relative to the place.
    pub file: String,
    /// What it is to the reader.
    #[serde(rename = "as")]
    pub purpose: Option<String>,
    /// Whether the step can do without it.
    pub optional: bool,
}

/// What a context key holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Publish {
    /// This path, set by windlass when the step is proven.
    Path(String),
    /// A value that the attempt sets itself.
    Value(ValueType),
}

/// The type of a published value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are JSON's own")]
pub enum ValueType {
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
    Any,
}

impl ValueType {
    /// Returns whether `value` is of this type.
    pub fn accepts(self, value: &serde_json::Value) -> bool {
        match self {
            Self::Boolean => value.is_boolean(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::String => value.is_string(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
            Self::Any => true,
        }
    }
}

/// Exponential backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backoff {
    /// The wait after the first failure.
    pub initial: Span,
    /// The longest wait.
    pub max: Span,
}

impl Backoff {
    /// Returns the wait after so many failures, without chance: it doubles up to the bound.
    pub fn after(self, failures: u32) -> Span {
        let doubled = self.initial.0.saturating_mul(1 << failures.saturating_sub(1).min(20));
        Span(doubled.min(self.max.0))
    }
}

/// Who has to agree before a proven step counts as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GatePolicy {
    /// A person approves.
    Approval,
}

/// Where a verdict leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Which step to go back to.
    pub rollback: Rollback,
    /// How often the route may be taken in the run; never reset.
    pub max: u32,
    /// Whether a person has to look before the run continues.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub block: bool,
}

/// Where a step that nobody works on goes back to when its criterion does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedRoute {
    /// The step to go back to.
    pub to: FailedTo,
    /// How often it may go back in the run; never reset.
    pub max: u32,
}

/// A step to go back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FailedTo {
    /// One beside the step that goes back.
    Step(StepIndex),
    /// A step that is repeated: that of the item which was finished last.
    InItem {
        /// The step that repeats it.
        foreach: StepIndex,
        /// Its position among the steps of an item.
        step: StepIndex,
    },
}

impl FailedRoute {
    /// What a route of this kind is counted as, beside the verdicts of other steps.
    pub const NAME: &str = "failed";
}

/// How the target of a rollback is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rollback {
    /// jq expression that lists the files concerned, or [`Rollback::FINDINGS`].
    pub files: Option<String>,
    /// Steps by the glob that a file matches, in the order of the workflow file.
    pub by_path: Vec<(String, StepIndex)>,
    /// jq expression that lists a type for each of those files, in the same order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<String>,
    /// Steps by the type of what is found, for files that no glob matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_type: Vec<(String, StepIndex)>,
    /// The step when neither file nor type leads to one.
    pub otherwise: StepIndex,
}

impl Rollback {
    /// What stands for the files of a report's blocking findings instead of an expression.
    pub const FINDINGS: &str = "findings";
}

/// Whether an earlier step may ask to skip a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// Only a person may skip it.
    Never,
    /// An earlier step may ask for it by publishing `<key>.skip`.
    Allowed,
}

/// What happens after the last allowed try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exhausted {
    /// The run pauses for a person.
    Pause,
    /// The step is blocked; steps that do not need it go on.
    Block,
    /// The step counts as done without its proof, and every report shows it.
    Waive,
}

/// Whether proven work is committed on the run's branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitPolicy {
    /// A work-in-progress commit whenever the code changed.
    Wip,
    /// No commit; the changes become part of the next one.
    Never,
}
