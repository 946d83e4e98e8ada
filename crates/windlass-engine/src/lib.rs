//! The imperative shell of windlass.
//!
//! - [`expr`]: jq expressions, evaluated with a bound.
//! - [`fault`]: points at which tests stop the process as a crash would.
//! - [`launcher`]: windlass re-executed around one attempt or check.
//! - [`process`]: the engine's side of it, and who descends from whom.
//! The imperative shell of windlass: store, git, launcher, verifier, agents, driver.
//! The imperative shell of windlass: what `windlass-core` decides, this crate does.

pub mod expr;
pub mod fault;
pub mod git;
pub mod launcher;
pub mod process;
pub mod store;
