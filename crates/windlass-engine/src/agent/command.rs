//! Any shell command as an agent.

use std::path::Path;

use windlass_core::proof::{Outcome, Usage};

use super::{AgentCommand, AgentResult, AttemptRequest, Backend, BackendError};

/// Plays every agent by one shell command, with the prompt on standard input and in
/// `$WINDLASS_PROMPT_FILE`. An agent that reads neither is no error.
#[derive(Clone, Debug)]
pub struct CommandBackend {
    command: String,
}

impl CommandBackend {
    /// Plays agents by `sh -c COMMAND`.
    pub fn new(command: String) -> Self {
        Self { command }
    }
}

impl Backend for CommandBackend {
    fn name(&self) -> &'static str {
        "command"
    }

    fn command(&self, request: &AttemptRequest<'_>) -> Result<AgentCommand, BackendError> {
        Ok(AgentCommand {
            argv: vec!["sh".to_owned(), "-c".to_owned(), self.command.clone()],
            env: Vec::new(),
            stdin: Some(request.prompt_file.to_owned()),
            write: Vec::new(),
        })
    }

    fn result(&self, outcome: Outcome, _output: &Path) -> AgentResult {
        // A command says nothing about its cost: that is unknown, not zero.
        AgentResult { outcome, usage: Usage::default(), result: None }
    }
}
