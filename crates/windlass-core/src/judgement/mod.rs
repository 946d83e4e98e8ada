//! What a judge's report says: the Markdown of a reviewer, a tester or a security expert.
//!
//! - `lines` finds the lines of a report that count: nothing in code, quotes or comments does.
//! - `verdict` reads the line that is the verdict, `finding` those that name something found, and
//!   `criteria` what a tester says of each acceptance criterion; [`named_test`] takes the name of a
//!   test apart, so that somebody can look whether it exists.
//!
//! Whatever cannot be read accepts nothing: the verdict is then the one that refuses, and the reason says
//! why. A report that is only badly written is [`Judgement::faulty`]: who wrote it mends it, because it
//! says nothing against the work. No bytes make reading fail.

mod criteria;
mod finding;
mod lines;
mod named_test;
#[cfg(test)]
mod tests;
mod verdict;

pub use criteria::{CriterionResult, CriterionVerdict};
pub use finding::{Level, Remark};
pub use named_test::{NamedTest, named_test};

use serde::{Deserialize, Serialize};

/// The largest report that is read.
pub const MAX_REPORT_BYTES: usize = 256 << 10;

/// The most findings that are kept; more are only counted.
pub const MAX_REMARKS: usize = 100;

/// What a report judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportKind {
    /// A review: `APPROVED` or `CHANGES_REQUESTED`.
    Review,
    /// The acceptance criteria of a story: `PASSED` or `FAILED`.
    Tests,
    /// Security: `CLEARED` or `REMEDIATION_NEEDED`.
    Security,
}

impl ReportKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Review, Self::Tests, Self::Security];

    /// Returns the kind as it stands in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::Tests => "tests",
            Self::Security => "security",
        }
    }

    /// Returns the verdict that accepts the work.
    pub fn accepting(self) -> &'static str {
        match self {
            Self::Review => "APPROVED",
            Self::Tests => "PASSED",
            Self::Security => "CLEARED",
        }
    }

    /// Returns the verdict that sends the work back.
    pub fn refusing(self) -> &'static str {
        match self {
            Self::Review => "CHANGES_REQUESTED",
            Self::Tests => "FAILED",
            Self::Security => "REMEDIATION_NEEDED",
        }
    }
}

/// What a report comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// One of the two words of its kind.
    pub verdict: &'static str,
    /// Why it is this verdict, in one line.
    pub reason: String,
    /// What was found, blocking things first, at most [`MAX_REMARKS`].
    pub findings: Vec<Remark>,
    /// What a tester says of each criterion, in the order of the story.
    pub criteria: Vec<CriterionResult>,
    /// Whether it does not accept only because the report is badly written.
    pub faulty: bool,
}

impl Judgement {
    /// Returns the judgement that nothing could be read.
    pub fn unreadable(kind: ReportKind, why: impl Into<String>) -> Self {
        let (findings, criteria) = (Vec::new(), Vec::new());
        Self { verdict: kind.refusing(), reason: why.into(), findings, criteria, faulty: true }
    }
}

/// Returns what a report names as found, whatever its verdict is.
pub fn remarks(report: &[u8]) -> Vec<Remark> {
    text(report).map(|text| finding::read(&lines::counting(text)).remarks).unwrap_or_default()
}

/// Reads a report. `criteria` are the ids of the acceptance criteria that a tester has to judge.
pub fn judge(kind: ReportKind, report: &[u8], criteria: &[&str]) -> Judgement {
    let text = match text(report) {
        Ok(text) => text,
        Err(why) => return Judgement::unreadable(kind, why),
    };
    let lines = lines::counting(text);
    let found = finding::read(&lines);
    let (reasons, results) = match kind {
        ReportKind::Review | ReportKind::Security => {
            let mut reasons = verdict::read(kind, &lines).err().into_iter().collect::<Vec<_>>();
            reasons.extend(found.unknown.clone());
            (reasons, Vec::new())
        }
        ReportKind::Tests => {
            let (mut reasons, results) = criteria::read(&lines, criteria);
            reasons.extend(verdict::contradicts(kind, &lines));
            (reasons, results)
        }
    };
    let mut reasons = reasons;
    if found.blocking > 0 {
        let s = if found.blocking == 1 { "" } else { "s" };
        // Somebody who sends work back because of these contradicts nothing.
        let said = if reasons.is_empty() { approves(kind) } else { "has" };
        reasons.push(format!("{said} {} blocking finding{s}", found.blocking));
    }
    let accepted = reasons.is_empty();
    let fails = results.iter().any(|result| result.verdict == CriterionVerdict::Fail);
    let refused = found.blocking > 0 || fails || verdict::refuses(kind, &lines);
    let verdict = if accepted { kind.accepting() } else { kind.refusing() };
    let reason = if accepted { verdict.to_owned() } else { reasons.join("; ") };
    let faulty = !accepted && !refused;
    Judgement { verdict, reason, findings: found.remarks, criteria: results, faulty }
}

fn approves(kind: ReportKind) -> &'static str {
    match kind {
        ReportKind::Review => "approves with",
        ReportKind::Tests => "passes with",
        ReportKind::Security => "clears with",
    }
}

fn text(report: &[u8]) -> Result<&str, String> {
    if report.len() > MAX_REPORT_BYTES {
        return Err(format!("the report has more than {} KiB", MAX_REPORT_BYTES >> 10));
    }
    let text =
        std::str::from_utf8(report).map_err(|_| "the report is not UTF-8 text".to_owned())?;
    if text.contains('\0') {
        return Err("the report is not text".to_owned());
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err("the report is empty".to_owned());
    }
    Ok(text)
}
