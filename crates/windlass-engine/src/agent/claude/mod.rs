//! Claude Code as an agent, without a terminal.
//!
//! An attempt is `claude -p` behind a small program of windlass's own (`windlass __claude`), which
//! hands over the prompt, is asked about every tool call, and passes the messages on. What they mean
//! is read afterwards from the kept output: `stream` collects, `classify` decides.

mod bridge;
mod classify;
mod command_line;
mod conversation;
mod stream;
mod survey;

pub use bridge::main_claude;

use std::path::{Path, PathBuf};

use windlass_core::proof::{Outcome, Usage};

use super::{
    AgentCommand, AgentResult, AttemptRequest, Backend, BackendError, Capabilities, Printed,
    SignIn, Survey, kept,
};
use crate::clock::now;

/// Returns the `claude` of the user.
pub fn program(env: &[(String, String)]) -> Option<PathBuf> {
    survey::PROGRAM.find(env)
}

/// Returns the folder of its settings, as it would find it itself.
pub fn config_folder(env: &[(String, String)]) -> Option<PathBuf> {
    survey::config_folder(env)
}

/// Plays agents by Claude Code.
#[derive(Clone, Debug)]
pub struct ClaudeBackend {
    exe: PathBuf,
}

impl ClaudeBackend {
    /// Plays agents by the `claude` of the user, behind `EXE __claude`.
    pub fn new(exe: PathBuf) -> Self {
        Self { exe }
    }
}

impl Backend for ClaudeBackend {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            cost: true,
            tokens: true,
            budget: true,
            resume: true,
            guards: true,
            sandbox: true,
            roles: true,
            mcp: true,
        }
    }

    fn survey(&self, env: &[(String, String)]) -> Survey {
        survey::PROGRAM.survey(env, survey::account(env))
    }

    fn command(&self, request: &AttemptRequest<'_>) -> Result<AgentCommand, BackendError> {
        command_line::command(&self.exe, request).map_err(|message| BackendError {
            backend: self.name().to_owned(),
            agent: request.agent.to_owned(),
            message,
        })
    }

    fn left_sign_in(&self, env: &[(String, String)], own: &Path) -> Option<SignIn> {
        command_line::left_sign_in(env, own)
    }

    fn result(&self, outcome: Outcome, printed: Printed<'_>) -> AgentResult {
        let told = stream::read(&kept::messages(printed.output));
        let errors = kept::text(printed.errors);
        let outcome = classify::outcome(outcome, &told, &errors, now());
        let usage = Usage {
            cost_usd: told.used.as_ref().and_then(|used| used.cost_usd),
            input_tokens: told.used.as_ref().map(|used| used.read),
            output_tokens: told.used.as_ref().map(|used| used.written),
            turns: told.turns,
            model: told.model.clone(),
            session: told.session.clone(),
        };
        AgentResult { outcome, usage, result: None }
    }
}
