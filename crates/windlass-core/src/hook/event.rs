//! The events that a host calls hooks for.

use crate::run::HostKind;

/// An event of a host, under the name that both hosts give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the hosts'")]
pub enum HookEvent {
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    SubagentStart,
    SubagentStop,
    Stop,
    PreCompact,
    SessionEnd,
    TaskCompleted,
    TeammateIdle,
}

impl HookEvent {
    /// All events that windlass wants to be called for.
    pub const ALL: [Self; 11] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::SubagentStart,
        Self::SubagentStop,
        Self::Stop,
        Self::PreCompact,
        Self::SessionEnd,
        Self::TaskCompleted,
        Self::TeammateIdle,
    ];

    /// Returns the host's name of the event.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
            Self::Stop => "Stop",
            Self::PreCompact => "PreCompact",
            Self::SessionEnd => "SessionEnd",
            Self::TaskCompleted => "TaskCompleted",
            Self::TeammateIdle => "TeammateIdle",
        }
    }

    /// Returns the word after `windlass hook <host>`.
    pub fn argument(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::UserPromptSubmit => "user-prompt-submit",
            Self::PreToolUse => "pre-tool-use",
            Self::PostToolUse => "post-tool-use",
            Self::SubagentStart => "subagent-start",
            Self::SubagentStop => "subagent-stop",
            Self::Stop => "stop",
            Self::PreCompact => "pre-compact",
            Self::SessionEnd => "session-end",
            Self::TaskCompleted => "task-completed",
            Self::TeammateIdle => "teammate-idle",
        }
    }

    /// Finds the event by the word or by the host's name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.argument() == word || event.name() == word)
    }

    /// Returns whether the host calls for it at all.
    pub fn is_known_to(self, host: HostKind) -> bool {
        match host {
            HostKind::Claude => true,
            HostKind::Codex => !matches!(self, Self::TaskCompleted | Self::TeammateIdle),
        }
    }
}
