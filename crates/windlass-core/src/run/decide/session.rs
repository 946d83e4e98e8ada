//! What a session that drives through its hooks reports.

use super::draft::Draft;
use crate::id::{AttemptId, StepIndex};
use crate::proof::Outcome;
use crate::run::session::{BLOCKS_IN_A_ROW, BLOCKS_IN_ALL, ROUNDS_END};
use crate::run::state::{Control, PauseReason, Phase};
use crate::run::{Event, Rejected, step_bounds};

/// Takes back what nobody has taken: whoever decides or takes over finds nothing in flight.
pub(super) fn withdraw_offers(draft: &mut Draft) {
    if !draft.state.is_hosted() {
        return;
    }
    let in_hand: Vec<StepIndex> = draft.state.in_hand().collect();
    for index in in_hand {
        let step = draft.state.step(index);
        if let (Phase::Running { attempt, .. }, None) = (&step.phase, &step.handover) {
            let attempt = AttemptId { step: draft.id(index), number: *attempt };
            draft.emit(Event::OfferWithdrawn { attempt });
        }
    }
}

/// The session calls its tool for an attempt that it was offered. It may call again as long as no
/// subagent has come of it.
pub(super) fn taken(draft: &mut Draft, attempt: &AttemptId, call: &str) -> Result<(), Rejected> {
    let index = offered(draft, attempt)?;
    if let Some(handover) = &draft.state.step(index).handover {
        if handover.call == call {
            return Ok(());
        }
        if handover.agent.is_some() {
            return Err(Rejected::Taken { attempt: attempt.clone() });
        }
    }
    draft.emit(Event::OfferTaken { attempt: attempt.clone(), call: call.to_owned() });
    Ok(())
}

pub(super) fn handed_over(
    draft: &mut Draft,
    attempt: &AttemptId,
    agent: &str,
) -> Result<(), Rejected> {
    let index = offered(draft, attempt)?;
    let Some(handover) = &draft.state.step(index).handover else {
        return Err(Rejected::NotExpected);
    };
    match &handover.agent {
        Some(there) if there == agent => return Ok(()),
        Some(_) => return Err(Rejected::Taken { attempt: attempt.clone() }),
        None => {}
    }
    draft.emit(Event::AttemptHandedOver { attempt: attempt.clone(), agent: agent.to_owned() });
    Ok(())
}

/// Finds an attempt that a session has in hand, or is to take.
fn offered(draft: &Draft, attempt: &AttemptId) -> Result<StepIndex, Rejected> {
    if !draft.state.is_hosted() {
        return Err(Rejected::NoSession);
    }
    let index = draft.find(&attempt.step)?;
    if let Phase::Running { attempt: number, .. } = draft.state.step(index).phase
        && number == attempt.number
    {
        return Ok(index);
    }
    Err(Rejected::StaleAttempt { attempt: attempt.clone() })
}

/// A session that is sent on again and again does not do what it is told, and its program would let
/// it stop in the end without a word: the run pauses before that.
pub(super) fn stop_asked(
    draft: &mut Draft,
    idle_blocks: u32,
    cap: Option<u32>,
) -> Result<(), Rejected> {
    if !draft.state.is_hosted() {
        return Err(Rejected::NoSession);
    }
    if draft.state.control != Control::Active {
        return Err(Rejected::NotExpected);
    }
    let blocks = draft.state.blocks;
    let overridden = cap.is_some_and(|cap| cap > 0 && idle_blocks.saturating_add(1) >= cap);
    let detail = if blocks.in_a_row >= BLOCKS_IN_A_ROW {
        let times = blocks.in_a_row;
        format!("the session was told to continue {times} times without a new attempt or proof")
    } else if blocks.in_all >= BLOCKS_IN_ALL {
        format!("the session was told to continue {} times in all", blocks.in_all)
    } else if overridden {
        format!("the session was told to continue {idle_blocks} times and called no tool")
    } else {
        draft.emit(Event::StopBlocked);
        return Ok(());
    };
    withdraw_offers(draft);
    draft.emit(Event::RunPaused { reason: PauseReason::LoopDetected, detail });
    Ok(())
}

pub(super) fn person_spoke(draft: &mut Draft) {
    let blocks = draft.state.blocks;
    if blocks.in_a_row > 0 || blocks.in_all > 0 {
        draft.emit(Event::BlocksReset);
    }
}

/// Whether work that is not proven goes back to the subagent that did it.
pub(super) fn has_rounds_left(draft: &Draft, index: StepIndex, attempt: Option<u32>) -> bool {
    let step = draft.state.step(index);
    let Some(handover) = step.handover.as_ref().filter(|_| attempt.is_some()) else {
        return false;
    };
    let by_itself = matches!(step.ended, Some(Outcome::Exited { code: 0 }));
    draft.state.is_hosted()
        && draft.state.control == Control::Active
        && by_itself
        && handover.agent.is_some()
        && handover.rounds + 1 < step_bounds(draft.state.plan.step(index).retries).rounds
        && draft.state.now.since(handover.since) < ROUNDS_END
}
