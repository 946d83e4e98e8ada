//! The real Claude Code and Codex against the scripted model.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod agents;
mod conversations;
mod smoke;
