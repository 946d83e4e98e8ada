//! Protected files that are neither as they were nor as a person pinned them.

use std::collections::BTreeSet;

use windlass_core::id::ObjectId;
use windlass_core::plan::{CheckKind, Criterion};
use windlass_core::proof::{
    MAX_LISTED_PATHS, MAX_PROTECTED_DIFF_BYTES, ProtectedChange, VerifyReport,
};
use windlass_core::protect::{Counts, Entry, Protected, Rules, Seen, values};

use super::changes::{Changes, LINK_MODE, set};
use super::verifier::{Broken, Looking};
use crate::git::{Change, EngineRepository, GitError, TreeEntry};

/// Git's mode of a submodule.
const SUBMODULE_MODE: u32 = 0o160_000;

impl Looking<'_> {
    /// Compares protected files with the code that was committed last; `changes` are those since `base`.
    pub(super) fn look_at_protected(
        &self,
        base: &ObjectId,
        changes: &Changes,
        report: &mut VerifyReport,
    ) -> Result<(), Broken> {
        let request = self.request;
        let (committed, code) = (request.committed_code, &request.snapshot.code);
        let since_commit;
        let changes = if base == committed {
            changes
        } else {
            since_commit = Changes::between(self.engine, committed, code)?;
            &since_commit
        };
        let (all, own_tests) = (&request.plan.protect, set(&self.own_tests()));
        let but_tests: Vec<Protected> =
            all.iter().filter(|rule| !rule.is_found_tests()).cloned().collect();
        let (all, but_tests) = (Rules::new(all), Rules::new(&but_tests));
        let trees = Trees { engine: self.engine, base: committed, tree: code };
        for change in changes.iter() {
            if report.protected.len() == MAX_LISTED_PATHS {
                break;
            }
            let is_own = own_tests.is_match(change.path.to_string());
            let rules = if is_own { &but_tests } else { &all };
            let found = trees.judge(rules, change)?.filter(|found| !self.is_pinned(found));
            let Some(found) = found else { continue };
            // Tests that the run itself wrote are its work, also for a later step.
            if trees.judge(&but_tests, change)?.is_none()
                && self.engine.read_blob(request.base_code, &change.path)?.is_none()
            {
                continue;
            }
            report.protected.push(found);
        }
        for held in self.held_tests_changed()? {
            if report.protected.iter().all(|change| change.path != held.path) {
                report.protected.push(held);
            }
        }
        if !report.protected.is_empty() {
            let paths = changes.exact(&report.protected);
            // Nothing since the commit: then it is held tests that are as they were before red.
            let held = || self.request.held.iter().find_map(|held| held.proven);
            let (from, paths) = match (paths.is_empty(), held()) {
                (true, Some(red)) => {
                    let since = Changes::between(self.engine, &red.code, code)?;
                    (&red.code, since.exact(&report.protected))
                }
                _ => (committed, paths),
            };
            let patch = self.engine.patch_as_text(from, code, &paths, MAX_PROTECTED_DIFF_BYTES)?;
            report.protected_diff = Some(self.verifier.blobs.put(&patch)?);
        }
        Ok(())
    }

    /// Globs of tests that the step itself is about: `red` and `green` say which of those may change.
    fn own_tests(&self) -> Vec<String> {
        let is_suite = |kind: &CheckKind| matches!(kind, CheckKind::Red(_) | CheckKind::Green(_));
        let checks = self.request.step.done.as_ref().map(Criterion::checks).unwrap_or_default();
        if !checks.iter().any(|check| is_suite(&check.kind)) {
            return Vec::new();
        }
        // What is a test stands at `red`, also for the step that is `green` after it.
        let criteria = self.request.plan.steps.iter().filter_map(|step| step.done.as_ref());
        let suites = criteria.flat_map(Criterion::checks).filter_map(|check| match &check.kind {
            CheckKind::Red(suite) | CheckKind::Green(suite) => Some(&suite.tests),
            _ => None,
        });
        suites.flatten().cloned().collect()
    }

    /// Whether a person said that it may be as it is.
    fn is_pinned(&self, change: &ProtectedChange) -> bool {
        let request = self.request;
        match &change.values {
            Some(values) => request.pinned_values.get(&change.path) == Some(values),
            None => request.pins.get(&change.path).is_some_and(|pin| *pin == change.now),
        }
    }
}

/// Returns the changes between two trees that would ask a person, with nothing pinned.
///
/// # Errors
/// Git cannot compare or read them.
pub fn protected_between(
    engine: &EngineRepository,
    rules: &[Protected],
    base: &ObjectId,
    tree: &ObjectId,
) -> Result<Vec<ProtectedChange>, GitError> {
    let (rules, trees) = (Rules::new(rules), Trees { engine, base, tree });
    let changes = engine.diff(base, tree)?;
    let found = changes.iter().map(|change| trees.judge(&rules, change));
    found.filter_map(Result::transpose).collect()
}

/// Two trees that are compared.
struct Trees<'a> {
    engine: &'a EngineRepository,
    base: &'a ObjectId,
    tree: &'a ObjectId,
}

impl Trees<'_> {
    /// Returns what the rules say about one change between them.
    fn judge(&self, rules: &Rules, change: &Change) -> Result<Option<ProtectedChange>, GitError> {
        let path = change.path.to_string();
        let (was, now) = (entry(change.old.as_ref()), entry(change.new.as_ref()));
        match rules.look(Seen { path: &path, was, now }) {
            None => Ok(None),
            Some(Counts::Whole) => Ok(Some(whole(change))),
            Some(Counts::Keys(keys)) => self.keyed(change, &keys),
        }
    }

    /// Compares the values of keys; a file that cannot be read counts wholly.
    fn keyed(
        &self,
        change: &Change,
        keys: &BTreeSet<String>,
    ) -> Result<Option<ProtectedChange>, GitError> {
        let path = change.path.to_string();
        let read = |tree: &ObjectId, entry: Option<&TreeEntry>| match entry {
            Some(_) => self.engine.read_blob(tree, &change.path),
            None => Ok(None),
        };
        let before = read(self.base, change.old.as_ref())?;
        let now = read(self.tree, change.new.as_ref())?;
        let (Some(before), Some(values)) =
            (values(&path, before.as_deref(), keys), values(&path, now.as_deref(), keys))
        else {
            return Ok(Some(whole(change)));
        };
        let (keys, hash) = (before.changed(&values), values.hash());
        if keys.is_empty() {
            return Ok(None);
        }
        let now = change.new.as_ref().map(|entry| entry.id.clone());
        Ok(Some(ProtectedChange { path, now, keys, values: Some(hash), held_by: None }))
    }
}

fn whole(change: &Change) -> ProtectedChange {
    let now = change.new.as_ref().map(|entry| entry.id.clone());
    ProtectedChange::of_file(change.path.to_string(), now)
}

fn entry(entry: Option<&TreeEntry>) -> Option<Entry> {
    entry.map(|entry| match entry.mode {
        LINK_MODE | SUBMODULE_MODE => Entry::Link,
        _ => Entry::File,
    })
}
