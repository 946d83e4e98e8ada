//! Checks that judge by what a command reports: `junit` and `coverage`.
//!
//! A report counts only when the command wrote it in this verification, so everything that could be
//! taken for one is removed from the clean tree first: committed reports, reports in caches, links.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use windlass_core::measure::{
    Foreign, LineCoverage, Percent, ReportedFile, ReportedName, SourceTree, TestCounts, TestResult,
    TestResults, read_coverage, read_junit_results,
};
use windlass_core::plan::CheckKind;
use windlass_core::proof::Outcome;
use windlass_core::run::BaseRecord;

use super::changes::set;
use super::commands::{CommandRequest, Ran};
use super::report_files;
use super::seen::Seen;
use super::verifier::{Broken, Looking, few};
use crate::fault;
use crate::room::Room;
use crate::room::layers::Layers;

/// How much is read of all test reports of a check together.
pub(super) const MAX_TEST_BYTES: u64 = 1 << 30;

/// The same of coverage reports, whose lines are kept in memory until all are read.
const MAX_COVERAGE_BYTES: u64 = 256 << 20;

/// How many source files are named that have lines which did not run.
const MAX_LISTED_SOURCES: usize = 10;

/// What a check wants of the reports.
pub(super) enum Wanted<'c> {
    /// Tests that failed before the run are `known`: they may go on failing.
    Tests {
        glob: &'c str,
        min: u64,
        failures: u64,
        known: &'c [String],
    },
    Coverage {
        glob: &'c str,
        min: Percent,
        without: &'c [String],
    },
}

/// What the reports say.
struct Measured {
    /// Whether there were reports that could be read.
    read: bool,
    holds: bool,
    /// In one line, after the name of the check.
    summary: String,
    /// Whether the reports explain that the command did not exit with 0.
    explains_exit: bool,
    /// Line by line, for the evidence.
    account: String,
}

impl<'c> Wanted<'c> {
    /// Returns what a check wants; none when it is not about reports.
    pub(super) fn of(check: &'c CheckKind, before: Option<&'c BaseRecord>) -> Option<Self> {
        match check {
            CheckKind::Junit { glob, min, failures, command, folder, .. } => {
                let known =
                    before.map_or(&[][..], |record| record.failing(command, folder.as_deref()));
                Some(Self::Tests { glob, min: *min, failures: *failures, known })
            }
            CheckKind::Coverage { glob, min, without, .. } => {
                Some(Self::Coverage { glob, min: *min, without })
            }
            CheckKind::File { .. }
            | CheckKind::Run { .. }
            | CheckKind::Red(_)
            | CheckKind::Green(_)
            | CheckKind::Diff { .. }
            | CheckKind::Checklist { .. }
            | CheckKind::State { .. }
            | CheckKind::Verdict { .. }
            | CheckKind::Stories { .. }
            | CheckKind::Questions { .. }
            | CheckKind::VerdictIn { .. } => None,
        }
    }

    /// What a pass depends on besides the command. The first part changes whenever a pass under
    /// older rules may no longer be trusted.
    pub(super) fn pass_key(&self) -> [Vec<u8>; 4] {
        let key = |kind: &str, glob: &str, min: String, failures: u64| {
            [kind, glob, &min, &failures.to_string()].map(|part| part.as_bytes().to_vec())
        };
        match self {
            Self::Tests { glob, min, failures, known: [] } => {
                key("junit pass 1", glob, min.to_string(), *failures)
            }
            Self::Tests { glob, min, failures, known } => {
                let min = format!("{min} and known {}", known.join("\n"));
                key("junit pass 1", glob, min, *failures)
            }
            Self::Coverage { glob, min, without } => {
                let min = format!("{min} without {}", without.join("\n"));
                key("coverage pass 2", glob, min, 0)
            }
        }
    }

    fn glob(&self) -> &'c str {
        match self {
            Self::Tests { glob, .. } | Self::Coverage { glob, .. } => glob,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Tests { .. } => "junit",
            Self::Coverage { .. } => "coverage",
        }
    }
}

impl Looking<'_> {
    /// Runs the command in a tree without reports, and looks at those that it wrote.
    pub(super) fn reports(
        &self,
        room: &Room,
        wanted: &Wanted<'_>,
        request: &CommandRequest<'_>,
    ) -> Result<Seen, Broken> {
        let (name, glob) = (wanted.name(), wanted.glob());
        let removed = match without_reports(room, name, glob) {
            Ok(removed) => removed,
            Err(seen) => return Ok(seen),
        };
        let (report, output) = self.verifier.run_only(room, request, self.cancel)?;
        // What a command was writing when it was ended is half of something.
        let measured = match &report.outcome {
            Outcome::Exited { .. } => measure(room, wanted, request.folder),
            _ => Measured::nothing("its reports were not looked at".to_owned()),
        };
        let succeeded = report.outcome == Outcome::Exited { code: 0 };
        let holds = measured.holds && (succeeded || measured.explains_exit);
        let mut account = measured.account;
        if !holds && !removed.is_empty() {
            // A glob that is too wide takes away what the command needs.
            let _ = writeln!(account, "removed before the command ran: {}", few(&removed));
        }
        let (evidence, excerpt) = self.verifier.keep(&output, &account)?;
        fault::point("evidence-kept");
        let ran = Ran { report, evidence, excerpt };
        let mut summary = format!("{} `{}`: {}", wanted.name(), wanted.glob(), measured.summary);
        if !succeeded {
            let _ = write!(summary, "; `{}` {}", request.command, ran.words(request.timeout));
        }
        let seen = Seen::from_command(holds, summary, ran);
        Ok(if measured.read { seen } else { seen.without_answer() })
    }
}

/// Takes away what could be taken for a report; returns what that was, or why it cannot be.
pub(super) fn without_reports(room: &Room, name: &str, glob: &str) -> Result<Vec<String>, Seen> {
    report_files::remove(room, glob).map_err(|error| {
        Seen::unanswered(format!("{name} `{glob}`: old reports cannot be removed: {error}"))
    })
}

impl Measured {
    fn nothing(summary: String) -> Self {
        Self { read: false, holds: false, summary, explains_exit: false, account: String::new() }
    }
}

/// Looks at the reports that were written in a room.
fn measure(room: &Room, wanted: &Wanted<'_>, folder: Option<&str>) -> Measured {
    let root = room.written();
    let found = match report_files::find(root, wanted.glob()) {
        Ok(found) => found,
        Err(error) => return Measured::nothing(format!("the reports cannot be found: {error}")),
    };
    if found.files.is_empty() {
        return Measured::nothing(match found.others.first() {
            None => "the command wrote no report".to_owned(),
            Some(path) => format!("the command wrote no report: `{path}` is not a plain file"),
        });
    }
    let measured = match wanted {
        Wanted::Tests { min, failures, known, .. } => {
            tests(root, &found.files, *min, *failures, known)
        }
        Wanted::Coverage { min, without, .. } => {
            coverage(room, &found.files, folder.unwrap_or_default(), *min, without)
        }
    };
    measured.unwrap_or_else(Measured::nothing)
}

/// Reads report after report; the first that cannot be read ends it.
pub(super) fn each(
    root: &Path,
    paths: &[String],
    most: u64,
    mut take: impl FnMut(&str, &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let mut read = 0;
    for path in paths {
        let bytes = report_files::read(root, path)?;
        read += bytes.len() as u64;
        if read > most {
            return Err(format!("the reports hold more than {} MiB together", most >> 20));
        }
        take(path, &bytes)?;
    }
    Ok(())
}

fn tests(
    root: &Path,
    paths: &[String],
    min: u64,
    most: u64,
    known: &[String],
) -> Result<Measured, String> {
    let (mut counts, mut results) = (TestCounts::default(), TestResults::new());
    each(root, paths, MAX_TEST_BYTES, |path, bytes| {
        let read = read_junit_results(bytes, &mut results);
        counts.add(read.map_err(|why| format!("`{path}` {why}"))?);
        Ok(())
    })?;
    let new = new_failures(&counts, &results, known);
    let mut summary = counts.to_string();
    if new < counts.failed {
        let _ = write!(summary, ", {} of them before the run already", counts.failed - new);
    }
    if counts.ran < min {
        let _ = write!(summary, "; at least {min} must run");
    }
    if new > most {
        let _ = write!(summary, "; at most {most} may fail");
    }
    // Where only new failures count, errors that keep a suite from starting would be no failure at all.
    let none_passed = !known.is_empty() && counts.ran > 0 && counts.failed >= counts.ran;
    if none_passed {
        summary.push_str("; not one test passed, so nothing shows that the suite still works");
    }
    let account = format!("{}: {counts}\n{}", files_in_words(paths), counts.failures_in_words());
    Ok(Measured {
        read: true,
        holds: counts.ran >= min && new <= most && !none_passed,
        // Runners exit with something else than 0 when a test fails, which is allowed here. Without
        // a failed test something else went wrong.
        explains_exit: counts.failed > 0,
        summary,
        account,
    })
}

/// How many tests fail that did not before the run. Of several tests with one name, all are new if
/// that name is.
fn new_failures(counts: &TestCounts, results: &TestResults, known: &[String]) -> u64 {
    let failed = results.iter().filter(|(_, result)| **result == TestResult::Failed);
    let new = failed.filter(|(name, _)| !known.contains(name)).count() as u64;
    if known.is_empty() || new > 0 { counts.failed } else { 0 }
}

/// Says how many lines ran by the reports that were written in a room; none where there are none that can
/// be read.
pub(super) fn covered(
    room: &Room,
    glob: &str,
    folder: Option<&str>,
    without: &[String],
) -> Option<String> {
    let found = report_files::find(room.written(), glob).ok()?;
    let read = lines(room, &found.files, folder.unwrap_or_default(), without);
    read.ok().map(|coverage| coverage.to_string())
}

fn coverage(
    room: &Room,
    paths: &[String],
    folder: &str,
    min: Percent,
    without: &[String],
) -> Result<Measured, String> {
    let coverage = lines(room, paths, folder, without)?;
    let mut account = format!("{}: {coverage} (min {min})\n", files_in_words(paths));
    for (path, missed, lines) in coverage.least_covered(MAX_LISTED_SOURCES) {
        let _ = writeln!(account, "{path}: {missed} of {lines} lines did not run");
    }
    Ok(Measured {
        read: true,
        holds: coverage.reaches(min),
        summary: format!("{coverage} (min {min})"),
        explains_exit: false,
        account,
    })
}

/// Reads which lines of the tree ran.
fn lines(
    room: &Room,
    paths: &[String],
    folder: &str,
    without: &[String],
) -> Result<LineCoverage, String> {
    let mut reported: Vec<(String, ReportedFile)> = Vec::new();
    each(room.written(), paths, MAX_COVERAGE_BYTES, |path, bytes| {
        let files = read_coverage(bytes).map_err(|why| format!("`{path}` {why}"))?;
        reported.extend(files.into_iter().map(|file| (path.to_owned(), file)));
        Ok(())
    })?;
    let mut coverage = in_tree(&room.layers(), folder, reported)
        .map_err(|(report, foreign)| format!("`{report}` is about another tree: {foreign}"))?;
    let left_out = set(without);
    coverage.retain(|path| !left_out.is_match(path));
    if coverage.lines() == 0 {
        return Err("the reports speak of no line that could run".to_owned());
    }
    Ok(coverage)
}

/// Finds every file that the reports speak of; returns the first report that speaks of another.
fn in_tree(
    layers: &Layers,
    folder: &str,
    reported: Vec<(String, ReportedFile)>,
) -> Result<LineCoverage, (String, Foreign)> {
    let canonical = crate::home::canonical(layers.root());
    let roots = [layers.root(), &canonical].map(|root| root.to_string_lossy().into_owned());
    let file = |path: &str| layers.file(path);
    let in_packages: BTreeSet<&str> = reported
        .iter()
        .filter_map(|(_, file)| match &file.name {
            ReportedName::InPackage { file, .. } => Some(file.as_str()),
            ReportedName::Path { .. } => None,
        })
        .collect();
    let by_name = layers.named(&in_packages);
    let named = |name: &str| by_name.get(name).cloned().unwrap_or_default();
    let tree = SourceTree { roots: &roots, folder, file: &file, named: &named };
    let mut coverage = LineCoverage::default();
    for (report, file) in reported {
        coverage.add(&report, file, &tree).map_err(|foreign| (report, foreign))?;
    }
    Ok(coverage)
}

/// Names one report, or counts several.
fn files_in_words(paths: &[String]) -> String {
    match paths {
        [only] => only.clone(),
        several => format!("{} reports", several.len()),
    }
}
