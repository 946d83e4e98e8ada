//! What happened on a path, told from its events.

use std::collections::BTreeMap;
use std::fmt;

use imbl::Vector;
use serde::Serialize;

use crate::id::{GateId, StepId};
use crate::run::{Event, GateKind, PauseReason};

/// One thing that happened on a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "what")]
#[expect(missing_docs, reason = "the fields are the words of the glossary")]
pub enum Move {
    /// A step was proven; without an attempt its work was there already.
    Passed { step: StepId, attempt: Option<u32> },
    /// A step was not proven; without an attempt nothing was lost by looking.
    Failed { step: StepId, attempt: Option<u32> },
    /// A step was skipped.
    Skipped { step: StepId },
    /// A verdict led to a step.
    Routed { step: StepId, verdict: String, target: StepId },
    /// A protected file was changed, and a person has to decide.
    ProtectedChanged { step: StepId },
    /// A person approved.
    Approved { step: StepId },
    /// A person sent the step back.
    Feedback { step: StepId },
    /// A person went back to a step.
    RolledBack { step: StepId },
    /// The proof of a step was waived.
    Waived { step: StepId },
    /// A step is blocked.
    Blocked { step: StepId },
    /// The run paused.
    Paused { reason: PauseReason },
    /// All steps are done or skipped.
    Completed,
}

impl Move {
    /// Returns the step that it is about.
    pub fn step(&self) -> Option<&StepId> {
        match self {
            Self::Passed { step, .. }
            | Self::Failed { step, .. }
            | Self::Skipped { step }
            | Self::Routed { step, .. }
            | Self::ProtectedChanged { step }
            | Self::Approved { step }
            | Self::Feedback { step }
            | Self::RolledBack { step }
            | Self::Waived { step }
            | Self::Blocked { step } => Some(step),
            Self::Paused { .. } | Self::Completed => None,
        }
    }
}

/// What happened to the step, without its name.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed { .. } => f.write_str("passes"),
            Self::Failed { .. } => f.write_str("fails"),
            Self::Skipped { .. } => f.write_str("skipped"),
            Self::Routed { verdict, target, .. } => write!(f, "says {verdict} -> {target}"),
            Self::ProtectedChanged { .. } => f.write_str("changes a protected file"),
            Self::Approved { .. } => f.write_str("approved"),
            Self::Feedback { .. } => f.write_str("sent back with feedback"),
            Self::RolledBack { .. } => f.write_str("reopened by a person"),
            Self::Waived { .. } => f.write_str("waived"),
            Self::Blocked { .. } => f.write_str("blocked"),
            Self::Paused { reason } => write!(f, "paused ({})", reason.as_str()),
            Self::Completed => f.write_str("completed"),
        }
    }
}

/// Tells moves from events, one at a time.
#[derive(Clone, Debug, Default)]
pub struct Teller {
    moves: Vector<Move>,
    /// The last attempt of a step, while it is not judged.
    attempts: BTreeMap<StepId, u32>,
    gates: BTreeMap<GateId, StepId>,
    /// Whether the last event was a route, which brings its own rollback.
    routed: bool,
}

impl Teller {
    /// Takes the next event.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most events are how something happened, and a path says only what"
    )]
    pub fn tell(&mut self, event: &Event) {
        let routed = std::mem::take(&mut self.routed);
        let told = match event {
            Event::AttemptStarted { attempt, .. } => {
                self.attempts.insert(attempt.step.clone(), attempt.number);
                return;
            }
            Event::GateOpened { gate } => {
                match gate.kind {
                    // Confirming it is told as the route that it takes.
                    GateKind::Route { .. } => return,
                    GateKind::Approval | GateKind::Protected { .. } => {
                        self.gates.insert(gate.id, gate.step.clone());
                    }
                }
                match gate.kind {
                    GateKind::Approval | GateKind::Route { .. } => return,
                    GateKind::Protected { .. } => {
                        Move::ProtectedChanged { step: gate.step.clone() }
                    }
                }
            }
            Event::StepProven { step, .. } => {
                Move::Passed { step: step.clone(), attempt: self.attempts.remove(step) }
            }
            Event::StepNotProven { step, .. } => {
                Move::Failed { step: step.clone(), attempt: self.attempts.remove(step) }
            }
            Event::StepSkipped { step, .. } => Move::Skipped { step: step.clone() },
            Event::RouteTaken { step, verdict, target } => {
                self.routed = true;
                self.attempts.remove(step);
                let (step, verdict) = (step.clone(), verdict.clone());
                Move::Routed { step, verdict, target: target.clone() }
            }
            Event::GateApproved { gate, .. } => match self.gates.get(gate) {
                Some(step) => Move::Approved { step: step.clone() },
                None => return,
            },
            Event::FeedbackGiven { step, .. } => {
                self.attempts.remove(step);
                Move::Feedback { step: step.clone() }
            }
            Event::RolledBack { target, .. } if !routed => {
                Move::RolledBack { step: target.clone() }
            }
            Event::StepWaived { step, .. } => Move::Waived { step: step.clone() },
            Event::StepBlocked { step, .. } => Move::Blocked { step: step.clone() },
            Event::RunPaused { reason, .. } => Move::Paused { reason: *reason },
            Event::RunCompleted => Move::Completed,
            _ => return,
        };
        self.moves.push_back(told);
    }

    /// Returns what was told so far.
    pub fn moves(&self) -> Vec<Move> {
        self.moves.iter().cloned().collect()
    }
}
