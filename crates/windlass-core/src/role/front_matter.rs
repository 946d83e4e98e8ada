//! The two parts of a role file.

use super::is_role_name;
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

impl Parts<'_> {
    /// Returns the front matter with its description in quotes, and where that is.
    ///
    /// Claude Code writes descriptions as they come, with `: ` in them, and reads them back; as YAML
    /// they mean something else or nothing. Only one on a single line without quotes is meant here.
    pub(super) fn description_quoted(&self) -> Option<(String, At)> {
        const KEY: &str = "\ndescription: ";
        let start = self.yaml.find(KEY)? + KEY.len();
        let line = self.yaml[start..].lines().next()?;
        let text = line.trim();
        if text.starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '!']) {
            return None;
        }
        let (before, after) = (&self.yaml[..start], &self.yaml[start + line.len()..]);
        let quoted = format!("{before}'{}'{after}", text.replace('\'', "''"));
        Some((quoted, At { len: line.len(), ..At::of_offset(&self.yaml, start) }))
    }
}

/// Returns the name that a file gives itself, also where the file cannot be read as a whole.
pub(super) fn claimed_name(source: &str) -> Option<&str> {
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    let front = text.lines().skip(1).take_while(|line| line.trim_end() != FENCE);
    let mut names = front.filter_map(|line| line.strip_prefix("name:"));
    let name = names.next()?.trim().trim_matches(['"', '\'']);
    is_role_name(name).then_some(name)
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
