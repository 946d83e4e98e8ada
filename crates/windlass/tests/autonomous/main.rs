//! The autonomous workflow on real projects with real toolchains, played by scripted agents: whole runs
//! through every gate, and agents that cheat on the way.

mod cheats;
mod lint;
mod project;
mod stuck;
mod toolchains;
