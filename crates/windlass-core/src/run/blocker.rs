//! Blockers: what only a person can solve, and the check that shows when it is.

use serde::{Deserialize, Serialize};

use crate::id::StepId;
use crate::time::{Span, Timestamp};

/// How soon a check is run again for the first time.
const FIRST_LOOK: Span = Span::seconds(30);

/// How long a check rests at most.
const LONGEST_REST: Span = Span::minutes(5);

/// The longest message: a line or two for a person.
pub const MAX_BLOCKER_BYTES: usize = 2 << 10;

/// The longest check command.
pub const MAX_BLOCKER_CHECK_BYTES: usize = 4 << 10;

/// Something that keeps the run until a person has solved it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocker {
    /// Its number in the run, from 1.
    pub id: u32,
    /// What is wrong.
    pub message: String,
    /// Where it comes from.
    pub kind: BlockerKind,
    /// How bad it is.
    pub severity: Severity,
    /// What shows that it is solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<BlockerCheck>,
    /// The step that cannot go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// Who said so.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// How often it was looked at whether it is solved.
    #[serde(default)]
    pub looks: u32,
    /// When it is looked at next by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_look: Option<Timestamp>,
    /// Whoever says that it is solved, while that is looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looking: Option<Looking>,
    /// Why it was not solved when it was last looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stays: Option<String>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolution>,
}

/// Where a blocker comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockerKind {
    /// An agent or a person asked for help.
    Help,
    /// A judge found something that must not be worked around.
    Security,
    /// The workflow wants a person to look after so many items.
    Checkpoint,
}

/// How bad a blocker is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documented list")]
pub enum Severity {
    Low,
    #[default]
    Medium,
    High,
    Critical,
}

impl Severity {
    /// Returns the severity as it stands in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// A command that exits with 0 once a blocker is solved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockerCheck {
    /// The shell command; it runs where checks run.
    pub command: String,
    /// How long it may take.
    pub timeout: Span,
}

/// Help that somebody asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewBlocker {
    /// What is wrong.
    pub message: String,
    /// How bad it is.
    #[serde(default)]
    pub severity: Severity,
    /// What shows that it is solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<BlockerCheck>,
}

/// Somebody says that a blocker is solved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Looking {
    /// The person; none when windlass looks by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What the person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// How a blocker ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resolution {
    /// The person; none when its check turned green by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What the person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// When.
    pub at: Timestamp,
}

impl Blocker {
    /// Returns whether an agent asks for help with what it cannot finish.
    pub fn is_by_agent(&self) -> bool {
        self.kind == BlockerKind::Help && self.by.starts_with("agent:")
    }

    /// Returns whether it still keeps the run.
    pub fn is_open(&self) -> bool {
        self.resolved.is_none()
    }

    /// Returns how long the check rests after it was run `looks` times.
    pub(super) fn rest(looks: u32) -> Span {
        let doubled = FIRST_LOOK.0.saturating_mul(1 << looks.min(10));
        Span(doubled.min(LONGEST_REST.0))
    }
}
