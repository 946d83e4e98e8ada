//! Many files of git's object store at once, with one process instead of one per file.

use windlass_core::id::ObjectId;

use super::engine_repository::EngineRepository;
use super::git_error::GitError;

impl EngineRepository {
    /// Returns how many bytes each of these files has; none for what is no file, as a submodule's commit.
    pub(crate) fn blob_sizes<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a ObjectId>,
    ) -> Result<Vec<Option<u64>>, GitError> {
        let asked: Vec<u8> = asked(ids);
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let count = asked.iter().filter(|&&byte| byte == b'\n').count();
        let format = "--batch-check=%(objecttype) %(objectsize)";
        let answer = self.git().args(["cat-file", format]).stdin(asked).run()?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let size = |line: &str| line.strip_prefix("blob ")?.parse().ok();
        let sizes: Vec<Option<u64>> = text.lines().map(size).collect();
        if sizes.len() == count { Ok(sizes) } else { Err(answer.unexpected()) }
    }

    /// Returns what these files hold. All of it is in memory at once: ask for sizes first.
    pub(crate) fn read_blobs<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a ObjectId>,
    ) -> Result<Vec<Vec<u8>>, GitError> {
        let asked: Vec<u8> = asked(ids);
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let count = asked.iter().filter(|&&byte| byte == b'\n').count();
        let answer = self.git().args(["cat-file", "--batch=%(objectsize)"]).stdin(asked).run()?;
        let mut rest = answer.stdout.as_slice();
        let mut contents = Vec::with_capacity(count);
        for _ in 0..count {
            // `<size>LF<content>LF`
            let (content, after) = one(rest).ok_or_else(|| answer.unexpected())?;
            contents.push(content.to_vec());
            rest = after;
        }
        Ok(contents)
    }
}

fn asked<'a>(ids: impl IntoIterator<Item = &'a ObjectId>) -> Vec<u8> {
    ids.into_iter().flat_map(|id| format!("{id}\n").into_bytes()).collect()
}

fn one(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    let size: usize = std::str::from_utf8(&bytes[..end]).ok()?.parse().ok()?;
    let content = bytes.get(end + 1..end + 1 + size)?;
    Some((content, bytes.get(end + 2 + size..)?))
}
