//! The plugin by which a host's session becomes windlass's: what it consists of, and how it gets into
//! the host's own files.
//!
//! [`Plugin::files`] is the plugin for Claude Code inside a marketplace folder, as path and content.
//! [`settings`] edits Claude Code's settings, [`codex`] the hooks file of Codex, both without touching
//! what others wrote. [`HOOKS`] are the events that windlass answers. Writing is for the edge.

pub mod codex;
mod event;
mod object;
pub mod settings;
mod tree;

pub use event::{DEFAULT_CHECKS, HOOKS, Hook, KNOWN_TO_OLDEST_CLAUDE, OLDEST_CLAUDE};
pub use object::EditError;
pub use tree::Plugin;

/// The name of the plugin: agents are `windlass:ROLE`, commands `/windlass:NAME`.
pub const PLUGIN: &str = "windlass";

/// The name of the marketplace that has it.
pub const MARKETPLACE: &str = "windlass";

/// How hosts name the plugin of that marketplace.
pub const PLUGIN_ID: &str = "windlass@windlass";
