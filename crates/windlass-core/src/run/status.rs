//! Where a run and its steps stand, in the words people see.

use serde::Serialize;

use crate::id::StepIndex;
use crate::run::state::{Control, GateKind, PauseReason, Phase, RunState};

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Something is in flight or ready.
    Active,
    /// A gate waits for a person.
    AwaitingApproval,
    /// A blocker or a question waits for a person.
    AwaitingUser,
    /// It waits for a moment.
    Waiting,
    /// It waits to be resumed.
    Paused,
    /// All steps are done or skipped.
    Completed,
    /// It ended without being complete.
    Aborted,
}

impl RunStatus {
    /// Returns the status as it stands in the document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::AwaitingApproval => "awaiting_approval",
            Self::AwaitingUser => "awaiting_user",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Aborted => "aborted",
        }
    }
}

/// Where a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documented list")]
pub enum StepStatus {
    Pending,
    Ready,
    Running,
    Verifying,
    Done,
    Skipped,
    Blocked,
    Failed,
    Invalidated,
}

impl StepStatus {
    /// Returns the status as it stands in the document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Verifying => "verifying",
            Self::Done => "done",
            Self::Skipped => "skipped",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Invalidated => "invalidated",
        }
    }
}

impl RunState {
    /// Returns where the run stands.
    pub fn status(&self) -> RunStatus {
        match &self.control {
            Control::Completed => return RunStatus::Completed,
            Control::Aborted => return RunStatus::Aborted,
            Control::Obstructed { .. } => return RunStatus::AwaitingUser,
            Control::Active | Control::Paused { .. } | Control::Aborting => {}
        }
        if self.holder.is_some_and(|index| self.is_in_flight(index)) {
            return RunStatus::Active;
        }
        if matches!(self.control, Control::Paused { .. }) {
            return RunStatus::Paused;
        }
        match self.holding().map(|(_, _, step)| &step.phase) {
            Some(Phase::AtGate { .. }) => RunStatus::AwaitingApproval,
            Some(Phase::Waiting { .. }) => RunStatus::Waiting,
            Some(Phase::Failed) => RunStatus::Paused,
            Some(_) => RunStatus::Active,
            None if self.ready.is_empty() && self.deciding.is_empty() => RunStatus::AwaitingUser,
            None => RunStatus::Active,
        }
    }

    /// Returns why the run stands where it does, in one word, where there is one.
    pub fn reason(&self) -> Option<&'static str> {
        if let Control::Paused { reason, .. } = &self.control {
            return Some(reason.as_str());
        }
        let gate = self.gate()?;
        match gate.kind {
            GateKind::Protected { .. } => Some(PauseReason::ProtectedChanged.as_str()),
            GateKind::Approval => None,
        }
    }

    /// Returns where the step at `index` stands.
    pub fn step_status(&self, index: StepIndex) -> StepStatus {
        let step = self.step(index);
        match &step.phase {
            Phase::Pending | Phase::Deciding if step.started_at.is_some() => {
                StepStatus::Invalidated
            }
            Phase::Pending | Phase::Deciding => StepStatus::Pending,
            Phase::Ready => StepStatus::Ready,
            Phase::Beginning
            | Phase::Due
            | Phase::Running { .. }
            | Phase::Stopping { .. }
            | Phase::Waiting { .. } => StepStatus::Running,
            Phase::Verifying { .. }
            | Phase::Committing { .. }
            | Phase::Proven { .. }
            | Phase::AtGate { .. } => StepStatus::Verifying,
            Phase::Failed => StepStatus::Failed,
            Phase::Blocked => StepStatus::Blocked,
            Phase::Done => StepStatus::Done,
            Phase::Skipped => StepStatus::Skipped,
        }
    }
}
