//! What the checks said about the base commit, before anybody did anything.

use serde::{Deserialize, Serialize};

use crate::hint::Hint;
use crate::time::Span;

/// How many failing tests are remembered by name.
pub const MAX_FAILING_NAMES: usize = 1000;

/// What the baseline of a run found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseRecord {
    /// Each distinct command, in order.
    pub commands: Vec<BaseResult>,
    /// What a person should know before the run begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Commands that pass with the folders of the checkout, and not on a fresh clone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_warm: Vec<String>,
    /// Why there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// The end of what was printed by what kept it from being there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub left_out_said: String,
}

/// What one command said about the base commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseResult {
    /// The first step that has it.
    pub step: String,
    /// The shell command.
    pub command: String,
    /// Folder below the tree's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// How it ended.
    pub outcome: BaseOutcome,
    /// How it ended, in words.
    pub words: String,
    /// Tests that ran, where it wrote a report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<u64>,
    /// Tests that were skipped.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub skipped: u64,
    /// Tests that failed; `failing` may name fewer.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub failed: u64,
    /// Tests that failed, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<String>,
    /// How many lines ran, in words, where it wrote a report of coverage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<String>,
    /// A program that it needs and the machine does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The end of what it printed, where it failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// What it seems to have reached for outside its room.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    /// Why it failed, as far as its output tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<crate::failure_rules::Cause>,
    /// How long it took.
    pub took: Span,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none_of_them(count: &u64) -> bool {
    *count == 0
}

/// How a command ended on the base commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BaseOutcome {
    /// It exited with 0.
    Passed,
    /// It did not.
    Failed,
    /// It ran out of time, or could not start: it has said nothing.
    NoAnswer,
}

impl BaseRecord {
    /// Returns what a command in a folder said.
    pub fn of(&self, command: &str, folder: Option<&str>) -> Option<&BaseResult> {
        let same =
            |result: &&BaseResult| result.command == command && result.folder.as_deref() == folder;
        self.commands.iter().find(same)
    }

    /// Returns the tests that failed before anybody did anything, for a command in a folder.
    pub fn failing(&self, command: &str, folder: Option<&str>) -> &[String] {
        self.of(command, folder).map_or(&[], |result| result.failing.as_slice())
    }

    /// Returns all tests that failed, by name, in the order of the commands.
    pub fn all_failing(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.commands.iter().flat_map(|result| &result.failing) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// Says in a sentence what fails already; none if nothing does.
    pub fn in_words(&self) -> Option<String> {
        let words: Vec<String> =
            self.failing_tests().into_iter().chain(self.failing_commands()).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// Says in a sentence what the run began with, where that is not simply good.
    pub fn for_report(&self) -> Option<String> {
        match &self.left_out {
            Some(why) => Some(format!("no check was run on the base commit: {why}")),
            None => self.in_words(),
        }
    }

    fn failing_tests(&self) -> Option<String> {
        let failing = self.all_failing();
        let (first, rest) = failing.split_at(failing.len().min(3));
        let count = match failing.len() {
            0 => return None,
            1 => "1 test fails".to_owned(),
            count => format!("{count} tests fail"),
        };
        let more = match rest.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        Some(format!("{count} before anyone did anything: {}{more}", first.join(", ")))
    }

    /// The commands that fail, but for those whose tests are told by name.
    fn failing_commands(&self) -> Option<String> {
        let failed: Vec<&str> = self
            .commands
            .iter()
            .filter(|result| result.outcome != BaseOutcome::Passed && result.failing.is_empty())
            .map(|result| result.command.as_str())
            .collect();
        (!failed.is_empty())
            .then(|| format!("fails on the base commit already: `{}`", failed.join("`, `")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(command: &str, outcome: BaseOutcome, failing: &[&str]) -> BaseResult {
        BaseResult {
            step: "work".to_owned(),
            command: command.to_owned(),
            folder: None,
            outcome,
            words: "exited".to_owned(),
            ran: None,
            skipped: 0,
            failed: 0,
            failing: failing.iter().map(|name| (*name).to_owned()).collect(),
            covered: None,
            missing: None,
            said: String::new(),
            hints: Vec::new(),
            cause: None,
            took: Span(1),
        }
    }

    #[test]
    fn what_fails_already_is_told_in_a_sentence() {
        let record = |commands| BaseRecord { commands, ..BaseRecord::default() };
        assert_eq!(record(vec![result("a", BaseOutcome::Passed, &[])]).in_words(), None);
        let fails = record(vec![result("make", BaseOutcome::Failed, &[])]);
        assert_eq!(fails.in_words().unwrap(), "fails on the base commit already: `make`");
        let tests = record(vec![result("t", BaseOutcome::Failed, &["a", "b", "c", "d"])]);
        let words = "4 tests fail before anyone did anything: a, b, c and 1 more";
        assert_eq!(tests.in_words().unwrap(), words);
        let one = record(vec![result("t", BaseOutcome::Failed, &["a"])]);
        assert_eq!(one.in_words().unwrap(), "1 test fails before anyone did anything: a");
        let both = [("t", &["a"][..]), ("lint", &[][..])]
            .map(|(command, failing)| result(command, BaseOutcome::Failed, failing));
        let words =
            "1 test fails before anyone did anything: a; fails on the base commit already: `lint`";
        assert_eq!(record(both.to_vec()).in_words().unwrap(), words);
        assert_eq!(tests.failing("t", None).len(), 4);
        assert!(tests.failing("t", Some("web")).is_empty());
    }
}
