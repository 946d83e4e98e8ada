//! Runs that a session of the real Codex drives, by the hooks that `windlass plugin install` writes.

mod support;
mod whole;
