//! How the tests that a repository declares differ between two trees.

use windlass_core::id::ObjectId;
use windlass_core::measure::{Declared, TestsChanged, may_declare_tests};

use super::diff::{TreeEntry, TreePath};
use super::engine_repository::EngineRepository;
use super::git_error::GitError;

/// A larger file holds data, not tests.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Beyond this the whole is not counted: a person at a gate would wait for seconds.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: u64 = 128 << 20;

/// Bounds what is in memory at once.
const FILES_AT_ONCE: usize = 500;

fn file(entry: Option<&TreeEntry>) -> Option<&ObjectId> {
    entry.filter(|entry| entry.is_blob()).map(|entry| &entry.id)
}

impl EngineRepository {
    /// Compares the tests of two trees; none where no file that could hold one changed.
    pub fn tests_changed(
        &self,
        from: &ObjectId,
        to: &ObjectId,
    ) -> Result<Option<TestsChanged>, GitError> {
        let changes = self.diff(from, to)?;
        let of = |path: &TreePath| may_declare_tests(&path.to_string());
        let changed: Vec<_> = changes.iter().filter(|change| of(&change.path)).collect();
        // A submodule's commit is no file.
        let old = changed.iter().filter_map(|c| Some((&c.path, file(c.old.as_ref())?)));
        let new = changed.iter().filter_map(|c| Some((&c.path, file(c.new.as_ref())?)));
        let (then, now) = (self.declared(old.collect())?, self.declared(new.collect())?);
        if then == now {
            return Ok(None);
        }
        let whole = self.count_tests(from)?;
        Ok(Some(TestsChanged::of(whole, &then, &now)))
    }

    /// How many tests a tree declares; none where that is too much to read.
    fn count_tests(&self, tree: &ObjectId) -> Result<Option<u64>, GitError> {
        let answer =
            self.git().args(["ls-tree", "-r", "-z", "-l", "--full-tree", tree.as_str()]).run()?;
        let (mut files, mut bytes) = (Vec::new(), 0);
        for record in answer.stdout.split(|&byte| byte == 0).filter(|record| !record.is_empty()) {
            let mut halves = record.splitn(2, |&byte| byte == b'\t');
            let head = String::from_utf8_lossy(halves.next().unwrap_or_default()).into_owned();
            let path = TreePath::new(halves.next().ok_or_else(|| answer.unexpected())?);
            let [_, kind, id, size] = head.split_whitespace().collect::<Vec<_>>()[..] else {
                return Err(answer.unexpected());
            };
            let size = size.parse().unwrap_or(0);
            let fits = kind == "blob" && size <= MAX_FILE_BYTES;
            if fits && may_declare_tests(&path.to_string()) {
                bytes += size;
                files.push((path, ObjectId::from(id)));
            }
        }
        if files.len() > MAX_FILES || bytes > MAX_BYTES {
            return Ok(None);
        }
        let declared = self.declared(files.iter().map(|(path, id)| (path, id)).collect())?;
        Ok(Some(declared.count()))
    }

    /// What these files declare together.
    fn declared(&self, files: Vec<(&TreePath, &ObjectId)>) -> Result<Declared, GitError> {
        let mut all = Declared::default();
        for part in files.chunks(FILES_AT_ONCE) {
            let ids: Vec<&ObjectId> = part.iter().map(|(_, id)| *id).collect();
            let contents = self.read_small(&ids, MAX_FILE_BYTES)?;
            for (path, id) in part {
                all.add(match contents.get(*id) {
                    Some(text) => {
                        Declared::in_file(&path.to_string(), &String::from_utf8_lossy(text))
                    }
                    None => Declared::too_large(),
                });
            }
        }
        Ok(all)
    }
}
