//! What must hold for a step to be done, and how it is judged.

use serde::{Deserialize, Serialize};

use super::room::RoomWishes;
use super::tdd::Suite;
use crate::judgement::ReportKind;
use crate::measure::Percent;
use crate::platform::CoverageBySize;
use crate::question::Phase;
use crate::time::Span;

/// A tree of checks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// Every part holds.
    All(Vec<Criterion>),
    /// At least one part holds.
    Any(Vec<Criterion>),
    /// The part fails.
    Not(Box<Criterion>),
    /// A leaf.
    Check(Check),
}

/// Which check of its step this is, from 0 in the order of the workflow file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CheckId(pub u32);

/// One check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its number within the step.
    pub id: CheckId,
    /// What is checked.
    pub kind: CheckKind,
}

/// What is checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "check")]
pub enum CheckKind {
    /// A file is there whose content is new or changed since the step began.
    File {
        /// The glob, relative to the place; may hold `{context.…}`.
        glob: String,
        /// Whether an unchanged file suffices.
        stale_ok: bool,
        /// The least size.
        min_bytes: Option<u64>,
        /// Text that the file must contain.
        contains: Option<String>,
    },
    /// A command exits with 0 in the verifier's tree.
    Run {
        /// The shell command, placeholders already filled in and quoted.
        command: String,
        /// Folder below the tree's root to run in.
        folder: Option<String>,
        /// How long it may take.
        timeout: Span,
        /// Whether an earlier pass on the same code counts.
        cache: bool,
        /// Environment variables that matter to the result.
        env: Vec<String>,
        /// What it has in its room besides.
        #[serde(default, skip_serializing_if = "RoomWishes::is_plain")]
        room: Box<RoomWishes>,
    },
    /// Test reports that a command writes in the verifier's tree show enough tests that ran.
    Junit {
        /// The glob of the reports, relative to the tree.
        glob: String,
        /// The shell command, placeholders already filled in and quoted.
        command: String,
        /// Folder below the tree's root to run in.
        folder: Option<String>,
        /// How long it may take.
        timeout: Span,
        /// Whether an earlier pass on the same code counts.
        cache: bool,
        /// Environment variables that matter to the result.
        env: Vec<String>,
        /// What it has in its room besides.
        #[serde(default, skip_serializing_if = "RoomWishes::is_plain")]
        room: Box<RoomWishes>,
        /// The least number of tests that ran.
        min: u64,
        /// The most that may have failed.
        failures: u64,
    },
    /// Coverage reports that a command writes in the verifier's tree show enough lines that ran.
    Coverage {
        /// The glob of the reports, relative to the tree.
        glob: String,
        /// The shell command, placeholders already filled in and quoted.
        command: String,
        /// Folder below the tree's root to run in.
        folder: Option<String>,
        /// How long it may take.
        timeout: Span,
        /// Whether an earlier pass on the same code counts.
        cache: bool,
        /// Environment variables that matter to the result.
        env: Vec<String>,
        /// What it has in its room besides.
        #[serde(default, skip_serializing_if = "RoomWishes::is_plain")]
        room: Box<RoomWishes>,
        /// The least share of the lines.
        min: Percent,
        /// The least share by the size of the item, until the item comes up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by_size: Option<CoverageBySize>,
        /// Globs of files whose lines do not count, relative to the tree: tests run by themselves.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        without: Vec<String>,
    },
    /// Test first: only test files changed, the tests passed before, and the new ones fail now.
    Red(Suite),
    /// Test first: the tests of red are as they were, and pass.
    Green(Suite),
    /// What changed since the step began is within bounds, and not nothing.
    Diff {
        /// Globs that every changed path must match; empty means any.
        only: Vec<String>,
        /// Globs that no changed path may match.
        never: Vec<String>,
        /// The most lines added and removed.
        max_lines: Option<u64>,
        /// Whether nothing may have changed at all.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        empty_ok: bool,
    },
    /// Enough boxes of a Markdown file are ticked.
    Checklist {
        /// The file, relative to the place; may hold `{context.…}`.
        file: String,
        /// The least share of the boxes.
        min: Percent,
    },
    /// A jq expression over the run's document is true.
    State {
        /// The expression.
        expr: String,
    },
    /// A value of the run's document is one of the accepted ones.
    Verdict {
        /// jq expression for the value.
        expr: String,
        /// What is accepted.
        accept: Vec<String>,
        /// Observed when the judge is another agent than those that did the work.
        strength: Strength,
    },
    /// A file holds stories that can be worked with.
    Stories {
        /// The file, relative to the place; may hold `{context.…}`.
        file: String,
        /// Whether they can be built, too.
        designed: bool,
    },
    /// A file holds questions that can be asked.
    Questions {
        /// The file, relative to the place; may hold `{context.…}`.
        file: String,
        /// What they stand before.
        phase: Phase,
    },
    /// A judge's report comes to an accepted verdict.
    VerdictIn {
        /// The report, relative to the place; may hold `{context.…}`.
        file: String,
        /// What it judges.
        kind: ReportKind,
        /// What is accepted.
        accept: Vec<String>,
        /// Observed when the judge is another agent than those that did the work.
        strength: Strength,
    },
}

/// What a proof rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// The word of the agent that is judged.
    Claimed,
    /// Seen from outside.
    Observed,
}

/// Whether something holds; not everything has to be looked at to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// It was not looked at.
    Unknown,
}

/// Whether a criterion is served by a check that holds, or by one that does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It has to hold.
    For,
    /// It stands below a `not`.
    Against,
}

impl Sign {
    fn turned(self) -> Self {
        match self {
            Self::For => Self::Against,
            Self::Against => Self::For,
        }
    }

    /// Returns what the check has to say.
    pub fn wanted(self) -> Holds {
        match self {
            Self::For => Holds::Yes,
            Self::Against => Holds::No,
        }
    }
}

impl Check {
    /// Returns what a proof by this check rests on.
    pub fn strength(&self) -> Strength {
        match &self.kind {
            CheckKind::File { .. }
            | CheckKind::Run { .. }
            | CheckKind::Junit { .. }
            | CheckKind::Coverage { .. }
            | CheckKind::Red(_)
            | CheckKind::Green(_)
            | CheckKind::Diff { .. }
            | CheckKind::Stories { .. }
            | CheckKind::Questions { .. } => Strength::Observed,
            CheckKind::Checklist { .. } | CheckKind::State { .. } => Strength::Claimed,
            CheckKind::Verdict { strength, .. } | CheckKind::VerdictIn { strength, .. } => {
                *strength
            }
        }
    }
}

/// The command of a check, whatever else the check looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckCommand<'c> {
    /// The shell command.
    pub command: &'c str,
    /// Folder below the tree's root to run in.
    pub folder: Option<&'c str>,
    /// How long it may take.
    pub timeout: Span,
    /// Whether an earlier pass on the same code counts.
    pub cache: bool,
    /// Environment variables that matter to the result.
    pub env: &'c [String],
    /// What it has in its room besides.
    pub room: &'c RoomWishes,
}

impl CheckKind {
    /// Returns the command that the check runs in the verifier's tree, if it runs one.
    pub fn command(&self) -> Option<CheckCommand<'_>> {
        match self {
            Self::Run { command, folder, timeout, cache, env, room }
            | Self::Junit { command, folder, timeout, cache, env, room, .. }
            | Self::Coverage { command, folder, timeout, cache, env, room, .. } => {
                Some(CheckCommand {
                    command,
                    folder: folder.as_deref(),
                    timeout: *timeout,
                    cache: *cache,
                    env,
                    room,
                })
            }
            Self::Red(suite) | Self::Green(suite) => Some(suite.command()),
            Self::File { .. }
            | Self::Diff { .. }
            | Self::Checklist { .. }
            | Self::State { .. }
            | Self::Verdict { .. }
            | Self::Stories { .. }
            | Self::Questions { .. }
            | Self::VerdictIn { .. } => None,
        }
    }

    /// Returns the verdicts that the check accepts, if it is about one.
    pub fn accepts(&self) -> Option<&[String]> {
        match self {
            Self::Verdict { accept, .. } | Self::VerdictIn { accept, .. } => Some(accept),
            Self::File { .. }
            | Self::Run { .. }
            | Self::Junit { .. }
            | Self::Coverage { .. }
            | Self::Red(_)
            | Self::Green(_)
            | Self::Diff { .. }
            | Self::Checklist { .. }
            | Self::State { .. }
            | Self::Stories { .. }
            | Self::Questions { .. } => None,
        }
    }
}

impl Criterion {
    /// Judges the tree, given what is known of each check.
    pub fn judge(&self, known: &impl Fn(CheckId) -> Holds) -> Holds {
        match self {
            Self::All(parts) => {
                strongest(parts.iter().map(|part| part.judge(known)), Holds::No, Holds::Yes)
            }
            Self::Any(parts) => {
                strongest(parts.iter().map(|part| part.judge(known)), Holds::Yes, Holds::No)
            }
            Self::Not(part) => match part.judge(known) {
                Holds::Yes => Holds::No,
                Holds::No => Holds::Yes,
                Holds::Unknown => Holds::Unknown,
            },
            Self::Check(check) => known(check.id),
        }
    }

    /// Returns whether claims alone can make it hold, whatever windlass sees itself.
    pub(crate) fn can_be_claimed(&self) -> bool {
        // Somebody who controls every claim: what is only claimed turns out as it suits them.
        self.settled_by_claims(true)
    }

    /// Returns whether somebody who controls every claim can settle this as `wanted`.
    fn settled_by_claims(&self, wanted: bool) -> bool {
        match (self, wanted) {
            (Self::All(parts), true) | (Self::Any(parts), false) => {
                parts.iter().all(|part| part.settled_by_claims(wanted))
            }
            (Self::Any(parts), true) | (Self::All(parts), false) => {
                parts.iter().any(|part| part.settled_by_claims(wanted))
            }
            (Self::Not(part), _) => part.settled_by_claims(!wanted),
            (Self::Check(check), _) => check.strength() == Strength::Claimed,
        }
    }

    /// Returns the checks in the order of the workflow file.
    pub fn checks(&self) -> Vec<&Check> {
        let mut checks = Vec::new();
        self.collect(&mut checks);
        checks
    }

    /// Returns the checks with what they have to say for the criterion to hold.
    pub fn signed(&self) -> Vec<(Sign, &Check)> {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::signed).collect(),
            Self::Not(part) => {
                part.signed().into_iter().map(|(sign, check)| (sign.turned(), check)).collect()
            }
            Self::Check(check) => vec![(Sign::For, check)],
        }
    }

    fn collect<'a>(&'a self, into: &mut Vec<&'a Check>) {
        match self {
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.collect(into);
                }
            }
            Self::Not(part) => part.collect(into),
            Self::Check(check) => into.push(check),
        }
    }
}

/// `decisive` if any part is that, else unknown if any part is, else `otherwise`.
fn strongest(parts: impl Iterator<Item = Holds>, decisive: Holds, otherwise: Holds) -> Holds {
    let mut result = otherwise;
    for part in parts {
        if part == decisive {
            return decisive;
        }
        if part == Holds::Unknown {
            result = Holds::Unknown;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(id: u32) -> Criterion {
        let kind = CheckKind::State { expr: "true".to_owned() };
        Criterion::Check(Check { id: CheckId(id), kind })
    }

    #[test]
    fn what_was_not_looked_at_never_makes_a_criterion_hold() {
        let known = |id: CheckId| [Holds::Yes, Holds::No, Holds::Unknown][id.0 as usize];
        let (yes, no, unknown) = (leaf(0), leaf(1), leaf(2));
        let cases = [
            (Criterion::All(vec![yes.clone(), unknown.clone()]), Holds::Unknown),
            (Criterion::All(vec![unknown.clone(), no.clone()]), Holds::No),
            (Criterion::Any(vec![no.clone(), unknown.clone()]), Holds::Unknown),
            (Criterion::Any(vec![unknown.clone(), yes.clone()]), Holds::Yes),
            (Criterion::Not(Box::new(unknown)), Holds::Unknown),
            (Criterion::Not(Box::new(no)), Holds::Yes),
            (Criterion::All(vec![]), Holds::Yes),
        ];
        for (criterion, expected) in cases {
            assert_eq!(criterion.judge(&known), expected, "{criterion:?}");
        }
    }
}
