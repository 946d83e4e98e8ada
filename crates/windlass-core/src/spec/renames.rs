//! Lists in a delta: `FROM` and `TO`, and names that are removed.

use std::ops::Range;

use super::delta::{DeltaBlock, DeltaKind};
use super::{Dialect, requirement_name};
use crate::markdown::Outline;
use crate::source::At;
use crate::source::diagnostic::Findings;
use crate::source::suggest::shown;

/// Reads pairs of `FROM: name` and `TO: name`; a line that has no partner is reported.
pub(super) fn renames(
    text: &str,
    range: Range<usize>,
    outline: &Outline,
    dialect: Dialect,
    findings: &mut Findings,
) -> Vec<DeltaBlock> {
    let mut pairs = Vec::new();
    let mut open: Option<(String, At)> = None;
    let alone = |word: &str, name: &str, at: At, findings: &mut Findings| {
        let message = format!("{word}: {} has no partner", shown(name));
        let help =
            "write each rename as a `- FROM: …` line with its `- TO: …` line right behind it";
        findings.error_with_help(at, message, help);
    };
    for (line, at) in lines(text, range, outline) {
        let entry = bullet(line).unwrap_or(line.trim());
        let (word, rest) = match (entry.strip_prefix("FROM:"), entry.strip_prefix("TO:")) {
            (Some(rest), _) => ("FROM", rest),
            (_, Some(rest)) => ("TO", rest),
            (None, None) => continue,
        };
        let Some(name) = name(rest, dialect) else {
            let message = format!("{word}: names no requirement");
            findings.error_with_help(at, message, "write `### Requirement: NAME` behind it");
            continue;
        };
        match (word, open.take()) {
            ("FROM", before) => {
                if let Some((name, at)) = before {
                    alone("FROM", &name, at, findings);
                }
                open = Some((name, at));
            }
            (_, Some((from, at))) => {
                let block = DeltaBlock::bare(DeltaKind::Renamed, from, at.line);
                pairs.push(DeltaBlock { new_name: Some(name), ..block });
            }
            (_, None) => alone("TO", &name, at, findings),
        }
    }
    if let Some((name, at)) = open {
        alone("FROM", &name, at, findings);
    }
    pairs
}

/// Returns the names of a list of headings: ``- `### Requirement: X` ``.
pub(super) fn bulleted_names(
    text: &str,
    range: Range<usize>,
    outline: &Outline,
) -> Vec<(String, u32)> {
    let named = |(line, at): (&str, At)| {
        let entry = bullet(line)?.trim_matches('`');
        let title = entry.strip_prefix("###")?.trim_start();
        Some((without_marks(requirement_name(title)?), at.line))
    };
    lines(text, range, outline).filter_map(named).collect()
}

fn lines<'t>(
    text: &'t str,
    range: Range<usize>,
    outline: &'t Outline,
) -> impl Iterator<Item = (&'t str, At)> {
    let mut start = range.start;
    text[range].split_inclusive('\n').filter_map(move |line| {
        let (at, written) = (start, line.trim_end());
        start += line.len();
        let place = At { line: outline.line_of(at), column: 1, offset: at, len: written.len() };
        (!outline.is_opaque(at)).then_some((written, place))
    })
}

fn bullet(line: &str) -> Option<&str> {
    Some(line.trim().strip_prefix(['-', '*', '+'])?.trim())
}

/// Reads a name behind FROM or TO: a heading, in backticks or not; in windlass's own deltas also the name alone.
fn name(written: &str, dialect: Dialect) -> Option<String> {
    let written = written.trim().trim_matches('`').trim();
    let heading = written.strip_prefix("###").map(str::trim_start).and_then(requirement_name);
    let name = match (heading, dialect) {
        (Some(name), _) => name,
        (None, Dialect::Windlass) if !written.starts_with('#') => {
            requirement_name(written).unwrap_or(written)
        }
        (None, _) => return None,
    };
    (!name.is_empty()).then(|| without_marks(name))
}

/// A heading may end in a run of `#`, which is no part of its words.
fn without_marks(name: &str) -> String {
    let name = name.trim_matches('`').trim();
    let open = name.trim_end_matches('#');
    let closed = open.len() < name.len() && open.ends_with([' ', '\t']);
    if closed { open.trim_end().to_owned() } else { name.to_owned() }
}
