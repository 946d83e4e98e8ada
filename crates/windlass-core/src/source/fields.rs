//! Reads typed values out of nodes; what does not fit is reported at its place.
//!
//! Every reader returns `None` after it has reported, so a caller goes on with the next key and
//! one reading finds all mistakes.

use super::diagnostic::{At, Findings, Located, unknown_name};
use super::key::Mapping;
use super::suggest::{self, shown};
use super::yaml::{Node, Value};
use crate::time::Span;

/// A mapping whose keys are all known.
pub(crate) struct Fields<'n> {
    pub(crate) at: At,
    entries: Vec<(&'n str, At, &'n Node)>,
}

impl<'n> Fields<'n> {
    /// Reads the keys of `node`; unknown ones are reported and left out.
    pub(crate) fn read(node: &'n Node, keys: &Mapping, findings: &mut Findings) -> Option<Self> {
        let written = entries(node, keys.of, findings)?;
        let mut fields = Self { at: node.at, entries: Vec::new() };
        for (key, at, value) in written {
            if keys.not_yet.contains(&key) {
                findings.error(at, not_supported_yet(key));
            } else if !keys.has(key) {
                let what = format!("key of {}:", keys.of);
                unknown_name(findings, at, &what, key, keys.known());
                continue;
            }
            fields.entries.push((key, at, value));
        }
        Some(fields)
    }

    /// Reads the keys of `node`; unknown ones are warned about and left out, for files that other
    /// programs read as well.
    pub(crate) fn read_kindly(
        node: &'n Node,
        keys: &Mapping,
        findings: &mut Findings,
    ) -> Option<Self> {
        let mut fields = Self { at: node.at, entries: Vec::new() };
        for (key, at, value) in entries(node, keys.of, findings)? {
            if keys.has(key) {
                fields.entries.push((key, at, value));
                continue;
            }
            let help = suggest::help(key, keys.known());
            let help = help.unwrap_or_else(|| "take it out, or leave it for others".to_owned());
            let message = format!("{} has no key {}: it is not used", keys.of, shown(key));
            findings.warning(at, message, help);
        }
        Some(fields)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(name, ..)| *name == key).map(|(.., node)| *node)
    }

    /// Returns the keys that were given, with their places.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&'n str, At)> {
        self.entries.iter().map(|(name, at, _)| (*name, *at))
    }

    /// Returns the value of a key that must be there.
    pub(crate) fn required(
        &self,
        key: &str,
        of: &str,
        findings: &mut Findings,
    ) -> Option<&'n Node> {
        let node = self.get(key);
        if node.is_none() {
            findings.error(self.at, format!("{of} needs `{key}`"));
        }
        node
    }
}

/// Reads a mapping with keys of the user's own, in the order of the file.
pub(crate) fn entries<'n>(
    node: &'n Node,
    what: &str,
    findings: &mut Findings,
) -> Option<Vec<(&'n str, At, &'n Node)>> {
    let Value::Map(pairs) = &node.value else {
        expected(findings, node, &format!("{what} as a mapping"));
        return None;
    };
    let mut entries = Vec::new();
    for (key, value) in pairs {
        match &key.value {
            Value::Text(text) => entries.push((text.as_str(), key.at, value)),
            Value::Null | Value::Boolean(_) | Value::Number(_) | Value::List(_) | Value::Map(_) => {
                let message = format!("a key is text, not {}", key.value.kind());
                findings.error_with_help(key.at, message, "put the key in quotes");
            }
        }
    }
    Some(entries)
}

fn expected(findings: &mut Findings, node: &Node, what: &str) {
    findings.error(node.at, format!("expected {what}, found {}", node.value.kind()));
}

/// Reads text; numbers and booleans have to be quoted, so that nothing changes its meaning.
pub(crate) fn text(node: &Node, findings: &mut Findings) -> Option<Located<String>> {
    match &node.value {
        Value::Text(text) => Some(Located { value: text.clone(), at: node.at }),
        Value::Boolean(_) | Value::Number(_) => {
            let message = format!("expected text, found {}", node.value.kind());
            findings.error_with_help(node.at, message, "put it in quotes if text is meant");
            None
        }
        Value::Null | Value::List(_) | Value::Map(_) => {
            expected(findings, node, "text");
            None
        }
    }
}

/// Reads text that says something.
pub(crate) fn filled_text(node: &Node, findings: &mut Findings) -> Option<Located<String>> {
    let read = text(node, findings)?;
    if read.value.trim().is_empty() {
        findings.error(node.at, "expected text, found only blanks");
        return None;
    }
    Some(read)
}

pub(crate) fn boolean(node: &Node, findings: &mut Findings) -> Option<bool> {
    if let Value::Boolean(value) = node.value {
        return Some(value);
    }
    let message = format!("expected `true` or `false`, found {}", node.value.kind());
    findings.error(node.at, message);
    None
}

/// Reads one of a few words.
pub(crate) fn word<T: Copy>(
    node: &Node,
    words: &[(&str, T)],
    findings: &mut Findings,
) -> Option<T> {
    let mut listed: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
    let last = listed.pop().unwrap_or_default();
    let listed = match listed.len() {
        0 => last,
        1.. => format!("{} or {last}", listed.join(", ")),
    };
    let Value::Text(text) = &node.value else {
        expected(findings, node, &listed);
        return None;
    };
    let found = words.iter().find(|(word, _)| word == text).map(|(_, value)| *value);
    if found.is_none() {
        let help = suggest::nearest(text, words.iter().map(|(word, _)| *word))
            .map(|near| format!("did you mean `{near}`?"));
        findings.error_with(node.at, format!("expected {listed}, found {}", shown(text)), help);
    }
    found
}

/// Reads a whole number of at least `least`.
pub(crate) fn count(node: &Node, least: u64, findings: &mut Findings) -> Option<u64> {
    let what = format!("a whole number of at least {least}");
    let Value::Number(text) = &node.value else {
        return not_a_number(node, &what, findings);
    };
    if has_leading_zero(text) {
        return not_a_number(node, &what, findings);
    }
    match text.parse() {
        Ok(number) if number >= least => Some(number),
        Ok(_) | Err(_) => {
            expected(findings, node, &what);
            None
        }
    }
}

/// Like [`count`], for numbers that the plan keeps in 32 bits.
pub(crate) fn small_count(node: &Node, least: u32, findings: &mut Findings) -> Option<u32> {
    let number = count(node, u64::from(least), findings)?;
    let narrow = u32::try_from(number).ok();
    if narrow.is_none() {
        findings.error(node.at, format!("{number} is too large"));
    }
    narrow
}

/// Reads a number above zero.
pub(crate) fn positive_number(node: &Node, findings: &mut Findings) -> Option<f64> {
    let what = "a number above 0";
    let Value::Number(text) = &node.value else {
        return not_a_number(node, what, findings);
    };
    if has_leading_zero(text) {
        return not_a_number(node, what, findings);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Some(number),
        Ok(_) | Err(_) => {
            expected(findings, node, what);
            None
        }
    }
}

pub(crate) fn not_a_number<T>(node: &Node, what: &str, findings: &mut Findings) -> Option<T> {
    let help = match &node.value {
        Value::Text(text) | Value::Number(text) if has_leading_zero(text) => Some(
            "a leading zero means octal to some and decimal to others: leave it out".to_owned(),
        ),
        Value::Text(text) if text.parse::<f64>().is_ok() => Some("leave out the quotes".to_owned()),
        Value::Null
        | Value::Boolean(_)
        | Value::Number(_)
        | Value::Text(_)
        | Value::List(_)
        | Value::Map(_) => None,
    };
    findings.error_with(node.at, format!("expected {what}, found {}", node.value.kind()), help);
    None
}

/// Returns whether a number is written like `010`.
pub(crate) fn has_leading_zero(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+']);
    digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit()
}

/// Reads a span such as `30m`.
pub(crate) fn span(node: &Node, findings: &mut Findings) -> Option<Span> {
    let parsed = match &node.value {
        Value::Text(text) => Span::parse(text),
        Value::Null | Value::Boolean(_) | Value::Number(_) | Value::List(_) | Value::Map(_) => None,
    };
    match parsed {
        Some(Span(0)) => findings.error(node.at, "a time of 0 leaves no time at all"),
        Some(span) => return Some(span),
        None => findings.error_with_help(
            node.at,
            format!("expected a time, found {}", node.value.kind()),
            "write it with its unit: `90s`, `30m`, `8h`, `1h30m`",
        ),
    }
    None
}

/// Returns the nodes of a list, or the one node that stands for a list of one.
pub(crate) fn one_or_more(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(nodes) => nodes,
        Value::Null | Value::Boolean(_) | Value::Number(_) | Value::Text(_) | Value::Map(_) => {
            std::slice::from_ref(node)
        }
    }
}

/// Reads a list.
pub(crate) fn list<'n>(node: &'n Node, what: &str, findings: &mut Findings) -> Option<&'n [Node]> {
    let Value::List(nodes) = &node.value else {
        expected(findings, node, &format!("a list of {what}"));
        return None;
    };
    Some(nodes)
}

/// Returns what is said about a word of a grammar that this version does not run yet.
pub(crate) fn not_supported_yet(word: &str) -> String {
    format!("`{word}` is not supported by this version of windlass yet")
}
