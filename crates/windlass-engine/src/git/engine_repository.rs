//! The engine's own bare repository: objects that no agent can write.
//!
//! It starts as a copy of the user's objects and grows by snapshots and commits. Nothing is ever
//! pruned, so whatever a journal names can be shown again. Its configuration is a few lines
//! written here; it has no hooks and no remotes.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use windlass_core::id::ObjectId;

use super::diff::NewObjects;
use super::git_error::GitError;
use super::object::ObjectFormat;
use super::process::Git;
use super::run_dir::EXACT_BYTES;
use super::user::UserRepository;

/// Why the engine's repository could not be opened, made or filled.
#[derive(Debug, thiserror::Error)]
pub enum EngineRepositoryError {
    /// Git failed.
    #[error("the engine's repository could not be filled")]
    Git(#[from] GitError),
    /// A file could not be read or written.
    #[error("the engine's repository could not be written")]
    Io(#[from] io::Error),
    /// The folder exists and is something else.
    #[error("`{path}` is not a repository made by windlass")]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
}

const CONFIGURATION: &str = "\
\tbare = true
\tautocrlf = false
\tsymlinks = true
\tfileMode = true
\tlogAllRefUpdates = false
[gc]
\tauto = 0
\tpruneExpire = never
[maintenance]
\tauto = false
";

/// Reaches the `upload-pack` that a fetch starts in the user's repository; `-c` would not.
const FETCH_CONFIGURATION: &str = "\
[core]
\thooksPath = /dev/null
\tfsmonitor = false
[safe]
\tdirectory = *
[uploadpack]
\tallowAnySHA1InWant = true
";

/// The file that is passed as git's global configuration; its presence marks the folder as ours.
const FETCH_CONFIGURATION_FILE: &str = "windlass.gitconfig";

/// The engine's bare repository for one repository of the user.
#[derive(Clone, Debug)]
pub struct EngineRepository {
    dir: PathBuf,
    format: ObjectFormat,
    /// What recent comparisons found, so that publishing a step compares nothing twice.
    recent: Arc<Mutex<VecDeque<NewObjects>>>,
}

impl EngineRepository {
    /// Opens the repository in `dir`, making it first where it is missing.
    ///
    /// It is made under another name and renamed, so it is there whole or not at all; of two
    /// processes that make it at the same time one wins and the other opens the winner's.
    pub fn open_or_create(
        dir: &Path,
        user: &UserRepository,
    ) -> Result<Self, EngineRepositoryError> {
        if !dir.exists() {
            Self::create(dir, user)?;
        }
        if !dir.join(FETCH_CONFIGURATION_FILE).is_file() {
            return Err(EngineRepositoryError::Foreign { path: dir.to_owned() });
        }
        let repository =
            Self { dir: dir.canonicalize()?, format: user.format, recent: Arc::default() };
        repository.ensure_has(user, &user.commit)?;
        Ok(repository)
    }

    /// Opens the repository in `dir` as it is; `None` when there is none.
    ///
    /// For looking at old runs, also when the user's repository is gone.
    pub fn open(dir: &Path) -> Result<Option<Self>, EngineRepositoryError> {
        if !dir.join(FETCH_CONFIGURATION_FILE).is_file() {
            return Ok(None);
        }
        let configuration = fs_err::read_to_string(dir.join("config"))?;
        let format = [ObjectFormat::Sha256, ObjectFormat::Sha1]
            .into_iter()
            .find(|format| configuration.starts_with(format.configuration()))
            .ok_or_else(|| EngineRepositoryError::Foreign { path: dir.to_owned() })?;
        Ok(Some(Self { dir: dir.canonicalize()?, format, recent: Arc::default() }))
    }

    fn create(dir: &Path, user: &UserRepository) -> Result<(), EngineRepositoryError> {
        let parent = dir.parent().unwrap_or(Path::new("."));
        fs_err::create_dir_all(parent)?;
        let temporary = tempfile::Builder::new().prefix(".making-").tempdir_in(parent)?;
        let made = temporary.path().join("engine.git");
        Git::anywhere()
            // Not `--local`, which fails where objects cannot be linked: on another disk than the
            // repository. A path is cloned by links where that is possible, else by copies.
            .args(["clone", "--quiet", "--bare", "--no-tags", "--template="])
            .args([user.top_level.as_os_str(), made.as_os_str()])
            .run()?;
        let configuration = format!("{}{CONFIGURATION}", configuration_head(user.format));
        fs_err::write(made.join("config"), configuration)?;
        fs_err::create_dir_all(made.join("info"))?;
        fs_err::write(made.join("info/attributes"), EXACT_BYTES)?;
        fs_err::write(made.join(FETCH_CONFIGURATION_FILE), FETCH_CONFIGURATION)?;
        match fs_err::rename(&made, dir) {
            Err(_) if dir.join(FETCH_CONFIGURATION_FILE).is_file() => Ok(()),
            other => Ok(other?),
        }
    }

    /// Brings `commit` and its history over from the user's repository, where it is not here yet.
    pub fn ensure_has(
        &self,
        user: &UserRepository,
        commit: &ObjectId,
    ) -> Result<(), EngineRepositoryError> {
        let wanted = format!("{commit}^{{commit}}");
        if self.git().args(["cat-file", "-e", &wanted]).run_to_end()?.code == 0 {
            return Ok(());
        }
        self.git()
            .global_configuration(&self.fetch_configuration())
            .args(["fetch", "--quiet", "--no-tags", "--no-auto-gc", "--no-write-fetch-head"])
            .args(["--update-shallow", "--no-recurse-submodules"])
            .arg(&user.top_level)
            .arg(commit.as_str())
            .run()?;
        Ok(())
    }

    /// Gives every object file an inode of its own.
    ///
    /// The first clone shares inodes with the user's objects. That is fine as long as no agent
    /// can write those; a run in the user's own checkout can, and would change ours with them.
    pub fn unshare_objects(&self) -> Result<(), EngineRepositoryError> {
        Ok(unshare(&self.objects())?)
    }

    /// Keeps `object` under a name in `refs/windlass/kept/`, so that it can be listed and found
    /// after its place is gone.
    pub fn keep(&self, run: &str, name: &str, object: &ObjectId) -> Result<(), GitError> {
        let reference = format!("refs/windlass/kept/{run}/{name}");
        self.git().args(["update-ref", &reference, object.as_str()]).run().map(drop)
    }

    /// Lists what was kept of a run: names with their objects.
    pub fn kept(&self, run: &str) -> Result<Vec<(String, ObjectId)>, GitError> {
        let prefix = format!("refs/windlass/kept/{run}/");
        let answer = self
            .git()
            .args(["for-each-ref", "--format=%(objectname) %(refname)", &prefix])
            .run()?;
        let text = String::from_utf8_lossy(&answer.stdout);
        text.lines()
            .map(|line| {
                let (object, name) = line.split_once(' ')?;
                Some((name.strip_prefix(&prefix)?.to_owned(), ObjectId::from(object)))
            })
            .collect::<Option<_>>()
            .ok_or_else(|| answer.unexpected())
    }

    /// Returns the folder of the repository.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns how objects are named.
    pub fn format(&self) -> ObjectFormat {
        self.format
    }

    /// The configuration for a fetch between the user's repository and this one.
    pub(super) fn fetch_configuration(&self) -> PathBuf {
        self.dir.join(FETCH_CONFIGURATION_FILE)
    }

    pub(super) fn objects(&self) -> PathBuf {
        self.dir.join("objects")
    }

    pub(super) fn recent(&self) -> &Mutex<VecDeque<NewObjects>> {
        &self.recent
    }

    pub(super) fn git(&self) -> Git {
        Git::at(&self.dir)
    }
}

/// Gives every file below a folder an inode of its own.
pub(super) fn unshare(objects: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let mut folders = vec![objects.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                folders.push(entry.path());
            } else if metadata.is_file() && metadata.nlink() > 1 {
                let copy = tempfile::NamedTempFile::new_in(&folder)?;
                fs_err::copy(entry.path(), copy.path())?;
                copy.persist(entry.path()).map_err(|failed| failed.error)?;
            }
        }
    }
    Ok(())
}

/// The format's lines, ending inside a `[core]` section so that more settings can follow.
pub(crate) fn configuration_head(format: ObjectFormat) -> String {
    match format {
        ObjectFormat::Sha1 => format.configuration().to_owned(),
        ObjectFormat::Sha256 => format!("{}[core]\n", format.configuration()),
    }
}
