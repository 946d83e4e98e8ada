//! Codex as an agent, without a terminal.
//!
//! An attempt is `codex exec --json`, with the prompt on standard input. It has no hooks that can be
//! relied on (an untrusted one is skipped without a word), so nothing looks at its calls beforehand:
//! the confinement and an environment without keys are all there is. It says nothing about money.

mod classify;
mod command_line;
mod stream;
mod survey;

use std::path::{Path, PathBuf};

use windlass_core::proof::{Outcome, Usage};

use super::{
    AgentCommand, AgentResult, AttemptRequest, Backend, BackendError, Capabilities, Printed,
    SignIn, Survey, kept,
};
use crate::clock::now;

/// Returns the folder of its configuration, as it would find it itself.
pub fn config_folder(env: &[(String, String)]) -> Option<PathBuf> {
    survey::folder(env)
}

/// Plays agents by Codex.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodexBackend;

impl Backend for CodexBackend {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            cost: false,
            tokens: true,
            budget: false,
            resume: true,
            guards: false,
            sandbox: true,
            roles: true,
            mcp: true,
        }
    }

    fn survey(&self, env: &[(String, String)]) -> Survey {
        survey::PROGRAM.survey(env, survey::account(env))
    }

    fn command(&self, request: &AttemptRequest<'_>) -> Result<AgentCommand, BackendError> {
        command_line::command(request).map_err(|message| BackendError {
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
            // Unknown, not nothing.
            cost_usd: None,
            input_tokens: told.read,
            output_tokens: told.written,
            turns: told.turns,
            model: None,
            session: told.thread.clone(),
        };
        AgentResult { outcome, usage, result: None }
    }
}
