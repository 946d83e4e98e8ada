//! Any shell command as an agent.

use windlass_core::proof::{Outcome, Usage};

use super::program::files_named_in;
use super::{
    Account, AgentCommand, AgentResult, AttemptRequest, Backend, BackendError, Capabilities,
    Printed, Survey,
};

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

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn survey(&self, _env: &[(String, String)]) -> Survey {
        // Whatever it needs is between the command and whoever wrote it.
        Survey { program: None, version: None, account: Account::Unknown, trouble: None }
    }

    fn command(&self, request: &AttemptRequest<'_>) -> Result<AgentCommand, BackendError> {
        let mut env = Vec::new();
        if let Some(role) = request.role_text {
            // It may do with it what it likes; the prompt stands without.
            let file = request.scratch.join("role.md");
            fs_err::write(&file, role).map_err(|error| BackendError {
                backend: self.name().to_owned(),
                agent: request.agent.to_owned(),
                message: error.to_string(),
            })?;
            env.push(("WINDLASS_ROLE_FILE".to_owned(), file.to_string_lossy().into_owned()));
        }
        Ok(AgentCommand {
            argv: vec!["sh".to_owned(), "-c".to_owned(), self.command.clone()],
            env,
            programs: files_named_in(&self.command),
            stdin: Some(request.prompt_file.to_owned()),
            ..AgentCommand::default()
        })
    }

    fn result(&self, outcome: Outcome, _printed: Printed<'_>) -> AgentResult {
        // A command says nothing about its cost: that is unknown, not zero.
        AgentResult { outcome, usage: Usage::default(), result: None }
    }
}
