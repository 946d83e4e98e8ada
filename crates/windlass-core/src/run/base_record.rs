//! What the checks said about the base commit, before anybody did anything.

use serde::{Deserialize, Serialize};

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
    /// Why there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
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
    /// Tests that failed, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<String>,
    /// The end of what it printed, where it failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// What it seems to have reached for outside its room, and the line that would show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// How long it took.
    pub took: Span,
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
    /// Returns the tests that failed before anybody did anything, for a command in a folder.
    pub fn failing(&self, command: &str, folder: Option<&str>) -> &[String] {
        let same =
            |result: &&BaseResult| result.command == command && result.folder.as_deref() == folder;
        self.commands.iter().find(same).map_or(&[], |result| result.failing.as_slice())
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
        let failing = self.all_failing();
        if !failing.is_empty() {
            let (first, rest) = failing.split_at(failing.len().min(3));
            let more = match rest.len() {
                0 => String::new(),
                count => format!(" and {count} more"),
            };
            let tests = if failing.len() == 1 { "1 test fails" } else { "tests fail" };
            let count =
                if failing.len() == 1 { String::new() } else { format!("{} ", failing.len()) };
            return Some(format!(
                "{count}{tests} before anyone did anything: {}{more}",
                first.join(", ")
            ));
        }
        let failed: Vec<&str> = self
            .commands
            .iter()
            .filter(|result| result.outcome != BaseOutcome::Passed)
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
            failing: failing.iter().map(|name| (*name).to_owned()).collect(),
            said: String::new(),
            hints: Vec::new(),
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
        assert_eq!(tests.failing("t", None).len(), 4);
        assert!(tests.failing("t", Some("web")).is_empty());
    }
}
