//! Projections of a run for people, for jq and for other programs.
//!
//! One projection each, shared by the command line, the report and whatever comes later, so that
//! two views never disagree.

mod document;
mod graph;
mod history;
mod notice;
mod report;
mod status;

pub use document::document;
pub use graph::{GraphFormat, graph};
pub use history::{AttemptEntry, DecisionEntry, History, ProofEntry, StepHistory, describe};
pub use notice::{Notice, NoticeKind, notice};
pub use report::report;
pub use status::{BudgetView, GateView, NextCommand, RunView, StatusView, StepView, status_view};
