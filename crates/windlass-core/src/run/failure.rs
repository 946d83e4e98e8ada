//! Why an attempt did not lead to a proof.

use serde::{Deserialize, Serialize};

use crate::id::ContentHash;
use crate::plan::{CheckId, Holds};
use crate::proof::{Blob, VerifyReport};

/// What kind of failure it was; it decides what happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// The work is not right.
    Code,
    /// A command that judges the work failed.
    Test,
    /// The surroundings failed.
    Infra,
    /// Time ran out.
    Timeout,
    /// A provider's limit.
    Limit,
    /// The machine or the engine died.
    Lost,
    /// Only a person can help.
    External,
}

impl Category {
    /// Every category, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::Code,
        Self::Test,
        Self::Infra,
        Self::Timeout,
        Self::Limit,
        Self::Lost,
        Self::External,
    ];

    /// Returns whether the next attempt waits for the surroundings to recover.
    pub fn backs_off(self) -> bool {
        match self {
            Self::Infra | Self::Timeout => true,
            Self::Code | Self::Test | Self::Limit | Self::Lost | Self::External => false,
        }
    }
}

impl std::fmt::Display for Category {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Code => "code",
            Self::Test => "test",
            Self::Infra => "infra",
            Self::Timeout => "timeout",
            Self::Limit => "limit",
            Self::Lost => "lost",
            Self::External => "external",
        })
    }
}

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
}

/// How many changed paths the state keeps of a failed verification.
const MAX_LOOKED_PATHS: usize = 20;

impl Looked {
    pub(super) fn of(report: &VerifyReport) -> Self {
        Self {
            changed: report.changed.iter().take(MAX_LOOKED_PATHS).cloned().collect(),
            changed_count: report.changed_count,
            checks: report.proofs.iter().map(|proof| (proof.check, proof.holds)).collect(),
            out_of_bounds: !report.outside_may_write.is_empty() || !report.protected.is_empty(),
        }
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
}

impl FailedBefore {
    /// Adds a failure to those of earlier tries.
    pub(super) fn remember(list: &mut Vec<Self>, failure: &Failure) {
        let known = list.iter().position(|before| before.signature == failure.signature);
        let times = known.map_or(0, |known| list.remove(known).times).saturating_add(1);
        let summary = failure.checks.first().map_or(&failure.summary, |check| &check.summary);
        let summary = summary.chars().take(MAX_BEFORE_CHARS).collect();
        list.push(Self { signature: failure.signature.clone(), summary, times });
        let excess = list.len().saturating_sub(MAX_FAILED_BEFORE);
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
        };
        Failure::new(Category::Test, "1 check failed".to_owned(), vec![check]).signature
    }

    #[test]
    fn the_same_failure_has_the_same_signature_whatever_the_clock_says() {
        assert_eq!(signature("12:01:07 FAIL sum (0.3s)"), signature("12:02:31 FAIL sum (1.7s)"));
        assert_ne!(signature("FAIL sum"), signature("FAIL product"));
    }
}
