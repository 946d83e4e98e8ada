//! Bringing kept files back: into a new folder, or as a new branch of the user's repository.
//!
//! Nothing that exists is ever written: the folder and the branch have to be new. The files of an
//! agent are data here as everywhere else: git never follows a link of theirs while it writes.

use std::io;
use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;
use windlass_core::snapshot::Snapshot;

use super::diff::TreePath;
use super::engine_repository::EngineRepository;
use super::git_error::GitError;
use super::lfs;
use super::process::Git;
use super::run_dir::RunDir;
use super::user::UserRepository;

/// Where papers lie in a place.
const PAPERS: &str = ".windlass/run/";

/// Why kept files could not be brought back.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The folder is there.
    #[error("`{path}` exists already; nothing is overwritten")]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// The branch is there, or one that is in its way.
    #[error("the branch `{branch}` exists already; nothing is moved")]
    BranchExists {
        /// The branch.
        branch: String,
    },
    /// Git does not take the name.
    #[error("`{branch}` is not a name for a branch")]
    BadBranch {
        /// The name.
        branch: String,
    },
    /// No file of the snapshot matches.
    #[error("there is no `{path}` among the kept files")]
    NoSuchFile {
        /// What was asked for.
        path: String,
    },
    /// Git failed.
    #[error("the kept files could not be read")]
    Git(#[from] GitError),
    /// A folder or file could not be made.
    #[error("the files could not be written")]
    Io(#[from] io::Error),
}

/// What was brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// How many files.
    pub files: usize,
    /// Whether the papers came along; the agent's code can stand in their way.
    pub papers: bool,
}

impl EngineRepository {
    /// Lists all files of a snapshot, papers with the path that they have in a place.
    pub fn snapshot_files(&self, snapshot: &Snapshot) -> Result<Vec<TreePath>, GitError> {
        let mut files = self.files_below("", &snapshot.code)?;
        files.extend(self.files_below(PAPERS, &snapshot.papers)?);
        Ok(files)
    }

    fn files_below(&self, prefix: &str, tree: &ObjectId) -> Result<Vec<TreePath>, GitError> {
        let listed = self
            .git()
            .args(["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree.as_str()])
            .run()?;
        let names = listed.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| TreePath::new([prefix.as_bytes(), name].concat())).collect())
    }

    /// Writes files of a snapshot into the new folder `into`.
    ///
    /// `wanted` are files or folders; none means all. `run_git` is the run's own git directory,
    /// which knows the run's large files.
    pub fn restore(
        &self,
        run_git: &Path,
        snapshot: &Snapshot,
        wanted: &[String],
        into: &Path,
    ) -> Result<Restored, RestoreError> {
        let files = chosen(self.snapshot_files(snapshot)?, wanted)?;
        match fs_err::create_dir(into) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(RestoreError::Exists { path: into.to_owned() });
            }
            made => made?,
        }
        let into = into.canonicalize()?;
        let scratch = tempfile::tempdir()?;
        let index = scratch.path().join("index");
        let git = || match run_git.is_dir() {
            true => RunDir::open(run_git, self).git(&into, &index),
            false => self.git().work_tree(&into).index(&index),
        };
        // Papers are stored whatever they are called.
        let git = || git().setting("core.protectNTFS=false").setting("core.protectHFS=false");
        git().args(["read-tree", snapshot.code.as_str()]).run()?;
        let prefix = format!("--prefix={PAPERS}");
        let added = git().args(["read-tree", &prefix, snapshot.papers.as_str()]).run_to_end()?;
        let papers = added.code == 0;
        let names = files.iter().filter(|file| papers || !is_paper(file));
        let list: Vec<&[u8]> = names.map(TreePath::as_bytes).collect();
        let count = list.len();
        git().args(["checkout-index", "-q", "-z", "--stdin"]).stdin(list.join(&0)).run()?;
        Ok(Restored { files: count, papers })
    }

    /// Makes a branch in the user's repository that did not exist before, at `commit`.
    pub fn new_branch(
        &self,
        run_git: &Path,
        user: &UserRepository,
        branch: &str,
        commit: &ObjectId,
    ) -> Result<(), RestoreError> {
        let reference = format!("refs/heads/{branch}");
        let named = Git::anywhere().args(["check-ref-format", "--branch", branch]).run_to_end()?;
        if named.code != 0 || branch.starts_with('-') {
            return Err(RestoreError::BadBranch { branch: branch.to_owned() });
        }
        let there = Git::at(&user.common_dir)
            .args(["rev-parse", "--verify", "--quiet", &reference])
            .run_to_end()?;
        if there.code == 0 {
            return Err(RestoreError::BranchExists { branch: branch.to_owned() });
        }
        if run_git.is_dir() {
            lfs::publish(&RunDir::open(run_git, self), user)?;
        }
        Git::at(&user.common_dir)
            .global_configuration(&self.fetch_configuration())
            .args(["fetch", "--quiet", "--no-tags", "--no-auto-gc", "--no-write-fetch-head"])
            .args(["--no-recurse-submodules", "--refmap="])
            .arg(self.dir())
            .arg(commit.as_str())
            .run()?;
        // An all-zero old value means that the branch must not exist: looking before is no lock.
        let made = Git::at(&user.common_dir)
            .setting("core.logAllRefUpdates=true")
            .setting("user.name=windlass")
            .setting("user.email=windlass@localhost")
            .args(["update-ref", "--no-deref", "-m", "windlass: restored", &reference])
            .args([commit.as_str(), self.format().zero().as_str()])
            .run_to_end()?;
        match made.code {
            0 => Ok(()),
            _ if made.stderr.contains("exists") => {
                Err(RestoreError::BranchExists { branch: branch.to_owned() })
            }
            _ => Err(made.into_error().into()),
        }
    }
}

fn is_paper(file: &TreePath) -> bool {
    file.as_bytes().starts_with(PAPERS.as_bytes())
}

/// Picks the files that are wanted by their path or by a folder above them.
fn chosen(files: Vec<TreePath>, wanted: &[String]) -> Result<Vec<TreePath>, RestoreError> {
    if wanted.is_empty() {
        return Ok(files);
    }
    let below = |file: &TreePath, wanted: &str| {
        let rest = file.as_bytes().strip_prefix(wanted.trim_end_matches('/').as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    for wanted in wanted {
        if !files.iter().any(|file| below(file, wanted)) {
            return Err(RestoreError::NoSuchFile { path: wanted.clone() });
        }
    }
    let matches = |file: &TreePath| wanted.iter().any(|wanted| below(file, wanted));
    Ok(files.into_iter().filter(matches).collect())
}
