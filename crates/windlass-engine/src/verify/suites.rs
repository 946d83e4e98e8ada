//! Running tests on one tree, for `red` and `green`: how the command ended, and what its reports say.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use windlass_core::id::ObjectId;
use windlass_core::measure::{TestCounts, TestResult, TestResults, read_junit_results};
use windlass_core::plan::{CheckId, Holds, Strength, Suite};
use windlass_core::proof::{Blob, Outcome, Proof};
use windlass_core::time::Span;

use super::causes::Ended;
use super::commands::Ran;
use super::report_files;
use super::reports::{MAX_TEST_BYTES, Wanted, each, without_reports};
use super::seen::Seen;
use super::verifier::{Broken, Looking, PASS_FORMAT, few};
use crate::fault;
use crate::room::Room;
use crate::store::{NewPass, PassKey};

/// Changes whenever an earlier pass with reports may no longer be trusted.
const SUITE_PASS: &[u8] = b"suite pass 2";

/// The most that is read back of the names of tests.
pub(super) const MAX_NAMES_BYTES: u64 = 64 << 20;

/// Exit codes with which shells say that a signal ended what they ran.
const BY_SIGNAL: std::ops::RangeInclusive<i32> = 129..=192;

/// How a run of tests ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Passed,
    Failed,
    /// It ran out of time, was ended by a signal, or could not start: it has said nothing.
    NoAnswer,
}

/// What the reports of a run say.
pub(super) enum Tests {
    /// Nobody asked for reports.
    NotAsked,
    /// The command wrote none.
    None,
    /// What it wrote cannot be read.
    Unreadable(String),
    Read {
        results: TestResults,
        ran: u64,
        /// Which failed, and what each said; empty where none did.
        failures: String,
    },
}

/// What a run printed, or where that is kept.
pub(super) enum Said {
    Now(Vec<u8>),
    Earlier { evidence: Option<Blob>, took: Span },
}

/// One run of a suite on one tree.
pub(super) struct SuiteRun {
    pub(super) how: How,
    /// How the command ended.
    pub(super) words: String,
    /// The same as data; none where an earlier pass counted.
    pub(super) ended: Option<Ended>,
    pub(super) said: Said,
    pub(super) tests: Tests,
}

/// A pass with reports, as it is remembered.
#[derive(Serialize, Deserialize)]
struct SuitePass {
    evidence: Option<Blob>,
    /// What became of each test; none where there was no report.
    results: Option<Blob>,
    ran: u64,
    took: Span,
}

impl Tests {
    /// The tests that ended like this.
    pub(super) fn that(&self, wanted: TestResult) -> Vec<&String> {
        let Self::Read { results, .. } = self else { return Vec::new() };
        results.iter().filter(|(_, result)| **result == wanted).map(|(name, _)| name).collect()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        matches!(self, Self::Read { results, .. } if results.contains_key(name))
    }

    pub(super) fn passed(&self, name: &str) -> bool {
        matches!(self, Self::Read { results, .. } if results.get(name) == Some(&TestResult::Passed))
    }

    /// Which tests failed and what each said, as far as a report says so.
    pub(super) fn failures(&self) -> &str {
        if let Self::Read { failures, .. } = self { failures } else { "" }
    }

    /// Adds the names of the first tests that failed to how the command ended.
    pub(super) fn and_failed(&self, words: &str) -> String {
        let failed: Vec<String> = self.that(TestResult::Failed).into_iter().cloned().collect();
        match failed.len() {
            0 => words.to_owned(),
            1 => format!("{words}, 1 test failed: {}", few(&failed)),
            count => format!("{words}, {count} tests failed: {}", few(&failed)),
        }
    }

    /// How many tests ran, as far as a report says so.
    pub(super) fn ran(&self) -> Option<u64> {
        if let Self::Read { ran, .. } = self { Some(*ran) } else { None }
    }
}

impl Looking<'_> {
    /// Runs the tests of a suite on `code`, unless it is known that they pass there.
    ///
    /// Returns why they cannot be run if the tree cannot be made ready.
    pub(super) fn run_suite(
        &mut self,
        suite: &Suite,
        code: &ObjectId,
    ) -> Result<Result<SuiteRun, Seen>, Broken> {
        // What was copied is a part of the key.
        self.verifier.ensure_layers(self.place)?;
        let key = self.suite_key(suite, code);
        if let Some(key) = key
            && let Some(run) = self.earlier(suite, key)?
        {
            return Ok(Ok(run));
        }
        let began = Instant::now();
        let room = match self.room(code)? {
            Ok(room) => room,
            Err(seen) => return Ok(Err(seen)),
        };
        let run = match self.run_suite_in(suite, &room)? {
            Ok(run) => run,
            Err(seen) => return Ok(Err(seen)),
        };
        if run.how == How::Passed {
            self.remember(suite, code, &run, began)?;
        }
        fault::point("suite-ran");
        Ok(Ok(run))
    }

    /// Runs the tests of a suite in a room.
    pub(super) fn run_suite_in(
        &self,
        suite: &Suite,
        room: &Room,
    ) -> Result<Result<SuiteRun, Seen>, Broken> {
        let command = &suite.command;
        if let Some(folder) = &suite.folder
            && !room.layers().is_folder(folder)
        {
            let words = format!("`{command}`: `{folder}` is not a folder of the work");
            return Ok(Err(Seen::unanswered(words)));
        }
        if let Some(glob) = &suite.report
            && let Err(seen) = without_reports(room, "report", glob)
        {
            return Ok(Err(seen));
        }
        let request = match self.command_request(&suite.command()) {
            Ok(request) => request,
            Err(why) => return Ok(Err(Seen::unanswered(format!("`{command}`: {why}")))),
        };
        let (report, output) = self.verifier.run_only(room, &request, self.cancel)?;
        let (how, ended) = (how(&report.outcome), Some(Ended::of(&report)));
        let ran = Ran { report, evidence: None, excerpt: String::new() };
        let words = ran.words(suite.timeout);
        let tests = match (&suite.report, how) {
            (None, _) => Tests::NotAsked,
            // What a command was writing when it was ended is half of something.
            (Some(_), How::NoAnswer) => Tests::None,
            (Some(glob), How::Passed | How::Failed) => read_tests(room, glob),
        };
        Ok(Ok(SuiteRun { how, words, ended, said: Said::Now(output), tests }))
    }

    fn suite_key(&self, suite: &Suite, code: &ObjectId) -> Option<PassKey> {
        if !self.may_be_kept(&suite.command()) {
            return None;
        }
        match &suite.report {
            // The same as that of a `run`: how the command ends is all that counts.
            None => self.key_of(code, &suite.command(), &[PASS_FORMAT.to_vec()]),
            Some(glob) => {
                let kind = [SUITE_PASS.to_vec(), glob.as_bytes().to_vec()];
                self.key_of(code, &suite.command(), &kind)
            }
        }
    }

    /// Reads back an earlier pass; one that cannot be read is none.
    fn earlier(&self, suite: &Suite, key: PassKey) -> Result<Option<SuiteRun>, Broken> {
        let Some(pass) = self.verifier.passes.pass(key)? else { return Ok(None) };
        let words = "passed earlier on the same code".to_owned();
        if suite.report.is_none() {
            let Ok(proof) = serde_json::from_slice::<Proof>(&pass.bytes) else { return Ok(None) };
            let said = Said::Earlier { evidence: proof.evidence, took: proof.took };
            let (how, tests) = (How::Passed, Tests::NotAsked);
            return Ok(Some(SuiteRun { how, words, ended: None, said, tests }));
        }
        let Ok(kept) = serde_json::from_slice::<SuitePass>(&pass.bytes) else { return Ok(None) };
        let tests = match &kept.results {
            None => Tests::None,
            Some(blob) => {
                let bytes = self.verifier.blobs.get(&blob.hash, MAX_NAMES_BYTES)?;
                let Ok(results) = serde_json::from_slice(&bytes) else { return Ok(None) };
                Tests::Read { results, ran: kept.ran, failures: String::new() }
            }
        };
        let said = Said::Earlier { evidence: kept.evidence, took: kept.took };
        Ok(Some(SuiteRun { how: How::Passed, words, ended: None, said, tests }))
    }

    /// Remembers that the tests pass on this code; also for a `run` and a plain `junit` of the same
    /// command, which would see the same.
    fn remember(
        &mut self,
        suite: &Suite,
        code: &ObjectId,
        run: &SuiteRun,
        began: Instant,
    ) -> Result<(), Broken> {
        let Said::Now(output) = &run.said else { return Ok(()) };
        if !self.may_be_kept(&suite.command()) {
            return Ok(());
        }
        let (evidence, _) = self.verifier.keep(output, "")?;
        let took = Span(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        let proof = |summary: String| Proof {
            check: CheckId(0),
            holds: Holds::Yes,
            strength: Strength::Observed,
            summary,
            excerpt: None,
            evidence: evidence.clone(),
            cached: false,
            took,
            cause: None,
        };
        let command = &suite.command;
        let mut passes = vec![(
            vec![PASS_FORMAT.to_vec()],
            serde_json::to_vec(&proof(format!("run `{command}` {}", run.words))),
        )];
        if let Some(glob) = &suite.report {
            let results = match &run.tests {
                Tests::Read { results, .. } => {
                    let bytes = serde_json::to_vec(results).map_err(std::io::Error::from)?;
                    Some(self.verifier.blobs.put(&bytes)?)
                }
                Tests::None => None,
                // That it cannot be read is no pass.
                Tests::NotAsked | Tests::Unreadable(_) => return Ok(()),
            };
            let ran = run.tests.ran().unwrap_or(0);
            let failed = run.tests.that(TestResult::Failed).len();
            if ran > 0 && failed == 0 {
                let skipped = run.tests.that(TestResult::Skipped).len() as u64;
                let counts = TestCounts { ran, skipped, ..TestCounts::default() };
                let wanted = Wanted::Tests { glob, min: 1, failures: 0, known: &[] };
                let bytes = serde_json::to_vec(&proof(format!("junit `{glob}`: {counts}")));
                passes.push((wanted.pass_key().to_vec(), bytes));
            }
            let pass = SuitePass { evidence: evidence.clone(), results, ran, took };
            let kind = vec![SUITE_PASS.to_vec(), glob.as_bytes().to_vec()];
            passes.push((kind, serde_json::to_vec(&pass)));
        }
        for (kind, bytes) in passes {
            if let Some(key) = self.key_of(code, &suite.command(), &kind) {
                let bytes = bytes.map_err(std::io::Error::from)?;
                self.passes.push(NewPass { key, bytes });
            }
        }
        Ok(())
    }
}

fn how(outcome: &Outcome) -> How {
    match outcome {
        Outcome::Exited { code: 0 } => How::Passed,
        Outcome::Exited { code: 126 | 127 } => How::NoAnswer,
        Outcome::Exited { code } if BY_SIGNAL.contains(code) => How::NoAnswer,
        Outcome::Exited { .. } => How::Failed,
        Outcome::Signalled { .. }
        | Outcome::TimedOut
        | Outcome::CouldNotStart { .. }
        | Outcome::OverLimit { .. }
        | Outcome::Idle
        | Outcome::Cancelled
        | Outcome::ProviderLimit { .. }
        | Outcome::Held { .. }
        | Outcome::Interrupted { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::OverBudget { .. } => How::NoAnswer,
    }
}

/// Reads what the command reported.
pub(super) fn read_tests(room: &Room, glob: &str) -> Tests {
    let found = match report_files::find(room.written(), glob) {
        Ok(found) => found,
        Err(error) => return Tests::Unreadable(format!("the reports cannot be found: {error}")),
    };
    match (found.files.is_empty(), found.others.first()) {
        (true, None) => return Tests::None,
        (true, Some(path)) => return Tests::Unreadable(format!("`{path}` is not a plain file")),
        (false, _) => {}
    }
    let (mut results, mut counts) = (TestResults::new(), TestCounts::default());
    let read = each(room.written(), &found.files, MAX_TEST_BYTES, |path, bytes| {
        let read = read_junit_results(bytes, &mut results);
        counts.add(read.map_err(|why| format!("`{path}` {why}"))?);
        Ok(())
    });
    match read {
        Ok(()) => {
            let failures = counts.failures_in_words();
            Tests::Read { results, ran: counts.ran, failures }
        }
        Err(why) => Tests::Unreadable(why),
    }
}
