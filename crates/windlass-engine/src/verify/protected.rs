//! Protected files that are neither as they were nor as a person pinned them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use windlass_core::id::ObjectId;
use windlass_core::plan::{CheckKind, Criterion};
use windlass_core::proof::{
    MAX_LISTED_PATHS, MAX_PROTECTED_DIFF_BYTES, ProtectedChange, VerifyReport,
};
use windlass_core::protect::{
    Asked, Counts, Entry, Keys, MAX_KEYED_BYTES, Protected, Rules, Seen, values,
};

use super::changes::{Changes, LINK_MODE, set};
use super::verifier::{Broken, Looking};
use crate::git::{Bounds, Change, ChangeStatus, EngineRepository, GitError, TreeEntry};

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
        let (rules, own_tests) = (request.plan.rules(), set(&self.own_tests()));
        let (all, but_tests) = (&rules.all, &rules.but_tests);
        let keyed = Keyed::read(self.engine, all, changes.iter())?;
        for change in changes.iter() {
            if report.protected.len() == MAX_LISTED_PATHS {
                break;
            }
            let is_own = own_tests.is_match(change.path.to_string());
            let rules = if is_own { but_tests } else { all };
            let in_base = || self.engine.read_blob(request.base_code, &change.path);
            let at_once = |change: &Change| {
                keyed.judge(rules, change).filter(|found| found.asked == Asked::AtOnce)
            };
            let mut judged = at_once(change).map(|found| (found, Cow::Borrowed(change)));
            if judged.is_none() && change.old.is_some() {
                // A file that is new to the run stays new until it ends, whoever committed it.
                let new = Change { old: None, status: ChangeStatus::Added, ..change.clone() };
                let found = at_once(&new);
                if let Some(found) = found
                    && in_base()?.is_none()
                {
                    judged = Some((found, Cow::Owned(new)));
                }
            }
            let Some((found, change)) = judged.filter(|(found, _)| !self.is_pinned(&found.change))
            else {
                continue;
            };
            // Tests that the run itself wrote are its work, also for a later step.
            if keyed.judge(but_tests, &change).is_none() && in_base()?.is_none() {
                continue;
            }
            report.protected.push(found.change);
        }
        let surplus_since_base = self.look_at_what_waits(changes, report)?;
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
                // Some of it was committed by earlier steps, so only the whole way shows it.
                _ if surplus_since_base => {
                    let since = Changes::between(self.engine, self.request.base_code, code)?;
                    (self.request.base_code, since.exact(&report.protected))
                }
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

    /// Notes protected files that are asked about at the next gate. With those that are asked about at once
    /// they go into one question; more than anybody lists are asked about at once, too. Returns whether
    /// such a surplus is seen since the base only.
    fn look_at_what_waits(
        &self,
        since_commit: &Changes,
        report: &mut VerifyReport,
    ) -> Result<bool, Broken> {
        let request = self.request;
        let (rules, code) = (&request.plan.rules().all, &request.snapshot.code);
        let since_base;
        let (from, changes) = if request.has_unseen {
            since_base = Changes::between(self.engine, request.base_code, code)?;
            (request.base_code, &since_base)
        } else {
            (request.committed_code, since_commit)
        };
        let keyed = Keyed::read(self.engine, rules, changes.iter())?;
        let mut waiting = Vec::new();
        for change in changes.iter() {
            let found = keyed.judge(rules, change).filter(|found| found.waits);
            let Some(found) = found.filter(|found| !self.is_pinned(&found.change)) else {
                continue;
            };
            if report.protected.iter().all(|asked| asked.path != found.change.path) {
                waiting.push(found.change);
            }
        }
        let room = MAX_LISTED_PATHS.saturating_sub(report.protected.len());
        if from == request.committed_code && !report.protected.is_empty() {
            report.protected.extend(waiting.into_iter().take(room));
            return Ok(false);
        }
        let surplus = waiting.len() > MAX_LISTED_PATHS;
        if surplus {
            let more = waiting.split_off(MAX_LISTED_PATHS);
            report.protected.extend(more.into_iter().take(room));
        }
        if !waiting.is_empty() {
            let paths = changes.exact(&waiting);
            let patch = self.engine.patch_as_text(from, code, &paths, MAX_PROTECTED_DIFF_BYTES)?;
            report.later_diff = Some(self.verifier.blobs.put(&patch)?);
        }
        report.later = waiting;
        Ok(surplus && from == request.base_code)
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

/// A change that a person is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What changed.
    pub change: ProtectedChange,
    /// When the person is asked.
    pub asked: Asked,
    /// Whether some of it is asked about at the next gate, whatever is asked about the rest.
    pub waits: bool,
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
) -> Result<Vec<Found>, GitError> {
    let (rules, changes) = (Rules::new(rules), engine.diff(base, tree)?);
    let keyed = Keyed::read(engine, &rules, changes.iter())?;
    Ok(changes.iter().filter_map(|change| keyed.judge(&rules, change)).collect())
}

/// How much is read to compare keys: whatever is beyond it counts wholly. An agent can write any number of
/// manifests, and nobody waits for all of them.
const KEYED: Bounds = Bounds { files: 2_000, each: MAX_KEYED_BYTES, all: 64 << 20 };

/// What the changed files say of which only keys count, before and now.
struct Keyed {
    contents: BTreeMap<ObjectId, Vec<u8>>,
}

impl Keyed {
    /// Reads all of them at once: a process for each would take longer than the rest of a verification.
    fn read<'a>(
        engine: &EngineRepository,
        rules: &Rules,
        changes: impl Iterator<Item = &'a Change>,
    ) -> Result<Self, GitError> {
        let mut ids = Vec::new();
        for change in changes.filter(|change| matches!(look(rules, change), Some(Counts::Keys(_))))
        {
            ids.extend([&change.old, &change.new].into_iter().flatten().map(|entry| &entry.id));
        }
        Ok(Self { contents: engine.read_within(&ids, KEYED)? })
    }

    /// Returns what the rules say about one change.
    fn judge(&self, rules: &Rules, change: &Change) -> Option<Found> {
        match look(rules, change)? {
            Counts::Whole(asked) => {
                Some(Found { change: whole(change), asked, waits: asked == Asked::Later })
            }
            Counts::Keys(keys) => self.keyed(change, &keys),
        }
    }

    /// Compares the values of keys; a file that cannot be read, or was not, counts wholly.
    fn keyed(&self, change: &Change, keys: &Keys) -> Option<Found> {
        let (path, all) = (change.path.to_string(), keys.all());
        let read = |entry: Option<&TreeEntry>| match entry {
            Some(entry) => values(&path, Some(self.contents.get(&entry.id)?), &all),
            None => values(&path, None, &all),
        };
        let (Some(before), Some(values)) = (read(change.old.as_ref()), read(change.new.as_ref()))
        else {
            let asked = keys.unread();
            return Some(Found { change: whole(change), asked, waits: asked == Asked::Later });
        };
        let (changed, hash) = (before.changed(&values), values.hash());
        let (asked, waits) = (keys.asked(&changed), keys.waits(&changed));
        if keys.rest {
            return Some(Found { change: whole(change), asked, waits });
        }
        if changed.is_empty() {
            return None;
        }
        let now = change.new.as_ref().map(|entry| entry.id.clone());
        let values = Some(hash);
        let change = ProtectedChange { path, now, keys: changed, values, held_by: None };
        Some(Found { change, asked, waits })
    }
}

/// What of a change counts by the rules.
fn look(rules: &Rules, change: &Change) -> Option<Counts> {
    let path = change.path.to_string();
    let (was, now) = (entry(change.old.as_ref()), entry(change.new.as_ref()));
    rules.look(Seen { path: &path, was, now })
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
