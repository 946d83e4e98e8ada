//! A spec, cut into requirement blocks and the text between them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Dialect, folded, labelled, requirement_name};
use crate::markdown::{Heading, HeadingForm, Outline, atx_title, front_matter};
use crate::source::diagnostic::Findings;
use crate::source::suggest::shown;
use crate::source::{At, Diagnostic};

/// A spec that can be changed and printed.
#[derive(Clone, Debug)]
pub struct Spec<'t> {
    pub(super) segments: Vec<Segment<'t>>,
    /// What was added, behind the segment `anchor`.
    pub(super) added: Vec<Segment<'t>>,
    /// The last block of the requirements, or what new ones come behind.
    anchor: Option<usize>,
    /// Where the block of a folded name is.
    pub(super) names: BTreeMap<String, Slot>,
    pub(super) line_end: &'static str,
    /// Headings that OpenSpec's commands take for requirements, although they stand in HTML.
    pub warnings: Vec<Diagnostic>,
}

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Original(usize),
    Added(usize),
}

/// A block, or text between blocks.
#[derive(Clone, Debug)]
pub(super) struct Segment<'t> {
    /// The text up to its last letter.
    pub(super) core: Cow<'t, str>,
    /// The white space behind it.
    pub(super) tail: &'t str,
    /// The name, where it is a block.
    pub(super) name: Option<String>,
    pub(super) line: u32,
    pub(super) removed: bool,
}

/// A heading that counts in a dialect.
pub(super) struct Mark {
    pub(super) level: u8,
    pub(super) title: String,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) line: u32,
}

impl Mark {
    pub(super) fn at(&self) -> At {
        At { line: self.line, column: 1, offset: self.start, len: self.end - self.start }
    }
}

/// Returns the headings that count in a dialect.
pub(super) fn marks(text: &str, outline: &Outline, dialect: Dialect) -> Vec<Mark> {
    let counts = |heading: &&Heading| match dialect {
        Dialect::Windlass => true,
        Dialect::OpenSpec => {
            heading.form == HeadingForm::Atx && text[heading.range.start..].starts_with('#')
        }
    };
    let mut marks: Vec<Mark> = outline
        .headings
        .iter()
        .filter(counts)
        .map(|heading| Mark {
            level: heading.level,
            title: heading.title.clone(),
            start: heading.range.start,
            end: heading.range.end,
            line: heading.line,
        })
        .collect();
    if dialect == Dialect::OpenSpec {
        marks.extend(glued(text, outline));
        marks.sort_by_key(|mark| mark.start);
    }
    marks
}

/// Finds `###Requirement: X`, which is no heading in Markdown and one for OpenSpec.
fn glued(text: &str, outline: &Outline) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let title = line.strip_prefix("###").and_then(requirement_name);
        if title.is_some() && !outline.is_opaque(start) {
            let title = atx_title(line);
            let line = outline.line_of(start);
            found.push(Mark { level: 3, title, start, end, line });
        }
        start = end;
    }
    found
}

impl<'t> Spec<'t> {
    /// Cuts a spec into its parts.
    ///
    /// # Errors
    /// Two blocks have one name, or a heading has the wrong level; each with its line.
    pub fn parse(text: &'t str, file: &str, dialect: Dialect) -> Result<Self, Vec<Diagnostic>> {
        let mut findings = Findings::new(file);
        // The lines of front matter look like headings to Markdown; OpenSpec knows none.
        let below = front_matter::end(text).filter(|_| dialect == Dialect::Windlass);
        let outline = below.map_or_else(|| Outline::of(text), |at| Outline::from(text, at));
        let marks = marks(text, &outline, dialect);
        let mut spec = Self {
            segments: Vec::with_capacity(marks.len() + 1),
            added: Vec::new(),
            anchor: None,
            names: BTreeMap::new(),
            line_end: line_end(text),
            warnings: Vec::new(),
        };
        for mark in &marks {
            check_level(mark, dialect, &mut findings);
        }
        let starts: Vec<&Mark> =
            marks.iter().filter(|mark| begins_segment(mark, dialect)).collect();
        spec.push(text, 0, starts.first().map_or(text.len(), |mark| mark.start), None, 1);
        let (mut in_requirements, mut section) = (false, None);
        for (index, mark) in starts.iter().enumerate() {
            let end = starts.get(index + 1).map_or(text.len(), |next| next.start);
            if mark.level <= 2 {
                in_requirements =
                    mark.level == 2 && mark.title.eq_ignore_ascii_case("requirements");
            }
            let name = match mark.level {
                3 => requirement_name(&mark.title),
                _ => None,
            };
            let at = spec.push(text, mark.start, end, name.map(str::to_owned), mark.line);
            if let Some(name) = name {
                spec.name_block(name, at, mark, &mut findings);
                if dialect == Dialect::OpenSpec && !in_requirements {
                    findings.error_with_help(
                        mark.at(),
                        format!(
                            "the requirement {} stands outside of `## Requirements`",
                            shown(name)
                        ),
                        "move it there: OpenSpec does not see it where it is",
                    );
                }
            }
            if in_requirements && (name.is_some() || section.is_none()) {
                section = Some(at);
            }
        }
        spec.anchor = section.or_else(|| spec.segments.iter().rposition(|s| s.name.is_some()));
        if dialect == Dialect::OpenSpec {
            spec.warnings = hidden(text, &outline, &marks, file);
            check_delta_headings(&marks, &mut findings);
        }
        if findings.has_errors() { Err(findings.into_sorted()) } else { Ok(spec) }
    }

    fn push(
        &mut self,
        text: &'t str,
        start: usize,
        end: usize,
        name: Option<String>,
        line: u32,
    ) -> usize {
        let whole = &text[start..end];
        let core = whole.trim_end();
        let tail = &whole[core.len()..];
        self.segments.push(Segment { core: Cow::Borrowed(core), tail, name, line, removed: false });
        self.segments.len() - 1
    }

    fn name_block(&mut self, name: &str, at: usize, mark: &Mark, findings: &mut Findings) {
        if name.is_empty() {
            findings.error_with_help(
                mark.at(),
                "this requirement has no name",
                "write `### Requirement: NAME`",
            );
            return;
        }
        if let Some(Slot::Original(first)) = self.names.insert(folded(name), Slot::Original(at)) {
            let message = format!("there is a second requirement {}", shown(name));
            let other = &self.segments[first];
            let help = format!(
                "{} is in line {}; names that differ in case or white space only count as one",
                shown(other.name.as_deref().unwrap_or_default()),
                other.line
            );
            findings.error_with_help(mark.at(), message, help);
        }
    }

    pub(super) fn segment(&self, slot: Slot) -> &Segment<'t> {
        match slot {
            Slot::Original(at) => &self.segments[at],
            Slot::Added(at) => &self.added[at],
        }
    }

    pub(super) fn segment_mut(&mut self, slot: Slot) -> &mut Segment<'t> {
        match slot {
            Slot::Original(at) => &mut self.segments[at],
            Slot::Added(at) => &mut self.added[at],
        }
    }

    /// Returns the block of a name that differs in case or white space at most, and how it is really called.
    pub(super) fn find(&self, name: &str) -> Option<(Slot, &str)> {
        let slot = *self.names.get(&folded(name))?;
        Some((slot, self.segment(slot).name.as_deref().unwrap_or_default()))
    }

    /// Returns the text of a block, without the white space behind it.
    pub fn block(&self, name: &str) -> Option<&str> {
        let (slot, called) = self.find(name)?;
        (called == name).then(|| self.segment(slot).core.as_ref())
    }

    /// Returns the names of the blocks, in the order of the spec.
    pub fn names(&self) -> Vec<&str> {
        let live = |segment: &'_ &Segment<'t>| !segment.removed;
        let until = self.anchor.map_or(self.segments.len(), |anchor| anchor + 1);
        let (before, after) = self.segments.split_at(until);
        let all = before.iter().chain(&self.added).chain(after);
        all.filter(live).filter_map(|segment| segment.name.as_deref()).collect()
    }

    /// Adds a block behind the last one.
    pub(super) fn add(&mut self, name: &str, core: String) {
        let segment = Segment {
            core: Cow::Owned(core),
            tail: "",
            name: Some(name.to_owned()),
            line: 0,
            removed: false,
        };
        self.names.insert(folded(name), Slot::Added(self.added.len()));
        self.added.push(segment);
    }

    /// Returns the spec as text. What was not touched is as it was.
    pub fn print(&self) -> String {
        let mut text = String::new();
        let blank = self.line_end.repeat(2);
        let mut seam = "";
        let until = self.anchor.map_or(self.segments.len(), |anchor| anchor + 1);
        let write = |segments: &[Segment<'t>], seam: &mut &'t str, text: &mut String| {
            for segment in segments {
                // Of a block that was removed, what stood behind it stays in front of the next one.
                if segment.removed {
                    *seam = segment.tail;
                    continue;
                }
                text.push_str(seam);
                text.push_str(&segment.core);
                *seam = segment.tail;
            }
        };
        write(&self.segments[..until], &mut seam, &mut text);
        let mut heading = self.anchor.is_none().then(|| "## Requirements".to_owned());
        for segment in self.added.iter().filter(|segment| !segment.removed) {
            for core in heading.take().iter().map(String::as_str).chain([segment.core.as_ref()]) {
                if !text.trim_start_matches('\u{feff}').is_empty() {
                    text.push_str(&blank);
                }
                text.push_str(core);
            }
            if seam.is_empty() && self.anchor.is_none() {
                seam = self.line_end;
            }
        }
        write(&self.segments[until..], &mut seam, &mut text);
        text.push_str(seam);
        text
    }
}

/// Whether a heading begins a part of its own.
fn begins_segment(mark: &Mark, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Windlass => mark.level <= 3,
        Dialect::OpenSpec => {
            mark.level == 2 || (mark.level == 3 && requirement_name(&mark.title).is_some())
        }
    }
}

/// Reports requirements and scenarios whose heading has another level than theirs.
pub(super) fn check_level(mark: &Mark, dialect: Dialect, findings: &mut Findings) {
    if dialect == Dialect::OpenSpec {
        return;
    }
    for (label, what, level) in [("requirement:", "Requirement", 3), ("scenario:", "Scenario", 4)] {
        if labelled(&mark.title, label).is_some() && mark.level != level {
            let message =
                format!("the heading of a {} has level {}", what.to_lowercase(), mark.level);
            let help = format!("write `{} {what}: …`", "#".repeat(level.into()));
            findings.error_with_help(mark.at(), message, help);
        }
    }
}

fn check_delta_headings(marks: &[Mark], findings: &mut Findings) {
    for mark in marks.iter().filter(|mark| mark.level == 2) {
        let kind = super::DeltaKind::of_section(&mark.title);
        if kind.is_some() {
            findings.error_with_help(
                mark.at(),
                format!("a spec has no section {}", shown(&mark.title)),
                "sections of changes belong into `openspec/changes/<name>/specs/`",
            );
        }
    }
}

/// Finds what OpenSpec's commands take for a requirement and Markdown does not: it stands in HTML.
pub(super) fn hidden(text: &str, outline: &Outline, marks: &[Mark], file: &str) -> Vec<Diagnostic> {
    let mut findings = Findings::new(file);
    for range in &outline.opaque {
        let is_code =
            outline.fences.binary_search_by_key(&range.start, |fence| fence.range.start).is_ok();
        let mut start = range.start;
        for line in text[range.clone()].split_inclusive('\n') {
            let title = line.strip_prefix("###").map(str::trim_start).and_then(requirement_name);
            if title.is_some() && !is_code && !marks.iter().any(|mark| mark.start == start) {
                let at = At {
                    line: outline.line_of(start),
                    column: 1,
                    offset: start,
                    len: line.trim_end().len(),
                };
                findings.warning(
                    at,
                    "this requirement stands in a comment or in HTML, and is read as text",
                    "OpenSpec's own commands take it for a requirement: take it out",
                );
            }
            start += line.len();
        }
    }
    findings.into_sorted()
}

fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        Some(_) | None => "\n",
    }
}

/// Returns the spec that OpenSpec begins a new capability with.
pub fn new_openspec(capability: &str, change: &str, purpose: Option<&str>) -> String {
    let placeholder =
        format!("TBD - created by archiving change {change}. Update Purpose after archive.");
    let purpose = purpose.map(str::trim).filter(|purpose| !purpose.is_empty());
    let purpose = purpose.unwrap_or(&placeholder);
    format!("# {capability} Specification\n\n## Purpose\n{purpose}\n\n## Requirements\n")
}
