//! One turn of the engine within a call.

use std::time::Duration;

use windlass_core::hook::{
    Answer, TeamSupport, ask_instruction, instruction, let_go, offers, session_start,
};
use windlass_core::id::RunId;
use windlass_core::run::{HostKind, InputKind, RunState, RunStatus, Session};
use windlass_engine::dispatch::HostedDriver;
use windlass_engine::hosted::hook_log;

use super::who::Asked;
use super::{LONG_PATIENCE, shell_file};
use crate::ask::not_shown;
use crate::changes;
use crate::config;
use crate::error::CommandError;
use crate::gate_brief::GateBrief;
use crate::notify::at_once;
use crate::surroundings::{Surroundings, person};

/// How often in a row Claude Code lets itself be sent on, unless its environment says otherwise.
const CLAUDES_CAP: u32 = 8;

impl Asked {
    /// Returns windlass's folders and the repository, for what needs git.
    pub(super) fn surroundings(&self) -> Result<Surroundings, CommandError> {
        let folder = &self.checkout.top_level;
        let mut surroundings = Surroundings::at(folder, self.home.clone(), &[], None)?;
        surroundings.confine_as_set(&config::confinement(folder)?)?;
        Ok(surroundings)
    }

    /// Becomes the driver of the run that the session owns.
    pub(super) fn join(
        &self,
        run: &RunId,
        session: &Session,
        patience: Duration,
    ) -> Result<HostedDriver, CommandError> {
        let site = self.surroundings()?.site;
        Ok(HostedDriver::join(&site, run, session, (&person(&site), at_once(&site)), patience)?)
    }

    /// Takes a run over for the session.
    pub(super) fn claim(
        &self,
        run: &RunId,
        session: &Session,
    ) -> Result<HostedDriver, CommandError> {
        let site = self.surroundings()?.site;
        let who = (person(&site), at_once(&site));
        let who = (who.0.as_str(), who.1);
        let claimed = HostedDriver::claim(&site, run, session, who, LONG_PATIENCE)?;
        shell_file::write(&self.repository, &site, claimed.state())?;
        Ok(claimed)
    }

    /// Returns what the host has for agents that work together.
    pub(super) fn team_support(&self) -> TeamSupport {
        let set = |name: &str| std::env::var(name).is_ok_and(|value| value == "1");
        let claude = self.host == HostKind::Claude;
        if claude && set("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS") && is_attended() {
            TeamSupport::Teams
        } else {
            TeamSupport::Subagents
        }
    }

    /// Tells the person why the session stops, what they can answer, and at a gate how much of the work
    /// a session does not show.
    pub(super) fn let_go(&self, state: &RunState) -> String {
        format!("{}{}", let_go(state), self.not_shown(state))
    }

    /// Tells a session where the run stands, with the one thing to do.
    pub(super) fn session_start(&self, state: &RunState) -> String {
        let instruction = self.instruction(state);
        let told = session_start(state, instruction.as_deref());
        match instruction {
            Some(_) => told,
            None => format!("{told}{}", self.not_shown(state)),
        }
    }

    /// Returns the sentence about what a gate does not show here, on a line of its own.
    pub(super) fn not_shown(&self, state: &RunState) -> String {
        if state.gate().is_none() {
            return String::new();
        }
        let Ok(surroundings) = self.surroundings() else { return String::new() };
        let left_out = not_shown(&surroundings, state, "`windlass diff` in a terminal shows all");
        let tests = changes::tests(&surroundings, state);
        let brief = GateBrief::of(&surroundings, state).ok().flatten();
        let brief = brief.map(|brief| brief.for_a_session()).unwrap_or_default();
        let lines = brief.into_iter().chain(left_out).chain(tests);
        lines.flat_map(|line| ["\n".to_owned(), line]).collect()
    }

    /// Returns the instruction for what is offered now.
    pub(super) fn instruction(&self, state: &RunState) -> Option<String> {
        let asks = self.host == HostKind::Claude && is_attended();
        instruction(state, &offers(state), self.team_support())
            .or_else(|| ask_instruction(state).filter(|_| asks))
    }

    /// Returns what the machine is told of a session that wants to stop.
    pub(super) fn stop_asked(&self) -> InputKind {
        let set = std::env::var("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP").ok();
        let cap = match (self.host, set.and_then(|cap| cap.trim().parse::<u32>().ok())) {
            (HostKind::Codex, _) | (_, Some(0)) => None,
            (_, Some(cap)) => Some(cap),
            (_, None) => Some(CLAUDES_CAP),
        };
        let idle_blocks = hook_log::idle_blocks(&self.repository, &self.call.session);
        InputKind::StopAsked { idle_blocks, cap }
    }
}

/// Whether somebody is there to answer questions. Older versions of Claude Code say it only by how they
/// were started.
pub(crate) fn is_attended() -> bool {
    match std::env::var("CLAUDE_CODE_SESSION_ATTENDED") {
        Ok(value) => value != "0",
        Err(_) => !std::env::var("CLAUDE_CODE_ENTRYPOINT").is_ok_and(|value| value == "sdk-cli"),
    }
}

/// Answers a session that may stop: what its person can do.
pub(super) fn stops(asked: &Asked, state: &RunState) -> Answer {
    match state.status() {
        // Its agents are at work in the background, and their end brings it back.
        RunStatus::Active => Answer::Nothing,
        RunStatus::AwaitingApproval
        | RunStatus::AwaitingUser
        | RunStatus::Waiting
        | RunStatus::Paused
        | RunStatus::Completed
        | RunStatus::Aborted => Answer::LetGo(asked.let_go(state)),
    }
}
