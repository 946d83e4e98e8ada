//! Who plays an agent: backends, as adapters behind one trait.
//!
//! A backend says which program to start for an attempt and what its output means. Starting,
//! confining, stopping and timing are the launcher's business, proving is the verifier's.

mod acp;
mod claude;
mod codex;
mod command;
mod environment;
mod kept;
mod open;
mod own_home;
mod program;
mod rehearsal;
mod reset;
mod script;
mod sign_in;
mod words;

pub use acp::{AcpBackend, Job as AcpJob, converse as converse_by_acp, main_acp};
pub use claude::{
    ClaudeBackend, config_folder as claude_folder, main_claude, program as claude_program,
};
pub use codex::{CodexBackend, config_folder as codex_folder};
pub use command::CommandBackend;
pub use environment::{agent_environment, check_environment, without_proxy_passwords};
pub use open::{KNOWN, open};
pub use own_home::{home_variables, make_home};
pub(crate) use program::is_on_path;
pub use rehearsal::{RehearsalBackend, main_rehearse};
pub use script::{Script, ScriptError};
pub use sign_in::SignIn;
pub(crate) use sign_in::make_folder;
pub(crate) use words::final_words;

use std::path::{Path, PathBuf};

use serde::Serialize;
use windlass_core::guard::PublishRules;
use windlass_core::id::{AttemptId, RunId};
use windlass_core::proof::{Outcome, Usage};

/// The variable that lists what a user lets agents write besides their place, for guards.
pub(crate) const MAY_WRITE: &str = "WINDLASS_MAY_WRITE";

/// The variable that says which commands publish besides the known ones, for guards.
pub(crate) const PUBLISHING: &str = "WINDLASS_PUBLISHING";

/// Returns what the driver told the guards of an attempt about commands that publish. It is read before
/// the agent is started, so that the agent cannot change it.
pub(crate) fn publishing() -> std::io::Result<PublishRules> {
    match std::env::var_os(PUBLISHING) {
        Some(text) => Ok(serde_json::from_slice(text.as_encoded_bytes())?),
        None => Ok(PublishRules::default()),
    }
}

/// What a backend is told about an attempt.
#[derive(Clone, Debug)]
pub struct AttemptRequest<'a> {
    /// The run.
    pub run: &'a RunId,
    /// The attempt.
    pub attempt: &'a AttemptId,
    /// The role.
    pub agent: &'a str,
    /// What the role's file says to the agent.
    pub role_text: Option<&'a str>,
    /// The tools that the role's file allows; none means that it names none.
    pub tools: Option<&'a [String]>,
    /// The model, where step or role name one.
    pub model: Option<&'a str>,
    /// Servers that offer the agent further tools.
    pub mcp: &'a [McpServer],
    /// The file that holds the prompt.
    pub prompt_file: &'a Path,
    /// Where the agent works, on this machine.
    pub place: &'a Path,
    /// Where the agent finds that itself: in a box the place has the path of the user's checkout.
    pub works_in: &'a Path,
    /// A folder that is kept for this step and role, for what the agent's program keeps of its own;
    /// none where it shares the user's, because nothing would hold it to the folder.
    pub own: Option<&'a Path>,
    /// A folder for this attempt alone, which the agent can read and not write.
    pub scratch: &'a Path,
    /// The user's environment. What of it reaches the agent is for the backend to say.
    pub env: &'a [(String, String)],
    /// The money that is left for it.
    pub budget_usd: Option<f64>,
    /// The agent's own conversation that goes on; never for a retry.
    pub resumes: Option<&'a str>,
    /// Whether windlass confines the attempt, so that a sandbox of the agent's own would fail.
    pub confined: bool,
}

/// A server that offers an agent further tools, by the Model Context Protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    /// What the agent calls it.
    pub name: String,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its variables.
    pub env: Vec<(String, String)>,
}

/// The program that plays an agent in one attempt.
#[derive(Clone, Debug, Default)]
pub struct AgentCommand {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Variables beside those that every attempt gets.
    pub env: Vec<(String, String)>,
    /// What it reads from standard input.
    pub stdin: Option<PathBuf>,
    /// Its own configuration and cache folders, which it may write.
    pub write: Vec<PathBuf>,
    /// The programs and files that have to be there, by their whole path. Only what the user chose is
    /// among them, never a word from a role, a prompt or a workflow: whatever is listed is opened to the
    /// attempt.
    pub programs: Vec<PathBuf>,
    /// A sign-in that is held for the user.
    pub sign_in: Option<SignIn>,
    /// Whether standard output has a form of its own that standard error must not break into.
    pub errors_apart: bool,
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

/// What an attempt printed.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    /// Standard output; both in the order written, unless [`AgentCommand::errors_apart`].
    pub output: &'a Path,
    /// Standard error, where it is apart.
    pub errors: &'a Path,
}

/// Why an attempt cannot be started. Only a person can solve it.
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

/// What a backend can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Capabilities {
    /// It says what an attempt cost.
    pub cost: bool,
    /// It says how many tokens an attempt used.
    pub tokens: bool,
    /// It stops by itself when the money for an attempt is used up.
    pub budget: bool,
    /// A conversation that was cut short can go on.
    pub resume: bool,
    /// Every tool call is looked at before it happens.
    pub guards: bool,
    /// It has a sandbox of its own, for where windlass cannot confine.
    pub sandbox: bool,
    /// It takes the role's text as instructions of their own, apart from the prompt.
    pub roles: bool,
    /// It takes MCP servers.
    pub mcp: bool,
}

/// What is there of a backend on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Survey {
    /// Its program.
    pub program: Option<PathBuf>,
    /// The version that the program says it has.
    pub version: Option<String>,
    /// Whether it can speak to its provider.
    pub account: Account,
    /// Why it cannot be used, and what to do.
    pub trouble: Option<String>,
}

/// Whether an agent's program can speak to its provider, as far as can be seen without asking it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Account {
    /// It has what it needs: a key, a token, a file.
    SignedIn {
        /// What shows it; never the key itself.
        by: String,
    },
    /// It has not.
    NotSignedIn {
        /// How to sign in.
        hint: String,
    },
    /// It cannot be seen from outside, or there is nothing to sign in to.
    Unknown,
}

/// A program that plays agents.
pub trait Backend: Send + Sync {
    /// Returns its name.
    fn name(&self) -> &str;

    /// Returns what it can do.
    fn capabilities(&self) -> Capabilities;

    /// Looks at what is there of it on this machine, without using the network.
    fn survey(&self, env: &[(String, String)]) -> Survey;

    /// Says which program to start.
    ///
    /// # Errors
    /// It cannot play this agent.
    fn command(&self, request: &AttemptRequest<'_>) -> Result<AgentCommand, BackendError>;

    /// Returns the sign-in that an attempt with the folder `own` held for the user, whose driver died
    /// before it could give it back.
    fn left_sign_in(&self, _env: &[(String, String)], _own: &Path) -> Option<SignIn> {
        None
    }

    /// Says what the output of an ended attempt means; also of one whose driver died, as far as it
    /// was written.
    fn result(&self, outcome: Outcome, printed: Printed<'_>) -> AgentResult;
}
