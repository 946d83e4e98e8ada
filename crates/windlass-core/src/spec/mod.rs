//! Specs made of requirement blocks, and deltas that change them.
//!
//! A *requirement block* is a `### Requirement:` section with its `#### Scenario:` parts. A spec is a document
//! with such blocks; a delta says which are added, modified, removed and renamed. In flow order:
//!
//! - `document` cuts a spec into blocks and the text between them, and joins it again: what nobody touched
//!   comes out byte for byte.
//! - `delta` reads a delta file; `front`, `renames`, `notes` and `names` are parts of it.
//! - `apply` changes a spec: RENAMED, REMOVED, MODIFIED, ADDED, in this order.
//! - `merge` is the three-way merge of one block, scenario by scenario, where a spec has changed since the delta was
//!   written. A conflict is told with all three sides; nothing is guessed.
//! - `overlap` compares two open deltas with each other.
//! - `rules` finds what can be said about requirements without a model.
//! - `file` writes a new delta file, and changes the status in one.
//!
//! Two dialects share all of it. [`Dialect::OpenSpec`] reads headings as OpenSpec's own commands do, so that the
//! same change means the same.

mod apply;
mod delta;
mod document;
mod file;
mod front;
mod merge;
mod names;
mod notes;
mod overlap;
mod renames;
mod rules;

pub use apply::{Applied, Base, Conflict, Refused};
pub use delta::{Delta, DeltaBlock, DeltaKind};
pub use document::{Spec, new_openspec};
pub use file::{new_delta, with_status};
pub use front::{DeltaStatus, FrontMatterOf};
pub use overlap::overlap;
pub use rules::{Dimension, RequirementRule, RuleFinding, requirement_findings};

/// Whose rules count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Windlass's own: any Markdown heading counts, a block ends at the next heading of its level or above, and
    /// what does not fit is refused.
    Windlass,
    /// OpenSpec's: headings with `#` in the first column, requirements in `## Requirements` alone, and a block
    /// ends at the next requirement or section.
    OpenSpec,
}

/// Returns the name of the requirement that a heading's title gives, if it is one.
fn requirement_name(title: &str) -> Option<&str> {
    labelled(title, "requirement:")
}

/// Returns what follows a label, in any case.
fn labelled<'t>(title: &'t str, label: &str) -> Option<&'t str> {
    let head = title.get(..label.len())?;
    head.eq_ignore_ascii_case(label).then(|| title[label.len()..].trim())
}

/// A name as it is compared: two that differ in case or white space only are one mistake, never two names.
fn folded(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// A text as it is compared: line ends and white space around it do not count.
fn normal(text: &str) -> String {
    text.replace("\r\n", "\n").trim().to_owned()
}

/// A text with the line ends of a document.
fn with_line_ends(text: &str, line_end: &str) -> String {
    let plain = text.replace("\r\n", "\n");
    if line_end == "\n" { plain } else { plain.replace('\n', line_end) }
}

#[cfg(test)]
mod openspec_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
