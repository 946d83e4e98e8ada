//! A delta file: what is to change in a spec.

use std::collections::BTreeMap;

use serde::Serialize;

use super::document::{Mark, check_level, hidden, marks};
use super::front::{FrontMatterOf, read_front};
use super::names::check_names;
use super::notes::{Notes, removed_notes, without_previous};
use super::renames::{bulleted_names, renames};
use super::{Dialect, folded, requirement_name};
use crate::id::ContentHash;
use crate::markdown::{FrontMatter, Outline};
use crate::source::diagnostic::Findings;
use crate::source::suggest::shown;
use crate::source::{At, Diagnostic, Severity};

/// What happens to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum DeltaKind {
    /// It gets another name.
    Renamed,
    /// It goes.
    Removed,
    /// It gets another text.
    Modified,
    /// It is new.
    Added,
}

impl DeltaKind {
    const ALL: [Self; 4] = [Self::Added, Self::Modified, Self::Removed, Self::Renamed];

    /// Returns the word in capital letters.
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Removed => "REMOVED",
            Self::Renamed => "RENAMED",
        }
    }

    /// Returns the kind whose section has this title.
    pub(super) fn of_section(title: &str) -> Option<Self> {
        let title = folded(title);
        let is = |kind: &Self| title == format!("{} requirements", kind.word().to_lowercase());
        Self::ALL.into_iter().find(is)
    }
}

/// One block of a delta.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeltaBlock {
    /// What happens to it.
    pub kind: DeltaKind,
    /// Its name; of a renamed one the old name.
    pub name: String,
    /// The name that it gets.
    pub new_name: Option<String>,
    /// The whole new text with its heading, as it goes into the spec; empty where nothing does.
    pub text: String,
    /// What was written below the heading, without notes.
    pub content: String,
    /// What stood there before, as the author says.
    pub previous: Option<String>,
    /// Why it goes.
    pub reason: Option<String>,
    /// What those do who use it.
    pub migration: Option<String>,
    /// Its line, from 1.
    pub line: u32,
}

/// A delta.
#[derive(Clone, Debug)]
pub struct Delta {
    /// The file, as its reader named it.
    pub file: String,
    /// What its front matter says.
    pub front: FrontMatterOf,
    /// What is to change, in the order of the file.
    pub blocks: Vec<DeltaBlock>,
    /// The text below `## Purpose`, which begins a new OpenSpec capability.
    pub purpose: Option<String>,
    /// What the author should know although the delta can be used.
    pub warnings: Vec<Diagnostic>,
}

/// A block as programs read it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BlockView<'d> {
    r#type: DeltaKind,
    name: &'d str,
    content: &'d str,
    previous_content: Option<&'d str>,
    reason: Option<&'d str>,
    migration: Option<&'d str>,
    new_name: Option<&'d str>,
}

impl Serialize for DeltaBlock {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = BlockView {
            r#type: self.kind,
            name: &self.name,
            content: &self.content,
            previous_content: self.previous.as_deref(),
            reason: self.reason.as_deref(),
            migration: self.migration.as_deref(),
            new_name: self.new_name.as_deref(),
        };
        view.serialize(serializer)
    }
}

/// Returns a short hash by which a block is known again; line ends and white space around it do not count.
pub(super) fn fingerprint(text: &str) -> String {
    ContentHash::of(super::normal(text).as_bytes()).as_str()[..16].to_owned()
}

impl Delta {
    /// Reads a delta; `file` is what findings call it.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the file.
    pub fn parse(text: &str, file: &str, dialect: Dialect) -> Result<Self, Vec<Diagnostic>> {
        let mut findings = Findings::new(file);
        match read(text, file, dialect, &mut findings) {
            Some(delta) if !findings.has_errors() => {
                let mut delta = delta;
                delta.warnings.extend(findings.into_sorted());
                Ok(delta)
            }
            Some(_) | None => Err(errors(findings)),
        }
    }

    /// Returns what OpenSpec's own `archive` says about new text: no scenario with a body is a mistake, no SHALL or
    /// MUST a warning.
    pub fn openspec_findings(&self) -> Vec<Diagnostic> {
        let mut findings = Findings::new(&self.file);
        let new = [DeltaKind::Added, DeltaKind::Modified];
        for block in self.blocks.iter().filter(|block| new.contains(&block.kind)) {
            let parts = super::merge::parts(&block.text);
            let filled = |text: &str| text.lines().skip(1).any(|line| !line.trim().is_empty());
            if !parts.iter().any(|part| part.key.is_some() && filled(&part.text)) {
                let message = format!("the requirement {} has no scenario", shown(&block.name));
                let help = "write `#### Scenario: NAME` with WHEN and THEN below it";
                findings.error_with_help(block.at(), message, help);
            }
            if !is_normative(&parts[0].text) {
                let message =
                    format!("the requirement {} says neither SHALL nor MUST", shown(&block.name));
                let help =
                    "`openspec validate --strict` wants one of the two above the first scenario";
                findings.warning(block.at(), message, help);
            }
        }
        findings.into_sorted()
    }

    /// Returns the blocks of one kind.
    pub fn of(&self, kind: DeltaKind) -> impl Iterator<Item = &DeltaBlock> {
        self.blocks.iter().filter(move |block| block.kind == kind)
    }

    /// Returns the name that a block had before this delta renamed it.
    pub(super) fn old_name<'d>(&'d self, name: &'d str) -> &'d str {
        let renamed =
            self.of(DeltaKind::Renamed).find(|block| block.new_name.as_deref() == Some(name));
        renamed.map_or(name, |block| block.name.as_str())
    }

    /// Returns the fingerprints of the blocks of the base that this delta was written against.
    pub fn fingerprints(&self, base: &super::Spec<'_>) -> BTreeMap<String, String> {
        let of = |block: &DeltaBlock| {
            let name = self.old_name(&block.name);
            Some((name.to_owned(), fingerprint(base.block(name)?)))
        };
        self.blocks.iter().filter_map(of).collect()
    }

    /// Whether a spec is already as this delta says.
    pub fn holds_in(&self, spec: &super::Spec<'_>) -> bool {
        self.blocks.iter().all(|block| match block.kind {
            DeltaKind::Added | DeltaKind::Modified => {
                let there = spec.block(&block.name).map(super::normal);
                there.is_some_and(|there| there == super::normal(&block.text))
            }
            DeltaKind::Removed => spec.find(&block.name).is_none(),
            DeltaKind::Renamed => block.new_name.as_deref().is_some_and(|new| {
                spec.block(new).is_some() && (spec.block(&block.name).is_none())
            }),
        })
    }
}

fn read(text: &str, file: &str, dialect: Dialect, findings: &mut Findings) -> Option<Delta> {
    let front = FrontMatter::read(text, findings).ok()?;
    let body_at = front.as_ref().map_or(0, |front| front.body_at);
    let outline = match &front {
        Some(_) => Outline::from(text, body_at),
        None => Outline::of(text),
    };
    let marks = marks(text, &outline, dialect);
    for mark in &marks {
        check_level(mark, dialect, findings);
        check_section_level(mark, dialect, findings);
    }
    let front = match (front, dialect) {
        (Some(front), Dialect::Windlass) => read_front(&front, findings),
        (None, Dialect::Windlass) => {
            findings.error_with_help(
                At::START,
                "a delta begins with front matter, and this file does not",
                "`windlass delta create` writes one: `delta_id`, `req_id`, `title`, `created_at`, `status`",
            );
            FrontMatterOf::default()
        }
        (_, Dialect::OpenSpec) => FrontMatterOf::default(),
    };
    let mut reader = Reader { text, outline: &outline, dialect, blocks: Vec::new() };
    reader.sections(&marks, findings);
    let blocks = reader.blocks;
    check_names(&blocks, findings);
    let warnings = match dialect {
        Dialect::OpenSpec => hidden(text, &outline, &marks, file),
        Dialect::Windlass => Vec::new(),
    };
    let purpose = purpose(text, &outline, &marks);
    Some(Delta { file: file.to_owned(), front, blocks, purpose, warnings })
}

/// Returns the text of `## Purpose`, unless it is only code and comments or would hide what follows it.
fn purpose(text: &str, outline: &Outline, marks: &[Mark]) -> Option<String> {
    let at = marks.iter().position(|m| m.level == 2 && m.title.eq_ignore_ascii_case("purpose"))?;
    let end =
        marks[at + 1..].iter().find(|mark| mark.level == 2).map_or(text.len(), |next| next.start);
    let body = text[marks[at].end..end].trim();
    let prose = text[marks[at].end..end]
        .char_indices()
        .any(|(offset, c)| !c.is_whitespace() && !outline.is_opaque(marks[at].end + offset));
    let plain = marks[at + 1..].iter().all(|mark| mark.start >= end) && !body.contains("<!--");
    (prose && plain).then(|| body.replace("\r\n", "\n"))
}

fn check_section_level(mark: &Mark, dialect: Dialect, findings: &mut Findings) {
    if let (Some(kind), true) =
        (DeltaKind::of_section(&mark.title), dialect == Dialect::Windlass && mark.level != 2)
    {
        let message = format!("the section {} has a heading of level {}", kind.word(), mark.level);
        findings.error_with_help(
            mark.at(),
            message,
            format!("write `## {} Requirements`", kind.word()),
        );
    }
}

struct Reader<'r> {
    text: &'r str,
    outline: &'r Outline,
    dialect: Dialect,
    blocks: Vec<DeltaBlock>,
}

impl Reader<'_> {
    fn sections(&mut self, marks: &[Mark], findings: &mut Findings) {
        let mut section: Option<DeltaKind> = None;
        for (index, mark) in marks.iter().enumerate() {
            if mark.level <= 2 && (mark.level == 2 || self.dialect == Dialect::Windlass) {
                section = DeltaKind::of_section(&mark.title).filter(|_| mark.level == 2);
                if let Some(kind @ (DeltaKind::Renamed | DeltaKind::Removed)) = section {
                    let end = marks[index + 1..].iter().find(|next| next.level == 2);
                    let end = end.map_or(self.text.len(), |next| next.start);
                    self.listed(kind, mark.end, end, findings);
                }
                continue;
            }
            if mark.level != 3 {
                continue;
            }
            let Some(name) = requirement_name(&mark.title) else {
                self.other_heading(mark, section, findings);
                continue;
            };
            let ends = |next: &&Mark| match self.dialect {
                Dialect::Windlass => next.level <= 3,
                Dialect::OpenSpec => {
                    next.level == 2 || (next.level == 3 && requirement_name(&next.title).is_some())
                }
            };
            let end =
                marks[index + 1..].iter().find(ends).map_or(self.text.len(), |next| next.start);
            self.block(section, name, mark, end, findings);
        }
    }

    fn other_heading(&self, mark: &Mark, section: Option<DeltaKind>, findings: &mut Findings) {
        if section.is_none() {
            return;
        }
        let message = format!("{} is no heading of a requirement", shown(&mark.title));
        let help = "below ADDED, MODIFIED and REMOVED stand `### Requirement: NAME` alone";
        match self.dialect {
            Dialect::Windlass => findings.error_with_help(mark.at(), message, help),
            Dialect::OpenSpec => findings.warning(mark.at(), message, help),
        }
    }

    /// Reads what a section says in a list: renames, and names that are removed.
    fn listed(&mut self, kind: DeltaKind, start: usize, end: usize, findings: &mut Findings) {
        if kind == DeltaKind::Renamed {
            let pairs = renames(self.text, start..end, self.outline, self.dialect, findings);
            self.blocks.extend(pairs);
            return;
        }
        for (name, line) in bulleted_names(self.text, start..end, self.outline) {
            self.blocks.push(DeltaBlock::bare(DeltaKind::Removed, name, line));
        }
    }

    fn block(
        &mut self,
        section: Option<DeltaKind>,
        name: &str,
        mark: &Mark,
        end: usize,
        findings: &mut Findings,
    ) {
        let Some(kind) = section else {
            let message =
                format!("the requirement {} stands in no section of the delta", shown(name));
            let help = "put it below `## ADDED Requirements`, `## MODIFIED Requirements` or `## REMOVED Requirements`";
            return match self.dialect {
                Dialect::Windlass => findings.error_with_help(mark.at(), message, help),
                Dialect::OpenSpec => {
                    findings.warning(mark.at(), message + ", and is not applied", help)
                }
            };
        };
        if name.is_empty() {
            return findings.error_with_help(
                mark.at(),
                "this requirement has no name",
                "write `### Requirement: NAME`",
            );
        }
        let body = self.text[mark.end..end].trim_end();
        let heading = self.text[mark.start..mark.end].trim_end();
        let mut block = DeltaBlock::bare(kind, name.to_owned(), mark.line);
        match kind {
            DeltaKind::Renamed => {
                return findings.error_with_help(
                    mark.at(),
                    "RENAMED lists old and new names, and no text",
                    "write `- FROM: …` and `- TO: …`, and put new text below MODIFIED under the new name",
                );
            }
            DeltaKind::Removed => {
                let Notes { reason, migration } = removed_notes(body);
                block.content = body.trim().to_owned();
                (block.reason, block.migration) = (reason, migration);
            }
            DeltaKind::Added | DeltaKind::Modified => {
                let (body, previous) = match (kind, self.dialect) {
                    (DeltaKind::Modified, Dialect::Windlass) => {
                        without_previous(body, mark, findings)
                    }
                    _ => (body.to_owned(), None),
                };
                block.text = format!("{heading}\n{}", body.trim_end()).trim_end().to_owned();
                block.content = body.trim().to_owned();
                block.previous = previous;
                self.check_content(&block, mark, findings);
            }
        }
        self.blocks.push(block);
    }

    /// Says what readers of the spec will miss.
    fn check_content(&self, block: &DeltaBlock, mark: &Mark, findings: &mut Findings) {
        if super::merge::scenarios(&block.text).is_empty() {
            let message = format!("the requirement {} has no scenario", shown(&block.name));
            let help = "write `#### Scenario: NAME` with WHEN and THEN below it";
            findings.warning(mark.at(), message, help);
        }
    }
}

impl DeltaBlock {
    pub(super) fn bare(kind: DeltaKind, name: String, line: u32) -> Self {
        Self {
            kind,
            name,
            new_name: None,
            text: String::new(),
            content: String::new(),
            previous: None,
            reason: None,
            migration: None,
            line,
        }
    }

    pub(super) fn at(&self) -> At {
        At { line: self.line, column: 1, offset: 0, len: 0 }
    }
}

/// Returns the errors alone, in the order of the lines: what is only a warning can wait.
pub(super) fn errors(findings: Findings) -> Vec<Diagnostic> {
    let mut found = findings.into_sorted();
    found.retain(|finding| finding.severity == Severity::Error);
    found.sort_by_key(|finding| finding.line);
    found
}

/// Whether the text below a heading, code left out, has one of the two words.
fn is_normative(text: &str) -> bool {
    let outline = Outline::of(text);
    let body = text.find('\n').unwrap_or(text.len());
    text.match_indices("SHALL").chain(text.match_indices("MUST")).any(|(at, word)| {
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        at > body
            && !outline.is_opaque(at)
            && !text[..at].ends_with(letter)
            && !text[at + word.len()..].starts_with(letter)
    })
}
