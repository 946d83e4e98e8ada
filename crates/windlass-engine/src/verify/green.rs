//! Tests of an earlier step that pass now, unchanged: the check `green`.

use std::collections::BTreeSet;
use std::time::Instant;

use windlass_core::id::{ObjectId, StepId};
use windlass_core::measure::TestResult;
use windlass_core::plan::{Check, Holds, Suite};
use windlass_core::proof::{Proof, Red, RedSuite};

use super::changes::{Changes, LINK_MODE};
use super::seen::Seen;
use super::suites::{How, MAX_NAMES_BYTES, Said, SuiteRun, Tests};
use super::verifier::{Broken, Looking, few};
use crate::git::{Change, ChangeStatus, TreePath};

/// The step that proved its tests to fail.
pub struct RedStep<'a> {
    /// The step.
    pub id: &'a StepId,
    /// The globs of its test files.
    pub tests: Vec<String>,
    /// What it proved; none unless it is proven.
    pub proven: Option<&'a Red>,
}

impl<'a> Looking<'a> {
    pub(super) fn look_at_green(&mut self, check: &Check, suite: &Suite) -> Result<Proof, Broken> {
        let began = Instant::now();
        let command = &suite.command;
        let red = match self.red_as_it_was(suite)? {
            Ok(red) => red,
            Err(why) => return Ok(Seen::no(format!("green: {why}")).proof(check, began)),
        };
        let run = match self.run_suite(suite, &self.request.snapshot.code)? {
            Ok(run) => run,
            Err(seen) => return Ok(seen.proof(check, began)),
        };
        let (holds, summary) = match run.how {
            How::NoAnswer => (Holds::Unknown, run.words.clone()),
            How::Failed => (Holds::No, run.tests.and_failed(&run.words)),
            How::Passed => self.passes(suite, red, &run.tests, &BTreeSet::new())?,
        };
        let (holds, summary) = match holds {
            Holds::Yes => self.and_is_run(suite, red, run.tests.ran(), summary)?,
            Holds::No | Holds::Unknown => (holds, summary),
        };
        let summary = format!("green `{command}`: {summary}");
        let SuiteRun { said, tests, ended, .. } = run;
        Ok(match said {
            Said::Now(output) => {
                let kept = self.verifier.keep(&output, tests.failures())?;
                crate::fault::point("evidence-kept");
                let seen = Seen::kept(holds, summary, kept).that_ended(ended);
                self.settled(seen, check)?.proof(check, began)
            }
            Said::Earlier { evidence, took } => {
                let seen = Seen::kept(holds, summary, (evidence, String::new()));
                Proof { cached: true, took, ..seen.proof(check, began) }
            }
        })
    }

    /// Looks at the tests of red once more when everything else is done: they pass in this run of the
    /// command, and are still those that failed.
    pub(super) fn look_at_green_again(
        &mut self,
        check: &Check,
        suite: &Suite,
        run: &SuiteRun,
    ) -> Result<Proof, Broken> {
        let began = Instant::now();
        let (holds, summary) = match run.how {
            How::NoAnswer => (Holds::Unknown, run.words.clone()),
            How::Failed => (Holds::No, run.tests.and_failed(&run.words)),
            How::Passed => self.still_green(suite, run)?,
        };
        let summary = format!("green `{}`: {summary}", suite.command);
        let kept = match &run.said {
            Said::Now(output) => self.verifier.keep(output, run.tests.failures())?,
            Said::Earlier { evidence, .. } => (evidence.clone(), String::new()),
        };
        let seen = Seen::kept(holds, summary, kept).that_ended(run.ended.clone());
        Ok(self.settled_cold(seen, check)?.proof(check, began))
    }

    fn still_green(&mut self, suite: &Suite, run: &SuiteRun) -> Result<(Holds, String), Broken> {
        let Some(red) = self.request.red.as_ref().and_then(|step| step.proven) else {
            // Red was skipped or waived: there is nothing to compare with.
            return Ok((Holds::Yes, run.words.clone()));
        };
        let globs = self.test_globs(suite);
        let changed = self.changed_since_red(red, &globs)?;
        let is_pinned = |(path, now): &(TreePath, Option<ObjectId>)| {
            self.request.pins.get(&path.to_string()).is_some_and(|pin| pin == now)
        };
        let (accepted, changed): (Vec<_>, Vec<_>) = changed.into_iter().partition(is_pinned);
        if !changed.is_empty() {
            let paths: Vec<String> = changed.iter().map(|(path, _)| path.to_string()).collect();
            return Ok((Holds::No, format!("tests of red were changed since: {}", few(&paths))));
        }
        let accepted: BTreeSet<TreePath> = accepted.into_iter().map(|(path, _)| path).collect();
        let (holds, summary) = self.passes(suite, red, &run.tests, &accepted)?;
        let are_counted = !matches!(run.tests, Tests::NotAsked) && accepted.is_empty();
        if holds != Holds::Yes || are_counted {
            return Ok((holds, summary));
        }
        // No report tells whether they all ran, so that only nonsense shows it.
        Ok(match self.not_run(suite, red, &globs, run.tests.ran(), &accepted)? {
            Some(why) => (Holds::No, why),
            None => (holds, summary),
        })
    }

    /// Returns what red proved, or why there is nothing to compare with, or what is not as it was.
    fn red_as_it_was(&self, suite: &Suite) -> Result<Result<&'a Red, String>, Broken> {
        let Some(step) = &self.request.red else {
            return Ok(Err("no step before this one has a `red`".to_owned()));
        };
        let Some(red) = step.proven else {
            let why = format!(
                "`{}` is not proven, so there are no failing tests that could pass now",
                step.id
            );
            return Ok(Err(why));
        };
        let globs = self.test_globs(suite);
        let since = Changes::between(self.engine, &red.code, &self.request.snapshot.code)?;
        let changes = since.matching(&globs);
        let (added, mut changed): (Vec<&Change>, Vec<&Change>) =
            changes.into_iter().partition(|change| change.status == ChangeStatus::Added);
        if !added.is_empty() {
            // A test that red took away is none that may come back.
            let by_red = Changes::between(self.engine, &red.base, &red.code)?;
            let gone = by_red.matching(&globs);
            let back = |change: &&Change| gone.iter().any(|gone| gone.path == change.path);
            changed.extend(added.into_iter().filter(back));
        }
        changed.retain(|change| {
            let now = change.new.as_ref().map(|entry| entry.id.clone());
            self.request.pins.get(&change.path.to_string()).is_none_or(|pin| *pin != now)
        });
        if changed.is_empty() {
            return Ok(Ok(red));
        }
        let words: Vec<String> = changed.into_iter().map(in_words).collect();
        Ok(Err(format!("a test was changed between red and green: {}", few(&words))))
    }

    /// What the reports of tests that pass say. Of the tests in files that a person accepted as they are now,
    /// those that stand there still have to run, and no fewer in all than the person let go.
    fn passes(
        &self,
        suite: &Suite,
        red: &Red,
        tests: &Tests,
        accepted: &BTreeSet<TreePath>,
    ) -> Result<(Holds, String), Broken> {
        let unchanged = match accepted.is_empty() {
            true => "passes, and the tests of red are as they were",
            false => "passes, with tests of red as a person accepted them",
        };
        match tests {
            Tests::NotAsked => return Ok((Holds::Yes, unchanged.to_owned())),
            Tests::None => {
                return Ok((Holds::Unknown, "passes, but the command wrote no report".to_owned()));
            }
            Tests::Unreadable(why) => {
                return Ok((
                    Holds::Unknown,
                    format!("passes, but its report cannot be read: {why}"),
                ));
            }
            Tests::Read { .. } => {}
        }
        let failed: Vec<String> = tests.that(TestResult::Failed).into_iter().cloned().collect();
        if !failed.is_empty() {
            let summary = format!("passes, and hides that tests fail: {}", few(&failed));
            return Ok((Holds::No, summary));
        }
        let (mut at_red, mut ran_at_red) = self.at_red(suite, red)?;
        if !accepted.is_empty() {
            at_red =
                self.still_written(suite, red, &at_red.iter().collect::<Vec<_>>(), accepted)?;
            let let_go = self.let_go(red, accepted)?;
            ran_at_red = let_go.map_or(0, |fewer| ran_at_red.saturating_sub(fewer));
        }
        let skipped: Vec<String> = tests
            .that(TestResult::Skipped)
            .into_iter()
            .filter(|name| at_red.contains(name))
            .cloned()
            .collect();
        if !skipped.is_empty() {
            let summary = format!("tests that failed at red are skipped now: {}", few(&skipped));
            return Ok((Holds::No, summary));
        }
        let ran = tests.ran().unwrap_or(0);
        if ran < ran_at_red.max(1) {
            let at_least = match accepted.is_empty() {
                true => format!("the {ran_at_red} at red"),
                false => format!("the {ran_at_red} of red that a person accepted"),
            };
            let summary = format!("{ran} tests ran, fewer than {at_least}");
            return Ok((Holds::No, summary));
        }
        let gone: Vec<&String> = at_red.iter().filter(|name| !tests.has(name)).collect();
        let left_out = self.still_written(suite, red, &gone, accepted)?;
        if !left_out.is_empty() {
            let summary = format!("tests that failed at red are not run now: {}", few(&left_out));
            return Ok((Holds::No, summary));
        }
        let gone = match gone.len() {
            0 => String::new(),
            count => format!(" ({count} that failed there have other names now)"),
        };
        Ok((Holds::Yes, format!("{unchanged}; {ran} tests ran{gone}")))
    }

    /// Makes sure that what passes is what red proved.
    fn and_is_run(
        &mut self,
        suite: &Suite,
        red: &Red,
        ran: Option<u64>,
        summary: String,
    ) -> Result<(Holds, String), Broken> {
        let globs = self.test_globs(suite);
        let not_run = self.not_run(suite, red, &globs, ran, &BTreeSet::new())?;
        if self.cancel.is_cancelled() {
            return Ok((Holds::Unknown, "cancelled".to_owned()));
        }
        if let Some(why) = not_run {
            return Ok((Holds::No, why));
        }
        let how = self.without_implementation(suite, red, &globs)?;
        if self.cancel.is_cancelled() {
            // What was ended in the middle fails for that alone.
            return Ok((Holds::Unknown, "cancelled".to_owned()));
        }
        Ok(match how {
            How::Failed => (Holds::Yes, summary),
            How::Passed => {
                let why = "passes, and so do the tests without the implementation: what makes them \
                           pass is not in the code";
                (Holds::No, why.to_owned())
            }
            How::NoAnswer => {
                let why = "passes, but the tests say nothing without the implementation";
                (Holds::Unknown, why.to_owned())
            }
        })
    }

    /// The control run: the tests as they are now, on the code that red began from. An implementation
    /// is what they need to pass; a counter, a flag or a clock is not.
    fn without_implementation(
        &mut self,
        suite: &Suite,
        red: &Red,
        globs: &[String],
    ) -> Result<How, Broken> {
        // A suite that never failed, beside one that did, has nothing to show here.
        let same = same_at_red(suite, red);
        if !same.is_empty() && same.iter().all(|other| other.passed) {
            return Ok(How::Failed);
        }
        let since = Changes::between(self.engine, &red.base, &self.request.snapshot.code)?;
        let tests = since.matching(globs);
        fs_err::create_dir_all(&self.verifier.scratch)?;
        let scratch =
            tempfile::Builder::new().prefix("control-").tempdir_in(&self.verifier.scratch)?;
        let code = self.engine.overlay(&red.base, &tests, scratch.path())?;
        Ok(match self.run_suite(suite, &code)? {
            Ok(run) => run.how,
            // Whether the tests fail on a tree that cannot be made ready, nobody knows: the network may
            // have been away.
            Err(_) => How::NoAnswer,
        })
    }

    /// The globs of the test files: those of red, and the check's own.
    pub(super) fn test_globs(&self, suite: &Suite) -> Vec<String> {
        let of_red = self.request.red.iter().flat_map(|step| step.tests.iter());
        of_red.chain(&suite.tests).cloned().collect()
    }

    /// The tests that failed at red, and how many ran there: in the same suite, or in all.
    fn at_red(&self, suite: &Suite, red: &Red) -> Result<(Vec<String>, u64), Broken> {
        let mut suites = same_at_red(suite, red);
        if suites.is_empty() {
            suites = red.suites.iter().collect();
        }
        let mut names: Vec<String> = Vec::new();
        for blob in suites.iter().filter_map(|suite| suite.failing.as_ref()) {
            let bytes = self.verifier.blobs.get(&blob.hash, MAX_NAMES_BYTES)?;
            names.extend(serde_json::from_slice::<Vec<String>>(&bytes).map_err(Broken::Names)?);
        }
        Ok((names, suites.iter().map(|suite| suite.ran).sum()))
    }
}

/// The suites of red that a suite of green is compared with: those with its command and folder, or
/// else all of its folder. Several suites of one folder differ in their commands alone.
fn same_at_red<'r>(suite: &Suite, red: &'r Red) -> Vec<&'r RedSuite> {
    let folder = |other: &&RedSuite| other.folder == suite.folder;
    let in_folder: Vec<&RedSuite> = red.suites.iter().filter(folder).collect();
    let command = |other: &&RedSuite| other.command == suite.command;
    let same: Vec<&RedSuite> = in_folder.iter().copied().filter(command).collect();
    if same.is_empty() { in_folder } else { same }
}

fn in_words(change: &Change) -> String {
    let path = &change.path;
    match (&change.new, &change.old) {
        (None, _) => format!("{path} (removed)"),
        (Some(entry), _) if entry.mode == LINK_MODE => format!("{path} (a link now)"),
        (Some(_), None) => format!("{path} (red removed it)"),
        (Some(_), Some(_)) => path.to_string(),
    }
}
