//! What came of trying the commands that were found.

use super::found::{Project, Purpose};
use crate::hint::{Hint, Opening};
use crate::platform::CommandName;
use crate::run::{BaseOutcome, BaseResult};
use crate::time::Span;

/// One command after the trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Which of the projects it belongs to.
    pub project: usize,
    /// What it shows.
    pub purpose: Purpose,
    /// The command.
    pub command: String,
    /// How it ended.
    pub verdict: Verdict,
    /// The end of what it printed, where it did not work.
    pub said: String,
    /// What it seems to have reached for outside its room.
    pub hints: Vec<Hint>,
    /// What was opened for it.
    pub opened: Vec<Opening>,
    /// Whether it is taken.
    pub kept: bool,
}

impl Tried {
    /// Returns what would open what it reached for, and is not opened.
    pub fn closed(&self) -> Vec<Opening> {
        let openings = self.hints.iter().filter_map(Hint::opening);
        openings.filter(|opening| !self.opened.contains(opening)).collect()
    }

    /// Returns whether something outside may be why it does not work, or why tests fail.
    pub fn may_want(&self) -> bool {
        !matches!(self.verdict, Verdict::Works { .. } | Verdict::Covers { .. })
    }
}

/// How a command ended on the code as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It passed.
    Works {
        /// Tests that ran and were skipped, where it wrote a report.
        tests: Option<(u64, u64)>,
        /// How long it took.
        took: Span,
    },
    /// It measured coverage.
    Covers {
        /// How many lines ran, in words.
        words: String,
        /// How long it took.
        took: Span,
    },
    /// It ran tests, and some of them fail.
    TestsFail {
        /// Tests that ran.
        ran: u64,
        /// Tests that failed.
        failed: u64,
        /// How long it took.
        took: Span,
    },
    /// It failed.
    Fails {
        /// How, in words.
        words: String,
    },
    /// It could not run.
    CannotRun {
        /// Why, in words.
        words: String,
    },
    /// Nobody tried it.
    NotTried {
        /// Why not.
        why: String,
    },
}

impl Verdict {
    /// Reads what the baseline says about a command.
    pub fn of(result: &BaseResult) -> Self {
        let took = result.took;
        if let (BaseOutcome::Passed, Some(words)) = (result.outcome, &result.covered) {
            return Self::Covers { words: words.clone(), took };
        }
        match (result.outcome, result.ran) {
            (BaseOutcome::Passed, Some(0)) => Self::Fails { words: "no test ran".to_owned() },
            // Errors while tests are collected count as failed tests. Where nothing passes, the suite does not
            // start, and to count new failures only would prove nothing.
            (BaseOutcome::Passed | BaseOutcome::Failed, Some(ran))
                if ran > 0 && result.failed >= ran =>
            {
                Self::Fails { words: format!("not one of {} tests passes", grouped(ran)) }
            }
            (BaseOutcome::Passed | BaseOutcome::Failed, Some(ran)) if result.failed > 0 => {
                Self::TestsFail { ran, failed: result.failed, took }
            }
            (BaseOutcome::Passed, ran) => {
                Self::Works { tests: ran.map(|ran| (ran, result.skipped)), took }
            }
            (BaseOutcome::Failed, _) => Self::Fails { words: result.words.clone() },
            (BaseOutcome::NoAnswer, _) => Self::CannotRun {
                words: match &result.missing {
                    Some(program) => format!("`{program}` is not installed"),
                    None => result.words.clone(),
                },
            },
        }
    }

    /// Returns whether it says something about the work as it is.
    pub fn works(&self) -> bool {
        matches!(self, Self::Works { .. } | Self::Covers { .. } | Self::TestsFail { .. })
    }

    /// Returns in a few words how it ended.
    pub fn why(&self) -> String {
        match self {
            Self::Works { tests: None, took } => format!("ok, {}", in_words(*took)),
            Self::Works { tests: Some((ran, skipped)), took } => {
                let pending = match skipped {
                    0 => String::new(),
                    _ => format!(", {} pending", grouped(*skipped)),
                };
                format!("{} passed{pending}, {}", grouped(*ran), in_words(*took))
            }
            Self::Covers { words, took } => format!("{words}, {}", in_words(*took)),
            Self::TestsFail { ran, failed, took } => format!(
                "{} of {} tests fail already, {}",
                grouped(*failed),
                grouped(*ran),
                in_words(*took)
            ),
            Self::Fails { words } => format!("failed ({words})"),
            Self::CannotRun { words } => format!("could not run ({words})"),
            Self::NotTried { why } => format!("not tried ({why})"),
        }
    }
}

/// Says in one line what came of trying a project's commands, and what there is none of.
pub fn line(project: &Project, tried: &[Tried]) -> String {
    let mut parts: Vec<String> = tried
        .iter()
        .map(|one| {
            if matches!(one.verdict, Verdict::Covers { .. }) {
                return one.verdict.why();
            }
            format!("{}: {}", one.purpose.as_str(), one.verdict.why())
        })
        .collect();
    if !tried.iter().any(|one| one.purpose == Purpose::Test) {
        parts.insert(0, "test: none found".to_owned());
    }
    let was_tried = tried.iter().any(|one| one.purpose == Purpose::Coverage);
    if project.coverage.is_some() && !was_tried {
        parts.push("coverage: available".to_owned());
    }
    for (name, why) in &project.missing {
        if matches!(name, CommandName::Test | CommandName::Lint | CommandName::Coverage) {
            parts.push(format!("{name}: not available ({why})"));
        }
    }
    let line = parts.join(" · ");
    if project.folder.is_empty() { line } else { format!("{}: {line}", project.folder) }
}

/// A number with a comma before every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Whole seconds are enough for something that takes minutes.
fn in_words(took: Span) -> String {
    match took.0 {
        0..1000 => "under 1 s".to_owned(),
        millis if millis < 90_000 => format!("{} s", millis / 1000),
        millis => format!("{} min", millis / 60_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(outcome: BaseOutcome) -> BaseResult {
        BaseResult {
            step: "try".to_owned(),
            command: "npm test".to_owned(),
            folder: None,
            outcome,
            words: "exited with 1".to_owned(),
            ran: None,
            skipped: 0,
            failed: 0,
            failing: Vec::new(),
            covered: None,
            missing: None,
            said: String::new(),
            hints: Vec::new(),
            cause: None,
            took: Span(38_200),
        }
    }

    #[test]
    fn a_line_says_what_works_and_what_there_is_none_of() {
        let passed = BaseResult { ran: Some(1256), skipped: 4, ..result(BaseOutcome::Passed) };
        let tried = |purpose, verdict| Tried {
            project: 0,
            purpose,
            command: String::new(),
            verdict,
            said: String::new(),
            hints: Vec::new(),
            opened: Vec::new(),
            kept: true,
        };
        let project = Project {
            folder: String::new(),
            tool: "Python".to_owned(),
            platform: "python-pip".to_owned(),
            file: String::new(),
            prepare: None,
            checks: Vec::new(),
            coverage: None,
            missing: vec![(CommandName::Coverage, "`pytest-cov` is not a dependency".to_owned())],
            protect: Vec::new(),
        };
        let all = [
            tried(Purpose::Test, Verdict::of(&passed)),
            tried(Purpose::Lint, Verdict::of(&result(BaseOutcome::Passed))),
        ];
        assert_eq!(
            line(&project, &all),
            "test: 1,256 passed, 4 pending, 38 s · lint: ok, 38 s · \
             coverage: not available (`pytest-cov` is not a dependency)"
        );
        assert!(line(&project, &[]).starts_with("test: none found"));
        let words = Some("line coverage 87.5 % of 8 lines in 1 file".to_owned());
        let covered = BaseResult { covered: words, ..result(BaseOutcome::Passed) };
        let all = [tried(Purpose::Coverage, Verdict::of(&covered))];
        assert!(
            line(&project, &all).contains(" · line coverage 87.5 % of 8 lines in 1 file, 38 s")
        );
    }

    #[test]
    fn tests_that_fail_already_are_told_from_commands_that_do_not_work() {
        let fails = BaseResult { ran: Some(9), failed: 2, ..result(BaseOutcome::Failed) };
        let verdict = Verdict::of(&fails);
        assert_eq!(verdict.why(), "2 of 9 tests fail already, 38 s");
        assert!(verdict.works());
        assert!(!Verdict::of(&result(BaseOutcome::Failed)).works());
        let all = BaseResult { ran: Some(4), failed: 4, ..result(BaseOutcome::Failed) };
        assert_eq!(Verdict::of(&all).why(), "failed (not one of 4 tests passes)");
        assert!(!Verdict::of(&all).works());
        let none = BaseResult { ran: Some(0), ..result(BaseOutcome::Passed) };
        assert_eq!(Verdict::of(&none).why(), "failed (no test ran)");
        let missing =
            BaseResult { missing: Some("cmake".to_owned()), ..result(BaseOutcome::NoAnswer) };
        assert_eq!(Verdict::of(&missing).why(), "could not run (`cmake` is not installed)");
    }
}
