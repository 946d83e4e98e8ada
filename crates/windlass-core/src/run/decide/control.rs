//! Pause, resume, skip, new tries, abort.

use super::draft::Draft;
use super::gate::resume_if_stopped;
use super::session;
use super::{blocker, cold, item};
use crate::id::{AttemptId, StepId, StepIndex};
use crate::run::state::{Control, PauseReason, Phase, StopReason};
use crate::run::{Event, PlayedBy, Raise, Rejected};

pub(super) fn pause(draft: &mut Draft, now: bool) -> Result<(), Rejected> {
    session::withdraw_offers(draft);
    let paused = !matches!(draft.state.control, Control::Active);
    let in_flight = draft.state.in_flight().is_some() || draft.state.cold.going_on.is_some();
    if paused && !(now && in_flight) {
        return Err(Rejected::AlreadyPaused);
    }
    if now {
        stop_in_flight(draft, StopReason::Pause);
    }
    if !paused {
        let detail = format!("paused by {}", draft.actor());
        draft.emit(Event::RunPaused { reason: PauseReason::User, detail });
    }
    Ok(())
}

pub(super) fn resume(draft: &mut Draft, raise: &Raise) -> Result<(), Rejected> {
    match draft.state.control {
        Control::Paused { .. } | Control::Obstructed { .. } => {}
        // A run that waits for a limit is not paused, and its person wants it to ask again.
        Control::Active if *raise == Raise::default() && waits_for_limit(draft) => {
            ask_again(draft);
            return Ok(());
        }
        Control::Active | Control::Aborting | Control::Aborted | Control::Completed => {
            return Err(Rejected::NotPaused);
        }
    }
    if let Some((_, plan, step)) = draft.state.holding()
        && matches!(step.phase, Phase::Failed)
    {
        return Err(Rejected::Exhausted { step: plan.id.clone() });
    }
    super::publish::accept_settings(draft);
    draft.emit(Event::RunResumed { raise: raise.clone() });
    blocker::resolve_all(draft);
    ask_again(draft);
    Ok(())
}

/// Somebody else plays the agents from the next attempt on.
pub(super) fn play_by(draft: &mut Draft, played_by: &PlayedBy) -> Result<(), Rejected> {
    if let Some(attempt) = draft.state.running_attempts().next() {
        return Err(Rejected::Busy { what: format!("`{}` is being worked on", attempt.step) });
    }
    if matches!(draft.state.control, Control::Aborting) {
        return Err(Rejected::Busy { what: "it is being aborted".to_owned() });
    }
    let by = draft.actor();
    draft.emit(Event::AgentChanged { by, played_by: played_by.clone() });
    Ok(())
}

fn waits_for_limit(draft: &Draft) -> bool {
    let waits = |index: StepIndex| {
        matches!(draft.state.step(index).phase, Phase::Waiting { limit: true, .. })
    };
    draft.state.in_hand().any(waits)
}

/// Whoever resumes may have another account, more money for the day, or other hours: what a limit
/// keeps waiting asks again, and waits again where nothing has changed.
fn ask_again(draft: &mut Draft) {
    let in_hand: Vec<StepIndex> = draft.state.in_hand().collect();
    for index in in_hand {
        if matches!(draft.state.step(index).phase, Phase::Waiting { limit: true, .. }) {
            let step = draft.id(index);
            draft.emit(Event::WaitEnded { step });
        }
    }
}

pub(super) fn skip(
    draft: &mut Draft,
    step: &StepId,
    reason: &str,
    kept: bool,
) -> Result<(), Rejected> {
    if reason.trim().is_empty() {
        return Err(Rejected::NoReason);
    }
    let index = draft.find(step)?;
    if draft.state.step(index).is_finished() {
        let status = draft.state.step_status(index).as_str().to_owned();
        return Err(Rejected::StepFinished { step: step.clone(), status });
    }
    session::withdraw_offers(draft);
    if draft.state.is_in_flight(index) {
        return Err(Rejected::Busy { what: format!("`{step}` is being worked on") });
    }
    let nested = draft.state.plan.nested(index);
    if let Some(busy) = nested.iter().find(|index| draft.state.is_in_flight(**index)) {
        return Err(Rejected::Busy { what: format!("`{}` is being worked on", draft.id(*busy)) });
    }
    let all = || nested.iter().chain([&index]);
    let held_up = all().any(|index| draft.state.is_in_hand(*index));
    let reason = format!("{} ({})", reason.trim(), draft.actor());
    for index in all() {
        if !draft.state.step(*index).is_finished() {
            let (step, reason) = (draft.id(*index), reason.clone());
            // What is proven and maybe committed takes a while to leave; the step is skipped then.
            let leaves = !kept && draft.state.proven_without(*index).is_some();
            draft.emit(match leaves {
                true => Event::StepTakenBack { step, reason },
                false => Event::StepSkipped { step, reason, kept },
            });
        }
    }
    if held_up {
        resume_if_stopped(draft);
    }
    Ok(())
}

pub(super) fn retry_reset(draft: &mut Draft, step: Option<&StepId>) -> Result<(), Rejected> {
    let index = match step {
        Some(step) => draft.find(step)?,
        None => failed_step(draft).ok_or(Rejected::NothingFailed)?,
    };
    if draft.state.step(index).is_finished() {
        let status = draft.state.step_status(index).as_str().to_owned();
        return Err(Rejected::StepFinished { step: draft.id(index), status });
    }
    match item::taken_back(draft, index) {
        None => draft.emit(Event::RetriesReset { step: draft.id(index) }),
        Some(stuck) => item::take_up(draft, index, &stuck)?,
    }
    resume_if_stopped(draft);
    Ok(())
}

fn failed_step(draft: &Draft) -> Option<StepIndex> {
    let state = &draft.state;
    let stopped = !matches!(state.control, Control::Active);
    let holder = state.holding().map(|(index, ..)| index).filter(|index| {
        matches!(state.step(*index).phase, Phase::Failed)
            || (stopped && !state.is_in_flight(*index))
    });
    holder.or_else(|| state.blocked.get_min().copied())
}

pub(super) fn abort(draft: &mut Draft, reason: Option<&str>) -> Result<(), Rejected> {
    if matches!(draft.state.control, Control::Aborting) {
        return Err(Rejected::Busy { what: "the run is being aborted already".to_owned() });
    }
    stop_in_flight(draft, StopReason::Abort);
    draft.emit(Event::AbortRequested { reason: reason.map(str::to_owned) });
    Ok(())
}

/// Stops attempts and gives verifications up. A baseline or a commit is quick and finishes.
fn stop_in_flight(draft: &mut Draft, reason: StopReason) {
    session::withdraw_offers(draft);
    cold::stop(draft);
    let in_hand: Vec<StepIndex> = draft.state.in_hand().collect();
    for index in in_hand {
        let phase = draft.state.step(index).phase.clone();
        if let Phase::Running { attempt, .. } = phase {
            let attempt = AttemptId { step: draft.id(index), number: attempt };
            draft.emit(Event::StopRequested { attempt, reason });
        } else if let Phase::Verifying { verification, .. } = phase {
            draft.emit(Event::VerificationAbandoned { verification });
        }
    }
}
