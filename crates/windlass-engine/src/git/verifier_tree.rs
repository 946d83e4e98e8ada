//! The files that checks run on: exactly a snapshot's code, where no agent has been.
//!
//! A tree is kept between verifications, with its ignored files (build caches) in place, so that
//! the next one is fast. Everything else is made to match: changed files are restored, leftovers
//! of earlier checks removed. The index lies beside the folder, where no check can write. If the
//! folder resists (checks can leave anything behind), it is removed and made anew: only time is
//! lost then, never the truth of the tree.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::id::ObjectId;

use super::diff::TreePath;
use super::git_error::GitError;
use super::ignore_rules::IgnoreRules;
use super::place::Place;
use super::place_files::{self, PlaceFileError};
use super::process::{Finished, Git, path_from_bytes};
use super::remove::{Access, remove_whole, set_access};
use super::run_dir::{RunDir, break_lock};
use super::submodule::{Submodule, fingerprint};

/// Why a verifier tree could not be made.
#[derive(Debug, thiserror::Error)]
pub enum VerifierError {
    /// Git failed, also on a fresh folder.
    #[error("the verifier's tree could not be checked out")]
    Git(#[from] GitError),
    /// A file could not be written.
    #[error("the verifier's tree could not be written")]
    Io(#[from] io::Error),
    /// A carried file could not be written.
    #[error("a carried file could not be copied into the verifier's tree")]
    Carry(#[from] PlaceFileError),
}

/// What a checkout found in the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftovers {
    /// Nothing that had to go.
    None,
    /// Files of earlier checks, or of `prepare`, which are gone now.
    Removed,
}

/// A folder with exactly the files of one tree, and the caches of earlier checks.
#[derive(Debug)]
pub struct VerifierTree {
    dir: PathBuf,
    run_dir: RunDir,
    submodules: Vec<Submodule>,
    /// Patterns of files that stay when the folder is cleaned.
    keep: Vec<String>,
    /// How long a folder that checks have used may resist before it is made anew: a FIFO called
    /// `.gitignore` blocks git for ever.
    patience: Duration,
}

impl VerifierTree {
    /// Names the folder of a verifier tree of the run that works in `place`.
    ///
    /// `dir` is outside the place and belongs to windlass, with all that is in it; files beside it
    /// that start with its name do, too.
    pub fn at(dir: &Path, place: &Place) -> Self {
        Self {
            dir: dir.to_owned(),
            run_dir: place.run_dir.clone(),
            submodules: place.record.submodules.clone(),
            keep: Vec::new(),
            patience: place.patience,
        }
    }

    /// Lets the caches stay that `rules` ignore; what only the tree's own rules ignore does not.
    #[must_use]
    pub fn keeping(mut self, rules: &IgnoreRules) -> Self {
        self.keep = rules.patterns().to_vec();
        self
    }

    /// Makes the folder match `tree`.
    pub fn checkout(&self, tree: &ObjectId) -> Result<Leftovers, VerifierError> {
        let index = self.beside("index");
        let used = self.beside("used");
        if self.dir.is_dir() && index.is_file() {
            let matched = self.match_existing(tree, &index, used.exists());
            match matched {
                Ok(leftovers) => {
                    self.fill_submodules()?;
                    return Ok(leftovers);
                }
                Err(VerifierError::Git(GitError::Missing)) => return matched,
                Err(_) => {}
            }
        }
        self.discard()?;
        fs_err::create_dir_all(&self.dir)?;
        self.read_tree(tree, &index).run()?;
        self.fill_submodules()?;
        Ok(Leftovers::Removed)
    }

    /// Says that checks are about to run here, so that their leftovers are removed next time.
    pub fn mark_used(&self) -> Result<(), VerifierError> {
        Ok(fs_err::write(self.beside("used"), "")?)
    }

    fn match_existing(
        &self,
        tree: &ObjectId,
        index: &Path,
        used: bool,
    ) -> Result<Leftovers, VerifierError> {
        // The checkout before this one may have been killed.
        break_lock(index)?;
        self.with_access(|| self.read_tree(tree, index).deadline(self.patience).run())?;
        if !used {
            return Ok(Leftovers::None);
        }
        let cleaned = self.with_access(|| self.clean(index).deadline(self.patience).run())?;
        fs_err::remove_file(self.beside("used"))?;
        // Git names what it removes.
        Ok(if cleaned.stdout.is_empty() { Leftovers::None } else { Leftovers::Removed })
    }

    /// Does something to the folder, and again with write access if it failed: a check may have
    /// made folders read-only.
    fn with_access(
        &self,
        act: impl Fn() -> Result<Finished, GitError>,
    ) -> Result<Finished, VerifierError> {
        match act() {
            Err(GitError::Failed { .. }) => {
                set_access(&self.dir, Access::Owner)?;
                Ok(act()?)
            }
            other => Ok(other?),
        }
    }

    fn read_tree(&self, tree: &ObjectId, index: &Path) -> Git {
        self.git(index).args(["read-tree", "--reset", "-u", tree.as_str()])
    }

    /// Removes what is neither in the tree nor kept; the second `-f` is for repositories. With `-x`
    /// no ignore file of the tree has a say: checks run the agent's code, which can write them.
    fn clean(&self, index: &Path) -> Git {
        let clean = self.git(index).args(["clean", "-f", "-f", "-d", "-x"]);
        self.keep.iter().fold(clean, |clean, pattern| clean.args(["-e", pattern.as_str()]))
    }

    fn git(&self, index: &Path) -> Git {
        self.run_dir.git(&self.dir, index)
    }

    /// Checks submodules out where their files are missing or changed.
    fn fill_submodules(&self) -> Result<(), VerifierError> {
        for (number, submodule) in self.submodules.iter().enumerate() {
            let folder = self.dir.join(path_from_bytes(&submodule.path));
            if !submodule.is_filled() || !folder.is_dir() {
                continue;
            }
            let record = self.beside(&format!("submodule-{number}"));
            let now = format!("{} {}", submodule.commit, fingerprint(&folder)?);
            if fs_err::read_to_string(&record).is_ok_and(|then| then == now) {
                continue;
            }
            let index = self.beside(&format!("submodule-{number}.index"));
            remove_whole(&folder)?;
            for stale in [&index, &record] {
                if stale.exists() {
                    fs_err::remove_file(stale)?;
                }
            }
            fs_err::create_dir_all(&folder)?;
            submodule.check_out(&self.run_dir, &folder, &index)?;
            let made = format!("{} {}", submodule.commit, fingerprint(&folder)?);
            fs_err::write(&record, made)?;
        }
        Ok(())
    }

    /// Copies files into the tree: those that git ignores and checks need.
    pub fn carry(&self, files: &[(TreePath, Vec<u8>)]) -> Result<(), VerifierError> {
        for (path, bytes) in files {
            place_files::write_file(&self.dir, &path.to_path(), bytes)?;
        }
        Ok(())
    }

    /// Removes the folder and what lies beside it.
    pub fn discard(&self) -> Result<(), VerifierError> {
        remove_whole(&self.dir)?;
        for name in ["index", "index.lock", "used"] {
            match fs_err::remove_file(self.beside(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = self.dir.file_name().unwrap_or_default().to_owned();
        name.push(".");
        name.push(suffix);
        self.dir.with_file_name(name)
    }
}

impl Place {
    /// Sets the files of the place to `tree`.
    ///
    /// What the last snapshot has and `tree` has not is removed; ignored files stay. The caller
    /// observes first, so that nothing is lost.
    pub fn reset_files(&mut self, tree: &ObjectId) -> Result<(), VerifierError> {
        let index = self.run_dir.index();
        break_lock(&index)?;
        self.indexed = None;
        self.run_dir
            .git(&self.record.root, &index)
            .args(["read-tree", "--reset", "-u", tree.as_str()])
            .run()?;
        self.indexed = Some(tree.clone());
        Ok(())
    }
}
