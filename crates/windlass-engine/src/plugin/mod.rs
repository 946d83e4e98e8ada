//! Windlass's hooks in the files of programs that host sessions, and out of them again.
//!
//! What the plugin consists of and how other programs' files are edited is `windlass_core::plugin`.
//! Here it is written: [`install`] and [`uninstall`] say what they changed as [`Change`]s, [`validate`]
//! what is wrong as [`Finding`]s. The [`Record`] remembers what was there before, so that taking it back
//! leaves files byte for byte as they were, unless somebody has changed them since.

mod claude;
mod codex;
mod error;
mod files;
mod host;
mod record;
mod validate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_core::mcp::McpServer;
use windlass_core::plugin::Plugin;

use crate::agent::is_on_path;
use crate::home::Home;

pub use error::PluginError;
pub use record::{Installation, Record};
pub use validate::{Finding, validate};

/// A program that hosts sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Host {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
}

/// For whom a plugin is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// In all sessions of the user.
    User,
    /// In sessions in this folder, the top of a repository.
    Project(PathBuf),
}

/// Whether things are done or only looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Do them.
    Do,
    /// Say what would be done.
    Look,
}

/// What installing depends on.
#[derive(Clone, Debug)]
pub struct Surroundings<'a> {
    /// Windlass's own folders.
    pub home: &'a Home,
    /// The user's environment.
    pub env: &'a [(String, String)],
    /// This program, by its whole path.
    pub exe: &'a str,
    /// Its version.
    pub version: &'a str,
    /// The roles that come with it, by name.
    pub roles: &'a [(&'a str, &'a str)],
    /// The MCP servers that its workflows name.
    pub servers: &'a BTreeMap<String, McpServer>,
}

impl<'a> Surroundings<'a> {
    fn plugin(&self, longest_check: Option<Duration>) -> Plugin<'a> {
        // A server that is not installed would only be an error in every session.
        let installed = self.servers.iter().filter(|(_, one)| is_on_path(&one.command, self.env));
        let servers = installed.map(|(name, one)| (name.clone(), one.clone())).collect();
        let (version, binary, roles) = (self.version, self.exe, self.roles);
        Plugin { version, binary, longest_check, roles, servers }
    }

    /// Returns the marketplace folder for Claude Code.
    pub fn marketplace(&self) -> PathBuf {
        self.home.plugin().join("claude")
    }
}

/// Something that was done, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// A file has this text now.
    Written {
        /// Which.
        path: PathBuf,
        /// What is in it; not of files that belong to others.
        #[serde(skip)]
        text: Option<String>,
    },
    /// A file has it already.
    Unchanged {
        /// Which.
        path: PathBuf,
    },
    /// A file is as it was before windlass was installed.
    Restored {
        /// Which.
        path: PathBuf,
    },
    /// A file or folder is gone.
    Removed {
        /// Which.
        path: PathBuf,
    },
    /// The host was asked to do it.
    Called {
        /// The command line, for people.
        command: String,
    },
}

/// Puts windlass's hooks where the host finds them. A second time changes nothing.
pub fn install(
    surroundings: &Surroundings<'_>,
    host: Host,
    scope: &Scope,
    longest_check: Option<Duration>,
    act: Act,
) -> Result<Vec<Change>, PluginError> {
    let mut record = Record::load(surroundings.home)?;
    // Without a word about it, the one that was said last still holds.
    let longest_check = longest_check.or(record.longest_check());
    record.set_longest_check(longest_check);
    let plugin = surroundings.plugin(longest_check);
    match host {
        Host::Claude => claude::install(surroundings, &plugin, scope, &mut record, act),
        Host::Codex => codex::install(surroundings, &plugin, scope, &mut record, act),
    }
}

/// Takes back what [`install`] did for this host and scope, and nothing else.
pub fn uninstall(
    surroundings: &Surroundings<'_>,
    host: Host,
    scope: &Scope,
    act: Act,
) -> Result<Vec<Change>, PluginError> {
    let mut record = Record::load(surroundings.home)?;
    let mut changes = match host {
        Host::Claude => claude::uninstall(surroundings, scope, &mut record, act)?,
        Host::Codex => codex::uninstall(surroundings, scope, &mut record, act)?,
    };
    if act == Act::Do && record.is_empty() {
        changes.extend(record.remove(surroundings.home)?);
    }
    Ok(changes)
}

/// Whether two paths mean the same file.
fn same_file(one: &Path, other: &Path) -> bool {
    crate::home::canonical(one) == crate::home::canonical(other)
}
