//! Tests that fail before there is what they test: the check `red`.
//!
//! The tests are run twice, on trees that no agent has touched: on the code that the step first
//! began from, where they have to pass, and on that code with the test files as they are now, where
//! they have to fail. So a step that is opened again after the implementation was made is judged
//! without it.

use std::collections::BTreeMap;
use std::time::Instant;

use windlass_core::id::ObjectId;
use windlass_core::measure::TestResult;
use windlass_core::plan::{Check, CheckId, CheckKind, Criterion, Holds, Suite};
use windlass_core::proof::{Outcome, Proof, RedSuite};

use super::changes::{Changes, LINK_MODE, set};
use super::seen::Seen;
use super::suites::{How, Said, SuiteRun, Tests};
use super::verifier::{Broken, Looking, few};
use crate::git::ChangeStatus;

/// The trees that the tests of a step are run on.
struct Trees {
    /// What the step first began from.
    base: ObjectId,
    /// That, with the test files as they are now.
    tested: ObjectId,
    /// Whether test files were only added.
    only_added: bool,
    /// Test files that are gone.
    removed: Vec<String>,
}

/// What one suite showed.
struct Shown {
    /// Set when it is not what a `red` has to be.
    fault: Option<Fault>,
    /// In words, after the name of the check.
    summary: String,
    /// The runs, for the evidence: what each was, and what it showed.
    runs: Vec<(&'static str, SuiteRun)>,
    ran: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It passes with the new tests: fine as long as another suite of the step fails.
    Passes,
    Wrong,
    NoAnswer,
}

impl Looking<'_> {
    /// Looks at all `red` checks of a criterion together; returns their proofs, and what they leave
    /// for `green` if all of them hold.
    pub(super) fn look_at_red(
        &mut self,
        criterion: &Criterion,
        changes: &Changes,
    ) -> Result<(BTreeMap<CheckId, Proof>, Vec<RedSuite>), Broken> {
        let began = Instant::now();
        let checks: Vec<(&Check, &Suite)> = suites(criterion);
        let globs: Vec<String> = checks.iter().flat_map(|(_, suite)| suite.tests.clone()).collect();
        let proofs = |seen: Vec<Seen>| -> BTreeMap<CheckId, Proof> {
            let proofs = checks.iter().zip(seen);
            proofs.map(|((check, _), seen)| (check.id, seen.proof(check, began))).collect()
        };
        let trees = match self.trees(&globs, changes)? {
            Ok(trees) => trees,
            Err(why) => {
                let seen = checks.iter().map(|_| Seen::no(format!("red: {why}"))).collect();
                return Ok((proofs(seen), Vec::new()));
            }
        };
        let mut all: Vec<Shown> = Vec::new();
        for (_, suite) in &checks {
            all.push(self.red_suite(suite, &trees)?);
            if self.cancel.is_cancelled() {
                break;
            }
        }
        let fails = all.iter().any(|shown| shown.fault.is_none());
        let (mut seen, mut left) = (Vec::new(), Vec::new());
        for ((check, suite), shown) in checks.iter().zip(all) {
            if let (Some(Fault::Passes), true) | (None, _) = (shown.fault, fails) {
                left.push(self.left(suite, &shown)?);
            }
            let suite_seen = self.red_seen(suite, shown, fails)?;
            seen.push(self.settled(suite_seen, check)?);
        }
        if left.len() < checks.len() {
            left.clear();
        }
        Ok((proofs(seen), left))
    }

    /// Makes the trees, or says why what changed cannot be a red step's work.
    fn trees(&self, globs: &[String], changes: &Changes) -> Result<Result<Trees, String>, Broken> {
        let others = changes.outside(globs);
        if !others.is_empty() {
            return Ok(Err(format!("implementation before its test: {} changed", few(&others))));
        }
        let request = self.request;
        let code = &request.snapshot.code;
        let began_from = request.baseline.map(|baseline| &baseline.snapshot.code);
        let Some(base) = request.first_code.or(began_from) else {
            return Ok(Err("it is not known what the step began from".to_owned()));
        };
        let since = Changes::between(self.engine, base, code)?;
        let tests = since.matching(globs);
        if tests.is_empty() {
            return Ok(Err(format!("no test file changed ({})", globs.join(", "))));
        }
        let is_link = |entry: &crate::git::TreeEntry| entry.mode == LINK_MODE;
        let links: Vec<String> = tests
            .iter()
            .filter(|change| change.new.as_ref().is_some_and(is_link))
            .map(|change| change.path.to_string())
            .collect();
        if !links.is_empty() {
            // What it leads to could change later, and the test with it.
            return Ok(Err(format!("a test file is a link: {}", few(&links))));
        }
        let only_added = tests.iter().all(|change| change.status == ChangeStatus::Added);
        let removed = tests.iter().filter(|change| change.status == ChangeStatus::Deleted);
        let removed = removed.map(|change| change.path.to_string()).collect();
        let tested = if since.outside(globs).is_empty() {
            code.clone()
        } else {
            fs_err::create_dir_all(&self.verifier.scratch)?;
            let scratch =
                tempfile::Builder::new().prefix("red-").tempdir_in(&self.verifier.scratch)?;
            self.engine.overlay(base, &tests, scratch.path())?
        };
        Ok(Ok(Trees { base: base.clone(), tested, only_added, removed }))
    }

    fn red_suite(&mut self, suite: &Suite, trees: &Trees) -> Result<Shown, Broken> {
        let mut runs = Vec::new();
        let mut known = Tests::None;
        let mut ran_before = 0;
        if self.has_tests(&trees.base, &suite.tests)? {
            let before = match self.run_suite(suite, &trees.base)? {
                Ok(run) => run,
                Err(seen) => return Ok(Shown::unanswered(seen)),
            };
            let fault = passed_before(&before);
            runs.push(("before the step began", before));
            if let Some((fault, summary)) = fault {
                return Ok(Shown { fault: Some(fault), summary, runs, ran: 0 });
            }
            if let Some((_, before)) = runs.first_mut() {
                ran_before = before.tests.ran().unwrap_or(0);
                known = std::mem::replace(&mut before.tests, Tests::None);
            }
        }
        let now = match self.run_suite(suite, &trees.tested)? {
            Ok(run) => run,
            Err(seen) => return Ok(Shown::unanswered(seen)),
        };
        let (mut fault, mut summary) = fails_now(&now, &known, trees.only_added);
        if fault.is_none() {
            summary.push_str(&taken_away(&now, &known, trees));
            // Once more, in a room of its own: a counter, a clock or a coin fails once as well.
            let again = self.run_suite(suite, &trees.tested)?;
            if let Some((unsteady, why)) = not_repeated(&again) {
                (fault, summary) = (Some(unsteady), why);
            }
        }
        let ran = now.tests.ran().unwrap_or(0);
        // Where not everything could be built, little or nothing ran. What was there before has to run
        // again, and something new with it where something new fails.
        let least = ran_before + u64::from(fault.is_none());
        let ran = if trees.only_added && suite.report.is_some() { ran.max(least) } else { ran };
        runs.push(("with the test files as they are now", now));
        Ok(Shown { fault, summary, runs, ran })
    }

    fn has_tests(&self, tree: &ObjectId, globs: &[String]) -> Result<bool, Broken> {
        Ok(!self.engine.ls_tree(tree, &set(globs))?.is_empty())
    }

    fn red_seen(&self, suite: &Suite, shown: Shown, fails: bool) -> Result<Seen, Broken> {
        let holds = match shown.fault {
            None => Holds::Yes,
            Some(Fault::Passes) if fails => Holds::Yes,
            Some(Fault::Passes | Fault::Wrong) => Holds::No,
            Some(Fault::NoAnswer) => Holds::Unknown,
        };
        let summary = match (shown.fault, fails) {
            (Some(Fault::Passes), true) => "still passes, and another suite of the step fails",
            _ => &shown.summary,
        };
        let mut output = Vec::new();
        for (when, run) in &shown.runs {
            let head = format!("== {when}: `{}` {}\n", suite.command, run.words);
            output.extend_from_slice(head.as_bytes());
            match &run.said {
                Said::Now(said) => output.extend_from_slice(said),
                Said::Earlier { evidence: Some(blob), .. } => {
                    output.extend_from_slice(format!("(kept as {})", blob.hash).as_bytes());
                }
                Said::Earlier { evidence: None, .. } => {}
            }
            if !output.ends_with(b"\n") {
                output.push(b'\n');
            }
        }
        let kept = self.verifier.keep(&output, "")?;
        crate::fault::point("evidence-kept");
        let seen = Seen::kept(holds, format!("red `{}`: {summary}", suite.command), kept);
        // That the tests fail is what is asked for, and no sign of trouble; that they fail in another way than
        // they should may be one.
        let wrong = shown.fault == Some(Fault::Wrong);
        let last = shown.runs.last().filter(|_| holds == Holds::Unknown || wrong);
        let ended = last.and_then(|(_, run)| run.ended.clone());
        Ok(seen.that_ended(ended.filter(|ended| ended.outcome != Outcome::Exited { code: 0 })))
    }

    /// What a suite leaves for `green`.
    fn left(&self, suite: &Suite, shown: &Shown) -> Result<RedSuite, Broken> {
        let failing = match shown.runs.last() {
            Some((_, run)) if matches!(run.tests, Tests::Read { .. }) => {
                let names = run.tests.that(TestResult::Failed);
                let bytes = serde_json::to_vec(&names).map_err(std::io::Error::from)?;
                Some(self.verifier.blobs.put(&bytes)?)
            }
            Some(_) | None => None,
        };
        let passed = shown.fault == Some(Fault::Passes);
        let (command, folder) = (suite.command.clone(), suite.folder.clone());
        Ok(RedSuite { command, folder, ran: shown.ran, failing, passed })
    }
}

impl Shown {
    /// The tree could not be made ready.
    fn unanswered(seen: Seen) -> Self {
        let summary = seen.summary().to_owned();
        Self { fault: Some(Fault::NoAnswer), summary, runs: Vec::new(), ran: 0 }
    }
}

fn suites(criterion: &Criterion) -> Vec<(&Check, &Suite)> {
    let mut suites = Vec::new();
    for check in criterion.checks() {
        if let CheckKind::Red(suite) = &check.kind {
            suites.push((check, suite));
        }
    }
    suites
}

/// What is wrong with the run on the code that the step began from; none if the tests passed.
fn passed_before(run: &SuiteRun) -> Option<(Fault, String)> {
    // Some runners call it a failure that there is no test; files of tests without any are no tests.
    if let Tests::Read { results, .. } = &run.tests
        && results.is_empty()
        && run.how != How::NoAnswer
    {
        return None;
    }
    let failed = run.tests.that(TestResult::Failed);
    let why = match (&run.how, &run.tests) {
        (How::NoAnswer, _) => {
            let summary = format!("could not run on the code before this step: {}", run.words);
            return Some((Fault::NoAnswer, summary));
        }
        (How::Passed, Tests::Unreadable(why)) => {
            let summary = format!("the report of the tests before this step cannot be read: {why}");
            return Some((Fault::NoAnswer, summary));
        }
        (How::Passed, _) if failed.is_empty() => return None,
        (How::Passed | How::Failed, _) if !failed.is_empty() => names(&failed),
        (How::Passed | How::Failed, _) => run.words.clone(),
    };
    Some((Fault::Wrong, format!("the tests failed before this step began: {why}")))
}

/// What the run with the new tests shows; `known` are the tests that were there before.
fn fails_now(run: &SuiteRun, known: &Tests, only_added: bool) -> (Option<Fault>, String) {
    let failed = run.tests.that(TestResult::Failed);
    match run.how {
        How::NoAnswer => {
            return (Some(Fault::NoAnswer), format!("could not run: {}", run.words));
        }
        How::Passed => {
            let mut summary = "passes without the implementation".to_owned();
            match (failed.is_empty(), &run.tests) {
                (false, _) => {
                    summary.push_str(&format!(", and hides that tests fail: {}", names(&failed)))
                }
                (true, _) => summary.push_str(": the new tests were already green"),
            }
            return (Some(Fault::Passes), with_skipped(summary, run, known));
        }
        How::Failed => {}
    }
    if !matches!(run.tests, Tests::Read { .. }) {
        let built = match &run.tests {
            Tests::NotAsked => "",
            Tests::None | Tests::Unreadable(_) | Tests::Read { .. } => {
                " without a report: the tests do not build without the implementation"
            }
        };
        return (None, format!("passed before, and with the new tests {}{built}", run.words));
    }
    let new = |names: Vec<&String>| -> Vec<String> {
        names.into_iter().filter(|name| !known.has(name)).cloned().collect()
    };
    let skipped = new(run.tests.that(TestResult::Skipped));
    if !skipped.is_empty() {
        return (Some(Fault::Wrong), format!("new tests are skipped: {}", few(&skipped)));
    }
    let mut left_out = run.tests.that(TestResult::Skipped);
    left_out.retain(|name| known.passed(name));
    if !left_out.is_empty() {
        let summary = format!("tests that passed before are skipped now: {}", names(&left_out));
        return (Some(Fault::Wrong), summary);
    }
    let new_failed = new(failed.clone());
    if only_added && new_failed.is_empty() && failed.is_empty() && does_not_build(run, known) {
        let summary = "passed before, and with the new tests a part does not build without the \
                       implementation";
        return (None, format!("{summary}: {}", run.words));
    }
    if new_failed.is_empty() {
        let which = if failed.is_empty() { "no test" } else { "only tests that were there before" };
        let summary = format!("fails, but none of the new tests does: {which}");
        let summary = match failed.is_empty() {
            true => summary,
            false => format!("{summary} ({})", names(&failed)),
        };
        return (Some(Fault::Wrong), summary);
    }
    (None, format!("passed before, and now fails as it should: {}", few(&new_failed)))
}

/// Words of compilers and build tools about code that does not compile, in lower case.
const NOT_BUILT: [&str; 15] = [
    "compilation error",
    "compilation failed",
    "compile error",
    "could not compile",
    "cannot find symbol",
    "[build failed]",
    "error cs",
    "error ts",
    "error[e",
    "fatal error:",
    "compileerror",
    "syntaxerror",
    "cannot find module",
    "cannot find package",
    "module not found",
];

/// Whether a module was not built while others wrote reports. The trees differ in their test files alone,
/// so that the new tests are why. No test failed and no new one ran; and either tests that passed before are
/// silent, as those beside the new ones would be, or a compiler says so. Whoever only makes the command
/// fail gains nothing: `green` asks that more tests run than before, where only new files came.
fn does_not_build(run: &SuiteRun, known: &Tests) -> bool {
    let ran = [TestResult::Passed, TestResult::Skipped].map(|result| run.tests.that(result));
    if ran.iter().flatten().any(|name| !known.has(name)) {
        return false;
    }
    let is_silent = known.that(TestResult::Passed).iter().any(|name| !run.tests.has(name));
    let said = match &run.said {
        Said::Now(said) => String::from_utf8_lossy(said).to_lowercase(),
        Said::Earlier { .. } => String::new(),
    };
    is_silent || NOT_BUILT.iter().any(|words| said.contains(words))
}

/// Says why tests that failed once are not proven to fail, from a second run on the same files.
///
/// A run that gave no answer repeats nothing: the machine may have been too slow, or the network away.
fn not_repeated(again: &Result<SuiteRun, Seen>) -> Option<(Fault, String)> {
    match again {
        Ok(SuiteRun { how: How::Failed, .. }) => None,
        Ok(SuiteRun { how: How::Passed, .. }) => {
            let why = "failed once, and passed when it ran again on the same files: the failure cannot \
                       be repeated";
            Some((Fault::Wrong, why.to_owned()))
        }
        Ok(SuiteRun { how: How::NoAnswer, words, .. }) => {
            let why = format!("failed once, and could not run again: {words}");
            Some((Fault::NoAnswer, why))
        }
        Err(seen) => {
            let why = format!("failed once, and could not run again: {}", seen.summary());
            Some((Fault::NoAnswer, why))
        }
    }
}

/// Names what the step took away or what could not run beside it. Behaviour that goes takes its tests
/// along, so this is no fault, but whoever reviews the story should know.
fn taken_away(run: &SuiteRun, known: &Tests, trees: &Trees) -> String {
    let mut words = String::new();
    let mut silent = known.that(TestResult::Passed);
    silent.retain(|name| !run.tests.has(name));
    // Where files were only added, nothing is gone: a runner that stops at the first file that does
    // not load runs nothing else.
    if !trees.only_added && matches!(run.tests, Tests::Read { .. }) && !silent.is_empty() {
        words = format!("; tests that passed before did not run: {}", names(&silent));
    }
    if !trees.removed.is_empty() {
        words.push_str(&format!("; test files were removed: {}", few(&trees.removed)));
    }
    words
}

/// Names new tests that did not run: they may be why everything passes.
fn with_skipped(summary: String, run: &SuiteRun, known: &Tests) -> String {
    let skipped = run.tests.that(TestResult::Skipped).into_iter();
    let skipped: Vec<String> = skipped.filter(|name| !known.has(name)).cloned().collect();
    match skipped.is_empty() {
        true => summary,
        false => format!("{summary}; skipped: {}", few(&skipped)),
    }
}

fn names(all: &[&String]) -> String {
    few(&all.iter().map(|name| (*name).clone()).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(how: How) -> Result<SuiteRun, Seen> {
        let words = "took longer than 2.0s".to_owned();
        Ok(SuiteRun {
            ended: None,
            how,
            words,
            said: Said::Now(Vec::new()),
            tests: Tests::NotAsked,
        })
    }

    fn read(results: &[(&str, TestResult)]) -> Tests {
        let ran = u64::try_from(results.len()).unwrap();
        let results = results.iter().map(|(name, result)| ((*name).to_owned(), *result)).collect();
        Tests::Read { ran, results, failures: String::new() }
    }

    /// One module of several does not compile, and the others write their reports.
    #[test]
    fn new_tests_that_do_not_compile_in_one_module_are_red() {
        let passed = |names: &[&'static str]| {
            read(&names.iter().map(|name| (*name, TestResult::Passed)).collect::<Vec<_>>())
        };
        let known = passed(&["core.a", "web.a"]);
        let fault = |said: &str, tests: Tests| {
            let (words, said) = ("exited with 1".to_owned(), Said::Now(said.into()));
            fails_now(&SuiteRun { ended: None, how: How::Failed, words, said, tests }, &known, true)
                .0
        };
        assert_eq!(fault("", passed(&["core.a"])), None, "those beside the new ones are silent");
        let compiler = "[ERROR] COMPILATION ERROR : cannot find symbol";
        assert_eq!(fault(compiler, passed(&["core.a", "web.a"])), None, "a module of its own");
        let loader = "error: Cannot find module '../twice' from 'test/twice.test.js'";
        assert_eq!(fault(loader, passed(&["core.a", "web.a"])), None, "a file that is not loaded");
        assert_eq!(fault("lint: no", passed(&["core.a", "web.a"])), Some(Fault::Wrong));
        let new_passes = passed(&["core.a", "core.b"]);
        assert_eq!(fault(compiler, new_passes), Some(Fault::Wrong), "a new one is green already");
        let old_fails = read(&[("core.a", TestResult::Failed)]);
        assert_eq!(fault(compiler, old_fails), Some(Fault::Wrong));
    }

    #[test]
    fn only_a_second_failure_repeats_the_first() {
        assert_eq!(not_repeated(&run(How::Failed)), None);
        let fault = |again| not_repeated(&again).map(|(fault, _)| fault);
        assert_eq!(fault(run(How::Passed)), Some(Fault::Wrong));
        assert_eq!(fault(run(How::NoAnswer)), Some(Fault::NoAnswer));
        let unprepared = Seen::unanswered("prepare `npm ci` exited with 1".to_owned());
        assert_eq!(fault(Err(unprepared)), Some(Fault::NoAnswer));
    }
}
