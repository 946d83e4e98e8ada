//! Test reports in the XML that JUnit began and everybody writes a little differently.
//!
//! Only what stands in a report case by case counts. The sums that a suite states about itself are
//! not trusted, with one exception: where a suite states more failures than its cases show,
//! something failed outside a case (a fixture, a file that did not load), and the difference counts
//! as failed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::unreadable::Unreadable;
use super::wording::{counted, grouped, one_line};
use super::xml::{Document, Element, Part, decode};

/// How many failed tests are kept by name; more are only counted.
pub const MAX_LISTED_FAILURES: usize = 20;

/// How much is kept of a test's name, and of what it said.
const MAX_NAME: usize = 160;
const MAX_MESSAGE: usize = 240;

/// How much text of a failure is gathered before it is cut.
const MAX_GATHERED_BYTES: usize = 2000;

/// A test that failed, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedTest {
    /// Its class and name.
    pub name: String,
    /// What it said, in one line; may be empty.
    pub message: String,
    /// Its file, and the line where the report says so; may be empty.
    pub place: String,
}

/// How many tests there were, and what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCounts {
    /// Tests that really ran, failed ones included.
    pub ran: u64,
    /// Tests and suites that failed.
    pub failed: u64,
    /// Tests that did not run.
    pub skipped: u64,
    /// Tests that passed only when they were run again.
    pub flaky: u64,
    /// The first failed ones, at most [`MAX_LISTED_FAILURES`].
    pub failures: Vec<FailedTest>,
}

/// What became of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestResult {
    /// It ran and passed.
    Passed,
    /// It did not run.
    Skipped,
    /// It failed.
    Failed,
}

/// What became of each test, by class and name. Of several with one name, which parameters make,
/// the worst counts.
pub type TestResults = BTreeMap<String, TestResult>;

impl TestCounts {
    /// Adds the counts of another report; the same test in two reports is two tests.
    pub fn add(&mut self, other: Self) {
        self.ran = self.ran.saturating_add(other.ran);
        self.failed = self.failed.saturating_add(other.failed);
        self.skipped = self.skipped.saturating_add(other.skipped);
        self.flaky = self.flaky.saturating_add(other.flaky);
        self.failures.extend(other.failures);
        self.failures.truncate(MAX_LISTED_FAILURES);
    }

    /// Names the tests that failed, each in a line with its place and what it said.
    pub fn failures_in_words(&self) -> String {
        let mut text = String::new();
        for FailedTest { name, message, place } in &self.failures {
            let place = if place.is_empty() { String::new() } else { format!(" ({place})") };
            let said = if message.is_empty() { String::new() } else { format!(": {message}") };
            let _ = writeln!(text, "failed: {name}{place}{said}");
        }
        let unlisted = self.failed.saturating_sub(self.failures.len() as u64);
        if unlisted > 0 {
            let _ = writeln!(text, "and {unlisted} more");
        }
        text
    }

    fn fail(&mut self, count: u64, test: impl FnOnce() -> FailedTest) {
        self.failed = self.failed.saturating_add(count);
        if count > 0 && self.failures.len() < MAX_LISTED_FAILURES {
            self.failures.push(test());
        }
    }
}

impl std::fmt::Display for TestCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ran, {} failed", counted(self.ran, "test"), grouped(self.failed))?;
        write!(f, ", {} skipped", grouped(self.skipped))?;
        if self.flaky > 0 {
            write!(f, ", {} passed only when run again", grouped(self.flaky))?;
        }
        Ok(())
    }
}

/// Counts the tests of one report.
///
/// # Errors
/// The bytes are not a whole JUnit report.
pub fn read_junit(bytes: &[u8]) -> Result<TestCounts, Unreadable> {
    Ok(read(bytes, None)?.0)
}

/// Counts the tests of one report, and adds what became of each to `results`.
///
/// # Errors
/// The bytes are not a whole JUnit report; `results` may have part of it.
pub fn read_junit_results(
    bytes: &[u8],
    results: &mut TestResults,
) -> Result<TestCounts, Unreadable> {
    let (counts, named) = read(bytes, Some(std::mem::take(results)))?;
    *results = named.unwrap_or_default();
    Ok(counts)
}

fn read(
    bytes: &[u8],
    results: Option<TestResults>,
) -> Result<(TestCounts, Option<TestResults>), Unreadable> {
    let text = decode(bytes)?;
    let mut document = Document::new(&text);
    let mut reading = Reading { counts: TestCounts::default(), results, open: Vec::new() };
    loop {
        match document.next()? {
            Part::Open(element) => reading.open(element)?,
            Part::Close => reading.close(),
            Part::Text(text) => reading.text(&text),
            Part::End => return Ok((reading.counts, reading.results)),
        }
    }
}

/// An open element.
enum Frame<'t> {
    Suite(Suite),
    Case(Case<'t>),
    Fault(Fault),
    /// Something that says nothing about counts.
    Other,
}

/// A `failure` or `error`.
struct Fault {
    /// Of the case or suite that it is about.
    name: String,
    message: String,
    /// Gathered only where there is no message; a trace is long.
    text: String,
}

struct Suite {
    name: String,
    /// Failures and errors by its own account.
    stated: u64,
    /// Failures and errors that its parts explain.
    explained: u64,
}

struct Case<'t> {
    /// Its name is read only when it is needed: most tests pass.
    element: Element<'t>,
    failed: bool,
    skipped: bool,
    flaky: bool,
    /// Every fault that some tool may have counted on its own.
    faults: u64,
    first: Option<FailedTest>,
}

struct Reading<'t> {
    counts: TestCounts,
    /// What became of each test, where somebody asked.
    results: Option<TestResults>,
    open: Vec<Frame<'t>>,
}

impl<'t> Reading<'t> {
    fn open(&mut self, element: Element<'t>) -> Result<(), Unreadable> {
        let name = element.name();
        let is_suite = matches!(name, "testsuite" | "testsuites");
        let frame = match self.open.last_mut() {
            None if is_suite => Frame::Suite(Suite::new(&element)),
            None => {
                let found = format!("<{}>", one_line(name, 40));
                return Err(Unreadable::Other { wanted: "a JUnit report", found });
            }
            Some(Frame::Suite(_)) if is_suite => Frame::Suite(Suite::new(&element)),
            Some(Frame::Suite(_) | Frame::Case(_)) if name == "testcase" => {
                Frame::Case(Case::new(element))
            }
            Some(Frame::Suite(suite)) if is_fault(name) => {
                Frame::Fault(Fault::new(&element, &suite.name))
            }
            Some(Frame::Case(case)) => {
                match name {
                    "skipped" => case.skipped = true,
                    "flakyFailure" | "flakyError" => {
                        case.flaky = true;
                        case.faults += 1;
                    }
                    // What a failed test said when it was run again; its own `failure` counts.
                    "rerunFailure" | "rerunError" => case.faults += 1,
                    _ => {}
                }
                match is_fault(name) {
                    true => Frame::Fault(Fault::new(&element, &case_name(&case.element))),
                    false => Frame::Other,
                }
            }
            Some(Frame::Suite(_) | Frame::Fault(_) | Frame::Other) => Frame::Other,
        };
        self.open.push(frame);
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(Frame::Fault(fault)) = self.open.last_mut()
            && fault.message.is_empty()
            && fault.text.len() < MAX_GATHERED_BYTES
        {
            fault.text.extend(text.chars().take(MAX_GATHERED_BYTES));
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Frame::Suite(suite)) => self.close_suite(&suite),
            Some(Frame::Case(case)) => self.close_case(case),
            Some(Frame::Fault(fault)) => self.close_fault(fault),
            Some(Frame::Other) | None => {}
        }
    }

    fn close_fault(&mut self, fault: Fault) {
        let said = if fault.message.is_empty() { &fault.text } else { &fault.message };
        let message = one_line(said, MAX_MESSAGE);
        let test = FailedTest { message, name: fault.name, place: String::new() };
        match self.open.last_mut() {
            Some(Frame::Case(case)) => {
                case.failed = true;
                case.faults += 1;
                case.first.get_or_insert(test);
            }
            Some(Frame::Suite(suite)) => {
                suite.explained += 1;
                note(&mut self.results, || test.name.clone(), TestResult::Failed);
                self.counts.fail(1, || test);
            }
            Some(Frame::Fault(_) | Frame::Other) | None => {}
        }
    }

    fn close_case(&mut self, case: Case<'_>) {
        self.explain(case.faults.max(u64::from(case.failed)));
        // A test that was skipped after it had failed has failed.
        let result = match (case.failed, case.skipped) {
            (true, _) => TestResult::Failed,
            (false, true) => TestResult::Skipped,
            (false, false) => TestResult::Passed,
        };
        note(&mut self.results, || case_name(&case.element), result);
        if result == TestResult::Skipped {
            self.counts.skipped += 1;
            return;
        }
        self.counts.ran += 1;
        if case.failed {
            let Case { element, first, .. } = case;
            let place = case_place(&element);
            let unexplained = || FailedTest { name: case_name(&element), ..FailedTest::default() };
            self.counts.fail(1, || FailedTest { place, ..first.unwrap_or_else(unexplained) });
        } else if case.flaky {
            self.counts.flaky += 1;
        }
    }

    fn close_suite(&mut self, suite: &Suite) {
        let unexplained = suite.stated.saturating_sub(suite.explained);
        if unexplained > 0 {
            note(&mut self.results, || suite.name.clone(), TestResult::Failed);
        }
        self.counts.fail(unexplained, || FailedTest {
            name: suite.name.clone(),
            message: format!(
                "the suite states {} more than its tests show",
                counted(unexplained, "failure")
            ),
            place: String::new(),
        });
        self.explain(suite.explained.max(suite.stated));
    }

    /// Tells the suite around what just ended about its faults.
    fn explain(&mut self, faults: u64) {
        let around = self.open.iter_mut().rev().find_map(|frame| match frame {
            Frame::Suite(suite) => Some(suite),
            Frame::Case(_) | Frame::Fault(_) | Frame::Other => None,
        });
        if let Some(suite) = around {
            suite.explained = suite.explained.saturating_add(faults);
        }
    }
}

/// Notes what became of a test; the worst counts.
fn note(results: &mut Option<TestResults>, name: impl FnOnce() -> String, result: TestResult) {
    if let Some(results) = results {
        let worst = results.entry(name()).or_insert(result);
        *worst = result.max(*worst);
    }
}

impl Suite {
    fn new(element: &Element<'_>) -> Self {
        let stated = |name| element.number(name).unwrap_or(0);
        let name = element.text("name").unwrap_or_default();
        let name = match name.trim() {
            "" => "a suite without a name".to_owned(),
            name => one_line(name, MAX_NAME),
        };
        let stated = stated("failures").saturating_add(stated("errors"));
        Self { name, stated, explained: 0 }
    }
}

impl<'t> Case<'t> {
    fn new(element: Element<'t>) -> Self {
        let (mut failed, mut skipped) = (false, false);
        // Google Test and CTest say here what others say by an element.
        for said in element.get_both(["status", "result"]) {
            match said.to_ascii_lowercase().as_str() {
                "notrun" | "disabled" | "skipped" | "suppressed" | "ignored" | "pending" => {
                    skipped = true;
                }
                "fail" | "failed" | "failure" | "error" => failed = true,
                _ => {}
            }
        }
        Self { element, failed, skipped, flaky: false, faults: 0, first: None }
    }
}

/// The class and the name of a case; some tools write the same into both.
fn case_name(element: &Element<'_>) -> String {
    let part = |name| element.text(name).map(|text| one_line(&text, MAX_NAME)).unwrap_or_default();
    match (part("classname"), part("name")) {
        (class, name) if class.is_empty() || class == name => name,
        (class, name) => format!("{class}.{name}"),
    }
}

/// The file and line of a case, where its tool writes them.
fn case_place(element: &Element<'_>) -> String {
    let part = |name| element.text(name).map(|text| one_line(&text, MAX_NAME)).unwrap_or_default();
    match (part("file"), part("line")) {
        (file, line) if file.is_empty() || line.is_empty() => file,
        (file, line) => format!("{file}:{line}"),
    }
}

fn is_fault(name: &str) -> bool {
    matches!(name, "failure" | "error")
}

impl Fault {
    fn new(element: &Element<'_>, name: &str) -> Self {
        let message = element.text("message").unwrap_or_default();
        let message = one_line(&message, MAX_MESSAGE);
        Self { name: name.to_owned(), message, text: String::new() }
    }
}

#[cfg(test)]
#[path = "junit_tests.rs"]
mod tests;
