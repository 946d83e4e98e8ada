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

    /// Returns the status in the words of people.
    pub fn words(self) -> &'static str {
        match self {
            Self::AwaitingApproval => "awaiting approval",
            Self::AwaitingUser => "waiting for you",
            Self::Active | Self::Waiting | Self::Paused | Self::Completed | Self::Aborted => {
                self.as_str()
            }
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
            // Whatever its steps say: nobody works on them.
            Control::Paused { reason: PauseReason::InternalError, .. } => return RunStatus::Paused,
            Control::Active | Control::Paused { .. } | Control::Aborting => {}
        }
        let proves_cold = self.cold.going_on.is_some();
        if !self.reading.is_empty() || self.in_flight().is_some() || proves_cold {
            return RunStatus::Active;
        }
        if matches!(self.control, Control::Paused { .. }) {
            return RunStatus::Paused;
        }
        if self.open_questions().next().is_some() {
            return RunStatus::AwaitingUser;
        }
        match self.holding().map(|(_, _, step)| &step.phase) {
            Some(Phase::AtGate { .. }) => RunStatus::AwaitingApproval,
            Some(Phase::Waiting { .. }) => RunStatus::Waiting,
            Some(Phase::Failed) => RunStatus::Paused,
            Some(_) => RunStatus::Active,
            // The last proof comes as soon as somebody drives the run.
            None if self.remaining == 0 => RunStatus::Active,
            None if self.ready.is_empty() && self.deciding.is_empty() => RunStatus::AwaitingUser,
            None => RunStatus::Active,
        }
    }

    /// Returns whether a fault of the decider stopped the run.
    pub fn is_stopped_by_bug(&self) -> bool {
        matches!(self.control, Control::Paused { reason: PauseReason::InternalError, .. })
    }

    /// Returns why the run stands where it does, in one word, where there is one.
    pub fn reason(&self) -> Option<&'static str> {
        if let Control::Paused { reason, .. } = &self.control {
            return Some(reason.as_str());
        }
        let gate = self.gate()?;
        match gate.kind {
            GateKind::Protected { .. } => Some(PauseReason::ProtectedChanged.as_str()),
            GateKind::Approval | GateKind::Route { .. } => None,
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
            // It is proven, and what it was to do outside is in the way.
            Phase::Proven { .. } if matches!(self.control, Control::Obstructed { .. }) => {
                StepStatus::Blocked
            }
            // Nobody works on it while the run stands still.
            Phase::Due if self.control != Control::Active => StepStatus::Ready,
            Phase::Reading
            | Phase::Repeating
            | Phase::Beginning
            | Phase::Due
            | Phase::Running { .. }
            | Phase::Stopping { .. }
            | Phase::Publishing { .. }
            | Phase::Waiting { .. } => StepStatus::Running,
            Phase::Verifying { .. }
            | Phase::Committing { .. }
            | Phase::Adopting { .. }
            | Phase::Proven { .. }
            | Phase::AtGate { .. } => StepStatus::Verifying,
            Phase::Failed => StepStatus::Failed,
            Phase::Blocked => StepStatus::Blocked,
            Phase::Done => StepStatus::Done,
            Phase::Skipped => StepStatus::Skipped,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::Exhausted;
    use crate::proof::Outcome;
    use crate::run::testing::*;
    use crate::time::Span;

    /// The run's status and reason, and the status of the step `code`.
    fn stands(run: &Run) -> (&'static str, Option<&'static str>, &'static str) {
        (run.state.status().as_str(), run.state.reason(), run.status_of("code").as_str())
    }

    #[test]
    fn a_run_and_its_step_stand_where_people_expect_from_start_to_end() {
        let mut run = Run::of([agent("code").when("true").commits().gated()]);
        assert_eq!(stands(&run), ("active", None, "pending"), "deciding");
        run.when("code", Ok(true));
        assert_eq!(stands(&run), ("active", None, "running"), "beginning");
        run.begins("code");
        assert_eq!(stands(&run), ("active", None, "running"), "running");
        run.ends_with("code#1", "c1", Outcome::TimedOut);
        assert_eq!(stands(&run), ("active", None, "verifying"), "verifying");
        run.verifies(fails("no"));
        assert_eq!(stands(&run), ("waiting", None, "running"), "waiting");
        run.decides(PAUSE);
        assert_eq!(stands(&run), ("paused", Some("user"), "running"), "paused while waiting");
        run.later(Span::hours(1)).timer("code");
        assert_eq!(stands(&run), ("paused", Some("user"), "ready"), "due");
        run.decides(RESUME);
        run.decides(PAUSE_NOW);
        assert_eq!(stands(&run), ("active", Some("user"), "running"), "stopping");
        run.ends("code#2", "c2");
        assert_eq!(stands(&run), ("paused", Some("user"), "ready"), "stopped");
        run.decides(RESUME);
        run.verifies(protected());
        let at_gate = ("awaiting_approval", Some("protected_changed"), "verifying");
        assert_eq!(stands(&run), at_gate, "at a protected gate");
        run.decides(approve(1, "c2"));
        run.verifies(holds());
        assert_eq!(stands(&run), ("active", None, "verifying"), "committing");
        run.refuses_commit("code", "the branch moved");
        assert_eq!(stands(&run), ("awaiting_user", None, "verifying"), "obstructed");
        run.decides(RESUME);
        run.commits("code", "commit1");
        assert_eq!(stands(&run), ("awaiting_approval", None, "verifying"), "at its gate");
        run.decides(approve(2, "c2"));
        assert_eq!(stands(&run), ("completed", None, "done"), "the end");
    }

    #[test]
    fn a_step_that_cannot_go_on_is_failed_or_blocked() {
        let mut run = Run::of([agent("code").retries(1)]);
        run.begins("code");
        run.fails("code#1", "c1");
        assert_eq!(stands(&run), ("paused", Some("retries_exhausted"), "failed"));
        run.decides(skip("code"));
        assert_eq!(stands(&run), ("completed", None, "skipped"));

        let mut run = Run::of([agent("code").retries(1).exhausted(Exhausted::Block)]);
        run.begins("code");
        run.fails("code#1", "c1");
        assert_eq!(stands(&run), ("awaiting_user", None, "blocked"));
        run.decides(ABORT);
        assert_eq!(stands(&run), ("aborted", None, "blocked"));
    }

    #[test]
    fn a_step_that_is_open_again_is_invalidated_until_its_turn_comes() {
        let mut run = Run::of([agent("plan"), agent("code").gated()]);
        assert_eq!(stands(&run), ("active", None, "pending"));
        run.proves("plan", "c1");
        run.proves("code", "c2");
        run.decides(rollback("plan", "c2"));
        assert_eq!(stands(&run), ("active", None, "invalidated"));
        run.proves("plan", "c3");
        assert_eq!(stands(&run), ("active", None, "running"));
    }

    #[test]
    fn a_step_that_waits_for_the_place_is_ready() {
        let run = Run::of([agent("plan").needs([]), agent("code").needs([])]);
        assert_eq!(stands(&run), ("active", None, "ready"));
    }
}
