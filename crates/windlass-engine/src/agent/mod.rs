//! Who plays an agent: backends, as adapters behind one trait.
//!
//! A backend says which program to start for an attempt and what its output means. Starting,
//! confining, stopping and timing are the launcher's business, proving is the verifier's.

mod command;
mod environment;
mod rehearsal;
mod script;

pub use command::CommandBackend;
pub use environment::{agent_environment, check_environment};
pub use rehearsal::{RehearsalBackend, main_rehearse};
pub use script::{Script, ScriptError};

use std::path::{Path, PathBuf};

use windlass_core::id::{AttemptId, RunId};
use windlass_core::proof::{Outcome, Usage};

/// What a backend is told about an attempt.
#[derive(Clone, Debug)]
pub struct AttemptRequest<'a> {
    /// The run.
    pub run: &'a RunId,
    /// The attempt.
    pub attempt: &'a AttemptId,
    /// The role.
    pub agent: &'a str,
    /// The model, where the step names one.
    pub model: Option<&'a str>,
    /// The file that holds the prompt.
    pub prompt_file: &'a Path,
    /// Where the agent works.
    pub place: &'a Path,
}

/// The program that plays an agent in one attempt.
#[derive(Clone, Debug)]
pub struct AgentCommand {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Variables beside those that every attempt gets.
    pub env: Vec<(String, String)>,
    /// What it reads from standard input.
    pub stdin: Option<PathBuf>,
    /// Its own configuration and cache folders, which it may write.
    pub write: Vec<PathBuf>,
}

/// What an attempt's output means.
#[derive(Clone, Debug)]
pub struct AgentResult {
    /// How it ended: a backend may know better than the exit code, for example of a usage limit.
    pub outcome: Outcome,
    /// What it used.
    pub usage: Usage,
    /// The agent's own structured result.
    pub result: Option<serde_json::Value>,
}

/// Why an attempt cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("the backend `{backend}` cannot play `{agent}`: {message}")]
pub struct BackendError {
    /// The backend.
    pub backend: String,
    /// The role.
    pub agent: String,
    /// Why not, and what to do.
    pub message: String,
}

/// A program that plays agents.
pub trait Backend: Send + Sync {
    /// Returns its name.
    fn name(&self) -> &str;

    /// Says which program to start.
    ///
    /// # Errors
    /// It cannot play this agent.
    fn command(&self, request: &AttemptRequest<'_>) -> Result<AgentCommand, BackendError>;

    /// Says what the output of an ended attempt means.
    fn result(&self, outcome: Outcome, output: &Path) -> AgentResult;
}
