//! SubagentStart and SubagentStop: an attempt is handed over, and judged.

use windlass_core::hook::{Answer, let_go, offers, round_failed};
use windlass_core::run::{Actor, HostKind, InputKind, RunState, step_bounds};
use windlass_engine::dispatch::{HostedJournal, Stopped, attempt_of};
use windlass_engine::hosted::desk::Desk;

use super::LONG_PATIENCE;
use super::who::Asked;
use crate::error::CommandError;

/// The subagent of an attempt that the session took is there.
pub(super) fn start(asked: &Asked) -> Result<Answer, CommandError> {
    let (Some(run), Some(agent)) = (asked.owned(), &asked.call.agent) else {
        return Ok(Answer::Nothing);
    };
    let mut journal = HostedJournal::open(&asked.repository, &run.run, LONG_PATIENCE)?;
    let kind = asked.call.agent_type.as_deref().unwrap_or_default();
    let taken = |state: &RunState| {
        let fits = |agent: &str| asked.host == HostKind::Codex || agent == kind;
        offers(state).into_iter().find(|offer| offer.taken && fits(&offer.agent))
    };
    if let Some(offer) = taken(journal.state()) {
        let input = InputKind::HandedOver { attempt: offer.attempt, agent: agent.clone() };
        // One that was handed over already keeps its subagent.
        let _ = journal.feed(input, Actor::engine())?;
    }
    Ok(Answer::Nothing)
}

/// The subagent stops: its work is judged. What is not proven goes back to it.
pub(super) fn stop(asked: &Asked) -> Result<Answer, CommandError> {
    let (Some(run), Some(agent)) = (asked.owned(), &asked.call.agent) else {
        return Ok(Answer::Nothing);
    };
    // A compaction stops as well, and others that windlass never started.
    if !run.agents.iter().any(|known| known.id == *agent) {
        return Ok(Answer::Nothing);
    }
    let mut driver = asked.join(&run.run, &run.session, LONG_PATIENCE)?;
    let Some(attempt) = attempt_of(driver.state(), agent) else { return Ok(Answer::Nothing) };
    let stopped = driver.stopped(&attempt)?;
    let state = driver.leave();
    let desk = Desk::of(&asked.repository);
    desk.forget_badges();
    if state.is_ended() {
        // The session that stops next finds no run any more.
        desk.say_farewell(&asked.call.session, &let_go(&state)).map_err(CommandError::failure)?;
    }
    let Stopped::GoesOn { round } = stopped else { return Ok(Answer::Nothing) };
    let Some(index) = state.plan.find(&attempt.step) else { return Ok(Answer::Nothing) };
    let rounds = step_bounds(state.plan.step(index).retries).rounds;
    Ok(match &state.step(index).failure {
        Some(failure) => Answer::SendOn(round_failed(failure, round, rounds)),
        None => Answer::Nothing,
    })
}
