//! The hooks of the plugin, and what each is allowed to take.

use std::time::Duration;

use crate::hook::HookEvent;

/// The oldest Claude Code that windlass supports.
pub const OLDEST_CLAUDE: &str = "2.1.150";

/// The events that [`OLDEST_CLAUDE`] knows.
///
/// One name that it does not know, and it silently drops every hook of the file.
pub const KNOWN_TO_OLDEST_CLAUDE: [&str; 29] = [
    "SessionStart",
    "Setup",
    "InstructionsLoaded",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "StopFailure",
    "PreCompact",
    "PostCompact",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
    "Notification",
    "SessionEnd",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "CwdChanged",
    "FileChanged",
];

/// How long hooks wait for checks when nobody says how long the longest one takes.
pub const DEFAULT_CHECKS: Duration = Duration::from_secs(7200);

/// What a hook does besides waiting for its check: a snapshot, an append, a commit.
const BESIDE_A_CHECK: Duration = Duration::from_secs(600);

/// Codex shortens a longer one, and warns about it in every session.
const CODEX_SESSION_END: u64 = 3;

/// A hook of the plugin: the event that it is called for, and what it is allowed to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The event.
    pub event: HookEvent,
    /// The tools that it is asked for, by Claude Code's matcher; all where there is none.
    matcher: Option<&'static str>,
    patience: Patience,
    /// Whether a hook that fails must be taken for a no.
    guards: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    Seconds(u64),
    /// As long as the checks of a step, which it runs.
    Checks,
}

/// The hooks, in the order of a session.
pub const HOOKS: [Hook; 11] = [
    Hook { patience: Patience::Checks, ..on(HookEvent::SessionStart) },
    Hook { patience: Patience::Checks, guards: true, ..on(HookEvent::UserPromptSubmit) },
    Hook {
        matcher: Some("*"),
        // An agent's start may wait for that of another; see the design of hosted runs.
        patience: Patience::Seconds(60),
        guards: true,
        ..on(HookEvent::PreToolUse)
    },
    Hook { matcher: Some("Agent|Task|AskUserQuestion"), ..on(HookEvent::PostToolUse) },
    on(HookEvent::SubagentStart),
    Hook { patience: Patience::Checks, ..on(HookEvent::SubagentStop) },
    Hook { patience: Patience::Checks, ..on(HookEvent::Stop) },
    on(HookEvent::PreCompact),
    Hook { patience: Patience::Seconds(10), ..on(HookEvent::SessionEnd) },
    on(HookEvent::TaskCompleted),
    on(HookEvent::TeammateIdle),
];

const fn on(event: HookEvent) -> Hook {
    Hook { event, matcher: None, patience: Patience::Seconds(600), guards: false }
}

impl Hook {
    /// Returns the tools that Claude Code asks it for.
    pub fn matcher(&self) -> Option<&'static str> {
        self.matcher
    }

    /// Returns whether a failure of its hook has to be a no.
    pub fn is_guard(&self) -> bool {
        self.guards
    }

    /// Returns the seconds that Claude Code waits for it, where no check takes longer than `longest_check`.
    pub fn claude_timeout(&self, longest_check: Option<Duration>) -> u64 {
        match self.patience {
            Patience::Seconds(seconds) => seconds,
            Patience::Checks => {
                let needed = longest_check.map(|longest| longest.saturating_add(BESIDE_A_CHECK));
                needed.unwrap_or_default().max(DEFAULT_CHECKS).as_secs()
            }
        }
    }

    /// Returns the seconds that Codex waits for it.
    pub fn codex_timeout(&self, longest_check: Option<Duration>) -> u64 {
        if self.event == HookEvent::SessionEnd {
            return CODEX_SESSION_END;
        }
        self.claude_timeout(longest_check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(event: HookEvent) -> Hook {
        HOOKS.into_iter().find(|hook| hook.event == event).unwrap()
    }

    #[test]
    fn every_event_is_known_to_the_oldest_claude() {
        for event in HookEvent::ALL {
            assert!(KNOWN_TO_OLDEST_CLAUDE.contains(&event.name()), "{}", event.name());
            assert_eq!(hook(event).event, event);
        }
    }

    #[test]
    fn the_word_of_an_event_is_its_name_in_kebab_case() {
        for event in HookEvent::ALL {
            let mut word = String::new();
            for letter in event.name().chars() {
                if letter.is_ascii_uppercase() && !word.is_empty() {
                    word.push('-');
                }
                word.push(letter.to_ascii_lowercase());
            }
            assert_eq!(event.argument(), word);
            assert_eq!(HookEvent::parse(&word), Some(event));
        }
    }

    #[test]
    fn hooks_that_run_checks_wait_longer_than_the_longest_one() {
        let stop = hook(HookEvent::Stop);
        assert_eq!(stop.claude_timeout(None), 7200);
        assert_eq!(stop.claude_timeout(Some(Duration::from_secs(60))), 7200);
        assert_eq!(stop.claude_timeout(Some(Duration::from_secs(7200))), 7800);
        let guard = hook(HookEvent::PreToolUse);
        assert_eq!(guard.claude_timeout(Some(Duration::from_secs(7200))), 60);
    }
}
