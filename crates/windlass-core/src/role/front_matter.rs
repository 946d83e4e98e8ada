//! The two parts of a role file.

use super::is_role_name;
use crate::markdown::front_matter::{self, Cut};
use crate::source::At;
use crate::source::diagnostic::Findings;

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
    if !front_matter::begins(source) {
        let text = source.strip_prefix('\u{feff}').unwrap_or(source);
        let first = text.split_inclusive('\n').next().unwrap_or_default();
        findings.error_with_help(
            At { len: first.trim_end().len(), ..At::START },
            "a role begins with front matter, and this file does not",
            "put `---`, `name: NAME`, `description: …` and `---` on lines of their own above the text",
        );
        return None;
    }
    let Cut { yaml, body, body_at } = front_matter::cut(source, findings)?;
    Some(Parts { yaml, body, body_at })
}
