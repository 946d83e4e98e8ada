//! What is wrong with a workflow file, and where.

use std::fmt;

use super::suggest::shown;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is wrong; it may be news to the author.
    Note,
    /// The workflow can run, but the author should know.
    Warning,
    /// The workflow cannot run.
    Error,
}

/// One finding in a workflow file.
///
/// `Display` gives `file:line:column: message`; the help stands apart so that a terminal and an
/// editor can each place it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The file, as its reader named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// Where the text that is meant begins, in bytes from the start of the file.
    pub offset: usize,
    /// How many bytes are meant.
    pub len: usize,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// Bytes from the start of the file.
    pub offset: usize,
    /// Length in bytes.
    pub len: usize,
}

impl At {
    /// The start of a file.
    pub(crate) const START: Self = Self { line: 1, column: 1, offset: 0, len: 0 };

    /// Returns the place of the byte at `offset` of `text`.
    pub(crate) fn of_offset(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: saturating(before.matches('\n').count() + 1),
            column: saturating(before[line_start..].chars().count() + 1),
            offset: before.len(),
            len: 0,
        }
    }
}

fn saturating(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A value together with the place it was written at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) at: At,
}

/// How many findings of each severity are kept: a reader fixes the first few, and a hostile file
/// costs no more. Warnings have a number of their own, so that they never crowd out an error.
const MAX_FINDINGS: usize = 50;

/// Gathers findings, so that one reading reports everything that is wrong.
#[derive(Debug)]
pub(crate) struct Findings {
    file: String,
    found: Vec<Diagnostic>,
}

impl Findings {
    pub(crate) fn new(file: &str) -> Self {
        Self { file: file.to_owned(), found: Vec::new() }
    }

    pub(crate) fn error(&mut self, at: At, message: impl Into<String>) {
        self.push(Severity::Error, at, message.into(), None);
    }

    pub(crate) fn error_with_help(
        &mut self,
        at: At,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Severity::Error, at, message.into(), Some(help.into()));
    }

    /// Reports an error whose help may be missing, such as a suggestion that was not found.
    pub(crate) fn error_with(&mut self, at: At, message: String, help: Option<String>) {
        self.push(Severity::Error, at, message, help);
    }

    pub(crate) fn warning(&mut self, at: At, message: impl Into<String>, help: impl Into<String>) {
        self.push(Severity::Warning, at, message.into(), Some(help.into()));
    }

    pub(crate) fn note(&mut self, at: At, message: impl Into<String>, help: impl Into<String>) {
        self.push(Severity::Note, at, message.into(), Some(help.into()));
    }

    /// Gives findings without a help this one.
    pub(crate) fn help_where_missing(&mut self, help: &str) {
        for finding in self.found.iter_mut().filter(|finding| finding.help.is_none()) {
            finding.help = Some(help.to_owned());
        }
    }

    /// Returns the text of a file; `None` after it was reported to be none.
    pub(crate) fn utf8<'s>(&mut self, source: &'s [u8]) -> Option<&'s str> {
        let error = match std::str::from_utf8(source) {
            Ok(text) => return Some(text),
            Err(error) => error,
        };
        let valid = String::from_utf8_lossy(&source[..error.valid_up_to()]);
        let at = At { len: error.error_len().unwrap_or(1), ..At::of_offset(&valid, valid.len()) };
        let message = format!("byte {} is not UTF-8", error.valid_up_to());
        self.error_with_help(at, message, "save the file as UTF-8");
        None
    }

    /// Takes over what was found elsewhere in the same file.
    pub(crate) fn append(&mut self, other: Self) {
        self.found.extend(other.found);
    }

    fn push(&mut self, severity: Severity, at: At, message: String, help: Option<String>) {
        if self.is_full(severity) {
            return;
        }
        let At { line, column, offset, len } = at;
        let file = self.file.clone();
        self.found.push(Diagnostic { severity, message, file, line, column, offset, len, help });
    }

    fn is_full(&self, severity: Severity) -> bool {
        let same = self.found.iter().filter(|finding| finding.severity == severity);
        same.count() >= MAX_FINDINGS
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.found.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Returns the findings in the order of the file.
    pub(crate) fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|finding| finding.offset);
        self.found
    }
}

/// Reports something that nothing is known by: `what` is its kind, such as ``unknown step``.
pub(crate) fn unknown_name<'k>(
    findings: &mut Findings,
    at: At,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'k str> + Clone,
) {
    // Looking for a suggestion costs time that nobody gets to see the result of.
    if findings.is_full(Severity::Error) {
        return;
    }
    let help = super::suggest::help(name, known);
    findings.error_with(at, format!("unknown {what} {}", shown(name)), help);
}
