//! What the client is told.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use windlass_core::guard::PublishRules;

/// One turn with one agent. It lies in the folder of the attempt, where the agent cannot write.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The agent's program and its arguments.
    pub argv: Vec<String>,
    /// Where the agent works.
    pub place: PathBuf,
    /// The role.
    pub agent: String,
    /// What the role's file says to the agent.
    pub role: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Whether the command line has named it; else the session's options have to.
    pub model_is_named: bool,
    /// Servers with further tools, in the protocol's form.
    pub mcp: Vec<serde_json::Value>,
    /// The agent's own conversation that goes on, where the agent can do that.
    pub resumes: Option<String>,
    /// Folders beside the place that the agent may write.
    pub may_write: Vec<PathBuf>,
    /// Commands that publish, besides the known ones; the client's environment says which.
    #[serde(default)]
    pub publishing: PublishRules,
}
