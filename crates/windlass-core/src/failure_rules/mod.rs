//! From evidence to category: what rules say about an attempt or a check that failed.
//!
//! A backend knows its agent's words; a user's rule knows those of a wrapper, a proxy, a company's
//! gateway. Rules are pinned when a run starts and evaluated on evidence that the edge gathered, right
//! after the backend said what it made of it. What they say becomes part of the attempt's report, so a
//! replay never evaluates them again. Checks that failed are looked at in the same way ([`causes`]), by
//! the same rules and by a built-in table.
//!
//! No rule makes a loop without an end: `limit` gives back the try and not the attempt, so the
//! run's budget of attempts bounds it, and `lost` pauses after as many in a row as follow from `retries`.

mod cause;
mod reset;
mod table;

use jiff::tz::TimeZone;
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;
use crate::time::Timestamp;

pub use crate::outcome::Category;
pub use cause::{Cause, Causes, CheckEvidence, Missing, MissingKind, category_of, causes};

/// How much memory one compiled pattern may take.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// How much of a matching line a message repeats.
const MAX_MESSAGE_CHARS: usize = 300;

/// What an attempt's end looks like, and what kind of failure that is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureRule {
    /// What the agent's message or its last output matches.
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The exit code of its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// The backend that played it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// What the rule is about; attempts and checks where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<RuleOf>,
    /// What kind of failure it is.
    pub category: Category,
    /// What captures the time at which a limit ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset: Option<String>,
    /// What people are told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleOf {
    /// Attempts that ended.
    Attempt,
    /// Checks that failed.
    Check,
}

/// What is known of an attempt that ended.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// What its backend made of it.
    pub outcome: &'a Outcome,
    /// The exit code of its process, if it exited by itself.
    pub exit: Option<i32>,
    /// The end of what it printed.
    pub tail: &'a str,
    /// The backend that played it.
    pub backend: &'a str,
    /// When it ended.
    pub now: Timestamp,
    /// The zone of times of day that name none.
    pub zone: &'a TimeZone,
}

/// Returns whether any rule could say anything about such an end, whatever was printed.
pub fn may_apply(rules: &[FailureRule], outcome: &Outcome, exit: Option<i32>) -> bool {
    rules.iter().any(|rule| rule.is_about(outcome, exit))
}

/// Returns what the first rule that fits says about the end of an attempt.
pub fn judge(rules: &[FailureRule], evidence: &Evidence<'_>) -> Option<Outcome> {
    rules.iter().find_map(|rule| rule.judge(evidence))
}

/// Compiles a pattern: `^` and `$` are those of lines.
pub(crate) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    regex::RegexBuilder::new(pattern).multi_line(true).size_limit(MAX_PATTERN_BYTES).build()
}

impl FailureRule {
    fn judge(&self, evidence: &Evidence<'_>) -> Option<Outcome> {
        let Evidence { outcome, exit, tail, backend, now, zone } = *evidence;
        let other_backend = self.backend.as_deref().is_some_and(|wanted| wanted != backend);
        if other_backend || !self.is_about(outcome, exit) {
            return None;
        }
        let said = said(outcome);
        let text = if said.is_empty() { tail.to_owned() } else { format!("{said}\n{tail}") };
        let line = match &self.pattern {
            // A pattern that was pinned compiled then.
            Some(pattern) => Some(line_of(&compile(pattern).ok()?, &text)?),
            None => None,
        };
        let message = self.message.clone().or(line).unwrap_or_else(|| {
            if said.is_empty() { format!("a failure rule says {}", self.category) } else { said }
        });
        Some(match self.category {
            Category::Limit => {
                let resets_at = self.reset.as_deref().and_then(|pattern| {
                    let captured = capture(&compile(pattern).ok()?, &text)?;
                    reset::moment(&captured, now, zone)
                });
                Outcome::ProviderLimit { resets_at, message }
            }
            category @ (Category::Code
            | Category::Test
            | Category::Compile
            | Category::Type
            | Category::Lint
            | Category::Security
            | Category::Flaky
            | Category::Infra
            | Category::Network
            | Category::Disk
            | Category::Environment
            | Category::Timeout
            | Category::Lost
            | Category::External) => Outcome::AgentFailed { category, message },
        })
    }

    /// Whether the rule is about attempts that ended like this. A success is one only for a rule
    /// that names its exit code, and what windlass itself stopped is no failure of anybody.
    fn is_about(&self, outcome: &Outcome, exit: Option<i32>) -> bool {
        if self.of == Some(RuleOf::Check) || (self.exit.is_some() && self.exit != exit) {
            return false;
        }
        match outcome {
            Outcome::Cancelled | Outcome::Held { .. } | Outcome::OverBudget { .. } => false,
            Outcome::Exited { code: 0 } => self.exit == Some(0),
            Outcome::CouldNotStart { .. }
            | Outcome::Exited { .. }
            | Outcome::Signalled { .. }
            | Outcome::TimedOut
            | Outcome::Idle
            | Outcome::OverLimit { .. }
            | Outcome::ProviderLimit { .. }
            | Outcome::Interrupted { .. }
            | Outcome::AgentFailed { .. } => true,
        }
    }
}

/// What the end of an attempt says in words.
fn said(outcome: &Outcome) -> String {
    match outcome {
        Outcome::CouldNotStart { message }
        | Outcome::ProviderLimit { message, .. }
        | Outcome::Interrupted { message }
        | Outcome::AgentFailed { message, .. }
        | Outcome::OverBudget { message } => message.clone(),
        Outcome::OverLimit { what } => what.clone(),
        Outcome::Held { why, .. } => why.clone(),
        Outcome::Exited { .. }
        | Outcome::Signalled { .. }
        | Outcome::TimedOut
        | Outcome::Idle
        | Outcome::Cancelled => String::new(),
    }
}

/// The line of the last match, which is what the agent said at the end.
fn line_of(pattern: &Regex, text: &str) -> Option<String> {
    let found = pattern.find_iter(text).last()?;
    let start = text[..found.start()].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[found.end()..].find('\n').map_or(text.len(), |newline| found.end() + newline);
    Some(text[start..end].trim().chars().take(MAX_MESSAGE_CHARS).collect())
}

/// What the last match captures: its first group, or all of it.
fn capture(pattern: &Regex, text: &str) -> Option<String> {
    let found = pattern.captures_iter(text).last()?;
    found.get(1).or_else(|| found.get(0)).map(|group| group.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn rule(pattern: &str, category: Category) -> FailureRule {
        FailureRule {
            pattern: Some(pattern.to_owned()),
            exit: None,
            backend: None,
            of: None,
            category,
            reset: None,
            message: None,
        }
    }

    fn judged(rules: &[FailureRule], outcome: &Outcome, tail: &str) -> Option<Outcome> {
        let exit = if let Outcome::Exited { code } = outcome { Some(*code) } else { None };
        let zone = &TimeZone::UTC;
        judge(rules, &Evidence { outcome, exit, tail, backend: "command", now: NOW, zone })
    }

    #[test]
    fn the_first_rule_that_matches_wins_with_the_line_that_matched() {
        let rules = [
            rule("no such thing", Category::Code),
            rule("^gateway: ", Category::Infra),
            rule("gateway", Category::External),
        ];
        let tail = "working\ngateway: 502 from upstream  \nbye\n";
        let said = judged(&rules, &Outcome::Exited { code: 3 }, tail).unwrap();
        let message = "gateway: 502 from upstream".to_owned();
        assert_eq!(said, Outcome::AgentFailed { category: Category::Infra, message });
    }

    #[test]
    fn a_success_stays_one_unless_the_rule_names_its_exit_code() {
        let anything = rule("", Category::External);
        let exit_0 = FailureRule { exit: Some(0), ..anything.clone() };
        let success = Outcome::Exited { code: 0 };
        assert_eq!(judged(std::slice::from_ref(&anything), &success, "x"), None);
        assert!(!may_apply(std::slice::from_ref(&anything), &success, Some(0)));
        assert!(judged(&[exit_0], &success, "x").is_some());
        // A backend that calls an exit code of 0 a failure is believed.
        let failed = Outcome::AgentFailed { category: Category::Code, message: "no".to_owned() };
        let zone = &TimeZone::UTC;
        let (backend, now) = ("b", NOW);
        let evidence = Evidence { outcome: &failed, exit: Some(0), tail: "", backend, now, zone };
        assert!(judge(&[anything], &evidence).is_some());
    }

    #[test]
    fn what_windlass_itself_stopped_is_no_failure() {
        let rules = [rule("", Category::External)];
        let held = Outcome::Held { until: NOW, why: "quiet".to_owned() };
        let spent = Outcome::OverBudget { message: "no money".to_owned() };
        for outcome in [Outcome::Cancelled, held, spent] {
            assert_eq!(judged(&rules, &outcome, "anything"), None, "{outcome:?}");
        }
        assert!(judged(&rules, &Outcome::TimedOut, "").is_some());
    }

    #[test]
    fn exit_code_and_backend_have_to_fit() {
        let exits = FailureRule { exit: Some(75), ..rule("", Category::Infra) };
        assert!(judged(std::slice::from_ref(&exits), &Outcome::Exited { code: 75 }, "").is_some());
        assert_eq!(judged(&[exits], &Outcome::Exited { code: 1 }, ""), None);
        let other = FailureRule { backend: Some("codex".to_owned()), ..rule("", Category::Infra) };
        assert_eq!(judged(&[other], &Outcome::Exited { code: 1 }, ""), None);
    }

    #[test]
    fn a_limit_lasts_until_the_time_that_was_captured() {
        let limit = FailureRule {
            reset: Some("retry after ([0-9]+)".to_owned()),
            message: Some("the gateway is at its limit".to_owned()),
            ..rule("quota", Category::Limit)
        };
        let tail = "retry after 5\nquota exceeded, retry after 90\n";
        let Some(Outcome::ProviderLimit { resets_at, message }) =
            judged(std::slice::from_ref(&limit), &Outcome::Exited { code: 1 }, tail)
        else {
            panic!("no limit")
        };
        assert_eq!(resets_at, Some(NOW.plus(Span::seconds(90))));
        assert_eq!(message, "the gateway is at its limit");
        let Some(Outcome::ProviderLimit { resets_at: None, .. }) =
            judged(&[limit], &Outcome::Exited { code: 1 }, "quota exceeded")
        else {
            panic!("no limit, or an end that nobody stated")
        };
    }

    #[test]
    fn the_words_of_the_backend_are_matched_too() {
        let rules = [rule("^billing", Category::External)];
        let outcome =
            Outcome::AgentFailed { category: Category::Infra, message: "billing hold".to_owned() };
        let said = judged(&rules, &outcome, "").unwrap();
        let message = "billing hold".to_owned();
        assert_eq!(said, Outcome::AgentFailed { category: Category::External, message });
    }
}
