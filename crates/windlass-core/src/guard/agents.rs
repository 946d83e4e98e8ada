//! Programs of other agents: a hosted session and its subagents start none.

use super::Seat;
use super::shell::Walk;

const AGENTS: [&str; 14] = [
    "claude",
    "codex",
    "gemini",
    "opencode",
    "qwen",
    "aider",
    "goose",
    "cursor-agent",
    "amp",
    "crush",
    "copilot",
    "claude-code",
    "gemini-cli",
    "auggie",
];

/// Packages by which such programs are started without being installed.
const PACKAGES: [&str; 6] =
    ["claude-code", "@openai/codex", "gemini-cli", "opencode-ai", "qwen-code", "aider-chat"];

pub(super) fn look(walk: &mut Walk<'_>, name: &str, arguments: &[String]) {
    if walk.grounds.seat == Seat::Attempt {
        return;
    }
    let fetches =
        matches!(name, "npx" | "bunx" | "pnpx" | "uvx" | "pipx" | "npm" | "pnpm" | "yarn" | "bun");
    let names_package = |word: &String| {
        AGENTS.contains(&word.as_str()) || PACKAGES.iter().any(|package| word.contains(package))
    };
    let installs = arguments
        .first()
        .is_some_and(|word| matches!(word.as_str(), "install" | "i" | "add" | "view" | "ls"));
    let starts =
        AGENTS.contains(&name) || (fetches && !installs && arguments.iter().any(names_package));
    let asks = |word: &String| {
        matches!(word.as_str(), "--version" | "-v" | "-V" | "--help" | "-h" | "version")
    };
    if starts && !arguments.iter().any(asks) {
        walk.forbid(
            "no agent is started from a shell: windlass offers the agent of each step. Use the agent \
             and the prompt that were offered",
        );
    }
}
