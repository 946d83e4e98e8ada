//! The YAML in front of a Markdown file.

use crate::source::At;
use crate::source::diagnostic::Findings;
use crate::source::yaml::{self, Node, Value};

/// The line that opens and closes front matter.
const FENCE: &str = "---";

/// A file, cut at the fences of its front matter.
pub(crate) struct Cut<'s> {
    /// The file up to the closing fence, with the opening one made a comment: the same text at the
    /// same place, so a finding's line and column are those of the file.
    pub(crate) yaml: String,
    /// Everything below the closing fence.
    pub(crate) body: &'s str,
    /// Where the body begins.
    pub(crate) body_at: usize,
}

/// Says whether a file begins with front matter, closed or not.
pub(crate) fn begins(source: &str) -> bool {
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    text.lines().next().is_some_and(|first| first.trim_end() == FENCE)
}

/// Returns where the document below front matter begins; none without front matter, or where it has no end.
pub(crate) fn end(source: &str) -> Option<usize> {
    if !begins(source) {
        return None;
    }
    cut(source, &mut Findings::new("")).map(|cut| cut.body_at)
}

/// Cuts a file whose first line is a fence; `None` after a missing end was reported.
pub(crate) fn cut<'s>(source: &'s str, findings: &mut Findings) -> Option<Cut<'s>> {
    let skipped = source.len() - source.strip_prefix('\u{feff}').unwrap_or(source).len();
    let mut lines = source[skipped..].split_inclusive('\n');
    let mut at = skipped + lines.next().unwrap_or_default().len();
    for line in lines {
        let next = at + line.len();
        if line.trim_end() == FENCE {
            let (head, rest) = source.split_at(at);
            let yaml = head.replacen(FENCE, "#--", 1);
            return Some(Cut { yaml, body: &rest[line.len()..], body_at: next });
        }
        at = next;
    }
    findings.error_with_help(
        At { len: FENCE.len(), ..At::START },
        "the front matter that begins here has no end",
        "put a line with `---` alone below the last key",
    );
    None
}

/// What the YAML in front of a document says.
#[derive(Clone, Debug)]
pub struct FrontMatter {
    /// Where the document below it begins.
    pub body_at: usize,
    entries: Vec<(String, Node)>,
}

impl FrontMatter {
    /// Reads the front matter of a document; `Ok(None)` where it has none, `Err` after findings.
    pub(crate) fn read(source: &str, findings: &mut Findings) -> Result<Option<Self>, ()> {
        if !begins(source) {
            return Ok(None);
        }
        let cut = cut(source, findings).ok_or(())?;
        let node = yaml::parse(&cut.yaml, findings).ok_or(())?;
        let pairs = match node.value {
            Value::Map(pairs) => pairs,
            // Nothing between the fences.
            Value::Null => Vec::new(),
            other @ (Value::Boolean(_) | Value::Number(_) | Value::Text(_) | Value::List(_)) => {
                let message =
                    format!("front matter is a list of `key: value`, not {}", other.kind());
                findings.error(node.at, message);
                return Err(());
            }
        };
        let mut entries = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            match key.value {
                Value::Text(name) => entries.push((name, value)),
                Value::Null
                | Value::Boolean(_)
                | Value::Number(_)
                | Value::List(_)
                | Value::Map(_) => {
                    findings.error(key.at, format!("a key is a word, not {}", key.value.kind()));
                    return Err(());
                }
            }
        }
        Ok(Some(Self { body_at: cut.body_at, entries }))
    }

    /// Returns the text of a key and its place; numbers and booleans as they are written. A list or a mapping
    /// is reported.
    pub(crate) fn text(&self, key: &str, findings: &mut Findings) -> Option<(String, At)> {
        let node = self.get(key)?;
        let text = match &node.value {
            Value::Text(text) | Value::Number(text) => text.trim().to_owned(),
            Value::Boolean(value) => value.to_string(),
            Value::Null => return None,
            other @ (Value::List(_) | Value::Map(_)) => {
                findings.error(node.at, format!("`{key}` is a text, not {}", other.kind()));
                return None;
            }
        };
        (!text.is_empty()).then_some((text, node.at))
    }

    /// Returns the keys, in the order of the file.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(key, _)| key.as_str())
    }

    fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> (Result<Option<FrontMatter>, ()>, Vec<String>) {
        let mut findings = Findings::new("PRD.md");
        let read = FrontMatter::read(source, &mut findings);
        (read, findings.into_sorted().iter().map(ToString::to_string).collect())
    }

    #[test]
    fn keys_are_read_with_their_place_below_a_byte_order_mark_and_with_crlf() {
        let source = "\u{feff}---\r\ntitle: \"A: b\"\r\nnumber: 010\r\n---\r\n# A\r\n";
        let (front, findings) = read(source);
        assert!(findings.is_empty(), "{findings:?}");
        let front = front.unwrap().unwrap();
        let mut findings = Findings::new("PRD.md");
        let (title, at) = front.text("title", &mut findings).unwrap();
        assert_eq!((title.as_str(), at.line), ("A: b", 2));
        assert_eq!(front.text("number", &mut findings).unwrap().0, "010");
        assert_eq!(front.text("other", &mut findings), None);
        assert_eq!(&source[front.body_at..], "# A\r\n");
        assert_eq!(front.keys().collect::<Vec<_>>(), ["title", "number"]);
    }

    #[test]
    fn a_document_without_front_matter_has_none() {
        for source in ["", "# A\n", "text\n---\n", " ---\n", "----\n"] {
            let (front, findings) = read(source);
            assert!(front.unwrap().is_none() && findings.is_empty(), "{source:?}");
        }
    }

    #[test]
    fn what_is_wrong_with_front_matter_has_its_line() {
        for (source, message) in [
            ("---\ntitle: x\n", "PRD.md:1:1: the front matter that begins here has no end"),
            ("---\na: 1\na: 2\n---\n", "PRD.md:3:1: the key `a` is given twice"),
            ("---\n- a\n---\n", "PRD.md:2:1: front matter is a list of `key: value`, not a list"),
            ("---\na: [\n---\n", "PRD.md:2:"),
            ("---\na: b: c\n---\n", "PRD.md:2:"),
        ] {
            let (front, findings) = read(source);
            assert!(front.is_err(), "{source:?}");
            assert!(findings[0].starts_with(message), "{source:?}: {findings:?}");
        }
    }
}
