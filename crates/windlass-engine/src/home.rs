//! Where windlass keeps things.
//!
//! State is what must not be lost, cache is what can be made again, data is where runs work. The
//! caller says where the three roots are; this module only knows the layout below them.

use std::path::{Path, PathBuf};

use windlass_core::id::{RunId, StepId};

/// How the name of the folder begins that overlayfs needs beside a place. No place is called so: its
/// name begins with the id of its run.
pub(crate) const WORK_PREFIX: &str = ".layer.";

/// The roots of everything that windlass keeps.
#[derive(Clone, Debug)]
pub struct Home {
    /// `$WINDLASS_HOME`: journals, snapshots, evidence.
    pub state: PathBuf,
    /// The layers of rooms.
    pub cache: PathBuf,
    /// Private clones.
    pub data: PathBuf,
}

impl Home {
    /// Returns the folder that no attempt and no check may write: all state lies in it, and nothing
    /// else, so that a home with cache and data inside works as well.
    pub fn protected(&self) -> PathBuf {
        self.state.join("repos")
    }

    /// Returns the folder with the plugins for hosting sessions: outside every repository, so that no
    /// place has them in it.
    pub fn plugin(&self) -> PathBuf {
        self.state.join("plugin")
    }

    /// Returns the folders of one repository, named by its key.
    pub fn repository(&self, key: &str) -> RepositoryHome {
        RepositoryHome {
            state: self.protected().join(key),
            cache: self.cache.join("verify").join(key),
            scratch: self.cache.join("scratch").join(key),
            data: self.data.join("places").join(key),
        }
    }
}

/// The folders of one repository.
#[derive(Clone, Debug)]
pub struct RepositoryHome {
    /// The journal database, the bare repository, evidence.
    pub state: PathBuf,
    /// The layers of its rooms.
    pub cache: PathBuf,
    /// Temporary files of its attempts and checks.
    pub scratch: PathBuf,
    /// Its private clones.
    pub data: PathBuf,
}

impl RepositoryHome {
    /// Returns the engine's bare repository.
    pub fn engine_git(&self) -> PathBuf {
        self.state.join("engine.git")
    }

    /// Returns the folder with the stores that places borrow objects from. It lies among the state, which
    /// no attempt and no check can write.
    pub fn base_stores(&self) -> PathBuf {
        self.state.join("base")
    }

    /// Returns the folder in which launchers register themselves.
    pub fn registry(&self) -> PathBuf {
        self.state.join("launchers")
    }

    /// Returns the places of a run that are there: its private clone, and those of its spokes.
    ///
    /// # Errors
    /// The folder with the places cannot be read.
    pub fn places_of(&self, run: &RunId) -> std::io::Result<Vec<PathBuf>> {
        let entries = match fs_err::read_dir(&self.data) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut places = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if is_of_run(name, run) {
                places.push(path);
            }
        }
        Ok(places)
    }

    /// Returns the folders of one run.
    pub fn run(&self, run: &RunId) -> RunHome {
        RunHome {
            state: self.state.join("runs").join(run.as_str()),
            layers: self.cache.join(run.as_str()),
            scratch: self.scratch.join(run.as_str()),
            git: self.state.join("runs").join(run.as_str()).join("git"),
            place: self.data.join(run.as_str()),
            attempts: self.scratch.join(run.as_str()).join("homes").join("run"),
        }
    }
}

/// Says whether a folder among the places belongs to a run: its own place, that of a spoke, or what a box
/// leaves beside one that it showed.
pub fn is_of_run(name: &str, run: &RunId) -> bool {
    let name = name.strip_prefix(WORK_PREFIX).unwrap_or(name);
    let rest = name.strip_prefix(run.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The folders of one run.
#[derive(Clone, Debug)]
pub struct RunHome {
    /// Locks, socket, prompts and captured output.
    pub state: PathBuf,
    /// The layers that rooms for its checks are made from.
    pub layers: PathBuf,
    /// Temporary files, and output that is not yet kept as a blob.
    ///
    /// Apart from the state and the verifier, because attempts and checks get folders of their own
    /// in it to write.
    pub scratch: PathBuf,
    /// The run's own git directory.
    pub git: PathBuf,
    /// Its private clone.
    pub place: PathBuf,
    /// The home of the attempts in its place.
    pub attempts: PathBuf,
}

impl RunHome {
    /// Returns the file that the driver of the run locks.
    pub fn driver_lock(&self) -> PathBuf {
        self.state.join("driver.lock")
    }

    /// Returns the file that all launchers of the run lock together.
    pub fn launchers_lock(&self) -> PathBuf {
        self.state.join("launchers.lock")
    }

    /// Returns the socket that the driver listens on.
    pub fn socket(&self) -> PathBuf {
        self.state.join("driver.sock")
    }

    /// Returns the folders of a spoke: a place and a git directory of its own, and
    /// all else of the run.
    #[must_use]
    pub fn aside(&self, spoke: &StepId) -> Self {
        let name = spoke.as_str().replace('/', ".");
        let mut place = self.place.clone().into_os_string();
        place.push(format!(".{name}"));
        Self {
            git: self.state.join("aside").join(&name),
            place: place.into(),
            attempts: self.scratch.join("homes").join(format!("aside.{name}")),
            ..self.clone()
        }
    }

    /// Returns the store of large files of the run.
    pub fn lfs_store(&self) -> PathBuf {
        self.git.join("lfs")
    }

    /// Returns the folder with the commands that an agent finds first.
    pub fn bin(&self) -> PathBuf {
        self.state.join("bin")
    }
}

/// Returns `path` without links, or as it is where that cannot be found out.
pub fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_places_are_told_apart_by_their_run() {
        let run = RunId::new("ab12");
        for own in ["ab12", "ab12.spoke", "ab12.layer", ".layer.ab12", ".layer.ab12.spoke"] {
            assert!(is_of_run(own, &run), "{own}");
        }
        for other in ["ab123", ".layer.ab123", "x.ab12", ".making-ab12", ".layer."] {
            assert!(!is_of_run(other, &run), "{other}");
        }
    }
}
