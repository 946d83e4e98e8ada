//! A person answers a gate.

use super::advance;
use super::draft::Draft;
use super::rollback;
use crate::id::GateId;
use crate::plan::StepKind;
use crate::proof::ProtectedChange;
use crate::run::state::{Control, Gate, GateKind, Phase};
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
    let seen = seen_at(draft, &gate);
    draft.emit(Event::GateApproved {
        gate: shown,
        by: draft.actor(),
        message: message.map(str::to_owned),
        in_advance: false,
        presence: draft.presence(),
    });
    match gate.kind {
        // The step is done by itself now that its gate is open.
        GateKind::Approval | GateKind::Protected { late: true, .. } if seen.is_empty() => {}
        GateKind::Approval | GateKind::Protected { late: true, .. } => {
            draft.emit(Event::ProtectedPinned { changes: seen });
        }
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

/// The protected files that the gate showed besides, or that it opened for although the work is proven.
fn seen_at(draft: &Draft, gate: &Gate) -> Vec<ProtectedChange> {
    if matches!(gate.kind, GateKind::Protected { late: false, .. }) {
        return Vec::new();
    }
    draft.state.asked_about(gate).map(|unseen| unseen.changes).unwrap_or_default()
}

/// Reopens the step at the gate, or the one that failed; where a judge's approval waits, the step whose work
/// it judged.
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
    let accepts = |gate: &Gate| gate.kind == GateKind::Approval;
    if matches!(&step.phase, Phase::AtGate { gate } if accepts(gate))
        && let Some(target) = draft.state.plan.judged_by(index)
    {
        // What a person wants otherwise is not in the judge's hands: whoever did the work does it again,
        // and the judge looks once more.
        draft.emit(Event::RolledBack {
            target: draft.id(target),
            by: draft.actor(),
            message: message.to_owned(),
            files: Vec::new(),
            reset_code: false,
            code: None,
            observed: observed.clone(),
            failure: None,
            presence: draft.presence(),
        });
        resume_if_stopped(draft);
        return Ok(());
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
