//! Reports about a step: its `when`, its baseline, its commit, its timer.

use super::draft::Draft;
use crate::id::{ObjectId, StepId};
use crate::run::state::Phase;
use crate::run::{Event, Rejected, TimerKey};
use crate::snapshot::Baseline;
use crate::time::Timestamp;

pub(super) fn when_evaluated(
    draft: &mut Draft,
    step: &StepId,
    value: &Result<bool, String>,
) -> Result<(), Rejected> {
    let index = draft.find(step)?;
    if !matches!(draft.state.step(index).phase, Phase::Deciding) {
        return Err(Rejected::NotExpected);
    }
    let step = step.clone();
    draft.emit(match value {
        Ok(true) => Event::StepReady { step },
        Ok(false) => {
            let when = draft.state.plan.step(index).when.as_deref().unwrap_or_default();
            Event::StepSkipped { step, reason: format!("`when: {when}` is not true") }
        }
        Err(message) => {
            Event::StepBlocked { step, reason: format!("`when` has no value: {message}") }
        }
    });
    Ok(())
}

pub(super) fn baseline_taken(
    draft: &mut Draft,
    step: &StepId,
    epoch: u32,
    baseline: &Baseline,
) -> Result<(), Rejected> {
    let index = draft.find(step)?;
    let state = draft.state.step(index);
    if !matches!(state.phase, Phase::Beginning) || state.epoch != epoch {
        return Err(Rejected::NotExpected);
    }
    draft.emit(Event::StepBegan { step: step.clone(), baseline: baseline.clone() });
    Ok(())
}

pub(super) fn committed(
    draft: &mut Draft,
    step: &StepId,
    commit: &ObjectId,
) -> Result<(), Rejected> {
    let index = draft.find(step)?;
    let Phase::Committing { snapshot, .. } = &draft.state.step(index).phase else {
        return Err(Rejected::NotExpected);
    };
    let code = snapshot.code.clone();
    draft.emit(Event::StepCommitted { step: step.clone(), commit: commit.clone(), code });
    Ok(())
}

pub(super) fn commit_refused(
    draft: &mut Draft,
    step: &StepId,
    message: &str,
) -> Result<(), Rejected> {
    let index = draft.find(step)?;
    if !matches!(draft.state.step(index).phase, Phase::Committing { .. }) {
        return Err(Rejected::NotExpected);
    }
    draft.emit(Event::BlockerRaised { message: message.to_owned() });
    Ok(())
}

/// An early or unknown timer changes nothing.
pub(super) fn timer_fired(draft: &mut Draft, key: &TimerKey, at: Timestamp) {
    let TimerKey::Wait(step) = key;
    let Some(index) = draft.state.plan.find(step) else { return };
    if let Phase::Waiting { until, .. } = draft.state.step(index).phase
        && until <= at.max(draft.state.now)
    {
        draft.emit(Event::WaitEnded { step: step.clone() });
    }
}
