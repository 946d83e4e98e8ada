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

impl TreeEntry {
    /// Whether it has content of its own: a file or a link.
    pub(super) fn is_blob(&self) -> bool {
        self.mode != TREE && self.mode != GITLINK
    }
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

/// How many lines of a path changed; a file that cannot be shown as text has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCount {
    /// The path.
    pub path: TreePath,
    /// Added and deleted lines, or `None` for a file that cannot be shown as text.
    pub lines: Option<(u64, u64)>,
}

/// What `diff-tree` answered.
#[derive(Default)]
pub(super) struct Compared {
    pub(super) changes: Vec<Change>,
    /// By git's own idea of what is text.
    pub(super) counts: Vec<LineCount>,
    /// The differences line by line, if they were asked for and came before the cut.
    pub(super) patch: Option<Vec<u8>>,
}

/// Asks for changed lines.
pub(super) const COUNTING: &[&str] = &["--numstat", "--no-ext-diff", "--no-textconv"];

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
        Ok(self.compare(base, tree, &[], None)?.changes)
    }

    /// Compares two trees; more is asked for by arguments, and cut off after `most` bytes.
    pub(super) fn compare(
        &self,
        base: &ObjectId,
        tree: &ObjectId,
        more: &[&str],
        most: Option<usize>,
    ) -> Result<Compared, GitError> {
        let mut compared = Compared::default();
        if base == tree {
            return Ok(compared);
        }
        // `-t` lists changed folders, too: publishing needs to know those objects.
        let git = self
            .git()
            .args(["diff-tree", "-r", "-t", "-z", "--raw", "--no-abbrev", "--no-renames"])
            // A `.gitmodules` can say that changes of a submodule are to be ignored.
            .arg("--ignore-submodules=none")
            .args(more)
            .args([base.as_str(), tree.as_str()]);
        let answer = match most {
            Some(most) => git.cut_stdout_at(most).run()?,
            None => git.run()?,
        };
        let mut rest = answer.stdout.as_slice();
        let mut objects = vec![tree.clone()];
        loop {
            match rest.first() {
                Some(b':') => {
                    let head = field(&mut rest).ok_or_else(|| answer.unexpected())?;
                    let path = field(&mut rest).ok_or_else(|| answer.unexpected())?;
                    let change = parse(head, path).ok_or_else(|| answer.unexpected())?;
                    let new = change.new.iter().filter(|new| new.mode != GITLINK);
                    objects.extend(new.map(|new| new.id.clone()));
                    // Git never pairs a file with a folder: where one became the other it lists
                    // both.
                    let is_folder = |entry: &TreeEntry| entry.mode == TREE;
                    let folder = [&change.old, &change.new].into_iter().flatten().any(is_folder);
                    if !folder {
                        compared.changes.push(change);
                    }
                }
                // Counts stand after all changes.
                Some(b'0'..=b'9' | b'-') => {
                    let count = field(&mut rest).and_then(parse_count);
                    compared.counts.push(count.ok_or_else(|| answer.unexpected())?);
                }
                // An empty field stands before the patch.
                Some(0) => rest = &rest[1..],
                Some(_) => {
                    compared.patch = Some(rest.to_vec());
                    break;
                }
                None => break,
            }
        }
        // Before the patch the answer may have been cut between two fields.
        if most.is_none() || compared.patch.is_some() {
            self.remember(NewObjects { base: base.clone(), tree: tree.clone(), objects });
        }
        Ok(compared)
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
        let Some(found) = self.find_blob(tree, path)? else { return Ok(None) };
        let answer = self.git().args(["cat-file", "blob", found.id.as_str()]).run()?;
        Ok(Some((answer.stdout, found.mode)))
    }

    /// Returns whether a tree has this file.
    pub fn has_file(&self, tree: &ObjectId, path: &TreePath) -> Result<bool, GitError> {
        Ok(self.find_blob(tree, path)?.is_some())
    }

    fn find_blob(&self, tree: &ObjectId, path: &TreePath) -> Result<Option<TreeEntry>, GitError> {
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
                Ok(Some(TreeEntry { mode, id: ObjectId::from(id) }))
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

/// Takes the next field, which ends with a NUL byte.
fn field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|&byte| byte == 0)?;
    let (field, after) = rest.split_at(end);
    *rest = &after[1..];
    Some(field)
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
