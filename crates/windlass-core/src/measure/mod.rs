//! What tools measured, read from the files that they wrote: tests that ran, lines that were
//! covered, boxes that were ticked.
//!
//! Everything here takes bytes or text and returns figures; who wrote the bytes and when is the
//! verifier's business. The bytes come from an agent's code, so a reader never recurses, never
//! expands an entity, and refuses what it cannot read as a whole: half a report proves nothing.

mod cause;
mod checklist;
mod cobertura;
mod coverage;
mod declared;
mod jacoco;
mod junit;
mod lcov_records;
mod percent;
mod sources;
mod unreadable;
mod wording;
pub(crate) mod xml;

pub use cause::cause;
pub use checklist::{Checklist, read_checklist};
pub use coverage::{LineCoverage, ReportedFile, ReportedName, read_coverage};
pub use declared::{Declared, MAX_REMOVED, TestsChanged, may_declare_tests};
pub use junit::{
    FailedTest, MAX_LISTED_FAILURES, TestCounts, TestResult, TestResults, read_junit,
    read_junit_results,
};
pub use percent::{BadPercent, Percent};
pub use sources::{Foreign, SourceTree};
pub use unreadable::Unreadable;
