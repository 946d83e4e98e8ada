//! What this machine lets a launcher enforce, found out by doing all of it once.
//!
//! That a namespace can be made says little: on many desktops the mounts in it are then denied, in
//! containers the process table cannot be mounted, and a disk that is an overlay itself takes no
//! upper layer. So the probe builds a whole view, writes through it and removes what it wrote.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass_core::proof::Outcome;

use crate::launcher::confine::{self, ConfinementLevel};
use crate::launcher::policy::LaunchPolicy;
use crate::launcher::view::{Mount, Rights, Upper, View, ViewNetwork};
use crate::process::{self, LauncherCommand};

/// What is enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Namespaces, mounts by list, seccomp.
    Namespaces,
    /// Landlock: files by list, one view of the machine for all.
    Landlock {
        /// Why there are no namespaces.
        why: String,
    },
    /// Nothing.
    None {
        /// Why.
        why: String,
    },
}

impl Level {
    /// Returns its name, as proofs and reports show it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Namespaces => "room",
            Self::Landlock { .. } => "landlock",
            Self::None { .. } => "none",
        }
    }
}

/// Finds out what can be enforced with layers in `scratch`; asked once per folder and process.
pub fn probe(exe: &Path, scratch: &Path) -> Level {
    static KNOWN: Mutex<Vec<(std::path::PathBuf, Level)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, level)) = known.iter().find(|(folder, _)| folder == scratch) {
        return level.clone();
    }
    let level = match try_all(exe, scratch) {
        Ok(()) => Level::Namespaces,
        Err(why) => match confine::level() {
            ConfinementLevel::Landlock { abi } if abi >= confine::LEAST_ABI => {
                Level::Landlock { why }
            }
            ConfinementLevel::Landlock { abi } => {
                Level::None { why: format!("{why}; landlock abi {abi} is too old") }
            }
            ConfinementLevel::None { reason } => Level::None { why: format!("{why}; {reason}") },
        },
    };
    known.push((scratch.to_owned(), level.clone()));
    level
}

/// How the folder of a probe begins.
const PROBE: &str = "probe-";

/// A probe takes less than a second: a folder of this age is that of one that was killed.
const STALE_AFTER: Duration = Duration::from_secs(3600);

/// Removes the folders of probes that were killed. One that cannot be removed is in nobody's way.
fn sweep(scratch: &Path, age: Duration) {
    for entry in fs_err::read_dir(scratch).into_iter().flatten().flatten() {
        let is_probe = entry.file_name().to_string_lossy().starts_with(PROBE);
        let written = entry.metadata().and_then(|metadata| metadata.modified());
        let is_stale = written.is_ok_and(|time| time.elapsed().is_ok_and(|since| since >= age));
        if is_probe && is_stale {
            // Overlayfs leaves folders of mode 000, which this removes too.
            let _ = crate::git::remove_whole(&entry.path());
        }
    }
}

/// Builds a view, writes through it, removes a file of a lower layer, and looks at what is left.
fn try_all(exe: &Path, scratch: &Path) -> Result<(), String> {
    let fails = |error: std::io::Error| error.to_string();
    if std::env::var_os("WINDLASS_NO_NAMESPACES").is_some() {
        return Err("WINDLASS_NO_NAMESPACES is set".to_owned());
    }
    fs_err::create_dir_all(scratch).map_err(fails)?;
    sweep(scratch, STALE_AFTER);
    let folder = tempfile::Builder::new().prefix(PROBE).tempdir_in(scratch).map_err(fails)?;
    let dir = folder.path().canonicalize().map_err(fails)?;
    let (root, upper) =
        (Upper::below(&dir.join("root"), true), Upper::below(&dir.join("upper"), true));
    root.make().and_then(|()| upper.make()).map_err(fails)?;
    for name in ["stage", "lower"] {
        fs_err::create_dir(dir.join(name)).map_err(fails)?;
    }
    fs_err::write(dir.join("lower/file"), "there\n").map_err(fails)?;
    let mut mounts = crate::exposed::Exposed::system_only().mounts(&dir, &[]).map_err(fails)?;
    mounts.push(Mount::Overlay {
        layers: vec![dir.join("lower")],
        upper: Some(upper.clone()),
        to: "/probe".into(),
    });
    let script = "read word < file && [ \"$word\" = there ] && echo new > made && rm file \
                  && [ -e /proc/self/status ]";
    let argv = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
    let mut policy = LaunchPolicy::new(argv, "/probe".into(), dir.join("output"));
    let (stage, rights) = (dir.join("stage"), Rights::Users);
    policy.view = Some(View { stage, writes: root, mounts, network: ViewNetwork::Own, rights });
    let unit = process::spawn(&LauncherCommand::new(exe), &policy).map_err(|e| e.to_string())?;
    let report = unit.wait();
    let made = upper.dir.join("made").is_file();
    // Overlayfs leaves a folder of mode 000.
    crate::git::remove_whole(&dir).map_err(fails)?;
    match report.outcome {
        Outcome::Exited { code: 0 } if made => Ok(()),
        Outcome::CouldNotStart { message } => Err(message),
        other => Err(format!("a program in a view ended with {other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_killed_probe_is_removed_by_a_later_one() {
        let scratch = tempfile::tempdir().unwrap();
        let (probe, other) = (scratch.path().join("probe-Ab12cd"), scratch.path().join("run"));
        for folder in [&probe, &other] {
            fs_err::create_dir_all(folder.join("upper")).unwrap();
        }
        sweep(scratch.path(), STALE_AFTER);
        assert!(probe.exists(), "it may be at work");
        sweep(scratch.path(), Duration::ZERO);
        assert!(!probe.exists() && other.exists());
    }
}
