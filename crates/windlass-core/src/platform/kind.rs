//! What packs from elsewhere say in other forms, read as far as it means something here.
//!
//! People have such files already, written for other programs. A key or a form that windlass has no use
//! for is a warning; only what it would need and cannot read is a mistake.

use std::collections::BTreeMap;

use crate::source::diagnostic::Findings;
use crate::source::yaml::{Node, Value};

/// Globs for the tests of a pack that names none.
const TESTS: [&str; 3] =
    ["**/{test,tests,spec,__tests__}/**", "**/*{.,_,-}{test,tests,spec}.*", "**/{test,spec}_*"];

/// More entries than anybody tells an agent.
const MAX_TEXTS: usize = 60;

/// The longest text that is told to an agent.
const MAX_TEXT: usize = 400;

/// Puts the node that a name stands for in place of each `{"is": NAME}`.
pub(super) fn with_named(root: &mut Node, findings: &mut Findings) {
    let Value::Map(pairs) = &root.value else { return };
    let named = pairs.iter().find(|(key, _)| text_of(key) == Some("named"));
    let Some((_, Node { value: Value::Map(named), .. })) = named else { return };
    let named: BTreeMap<String, Node> = named
        .iter()
        .filter_map(|(key, node)| Some((text_of(key)?.to_owned(), node.clone())))
        .collect();
    let Value::Map(pairs) = &mut root.value else { return };
    for (key, node) in pairs {
        // A name in a name could stand for itself.
        if text_of(key) != Some("named") {
            replace(node, &named, findings);
        }
    }
}

fn replace(node: &mut Node, named: &BTreeMap<String, Node>, findings: &mut Findings) {
    match &mut node.value {
        Value::Map(pairs) => {
            if let [(key, value)] = pairs.as_slice()
                && text_of(key) == Some("is")
                && let Some(name) = text_of(value)
            {
                match named.get(name) {
                    Some(meant) => node.value = meant.value.clone(),
                    None => {
                        let help = "add it to `named`, or write the file here";
                        findings.error_with_help(value.at, "nothing is named so", help);
                    }
                }
                return;
            }
            pairs.iter_mut().for_each(|(_, node)| replace(node, named, findings));
        }
        Value::List(nodes) => nodes.iter_mut().for_each(|node| replace(node, named, findings)),
        Value::Null | Value::Boolean(_) | Value::Number(_) | Value::Text(_) => {}
    }
}

/// Returns every text in a value, with the keys that lead to it in front.
pub(super) fn texts(node: &Node, findings: &mut Findings) -> Vec<String> {
    let mut found = Vec::new();
    gather(node, "", &mut found);
    let is_short = |text: &String| text.len() <= MAX_TEXT && !text.chars().any(char::is_control);
    let count = found.len();
    found.retain(is_short);
    found.truncate(MAX_TEXTS);
    if found.len() < count {
        let message = format!("{} texts of this are not told to agents", count - found.len());
        findings.warning(node.at, message, "use short texts of one line, and not too many");
    }
    found
}

/// Keys that only say that a list follows.
const FRAMES: [&str; 7] = ["load", "name", "names", "list", "items", "rules", "required"];

fn gather(node: &Node, above: &str, found: &mut Vec<String>) {
    let under = |text: &str| match above {
        "" => text.trim().to_owned(),
        above => format!("{above}: {}", text.trim()),
    };
    match &node.value {
        Value::Null => {}
        Value::Boolean(value) => found.push(under(&value.to_string())),
        Value::Number(text) | Value::Text(text) if !text.trim().is_empty() => {
            found.push(under(text));
        }
        Value::Number(_) | Value::Text(_) => {}
        Value::List(nodes) => nodes.iter().for_each(|node| gather(node, above, found)),
        Value::Map(pairs) => {
            for (key, node) in pairs {
                let Some(key) = text_of(key) else { continue };
                let is_frame = FRAMES.contains(&key);
                let key = if is_frame { above.to_owned() } else { under(key) };
                gather(node, &key, found);
            }
        }
    }
}

/// Returns globs for tests, with a warning that they are a guess.
pub(super) fn usual_tests(root: &Node, findings: &mut Findings) -> Vec<String> {
    let help = "name the files that hold tests, such as `[\"tests/**\"]`";
    findings.warning(root.at, "a platform without `testFiles`: usual names are taken", help);
    TESTS.map(str::to_owned).to_vec()
}

pub(super) fn text_of(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Text(text) => Some(text),
        Value::Null | Value::Boolean(_) | Value::Number(_) | Value::List(_) | Value::Map(_) => None,
    }
}
