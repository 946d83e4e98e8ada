//! jq expressions over the run's document: `when`, `state`, `verdict` and `files`.
//!
//! The language has loops, so an expression can run for ever or ask for all memory. It is
//! therefore evaluated in a child process of its own with limits on both ([`evaluate_bounded`]);
//! a thread could not be stopped. There are no functions for the clock, the environment, input or
//! output: the same document always gives the same value.

mod bounded;
mod jq;

pub use bounded::{evaluate_bounded, main_eval};
pub use jq::{EvaluateError, check, evaluate};
