//! Reports on disk: finding, removing and reading them in the verifier's tree.
//!
//! The tree holds what the agent's code left there. Only plain files count, reached without a
//! link; links, pipes and folders that match are none. Where something cannot be looked at, the
//! caller is told: an old report must not survive because its folder could not be opened.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use windlass_core::plan::glob;

use super::files::{is_plain_below, starting_points};
use crate::git::place_files;

/// More reports than any build writes.
const MAX_REPORTS: usize = 10_000;

/// The largest single report: a hundred thousand tests that print a lot.
const MAX_REPORT_BYTES: u64 = 64 << 20;

/// What matches a glob.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Plain files, in order of their paths.
    pub(super) files: Vec<String>,
    /// Links, pipes and the like.
    pub(super) others: Vec<String>,
}

/// Finds what matches a glob below `root`, ignored files included.
pub(super) fn find(root: &Path, pattern: &str) -> io::Result<Found> {
    let matcher = glob::compile(pattern).map_err(io::Error::other)?.compile_matcher();
    let mut found = Found::default();
    let mut queue = starting_points(&[pattern.to_owned()]);
    queue.retain(|start| is_plain_below(root, start));
    while let Some(folder) = queue.pop() {
        for entry in fs_err::read_dir(root.join(&folder))? {
            let entry = entry?;
            let (path, kind) = (folder.join(entry.file_name()), entry.file_type()?);
            if kind.is_dir() {
                queue.push(path);
                continue;
            }
            // What has no name that a glob can be written for cannot match one.
            let Some(name) = path.to_str().filter(|name| matcher.is_match(name)) else { continue };
            let list = if kind.is_file() { &mut found.files } else { &mut found.others };
            list.push(name.to_owned());
            if found.files.len() + found.others.len() > MAX_REPORTS {
                return Err(io::Error::other(format!("more than {MAX_REPORTS} files match")));
            }
        }
    }
    found.files.sort();
    found.others.sort();
    Ok(found)
}

/// Removes everything that could be taken for a report, and returns what that was.
pub(super) fn remove(root: &Path, pattern: &str) -> io::Result<Vec<String>> {
    let Found { mut files, others } = find(root, pattern)?;
    files.extend(others);
    for path in &files {
        place_files::remove_file(root, Path::new(path)).map_err(io::Error::other)?;
    }
    Ok(files)
}

/// Reads one report.
pub(super) fn read(root: &Path, path: &str) -> Result<Vec<u8>, String> {
    place_files::read_file_bounded(root, Path::new(path), MAX_REPORT_BYTES).map_err(|error| {
        match error {
            place_files::PlaceFileError::TooLarge { .. } => {
                format!("`{path}` holds more than {} MiB", MAX_REPORT_BYTES >> 20)
            }
            other => format!("`{path}` cannot be read: {other}"),
        }
    })
}

/// Finds the plain files below `root` that have one of `names`.
pub(super) fn named(root: &Path, names: &BTreeSet<&str>) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut queue = vec![PathBuf::new()];
    while let Some(folder) = queue.pop().filter(|_| !names.is_empty()) {
        // A source file that cannot be looked at is not there: its report does not hold then.
        let Ok(entries) = fs_err::read_dir(root.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let path = folder.join(entry.file_name());
            if kind.is_dir() {
                queue.push(path);
            } else if let (true, Some(name), Some(path)) =
                (kind.is_file(), entry.file_name().to_str(), path.to_str())
                && names.contains(name)
            {
                found.entry(name.to_owned()).or_default().push(path.to_owned());
            }
        }
    }
    found.values_mut().for_each(|paths| paths.sort());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(dir.path().join("out/deep/folder.xml")).unwrap();
        for path in ["out/a.xml", "out/deep/b.xml", "out/deep/folder.xml/c.txt", "keep.xml"] {
            fs_err::write(dir.path().join(path), "x").unwrap();
        }
        std::os::unix::fs::symlink("../keep.xml", dir.path().join("out/link.xml")).unwrap();
        std::os::unix::fs::symlink("out", dir.path().join("linked")).unwrap();
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            dir.path().join("out/pipe.xml"),
            rustix::fs::Mode::from_raw_mode(0o600),
        )
        .unwrap();
        dir
    }

    #[test]
    fn only_plain_files_are_reports() {
        let dir = tree();
        let found = find(dir.path(), "out/**/*.xml").unwrap();
        assert_eq!(found.files, ["out/a.xml", "out/deep/b.xml"]);
        assert_eq!(found.others, ["out/link.xml", "out/pipe.xml"]);
        assert_eq!(find(dir.path(), "linked/*.xml").unwrap(), Found::default());
        assert_eq!(find(dir.path(), "missing/*.xml").unwrap(), Found::default());
        assert_eq!(find(dir.path(), "keep.xml").unwrap().files, ["keep.xml"]);
    }

    #[test]
    fn links_and_pipes_are_removed_and_never_followed() {
        let dir = tree();
        let removed = remove(dir.path(), "out/**/*.xml").unwrap();
        assert_eq!(removed, ["out/a.xml", "out/deep/b.xml", "out/link.xml", "out/pipe.xml"]);
        assert_eq!(find(dir.path(), "out/**/*.xml").unwrap(), Found::default());
        assert!(dir.path().join("keep.xml").is_file(), "the link's target stays");
        assert!(dir.path().join("out/deep/folder.xml/c.txt").is_file());
    }

    #[test]
    fn what_is_no_plain_file_cannot_be_read_as_a_report() {
        let dir = tree();
        for path in ["out/link.xml", "out/pipe.xml", "out/deep/folder.xml", "linked/a.xml"] {
            assert!(read(dir.path(), path).is_err(), "{path}");
        }
        assert_eq!(read(dir.path(), "out/a.xml").unwrap(), b"x");
    }

    #[test]
    fn more_reports_than_any_build_writes_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..=MAX_REPORTS {
            fs_err::write(dir.path().join(format!("{number}.xml")), "").unwrap();
        }
        let error = find(dir.path(), "*.xml").unwrap_err();
        assert_eq!(error.to_string(), "more than 10000 files match");
    }

    #[test]
    fn files_are_found_by_name() {
        let dir = tree();
        let found = named(dir.path(), &BTreeSet::from(["b.xml", "link.xml", "c.txt", "none"]));
        let paths: Vec<&String> = found.values().flatten().collect();
        assert_eq!(paths, ["out/deep/b.xml", "out/deep/folder.xml/c.txt"]);
    }
}
