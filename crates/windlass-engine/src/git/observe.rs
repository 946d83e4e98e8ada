//! Taking a snapshot, and noticing what must not have happened to the place.
//!
//! The normal case is two git processes: `add` into the run's own index, then `write-tree`. The
//! place's own index and configuration play no part. Whatever git stumbles over (a repository
//! inside the place, a file nobody may read, a FIFO called `.gitignore`) is looked into only then,
//! by `nested`: trouble is reported together with a snapshot that has the files, never instead.

use std::io;
use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;
use windlass_core::proof::Trouble;
use windlass_core::snapshot::Snapshot;

use super::git_error::GitError;
use super::index;
use super::nested;
use super::pathspec::leave_out;
use super::place::{Place, PlaceKind};
use super::place_files::{self, PlaceFileError};
use super::process::{Finished, Git};
use super::run_dir::break_lock;

/// Why a place could not be snapshotted.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// Git failed.
    #[error("the files of the place could not be stored")]
    Git(#[from] GitError),
    /// The engine's own files failed.
    #[error("the engine's index could not be read")]
    Io(#[from] io::Error),
    /// The papers could not be stored.
    #[error("the documents could not be stored")]
    Papers(#[source] PlaceFileError),
    /// The place is gone.
    #[error("`{path}` is gone")]
    Gone {
        /// Where the place was.
        path: PathBuf,
    },
}

/// The largest file of a git directory that is read here: `packed-refs` of the largest
/// repositories is some tens of megabytes.
const MAX_REFS_BYTES: u64 = 256 * 1024 * 1024;

impl Place {
    /// Takes a snapshot, and lists what happened to the place that must not happen.
    ///
    /// `last` is the last commit that windlass made on the run's branch, or the base. The agent
    /// may have committed on top of it; that is allowed.
    pub fn observe(&mut self, last: &ObjectId) -> Result<(Snapshot, Vec<Trouble>), SnapshotError> {
        if !self.record.root.is_dir() {
            return Err(SnapshotError::Gone { path: self.record.root.clone() });
        }
        let mut troubles = Vec::new();
        self.look_at_head(last, &mut troubles)?;
        let code = self.store_code(&mut troubles)?;
        self.look_at_submodules(&mut troubles)?;
        let papers = self.papers.store(&self.engine, &self.record.root, &mut troubles)?;
        Ok((Snapshot { code, papers }, troubles))
    }

    fn store_code(&mut self, troubles: &mut Vec<Trouble>) -> Result<ObjectId, SnapshotError> {
        self.indexed = None;
        let index = self.run_dir.index();
        break_lock(&index)?;
        if !index.exists() {
            // `git add` would begin an empty one, without the links to submodules.
            return nested::store(self, troubles);
        }
        let added = self.add(&[]).deadline(self.patience).run_to_end();
        let stumbled = match added {
            Ok(Finished { code: 0, .. }) => {
                !self.unknown_gitlinks().is_ok_and(|links| links.is_empty())
            }
            Ok(_) | Err(GitError::TimedOut { .. }) => true,
            Err(error) => return Err(error.into()),
        };
        if stumbled {
            return nested::store(self, troubles);
        }
        let tree = self.write_tree(&index)?;
        self.indexed = Some(tree.clone());
        Ok(tree)
    }

    /// Prepares `git add` of everything except the papers, the submodules and `without`.
    ///
    /// The papers are left out by path: an ignore rule of the agent could bring them back. And
    /// `git add` would start `git status` inside a submodule, which obeys the configuration there.
    pub(super) fn add(&self, without: &[Vec<u8>]) -> Git {
        let mut paths = b".\0".to_vec();
        // Git refuses to look behind a link. One in this place has no papers, which is trouble
        // enough; its own name is a file like any other.
        if !self.record.root.join(".windlass").is_symlink() {
            leave_out(b".windlass/run", &mut paths);
        }
        let submodules = self.record.submodules.iter().map(|submodule| &submodule.path);
        for path in submodules.chain(without) {
            leave_out(path, &mut paths);
        }
        self.run_dir
            .git(&self.record.root, &self.run_dir.index())
            .args(["add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"])
            .stdin(paths)
    }

    pub(super) fn write_tree(&self, index: &Path) -> Result<ObjectId, GitError> {
        let written = self.run_dir.git(&self.record.root, index).arg("write-tree").run()?;
        Ok(ObjectId::new(written.line()?))
    }

    /// Lists the repositories in the run's index that are not submodules of the base commit.
    pub(super) fn unknown_gitlinks(&self) -> Result<Vec<Vec<u8>>, SnapshotError> {
        let bytes = fs_err::read(self.run_dir.index())?;
        let mut links = index::gitlinks(&bytes, self.engine.format())
            .ok_or_else(|| io::Error::other("the engine's index has an unknown version"))?;
        links.retain(|link| !self.record.submodules.iter().any(|known| known.path == *link));
        Ok(links)
    }

    fn look_at_submodules(&self, troubles: &mut Vec<Trouble>) -> Result<(), SnapshotError> {
        let mut paths = Vec::new();
        for submodule in &self.record.submodules {
            if submodule.has_changed(&self.record.root)? {
                paths.push(String::from_utf8_lossy(&submodule.path).into_owned());
            }
        }
        if !paths.is_empty() {
            troubles.push(Trouble::SubmoduleChanged { paths });
        }
        Ok(())
    }

    /// Compares HEAD and the run's branch with where they should be.
    ///
    /// The files are read here, not by git: git in the place would obey the agent's settings.
    fn look_at_head(
        &self,
        last: &ObjectId,
        troubles: &mut Vec<Trouble>,
    ) -> Result<(), SnapshotError> {
        let expected = format!("refs/heads/{}", self.record.branch);
        match self.read_git_file(GitFile::Own, "HEAD") {
            Ok(head) => {
                let head = String::from_utf8_lossy(&head);
                let found = head.trim_end();
                let found = found.strip_prefix("ref:").map_or(found, str::trim_start);
                if found != expected {
                    let found = found.chars().take(200).collect();
                    troubles.push(Trouble::HeadMoved { expected: expected.clone(), found });
                }
            }
            Err(error) => {
                // `.git` is gone, a link or a file: there is no branch to look at any more.
                troubles.push(Trouble::Unreadable { message: error.to_string() });
                return Ok(());
            }
        }
        let tip = self.branch_tip();
        if tip.as_ref() == Some(last) {
            return Ok(());
        }
        let descends = match &tip {
            Some(tip) => self.descends(last, tip)?,
            None => false,
        };
        if !descends {
            troubles.push(Trouble::BranchRewritten {
                branch: self.record.branch.clone(),
                lost: last.to_string(),
            });
        }
        Ok(())
    }

    /// Reads where the run's branch is in the place; `None` when it is nowhere or unreadable.
    pub(super) fn branch_tip(&self) -> Option<ObjectId> {
        let name = format!("refs/heads/{}", self.record.branch);
        let digits = self.engine.format().bytes() * 2;
        let id = |text: &str| {
            (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
                .then(|| ObjectId::from(text))
        };
        match self.read_git_file(GitFile::Common, &name) {
            Ok(bytes) => id(String::from_utf8_lossy(&bytes).trim_end()),
            Err(_) => {
                let packed = self.read_git_file(GitFile::Common, "packed-refs").ok()?;
                String::from_utf8_lossy(&packed).lines().find_map(|line| {
                    let (object, reference) = line.split_once(' ')?;
                    (reference == name).then(|| id(object))?
                })
            }
        }
    }

    /// Says whether `tip`, a commit of the place, has `last` in its history.
    ///
    /// The place's objects are read as data by a process in the engine's repository. An agent can
    /// forge them; what it gains is a branch in its own place that windlass moves anyway.
    fn descends(&self, last: &ObjectId, tip: &ObjectId) -> Result<bool, SnapshotError> {
        let (root, relative) = self.git_file(GitFile::Common, "objects");
        if place_files::open_folder(&root, &relative).is_err() {
            return Ok(false);
        }
        let asked = self
            .engine
            .git()
            .also_objects(&root.join(relative))
            .args(["merge-base", "--is-ancestor", last.as_str(), tip.as_str()])
            .deadline(self.patience)
            .run_to_end();
        match asked {
            Ok(answer) => Ok(answer.code == 0),
            Err(GitError::TimedOut { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn read_git_file(
        &self,
        which: GitFile,
        name: &str,
    ) -> Result<Vec<u8>, PlaceFileError> {
        let (root, relative) = self.git_file(which, name);
        place_files::read_file_bounded(&root, &relative, MAX_REFS_BYTES)
    }

    /// Returns a file of the place's git directory as a trusted folder and a path to walk safely.
    ///
    /// In a private clone everything below the place is the agent's. The user's own git directory
    /// may lie anywhere (a linked worktree), so there it is itself the trusted folder.
    pub(super) fn git_file(&self, which: GitFile, name: &str) -> (PathBuf, PathBuf) {
        match (self.record.kind, which) {
            (PlaceKind::PrivateClone, _) => {
                (self.record.root.clone(), Path::new(".git").join(name))
            }
            (PlaceKind::Here, GitFile::Own) => (self.record.git_dir.clone(), PathBuf::from(name)),
            (PlaceKind::Here, GitFile::Common) => {
                (self.record.common_dir.clone(), PathBuf::from(name))
            }
        }
    }
}

/// Whether a file of a git directory belongs to one checkout or to all.
#[derive(Clone, Copy)]
pub(super) enum GitFile {
    /// HEAD and the index.
    Own,
    /// Branches, objects and logs.
    Common,
}
