//! Agents: the roles that steps name, as Markdown with front matter.
//!
//! The format is Claude Code's own, so a file that people wrote for it works here: front matter
//! says what a program has to know, the body is what the agent is told about its role. Which file
//! counts for a name is the edge's question; here one file is read, and a plan keeps exactly what
//! was read. In flow order:
//!
//! - `front_matter` finds the two parts of a file.
//! - `read` makes a [`Role`] of them, or says everything that is wrong.
//! - `servers` reads the MCP servers that a role brings along.

mod front_matter;
mod read;
mod servers;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::ContentHash;
use crate::mcp::McpServer;

/// A role file larger than this is refused.
///
/// The body becomes part of every prompt of the role, and long role files have some KB.
pub const MAX_ROLE_BYTES: usize = 64 << 10;

/// The word for "whatever the surroundings use", in place of a model.
pub const INHERIT: &str = "inherit";

/// One agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Role {
    /// What steps call it.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The tools that it may use, in Claude Code's names; all of them where none are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The model, as the file names it; see [`Role::model`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The colour that people know it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The MCP servers that it wants, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp_servers: BTreeMap<String, RoleServer>,
    /// What the agent is told about its role.
    pub body: String,
    /// Where it comes from.
    pub source: RoleSource,
    /// Hash of the whole file.
    pub hash: ContentHash,
}

/// Where a role comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RoleSource {
    /// It comes with windlass.
    Shipped,
    /// A file, as its reader named it.
    File(String),
}

/// An MCP server that a role wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RoleServer {
    /// One that the workflow declares, or that the person has set up.
    Named,
    /// One that the role brings along.
    Own(McpServer),
}

impl Role {
    /// Returns the model that the role asks for; `inherit` asks for none.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref().filter(|model| *model != INHERIT)
    }

    /// Returns the role as one that comes with windlass.
    #[must_use]
    pub fn shipped(self) -> Self {
        Self { source: RoleSource::Shipped, ..self }
    }
}

pub use crate::source::name::is_role_name;
