//! The real Claude Code and Codex against the scripted model.

mod agents;
mod smoke;
