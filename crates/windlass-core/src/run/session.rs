//! A session of an agent's program that drives a run through its hooks.
//!
//! To the machine a session is a driver like any other: it takes the run over under a fence, and
//! when it is gone whatever it had in hand is lost and looked at. What differs is that nobody is
//! started for an attempt. It is *offered* to the session, *taken* when the session calls its tool for
//! subagents, and *handed over* when the subagent is there. When that subagent stops, its work is
//! judged; what is not proven goes back to the same subagent as a *round*, and only after the last
//! round does the attempt count as failed.

use serde::{Deserialize, Serialize};

use crate::time::{Span, Timestamp};

/// How long an attempt may go on having rounds.
pub const ROUNDS_END: Span = Span::minutes(30);

/// How often a session may be sent on without a new attempt or proof.
pub const BLOCKS_IN_A_ROW: u32 = 15;

/// How often it may be sent on in all, until a person says something.
pub const BLOCKS_IN_ALL: u32 = 100;

/// A session that drives a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// The session, as its program names it.
    pub id: String,
    /// Whose session it is.
    pub host: HostKind,
    /// The process that calls the hooks.
    pub process: HostProcess,
    /// Whether that process has a terminal: one that comes after it without any is not its person's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub terminal: bool,
}

/// Whose session it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostKind {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
}

impl HostKind {
    /// Returns the name that people write.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// Returns the program's name for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
        }
    }
}

/// A process that cannot be taken for a later owner of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostProcess {
    /// Its number.
    pub pid: i32,
    /// When it started, in clock ticks since boot.
    pub start: u64,
}

/// An attempt in the hands of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandOver {
    /// The call by which the session starts the subagent.
    pub call: String,
    /// The subagent, once it is there.
    pub agent: Option<String>,
    /// When the session called.
    pub since: Timestamp,
    /// How often its work was judged and sent back.
    pub rounds: u32,
}

/// How often a session wanted to stop and was sent on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocks {
    /// Since the last attempt or proof.
    pub in_a_row: u32,
    /// Since a person said something.
    pub in_all: u32,
}

impl Blocks {
    pub(super) fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
