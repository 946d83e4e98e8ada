//! YAML text as a tree of nodes that know their place.
//!
//! Typed deserialization stops at the first mistake and words it for programmers. Here serde only
//! builds a tree (the parser's budgets bound its size, depth and aliases), and the readers above
//! walk it and report everything at once. Numbers keep the text they were written with, so that
//! `010` can be refused instead of becoming 8 or 10.

use serde::Deserialize;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::{AliasLimits, DuplicateKeyPolicy, MergeKeyPolicy};
use serde_saphyr::{Error, MessageFormatter, Spanned, UserMessageFormatter};

use super::diagnostic::{At, Findings};
use super::suggest::shown;

/// A workflow file larger than this is refused before it is parsed.
///
/// The largest real workflows have some tens of KB; the bound keeps a mistaken file (a log, a
/// lock file) from costing time.
pub const MAX_SOURCE_BYTES: usize = 1 << 20;

/// Nodes after aliases are expanded; a MiB of YAML that people wrote has fewer.
const MAX_NODES: usize = 100_000;

/// Nested mappings and lists; the grammar itself needs about ten.
const MAX_DEPTH: usize = 48;

/// Nodes that all aliases together may repeat.
const MAX_ALIASED_NODES: usize = 10_000;

/// One node of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) at: At,
    pub(crate) value: Value,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Boolean(bool),
    /// A number, as it was written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

impl Value {
    /// Returns the node's kind in the words of a message.
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::Null => "nothing".to_owned(),
            Self::Boolean(value) => format!("the boolean `{value}`"),
            Self::Number(text) => format!("the number {}", shown(text)),
            Self::Text(text) => format!("the text {}", shown(text)),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "a mapping".to_owned(),
        }
    }
}

/// Parses one YAML document; `None` after an error was reported.
pub(crate) fn parse(source: &str, findings: &mut Findings) -> Option<Node> {
    if source.len() > MAX_SOURCE_BYTES {
        findings.error_with_help(
            At::START,
            format!("the file has {} bytes, more than {MAX_SOURCE_BYTES}", source.len()),
            "is this the workflow file?",
        );
        return None;
    }
    // A byte order mark is an editor's habit and no part of the document.
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    let skipped = source.len() - text.len();
    match serde_saphyr::from_str_with_options::<Spanned<Raw>>(text, options(MAX_ALIASED_NODES)) {
        Ok(raw) => Some(Reader { text, skipped }.node(raw)),
        Err(error) => {
            report(error.without_snippet(), skipped, findings);
            None
        }
    }
}

/// Parses a document that says everything where it stands: none for one with aliases, or with a byte order
/// mark, or that is no document.
pub(crate) fn parse_plain(text: &str) -> Option<Node> {
    if text.len() > MAX_SOURCE_BYTES || text.starts_with('\u{feff}') {
        return None;
    }
    let raw = serde_saphyr::from_str_with_options::<Spanned<Raw>>(text, options(0)).ok()?;
    Some(Reader { text, skipped: 0 }.node(raw))
}

fn options(aliased_nodes: usize) -> serde_saphyr::Options {
    let mut alias_limits = AliasLimits::default();
    alias_limits.max_total_replayed_events = aliased_nodes;
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_nodes: MAX_NODES,
            max_events: 4 * MAX_NODES,
            max_recorded_anchor_events: MAX_NODES,
        },
        alias_limits: alias_limits,
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        legacy_octal_numbers: false,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

/// Words the parser's error for somebody who wrote a file, not a parser.
fn report(error: &Error, skipped: usize, findings: &mut Findings) {
    if let Error::AliasError { error, locations, .. } = error {
        return report_at(
            error.without_snippet(),
            place(locations.reference_location, skipped),
            findings,
        );
    }
    let at = error.location().map_or(At::START, |location| place(location, skipped));
    report_at(error, at, findings);
}

fn report_at(error: &Error, at: At, findings: &mut Findings) {
    if let Error::DuplicateMappingKey { key, .. } = error {
        let key = key.as_deref().map_or_else(String::new, |key| format!(" {}", shown(key)));
        return findings.error_with_help(
            at,
            format!("the key{key} is given twice"),
            "keep one of the two",
        );
    }
    if matches!(error, Error::MultipleDocuments { .. }) {
        return findings.error_with_help(
            at,
            "a second YAML document begins here",
            "a file holds one document: remove the `---` line or move the rest to its own file",
        );
    }
    if matches!(error, Error::MergeKeyNotAllowed { .. }) {
        return findings.error_with_help(
            at,
            "merge keys (`<<`) are not supported",
            "write the keys out, or put them under `defaults`",
        );
    }
    if matches!(error, Error::RecursiveReferencesRequireWeakTypes { .. }) {
        return findings.error(at, "this alias refers to something that contains it");
    }
    if matches!(
        error,
        Error::AliasReplayLimitExceeded { .. }
            | Error::AliasExpansionLimitExceeded { .. }
            | Error::AliasReplayStackDepthExceeded { .. }
            | Error::AliasReplayCounterOverflow { .. }
    ) {
        return findings.error(at, "aliases make this file far larger than it looks");
    }
    let message = UserMessageFormatter.format_message(error);
    // The scanner meets brackets before the budget does, and has only text to say so.
    if matches!(error, Error::Budget { .. }) || message.contains("recursion limit") {
        let message = format!(
            "the file is too large or too deeply nested: at most {MAX_NODES} values, {MAX_DEPTH} levels"
        );
        return findings.error(at, message);
    }
    let message: String = message.chars().flat_map(char::escape_debug).take(300).collect();
    findings.error(at, format!("this is not valid YAML: {}", message.replace("\\'", "'")));
}

fn place(location: serde_saphyr::Location, skipped: usize) -> At {
    let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let bytes = |number: Option<u64>| number.and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    At {
        // An unknown location is all zeros.
        line: narrow(location.line()).max(1),
        column: narrow(location.column()).max(1),
        offset: bytes(location.span().byte_offset()) + skipped,
        len: bytes(location.span().byte_len()),
    }
}

/// The tree as serde sees it: scalars are resolved, and their text is gone.
enum Raw {
    Null,
    Boolean(bool),
    Number,
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Boolean(value))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Raw, E> {
        Ok(Raw::Number)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Raw, E> {
        Ok(Raw::Number)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Raw, E> {
        Ok(Raw::Number)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Raw, E> {
        Ok(Raw::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Raw, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            nodes.push(node);
        }
        Ok(Raw::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

/// Puts the places and the text of numbers back.
struct Reader<'s> {
    text: &'s str,
    skipped: usize,
}

impl Reader<'_> {
    fn node(&self, raw: Spanned<Raw>) -> Node {
        let value = match raw.value {
            Raw::Null => Value::Null,
            Raw::Boolean(value) => Value::Boolean(value),
            Raw::Number => Value::Number(self.written(place(raw.defined, 0))),
            Raw::Text(text) => Value::Text(text),
            Raw::List(nodes) => {
                Value::List(nodes.into_iter().map(|node| self.node(node)).collect())
            }
            Raw::Map(entries) => Value::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| (self.node(key), self.node(value)))
                    .collect(),
            ),
        };
        Node { at: self.trimmed(place(raw.referenced, self.skipped)), value }
    }

    fn written(&self, at: At) -> String {
        self.text.get(at.offset..at.offset + at.len).unwrap_or_default().trim().to_owned()
    }

    /// Block collections span everything below them: a finding is about their first line.
    fn trimmed(&self, at: At) -> At {
        let start = at.offset - self.skipped;
        let spanned = self.text.get(start..start + at.len).unwrap_or_default();
        let first_line = spanned.lines().next().unwrap_or_default();
        At { len: first_line.trim_end().len(), ..at }
    }
}
