//! Any agent that speaks the Agent Client Protocol: Gemini CLI, opencode, Qwen Code and others.
//!
//! The launcher starts one program per attempt, with standard input from a file. So the client's side
//! of the protocol runs inside the attempt, as `windlass __acp JOB`: it starts the agent, has one turn
//! with it, ends it, and prints what happened as one event per line.
//!
//! - `known`: agents by name, their command lines, variables and folders.
//! - `backend`: which program to start; `survey`: what is there of it.
//! - `job`: what the client is told.
//! - `entry`: its `main`; `client`: the conversation; `process` the agent's program; `wire` and `lines` the protocol.
//! - `permission`: what it answers when the agent asks; `guard` the rule behind that.
//! - `failure`: what an error means; `event` what the client prints; `result` how that is read.
//!
//! Invariant: that a turn ended means "go and verify" and nothing else. The protocol has no reliable
//! sign of success: an agent at its rate limit can end its turn as if all were well.

mod backend;
mod client;
mod entry;
mod event;
mod failure;
mod guard;
mod job;
mod known;
mod lines;
mod permission;
mod process;
mod result;
mod survey;
mod wire;

pub use backend::AcpBackend;
pub use entry::{converse, main_acp};
pub use job::Job;
