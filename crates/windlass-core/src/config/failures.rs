//! Failure rules as they stand in a configuration.

use crate::failure_rules::{self, FailureRule, RuleOf};
use crate::run::Category;
use crate::source::diagnostic::Findings;
use crate::source::fields::{self, Fields};
use crate::source::key::{Key, Mapping, Rule, Takes};
use crate::source::yaml::{Node, Value};

/// How many rules one file may have: each is looked at after every failed attempt.
const MAX_RULES: usize = 100;

static KEYS: Mapping = Mapping {
    name: "failures",
    of: "a failure rule",
    doc: "How attempts and checks that failed are told apart.",
    keys: &[
        Key::new(
            "match",
            Takes::Text,
            "A regular expression for the last output of agent or check.",
        ),
        Key::new("exit", Takes::Text, "The exit code of its process."),
        Key::new("backend", Takes::Text, "The backend that played it."),
        Key::new("of", Takes::Text, "`attempt` or `check`; both where nothing is said."),
        Key::new("category", Takes::Text, "What kind of failure it is.").required(),
        Key::new("reset", Takes::Text, "A regular expression that captures when a limit ends."),
        Key::new("message", Takes::Text, "What people are told."),
    ],
    not_yet: &[],
    rule: Rule::None,
};

const OF: [(&str, RuleOf); 2] = [("attempt", RuleOf::Attempt), ("check", RuleOf::Check)];

const CATEGORIES: [(&str, Category); 15] = [
    ("code", Category::Code),
    ("test", Category::Test),
    ("compile", Category::Compile),
    ("type", Category::Type),
    ("lint", Category::Lint),
    ("security", Category::Security),
    ("flaky", Category::Flaky),
    ("infra", Category::Infra),
    ("network", Category::Network),
    ("disk", Category::Disk),
    ("environment", Category::Environment),
    ("timeout", Category::Timeout),
    ("limit", Category::Limit),
    ("lost", Category::Lost),
    ("external", Category::External),
];

/// Reads the list under `failures`.
pub(super) fn read(node: &Node, findings: &mut Findings) -> Vec<FailureRule> {
    let Some(nodes) = fields::list(node, "failure rules", findings) else { return Vec::new() };
    if nodes.len() > MAX_RULES {
        findings.error(node.at, format!("there are at most {MAX_RULES} failure rules in a file"));
        return Vec::new();
    }
    nodes.iter().filter_map(|node| rule(node, findings)).collect()
}

fn rule(node: &Node, findings: &mut Findings) -> Option<FailureRule> {
    let fields = Fields::read(node, &KEYS, findings)?;
    let pattern = fields.get("match").map(|node| pattern(node, findings));
    let exit = fields.get("exit").map(|node| exit_code(node, findings));
    let text = |key, findings: &mut Findings| {
        fields.get(key).map(|node| fields::filled_text(node, findings).map(|text| text.value))
    };
    let (backend, message) = (text("backend", findings), text("message", findings));
    let category = fields.required("category", "a failure rule", findings);
    let category = category.and_then(|node| fields::word(node, &CATEGORIES, findings));
    let of = fields.get("of").map(|node| fields::word(node, &OF, findings));
    let reset = fields.get("reset").map(|node| self::pattern(node, findings));
    if pattern.is_none() && exit.is_none() {
        let message = "a failure rule needs `match` or `exit`: this one is about every failure";
        findings.error(fields.at, message);
        return None;
    }
    if let (Some(node), Some(category)) = (fields.get("reset"), category)
        && category != Category::Limit
    {
        let message = format!("`reset` says when a limit ends, and this rule says `{category}`");
        findings.error_with_help(node.at, message, "write `category: limit`, or take it out");
        return None;
    }
    // What was written and could not be read is reported, and the rule is not one without it.
    Some(FailureRule {
        pattern: pattern.map_or(Some(None), |read| read.map(Some))?,
        exit: exit.map_or(Some(None), |read| read.map(Some))?,
        backend: backend.map_or(Some(None), |read| read.map(Some))?,
        of: of.map_or(Some(None), |read| read.map(Some))?,
        category: category?,
        reset: reset.map_or(Some(None), |read| read.map(Some))?,
        message: message.map_or(Some(None), |read| read.map(Some))?,
    })
}

fn pattern(node: &Node, findings: &mut Findings) -> Option<String> {
    let text = fields::filled_text(node, findings)?;
    match failure_rules::compile(&text.value) {
        Ok(_) => Some(text.value),
        Err(error) => {
            // The last line says what is wrong; those before it draw the pattern.
            let error = error.to_string();
            let why = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let message = format!("this is not a regular expression: {why}");
            findings.error_with_help(
                text.at,
                message,
                "put it in single quotes, and `\\` before signs that are meant as such",
            );
            None
        }
    }
}

fn exit_code(node: &Node, findings: &mut Findings) -> Option<i32> {
    if let Value::Number(text) = &node.value
        && !fields::has_leading_zero(text)
        && let Ok(code) = text.parse::<i32>()
        && (0..=255).contains(&code)
    {
        return Some(code);
    }
    fields::not_a_number(node, "an exit code from 0 to 255", findings)
}
