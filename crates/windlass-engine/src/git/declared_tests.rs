//! How the tests that a repository declares differ between two trees.

use windlass_core::id::ObjectId;
use windlass_core::measure::{Declared, TestsChanged, declared_tests, may_declare_tests};

use super::diff::TreePath;
use super::engine_repository::EngineRepository;
use super::git_error::GitError;

/// A larger file holds data, not tests.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Beyond this the whole is not counted: a person at a gate would wait for seconds.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: u64 = 128 << 20;

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
        let old = changed.iter().filter_map(|c| Some((&c.path, &c.old.as_ref()?.id)));
        let new = changed.iter().filter_map(|c| Some((&c.path, &c.new.as_ref()?.id)));
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
        Ok(Some(declared.values().sum()))
    }

    /// The tests that these files declare together.
    fn declared(&self, files: Vec<(&TreePath, &ObjectId)>) -> Result<Declared, GitError> {
        let mut all = Declared::new();
        if files.is_empty() {
            return Ok(all);
        }
        let ids: String = files.iter().map(|(_, id)| format!("{id}\n")).collect();
        let answer = self.git().args(["cat-file", "--batch"]).stdin(ids.into_bytes()).run()?;
        let mut rest = answer.stdout.as_slice();
        for (path, _) in files {
            // `<object> <type> <size>LF<content>LF`, or `<object> missing LF` for a submodule.
            let end = rest.iter().position(|&byte| byte == b'\n');
            let (head, after) = rest.split_at(end.ok_or_else(|| answer.unexpected())?);
            rest = &after[1..];
            let head = String::from_utf8_lossy(head);
            let [_, kind, size] = head.split(' ').collect::<Vec<_>>()[..] else { continue };
            let size: usize = size.parse().map_err(|_| answer.unexpected())?;
            let content = rest.get(..size).ok_or_else(|| answer.unexpected())?;
            rest = rest.get(size + 1..).unwrap_or_default();
            if kind != "blob" || size as u64 > MAX_FILE_BYTES {
                continue;
            }
            let path = path.to_string();
            for (name, times) in declared_tests(&path, &String::from_utf8_lossy(content)) {
                *all.entry(name).or_default() += times;
            }
        }
        Ok(all)
    }
}
