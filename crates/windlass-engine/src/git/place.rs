//! Where a run works: a private clone (`private_clone`) or the user's checkout (`here`).
//!
//! What the engine knows about a place is recorded in the run's own directory, where the agent
//! cannot write; the place is never asked what it is.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_core::id::ObjectId;

use super::base_store::BaseStoreError;
use super::engine_repository::{EngineRepository, EngineRepositoryError};
use super::git_error::GitError;
use super::lfs::{self, ConfigureError};
use super::papers::Papers;
use super::place_files::{self, PlaceFileError};
use super::process::Git;
use super::run_dir::{EXACT_BYTES, RunDir};
use super::submodule::Submodule;
use super::user::UserRepository;

/// The line that keeps the run's papers out of the place's own git.
pub(super) const EXCLUDE_LINE: &str = "/.windlass/run/";

/// The folders that agents and people find in every place.
const FOLDERS: [&str; 4] = ["specs", "reports", "evidence", "log"];

/// The record of a place in its run's directory, out of the agent's reach.
const RECORD_FILE: &str = "place.json";

/// Why a place could not be made or opened.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// The run's branch is taken.
    #[error("the branch `{branch}` exists already in the repository")]
    BranchExists {
        /// The branch.
        branch: String,
    },
    /// The checkout has changes that a run would mix with its own.
    #[error("the checkout has uncommitted changes: {}", paths.join(", "))]
    Dirty {
        /// What changed, at most as many as are useful to read.
        paths: Vec<String>,
    },
    /// The user's git converts files by a program that windlass does not run.
    #[error("files here go through a git filter, so they cannot be compared: {}", paths.join(", "))]
    Filtered {
        /// The files.
        paths: Vec<String>,
    },
    /// Something that windlass did not make is in the way.
    #[error("`{path}` exists and is not a place made by this run")]
    Occupied {
        /// What is in the way.
        path: PathBuf,
    },
    /// The run's record cannot be read.
    #[error("the record of the place in `{path}` cannot be read")]
    Record {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// Git failed.
    #[error("the place could not be made")]
    Git(#[from] GitError),
    /// The engine's repository failed.
    #[error("the base commit could not be brought over")]
    Engine(#[from] EngineRepositoryError),
    /// A file could not be read or written.
    #[error("a file of the place could not be written")]
    Io(#[from] io::Error),
    /// The objects that the place borrows could not be set up.
    #[error("the objects of the place could not be set up")]
    BaseStore(#[from] BaseStoreError),
    /// Something in the place is not what it should be.
    #[error("a file of the place could not be written")]
    File(#[from] PlaceFileError),
}

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceKind {
    /// A clone of its own.
    PrivateClone,
    /// The user's checkout.
    Here,
}

/// What it takes to make a place.
#[derive(Clone, Debug)]
pub struct PlaceRequest {
    /// Where a private clone goes; not used for the user's checkout.
    pub dir: PathBuf,
    /// Where the run's own git directory goes, out of the agent's reach.
    pub run_dir: PathBuf,
    /// The run's branch, without `refs/heads/`.
    pub branch: String,
    /// The commit to start from.
    pub base: ObjectId,
    /// Our own executable, which is the filter for large files; see [`lfs`](super::lfs). Without
    /// it large files stay pointers.
    pub lfs_filter: Option<PathBuf>,
    /// Where base stores are that a private clone borrows its objects from. Without it the clone gets
    /// copies: where an attempt is not in a box, it could write what it borrows.
    pub base_stores: Option<PathBuf>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PlaceRecord {
    pub(super) kind: PlaceKind,
    pub(super) root: PathBuf,
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) branch: String,
    pub(super) base: ObjectId,
    pub(super) submodules: Vec<Submodule>,
    /// The objects of a base store that a private clone borrows.
    #[serde(default)]
    pub(super) borrows: Option<PathBuf>,
}

impl PlaceRecord {
    /// Reads the record of the place in `run_dir`; none when there is no record.
    fn read(run_dir: &Path) -> Result<Option<Self>, PlaceError> {
        let path = run_dir.join(RECORD_FILE);
        let bytes = match fs_err::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let record =
            serde_json::from_slice(&bytes).map_err(|source| PlaceError::Record { path, source })?;
        Ok(Some(record))
    }

    /// Lists the folders that the place's git directories borrow objects from.
    fn borrowed(&self) -> Vec<PathBuf> {
        let submodules = self.submodules.iter().filter_map(|submodule| submodule.borrows.as_ref());
        let mut all: Vec<PathBuf> = self.borrows.iter().chain(submodules).cloned().collect();
        all.sort();
        all.dedup();
        all
    }
}

/// Lists the folders that the place in `run_dir` borrows objects from; none if it is gone.
pub(super) fn borrowed_by(run_dir: &Path) -> Result<Vec<PathBuf>, PlaceError> {
    let record = PlaceRecord::read(run_dir)?.filter(|record| record.root.is_dir());
    Ok(record.map(|record| record.borrowed()).unwrap_or_default())
}

/// The files of one run and what the engine knows about them.
#[derive(Debug)]
pub struct Place {
    pub(super) record: PlaceRecord,
    pub(super) engine: EngineRepository,
    pub(super) run_dir: RunDir,
    pub(super) papers: Papers,
    /// The tree that the run's index holds, where that is known.
    pub(super) indexed: Option<ObjectId>,
    pub(super) patience: Duration,
}

/// How long the first `git add` of a snapshot may take before the place is searched for what
/// blocks it. Large trees on slow disks take longer; they are then given git's full deadline.
const PATIENCE: Duration = Duration::from_secs(120);

impl Place {
    /// Opens a place that was made before.
    pub fn open(engine: &EngineRepository, run_dir: &Path) -> Result<Option<Self>, PlaceError> {
        Self::open_complete(engine, run_dir)
    }

    pub(super) fn open_complete(
        engine: &EngineRepository,
        run_dir: &Path,
    ) -> Result<Option<Self>, PlaceError> {
        let Some(record) = PlaceRecord::read(run_dir)? else { return Ok(None) };
        if !record.root.is_dir() {
            // It was about to be made, or it was removed: either way it is to be made anew.
            return Ok(None);
        }
        let run_dir = RunDir::open(&fs_err::canonicalize(run_dir)?, engine);
        Ok(Some(Self::with(record, engine, run_dir)))
    }

    pub(super) fn with(record: PlaceRecord, engine: &EngineRepository, run_dir: RunDir) -> Self {
        Self {
            record,
            engine: engine.clone(),
            run_dir,
            papers: Papers::default(),
            indexed: None,
            patience: PATIENCE,
        }
    }

    pub(super) fn write_record(&self) -> Result<(), PlaceError> {
        let path = self.run_dir.path(RECORD_FILE);
        let text = serde_json::to_vec_pretty(&self.record)
            .map_err(|source| PlaceError::Record { path: path.clone(), source })?;
        let folder = self.run_dir.path("");
        Ok(place_files::write_file(&folder, Path::new(RECORD_FILE), &text)?)
    }

    /// Replaces the index at `relative` below `root` by the run's own one.
    ///
    /// Both describe the same files, so git finds everything unchanged without reading it. The
    /// modification time goes along: git compares it with the files' times to find files that
    /// changed within one tick of the clock.
    pub(super) fn copy_index_to(&self, root: &Path, relative: &Path) -> Result<(), PlaceError> {
        let index = self.run_dir.index();
        let stat = rustix::fs::stat(&index).map_err(io::Error::from)?;
        let modified =
            rustix::fs::Timespec { tv_sec: stat.st_mtime as _, tv_nsec: stat.st_mtime_nsec as _ };
        let bytes = fs_err::read(&index)?;
        Ok(place_files::write_file_dated(root, relative, &bytes, modified)?)
    }

    /// Shortens the wait before a snapshot that does not come is looked into.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Returns the folder of the place.
    pub fn root(&self) -> &Path {
        &self.record.root
    }

    /// Returns the run's branch, without `refs/heads/`.
    pub fn branch(&self) -> &str {
        &self.record.branch
    }

    /// Returns the commit that the run started from.
    pub fn base(&self) -> &ObjectId {
        &self.record.base
    }

    /// Returns what the place is.
    pub fn kind(&self) -> PlaceKind {
        self.record.kind
    }

    /// Lists the folders that its git directories borrow objects from: a box shows them, to be read only.
    pub fn borrowed(&self) -> Vec<PathBuf> {
        self.record.borrowed()
    }

    /// Returns the submodules of the base commit, with whether they could be filled.
    pub fn submodules(&self) -> &[Submodule] {
        &self.record.submodules
    }
}

/// Reads the base commit into the run's index, and sets its large files up.
///
/// Returns the run's attributes.
pub(super) fn prepare_attributes(
    run_dir: &RunDir,
    user: &UserRepository,
    request: &PlaceRequest,
) -> Result<String, PlaceError> {
    let mut attributes = EXACT_BYTES.to_owned();
    run_dir
        .git(&user.top_level, &run_dir.index())
        .args(["read-tree", "--reset", request.base.as_str()])
        .run()?;
    if let Some(program) = &request.lfs_filter {
        attributes.push_str(&lfs::configure(run_dir, user, program).map_err(
            |error| match error {
                ConfigureError::Git(error) => PlaceError::Git(error),
                ConfigureError::Io(error) => PlaceError::Io(error),
            },
        )?);
        fs_err::write(run_dir.path("info/attributes"), &attributes)?;
    }
    Ok(attributes)
}

/// Makes `.windlass/run/` and its folders.
pub(super) fn create_folders(root: &Path) -> Result<(), PlaceFileError> {
    FOLDERS
        .iter()
        .try_for_each(|name| place_files::create_dir(root, &Path::new(".windlass/run").join(name)))
}

pub(super) fn refuse_taken_branch(user: &UserRepository, branch: &str) -> Result<(), PlaceError> {
    let reference = format!("refs/heads/{branch}");
    Git::anywhere().args(["check-ref-format", &reference]).run()?;
    let shown = Git::at(&user.common_dir)
        .args(["show-ref", "--verify", "--quiet", &reference])
        .run_to_end()?;
    match shown.code {
        0 => Err(PlaceError::BranchExists { branch: branch.to_owned() }),
        _ => Ok(()),
    }
}
