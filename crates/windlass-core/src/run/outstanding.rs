//! What should be happening now, read off the indexes.

use std::collections::BTreeSet;

use crate::id::AttemptId;
use crate::run::state::{Control, Phase, RunState};
use crate::run::{BaselineRequest, Effect, TimerKey};

/// Returns everything that the edge has to ensure, given the state.
///
/// Costs what is in flight, not the size of the plan.
pub fn outstanding(state: &RunState) -> BTreeSet<Effect> {
    if state.is_ended() {
        return BTreeSet::new();
    }
    let mut effects: BTreeSet<Effect> = state
        .deciding
        .iter()
        .map(|index| Effect::EvaluateWhen {
            step: state.plan.step(*index).id.clone(),
            epoch: state.step(*index).epoch,
        })
        .collect();
    let Some((_, plan, step)) = state.holding() else { return effects };
    let obstructed = matches!(state.control, Control::Obstructed { .. });
    let attempt_id = |number| AttemptId { step: plan.id.clone(), number };
    match &step.phase {
        Phase::Beginning => {
            effects.insert(Effect::TakeBaseline(BaselineRequest {
                step: plan.id.clone(),
                epoch: step.epoch,
                set_aside: step.papers.clone(),
                reset_code: state.reset_code.clone(),
            }));
        }
        Phase::Running { attempt, .. } => {
            effects.insert(Effect::EnsureAttempt { attempt: attempt_id(*attempt) });
        }
        Phase::Stopping { attempt, .. } => {
            effects.insert(Effect::StopAttempt { attempt: attempt_id(*attempt) });
        }
        Phase::Verifying { verification, snapshot, .. } => {
            effects.insert(Effect::Verify {
                verification: *verification,
                step: plan.id.clone(),
                snapshot: snapshot.clone(),
            });
        }
        Phase::Committing { snapshot, date } if !obstructed => {
            effects.insert(Effect::EnsureCommit {
                step: plan.id.clone(),
                code: snapshot.code.clone(),
                parent: state.head.clone(),
                date: *date,
            });
        }
        Phase::Waiting { until, .. } => {
            effects.insert(Effect::Wake { key: TimerKey::Wait(plan.id.clone()), at: *until });
        }
        Phase::Pending
        | Phase::Deciding
        | Phase::Ready
        | Phase::Due
        | Phase::Committing { .. }
        | Phase::Proven { .. }
        | Phase::AtGate { .. }
        | Phase::Failed
        | Phase::Blocked
        | Phase::Done
        | Phase::Skipped => {}
    }
    effects
}
