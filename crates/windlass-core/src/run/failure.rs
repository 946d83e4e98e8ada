//! Why an attempt did not lead to a proof.

use serde::{Deserialize, Serialize};

use crate::failure_rules::{Category, Cause};
use crate::id::ContentHash;
use crate::plan::{CheckId, Holds};
use crate::proof::{Blob, FailedElsewhere, MAX_ELSEWHERE, Proof, VerifyReport};

/// Why an attempt did not lead to a proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What kind of failure it was.
    pub category: Category,
    /// The failure in one line.
    pub summary: String,
    /// The checks that did not hold.
    pub checks: Vec<FailedCheck>,
    /// Equal for failures that look the same but for numbers, times and addresses.
    pub signature: ContentHash,
}

/// What a verification saw that ended in a failure, as far as the next attempt is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Looked {
    /// Paths that changed since the step began, at most [`MAX_LOOKED_PATHS`].
    pub changed: Vec<String>,
    /// How many paths changed.
    pub changed_count: u64,
    /// How the checks that were looked at stand.
    pub checks: Vec<(CheckId, Holds)>,
    /// Whether it changed what it may not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_bounds: bool,
    /// Documents that the step has written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub papers: Vec<String>,
    /// Where other runs failed in the same way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<FailedElsewhere>,
}

/// How many changed paths the state keeps of a failed verification.
const MAX_LOOKED_PATHS: usize = 20;

impl Looked {
    pub(super) fn of(report: &VerifyReport) -> Self {
        Self {
            changed: report.changed.iter().take(MAX_LOOKED_PATHS).cloned().collect(),
            changed_count: report.changed_count,
            checks: report.proofs.iter().map(|proof| (proof.check, proof.holds)).collect(),
            // What waits for the next gate may not stay unproven: nothing would show it there.
            out_of_bounds: !report.outside_may_write.is_empty()
                || !report.protected.is_empty()
                || !report.later.is_empty(),
            papers: report.papers.iter().take(MAX_LOOKED_PATHS).cloned().collect(),
            elsewhere: report.elsewhere.iter().take(MAX_ELSEWHERE).cloned().collect(),
        }
    }

    /// What was seen is not in the place any more: it was taken back.
    pub(super) fn left_the_place(&mut self) {
        self.changed.clear();
        self.changed_count = 0;
    }

    /// Returns how a check stands; none when nobody looked.
    pub fn holds(&self, check: CheckId) -> Option<Holds> {
        self.checks.iter().find(|(id, _)| *id == check).map(|(_, holds)| *holds)
    }
}

/// How many earlier ways of failing a step remembers.
const MAX_FAILED_BEFORE: usize = 8;

/// How much of its words is kept of each.
const MAX_BEFORE_CHARS: usize = 300;

/// One way in which earlier tries of a step failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedBefore {
    /// Tells it from the others.
    pub signature: ContentHash,
    /// What did not hold, in one line.
    pub summary: String,
    /// How often.
    pub times: u32,
    /// Files that had been changed when it came last, at most [`MAX_TRIED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<String>,
}

/// How many files are remembered of a try that failed.
const MAX_TRIED: usize = 3;

impl FailedBefore {
    /// Adds a failure to those of earlier tries.
    pub(super) fn remember(list: &mut Vec<Self>, failure: &Failure, looked: Option<&Looked>) {
        let known = list.iter().position(|before| before.signature == failure.signature);
        let times = known.map_or(0, |known| list.remove(known).times).saturating_add(1);
        let summary = failure.checks.first().map_or(&failure.summary, |check| &check.summary);
        let summary = summary.chars().take(MAX_BEFORE_CHARS).collect();
        let changed = looked.map(|looked| looked.changed.as_slice()).unwrap_or_default();
        let tried = changed.iter().take(MAX_TRIED).cloned().collect();
        list.push(Self { signature: failure.signature.clone(), summary, times, tried });
        let excess = list.len().saturating_sub(MAX_FAILED_BEFORE);
        list.drain(..excess);
    }
}

/// How much is kept of what was asked for in earlier lives of a step.
const MAX_ASKED_BEFORE: usize = 4;
const MAX_ASKED_CHARS: usize = 600;

/// What was asked for when the step was opened before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedBefore {
    /// Who asked: a person, or the step that judged.
    pub by: String,
    /// What for, as far as it is kept.
    pub message: String,
}

impl AskedBefore {
    /// Adds what was asked for in the life that ends.
    pub(super) fn remember(list: &mut Vec<Self>, by: &str, message: &str) {
        let message = message.chars().take(MAX_ASKED_CHARS).collect();
        list.push(Self { by: by.to_owned(), message });
        let excess = list.len().saturating_sub(MAX_ASKED_BEFORE);
        list.drain(..excess);
    }
}

/// A check that did not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedCheck {
    /// The check and its verdict in one line.
    pub summary: String,
    /// The part of the evidence that explains it.
    pub excerpt: Option<String>,
    /// The full evidence.
    pub evidence: Option<Blob>,
    /// Why it failed, as far as that was found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

impl FailedCheck {
    /// Returns what a proof that does not hold says.
    pub(crate) fn of(proof: &Proof) -> Self {
        Self {
            summary: proof.summary.clone(),
            excerpt: proof.excerpt.clone(),
            evidence: proof.evidence.clone(),
            cause: proof.cause.clone(),
        }
    }
}

impl Failure {
    /// Makes a failure and its signature.
    pub fn new(category: Category, summary: String, checks: Vec<FailedCheck>) -> Self {
        let mut text = format!("{category}\n{}\n", plain(&summary));
        for check in &checks {
            text.push_str(&plain(&check.summary));
            text.push('\n');
            text.push_str(&plain(check.excerpt.as_deref().unwrap_or_default()));
            text.push('\n');
        }
        Self { category, summary, checks, signature: ContentHash::of(text.as_bytes()) }
    }
}

/// Drops what differs between two equal failures: numbers, and words that hold a number, such as
/// addresses, hashes, durations and temporary paths.
fn plain(text: &str) -> String {
    text.split_whitespace()
        .map(|word| if word.contains(|c: char| c.is_ascii_digit()) { "#" } else { word })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(excerpt: &str) -> ContentHash {
        let check = FailedCheck {
            summary: "`make test` exited with 2".to_owned(),
            excerpt: Some(excerpt.to_owned()),
            evidence: None,
            cause: None,
        };
        Failure::new(Category::Test, "1 check failed".to_owned(), vec![check]).signature
    }

    #[test]
    fn the_same_failure_has_the_same_signature_whatever_the_clock_says() {
        assert_eq!(signature("12:01:07 FAIL sum (0.3s)"), signature("12:02:31 FAIL sum (1.7s)"));
        assert_ne!(signature("FAIL sum"), signature("FAIL product"));
    }
}
