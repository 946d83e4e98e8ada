//! `phases.conf` as a workflow.
//!
//! A legacy file has a line `N|agent|APPROVAL, AUTO or SKIP|CRITERION` per phase, or the same lines
//! in a bash array `PHASES=( … )`. [`phases`] turns it into the text of a workflow and an account of
//! every line: what became of it, and where it is weaker or stricter than it looks. In flow order:
//!
//! - `lines` takes the entries out of the file, `entry` its fields, `criterion` what proves it;
//! - `pattern` maps variables in paths, `state` maps claims to expressions;
//! - `write` writes the workflow, which is then read as any other: [`phases`] returns only what
//!   [`Workflow::parse`](crate::workflow::Workflow::parse) accepts.
//!
//! Nothing is evaluated. What a shell would have expanded is mapped where it is recognised, and
//! reported otherwise.

mod account;
mod convert;
mod criterion;
mod entry;
mod lines;
mod pattern;
mod state;
mod write;

pub use account::{Became, Import, Line, Problem, Remark, RemarkKind};
pub use convert::{MAX_BYTES, phases};
