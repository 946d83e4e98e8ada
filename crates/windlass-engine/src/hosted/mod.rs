//! What a session that drives through its hooks needs, besides the driver.
//!
//! - [`caller`]: who is calling a hook.
//! - [`checkout`]: which repository a call is about, found without git.
//! - [`guard_file`]: what guards know.
//! - [`desk`]: small things between calls: starts that are not complete, tokens, proposals.
//! - [`hook_log`]: what was asked and answered.
//!
//! Guards run on every tool call of a session: nothing here opens a database or starts a program.

pub mod caller;
pub mod checkout;
pub mod desk;
pub mod guard_file;
pub mod hook_log;

use windlass_core::run::{HostProcess, RunState, Session};

use crate::process_table::ancestry;

/// Returns the living session that drives a run.
pub fn driving(state: &RunState) -> Option<&Session> {
    state.session.as_ref().filter(|session| state.is_hosted() && is_alive(session))
}

/// Returns whether the process of a session is still there.
pub fn is_alive(session: &Session) -> bool {
    let HostProcess { pid, start } = session.process;
    ancestry::start_time(pid).is_ok_and(|found| found == start)
}
