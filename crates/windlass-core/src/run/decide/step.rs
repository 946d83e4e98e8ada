//! Reports about a step: its `when`, its baseline, its commit, its timer.

use super::draft::Draft;
use crate::id::{ObjectId, StepId};
use crate::run::not_part::condition_is_not_true;
use crate::run::state::Phase;
use crate::run::{Event, Rejected, TimerKey};
use crate::snapshot::{Baseline, Snapshot};
use crate::time::Timestamp;

/// How much of a condition is told.
const MAX_WHEN: usize = 120;

pub(super) fn when_evaluated(
    draft: &mut Draft,
    step: &StepId,
    epoch: u32,
    value: &Result<bool, String>,
) -> Result<(), Rejected> {
    let index = draft.find(step)?;
    let state = draft.state.step(index);
    if !matches!(state.phase, Phase::Deciding) || state.epoch != epoch {
        return Err(Rejected::NotExpected);
    }
    let step = step.clone();
    draft.emit(match value {
        Ok(true) => Event::StepReady { step },
        Ok(false) => {
            let when = draft.state.plan.step(index).when.as_deref().unwrap_or_default();
            let when = when.split_whitespace().collect::<Vec<_>>().join(" ");
            let shown: String = when.chars().take(MAX_WHEN).collect();
            let more = if shown.len() < when.len() { "…" } else { "" };
            let reason = condition_is_not_true(&format!("{shown}{more}"));
            Event::StepSkipped { step, reason, kept: true }
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

pub(super) fn adopted(
    draft: &mut Draft,
    step: &StepId,
    epoch: u32,
    snapshot: &Snapshot,
    untouched: bool,
) -> Result<(), Rejected> {
    let index = draft.find(step)?;
    let state = draft.state.step(index);
    if !matches!(state.phase, Phase::Adopting { .. }) || state.epoch != epoch {
        return Err(Rejected::NotExpected);
    }
    let (step, snapshot) = (step.clone(), snapshot.clone());
    draft.emit(Event::StepAdopted { step, snapshot, untouched });
    Ok(())
}

pub(super) fn committed(
    draft: &mut Draft,
    step: &StepId,
    code: &ObjectId,
    parent: &ObjectId,
    commit: &ObjectId,
) -> Result<(), Rejected> {
    expect_commit(draft, step, code, parent)?;
    let (step, commit, code) = (step.clone(), commit.clone(), code.clone());
    draft.emit(Event::StepCommitted { step, commit, code });
    Ok(())
}

pub(super) fn commit_refused(
    draft: &mut Draft,
    step: &StepId,
    code: &ObjectId,
    parent: &ObjectId,
    message: &str,
) -> Result<(), Rejected> {
    expect_commit(draft, step, code, parent)?;
    draft.emit(Event::BlockerRaised { message: message.to_owned() });
    Ok(())
}

/// A step may commit more than once, so a report counts only for the commit that is asked for now.
fn expect_commit(
    draft: &Draft,
    step: &StepId,
    code: &ObjectId,
    parent: &ObjectId,
) -> Result<(), Rejected> {
    let index = draft.find(step)?;
    match &draft.state.step(index).phase {
        Phase::Committing { snapshot, .. }
            if snapshot.code == *code && draft.state.head == *parent =>
        {
            Ok(())
        }
        Phase::Pending
        | Phase::Deciding
        | Phase::Ready
        | Phase::Reading
        | Phase::Repeating
        | Phase::Beginning
        | Phase::Due
        | Phase::Running { .. }
        | Phase::Stopping { .. }
        | Phase::Verifying { .. }
        | Phase::Committing { .. }
        | Phase::Adopting { .. }
        | Phase::Publishing { .. }
        | Phase::Proven { .. }
        | Phase::AtGate { .. }
        | Phase::Waiting { .. }
        | Phase::Failed
        | Phase::Blocked
        | Phase::Done
        | Phase::Skipped => Err(Rejected::NotExpected),
    }
}

/// An early or unknown timer changes nothing.
pub(super) fn timer_fired(draft: &mut Draft, key: &TimerKey, at: Timestamp) {
    let step = match key {
        TimerKey::Wait(step) => step,
        // What silence answers follows by itself.
        TimerKey::Questions => return,
        TimerKey::Report(step) => return super::item::tell(draft, step, at),
        TimerKey::Blocker(id) => return super::blocker::timer_fired(draft, *id, at),
    };
    let Some(index) = draft.state.plan.find(step) else { return };
    if let Phase::Waiting { until, .. } = draft.state.step(index).phase
        && until <= at.max(draft.state.now)
    {
        draft.emit(Event::WaitEnded { step: step.clone() });
    }
}
