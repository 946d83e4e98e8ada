//! What a person is shown of a change: first what a fresh clone gets besides lines, then the patch
//! with the files that judge the work in front, then what is left out.

use std::collections::BTreeSet;

use windlass_core::plan::Plan;
use windlass_core::protect::{Entry, Rules, Seen};
use windlass_core::snapshot::Snapshot;
use windlass_core::view::{Excerpt, Room, excerpt};
use windlass_engine::git::{EngineRepository, GitError, PAPERS, TreePath};

/// How much of a patch is read. Whoever shows it says when there is more.
const MAX_PATCH_BYTES: usize = 64 << 20;

/// Where a diff is shown whole: by the key of this name, at gates of both kinds.
pub(crate) const ALL_OF_IT: &str = "`d` shows all";

/// Which files are shown, and how.
pub(crate) struct Picked<'a> {
    /// Files that judge the work: they come first, and as text whatever their bytes are.
    pub(crate) protected: &'a dyn Fn(&str) -> bool,
    /// The files that are shown at all, by their path in the place.
    pub(crate) wanted: &'a dyn Fn(&str) -> bool,
}

/// What differs between two snapshots, to be shown.
#[derive(Default)]
pub(crate) struct ShownWork {
    /// What changed besides lines.
    pub(crate) notes: Vec<String>,
    code: Vec<u8>,
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
        let notes = engine.clone_notes(&from.code, &to.code, &changes);
        let exact = |keep: bool| -> Vec<TreePath> {
            let paths = changes.iter().map(|change| &change.path);
            paths.filter(|path| (picked.protected)(&path.to_string()) == keep).cloned().collect()
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
        Ok(Self { notes, code, papers, more })
    }

    /// The code, as far as there is room.
    pub(crate) fn code(&self, room: Room) -> Excerpt {
        let mut shown = excerpt(&self.code, room);
        shown.left_out.more |= self.more;
        shown
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

/// Says whether a file judges the work of a plan.
pub(crate) fn protects(plan: &Plan) -> impl Fn(&str) -> bool {
    let rules = Rules::new(&plan.protect);
    move |path| {
        let file = Some(Entry::File);
        // Some rules are about those that are there, and some about new ones.
        let looked = [file, None].map(|was| rules.look(Seen { path, was, now: file }));
        looked.iter().any(Option::is_some)
    }
}

/// Says of a file that it is none of these.
pub(crate) fn but_not(paths: BTreeSet<String>) -> impl Fn(&str) -> bool {
    move |path| !paths.contains(path)
}
