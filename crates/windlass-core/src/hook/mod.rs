//! What the hooks of a hosting session ask and are answered.
//!
//! A hook call is a question with a deadline. The edge says who is calling and feeds what was
//! learned into the machine; everything in here is a pure function of the state and of the call:
//! what a call says ([`HookCall`]), what the session is told next ([`instruction`]), what a person's
//! message means ([`said`]), and the answer in the words of each host ([`Answer`]). Guards read no
//! journal: [`GuardFile`] is all that they know. See `docs/design/hosted.md`.

mod answer;
mod asking;
mod call;
mod event;
mod guard_file;
mod instruction;
mod offer;
mod person;
mod report;
mod tool;

pub use answer::Answer;
pub use asking::{ASK_TOOL, Heard, ask_instruction, heard};
pub use call::{BadCall, HookCall, ended_agents};
pub use event::HookEvent;
pub use guard_file::{GuardFile, GuardedAgent, GuardedRun, MAX_GUARD_BYTES};
pub use instruction::{TeamSupport, instruction, round_failed, wait_for};
pub use offer::{Offer, offers};
pub use person::{ExactWords, Said, proposal_code, said};
pub use report::{let_go, one_line, progress, session_start, transport_rules};
pub use tool::{AgentCall, agent_call};
