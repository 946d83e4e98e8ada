//! Which repository a hook call is about, read off its files.
//!
//! Git itself is never run: a hook is called for every tool call. The answer is the same as git's
//! for a checkout with a `.git` folder or file; whatever else there is (`GIT_DIR` in the environment,
//! bare repositories) has no hosted run.

use std::path::{Path, PathBuf};

use crate::git::repository_key;

/// A checkout and the repository that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// Its top folder, without links.
    pub top_level: PathBuf,
    /// The git directory that all checkouts share, without links.
    pub common_dir: PathBuf,
}

/// The longest `.git` file or `commondir` that is read.
const MAX_BYTES: usize = 8192;

impl Checkout {
    /// Finds the checkout around `folder`.
    pub fn around(folder: &Path) -> Option<Self> {
        let folder = folder.canonicalize().ok()?;
        folder.ancestors().find_map(Self::at)
    }

    fn at(folder: &Path) -> Option<Self> {
        let dot_git = folder.join(".git");
        let metadata = fs_err::metadata(&dot_git).ok()?;
        let git_dir = if metadata.is_dir() {
            dot_git
        } else {
            folder.join(line_of(&dot_git)?.strip_prefix("gitdir:")?.trim())
        };
        // A folder that is called so and is no git directory is nothing to git either.
        if !git_dir.join("HEAD").exists() {
            return None;
        }
        let common_dir = match line_of(&git_dir.join("commondir")) {
            Some(common) => git_dir.join(common.trim()),
            None => git_dir,
        };
        let common_dir = common_dir.canonicalize().ok()?;
        Some(Self { top_level: folder.to_owned(), common_dir })
    }

    /// Returns the name of the repository's folder among windlass's.
    pub fn key(&self) -> String {
        repository_key(&self.common_dir)
    }
}

fn line_of(file: &Path) -> Option<String> {
    let text = fs_err::read_to_string(file).ok().filter(|text| text.len() <= MAX_BYTES)?;
    text.lines().next().map(str::to_owned)
}
