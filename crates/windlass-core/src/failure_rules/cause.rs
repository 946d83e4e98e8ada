//! Why a check failed, from what it printed and how it ended.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::Category;
use super::table::{Looks, Row, TROUBLE, WORK};
use super::{FailureRule, RuleOf, compile};
use crate::outcome::Outcome;

/// How much of the end of an output is searched.
const MAX_SEARCHED: usize = 256 << 10;

/// How long the name of what is missing may be.
const MAX_NAME_CHARS: usize = 100;

/// Why a check failed, as far as its evidence tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// What kind of failure it is.
    pub category: Category,
    /// The line that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// What is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// Whether the same happens without the work; none where nobody could look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_work: Option<bool>,
    /// Whether it was so on the base commit already, so that waiting cannot help.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub since_start: bool,
}

/// Something that a check needs and does not find.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// What it is.
    pub kind: MissingKind,
    /// Its name.
    pub name: String,
}

/// What can be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingKind {
    /// A program.
    Tool,
    /// A variable, most often with a key.
    Key,
    /// A library of the project.
    Dependency,
}

impl Missing {
    /// Returns the command that ends the wait for it, where there is one.
    pub fn check(&self) -> Option<String> {
        let plain = self.name.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c));
        let is_variable = self.name.contains('_') && self.name == self.name.to_ascii_uppercase();
        match self.kind {
            MissingKind::Tool if plain && !is_variable => Some(format!("command -v {}", self.name)),
            MissingKind::Tool | MissingKind::Key | MissingKind::Dependency => None,
        }
    }
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, name } = self;
        match kind {
            MissingKind::Tool => write!(f, "the program `{name}` is missing"),
            MissingKind::Key => write!(f, "the variable `{name}` is not set"),
            MissingKind::Dependency => write!(f, "the dependency `{name}` is not installed"),
        }
    }
}

impl Cause {
    /// Returns a cause that no line shows.
    pub fn of(category: Category) -> Self {
        Self { category, line: None, missing: None, without_work: None, since_start: false }
    }

    /// Returns the cause in a few words, for people.
    pub fn in_words(&self) -> String {
        match (&self.missing, &self.line) {
            (Some(missing), _) => missing.to_string(),
            (None, Some(line)) => format!("{} trouble: {line}", self.category),
            (None, None) => format!("{} trouble", self.category),
        }
    }
}

/// What is known of a check that failed.
#[derive(Clone, Copy, Debug)]
pub struct CheckEvidence<'a> {
    /// The command.
    pub command: &'a str,
    /// How it ended.
    pub outcome: &'a Outcome,
    /// Whether something outside ended it.
    pub lost: bool,
    /// What it printed.
    pub output: &'a str,
    /// Whether it could reach anything outside its room.
    pub network: bool,
}

/// What may be behind a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Causes {
    /// What the surroundings may have done: a suspicion, until it is seen without the work.
    pub trouble: Option<Cause>,
    /// What it is if they did nothing.
    pub work: Cause,
}

/// Says what may be behind the failure of a check: by a user's own rules, else by the built-in ones.
pub fn causes(rules: &[FailureRule], evidence: &CheckEvidence<'_>) -> Causes {
    let output = end_of(evidence.output);
    if let Some(cause) = by_rules(rules, evidence, output) {
        let is_work = cause.category.is_of_work() || cause.category == Category::Timeout;
        return match is_work {
            true => Causes { trouble: None, work: cause },
            false => Causes { trouble: Some(cause), work: work(evidence, output) },
        };
    }
    Causes { trouble: trouble(evidence, output), work: work(evidence, output) }
}

/// Returns the category that the built-in rules or a user's own give to words about a failure.
pub fn category_of(rules: &[FailureRule], words: &str) -> Option<Category> {
    let own = rules.iter().find(|rule| {
        let pattern = rule.pattern.as_deref().and_then(|pattern| compile(pattern).ok());
        rule.exit.is_none() && pattern.is_some_and(|pattern| pattern.is_match(words))
    });
    if let Some(rule) = own {
        return Some(rule.category);
    }
    let fits =
        |(row, pattern): &&(&Row, Regex)| row.looks != Looks::Command && pattern.is_match(words);
    let mut rows = TROUBLE_ROWS.iter().chain(WORK_ROWS.iter());
    rows.find(fits).map(|(row, _)| row.category)
}

fn by_rules(rules: &[FailureRule], evidence: &CheckEvidence<'_>, output: &str) -> Option<Cause> {
    let exit = if let Outcome::Exited { code } = evidence.outcome { Some(*code) } else { None };
    rules.iter().find_map(|rule| {
        let is_about_checks = rule.of != Some(RuleOf::Attempt)
            && rule.backend.is_none()
            && !matches!(rule.category, Category::Limit | Category::Lost);
        if !is_about_checks || (rule.exit.is_some() && rule.exit != exit) {
            return None;
        }
        let line = match &rule.pattern {
            Some(pattern) => Some(super::line_of(&compile(pattern).ok()?, output)?),
            None => None,
        };
        Some(Cause { line: rule.message.clone().or(line), ..Cause::of(rule.category) })
    })
}

fn trouble(evidence: &CheckEvidence<'_>, output: &str) -> Option<Cause> {
    if evidence.lost {
        return Some(Cause::of(Category::Infra));
    }
    match evidence.outcome {
        Outcome::CouldNotStart { message } => {
            Some(Cause { line: Some(message.clone()), ..Cause::of(Category::Infra) })
        }
        Outcome::OverLimit { what } if what.contains("disk") => {
            Some(Cause { line: Some(what.clone()), ..Cause::of(Category::Disk) })
        }
        Outcome::Exited { .. } | Outcome::Signalled { .. } => {
            by_table(&TROUBLE_ROWS, evidence, output)
        }
        Outcome::TimedOut
        | Outcome::Idle
        | Outcome::OverLimit { .. }
        | Outcome::Cancelled
        | Outcome::ProviderLimit { .. }
        | Outcome::Held { .. }
        | Outcome::Interrupted { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::OverBudget { .. } => None,
    }
}

/// A check that ran out of time or could not run says nothing about tests.
fn work(evidence: &CheckEvidence<'_>, output: &str) -> Cause {
    match evidence.outcome {
        Outcome::TimedOut | Outcome::Idle => Cause::of(Category::Timeout),
        // As shells say that there is no such program, or that it is none.
        Outcome::Exited { code: 126 | 127 } | Outcome::OverLimit { .. } => {
            Cause::of(Category::Code)
        }
        Outcome::Exited { .. } | Outcome::Signalled { .. } => {
            by_table(&WORK_ROWS, evidence, output).unwrap_or_else(|| Cause::of(Category::Test))
        }
        Outcome::CouldNotStart { .. }
        | Outcome::Cancelled
        | Outcome::ProviderLimit { .. }
        | Outcome::Held { .. }
        | Outcome::Interrupted { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::OverBudget { .. } => Cause::of(Category::Infra),
    }
}

static TROUBLE_ROWS: LazyLock<Vec<(&Row, Regex)>> = LazyLock::new(|| compiled(TROUBLE));
static WORK_ROWS: LazyLock<Vec<(&Row, Regex)>> = LazyLock::new(|| compiled(WORK));

fn compiled(rows: &'static [Row]) -> Vec<(&'static Row, Regex)> {
    rows.iter().map(|row| (row, compile(row.pattern).expect("every row is tested"))).collect()
}

fn by_table(rows: &[(&Row, Regex)], evidence: &CheckEvidence<'_>, output: &str) -> Option<Cause> {
    rows.iter().find_map(|(row, pattern)| {
        let text = match row.looks {
            Looks::Output => output,
            Looks::OutputWithNetwork if evidence.network => output,
            Looks::OutputWithNetwork => return None,
            Looks::Command => evidence.command,
        };
        let found = pattern.captures_iter(text).last()?;
        let name = found.get(1).map(|name| name.as_str().chars().take(MAX_NAME_CHARS).collect());
        let missing = row.missing.zip(name).map(|(kind, name)| Missing { kind, name });
        let line = super::line_of(pattern, text).filter(|_| row.looks != Looks::Command);
        Some(Cause { line, missing, ..Cause::of(row.category) })
    })
}

/// The end of an output, from the beginning of a line.
fn end_of(output: &str) -> &str {
    let mut start = output.len().saturating_sub(MAX_SEARCHED);
    while !output.is_char_boundary(start) {
        start += 1;
    }
    match (start, output[start..].find('\n')) {
        (0, _) | (_, None) => &output[start..],
        (_, Some(newline)) => &output[start + newline + 1..],
    }
}

#[cfg(test)]
#[path = "cause_tests.rs"]
mod tests;
