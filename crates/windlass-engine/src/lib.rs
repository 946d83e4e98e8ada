//! The imperative shell of windlass, in the order of a run:
//!
//! - [`home`]: where things are kept.
//! - [`git`]: places, snapshots, commits: all git of the engine.
//! - [`store`]: journals, inbox, evidence, locks: all SQL of the engine.
//! - [`shelf`]: decisions about documents of the repository, and changes of several files as one.
//! - [`journal`]: the typed layer over the store: decide, append, load, audit.
//! - [`machine`]: limits and spending, shared by all runs on this machine.
//! - [`agent`]: the programs that play agents.
//! - [`expr`]: jq expressions, evaluated with a bound.
//! - [`launcher`]: windlass re-executed around one attempt or check.
//! - [`process`]: the engine's side of it; [`process_table`]: what the kernel says about processes, and
//!   who descends from whom.
//! - [`level`]: what the machine lets a launcher enforce; `network`: what an attempt reaches.
//! - [`exposed`]: what a box and a room show of the machine.
//! - [`room`]: the layers of a run, and rooms made from them.
//! - [`proxy`]: the one way out of a box whose network is empty.
//! - [`verify`]: the judge: checks, protected files, verifier trees.
//! - [`forge`]: issues, the user's remote, pull requests: what is done with the user's keys.
//! - [`dispatch`]: the driver, its worker, its socket, and how runs start.
//! - [`hosted`]: what a session that drives through its hooks needs: who is calling, what guards know.
//! - [`plugin`]: windlass's hooks in the files of programs that host sessions.
//! - [`trace`]: what is done and how long it takes, for `WINDLASS_LOG`.
//! - [`fault`]: points at which tests stop the process as a crash would.

pub mod agent;
mod clock;
pub mod dispatch;
pub mod exposed;
pub mod expr;
pub mod fault;
pub mod forge;
pub mod git;
pub mod home;
pub mod hosted;
pub mod journal;
pub mod launcher;
pub mod level;
pub mod machine;
pub(crate) mod network;
pub mod plugin;
pub mod process;
pub mod process_table;
pub mod proxy;
pub mod room;
pub mod shelf;
pub mod store;
pub mod trace;
pub mod verify;
