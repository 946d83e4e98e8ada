//! Runs that a session of the real Codex drives, by the hooks that `windlass plugin install` writes.

mod agents;
mod cheats;
mod killed;
mod rounds;
mod support;
mod team;
mod whole;
