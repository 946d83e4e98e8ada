//! PostToolUse of the tools for subagents and questions: which call became which subagent, what has ended,
//! and what the person answered.

use serde_json::Value;
use windlass_core::guard::plain_name;
use windlass_core::hook::{ASK_TOOL, Answer, GuardedRun, Heard, ended_agents, heard, offers};
use windlass_core::run::{Actor, HostKind, InputKind};
use windlass_engine::dispatch::{Answer as Decided, HostedJournal, Request, attempt_of};

use super::LONG_PATIENCE;
use super::who::Asked;
use crate::error::CommandError;

/// Where a subagent runs in the background, the host says so before or after its start.
pub(super) fn post_tool_use(asked: &Asked) -> Result<Answer, CommandError> {
    let Some(run) = asked.owned().filter(|_| asked.call.agent.is_none()) else {
        return Ok(Answer::Nothing);
    };
    if asked.host == HostKind::Codex {
        return waited(asked, run);
    }
    if asked.call.text("tool_name") == Some(ASK_TOOL) {
        return answered(asked, run);
    }
    let response = asked.call.body.get("tool_response");
    let agent = response.and_then(|response| response.get("agentId")).and_then(Value::as_str);
    let launched = response.and_then(|response| response.get("status")).and_then(Value::as_str);
    let (Some(agent), Some("async_launched"), Some(call)) =
        (agent, launched, asked.call.text("tool_use_id"))
    else {
        return Ok(Answer::Nothing);
    };
    let mut journal = HostedJournal::open(&asked.repository, &run.run, LONG_PATIENCE)?;
    let state = journal.state();
    let by_this_call =
        |index| state.step(index).handover.as_ref().is_some_and(|handover| handover.call == call);
    let taken = offers(state).into_iter().find(|offer| offer.taken && by_this_call(offer.index));
    if let Some(offer) = taken {
        let input = InputKind::HandedOver { attempt: offer.attempt, agent: agent.to_owned() };
        let _ = journal.feed(input, Actor::engine())?;
    }
    Ok(Answer::Nothing)
}

/// The person answered in the session. It counts where the host itself says so, as with their messages.
fn answered(asked: &Asked, run: &GuardedRun) -> Result<Answer, CommandError> {
    if !super::prompt::is_heard(asked) {
        return Ok(Answer::Nothing);
    }
    let mut driver = asked.join(&run.run, &run.session, LONG_PATIENCE)?;
    let (input, response) = (&asked.call.body["tool_input"], &asked.call.body["tool_response"]);
    let mut refused = Vec::new();
    // Before anything else is done: what a person says in time is not overtaken by silence.
    for Heard { question, choice, text } in heard(driver.state(), input, response) {
        let request = Request::Answer { question: question.clone(), choice, text };
        if let Decided::Rejected { message, .. } = driver.request(&request)? {
            refused.push(format!("{question}: {message}"));
        }
    }
    driver.settle()?;
    driver.leave();
    Ok(match refused.as_slice() {
        [] => Answer::Nothing,
        refused => Answer::Context(format!(
            "windlass did not accept these answers: {}. Tell the person, and stop.",
            refused.join("; ")
        )),
    })
}

/// Codex's session has waited. An agent that has ended by now and is still at work for windlass has not
/// called its SubagentStop: it broke off, and its work is verified when the session stops.
fn waited(asked: &Asked, run: &GuardedRun) -> Result<Answer, CommandError> {
    let tool = asked.call.text("tool_name").map(plain_name);
    let gone: Vec<String> = match tool {
        Some("wait_agent") => ended_agents(&asked.call.body["tool_response"]),
        Some(_) | None => Vec::new(),
    };
    if !run.agents.iter().any(|agent| gone.contains(&agent.id)) {
        return Ok(Answer::Nothing);
    }
    let mut driver = asked.join(&run.run, &run.session, LONG_PATIENCE)?;
    for agent in &gone {
        if let Some(attempt) = attempt_of(driver.state(), agent) {
            driver.lost(&attempt)?;
        }
    }
    driver.leave();
    Ok(Answer::Nothing)
}
