//! The settings of a place's git directory, put back after every attempt.
//!
//! An agent may write what it likes there, and git runs what stands there: a monitor, a pager, a
//! driver for diffs, a hook. Whoever looks at the place next, the reviewer's git or a person's, must
//! run nothing of the agent's. What the agent had made of it is returned, so that it can be shown.

use std::io;
use std::path::{Path, PathBuf};

use super::place::{EXCLUDE_LINE, Place, PlaceKind};
use super::place_files::{self, PlaceFileError};

/// The pinned copy of the configuration, in the run's own directory.
pub(super) const PINNED: &str = "clone-config";

/// The pinned branches and tags, in the run's own directory.
pub(super) const PINNED_REFS: &str = "clone-refs";

/// The largest list of branches and tags that is read back.
const MAX_REFS_BYTES: u64 = 256 << 20;

/// Files and folders of a git directory that windlass never makes in a place.
const NOT_OURS: [&str; 8] = [
    "config.worktree",
    "hooks",
    "commondir",
    "gitdir",
    "info/attributes",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
];

/// How much of a file is kept to be shown.
const MAX_SHOWN_BYTES: u64 = 64 << 10;

/// A file that an agent had made or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Displaced {
    /// Its path in the git directory.
    pub path: PathBuf,
    /// What the agent had made of it; empty for a folder.
    pub content: Vec<u8>,
}

impl Place {
    /// Puts the settings back as windlass wrote them; returns what was not as it should be.
    ///
    /// The user's own git directory is not ours to write.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn put_settings_back(&self) -> Result<Vec<Displaced>, PlaceFileError> {
        let Ok(pinned) = fs_err::read(self.run_dir.path(PINNED)) else { return Ok(Vec::new()) };
        if self.record.kind == PlaceKind::Here || !self.record.root.join(".git").is_dir() {
            return Ok(Vec::new());
        }
        let mut displaced = Vec::new();
        let exclude = format!("{EXCLUDE_LINE}\n").into_bytes();
        for (name, ours) in [("config", pinned), ("info/exclude", exclude)] {
            let path = Path::new(".git").join(name);
            match self.read(&path) {
                Some(now) if now == ours => continue,
                now => displaced
                    .push(Displaced { path: name.into(), content: now.unwrap_or_default() }),
            }
            self.clear(&path)?;
            place_files::create_dir(&self.record.root, path.parent().unwrap_or(Path::new(".git")))?;
            place_files::write_file(&self.record.root, &path, &ours)?;
        }
        displaced.extend(self.put_branches_back()?);
        for name in NOT_OURS {
            let path = Path::new(".git").join(name);
            if self.record.root.join(&path).symlink_metadata().is_err() {
                continue;
            }
            displaced.push(Displaced {
                path: name.into(),
                content: self.read(&path).unwrap_or_default(),
            });
            self.clear(&path)?;
        }
        Ok(displaced)
    }

    /// Puts the user's branches and tags back where they were: a reviewer compares with them.
    fn put_branches_back(&self) -> Result<Vec<Displaced>, PlaceFileError> {
        let Ok(pinned) = fs_err::read_to_string(self.run_dir.path(PINNED_REFS)) else {
            return Ok(Vec::new());
        };
        let root = &self.record.root;
        let own = format!("refs/heads/{}", self.record.branch);
        let packed = Path::new(".git/packed-refs");
        let now = place_files::read_file_bounded(root, packed, MAX_REFS_BYTES).unwrap_or_default();
        let now = String::from_utf8_lossy(&now).into_owned();
        let mut displaced = Vec::new();
        let theirs: Vec<(&str, &str)> = refs_in(&pinned).filter(|(_, name)| *name != own).collect();
        let mut moved = false;
        for (object, name) in &theirs {
            let loose = Path::new(".git").join(name);
            if let Some(content) = self.read(&loose) {
                self.clear(&loose)?;
                if content.trim_ascii() != object.as_bytes() {
                    displaced.push(Displaced { path: name.into(), content });
                }
            }
            moved |= !refs_in(&now).any(|(other, same)| same == *name && other == *object);
        }
        if moved {
            let known = |name: &str| theirs.iter().any(|(_, other)| *other == name);
            let others = refs_in(&now).filter(|(_, name)| !known(name));
            let lines = theirs.iter().copied().chain(others);
            let mut lines: Vec<String> =
                lines.map(|(object, name)| format!("{object} {name}\n")).collect();
            lines.sort_by(|a, b| {
                a.split_once(' ').map(|(_, n)| n).cmp(&b.split_once(' ').map(|(_, n)| n))
            });
            self.clear(packed)?;
            place_files::write_file(root, packed, lines.concat().as_bytes())?;
        }
        Ok(displaced)
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        place_files::read_file_bounded(&self.record.root, path, MAX_SHOWN_BYTES).ok()
    }

    /// Removes whatever stands at a path of the place; no link on the way is followed.
    fn clear(&self, path: &Path) -> Result<(), PlaceFileError> {
        let parent = path.parent().unwrap_or(Path::new("."));
        if place_files::open_folder(&self.record.root, parent).is_err() {
            // A link or a file in the place of the folder goes instead.
            return match parent == Path::new(".git") {
                true => Ok(()),
                false => self.clear(parent),
            };
        }
        let at = self.record.root.join(path);
        match at.symlink_metadata() {
            Ok(found) if found.is_dir() => super::remove::remove_whole(&at).map_err(io_of(path)),
            Ok(_) => place_files::remove_file(&self.record.root, path),
            Err(_) => Ok(()),
        }
    }
}

fn io_of(path: &Path) -> impl FnOnce(io::Error) -> PlaceFileError + use<'_> {
    move |source| PlaceFileError::Io { path: path.to_owned(), source }
}

/// The branches and tags of a `packed-refs` file, with where they are.
fn refs_in(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().filter(|line| !line.starts_with(['#', '^']));
    lines.filter_map(|line| line.split_once(' '))
}
