//! Backends by name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{AcpBackend, Backend, ClaudeBackend, CodexBackend, CommandBackend, RehearsalBackend};

/// The backends that need nothing but their program, in the order in which `auto` tries them.
pub const KNOWN: &[&str] = &["claude", "codex", "gemini", "opencode", "qwen"];

/// Returns the backend of this name; `command` is what stands behind those that need one.
pub fn open(name: &str, command: Option<&str>, exe: &Path) -> Option<Arc<dyn Backend>> {
    Some(match (name, command) {
        ("claude", None) => Arc::new(ClaudeBackend::new(exe.to_owned())),
        ("codex", None) => Arc::new(CodexBackend),
        ("command", Some(command)) => Arc::new(CommandBackend::new(command.to_owned())),
        ("rehearsal", Some(script)) => {
            Arc::new(RehearsalBackend::new(exe.to_owned(), PathBuf::from(script)))
        }
        ("acp", Some(command)) => Arc::new(AcpBackend::any(command, exe.to_owned())?),
        (name, _) => Arc::new(AcpBackend::known(name, exe.to_owned())?),
    })
}
