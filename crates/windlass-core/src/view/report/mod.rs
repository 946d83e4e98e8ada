//! The report of a run: one projection, written as Markdown, as HTML, or as JSON.

mod cold;
mod counts;
mod html;
mod html_stories;
mod inline;
mod markdown;
mod projection;
mod proven;
mod pull_request;
mod stories;

pub(in crate::view) use inline::cost;

pub use cold::ReportCold;
pub use counts::ReportCounts;
pub use html::html;
pub use markdown::markdown;
pub use projection::{
    ReportAttempt, ReportAudit, ReportDecision, ReportFacts, ReportProof, ReportStep, ReportView,
    report_view,
};
pub use pull_request::{MAX_PULL_REQUEST_BYTES, pull_request_body};
