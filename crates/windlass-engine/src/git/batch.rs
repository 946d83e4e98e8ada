//! Many small files of a repository, read by two processes however many there are.

use std::collections::BTreeMap;

use windlass_core::id::ObjectId;

use super::git_error::GitError;
use super::process::Git;

/// How much is read at most.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Files.
    pub files: usize,
    /// Bytes of one file.
    pub each: usize,
    /// Bytes of all of them.
    pub all: usize,
}

/// Reads blobs by their names. Those that are too large, too many or not there are left out of the answer.
pub(super) fn read_small(
    git: &dyn Fn() -> Git,
    ids: &[ObjectId],
    bounds: Bounds,
) -> Result<BTreeMap<String, Vec<u8>>, GitError> {
    let mut found = BTreeMap::new();
    let asked = &ids[..ids.len().min(bounds.files)];
    if asked.is_empty() {
        return Ok(found);
    }
    let lines = |ids: &[&str]| ids.iter().flat_map(|id| [*id, "\n"]).collect::<String>();
    let names: Vec<&str> = asked.iter().map(ObjectId::as_str).collect();
    let sizes =
        git().args(["cat-file", "--batch-check"]).stdin(lines(&names).into_bytes()).run()?;
    let (mut small, mut bytes) = (Vec::new(), 0);
    for (name, line) in names.iter().zip(String::from_utf8_lossy(&sizes.stdout).lines()) {
        // `<object> <type> <size>`, or `<object> missing`.
        let [_, "blob", size] = line.split(' ').collect::<Vec<_>>()[..] else { continue };
        let size: usize = size.parse().map_err(|_| sizes.unexpected())?;
        if size <= bounds.each && bytes + size <= bounds.all {
            bytes += size;
            small.push((*name, size));
        }
    }
    if small.is_empty() {
        return Ok(found);
    }
    let names: Vec<&str> = small.iter().map(|(name, _)| *name).collect();
    let answer = git().args(["cat-file", "--batch"]).stdin(lines(&names).into_bytes()).run()?;
    let mut rest = answer.stdout.as_slice();
    for (name, size) in small {
        // `<object> <type> <size>LF<content>LF`
        let head =
            rest.iter().position(|&byte| byte == b'\n').ok_or_else(|| answer.unexpected())?;
        let content = rest.get(head + 1..head + 1 + size).ok_or_else(|| answer.unexpected())?;
        found.insert(name.to_owned(), content.to_vec());
        rest = rest.get(head + 2 + size..).unwrap_or_default();
    }
    Ok(found)
}
