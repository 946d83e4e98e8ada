//! Finding and hashing files in a place.
//!
//! Only regular files count, reached without following a link: a link could point at a file that
//! nobody wrote in this step, or out of the place.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use globset::{GlobSet, GlobSetBuilder};
use windlass_core::glob;
use windlass_core::id::ContentHash;

/// More matches than any criterion can mean; what is beyond is not looked at.
const MAX_MATCHES: usize = 10_000;

/// The largest file that is hashed: seconds of work.
const MAX_HASHED_BYTES: u64 = 1 << 30;

/// A file that matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) hash: ContentHash,
}

/// What a look at the files of a place gave.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The regular files that match, in order of their paths.
    pub(super) files: Vec<Match>,
    /// Something that matches, or that could hold a match, and that could not be looked at.
    pub(super) unread: Option<String>,
}

/// Finds the regular files below `root` that match one of `globs`, ignored ones included.
pub(super) fn find(root: &Path, globs: &[String]) -> Result<Found, std::io::Error> {
    let set = compile(globs);
    let mut found = BTreeMap::new();
    let mut unread = None;
    for start in starting_points(globs) {
        if !is_plain_below(root, &start) {
            continue;
        }
        let mut queue = vec![start];
        while let Some(folder) = queue.pop() {
            let Ok(entries) = std::fs::read_dir(root.join(&folder)) else {
                unread.get_or_insert_with(|| folder.to_string_lossy().into_owned());
                continue;
            };
            for entry in entries.flatten() {
                let path = folder.join(entry.file_name());
                let Some(name) = path.to_str() else { continue };
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() && entry.file_name() != ".git" {
                    queue.push(path);
                } else if !kind.is_dir() && set.is_match(name) && found.len() < MAX_MATCHES {
                    // What cannot be read, or not in any reasonable time, proves nothing.
                    let read = match kind.is_file() {
                        true => hash_file(&root.join(&path)).ok().flatten(),
                        false => None,
                    };
                    let Some((hash, bytes)) = read else {
                        unread.get_or_insert_with(|| name.to_owned());
                        continue;
                    };
                    found.insert(name.to_owned(), Match { path: name.to_owned(), bytes, hash });
                }
            }
        }
    }
    Ok(Found { files: found.into_values().collect(), unread })
}

/// Returns the paths of the regular files below `root` that match a glob, ignored ones included.
pub(crate) fn matching_files(root: &Path, pattern: &str) -> Result<Vec<String>, std::io::Error> {
    Ok(find(root, &[pattern.to_owned()])?.files.into_iter().map(|found| found.path).collect())
}

/// Globs were compiled when the plan was made; one that has become invalid by its context matches
/// nothing, which fails its check.
fn compile(globs: &[String]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for pattern in globs {
        if let Ok(glob) = glob::compile(pattern) {
            builder.add(glob);
        }
    }
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}

/// The folders that have to be walked: each glob's part before its first wildcard. A part that goes
/// through a link is not walked.
pub(super) fn starting_points(globs: &[String]) -> Vec<PathBuf> {
    let mut starts: Vec<PathBuf> = globs
        .iter()
        .map(|pattern| {
            let fixed =
                pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '{', '\\']));
            let mut path: PathBuf = fixed.collect();
            if path.as_os_str().len() == pattern.len() {
                path.pop();
            }
            path
        })
        .collect();
    starts.sort();
    starts.dedup();
    let all = starts.clone();
    // A folder below another one is walked with it.
    starts.retain(|start| !all.iter().any(|other| other != start && start.starts_with(other)));
    starts
}

/// Returns whether a folder is reached from `root` without a link.
pub(super) fn is_plain_below(root: &Path, relative: &Path) -> bool {
    let mut path = root.to_owned();
    relative.components().all(|part| {
        path.push(part);
        path.symlink_metadata().is_ok_and(|data| data.is_dir())
    })
}

fn hash_file(path: &Path) -> Result<Option<(ContentHash, u64)>, std::io::Error> {
    let mut file = fs_err::File::open(path)?;
    if file.metadata()?.len() > MAX_HASHED_BYTES {
        return Ok(None);
    }
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut bytes = 0;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            let hash = ContentHash::new(hasher.finalize().to_hex().as_str());
            return Ok(Some((hash, bytes)));
        }
        bytes += count as u64;
        hasher.update(&buffer[..count]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_not_files_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(dir.path().join("a/b")).unwrap();
        fs_err::write(dir.path().join("a/b/real.md"), "x").unwrap();
        std::os::unix::fs::symlink("real.md", dir.path().join("a/b/link.md")).unwrap();
        std::os::unix::fs::symlink("b", dir.path().join("a/c")).unwrap();
        let found = find(dir.path(), &["a/**/*.md".to_owned()]).unwrap();
        let paths: Vec<_> = found.files.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(paths, ["a/b/real.md"]);
        assert!(found.unread.is_some_and(|path| path == "a/b/link.md" || path == "a/c"));
        assert_eq!(find(dir.path(), &["a/c/real.md".to_owned()]).unwrap(), Found::default());
    }

    #[test]
    fn what_is_too_large_to_be_looked_at_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let file = fs_err::File::create(dir.path().join("large.bin")).unwrap();
        file.set_len(MAX_HASHED_BYTES + 1).unwrap();
        let found = find(dir.path(), &["*.bin".to_owned()]).unwrap();
        assert_eq!(found, Found { files: Vec::new(), unread: Some("large.bin".to_owned()) });
    }

    #[test]
    fn only_the_fixed_part_of_a_glob_is_walked() {
        let globs = ["a/b/*.md", "a/b/c/d.txt", "x.txt"].map(str::to_owned);
        assert_eq!(starting_points(&globs), [PathBuf::new()]);
        assert_eq!(starting_points(&globs[..2]), [PathBuf::from("a/b")]);
    }
}
