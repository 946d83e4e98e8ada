//! What is going on at this moment, and which gate comes next.

use serde::Serialize;

use crate::id::{AttemptId, StepId, StepIndex};
use crate::plan::StepKind;
use crate::run::{Phase, RunState};
use crate::time::{Span, Timestamp};

/// Something that is going on: an attempt, a verification, or the moments between them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `status --json`")]
pub struct RunningView {
    pub step: StepId,
    pub title: String,
    /// The attempt that runs, or whose work is verified.
    pub attempt: Option<AttemptId>,
    pub doing: Doing,
    pub since: String,
    #[serde(skip)]
    pub since_moment: Timestamp,
    /// The most time that the attempt may take.
    #[serde(rename = "timeout_ms")]
    pub timeout: Span,
    /// How long the attempt may show no sign of life.
    #[serde(rename = "idle_timeout_ms")]
    pub idle_timeout: Span,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// An agent works.
    Running,
    /// An attempt is being stopped.
    Stopping,
    /// A snapshot is being verified.
    Verifying,
}

impl Doing {
    /// Returns the word for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Verifying => "verifying",
        }
    }
}

/// The next point where a person decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `status --json`")]
pub struct GateAhead {
    pub step: StepId,
    pub title: String,
    /// How many steps have to be proven until then, its own included.
    pub steps_until: usize,
}

/// A step that the run can go back to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct RollbackTarget {
    pub step: StepId,
    pub title: String,
    /// Whether this is the one that is most likely meant.
    pub suggested: bool,
}

/// Lists what is going on, in the order of the plan.
pub(super) fn running(state: &RunState) -> Vec<RunningView> {
    state.in_hand().filter_map(|index| running_at(state, index)).collect()
}

fn running_at(state: &RunState, index: StepIndex) -> Option<RunningView> {
    let (plan, step) = (state.plan.step(index), state.step(index));
    let (doing, attempt, since) = match &step.phase {
        Phase::Running { attempt, since, .. } => (Doing::Running, Some(*attempt), *since),
        Phase::Stopping { attempt, since, .. } => (Doing::Stopping, Some(*attempt), *since),
        Phase::Verifying { attempt, since, .. } => (Doing::Verifying, *attempt, *since),
        Phase::Pending
        | Phase::Deciding
        | Phase::Ready
        | Phase::Reading
        | Phase::Repeating
        | Phase::Beginning
        | Phase::Due
        | Phase::Committing { .. }
        | Phase::Adopting { .. }
        | Phase::Publishing { .. }
        | Phase::Proven { .. }
        | Phase::AtGate { .. }
        | Phase::Waiting { .. }
        | Phase::Failed
        | Phase::Blocked
        | Phase::Done
        | Phase::Skipped => return None,
    };
    Some(RunningView {
        step: plan.id.clone(),
        title: plan.title.clone(),
        attempt: attempt.map(|number| AttemptId { step: plan.id.clone(), number }),
        doing,
        since: since.to_string(),
        since_moment: since,
        timeout: plan.timeout,
        idle_timeout: plan.idle_timeout,
    })
}

/// Finds the next step that stops for a person, unless all gates were approved in advance.
pub(super) fn gate_ahead(state: &RunState) -> Option<GateAhead> {
    if state.is_ended() || state.facts.approved_in_advance.is_some() {
        return None;
    }
    let mut until = 0;
    for index in state.plan.in_working_order() {
        let plan = state.plan.step(index);
        if state.step(index).is_finished() {
            continue;
        }
        until += 1;
        if plan.gate.is_some() && !state.step(index).approved {
            let (step, title) = (plan.id.clone(), plan.title.clone());
            return Some(GateAhead { step, title, steps_until: until });
        }
    }
    None
}

/// Lists the steps that the run can go back to, in the order of the plan.
///
/// Suggested is where the workflow itself leads from the step that is waiting; else the nearest
/// earlier step that an agent works on; else the step itself.
pub fn rollback_targets(state: &RunState) -> Vec<RollbackTarget> {
    let begun = |index: &StepIndex| {
        let step = state.step(*index);
        step.started_at.is_some() && !matches!(step.phase, Phase::Pending | Phase::Deciding)
    };
    let targets: Vec<StepIndex> = state.plan.in_reading_order().into_iter().filter(begun).collect();
    let suggested = suggestion(state, &targets);
    let target = |index: &StepIndex| {
        let plan = state.plan.step(*index);
        RollbackTarget {
            step: plan.id.clone(),
            title: plan.title.clone(),
            suggested: suggested == Some(*index),
        }
    };
    targets.iter().map(target).collect()
}

fn suggestion(state: &RunState, targets: &[StepIndex]) -> Option<StepIndex> {
    let current = state.holding().map(|(index, ..)| index).or_else(|| targets.last().copied())?;
    let route = state.plan.step(current).on.values().next();
    let routed = route.map(|route| route.rollback.otherwise).filter(|step| targets.contains(step));
    let by_agent = |index: &StepIndex| match state.plan.step(*index).kind {
        StepKind::Agent { .. } => true,
        StepKind::Group | StepKind::Foreach(_) | StepKind::PullRequest(_) => false,
    };
    let before = targets.iter().rev().copied().find(|index| *index < current && by_agent(index));
    routed.or(before).or_else(|| targets.contains(&current).then_some(current))
}
