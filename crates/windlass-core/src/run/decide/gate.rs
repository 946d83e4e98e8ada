//! A person answers a gate.

use super::advance;
use super::draft::Draft;
use super::rollback;
use crate::id::GateId;
use crate::plan::StepKind;
use crate::run::state::{Control, GateKind, Phase};
use crate::run::{Event, Raise, Rejected, VerifyReason};
use crate::snapshot::Snapshot;

pub(super) fn approve(
    draft: &mut Draft,
    shown: GateId,
    message: Option<&str>,
    observed: &Snapshot,
    changed: &[String],
) -> Result<(), Rejected> {
    let Some(gate) = draft.state.gate().cloned() else { return Err(Rejected::NoGate) };
    if gate.id != shown {
        return Err(Rejected::StaleGate { shown, now: gate.id });
    }
    let index = draft.find(&gate.step)?;
    if *observed != gate.snapshot {
        draft.emit(Event::GateAnswerRefused {
            gate: shown,
            observed: observed.clone(),
            changed: changed.to_vec(),
        });
        let event = advance::verify(draft, index, observed, VerifyReason::ChangedAtGate);
        draft.emit(event);
        return Ok(());
    }
    draft.emit(Event::GateApproved {
        gate: shown,
        by: draft.actor(),
        message: message.map(str::to_owned),
        in_advance: false,
        presence: draft.presence(),
    });
    match gate.kind {
        // The step is done by itself now that its gate is open.
        GateKind::Approval => {}
        GateKind::Route { verdict, target, files, told } => {
            let found = rollback::Found { verdict, target, files, told };
            rollback::take(draft, index, found, message, gate.snapshot);
        }
        GateKind::Protected { changes, .. } => {
            draft.emit(Event::ProtectedPinned { changes });
            let event = advance::verify(draft, index, &gate.snapshot, VerifyReason::Pinned);
            draft.emit(event);
        }
    }
    Ok(())
}

/// Reopens the step at the gate, or the one that failed.
pub(super) fn feedback(
    draft: &mut Draft,
    message: &str,
    observed: &Snapshot,
) -> Result<(), Rejected> {
    if message.trim().is_empty() {
        return Err(Rejected::NoReason);
    }
    let Some((index, _, step)) = draft.state.holding() else { return Err(Rejected::NoGate) };
    let paused = !matches!(draft.state.control, Control::Active);
    if matches!(draft.state.plan.step(index).kind, StepKind::PullRequest(_)) {
        return Err(Rejected::NobodyWorks { step: draft.id(index) });
    }
    let answerable = matches!(step.phase, Phase::AtGate { .. } | Phase::Failed)
        || (paused && matches!(step.phase, Phase::Due | Phase::Waiting { .. }));
    if !answerable {
        return Err(Rejected::NoGate);
    }
    draft.emit(Event::FeedbackGiven {
        step: draft.id(index),
        by: draft.actor(),
        message: message.to_owned(),
        observed: observed.clone(),
        presence: draft.presence(),
    });
    resume_if_stopped(draft);
    Ok(())
}

/// A person who sends a stopped run somewhere wants it to go there, unless a failed step, which
/// needs an answer of its own, still has the place, or a blocker is open.
pub(super) fn resume_if_stopped(draft: &mut Draft) {
    let failed = draft.state.holding().is_some_and(|(_, _, step)| step.phase == Phase::Failed);
    let blocked = draft.state.open_blockers().next().is_some();
    if !failed
        && !blocked
        && matches!(draft.state.control, Control::Paused { .. } | Control::Obstructed { .. })
    {
        draft.emit(Event::RunResumed { raise: Raise::default() });
    }
}
