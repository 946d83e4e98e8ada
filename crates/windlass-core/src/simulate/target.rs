//! What can happen in a run of a plan.

use std::fmt;

use serde::Serialize;

use crate::id::StepId;
use crate::plan::{Exhausted, Plan};

/// Something that can happen in a run of a plan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "target")]
#[expect(missing_docs, reason = "the fields are the words of the glossary")]
pub enum Target {
    /// The step is worked on, or done where nobody works on it.
    Step { step: StepId },
    /// Its `when` is true, or is not.
    When { step: StepId, holds: bool },
    /// Its work is there before the first attempt.
    Satisfied { step: StepId },
    /// It fails, and then passes.
    Retried { step: StepId },
    /// It fails in the same way so often that the run pauses early.
    Repeated { step: StepId },
    /// It fails until its tries are used up.
    Exhausted { step: StepId },
    /// An earlier step asks to skip it.
    Skip { step: StepId },
    /// A verdict leads back, by the glob that a file matches or otherwise.
    Route { step: StepId, verdict: String, glob: Option<String>, to: StepId },
    /// A verdict is given more often than its route may be taken.
    RouteLimit { step: StepId, verdict: String },
    /// A person answers its gate.
    Gate { step: StepId, answer: Answer },
    /// There is no item to repeat over.
    NoItems { step: StepId },
    /// The task list cannot be taken.
    BadTasks { step: StepId },
    /// An item comes up after one that is done.
    NextItem { step: StepId },
    /// An item comes up although the one before is blocked.
    ItemAfterBlocked { step: StepId },
    /// A person answers about a changed protected file.
    Protected { answer: Answer },
    /// The budget is used up.
    Budget,
}

/// What a person answers at a gate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Approve.
    Approve,
    /// Feedback.
    Feedback,
    /// Back to this step.
    Rollback(StepId),
}

/// What a line of the coverage counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the targets")]
pub enum TargetKind {
    Steps,
    Conditions,
    Retries,
    Exhaustions,
    Skips,
    Routes,
    RouteLimits,
    GateAnswers,
    Items,
    ProtectedChanges,
    Budget,
}

/// How much of one kind was covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Covered {
    /// What is counted.
    pub kind: TargetKind,
    /// How many were reached.
    pub reached: usize,
    /// How many there are.
    pub total: usize,
}

impl Target {
    /// Returns what it counts as.
    pub fn kind(&self) -> TargetKind {
        match self {
            Self::Step { .. } => TargetKind::Steps,
            Self::When { .. } | Self::Satisfied { .. } => TargetKind::Conditions,
            Self::Retried { .. } => TargetKind::Retries,
            Self::Repeated { .. } | Self::Exhausted { .. } => TargetKind::Exhaustions,
            Self::Skip { .. } => TargetKind::Skips,
            Self::Route { .. } => TargetKind::Routes,
            Self::RouteLimit { .. } => TargetKind::RouteLimits,
            Self::Gate { .. } => TargetKind::GateAnswers,
            Self::NoItems { .. }
            | Self::BadTasks { .. }
            | Self::NextItem { .. }
            | Self::ItemAfterBlocked { .. } => TargetKind::Items,
            Self::Protected { .. } => TargetKind::ProtectedChanges,
            Self::Budget => TargetKind::Budget,
        }
    }

    /// Returns whether a workflow in which it cannot happen is wrong.
    pub fn must_happen(&self) -> bool {
        matches!(self, Self::Step { .. } | Self::Route { .. })
    }

    /// Returns whether it makes a path shorter, so that a small budget leads further.
    pub(super) fn saves_attempts(&self) -> bool {
        match self {
            Self::When { holds, .. } => !holds,
            Self::Satisfied { .. } | Self::Skip { .. } | Self::NoItems { .. } => true,
            Self::Step { .. }
            | Self::Retried { .. }
            | Self::Repeated { .. }
            | Self::Exhausted { .. }
            | Self::Route { .. }
            | Self::RouteLimit { .. }
            | Self::Gate { .. }
            | Self::BadTasks { .. }
            | Self::NextItem { .. }
            | Self::ItemAfterBlocked { .. }
            | Self::Protected { .. }
            | Self::Budget => false,
        }
    }

    /// Returns whether the run stops there.
    pub(super) fn stops(&self, plan: &Plan) -> bool {
        match self {
            Self::Exhausted { step } => {
                plan.find(step).is_none_or(|index| plan.step(index).exhausted != Exhausted::Waive)
            }
            Self::Repeated { .. }
            | Self::RouteLimit { .. }
            | Self::BadTasks { .. }
            | Self::ItemAfterBlocked { .. }
            | Self::Budget => true,
            Self::Step { .. }
            | Self::When { .. }
            | Self::Satisfied { .. }
            | Self::Retried { .. }
            | Self::Skip { .. }
            | Self::Route { .. }
            | Self::Gate { .. }
            | Self::NoItems { .. }
            | Self::NextItem { .. }
            | Self::Protected { .. } => false,
        }
    }
}

impl fmt::Display for TargetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steps => "steps",
            Self::Conditions => "conditions",
            Self::Retries => "retries",
            Self::Exhaustions => "exhaustions",
            Self::Skips => "skips",
            Self::Routes => "routes",
            Self::RouteLimits => "route limits",
            Self::GateAnswers => "gate answers",
            Self::Items => "items",
            Self::ProtectedChanges => "protected changes",
            Self::Budget => "budget",
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step { step } => write!(f, "the step `{step}`"),
            Self::When { step, holds } => write!(f, "`when` of `{step}` being {holds}"),
            Self::Satisfied { step } => write!(f, "the work of `{step}` being there already"),
            Self::Retried { step } => write!(f, "`{step}` failing and then passing"),
            Self::Repeated { step } => write!(f, "`{step}` failing in the same way over and over"),
            Self::Exhausted { step } => write!(f, "`{step}` using up its tries"),
            Self::Skip { step } => write!(f, "an earlier step asking to skip `{step}`"),
            Self::Route { step, verdict, glob: Some(glob), to } => {
                write!(f, "the route of `{step}` on {verdict} to `{to}` by `{glob}`")
            }
            Self::Route { step, verdict, glob: None, to } => {
                write!(f, "the route of `{step}` on {verdict} to `{to}`")
            }
            Self::RouteLimit { step, verdict } => {
                write!(f, "`{step}` saying {verdict} once too often")
            }
            Self::Gate { step, answer } => write!(f, "{answer} at the gate of `{step}`"),
            Self::NoItems { step } => write!(f, "`{step}` having no items"),
            Self::BadTasks { step } => write!(f, "the tasks of `{step}` not being readable"),
            Self::NextItem { step } => write!(f, "`{step}` going on with the next item"),
            Self::ItemAfterBlocked { step } => {
                write!(f, "`{step}` going on with the next item after a blocked one")
            }
            Self::Protected { answer } => write!(f, "{answer} to a changed protected file"),
            Self::Budget => f.write_str("a budget that is used up"),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approve => f.write_str("approval"),
            Self::Feedback => f.write_str("feedback"),
            Self::Rollback(step) => write!(f, "a rollback to `{step}`"),
        }
    }
}
