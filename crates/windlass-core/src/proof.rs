//! What comes back from outside: how an attempt ended, and what the verifier saw.

use serde::{Deserialize, Serialize};

use crate::id::{ContentHash, RunId, StepId};
use crate::judgement::{CriterionResult, Remark};
pub use crate::outcome::Outcome;
use crate::plan::{CheckId, Holds, Strength};
use crate::time::{Span, Timestamp};

/// How many other runs are told.
pub const MAX_ELSEWHERE: usize = 3;

/// How many files are told of a step of another run.
pub const MAX_ELSEWHERE_PATHS: usize = 5;

/// The same failure in another run of the repository, and what became of it there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedElsewhere {
    /// The run.
    pub run: RunId,
    /// Its step.
    pub step: StepId,
    /// When it failed so last.
    pub at: Timestamp,
    /// Whether the step was proven after that.
    pub proven: bool,
    /// Files that the step had changed when it was proven, at most [`MAX_ELSEWHERE_PATHS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

/// What an attempt used. Unknown is unknown, never zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// What the provider charged, in US dollars.
    pub cost_usd: Option<f64>,
    /// Tokens read by the model.
    pub input_tokens: Option<u64>,
    /// Tokens written by the model.
    pub output_tokens: Option<u64>,
    /// Turns of the conversation.
    pub turns: Option<u64>,
    /// The model.
    pub model: Option<String>,
    /// The agent's own session.
    pub session: Option<String>,
}

/// What an attempt left behind besides files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttemptReport {
    /// How it ended.
    pub outcome: Outcome,
    /// What it used.
    pub usage: Usage,
    /// The agent's own structured result, where its backend has one.
    pub result: Option<serde_json::Value>,
    /// What it printed, bounded.
    pub output: Option<Blob>,
    /// Processes that it left behind and that were ended.
    pub left_behind: u32,
    /// What happened to the place that must not happen.
    pub trouble: Vec<Trouble>,
    /// How the attempt was confined.
    pub confinement: String,
    /// Why the agent's last words ask for a person, where they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<String>,
}

/// How the words about an attempt in a box begin. Others tell of Landlock, which leaves the machine's
/// sockets and terminals in sight, or of nothing at all.
pub const BOXED: &str = "namespaces:";

impl AttemptReport {
    /// Returns whether the attempt was in a box, or never began.
    pub fn was_boxed(&self) -> bool {
        self.confinement.is_empty() || self.confinement.starts_with(BOXED)
    }
}

/// Bytes kept beside the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blob {
    /// Their name.
    pub hash: ContentHash,
    /// How many there are.
    pub bytes: u64,
}

/// Something that an attempt did to its place that fails it, whatever else it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "trouble")]
pub enum Trouble {
    /// HEAD is not on the run's branch any more.
    HeadMoved {
        /// Where it should be.
        expected: String,
        /// Where it is.
        found: String,
    },
    /// The run's branch does not contain its last commit any more.
    BranchRewritten {
        /// The branch.
        branch: String,
        /// The commit that is gone.
        lost: String,
    },
    /// A repository was made inside the place.
    NestedRepository {
        /// Its folders.
        paths: Vec<String>,
    },
    /// The content of a submodule changed.
    SubmoduleChanged {
        /// The submodules.
        paths: Vec<String>,
    },
    /// The place could not be read.
    Unreadable {
        /// Why.
        message: String,
    },
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::HeadMoved { expected, found } => {
                write!(
                    f,
                    "HEAD moved off the run's branch: it is on `{found}`, not on `{expected}`"
                )
            }
            Self::BranchRewritten { branch, lost } => {
                write!(f, "the branch `{branch}` was rewritten: it no longer contains {lost}")
            }
            Self::NestedRepository { paths } => {
                write!(f, "a repository was made inside the place: {}", paths.join(", "))
            }
            Self::SubmoduleChanged { paths } => {
                write!(f, "the content of a submodule changed: {}", paths.join(", "))
            }
            Self::Unreadable { message } => {
                write!(f, "the place could not be read: {message}")
            }
        }
    }
}

/// The record of one check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The check.
    pub check: CheckId,
    /// Its verdict.
    pub holds: Holds,
    /// What the verdict rests on.
    pub strength: Strength,
    /// The check and its verdict in one line.
    pub summary: String,
    /// The part of the evidence that explains a failure, bounded.
    pub excerpt: Option<String>,
    /// The full evidence.
    pub evidence: Option<Blob>,
    /// Whether an earlier pass on the same code counted.
    pub cached: bool,
    /// How long it took.
    pub took: Span,
    /// Why it failed, as far as its evidence tells; none in journals from before that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<crate::failure_rules::Cause>,
}

/// A protected file that is not as pinned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtectedChange {
    /// The file.
    pub path: String,
    /// Its git object now, or none when it was removed.
    pub now: Option<crate::id::ObjectId>,
    /// The keys whose values changed, where not all of the file counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Stands for the values of all its protected keys, where not all of the file counts: whoever accepts
    /// the change accepts these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<crate::id::ContentHash>,
    /// The step that proved it to fail, where it is a test that is held since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_by: Option<crate::id::StepId>,
}

impl ProtectedChange {
    /// Returns the change of a file of which everything counts.
    pub fn of_file(path: String, now: Option<crate::id::ObjectId>) -> Self {
        Self { path, now, keys: Vec::new(), values: None, held_by: None }
    }

    /// Returns what messages call it.
    pub fn called(&self) -> String {
        match (&self.held_by, self.keys.is_empty()) {
            (Some(step), _) => format!("{} (a test that `{step}` proved)", self.path),
            (None, true) => self.path.clone(),
            (None, false) => format!("{} ({})", self.path, self.keys.join(", ")),
        }
    }

    /// Returns what messages call several of them.
    pub fn all_called(changes: &[Self]) -> String {
        changes.iter().map(Self::called).collect::<Vec<_>>().join(", ")
    }
}

/// What the verifier saw on one snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifyReport {
    /// One record per check that was looked at.
    pub proofs: Vec<Proof>,
    /// Paths that changed since the step began, at most [`MAX_LISTED_PATHS`].
    pub changed: Vec<String>,
    /// How many paths changed since the step began.
    pub changed_count: u64,
    /// Changed paths outside `may_write`, at most [`MAX_LISTED_PATHS`].
    pub outside_may_write: Vec<String>,
    /// Protected files that are not as pinned.
    pub protected: Vec<ProtectedChange>,
    /// The diff of the protected files.
    pub protected_diff: Option<Blob>,
    /// Protected files that are asked about at the next gate, as they differ from what nobody has to be
    /// asked about: the base of the run while some of them wait, else the last commit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<ProtectedChange>,
    /// Their diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later_diff: Option<Blob>,
    /// The verdict's value, where the criterion has a `verdict` check.
    pub verdict: Option<String>,
    /// The files that a route's `files` expression listed.
    pub route_files: Vec<String>,
    /// What a route's `files` and `types` expressions listed together, where it has types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub route_findings: Vec<Finding>,
    /// What a judge's report found, as far as it is kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// What a tester's report says of each acceptance criterion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionResult>,
    /// What `red` checks saw, in the order of the workflow file; empty unless all of them hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub red: Vec<RedSuite>,
    /// Papers that `file` checks matched, to be kept aside when the step is reopened.
    pub papers: Vec<String>,
    /// What the agent wants to know, where the criterion has a `questions` check that holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<crate::question::Question>,
    /// The stories that are to be built, where the criterion has a `stories` check that holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stories: Vec<crate::story::PlannedStory>,
    /// Where other runs of the repository failed in the same way, as far as the edge looked it up: what
    /// the next attempt is told stands in the journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<FailedElsewhere>,
    /// The files as they are, when the place is not what was to be verified any more.
    pub moved_on: Option<crate::snapshot::Snapshot>,
    /// Set when the verifier itself could not do its work.
    pub broken: Option<String>,
}

impl VerifyReport {
    /// Returns a report that saw nothing yet.
    pub fn empty() -> Self {
        Self {
            proofs: Vec::new(),
            changed: Vec::new(),
            changed_count: 0,
            outside_may_write: Vec::new(),
            protected: Vec::new(),
            protected_diff: None,
            later: Vec::new(),
            later_diff: None,
            verdict: None,
            route_files: Vec::new(),
            route_findings: Vec::new(),
            remarks: Vec::new(),
            criteria: Vec::new(),
            red: Vec::new(),
            papers: Vec::new(),
            questions: Vec::new(),
            stories: Vec::new(),
            elsewhere: Vec::new(),
            moved_on: None,
            broken: None,
        }
    }
}

/// What a judge found: where, and of which type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The file, if it named one.
    pub file: Option<String>,
    /// The type, if it named one.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// What the tests of one `red` check were when they were proven to fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedSuite {
    /// Its command; empty in journals that were written before it was kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The folder that its command runs in.
    pub folder: Option<String>,
    /// How many tests ran; none where no report says so.
    pub ran: u64,
    /// The names of the tests that failed, as a list in JSON; none where no report says so.
    pub failing: Option<Blob>,
    /// Whether it passed, beside another suite of the step that failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passed: bool,
}

/// Tests that are proven to fail: what `green` is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Red {
    /// The code that the step first began from.
    pub base: crate::id::ObjectId,
    /// The code on which it was proven.
    pub code: crate::id::ObjectId,
    /// One per `red` check.
    pub suites: Vec<RedSuite>,
}

/// How much of the diff of protected files is kept. They are shown whole, so this only bounds the
/// memory that a hostile file can take; who shows the diff says when it was reached.
pub const MAX_PROTECTED_DIFF_BYTES: usize = 64 << 20;

/// How many paths a report lists; more are only counted, so that an event stays small.
pub const MAX_LISTED_PATHS: usize = 200;
