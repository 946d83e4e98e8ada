//! What should be happening now, read off the indexes.

use std::collections::BTreeSet;

use crate::id::{AttemptId, ObjectId, StepIndex};
use crate::run::state::{Control, Phase, RunState};
use crate::run::{BaselineRequest, Blocker, Effect, TimerKey};

/// Returns everything that the edge has to ensure, given the state.
///
/// Costs what is in flight, not the size of the plan.
pub fn outstanding(state: &RunState) -> BTreeSet<Effect> {
    // After a fault of the decider nothing may go on: the next report would meet the same fault.
    if state.is_ended() || state.is_stopped_by_bug() {
        return BTreeSet::new();
    }
    let mut effects: BTreeSet<Effect> = state
        .deciding
        .iter()
        .map(|index| Effect::EvaluateWhen {
            step: state.plan.step(*index).id.clone(),
            epoch: state.step(*index).epoch,
        })
        .chain(state.reading.iter().map(|index| Effect::ReadTasks {
            step: state.plan.step(*index).id.clone(),
            epoch: state.step(*index).epoch,
        }))
        .collect();
    effects.extend(questions(state));
    effects.extend(reports(state));
    effects.extend(state.open_blockers().filter_map(|blocker| of_blocker(state, blocker)));
    effects.extend(state.cold.going_on.iter().map(|going_on| Effect::ProveCold {
        proof: going_on.proof,
        code: going_on.subject.code.clone(),
    }));
    effects.extend(state.in_hand().filter_map(|index| of_step(state, index)));
    effects
}

/// People are told now and then how far the items have come, while somebody works on them.
fn reports(state: &RunState) -> impl Iterator<Item = Effect> + '_ {
    let works = state.control == Control::Active && state.in_flight().is_some();
    let steps = state.repeating.iter().filter(move |_| works);
    steps.filter_map(|index| {
        let step = &state.plan.step(*index).id;
        let at = state.next_report(step)?;
        Some(Effect::Wake { key: TimerKey::Report(step.clone()), at })
    })
}

/// Silence answers what it may when the time has come.
fn questions(state: &RunState) -> Option<Effect> {
    let until = state.open_questions().filter_map(|open| open.until).min()?;
    Some(Effect::Wake { key: TimerKey::Questions, at: until })
}

impl RunState {
    /// Returns the code that has to hold before a run goes on after this blocker: what the item in hand
    /// began from, because a story that is half done may fail its tests on purpose.
    pub fn code_for_blocker(&self, blocker: u32) -> ObjectId {
        let step = self.blocker(blocker).and_then(|blocker| blocker.step.as_ref());
        let index = step.and_then(|step| self.plan.find(step));
        let began = index.and_then(|index| self.item_of(index)?.began.clone());
        began.unwrap_or_else(|| self.proven_code.clone())
    }
}

/// Returns what has to happen for a blocker that is open.
fn of_blocker(state: &RunState, blocker: &Blocker) -> Option<Effect> {
    if blocker.looking.is_some() {
        let code = state.code_for_blocker(blocker.id);
        return Some(Effect::LookAtBlocker { blocker: blocker.id, look: blocker.looks, code });
    }
    let key = TimerKey::Blocker(blocker.id);
    blocker.next_look.map(|at| Effect::Wake { key, at })
}

/// Returns what has to happen for one step that is in hand.
fn of_step(state: &RunState, index: StepIndex) -> Option<Effect> {
    let (plan, step) = (state.plan.step(index), state.step(index));
    let obstructed = matches!(state.control, Control::Obstructed { .. });
    let attempt_id = |number| AttemptId { step: plan.id.clone(), number };
    Some(match &step.phase {
        Phase::Beginning => Effect::TakeBaseline(BaselineRequest {
            step: plan.id.clone(),
            epoch: step.epoch,
            // Papers are on no branch: those of a step that is taken back stay, as those of others do.
            set_aside: match step.taken_back {
                Some(_) => Vec::new(),
                None => step.papers.clone(),
            },
            reset_code: state.reset_code.clone(),
        }),
        Phase::Running { attempt, .. } => Effect::EnsureAttempt { attempt: attempt_id(*attempt) },
        Phase::Stopping { attempt, .. } => Effect::StopAttempt { attempt: attempt_id(*attempt) },
        Phase::Verifying { verification, snapshot, .. } => Effect::Verify {
            verification: *verification,
            step: plan.id.clone(),
            snapshot: snapshot.clone(),
        },
        Phase::Committing { snapshot, date } if !obstructed => Effect::EnsureCommit {
            step: plan.id.clone(),
            code: snapshot.code.clone(),
            parent: state.head.clone(),
            date: *date,
        },
        Phase::Adopting { snapshot } => {
            Effect::Adopt { step: plan.id.clone(), epoch: step.epoch, snapshot: snapshot.clone() }
        }
        Phase::Publishing { commit, expected, .. } => Effect::Publish {
            step: plan.id.clone(),
            epoch: step.epoch,
            commit: commit.clone(),
            expected: expected.clone(),
        },
        Phase::Waiting { until, .. } => {
            Effect::Wake { key: TimerKey::Wait(plan.id.clone()), at: *until }
        }
        Phase::Pending
        | Phase::Deciding
        | Phase::Ready
        | Phase::Reading
        | Phase::Repeating
        | Phase::Due
        | Phase::Committing { .. }
        | Phase::Proven { .. }
        | Phase::AtGate { .. }
        | Phase::Failed
        | Phase::Blocked
        | Phase::Done
        | Phase::Skipped => return None,
    })
}
