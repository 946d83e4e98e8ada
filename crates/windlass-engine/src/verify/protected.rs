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
use crate::git::{Change, TreeEntry};

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
        for change in changes.iter() {
            if report.protected.len() == MAX_LISTED_PATHS {
                break;
            }
            let path = change.path.to_string();
            let seen = Seen {
                path: &path,
                was: entry(change.old.as_ref()),
                now: entry(change.new.as_ref()),
            };
            let rules = if own_tests.is_match(&path) { &but_tests } else { &all };
            let counts = rules.look(seen);
            // Tests that the run itself wrote are its work, also for a later step.
            let only_as_test = counts.is_some() && but_tests.look(seen).is_none();
            if only_as_test && self.engine.read_blob(request.base_code, &change.path)?.is_none() {
                continue;
            }
            match counts {
                None => {}
                Some(Counts::Whole) => report.protected.extend(self.whole(change)),
                Some(Counts::Keys(keys)) => report.protected.extend(self.keyed(change, &keys)?),
            }
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

    fn whole(&self, change: &Change) -> Option<ProtectedChange> {
        let path = change.path.to_string();
        let now = change.new.as_ref().map(|entry| entry.id.clone());
        let pinned = self.request.pins.get(&path).is_some_and(|pin| *pin == now);
        (!pinned).then(|| ProtectedChange::of_file(path, now))
    }

    /// Compares the values of keys; a file that cannot be read counts wholly.
    fn keyed(
        &self,
        change: &Change,
        keys: &BTreeSet<String>,
    ) -> Result<Option<ProtectedChange>, Broken> {
        let path = change.path.to_string();
        let read = |tree: &ObjectId, entry: Option<&TreeEntry>| match entry {
            Some(_) => self.engine.read_blob(tree, &change.path),
            None => Ok(None),
        };
        let before = read(self.request.committed_code, change.old.as_ref())?;
        let now = read(&self.request.snapshot.code, change.new.as_ref())?;
        let (Some(before), Some(values)) =
            (values(&path, before.as_deref(), keys), values(&path, now.as_deref(), keys))
        else {
            return Ok(self.whole(change));
        };
        let keys = before.changed(&values);
        let hash = values.hash();
        if keys.is_empty() || self.request.pinned_values.get(&path) == Some(&hash) {
            return Ok(None);
        }
        let now = change.new.as_ref().map(|entry| entry.id.clone());
        Ok(Some(ProtectedChange { path, now, keys, values: Some(hash), held_by: None }))
    }
}

fn entry(entry: Option<&TreeEntry>) -> Option<Entry> {
    entry.map(|entry| match entry.mode {
        LINK_MODE | SUBMODULE_MODE => Entry::Link,
        _ => Entry::File,
    })
}
