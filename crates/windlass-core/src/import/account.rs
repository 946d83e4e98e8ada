//! What became of each line.

use serde::Serialize;

/// A legacy file as a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The text of the workflow.
    pub workflow: String,
    /// What became of each line that says something, in the order of the file.
    pub lines: Vec<Line>,
    /// Where in the workflow each line's part begins: a line of the workflow, a line of the file.
    pub(super) places: Vec<(u32, u32)>,
}

impl Import {
    /// Returns the line of the legacy file that a line of the workflow comes from.
    pub fn origin(&self, line: u32) -> u32 {
        origin(&self.places, line)
    }
}

pub(super) fn origin(places: &[(u32, u32)], line: u32) -> u32 {
    let before = places.iter().rev().find(|(begins, _)| *begins <= line);
    before.or_else(|| places.first()).map_or(1, |(_, origin)| *origin)
}

/// The account of one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The line in the legacy file, from 1.
    pub line: u32,
    /// What stands there.
    pub source: String,
    /// What became of it.
    pub became: Became,
    /// How, and what to know about it.
    pub remarks: Vec<Remark>,
}

/// What became of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Became {
    /// A step of this id.
    Step(String),
    /// A comment in the workflow: this version cannot run it.
    Comment,
    /// Nothing: it is no phase.
    Nothing,
}

/// Something to know about a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Of what kind.
    pub kind: RemarkKind,
    /// In words.
    pub text: String,
}

impl Remark {
    pub(super) fn new(kind: RemarkKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// Of what kind a remark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RemarkKind {
    /// What a part was mapped to.
    Mapped,
    /// Windlass asks for more than the legacy file did.
    Stricter,
    /// It is weaker than it looks.
    Weaker,
    /// It means something else than before, or needs a hand.
    Changed,
}

impl RemarkKind {
    /// Returns the word for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mapped => "mapped",
            Self::Stricter => "stricter",
            Self::Weaker => "weaker",
            Self::Changed => "changed",
        }
    }
}

/// Why a file cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The line in the legacy file, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    pub(super) fn new(line: u32, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { line, message: message.into(), help: Some(help.into()) }
    }
}
