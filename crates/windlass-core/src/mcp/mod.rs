//! MCP servers that agents are offered: programs that give them more tools.

pub(crate) mod read;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// More servers than an agent can use at once.
pub const MAX_SERVERS: usize = 20;

/// A server that talks over its standard input and output.
///
/// It is part of a plan, and so of the journal: nothing secret belongs into it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpServer {
    /// The program, found in `PATH`.
    pub command: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Variables for it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Whether the run continues without it where the program is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// Returns whether `name` can be the name of a server: it becomes part of the names of its tools.
pub fn is_server_name(name: &str) -> bool {
    crate::source::name::is_role_name(name)
}
