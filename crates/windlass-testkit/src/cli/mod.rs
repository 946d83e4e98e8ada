//! The real agent CLIs, at the versions pinned in `.ci/agents.json`.
//!
//! `.ci/agents` installs them into `.cache`. A test asks for one and returns when there is none: the
//! skip is counted and `.ci/test` prints it at the end.
//!
//! ```no_run
//! # fn with(env: &windlass_testkit::TestEnv, server: &windlass_testkit::model::ModelServer) {
//! use windlass_testkit::cli::{RealCli, environment_for_claude};
//!
//! let Some(claude) = RealCli::claude() else { return };
//! let mut command = claude.command(env, &environment_for_claude(env, server));
//! command.args(["-p", "Do it"]);
//! env.finish(command).assert_code(0);
//! # }
//! ```

mod environments;
mod pinned;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::environment::TestEnv;
use crate::skips::skip;

pub use environments::{
    environment_for_claude, environment_for_codex, environment_for_gemini,
    environment_for_opencode, environment_for_qwen,
};

use pinned::{Found, Pinned};

/// An agent CLI that can be started.
#[derive(Clone, Debug)]
pub struct RealCli {
    program: PathBuf,
}

impl RealCli {
    /// Claude Code, or a counted skip.
    pub fn claude() -> Option<Self> {
        Self::find("claude")
    }

    /// The oldest Claude Code that windlass supports, or a counted skip.
    pub fn claude_oldest() -> Option<Self> {
        Self::find("claude-oldest")
    }

    /// Codex, or a counted skip.
    pub fn codex() -> Option<Self> {
        Self::find("codex")
    }

    /// The OpenSpec CLI, which is no agent, or a counted skip.
    pub fn openspec() -> Option<Self> {
        Self::find("openspec")
    }

    /// Gemini CLI, or a counted skip.
    pub fn gemini() -> Option<Self> {
        Self::find("gemini")
    }

    /// opencode, or a counted skip.
    pub fn opencode() -> Option<Self> {
        Self::find("opencode")
    }

    /// Qwen Code, or a counted skip.
    pub fn qwen() -> Option<Self> {
        Self::find("qwen")
    }

    /// By `WINDLASS_TEST_NAME`, which must work when it is set, or as `.ci/agents` installed it.
    fn find(name: &str) -> Option<Self> {
        let variable = format!("WINDLASS_TEST_{}", name.to_uppercase().replace('-', "_"));
        if let Some(program) = std::env::var_os(&variable) {
            let cli = Self { program: PathBuf::from(program) };
            cli.version().unwrap_or_else(|error| panic!("{variable} is set and unusable: {error}"));
            return Some(cli);
        }
        let pinned = Pinned::of(name);
        match judge(&pinned, pinned.find(), in_ci() && has_npm()) {
            Judged::Use(program) => Some(Self { program }),
            Judged::Skip(why) => {
                skip(&why);
                None
            }
            Judged::Fail(why) => panic!("{why}"),
        }
    }

    /// Where it is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// What it says about its version; what went wrong when it does not work.
    pub fn version(&self) -> Result<String, String> {
        let mut command = Command::new(&self.program);
        let path = std::env::var("PATH").unwrap_or_default();
        let home = tempfile::tempdir().map_err(|error| error.to_string())?;
        command.arg("--version").env_clear().env("PATH", path).env("HOME", home.path());
        command.stdin(Stdio::null());
        let output = command.output().map_err(|e| format!("{}: {e}", self.program.display()))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        } else {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!("{} --version: {}: {said}", self.program.display(), output.status))
        }
    }

    /// It, not started yet, in the test's repository with these variables and no others.
    pub fn command(&self, env: &TestEnv, variables: &[(String, String)]) -> Command {
        let mut command = env.command(&self.program);
        command.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The sets that `.ci/test` installs.
const TESTED_SETS: [&str; 3] = ["main", "oldest", "openspec"];

#[derive(Debug, PartialEq, Eq)]
enum Judged {
    Use(PathBuf),
    Skip(String),
    Fail(String),
}

/// Another version than the pinned one proves nothing. A missing one is a skip, except where the test
/// command could have installed it: in CI with npm, and of the sets that the test command installs.
fn judge(pinned: &Pinned, found: Found, could_be_installed: bool) -> Judged {
    let (name, install) = (&pinned.name, pinned.installer());
    match found {
        Found::Here(program) => Judged::Use(program),
        Found::Other(version) => Judged::Fail(format!(
            "{name} {version} is installed and {} is pinned: run {install}",
            pinned.version
        )),
        Found::Nothing if could_be_installed && TESTED_SETS.contains(&pinned.set.as_str()) => {
            Judged::Fail(format!("{name} is not installed, and this is CI with npm: run {install}"))
        }
        Found::Nothing => Judged::Skip(format!("{name} is not installed: run {install}")),
    }
}

fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

fn has_npm() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("npm").is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_cli_is_a_skip_unless_the_test_command_could_have_installed_it() {
        let claude = Pinned::of("claude");
        assert!(matches!(judge(&claude, Found::Nothing, false), Judged::Skip(_)));
        assert!(matches!(judge(&claude, Found::Nothing, true), Judged::Fail(_)));
        let oldest = Pinned::of("claude-oldest");
        assert!(matches!(judge(&oldest, Found::Nothing, true), Judged::Fail(_)));
        assert!(matches!(judge(&Pinned::of("gemini"), Found::Nothing, true), Judged::Skip(_)));
    }

    #[test]
    fn another_version_than_the_pinned_one_is_a_failure() {
        let judged = judge(&Pinned::of("codex"), Found::Other("0.1.0".to_owned()), false);
        assert!(matches!(judged, Judged::Fail(_)));
    }
}
