//! Whether the tests of red are run: with nonsense in them the command has to notice, and none that
//! stands in them is missing.
//!
//! A runner can be told to leave tests out in more ways than anybody can list: a script in a manifest, a
//! setting, a module that is no longer named. Fillers then keep the number of tests as it was. What
//! none of them survives is a test file that nothing can read.

use std::collections::BTreeSet;

use windlass_core::measure::{Declared, TestResult, may_declare_tests};
use windlass_core::plan::Suite;
use windlass_core::proof::Red;

use super::changes::{Changes, LINK_MODE};
use super::suites::{How, Tests};
use super::tests_named::stands_in;
use super::verifier::{Broken, Looking, few};
use crate::git::{Change, TreeEntry, TreePath};

/// No language and no format that tests are written in has a file that begins like this.
const NONSENSE: &[u8] = b")]}> windlass asks whether this file is read <{[(\n";

/// How many test files are searched for names.
const MAX_FILES: usize = 200;

/// Shorter names stand everywhere.
const SHORTEST_NAME: usize = 3;

impl Looking<'_> {
    /// Returns why the tests of red do not take part in a run that passed and in which `ran` tests ran;
    /// none if the command notices that they cannot be read. Of the files that a person `accepted` as they
    /// are now, those count that are still there.
    pub(super) fn not_run(
        &mut self,
        suite: &Suite,
        red: &Red,
        globs: &[String],
        ran: Option<u64>,
        accepted: &BTreeSet<TreePath>,
    ) -> Result<Option<String>, Broken> {
        let by_red = Changes::between(self.engine, &red.base, &red.code)?;
        let tests: Vec<&Change> = by_red
            .matching(globs)
            .into_iter()
            .filter(|change| change.new.as_ref().is_some_and(|entry| entry.mode != LINK_MODE))
            .filter(|change| is_of(suite, red, &change.path.to_string()))
            .collect();
        let mut there = Vec::new();
        for change in tests {
            let code = &self.request.snapshot.code;
            if !accepted.contains(&change.path) || self.engine.has_file(code, &change.path)? {
                there.push(change);
            }
        }
        let tests = there;
        if tests.is_empty() {
            return Ok(None);
        }
        let id = self.engine.write_blob(NONSENSE)?;
        let unreadable: Vec<Change> = tests
            .iter()
            .map(|change| {
                let new = change.new.as_ref();
                let new = new.map(|entry| TreeEntry { mode: entry.mode, id: id.clone() });
                Change { new, ..(*change).clone() }
            })
            .collect();
        fs_err::create_dir_all(&self.verifier.scratch)?;
        let scratch =
            tempfile::Builder::new().prefix("green-").tempdir_in(&self.verifier.scratch)?;
        let changes: Vec<&Change> = unreadable.iter().collect();
        let code = self.engine.overlay(&self.request.snapshot.code, &changes, scratch.path())?;
        let run = match self.run_suite(suite, &code)? {
            Ok(run) => run,
            // That the tree cannot even be made ready is noticing it.
            Err(_) => return Ok(None),
        };
        let same = match &run.tests {
            Tests::NotAsked => true,
            Tests::None | Tests::Unreadable(_) => false,
            Tests::Read { .. } => {
                run.tests.that(TestResult::Failed).is_empty() && run.tests.ran() >= ran
            }
        };
        if run.how != How::Passed || !same {
            return Ok(None);
        }
        let names: Vec<String> = tests.iter().map(|change| change.path.to_string()).collect();
        Ok(Some(format!(
            "passes, but the tests of red are not run: it passes as well with nonsense in {}",
            few(&names)
        )))
    }
}

impl Looking<'_> {
    /// Returns those of the tests that are gone from the reports which still stand in the files of red.
    ///
    /// A file that did not load fails under a name of its own, and its tests come in its place; only
    /// what is a test by the text of its file is missed. Files that a person `accepted` are read as they are
    /// now: what stands in them still is what the person expects to run.
    pub(super) fn still_written(
        &self,
        suite: &Suite,
        red: &Red,
        gone: &[&String],
        accepted: &BTreeSet<TreePath>,
    ) -> Result<Vec<String>, Broken> {
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let by_red = Changes::between(self.engine, &red.base, &red.code)?;
        let mut files = Vec::new();
        for change in by_red.matching(&self.test_globs(suite)).into_iter().take(MAX_FILES) {
            let code = match accepted.contains(&change.path) {
                true => &self.request.snapshot.code,
                false => &red.code,
            };
            let content = self.engine.read_blob(code, &change.path)?.unwrap_or_default();
            files.push((change.path.to_string(), content));
        }
        let written = |name: &str| {
            !files.iter().any(|(path, _)| names_file(name, path))
                && files.iter().any(|(_, content)| is_written(name, content))
        };
        Ok(gone.iter().filter(|name| written(name)).map(|name| (*name).clone()).collect())
    }
}

impl Looking<'_> {
    /// Returns how many of the tests that ran at red a person let go: those that the accepted files declared
    /// then and do not any more. None where nobody can count them.
    pub(super) fn let_go(
        &self,
        red: &Red,
        accepted: &BTreeSet<TreePath>,
    ) -> Result<Option<u64>, Broken> {
        let mut fewer = 0;
        for path in accepted {
            let name = path.to_string();
            if !may_declare_tests(&name) {
                return Ok(None);
            }
            let declared = |code| -> Result<u64, Broken> {
                // A file that is gone declares nothing, whatever it is called.
                let Some(text) = self.engine.read_blob(code, path)? else { return Ok(0) };
                Ok(Declared::in_file(&name, &String::from_utf8_lossy(&text)).count())
            };
            let now = declared(&self.request.snapshot.code)?;
            fewer += declared(&red.code)?.saturating_sub(now);
        }
        Ok(Some(fewer))
    }
}

/// Whether a name in a report, `class.name`, ends with the name of a test in this text.
fn is_written(name: &str, content: &[u8]) -> bool {
    let name = name.split('[').next().unwrap_or_default();
    let ends = name.match_indices('.').map(|(at, _)| &name[at + 1..]);
    let mut ends = ends.chain([name]).filter(|end| end.len() >= SHORTEST_NAME);
    ends.any(|end| stands_in(end, content))
}

/// Whether a name in a report is that of a file: `tests.test_a` or `/tree/test/a.test.js`.
fn names_file(name: &str, path: &str) -> bool {
    let plain = |text: &str| -> String {
        let text = text.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '.' });
        text.collect::<String>().trim_matches('.').to_owned()
    };
    let (name, whole) = (plain(name), plain(path));
    let stem = path.rsplit_once('.').map_or_else(|| whole.clone(), |(stem, _)| plain(stem));
    [whole, stem].iter().any(|path| name.ends_with(path.as_str()) || path.ends_with(&name))
}

/// Whether a file is tested by this suite and by none in a folder further down.
fn is_of(suite: &Suite, red: &Red, path: &str) -> bool {
    let below = |folder: &str| {
        path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
    };
    let own = suite.folder.as_deref().map_or(0, str::len);
    let deeper = red.suites.iter().filter_map(|other| other.folder.as_deref());
    suite.folder.as_deref().is_none_or(below)
        && !deeper.filter(|folder| folder.len() > own).any(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_did_not_load_is_told_from_a_test() {
        assert!(names_file("tests.test_sub", "tests/test_sub.py"));
        assert!(names_file("tests.test_sub", "web/tests/test_sub.py"));
        assert!(names_file("test./tree/test/sub.test.js", "test/sub.test.js"));
        assert!(!names_file("tests.test_sub.test_sub", "tests/test_sub.py"));
        assert!(!names_file("test.five minus three", "test/sub.test.js"));
    }

    #[test]
    fn the_name_of_a_test_is_found_behind_its_class() {
        assert!(is_written("test.adds 1.5", b"test('adds 1.5', () => {})"));
        assert!(is_written("tests.test_sub.test_sub[1-2]", b"def test_sub(a):"));
        assert!(!is_written("pkg.TestMain", b"func TestAdds(t *testing.T) {}"));
        assert!(!is_written("Test suite failed to run", b"test('adds', () => {})"));
        assert!(!is_written("", b"anything"));
    }
}
