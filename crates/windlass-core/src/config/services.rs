//! Services outside the repository as they stand in a configuration.

use crate::deps::Service;
use crate::source::diagnostic::Findings;
use crate::source::fields::{self, Fields};
use crate::source::key::{Key, Mapping, Rule, Takes};
use crate::source::yaml::Node;

/// How many services one file may add: every prompt of a story is made with them.
const MAX_SERVICES: usize = 100;

/// How long a word, a type or a strategy may be: they go into prompts.
const MAX_TEXT_BYTES: usize = 200;

static KEYS: Mapping = Mapping {
    name: "services",
    of: "a service",
    doc: "A service outside the repository that stories may need.",
    keys: &[
        Key::new("type", Takes::Text, "What kind of service it is.").required(),
        Key::new("keywords", Takes::Text, "Words that name it; the first is its name.").required(),
        Key::new("mock_strategy", Takes::Text, "How to work without the real one.").required(),
        Key::new("secrets", Takes::Text, "Variables that usually hold its secrets."),
    ],
    not_yet: &[],
    rule: Rule::None,
};

/// Reads the list under `services`.
pub(super) fn read(node: &Node, findings: &mut Findings) -> Vec<Service> {
    let Some(nodes) = fields::list(node, "services", findings) else { return Vec::new() };
    if nodes.len() > MAX_SERVICES {
        findings.error(node.at, format!("there are at most {MAX_SERVICES} services in a file"));
        return Vec::new();
    }
    nodes.iter().filter_map(|node| service(node, findings)).collect()
}

fn service(node: &Node, findings: &mut Findings) -> Option<Service> {
    let fields = Fields::read(node, &KEYS, findings)?;
    let mut required = |key| fields.required(key, "a service", findings);
    let (kind, keywords) = (required("type"), required("keywords"));
    let mock_strategy = required("mock_strategy");
    let kind = kind.and_then(|node| line(node, findings));
    let keywords = keywords.and_then(|node| lines(node, findings));
    let mock_strategy = mock_strategy.and_then(|node| line(node, findings));
    let secrets = match fields.get("secrets") {
        Some(node) => lines(node, findings),
        None => Some(Vec::new()),
    };
    let keywords = keywords?;
    if let Some(word) = keywords.iter().find(|word| !word.contains(char::is_alphanumeric)) {
        findings.error(fields.at, format!("`{word}` has no letter: no text holds it as a word"));
        return None;
    }
    if keywords.is_empty() {
        findings.error(fields.at, "a service needs at least one keyword");
        return None;
    }
    Some(Service { kind: kind?, keywords, mock_strategy: mock_strategy?, secrets: secrets? })
}

/// Reads one text or a list of them; none where one of them is wrong.
fn lines(node: &Node, findings: &mut Findings) -> Option<Vec<String>> {
    let read: Vec<_> = fields::one_or_more(node).iter().map(|node| line(node, findings)).collect();
    read.into_iter().collect()
}

fn line(node: &Node, findings: &mut Findings) -> Option<String> {
    let text = fields::filled_text(node, findings)?;
    if text.value.len() > MAX_TEXT_BYTES || text.value.chars().any(char::is_control) {
        let message = format!("this is one line of at most {MAX_TEXT_BYTES} bytes");
        findings.error(text.at, message);
        return None;
    }
    Some(text.value.trim().to_owned())
}
