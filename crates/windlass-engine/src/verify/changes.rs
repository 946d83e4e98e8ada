//! What changed since the step began: bounds, protected files, and where an agent may write.

use std::collections::BTreeSet;

use globset::{GlobSet, GlobSetBuilder};
use windlass_core::glob;
use windlass_core::id::ObjectId;
use windlass_core::proof::ProtectedChange;

use crate::git::{Change, EngineRepository, GitError, TreePath};

/// Git's mode of a symbolic link.
pub(super) const LINK_MODE: u32 = 0o120_000;

/// The paths that differ between two trees.
pub(super) struct Changes {
    changes: Vec<Change>,
    lines: Option<u64>,
}

impl Changes {
    pub(super) fn between(
        engine: &EngineRepository,
        base: &ObjectId,
        tree: &ObjectId,
    ) -> Result<Self, GitError> {
        Ok(Self { changes: engine.diff(base, tree)?, lines: None })
    }

    /// Like [`Self::between`], and counts the changed lines: long ones by their bytes, and no file
    /// is free.
    pub(super) fn with_lines(
        engine: &EngineRepository,
        base: &ObjectId,
        tree: &ObjectId,
    ) -> Result<Self, GitError> {
        let (changes, lines) = engine.diff_and_weigh(base, tree)?;
        Ok(Self { changes, lines: Some(lines) })
    }

    /// How many lines changed, if they were counted.
    pub(super) fn lines(&self) -> Option<u64> {
        self.lines
    }

    pub(super) fn paths(&self) -> BTreeSet<String> {
        self.changes.iter().map(|change| change.path.to_string()).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Paths that match none of `globs`; every path is inside an empty list.
    pub(super) fn outside(&self, globs: &[String]) -> Vec<String> {
        if globs.is_empty() {
            return Vec::new();
        }
        let inside = set(globs);
        self.listed(|path| !inside.is_match(path))
    }

    /// Paths that match one of `globs`.
    pub(super) fn inside(&self, globs: &[String]) -> Vec<String> {
        let inside = set(globs);
        self.listed(|path| inside.is_match(path))
    }

    /// The changes of paths that match one of `globs`.
    pub(super) fn matching(&self, globs: &[String]) -> Vec<&Change> {
        let inside = set(globs);
        self.changes.iter().filter(|change| inside.is_match(change.path.to_string())).collect()
    }

    /// The exact paths of these protected files: a name that is not UTF-8 was changed for showing.
    pub(super) fn exact(&self, protected: &[ProtectedChange]) -> Vec<TreePath> {
        let wanted: BTreeSet<&str> = protected.iter().map(|change| change.path.as_str()).collect();
        let paths = self.changes.iter().map(|change| &change.path);
        paths.filter(|path| wanted.contains(path.to_string().as_str())).cloned().collect()
    }

    fn listed(&self, keep: impl Fn(&str) -> bool) -> Vec<String> {
        let paths = self.changes.iter().map(|change| change.path.to_string());
        paths.filter(|path| keep(path)).collect()
    }

    /// Links that are new or lead elsewhere than before.
    pub(super) fn links(&self) -> impl Iterator<Item = String> {
        let links = self
            .changes
            .iter()
            .filter(|change| change.new.as_ref().is_some_and(|entry| entry.mode == LINK_MODE));
        links.map(|change| change.path.to_string())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter()
    }
}

/// Globs were compiled when the plan was made, so none is invalid here.
pub(super) fn set(globs: &[String]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in globs.iter().filter_map(|pattern| glob::compile(pattern).ok()) {
        builder.add(glob);
    }
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}
