//! Patches for people, and how many lines changed.
//!
//! What git takes for text is in an agent's hand: one NUL byte or a line in `.gitattributes` makes
//! a file "binary". So lines are compared with `--text`, which outranks both, and what cannot be
//! shown is decided in the core, from the bytes.

use std::collections::BTreeSet;

use windlass_core::id::ObjectId;
use windlass_core::view::{
    LINE_BYTES, Lines, binary_part, changed_lines, is_shown_as_text, printable,
};

use super::blobs::Blobs;
use super::diff::{COUNTING, Change, ChangeStatus, Compared, LineCount, TreeEntry, TreePath};
use super::engine_repository::EngineRepository;
use super::git_error::GitError;

/// How much of a file is looked at to know whether it can be shown as text.
const LOOKED_AT_BYTES: usize = 1 << 20;

/// The largest file that git calls binary and that is shown all the same; git itself refuses to
/// compare lines of a gibibyte.
const MAX_SHOWN_BYTES: u64 = 64 << 20;

/// How many files are looked at; more are shown as text, so that a crowd hides nobody.
const MAX_LOOKED_AT: usize = 200;

/// How many files are looked at that are too long to be read whole with the others.
const MAX_STARTS: usize = 16;

/// How much of a patch is weighed. What is longer than this is above every bound that makes sense.
const MAX_WEIGHED_BYTES: usize = 64 << 20;

/// How many bytes of paths one process is given; the kernel takes 2 MiB of arguments.
const MAX_PATHS_BYTES: usize = 64 << 10;

/// Compares lines, whatever bytes they are made of.
const AS_TEXT: &[&str] =
    &["--text", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];

/// How many bytes a file had and has.
type Sizes = (Option<u64>, Option<u64>);

impl EngineRepository {
    /// Like [`Self::diff`], and counts the changed lines of each path.
    ///
    /// That reads every changed file, which [`Self::diff`] does not.
    pub fn diff_with_lines(
        &self,
        base: &ObjectId,
        tree: &ObjectId,
    ) -> Result<(Vec<Change>, Vec<LineCount>), GitError> {
        let Compared { changes, mut counts, .. } = self.compare(base, tree, COUNTING, None)?;
        let doubtful = doubtful(&changes, &counts);
        if doubtful.is_empty() {
            return Ok((changes, counts));
        }
        let hidden = self.unreadable(&doubtful)?;
        let text: Vec<&Change> =
            doubtful.into_iter().filter(|change| !hidden.contains(change)).collect();
        let paths: Vec<TreePath> = text.iter().map(|change| change.path.clone()).collect();
        let patch = if paths.is_empty() {
            Vec::new()
        } else {
            self.lines(("", base, tree), &["-U0"], &paths, MAX_WEIGHED_BYTES)?
        };
        let mut parts = changed_lines(&patch).into_iter();
        for change in text {
            // Git writes a file that became a link as one that went and one that came.
            let many = if change.status == ChangeStatus::TypeChanged { 2 } else { 1 };
            let own: Vec<_> = parts.by_ref().take(many).collect();
            if let Some(count) = counts.iter_mut().find(|count| count.path == change.path)
                && own.len() == many
            {
                let added = own.iter().map(|part| part.added).sum();
                count.lines = Some((added, own.iter().map(|part| part.deleted).sum()));
            }
        }
        Ok((changes, counts))
    }

    /// Like [`Self::diff`], and weighs what changed: in lines, of which a long one counts by its
    /// bytes. No file is free of it.
    pub fn diff_and_weigh(
        &self,
        base: &ObjectId,
        tree: &ObjectId,
    ) -> Result<(Vec<Change>, u64), GitError> {
        // One process for all of it. Paths and counts stand before the patch.
        let more: Vec<&str> = [COUNTING, AS_TEXT, &["-p", "-U0"]].concat();
        if let Ok(compared) = self.compare(base, tree, &more, Some(MAX_WEIGHED_BYTES)) {
            let weight = compared.patch.as_deref().map(changed_lines).unwrap_or_default();
            let weight: u64 = weight.iter().map(|file| file.weight).sum();
            // The cut came after the counts, or there was none.
            if compared.patch.is_some() || compared.changes.is_empty() {
                let counted = compared.counts.iter().filter_map(|count| count.lines);
                let lines: u64 = counted.map(|(added, deleted)| added + deleted).sum();
                // A file without lines, such as a new and empty one, counts once.
                let files = compared.changes.len() as u64;
                return Ok((compared.changes, weight.max(lines).max(files)));
            }
        }
        // Too much for lines, or a file that is too large for git to compare them: by size.
        let changes = self.diff(base, tree)?;
        let sizes = self.sizes(&changes.iter().collect::<Vec<_>>())?;
        let bytes = |(old, new): &Sizes| {
            old.unwrap_or(0).saturating_add(new.unwrap_or(0)).div_ceil(LINE_BYTES as u64).max(1)
        };
        let weight = sizes.iter().map(bytes).sum();
        Ok((changes, weight))
    }

    /// Writes the differences as a patch for people, cut at `max_bytes`.
    ///
    /// No paths means all.
    pub fn patch(
        &self,
        base: &ObjectId,
        tree: &ObjectId,
        paths: &[TreePath],
        max_bytes: usize,
    ) -> Result<Vec<u8>, GitError> {
        self.patch_below("", base, tree, paths, max_bytes)
    }

    /// Like [`Self::patch`], and shows every file as text, whatever its bytes are.
    pub fn patch_as_text(
        &self,
        base: &ObjectId,
        tree: &ObjectId,
        paths: &[TreePath],
        max_bytes: usize,
    ) -> Result<Vec<u8>, GitError> {
        let patch = self.lines(("", base, tree), &[], paths, max_bytes);
        // Git compares no lines of a file of a gibibyte; its size is better than nothing.
        patch.or_else(|_| self.patch(base, tree, paths, max_bytes))
    }

    /// Like [`Self::patch`], of trees that lie in the folder `prefix`, which ends in a slash.
    pub fn patch_below(
        &self,
        prefix: &str,
        base: &ObjectId,
        tree: &ObjectId,
        paths: &[TreePath],
        max_bytes: usize,
    ) -> Result<Vec<u8>, GitError> {
        let Compared { mut changes, counts, .. } = self.compare(base, tree, COUNTING, None)?;
        let wanted: BTreeSet<&TreePath> = paths.iter().collect();
        changes.retain(|change| wanted.is_empty() || wanted.contains(&change.path));
        let hidden = self.unreadable(&doubtful(&changes, &counts))?;
        let trees = (prefix, base, tree);
        if hidden.is_empty() {
            return self.lines(trees, &[], paths, max_bytes);
        }
        let shown = changes.iter().filter(|change| !hidden.contains(change));
        let shown: Vec<TreePath> = shown.map(|change| change.path.clone()).collect();
        let mut patch = Vec::new();
        if !shown.is_empty() {
            patch = self.lines(trees, &[], &shown, max_bytes)?;
        }
        for (change, (old, new)) in hidden.iter().zip(self.sizes(&hidden)?) {
            patch.extend(
                binary_part(&printable(&format!("{prefix}{}", change.path), Lines::One), old, new)
                    .into_bytes(),
            );
        }
        patch.truncate(max_bytes);
        Ok(patch)
    }

    /// Compares lines; no paths means all.
    fn lines(
        &self,
        (prefix, base, tree): (&str, &ObjectId, &ObjectId),
        more: &[&str],
        paths: &[TreePath],
        max_bytes: usize,
    ) -> Result<Vec<u8>, GitError> {
        let mut patch = Vec::new();
        let mut rest = paths;
        loop {
            let mut bytes = 0;
            let fits = |path: &&TreePath| {
                bytes += path.as_bytes().len() + 1;
                bytes <= MAX_PATHS_BYTES
            };
            let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
            let (these, after) = rest.split_at(count);
            let answer = self
                .git()
                .args(["--literal-pathspecs", "diff-tree", "-r", "-p", "--ignore-submodules=none"])
                .args(AS_TEXT)
                .arg(format!("--src-prefix=a/{prefix}"))
                .arg(format!("--dst-prefix=b/{prefix}"))
                .args(more)
                .args([base.as_str(), tree.as_str()])
                .arg("--")
                .args(these.iter().map(TreePath::to_path))
                .cut_stdout_at(max_bytes - patch.len())
                .run()?;
            patch.extend(answer.stdout);
            rest = after;
            if rest.is_empty() || patch.len() >= max_bytes {
                return Ok(patch);
            }
        }
    }

    /// Which of these cannot be shown as text.
    fn unreadable<'c>(&self, doubtful: &[&'c Change]) -> Result<Vec<&'c Change>, GitError> {
        let sizes = self.sizes(doubtful)?;
        let is_large = |at: usize| sizes[at].0.max(sizes[at].1) > Some(MAX_SHOWN_BYTES);
        let ids = doubtful.iter().enumerate().take(MAX_LOOKED_AT).filter(|(at, _)| !is_large(*at));
        let ids: Vec<&ObjectId> = ids.flat_map(|(_, change)| blobs_of(change)).collect();
        let small = self.read_small(&ids, LOOKED_AT_BYTES as u64)?;
        let mut starts = 0;
        let mut hidden = Vec::new();
        for (at, change) in doubtful.iter().enumerate() {
            if is_large(at) {
                hidden.push(*change);
                continue;
            }
            // Each start of a longer file takes a process; a crowd of them is shown as text.
            let longer = blobs_of(change).filter(|id| !small.contains_key(*id)).count();
            if at >= MAX_LOOKED_AT || starts + longer > MAX_STARTS {
                continue;
            }
            starts += longer;
            if !self.is_readable(change, &small)? {
                hidden.push(*change);
            }
        }
        Ok(hidden)
    }

    fn is_readable(&self, change: &Change, small: &Blobs) -> Result<bool, GitError> {
        let start = |entry: &Option<TreeEntry>| {
            let Some(entry) = entry.as_ref().filter(|entry| entry.is_blob()) else {
                return Ok(None);
            };
            if let Some(whole) = small.get(&entry.id) {
                return Ok(Some(whole.clone()));
            }
            let git = self.git().args(["cat-file", "blob", entry.id.as_str()]);
            Ok::<_, GitError>(Some(git.cut_stdout_at(LOOKED_AT_BYTES).run()?.stdout))
        };
        let (old, new) = (start(&change.old)?, start(&change.new)?);
        Ok(is_shown_as_text(old.as_deref(), new.as_deref()))
    }

    /// How many bytes each file had and has.
    fn sizes(&self, changes: &[&Change]) -> Result<Vec<Sizes>, GitError> {
        let ids: Vec<&ObjectId> = changes.iter().flat_map(|change| blobs_of(change)).collect();
        let mut known = self.object_sizes(&ids)?.into_iter();
        let mut size = |entry: &Option<TreeEntry>| match entry {
            Some(entry) if entry.is_blob() => known.next().flatten(),
            _ => None,
        };
        Ok(changes.iter().map(|change| (size(&change.old), size(&change.new))).collect())
    }
}

/// The objects of the files before and after.
fn blobs_of(change: &Change) -> impl Iterator<Item = &ObjectId> {
    let entries = [&change.old, &change.new].into_iter().filter_map(Option::as_ref);
    entries.filter(|entry| entry.is_blob()).map(|entry| &entry.id)
}

/// What git does not take for text.
fn doubtful<'c>(changes: &'c [Change], counts: &[LineCount]) -> Vec<&'c Change> {
    let binary: BTreeSet<&TreePath> =
        counts.iter().filter(|count| count.lines.is_none()).map(|count| &count.path).collect();
    changes.iter().filter(|change| binary.contains(&change.path)).collect()
}
