//! Files that agents write and windlass reads as data: what is wrong with one, and where.
//!
//! [`story`](crate::story) and [`question`](crate::question) read theirs with the same YAML reader
//! as workflows, so lines, hostile aliases and depth are dealt with in one place.

use std::fmt;

use crate::source::diagnostic::Findings;
use crate::source::fields::Fields;
use crate::source::key::Mapping;
use crate::source::{At, Diagnostic, yaml};

/// The largest file of stories or of questions that is read.
pub const MAX_PAPER_BYTES: usize = 256 << 10;

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Mistake {
    pub(crate) fn new(line: u32, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { line, message: message.into(), help: Some(help.into()) }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)?;
        match &self.help {
            Some(help) => write!(f, ": {help}"),
            None => Ok(()),
        }
    }
}

impl From<Diagnostic> for Mistake {
    fn from(found: Diagnostic) -> Self {
        Self { line: found.line, message: found.message, help: found.help }
    }
}

/// Reads a file whose root is the mapping `table`; whatever `read` reports is returned in order.
pub(crate) fn read<T>(
    text: &str,
    table: &Mapping,
    read: impl FnOnce(&Fields<'_>, &mut Findings) -> Option<T>,
) -> Result<T, Vec<Mistake>> {
    let mut findings = Findings::new("");
    let value = root(text, table, &mut findings, read);
    match value {
        Some(value) if !findings.has_errors() => Ok(value),
        Some(_) | None => Err(findings.into_sorted().into_iter().map(Mistake::from).collect()),
    }
}

fn root<T>(
    text: &str,
    table: &Mapping,
    findings: &mut Findings,
    read: impl FnOnce(&Fields<'_>, &mut Findings) -> Option<T>,
) -> Option<T> {
    if text.len() > MAX_PAPER_BYTES {
        let message = format!("the file has {} bytes, more than {MAX_PAPER_BYTES}", text.len());
        findings.error_with_help(
            At::START,
            message,
            "say less, and name documents for the details",
        );
        return None;
    }
    let node = yaml::parse(text, findings)?;
    let fields = Fields::read(&node, table, findings)?;
    read(&fields, findings)
}
