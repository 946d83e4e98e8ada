//! Line coverage, from whichever of the common formats a tool wrote.
//!
//! Only records about single lines count. Sums and rates that a report states about itself are not
//! read: where they agree they add nothing, and where they do not the lines are right.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::percent::Percent;
use super::sources::{Foreign, SourceTree};
use super::unreadable::Unreadable;
use super::wording::{counted, one_line};
use super::xml::{Document, Part, decode};
use super::{cobertura, jacoco, lcov_records};

/// What the formats are called in a message.
pub(super) const WANTED: &str = "a coverage report (lcov, Cobertura or JaCoCo)";

/// A source file as a report names it, and which of its lines ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedFile {
    /// Which file.
    pub name: ReportedName,
    /// Its executable lines, and whether each ran.
    pub lines: BTreeMap<u32, bool>,
}

/// How a report says which file it means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReportedName {
    /// A path, absolute or relative to one of `roots`; without roots, to wherever the tool ran.
    Path {
        /// The path.
        path: String,
        /// Folders that the report says its paths begin at; the same for all files of a report.
        roots: Arc<[String]>,
    },
    /// A package and a file name: the path below a source folder that the report does not name.
    InPackage {
        /// The package, its parts separated by `/`; may be empty.
        package: String,
        /// The file.
        file: String,
    },
}

/// Reads a report in whichever format its content has.
///
/// # Errors
/// It is none of the formats, or not whole.
pub fn read_coverage(bytes: &[u8]) -> Result<Vec<ReportedFile>, Unreadable> {
    let text = decode(bytes)?;
    let begin = text.trim_start();
    if begin.is_empty() {
        return Err(Unreadable::Empty);
    }
    if !begin.starts_with('<') {
        return lcov_records::read(&text);
    }
    let mut document = Document::new(&text);
    let root = loop {
        match document.next()? {
            Part::Open(element) => break element.name().to_owned(),
            Part::Close | Part::Text(_) => {}
            Part::End => return Err(Unreadable::Empty),
        }
    };
    match root.as_str() {
        "coverage" => cobertura::read(document),
        "report" => jacoco::read(document),
        other => {
            Err(Unreadable::Other { wanted: WANTED, found: format!("<{}>", one_line(other, 40)) })
        }
    }
}

/// Gathers what one report says about its files; a file that is named twice is one file.
#[derive(Default)]
pub(super) struct Gathered {
    files: BTreeMap<ReportedName, BTreeMap<u32, bool>>,
}

impl Gathered {
    pub(super) fn line(&mut self, name: &ReportedName, line: u32, ran: bool) {
        let lines = match self.files.get_mut(name) {
            Some(lines) => lines,
            None => self.files.entry(name.clone()).or_default(),
        };
        *lines.entry(line).or_default() |= ran;
    }

    pub(super) fn finish(self) -> Vec<ReportedFile> {
        self.files.into_iter().map(|(name, lines)| ReportedFile { name, lines }).collect()
    }
}

/// Line coverage of one tree: all reports together, each line counted once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineCoverage {
    files: BTreeMap<String, BTreeMap<u32, bool>>,
}

impl LineCoverage {
    /// Adds a file of the report at `report`; a line that ran in any report ran.
    ///
    /// # Errors
    /// The file is not one of the tree.
    pub fn add(
        &mut self,
        report: &str,
        file: ReportedFile,
        tree: &SourceTree<'_>,
    ) -> Result<(), Foreign> {
        if file.lines.is_empty() {
            return Ok(());
        }
        let lines = self.files.entry(tree.find(report, &file.name)?).or_default();
        for (line, ran) in file.lines {
            *lines.entry(line).or_default() |= ran;
        }
        Ok(())
    }

    /// Leaves files out.
    pub fn retain(&mut self, counts: impl Fn(&str) -> bool) {
        self.files.retain(|path, _| counts(path));
    }

    /// How many lines could run.
    pub fn lines(&self) -> u64 {
        self.files.values().map(|lines| lines.len() as u64).sum()
    }

    /// How many of them ran.
    pub fn covered(&self) -> u64 {
        let ran = |lines: &BTreeMap<u32, bool>| lines.values().filter(|ran| **ran).count() as u64;
        self.files.values().map(ran).sum()
    }

    /// Whether enough lines ran; nothing is enough where there is no line.
    pub fn reaches(&self, min: Percent) -> bool {
        self.lines() > 0 && min.is_reached_by(self.covered(), self.lines())
    }

    /// The files with the most lines that did not run, most first.
    pub fn least_covered(&self, most: usize) -> Vec<(String, u64, u64)> {
        let mut files: Vec<(String, u64, u64)> = self
            .files
            .iter()
            .map(|(path, lines)| {
                let missed = lines.values().filter(|ran| !**ran).count() as u64;
                (path.clone(), missed, lines.len() as u64)
            })
            .filter(|(_, missed, _)| *missed > 0)
            .collect();
        files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        files.truncate(most);
        files
    }
}

impl std::fmt::Display for LineCoverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (covered, lines) = (self.covered(), self.lines());
        write!(
            f,
            "line coverage {} of {} in {}",
            Percent::of(covered, lines),
            counted(lines, "line"),
            counted(self.files.len() as u64, "file")
        )
    }
}

#[cfg(test)]
#[path = "coverage_tests.rs"]
mod tests;
