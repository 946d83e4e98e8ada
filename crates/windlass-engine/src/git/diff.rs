//! Comparing and reading trees in the engine's repository.

use std::fmt;
use std::path::PathBuf;

use globset::GlobSet;
use windlass_core::id::ObjectId;

use super::engine_repository::EngineRepository;
use super::git_error::GitError;
use super::process::path_from_bytes;

/// A path in a tree: any bytes, shown with what is not UTF-8 replaced.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(Vec<u8>);

impl TreePath {
    /// Wraps the bytes of a path.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// Returns the exact bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the path as the file system has it.
    pub fn to_path(&self) -> PathBuf {
        path_from_bytes(&self.0)
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl fmt::Debug for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

/// What a path is in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// Git's mode: `0o100644`, `0o100755`, `0o120000` or `0o160000`.
    pub mode: u32,
    /// The object.
    pub id: ObjectId,
}

/// How a path changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeStatus {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// Its content or its executable bit changed.
    Modified,
    /// A file became a link, or the like.
    TypeChanged,
}

/// One changed path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path.
    pub path: TreePath,
    /// How it changed.
    pub status: ChangeStatus,
    /// What it was.
    pub old: Option<TreeEntry>,
    /// What it is.
    pub new: Option<TreeEntry>,
}

/// How many lines of a path changed; a binary file has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCount {
    /// The path.
    pub path: TreePath,
    /// Added and deleted lines, or `None` for a binary file.
    pub lines: Option<(u64, u64)>,
}

const TREE: u32 = 0o040_000;
const GITLINK: u32 = 0o160_000;

/// How many comparisons are remembered: the one of the step and some of parallel items.
const REMEMBERED: usize = 16;

/// The objects that `tree` has and `base` has not, by path.
#[derive(Clone, Debug)]
pub(super) struct NewObjects {
    base: ObjectId,
    tree: ObjectId,
    objects: Vec<ObjectId>,
}

impl EngineRepository {
    /// Lists the paths that differ between two trees (or commits), sorted as git sorts them.
    pub fn diff(&self, base: &ObjectId, tree: &ObjectId) -> Result<Vec<Change>, GitError> {
        Ok(self.compare(base, tree, &[])?.0)
    }

    /// Like [`Self::diff`], and counts the changed lines of each path, by the same git process.
    ///
    /// That reads every changed file, which [`Self::diff`] does not.
    pub fn diff_with_lines(
        &self,
        base: &ObjectId,
        tree: &ObjectId,
    ) -> Result<(Vec<Change>, Vec<LineCount>), GitError> {
        self.compare(base, tree, &["--numstat", "--no-ext-diff", "--no-textconv"])
    }

    fn compare(
        &self,
        base: &ObjectId,
        tree: &ObjectId,
        counting: &[&str],
    ) -> Result<(Vec<Change>, Vec<LineCount>), GitError> {
        let (mut changes, mut counts) = (Vec::new(), Vec::new());
        if base == tree {
            return Ok((changes, counts));
        }
        // `-t` lists changed folders, too: publishing needs to know those objects.
        let answer = self
            .git()
            .args(["diff-tree", "-r", "-t", "-z", "--raw", "--no-abbrev", "--no-renames"])
            .args(counting)
            .args([base.as_str(), tree.as_str()])
            .run()?;
        let mut fields = answer.stdout.split(|&byte| byte == 0).filter(|field| !field.is_empty());
        let mut objects = vec![tree.clone()];
        while let Some(head) = fields.next() {
            // Counts stand after all changes, and begin with a digit or a dash.
            if !head.starts_with(b":") {
                counts.push(parse_count(head).ok_or_else(|| answer.unexpected())?);
                continue;
            }
            let path = fields.next().ok_or_else(|| answer.unexpected())?;
            let change = parse(head, path).ok_or_else(|| answer.unexpected())?;
            objects.extend(
                change.new.iter().filter(|new| new.mode != GITLINK).map(|new| new.id.clone()),
            );
            // Git never pairs a file with a folder: where one became the other it lists both.
            if ![&change.old, &change.new].into_iter().flatten().any(|entry| entry.mode == TREE) {
                changes.push(change);
            }
        }
        self.remember(NewObjects { base: base.clone(), tree: tree.clone(), objects });
        Ok((changes, counts))
    }

    /// Lists the objects that `tree` has and `base` has not, from an earlier comparison if there
    /// was one.
    pub(super) fn new_objects(
        &self,
        base: &ObjectId,
        tree: &ObjectId,
    ) -> Result<Vec<ObjectId>, GitError> {
        if base == tree {
            return Ok(Vec::new());
        }
        let recall = || {
            let recent = self.recent().lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            recent
                .iter()
                .find(|known| known.base == *base && known.tree == *tree)
                .map(|known| known.objects.clone())
        };
        if let Some(objects) = recall() {
            return Ok(objects);
        }
        self.diff(base, tree)?;
        Ok(recall().unwrap_or_default())
    }

    fn remember(&self, new: NewObjects) {
        let mut recent = self.recent().lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        recent.push_front(new);
        recent.truncate(REMEMBERED);
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

    /// Like [`Self::patch`], of trees that lie in the folder `prefix`, which ends in a slash.
    pub fn patch_below(
        &self,
        prefix: &str,
        base: &ObjectId,
        tree: &ObjectId,
        paths: &[TreePath],
        max_bytes: usize,
    ) -> Result<Vec<u8>, GitError> {
        Ok(self
            .git()
            .args(["--literal-pathspecs", "diff-tree", "-r", "-p", "--no-renames"])
            .arg(format!("--src-prefix=a/{prefix}"))
            .arg(format!("--dst-prefix=b/{prefix}"))
            .args(["--no-ext-diff", "--no-textconv", "--no-color", base.as_str(), tree.as_str()])
            .arg("--")
            .args(paths.iter().map(TreePath::to_path))
            .cut_stdout_at(max_bytes)
            .run()?
            .stdout)
    }

    /// Lists the files of a tree whose path one of the globs matches.
    pub fn ls_tree(
        &self,
        tree: &ObjectId,
        globs: &GlobSet,
    ) -> Result<Vec<(TreePath, TreeEntry)>, GitError> {
        let answer =
            self.git().args(["ls-tree", "-r", "-z", "--full-tree", tree.as_str()]).run()?;
        let mut found = Vec::new();
        for record in answer.stdout.split(|&byte| byte == 0).filter(|record| !record.is_empty()) {
            // `<mode> <type> <object>TAB<path>`
            let mut halves = record.splitn(2, |&byte| byte == b'\t');
            let head = String::from_utf8_lossy(halves.next().unwrap_or_default());
            let path = TreePath::new(halves.next().ok_or_else(|| answer.unexpected())?);
            let [mode, _, id] = head.split(' ').collect::<Vec<_>>()[..] else {
                return Err(answer.unexpected());
            };
            let mode = u32::from_str_radix(mode, 8).map_err(|_| answer.unexpected())?;
            if globs.is_match(path.to_path()) {
                found.push((path, TreeEntry { mode, id: ObjectId::from(id) }));
            }
        }
        Ok(found)
    }

    /// Reads one file of a tree; `None` when there is no such file.
    pub fn read_blob(&self, tree: &ObjectId, path: &TreePath) -> Result<Option<Vec<u8>>, GitError> {
        Ok(self.read_blob_and_mode(tree, path)?.map(|(bytes, _)| bytes))
    }

    /// Like [`Self::read_blob`], with the mode that git has for it.
    pub(super) fn read_blob_and_mode(
        &self,
        tree: &ObjectId,
        path: &TreePath,
    ) -> Result<Option<(Vec<u8>, u32)>, GitError> {
        // The path goes through `ls-tree`: `tree:path` would stumble over odd names.
        let listed = self
            .git()
            .args(["--literal-pathspecs", "ls-tree", "-z", "--full-tree", tree.as_str(), "--"])
            .arg(path.to_path())
            .run()?;
        let record = listed.stdout.split(|&byte| byte == b'\t').next().unwrap_or_default();
        let head = String::from_utf8_lossy(record);
        match head.split(' ').collect::<Vec<_>>()[..] {
            [mode, "blob", id] => {
                let mode = u32::from_str_radix(mode, 8).map_err(|_| listed.unexpected())?;
                Ok(Some((self.git().args(["cat-file", "blob", id]).run()?.stdout, mode)))
            }
            _ => Ok(None),
        }
    }

    /// Returns the tree of a commit.
    pub fn tree_of(&self, commit: &ObjectId) -> Result<ObjectId, GitError> {
        let wanted = format!("{commit}^{{tree}}");
        let answer = self.git().args(["rev-parse", "--verify", "--quiet", &wanted]).run()?;
        Ok(ObjectId::new(answer.line()?))
    }
}

/// Reads `:<old mode> <new mode> <old object> <new object> <status>`.
fn parse(head: &[u8], path: &[u8]) -> Option<Change> {
    let head = std::str::from_utf8(head).ok()?.strip_prefix(':')?;
    let [old_mode, new_mode, old, new, status] = head.split(' ').collect::<Vec<_>>()[..] else {
        return None;
    };
    let entry = |mode: &str, id: &str| {
        let mode = u32::from_str_radix(mode, 8).ok()?;
        Some((mode != 0).then(|| TreeEntry { mode, id: ObjectId::from(id) }))
    };
    let status = match status {
        "A" => ChangeStatus::Added,
        "D" => ChangeStatus::Deleted,
        "M" => ChangeStatus::Modified,
        "T" => ChangeStatus::TypeChanged,
        _ => return None,
    };
    let (old, new) = (entry(old_mode, old)?, entry(new_mode, new)?);
    Some(Change { path: TreePath::new(path), status, old, new })
}

/// Reads `<added>TAB<deleted>TAB<path>`; both numbers of a binary file are dashes.
fn parse_count(record: &[u8]) -> Option<LineCount> {
    let mut fields = record.splitn(3, |&byte| byte == b'\t');
    let mut number = || std::str::from_utf8(fields.next()?).ok().map(|text| text.parse().ok());
    let lines = number()?.zip(number()?);
    Some(LineCount { path: TreePath::new(fields.next()?), lines })
}
