//! Looks at what an agent is about to do, before it does it.
//!
//! This is the second line and never the first. What an agent cannot do, it cannot do because it
//! holds no keys, its place has no remotes and the kernel confines it; a guard tells it *why* a call
//! is refused, early and in words, so that it does not try ten ways around a wall. A program that is
//! out to hide a push from a reader of commands will manage to (a script, an interpreter, an alias):
//! then the first line holds.
//!
//! There are three answers. What cannot be read although it speaks of something that is guarded is
//! refused as well, with the advice to write it plainly.

mod command;
mod path;
mod program;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A call of a tool that an agent wants to make.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    /// The tool, as the agent's program names it.
    pub tool: &'a str,
    /// What it is called with.
    pub input: &'a Value,
    /// The folder that the agent is in; it follows the agent's `cd`.
    pub folder: &'a Path,
}

/// Where an agent may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grounds {
    /// The place, without links.
    pub place: PathBuf,
    /// Folders for temporary files.
    pub temporary: Vec<PathBuf>,
}

/// What was found in a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing that is guarded.
    Nothing,
    /// Something that an agent does not do, and what to do instead.
    Forbidden(String),
    /// It speaks of something that is guarded, and cannot be read to the end.
    CannotTell(String),
}

impl Found {
    /// Returns why the call is refused; none when it may go ahead.
    pub fn refusal(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Forbidden(why) | Self::CannotTell(why) => Some(why),
        }
    }

    fn or(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Nothing => other(),
            Self::Forbidden(_) | Self::CannotTell(_) => self,
        }
    }
}

/// Looks at a call.
pub fn look(call: &ToolCall<'_>, grounds: &Grounds) -> Found {
    let text = |key: &str| call.input.get(key).and_then(Value::as_str);
    match call.tool {
        "Bash" | "Monitor" => match text("command") {
            Some(command) => command::look(command, call.folder, grounds),
            None => Found::CannotTell(format!("the call of `{}` names no command", call.tool)),
        },
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => {
            match text("file_path").or_else(|| text("notebook_path")) {
                Some(file) => path::look(file, call.folder, grounds),
                None => Found::CannotTell(format!("the call of `{}` names no file", call.tool)),
            }
        }
        // Everything else reads, or belongs to a server that the workflow declared.
        _ => Found::Nothing,
    }
}

#[cfg(test)]
mod tests;
