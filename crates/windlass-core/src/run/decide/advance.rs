//! What follows by itself: nobody has to ask for the next step.

use super::draft::Draft;
use super::{cold, item, publish, question};
use crate::id::{AttemptId, Fence, GateId, StepIndex, VerificationId};
use crate::plan::{GatePolicy, StepKind};
use crate::proof::ProtectedChange;
use crate::run::state::{Control, Gate, GateKind, PauseReason, Phase};
use crate::run::{Event, Unseen, VerifyReason};
use crate::snapshot::Snapshot;

/// Goes on until something outside has to happen.
pub(super) fn advance(draft: &mut Draft) {
    while let Some(event) = next(draft) {
        draft.emit(event);
    }
}

/// Returns the next event that follows by itself.
fn next(draft: &Draft) -> Option<Event> {
    let state = &draft.state;
    if let Some(event) = cold::give_up(draft) {
        return Some(event);
    }
    match state.control {
        Control::Active => {}
        Control::Aborting => {
            // An attempt has to end first, and a push or pull request that may be half made: what
            // came of it belongs in the journal. What else is in flight changes nothing any more.
            let ended = state.running_attempts().next().is_none();
            return (ended && !publish::is_going_on(draft)).then_some(Event::RunAborted);
        }
        // What is proven may still be finished; nothing new starts.
        Control::Paused { .. } | Control::Obstructed { .. } => {
            return finish_all_proven(draft);
        }
        Control::Aborted | Control::Completed => return None,
    }
    if state.remaining == 0 && !cold::is_in_the_way(draft) {
        return Some(before_the_end(draft).unwrap_or(Event::RunCompleted));
    }
    // A person may decide while nobody drives; what that makes possible starts with the driver.
    let Some(driver) = state.driver else {
        return finish_all_proven(draft);
    };
    finish_all_proven(draft)
        .or_else(|| cold::begin(draft))
        .or_else(|| state.in_hand().find_map(|index| publish::intent(draft, index)))
        .or_else(|| state.in_hand().find_map(|index| start_next(draft, index, driver)))
        .or_else(|| take_next(draft))
}

/// The first step that can begin takes the place; the spokes of a team begin together.
fn take_next(draft: &Draft) -> Option<Event> {
    let state = &draft.state;
    if state.holder.is_some() {
        return None;
    }
    let team = state.aside.get_min().map(|spoke| state.plan.step(*spoke).parent);
    if team.is_none()
        && let Some(event) = item::next(draft)
    {
        return Some(event);
    }
    let fits = |index: &&StepIndex| {
        let plan = state.plan.step(**index);
        let of_team = team.is_none_or(|team| plan.is_spoke() && plan.parent == team);
        of_team && item::may_begin(state, **index)
    };
    let index = *state.ready.iter().find(fits)?;
    let step = draft.id(index);
    Some(match state.asked_to_skip(index) {
        Some(reason) => Event::StepSkipped { step, reason, kept: true },
        None if state.plan.foreach(index).is_some() => Event::RepeatBegan { step },
        None => Event::StepTaken { step },
    })
}

fn finish_all_proven(draft: &Draft) -> Option<Event> {
    draft.state.in_hand().find_map(|index| finish_proven(draft, index))
}

/// A proven step opens its gate or is done; a gate that was approved in advance is answered.
fn finish_proven(draft: &Draft, index: StepIndex) -> Option<Event> {
    let state = &draft.state;
    let phase = &state.step(index).phase;
    if let (Phase::Proven { .. }, Some(reason)) = (phase, &state.step(index).taken_back) {
        let (step, reason) = (draft.id(index), reason.clone());
        return Some(Event::StepSkipped { step, reason, kept: false });
    }
    if let Some(event) = question::next(draft, index) {
        return Some(event);
    }
    let asks = state.open_questions().any(|open| open.step.as_ref() == Some(&draft.id(index)));
    // A person who is asked whether it may be published, or for the last time, is shown what was proven.
    if state.is_at_the_end(index) && cold::is_in_the_way(draft) {
        return None;
    }
    if let Phase::Proven { snapshot } = phase
        && !asks
    {
        let asks_itself = state.plan.step(index).gate.is_some() && !state.step(index).approved;
        if !asks_itself && let Some(unseen) = state.lands_unseen(index, snapshot) {
            return Some(open_late_gate(draft, index, unseen, snapshot));
        }
        return Some(match state.plan.step(index).gate {
            Some(GatePolicy::Approval) if !state.step(index).approved => {
                open_gate(draft, index, snapshot)
            }
            // Publishing is an act: it waits for a driver, and for nothing else.
            Some(GatePolicy::Approval) | None if publish::is_due(draft, index) => return None,
            Some(GatePolicy::Approval) | None => Event::StepDone { step: draft.id(index) },
        });
    }
    if let Phase::AtGate { gate } = phase
        && gate.kind == GateKind::Approval
        && let Some(by) = state.facts.approved_in_advance.clone()
    {
        return Some(Event::GateApproved {
            gate: gate.id,
            by,
            message: None,
            in_advance: true,
            presence: None,
        });
    }
    None
}

/// All steps are finished, and something would land that nobody has seen: the last step that was proven asks.
fn before_the_end(draft: &Draft) -> Option<Event> {
    let state = &draft.state;
    let unseen = state.unseen_to_land(state.code_at_the_end())?;
    if let (Some(index), Some(latest)) = (state.last_proven(), &state.latest) {
        return Some(open_late_gate(draft, index, unseen, latest));
    }
    let files = ProtectedChange::all_called(&unseen.changes);
    let detail = format!("nobody has seen what was changed in protected files: {files}");
    Some(Event::RunPaused { reason: PauseReason::ProtectedChanged, detail })
}

fn open_late_gate(draft: &Draft, index: StepIndex, unseen: Unseen, snapshot: &Snapshot) -> Event {
    let Unseen { changes, diff } = unseen;
    let kind = GateKind::Protected { changes, diff, late: true };
    let (id, step) = (GateId(draft.state.gates + 1), draft.id(index));
    Event::GateOpened { gate: Gate { id, step, kind, snapshot: snapshot.clone() } }
}

fn open_gate(draft: &Draft, index: StepIndex, snapshot: &Snapshot) -> Event {
    Event::GateOpened {
        gate: Gate {
            id: GateId(draft.state.gates + 1),
            step: draft.id(index),
            kind: GateKind::Approval,
            snapshot: snapshot.clone(),
        },
    }
}

/// The step that has the place starts its next verification or attempt, within the budget.
fn start_next(draft: &Draft, index: StepIndex, driver: Fence) -> Option<Event> {
    let state = &draft.state;
    let (plan, step) = (state.plan.step(index), state.step(index));
    if !matches!(step.phase, Phase::Due) {
        return None;
    }
    if plan.kind.is_group() {
        return group(draft, index);
    }
    if step.verify_first
        && let Some(snapshot) = state.seen(index)
    {
        let judges = step.unjudged;
        let reason = if judges { VerifyReason::AttemptEnded } else { VerifyReason::MayBeDone };
        return Some(verify(draft, index, snapshot, reason));
    }
    if step.spoiled {
        return Some(Event::WorkReverted { step: plan.id.clone() });
    }
    if let Some(detail) = over_budget(draft) {
        return Some(Event::RunPaused { reason: PauseReason::Budget, detail });
    }
    Some(Event::AttemptStarted {
        attempt: AttemptId { step: plan.id.clone(), number: step.attempts + 1 },
        try_number: step.tries + 1,
        driver,
        resumes: step.session.clone(),
        boxed: state.boxes,
    })
}

/// The steps nested in a group are done: its own criterion is next, where it has one.
fn group(draft: &Draft, index: StepIndex) -> Option<Event> {
    let state = &draft.state;
    let plan = state.plan.step(index);
    let publishes = matches!(plan.kind, StepKind::PullRequest(_));
    if publishes && state.reset_code.is_some() {
        // What is published is what is in the place, and unproven work has to leave it first.
        return Some(Event::WorkReverted { step: plan.id.clone() });
    }
    match (&plan.done, plan.gate, &state.latest) {
        // What was taken back since the last commit must not be published with it.
        (None, _, Some(snapshot)) if publishes && snapshot.code != state.head_code => {
            Some(verify(draft, index, snapshot, VerifyReason::BeforePublishing))
        }
        (None, None, _) => Some(Event::StepDone { step: plan.id.clone() }),
        (Some(_), _, Some(snapshot)) => {
            let reason = match publishes {
                true => VerifyReason::BeforePublishing,
                false => VerifyReason::GroupDone,
            };
            Some(verify(draft, index, snapshot, reason))
        }
        (None, Some(GatePolicy::Approval), Some(snapshot)) => {
            Some(open_gate(draft, index, snapshot))
        }
        // Cannot be: a group that looks at files recorded them when it took the place.
        (_, _, None) => None,
    }
}

pub(super) fn verify(
    draft: &Draft,
    index: StepIndex,
    snapshot: &Snapshot,
    reason: VerifyReason,
) -> Event {
    Event::VerificationStarted {
        verification: VerificationId(draft.state.verifications + 1),
        step: draft.id(index),
        snapshot: snapshot.clone(),
        reason,
    }
}

fn over_budget(draft: &Draft) -> Option<String> {
    let (limits, spent) = (draft.state.limits(), &draft.state.spent);
    if spent.attempts >= limits.attempts {
        return Some(format!("{} of {} attempts are used", spent.attempts, limits.attempts));
    }
    if spent.cost_usd >= limits.cost_usd {
        return Some(format!("{:.2} of {:.2} USD are used", spent.cost_usd, limits.cost_usd));
    }
    if spent.wall >= limits.wall {
        return Some(format!("{} of {} are used", spent.wall, limits.wall));
    }
    None
}
