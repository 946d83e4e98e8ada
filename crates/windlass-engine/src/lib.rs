//! The imperative shell of windlass.
//!
//! - [`expr`]: jq expressions, evaluated with a bound.
//! - [`fault`]: points at which tests stop the process as a crash would.

pub mod expr;
pub mod fault;
