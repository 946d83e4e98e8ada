//! The two parts of a role file.

use crate::workflow::At;
use crate::workflow::diagnostic::Findings;

/// The line that opens and closes front matter.
const FENCE: &str = "---";

/// A role file, cut at its fences.
pub(super) struct Parts<'s> {
    /// The file up to the closing fence, with the opening one made a comment: the same text at the
    /// same place, so a finding's line and column are those of the file.
    pub(super) yaml: String,
    /// Everything below the closing fence.
    pub(super) body: &'s str,
    /// Where the body begins.
    pub(super) body_at: usize,
}

/// Cuts a file; `None` after what is missing was reported.
pub(super) fn cut<'s>(source: &'s str, findings: &mut Findings) -> Option<Parts<'s>> {
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    let skipped = source.len() - text.len();
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != FENCE {
        findings.error_with_help(
            At { len: first.trim_end().len(), ..At::START },
            "a role begins with front matter, and this file does not",
            "put `---`, `name: NAME`, `description: …` and `---` on lines of their own above the text",
        );
        return None;
    }
    let mut at = skipped + first.len();
    for line in lines {
        let next = at + line.len();
        if line.trim_end() == FENCE {
            let (head, rest) = source.split_at(at);
            let yaml = head.replacen(FENCE, "#--", 1);
            return Some(Parts { yaml, body: &rest[line.len()..], body_at: next });
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
