//! What a session is told to do next: exactly one thing.

use std::fmt::Write as _;

use super::Offer;
use crate::id::StepIndex;
use crate::run::{Failure, HostKind, Phase, RunState, Session};
use crate::view::{Lines, printable};

/// What the host has for agents that work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamSupport {
    /// Teams of its own.
    Teams,
    /// Subagents beside each other.
    Subagents,
}

/// Returns the instruction for what is offered; none when nothing is.
///
/// The same state gives the same words, so an offer that is repeated is repeated word for word.
pub fn instruction(state: &RunState, offers: &[Offer], team: TeamSupport) -> Option<String> {
    let host = state.session.as_ref().map_or(HostKind::Claude, |session: &Session| session.host);
    match offers {
        [] => None,
        [only] => Some(single(state, only, host)),
        several => Some(together(state, several, host, team)),
    }
}

fn head(state: &RunState, index: StepIndex) -> String {
    let plan = state.plan.step(index);
    let title = shown(&plan.title);
    format!("windlass, run {}, step `{}` ({title}).", state.facts.run, plan.id)
}

fn tool(host: HostKind) -> &'static str {
    match host {
        HostKind::Claude => "the Agent tool",
        HostKind::Codex => "spawn_agent",
    }
}

fn single(state: &RunState, offer: &Offer, host: HostKind) -> String {
    let mut text = format!(
        "{}\nCall {} once, now, with exactly this:\n\n",
        head(state, offer.index),
        tool(host)
    );
    call(&mut text, offer, host);
    let _ = writeln!(
        text,
        "\nChange no word: windlass fills in what the agent is told. Do nothing else, {}.",
        until_its_end(host)
    );
    text
}

fn until_its_end(host: HostKind) -> &'static str {
    match host {
        HostKind::Claude => "wait for its end, then stop",
        // An agent that is not closed counts against how many there may be.
        HostKind::Codex => {
            "call wait_agent until it has ended, close it with close_agent, then stop"
        }
    }
}

fn until_all_ended(host: HostKind) -> &'static str {
    match host {
        HostKind::Claude => "wait for all of them, then stop",
        HostKind::Codex => {
            "call wait_agent until all of them have ended, close each with close_agent, then stop"
        }
    }
}

/// Returns what a session is told that stops while its subagents are at work; none when none is.
pub fn wait_for(state: &RunState) -> Option<String> {
    let at_work = |index| {
        let step = state.step(index);
        let running = matches!(step.phase, Phase::Running { .. });
        step.handover.as_ref().filter(|_| running)?.agent.as_deref()
    };
    let agents = state.in_hand().filter_map(at_work);
    let agents: Vec<String> = agents.map(|agent| format!("`{}`", shown(agent))).collect();
    (!agents.is_empty()).then(|| {
        format!(
            "windlass, run {}: an agent is still at work ({}). Do nothing else: {}.\n",
            state.facts.run,
            agents.join(", "),
            until_all_ended(HostKind::Codex)
        )
    })
}

fn call(text: &mut String, offer: &Offer, host: HostKind) {
    match host {
        HostKind::Claude => {
            let _ = writeln!(text, "subagent_type: {}", offer.agent);
            let _ = writeln!(text, "description: {}", offer.attempt);
            let _ = writeln!(text, "prompt: {}", offer.words);
        }
        HostKind::Codex => {
            let _ = writeln!(text, "message: {}", offer.words);
        }
    }
}

fn together(state: &RunState, offers: &[Offer], host: HostKind, team: TeamSupport) -> String {
    let first = &offers[0];
    let parent = state.plan.step(first.index).parent.map(|index| state.plan.step(index));
    let name = parent.map_or("team", |step| step.id.as_str());
    let model = offers.iter().find_map(|offer| offer.model.as_deref()).unwrap_or("the session's");
    let mut text = head(state, first.index);
    let _ = writeln!(
        text,
        "\nTeam `{name}`: {} spokes side by side, model: {model}. Its hub follows when their files are \
         proven; do not start it yourself.",
        offers.len()
    );
    match team {
        TeamSupport::Teams => {
            let _ = writeln!(
                text,
                "Start one teammate per block, all of them now, with {}. When all are idle, shut them \
                 down and stop.\n",
                tool(host)
            );
        }
        TeamSupport::Subagents => {
            let _ = writeln!(
                text,
                "Call {} {} times in one message, so that they work at the same time, with exactly \
                 these:\n",
                tool(host),
                offers.len()
            );
        }
    }
    for (number, offer) in offers.iter().enumerate() {
        let plan = state.plan.step(offer.index);
        let _ = writeln!(text, "{}. spoke `{}`", number + 1, plan.id);
        call(&mut text, offer, host);
        if team == TeamSupport::Teams {
            let _ = writeln!(text, "name: {}", plan.id.as_str().replace('/', "-"));
        }
        let _ = writeln!(text, "expected: {}\n", shown(&plan.writes.join(", ")));
    }
    let _ = writeln!(
        text,
        "Change no word: windlass fills in what the agents are told. Do nothing else, {}.",
        until_all_ended(host)
    );
    text
}

/// Returns what a subagent is told whose work is not proven yet.
pub fn round_failed(failure: &Failure, round: u32, rounds: u32) -> String {
    let mut text = format!(
        "windlass looked at your work (round {round} of {rounds}): it is not done. {}\n",
        failure.summary
    );
    for check in failure.checks.iter().take(5) {
        let _ = writeln!(text, "\n- {}", check.summary);
        if let Some(excerpt) = &check.excerpt {
            let _ = writeln!(text, "```\n{}\n```", excerpt.replace("```", "'''"));
        }
        if let Some(evidence) = &check.evidence {
            let file = crate::prompt::evidence_file(&evidence.hash);
            let _ = writeln!(text, "Whole output: `{file}`");
        }
    }
    text.push_str("\nPut it right in the files. Saying that it is done changes nothing.\n");
    text
}

/// Text of others, on one line and without what a screen would act upon.
fn shown(text: &str) -> String {
    printable(text, Lines::One)
}
