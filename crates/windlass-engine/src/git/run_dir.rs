//! A run's own small git directory, beside the engine's repository.
//!
//! Attributes and ignore rules of a git directory hold for all its users, and runs need different
//! ones. So each run has a directory with its own `info/`, index and configuration that stores
//! its objects in the engine's repository.

use std::io;
use std::path::{Path, PathBuf};

use super::engine_repository::{EngineRepository, configuration_head};
use super::place_files::TEMPORARIES;
use super::process::Git;

/// Takes every conversion away: what git stores and checks out are the bytes of the file.
///
/// `info/attributes` outranks every `.gitattributes`, and each attribute is named by itself, so
/// that a macro redefined by an agent cannot bring one back. `!diff` keeps an agent from hiding a
/// change from people by calling its file binary.
pub(super) const EXACT_BYTES: &str =
    "* -text !eol -crlf -ident -filter !working-tree-encoding !diff !merge\n";

/// The git directory of one run.
#[derive(Clone, Debug)]
pub(super) struct RunDir {
    dir: PathBuf,
    objects: PathBuf,
}

impl RunDir {
    pub(super) fn open(dir: &Path, engine: &EngineRepository) -> Self {
        Self { dir: dir.to_owned(), objects: engine.objects() }
    }

    /// Writes the directory's files; doing it again changes nothing.
    pub(super) fn create(dir: &Path, engine: &EngineRepository) -> io::Result<Self> {
        fs_err::create_dir_all(dir.join("refs"))?;
        fs_err::create_dir_all(dir.join("info"))?;
        let dir = fs_err::canonicalize(dir)?;
        fs_err::write(dir.join("HEAD"), "ref: refs/heads/none\n")?;
        let configuration = configuration_head(engine.format());
        fs_err::write(dir.join("config"), format!("{configuration}\tbare = false\n"))?;
        fs_err::write(dir.join("info/attributes"), EXACT_BYTES)?;
        fs_err::write(dir.join("info/exclude"), format!("{TEMPORARIES}\n"))?;
        Ok(Self::open(&dir, engine))
    }

    /// Prepares a git process for the files in `work_tree` with the index `index`.
    pub(super) fn git(&self, work_tree: &Path, index: &Path) -> Git {
        Git::at(&self.dir)
            .objects(&self.objects)
            .work_tree(work_tree)
            .index(index)
            // Snapshots must survive a power failure, because the journal names them. Git writes
            // all new objects out and then syncs once.
            .setting("core.fsync=loose-object")
            .setting("core.fsyncMethod=batch")
            // A large file goes straight into a pack, as it is: compressing four gigabytes of zeros
            // held a snapshot for minutes.
            .setting("core.bigFileThreshold=32m")
            .setting("pack.compression=0")
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// The index of the place, kept between snapshots so that unchanged files are not read again.
    pub(super) fn index(&self) -> PathBuf {
        self.path("index")
    }
}

/// Removes the lock of an index, left by a git process that was killed.
///
/// The index belongs to one driver at a time, so no living process can hold the lock.
pub(super) fn break_lock(index: &Path) -> io::Result<()> {
    let mut lock = index.as_os_str().to_owned();
    lock.push(".lock");
    match fs_err::remove_file(PathBuf::from(lock)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
