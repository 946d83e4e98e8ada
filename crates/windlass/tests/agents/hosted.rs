//! Runs that a session of the real Claude Code drives, through the plugin that `windlass plugin install`
//! writes. The session's model obeys, unless a test says otherwise.

mod cheats;
mod closed;
mod codex;
mod compaction;
mod gates;
mod killed;
mod parallel;
mod rounds;
mod strangers;
mod stubborn;
mod support;
mod team;
mod whole;
