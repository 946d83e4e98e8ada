//! What a person is shown of a change: first what a fresh clone gets besides lines, then the patch
//! with the files that judge the work in front, then what is left out.

use std::collections::BTreeSet;

use windlass_core::plan::Plan;
use windlass_core::protect::{Entry, Rules, Seen};
use windlass_core::run::RunState;
use windlass_core::snapshot::Snapshot;
use windlass_core::view::{Excerpt, Lines, Room, excerpt, printable};
use windlass_engine::git::{Change, EngineRepository, GitError, PAPERS, TreeEntry, TreePath};

/// How much of a patch is read. Whoever shows it says when there is more.
const MAX_PATCH_BYTES: usize = 64 << 20;

/// Where a diff is shown whole: by the key of this name, at gates of both kinds.
pub(crate) const ALL_OF_IT: &str = "`d` shows all";

/// Which files are shown, and how.
pub(crate) struct Picked<'a> {
    /// Files that judge the work: they come first, and as text whatever their bytes are.
    pub(crate) protected: &'a dyn Fn(&Change) -> bool,
    /// The files that are shown at all, by their path in the place.
    pub(crate) wanted: &'a dyn Fn(&str) -> bool,
    /// Says at which gate a person accepted a file as it is; such a file is named, and not shown again.
    pub(crate) accepted: &'a dyn Fn(&Change) -> Option<String>,
}

/// What differs between two snapshots, to be shown.
#[derive(Default)]
pub(crate) struct ShownWork {
    /// What changed besides lines.
    pub(crate) notes: Vec<String>,
    /// Files that a person accepted before, as they are.
    pub(crate) accepted: Vec<String>,
    code: Vec<u8>,
    accepted_code: Vec<u8>,
    papers: Vec<u8>,
    more: bool,
}

impl ShownWork {
    pub(crate) fn between(
        engine: &EngineRepository,
        (from, to): (&Snapshot, &Snapshot),
        picked: &Picked<'_>,
    ) -> Result<Self, GitError> {
        let mut changes = engine.diff(&from.code, &to.code)?;
        let all = changes.len();
        changes.retain(|change| (picked.wanted)(&change.path.to_string()));
        let notes = engine.clone_notes(&to.code, &changes)?;
        let (mut accepted, mut before) = (Vec::new(), Vec::new());
        changes.retain(|change| match (picked.accepted)(change) {
            Some(words) => {
                accepted.push(words);
                before.push(change.path.clone());
                false
            }
            None => true,
        });
        let mut accepted_code = Vec::new();
        if !before.is_empty() {
            accepted_code = engine.patch_as_text(&from.code, &to.code, &before, MAX_PATCH_BYTES)?;
        }
        let exact = |keep: bool| -> Vec<TreePath> {
            let some = changes.iter().filter(|change| (picked.protected)(change) == keep);
            some.map(|change| change.path.clone()).collect()
        };
        let (first, rest) = (exact(true), exact(false));
        let mut code = Vec::new();
        if !first.is_empty() {
            code = engine.patch_as_text(&from.code, &to.code, &first, MAX_PATCH_BYTES)?;
        }
        let more = code.len() >= MAX_PATCH_BYTES;
        if !rest.is_empty() && !more {
            // No paths means all, which is quicker than naming each.
            let named = if rest.len() == all { &[][..] } else { &rest };
            let room = MAX_PATCH_BYTES - code.len();
            code.extend(engine.patch(&from.code, &to.code, named, room)?);
        }
        let mut papers = Vec::new();
        let mut written = engine.diff(&from.papers, &to.papers)?;
        written.retain(|change| (picked.wanted)(&format!("{PAPERS}{}", change.path)));
        if !written.is_empty() {
            let paths: Vec<TreePath> = written.into_iter().map(|change| change.path).collect();
            let (from, to) = (&from.papers, &to.papers);
            papers = engine.patch_below(PAPERS, from, to, &paths, MAX_PATCH_BYTES)?;
        }
        let more = code.len().max(papers.len()) >= MAX_PATCH_BYTES;
        Ok(Self { notes, accepted, code, accepted_code, papers, more })
    }

    /// The code, as far as there is room.
    pub(crate) fn code(&self, room: Room) -> Excerpt {
        let mut shown = excerpt(&self.code, room);
        shown.left_out.more |= self.more;
        shown
    }

    /// What a person accepted before, whole.
    pub(crate) fn accepted_before(&self) -> Excerpt {
        excerpt(&self.accepted_code, Room::ENDLESS)
    }

    /// The papers, as far as there is room.
    pub(crate) fn papers(&self, room: Room) -> Excerpt {
        excerpt(&self.papers, room)
    }

    /// Code and papers, as far as there is room.
    pub(crate) fn all(&self, room: Room) -> Excerpt {
        let mut shown = self.code(room);
        let left = Room { lines: room.lines - shown.lines.len().min(room.lines), ..room };
        let papers = self.papers(left);
        shown.lines.extend(papers.lines);
        shown.left_out.add(papers.left_out);
        shown
    }
}

/// Says at which gate a person accepted a file, if it is as it was there: its bytes, and its mode, which
/// nobody is asked about apart from them.
pub(crate) fn accepted(state: &RunState, change: &Change) -> Option<String> {
    let path = change.path.to_string();
    let accepted = state.accepted.get(&path)?;
    let now = change.new.as_ref();
    let same_mode = match (&change.old, now) {
        (Some(old), Some(new)) => old.mode == new.mode,
        (None, Some(new)) => new.mode == PLAIN_FILE,
        (_, None) => true,
    };
    if !same_mode || now.map(|entry| &entry.id) != accepted.now.as_ref() {
        return None;
    }
    let (path, by) = (printable(&path, Lines::One), printable(&accepted.by, Lines::One));
    Some(format!("{path}: accepted at the gate of `{}` by {by}", accepted.step))
}

/// Git's mode of an ordinary file.
const PLAIN_FILE: u32 = 0o100_644;

/// Says whether a changed file judges the work of a plan: some rules are about new files alone, some
/// about those that were there.
pub(crate) fn protects(plan: &Plan) -> impl Fn(&Change) -> bool {
    let rules = Rules::new(&plan.protect);
    move |change| is_about(&rules, change)
}

fn is_about(rules: &Rules, change: &Change) -> bool {
    let (was, now) = (entry(change.old.as_ref()), entry(change.new.as_ref()));
    rules.look(Seen { path: &change.path.to_string(), was, now }).is_some()
}

fn entry(entry: Option<&TreeEntry>) -> Option<Entry> {
    entry.map(|entry| match entry.mode {
        0o120_000 | 0o160_000 => Entry::Link,
        _ => Entry::File,
    })
}

/// Says of a file that it is none of these.
pub(crate) fn but_not(paths: BTreeSet<String>) -> impl Fn(&str) -> bool {
    move |path| !paths.contains(path)
}

#[cfg(test)]
mod tests {
    use windlass_core::protect::{Only, Protected};
    use windlass_engine::git::ChangeStatus;

    use super::*;

    #[test]
    fn a_rule_about_new_files_puts_new_files_first() {
        let only = |only| Protected { only: Some(only), ..Protected::whole("**/conftest.py") };
        let some = || Some(TreeEntry { mode: 0o100_644, id: "0123".into() });
        let path = TreePath::new(*b"a/conftest.py");
        let added = Change { path, status: ChangeStatus::Added, old: None, new: some() };
        let edited = Change { status: ChangeStatus::Modified, old: some(), ..added.clone() };
        for (only, first) in [(only(Only::New), &added), (only(Only::Existing), &edited)] {
            let rules = Rules::new(&[only]);
            assert_eq!(
                [&added, &edited].map(|change| is_about(&rules, change)),
                [first == &added, first == &edited]
            );
        }
    }
}
