//! What should be happening now. Every effect has a key and is harmless to perform twice.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::{AttemptId, ObjectId, StepId, VerificationId};
use crate::run::BaselineRequest;
use crate::snapshot::Snapshot;
use crate::time::Timestamp;

/// Something that the edge has to ensure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Evaluate a step's `when`.
    EvaluateWhen {
        /// The step.
        step: StepId,
        /// How often the step was reopened.
        epoch: u32,
    },
    /// Read the task list of a step.
    ReadTasks {
        /// The step.
        step: StepId,
        /// How often the step was reopened.
        epoch: u32,
    },
    /// Record the files that a step begins from.
    TakeBaseline(BaselineRequest),
    /// The attempt runs: start it, adopt it, or report it lost.
    EnsureAttempt {
        /// The attempt.
        attempt: AttemptId,
    },
    /// The attempt ends: stop it and report its end.
    StopAttempt {
        /// The attempt.
        attempt: AttemptId,
    },
    /// The verifier looks at a snapshot.
    Verify {
        /// The verification.
        verification: VerificationId,
        /// The step whose criterion is judged.
        step: StepId,
        /// What is looked at.
        snapshot: Snapshot,
    },
    /// The proven code is committed on the run's branch.
    EnsureCommit {
        /// The step.
        step: StepId,
        /// The code.
        code: ObjectId,
        /// The commit before.
        parent: ObjectId,
        /// The date that the commit carries.
        date: Timestamp,
    },
    /// The files that a spoke wrote are in the run's place too.
    Adopt {
        /// The spoke.
        step: StepId,
        /// How often the step was reopened.
        epoch: u32,
        /// The files of the spoke's own place.
        snapshot: Snapshot,
    },
    /// The run's branch is at the remote, and its pull request is open.
    Publish {
        /// The step.
        step: StepId,
        /// How often the step was reopened.
        epoch: u32,
        /// The commit that the branch is to be at.
        commit: ObjectId,
        /// Where the branch was last seen at the remote.
        expected: Option<ObjectId>,
    },
    /// The check of a blocker is run, and what has to hold before the run continues.
    LookAtBlocker {
        /// The blocker.
        blocker: u32,
        /// How often it was looked at, this time included.
        look: u32,
        /// The code that has to hold.
        code: ObjectId,
    },
    /// What has to hold at the end is looked at on a fresh clone of this code.
    ProveCold {
        /// The proof.
        proof: u32,
        /// The code.
        code: ObjectId,
    },
    /// The machine is woken at a moment.
    Wake {
        /// The timer.
        key: TimerKey,
        /// When.
        at: Timestamp,
    },
}

/// Which timer went off.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimerKey {
    /// A step's wait is over.
    Wait(StepId),
    /// Silence answers what agents asked.
    Questions,
    /// People are told how far the items of a step have come.
    Report(StepId),
    /// It is time to look whether a blocker is solved.
    Blocker(u32),
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EvaluateWhen { step, epoch } => write!(f, "evaluate-when {step} {epoch}"),
            Self::ReadTasks { step, epoch } => write!(f, "read-tasks {step} {epoch}"),
            Self::TakeBaseline(request) => {
                write!(f, "take-baseline {} {}", request.step, request.epoch)
            }
            Self::EnsureAttempt { attempt } => write!(f, "ensure-attempt {attempt}"),
            Self::StopAttempt { attempt } => write!(f, "stop-attempt {attempt}"),
            Self::Verify { verification, step, .. } => {
                write!(f, "verify {} of {step}", verification.0)
            }
            Self::EnsureCommit { step, .. } => write!(f, "ensure-commit {step}"),
            Self::Adopt { step, epoch, .. } => write!(f, "adopt {step} {epoch}"),
            Self::Publish { step, epoch, .. } => write!(f, "publish {step} {epoch}"),
            Self::LookAtBlocker { blocker, look, .. } => {
                write!(f, "look-at-blocker {blocker} {look}")
            }
            Self::ProveCold { proof, .. } => write!(f, "prove-cold {proof}"),
            Self::Wake { key: TimerKey::Report(step), at } => {
                write!(f, "wake report of {step} at {at}")
            }
            Self::Wake { key: TimerKey::Questions, at } => write!(f, "wake questions at {at}"),
            Self::Wake { key: TimerKey::Blocker(id), at } => {
                write!(f, "wake blocker {id} at {at}")
            }
            Self::Wake { key: TimerKey::Wait(step), at } => write!(f, "wake {step} at {at}"),
        }
    }
}
