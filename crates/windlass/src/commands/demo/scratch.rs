//! The scratch folder of the demo: a repository, a script, and windlass's own folders.
//!
//! Everything is below one folder, so the user's own runs are untouched, and removing the folder
//! removes all of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use windlass_engine::home::Home;

use crate::cli::Pace;
use crate::error::CommandError;
use crate::surroundings::Surroundings;

/// The report's name in the folder.
pub(super) const REPORT: &str = "report.html";

pub(super) const WORKFLOW: &str = include_str!("../../../demo/workflow.yaml");
/// What the agents do; `{think}` stands for how long they take.
const SCRIPT: &str = include_str!("../../../demo/agent.script");

/// How long an agent takes where somebody looks, in milliseconds: the live view is drawn once a second.
const THINKING: &str = "1100";

/// The repository before the run.
const SEED: &[(&str, &str)] = &[
    (".windlass/workflows/greet.yaml", WORKFLOW),
    ("bin/greet", include_str!("../../../demo/seed/greet")),
    ("tests/run.sh", include_str!("../../../demo/seed/run.sh")),
    ("tests/cases/world.sh", include_str!("../../../demo/seed/world.sh")),
];

/// The demo's folder.
pub(super) struct Scratch {
    root: PathBuf,
}

impl Scratch {
    /// Makes the folder and the repository in it: a new folder of that name, or a temporary one.
    pub(super) fn make(keep: Option<&Path>, pace: Pace) -> Result<Self, CommandError> {
        let root = match keep {
            Some(folder) => new_folder(folder)?,
            None => tempfile::Builder::new()
                .prefix("windlass-demo-")
                .tempdir()
                .map_err(CommandError::failure)?
                .keep(),
        };
        let root = root.canonicalize().map_err(CommandError::failure)?;
        let scratch = Self { root };
        scratch.fill(pace).map_err(CommandError::failure)?;
        scratch.make_repository()?;
        Ok(scratch)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.root.join("repo")
    }

    pub(super) fn script(&self) -> PathBuf {
        self.root.join("agent.script")
    }

    /// A command that is windlass with this folder as its home and its repository.
    pub(super) fn command(&self) -> PathBuf {
        self.root.join("windlass")
    }

    /// The report that the look around writes.
    pub(super) fn report(&self) -> PathBuf {
        self.root.join(REPORT)
    }

    pub(super) fn surroundings(&self) -> Result<Surroundings, CommandError> {
        Surroundings::at(&self.repository(), self.home(), &[], None)
    }

    fn home(&self) -> Home {
        Home {
            state: self.root.join("state"),
            cache: self.root.join("cache/windlass"),
            data: self.root.join("data/windlass"),
        }
    }

    fn fill(&self, pace: Pace) -> std::io::Result<()> {
        for (path, text) in SEED {
            let path = self.repository().join(path);
            if let Some(parent) = path.parent() {
                fs_err::create_dir_all(parent)?;
            }
            fs_err::write(path, text)?;
        }
        let thinking = match pace {
            Pace::Fast => "0",
            Pace::Story => THINKING,
        };
        fs_err::write(self.script(), SCRIPT.replace("{think}", thinking))?;
        let exe = std::env::current_exe()?;
        let variable = |name: &str, folder: &str| {
            format!("export {name}={}\n", quoted(&self.root.join(folder)))
        };
        let text = [
            "#!/bin/sh\n# Windlass, as the demo set it up.\n".to_owned(),
            variable("WINDLASS_HOME", "state"),
            variable("XDG_CACHE_HOME", "cache"),
            variable("XDG_DATA_HOME", "data"),
            format!("exec {} -C {} \"$@\"\n", quoted(&exe), quoted(&self.repository())),
        ];
        fs_err::write(self.command(), text.concat())?;
        for program in [self.command(), self.repository().join("bin/greet")] {
            make_executable(&program)?;
        }
        Ok(())
    }

    fn make_repository(&self) -> Result<(), CommandError> {
        self.git(&["init", "--quiet", "--initial-branch=main"])?;
        self.git(&["config", "user.name", "Windlass demo"])?;
        self.git(&["config", "user.email", "demo@windlass.invalid"])?;
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--no-verify", "--message=A tool that greets the world"])?;
        Ok(())
    }

    /// Runs git in the repository, with nothing of the user's configuration.
    pub(super) fn git(&self, arguments: &[&str]) -> Result<String, CommandError> {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        let output = command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .arg("-C")
            .arg(self.repository())
            .args(arguments)
            .output()
            .map_err(|error| {
                CommandError::failure(format!("git cannot be started: {error}"))
                    .hint("install git 2.38 or newer")
            })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            let what = arguments.first().copied().unwrap_or_default();
            return Err(CommandError::failure(format!("`git {what}` failed: {said}")));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

fn new_folder(folder: &Path) -> Result<PathBuf, CommandError> {
    if folder.symlink_metadata().is_ok() {
        return Err(CommandError::usage(format!("`{}` is already there", folder.display()))
            .hint("name a folder that does not exist yet: the demo makes it"));
    }
    fs_err::create_dir_all(folder).map_err(CommandError::failure)?;
    Ok(folder.to_owned())
}

fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

/// A path as a shell reads it back.
pub(super) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%".contains(c);
    if text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
