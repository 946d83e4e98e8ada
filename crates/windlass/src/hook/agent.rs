//! PreToolUse of the tool for subagents: the session may start what it was offered, and nothing else.

use std::time::{Duration, Instant};

use windlass_core::hook::{AgentCall, Answer, GuardedRun, Offer, agent_call, let_go, offers};
use windlass_core::run::{HostKind, RunState, RunStatus};
use windlass_engine::dispatch::HostedDriver;

use super::PATIENCE;
use super::who::{Asked, Relation};
use crate::error::CommandError;

/// How often a call that waits for the start of another subagent looks again.
const INTERVAL: Duration = Duration::from_millis(20);

/// How long a second call for the same attempt waits for the subagent of the first. Where none comes,
/// the host did not let the first call through.
const START: Duration = Duration::from_secs(5);

pub(super) fn pre_tool_use(asked: &Asked, run: &GuardedRun) -> Result<Answer, CommandError> {
    if asked.relation(run) != Relation::Owner {
        return Ok(Answer::Deny(format!(
            "run {} belongs to another session, or the caller is unknown: no agent is started. \
             `/windlass:resume` takes the run over",
            run.run
        )));
    }
    let Some(call) = asked.call.text("tool_use_id") else {
        return Ok(Answer::Deny("the call has no name, so its agent is unknown".to_owned()));
    };
    let empty = serde_json::json!({});
    let input = asked.call.body.get("tool_input").unwrap_or(&empty);
    let begun = Instant::now();
    loop {
        let mut driver = asked.join(&run.run, &run.session, PATIENCE)?;
        let state = driver.state();
        let offered = offers(state);
        let place_of = |offer: &Offer| place_of(asked, state, offer);
        let (at, input) = match agent_call(state, &offered, asked.host, input, &place_of) {
            AgentCall::Refused(why) => return Ok(Answer::Deny(why)),
            AgentCall::Starts { offer, input } => (offer, input),
        };
        let offer = &offered[at];
        let twice = is_taken_by_another(state, offer, call) && begun.elapsed() < START;
        if twice || is_ambiguous(asked.host, state, &offered, offer, call) {
            // The start of a subagent does not say which call it came of: one of a kind at a time.
            driver.leave();
            if begun.elapsed() > PATIENCE {
                return Ok(Answer::Deny(
                    "another agent of this kind is just starting: call again".to_owned(),
                ));
            }
            pause();
            continue;
        }
        let attempt = offer.attempt.clone();
        driver.take(&attempt, call)?;
        return Ok(finish(driver, &attempt, call, input));
    }
}

/// Codex closes agents by a tool. One that is at work is not closed.
pub(super) fn close(run: &GuardedRun, input: &serde_json::Value) -> Answer {
    let target = input.get("target").or_else(|| input.get("id")).and_then(|id| id.as_str());
    let at_work = |id: &str| run.agents.iter().any(|agent| agent.id == id);
    match target {
        Some(id) if !at_work(id) => Answer::Nothing,
        Some(id) => {
            Answer::Deny(format!("agent {id} is at work: wait for its end with wait_agent"))
        }
        None => Answer::Deny("the call does not say which agent is closed".to_owned()),
    }
}

/// Lets the call through if the machine took it.
fn finish(
    driver: HostedDriver,
    attempt: &windlass_core::id::AttemptId,
    call: &str,
    input: serde_json::Value,
) -> Answer {
    let state = driver.leave();
    let step = state.plan.find(&attempt.step).map(|index| state.step(index));
    let taken = step.and_then(|step| step.handover.as_ref());
    match taken {
        Some(handover) if handover.call == call => Answer::Allow(Some(input)),
        // A limit, quiet hours, or the day's money.
        None if state.status() == RunStatus::Waiting => Answer::Deny(format!(
            "{}\nNo agent starts now. Tell the person, and stop",
            let_go(&state)
        )),
        Some(_) | None => Answer::Deny(format!(
            "attempt {attempt} is assigned to another agent already: wait for it, then stop"
        )),
    }
}

fn is_taken_by_another(state: &RunState, offer: &Offer, call: &str) -> bool {
    state.step(offer.index).handover.as_ref().is_some_and(|handover| handover.call != call)
}

fn is_ambiguous(
    host: HostKind,
    state: &RunState,
    offers: &[Offer],
    offer: &Offer,
    call: &str,
) -> bool {
    offers.iter().any(|other| {
        other.attempt != offer.attempt
            // All agents of Codex are of one kind.
            && (other.agent == offer.agent || host == HostKind::Codex)
            && other.taken
            && is_taken_by_another(state, other, call)
    })
}

fn place_of(asked: &Asked, state: &RunState, offer: &Offer) -> String {
    let plan = state.plan.step(offer.index);
    if !plan.is_spoke() {
        return state.facts.place.clone();
    }
    let home = asked.repository.run(&state.facts.run).aside(&plan.id);
    home.place.to_string_lossy().into_owned()
}

#[expect(clippy::disallowed_methods, reason = "another process journals what is waited for")]
fn pause() {
    std::thread::sleep(INTERVAL);
}
