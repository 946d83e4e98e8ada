//! The report of a run: one projection, written as Markdown, as HTML, or as JSON.

mod html;
mod inline;
mod markdown;
mod projection;
mod pull_request;

pub use html::html;
pub use markdown::markdown;
pub use projection::{
    ReportAttempt, ReportAudit, ReportDecision, ReportFacts, ReportProof, ReportStep, ReportView,
    report_view,
};
pub use pull_request::pull_request_body;
