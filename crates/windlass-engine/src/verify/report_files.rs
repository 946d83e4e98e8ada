//! Reports on disk: finding, removing and reading them in a room.
//!
//! The room holds what the agent's code left there. Only plain files count, reached without a
//! link; links, pipes and folders that match are none. Where something cannot be looked at, the
//! caller is told: an old report must not survive because its folder could not be opened.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use windlass_core::glob;

use super::files::{is_plain_below, starting_points};
use crate::git::place_files;
use crate::room::Room;
use crate::room::layers::{is_whiteout, walk};

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
            if kind.is_char_device() && is_whiteout(&entry.metadata()?) {
                continue;
            }
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

/// Takes everything out of a room that could be taken for a report, and returns what that was.
pub(super) fn remove(room: &Room, pattern: &str) -> io::Result<Vec<String>> {
    let mut removed = BTreeSet::new();
    for layer in room.lower().iter().map(PathBuf::as_path).chain([room.written()]) {
        let Found { files, others } = find(layer, pattern)?;
        removed.extend(files);
        removed.extend(others);
    }
    for path in &removed {
        room.hide(Path::new(path))?;
    }
    Ok(removed.into_iter().collect())
}

/// Removes every file below a folder that could be taken for a report, however many there are.
pub(super) fn forget(folder: &Path, pattern: &str) -> io::Result<()> {
    let matcher = glob::compile(pattern).map_err(io::Error::other)?.compile_matcher();
    walk(folder, &mut |path, metadata| {
        let inside = path.strip_prefix(folder).unwrap_or(path);
        if !metadata.is_dir() && matcher.is_match(inside) {
            fs_err::remove_file(path)?;
        }
        Ok(())
    })
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
}
