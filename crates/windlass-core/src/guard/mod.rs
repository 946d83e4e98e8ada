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

mod agents;
mod builtin;
mod files;
mod forge;
mod git;
mod git_elsewhere;
mod git_files;
mod interpreter;
mod own;
mod parse;
mod path;
mod print;
mod program;
mod publishes;
mod redirect;
mod sed;
mod shell;
mod tool;
mod value;
mod variables;
mod word;
mod wrapper;
mod wrapper_text;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use publishes::{BadPublishRule, PublishRule, PublishRules};
pub use tool::{ORCHESTRATOR_TOOLS, plain_name};

/// What the orchestrator of a hosted session reads and writes, unless it is configured.
pub const ENDINGS: [&str; 7] = [".json", ".md", ".yml", ".yaml", ".sh", ".txt", ".gitignore"];

/// Takes links out of a path.
type Real<'a> = &'a dyn Fn(&Path) -> PathBuf;

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

/// Who wants to make the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// The agent of an attempt that windlass started.
    Attempt,
    /// The main thread of a hosted session. It carries messages and does no work.
    Orchestrator,
    /// An agent that a hosted session started for a step.
    Subagent,
}

/// Who sits where, and what lies around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grounds {
    /// Who wants to make the call.
    pub seat: Seat,
    /// The place, without links.
    pub place: PathBuf,
    /// Folders for temporary files.
    pub temporary: Vec<PathBuf>,
    /// Folders of the user that are not for temporary files, also where they lie below such a folder.
    pub not_temporary: Vec<PathBuf>,
    /// Globs of what a subagent may write, relative to the place; none means all of it.
    pub may_write: Vec<String>,
    /// Globs of what judges the work, relative to the place; an attempt's are checked afterwards.
    pub protected: Vec<String>,
    /// Folders of windlass and of the host that a hosted session neither reads nor writes.
    pub off_limits: Vec<PathBuf>,
    /// How files end that the orchestrator may read and write.
    pub endings: Vec<String>,
    /// What people have added to the commands that publish, and what they let agents do.
    pub publishing: PublishRules,
}

impl Grounds {
    /// The grounds of an attempt that windlass started.
    pub fn of_attempt(place: PathBuf, temporary: Vec<PathBuf>) -> Self {
        Self {
            seat: Seat::Attempt,
            place,
            temporary,
            not_temporary: Vec::new(),
            may_write: Vec::new(),
            protected: Vec::new(),
            off_limits: Vec::new(),
            endings: ENDINGS.map(str::to_owned).to_vec(),
            publishing: PublishRules::default(),
        }
    }

    /// Says whether a file is a temporary one. A checkout or a home may lie below the system's temporary
    /// folder, and is still the user's.
    fn is_temporary(&self, path: &Path) -> bool {
        let users_below = |folder: &PathBuf| {
            self.not_temporary.iter().any(|own| own.starts_with(folder) && path.starts_with(own))
        };
        self.temporary.iter().any(|folder| path.starts_with(folder) && !users_below(folder))
    }
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

/// Looks at a call. Links are not followed: nothing here reads a disk.
pub fn look(call: &ToolCall<'_>, grounds: &Grounds) -> Found {
    look_with(call, grounds, &Path::to_path_buf)
}

/// Looks at a call, with paths as `real` gives them. It is called with absolute paths without dots, of
/// files that may not be there.
pub fn look_with(call: &ToolCall<'_>, grounds: &Grounds, real: &dyn Fn(&Path) -> PathBuf) -> Found {
    tool::look(call, grounds, real)
}

/// Whether a shell command calls `windlass` with these first words, somewhere in it.
pub fn calls_windlass(command: &str, words: &[&str]) -> bool {
    let grounds = Grounds::of_attempt(PathBuf::from("/"), Vec::new());
    let mut walk = shell::Walk::new(Path::new("/"), &grounds, &Path::to_path_buf);
    walk.script(command);
    walk.windlass.iter().any(|call| {
        let said = call.iter().filter(|word| !word.starts_with('-'));
        said.take(words.len()).map(String::as_str).eq(words.iter().copied())
    })
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tool_tests;
