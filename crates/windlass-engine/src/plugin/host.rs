//! Asking Claude Code itself: it keeps registers beside its settings, and only it knows their form.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use windlass_core::view::{Lines, printable};

use super::PluginError;
use crate::git::pipes::{self, Talk};

/// It needs a second or two; a machine under load more.
const PATIENCE: Duration = Duration::from_secs(120);

/// What it says about a plugin is some KiB.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// The user's `claude`.
pub(super) struct Claude<'a> {
    pub(super) program: PathBuf,
    pub(super) env: &'a [(String, String)],
}

/// What it answered.
pub(super) struct Answer {
    pub(super) ok: bool,
    /// Both outputs, for people.
    pub(super) said: String,
}

impl Claude<'_> {
    /// The command line as a person would write it.
    pub(super) fn told(arguments: &[&str]) -> String {
        let words = std::iter::once("claude").chain(arguments.iter().copied());
        shlex::try_join(words).unwrap_or_else(|_| format!("claude {}", arguments.join(" ")))
    }

    /// Runs `claude` with these arguments in a folder.
    pub(super) fn call(&self, folder: &Path, arguments: &[&str]) -> Result<Answer, PluginError> {
        let refused = |said: String| {
            let command = Self::told(arguments);
            PluginError::Refused { command, said }
        };
        let mut child = Command::new(&self.program)
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // So that the deadline ends what it started, too.
            .process_group(0)
            .spawn()
            .map_err(|error| refused(error.to_string()))?;
        let talked = pipes::talk(&mut child, MAX_ANSWER_BYTES, Instant::now() + PATIENCE);
        if !matches!(talked, Ok(Talk::Finished { .. })) {
            pipes::kill_group(&child);
        }
        let status = child.wait()?;
        match talked? {
            Talk::Finished { stdout, stderr } => {
                let said =
                    [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                let said = printable(said.join("\n").trim(), Lines::Many);
                Ok(Answer { ok: status.success(), said })
            }
            Talk::Full { .. } => Err(refused("it printed more than a megabyte".to_owned())),
            Talk::TimedOut => Err(refused(format!("it took longer than {} s", PATIENCE.as_secs()))),
        }
    }

    /// As [`Self::call`]; a failure is an error with what it said last.
    pub(super) fn demand(&self, folder: &Path, arguments: &[&str]) -> Result<(), PluginError> {
        let answer = self.call(folder, arguments)?;
        if answer.ok {
            return Ok(());
        }
        let last = answer.said.lines().rfind(|line| !line.trim().is_empty());
        let said = last.unwrap_or("it said nothing").trim().to_owned();
        Err(PluginError::Refused { command: Self::told(arguments), said })
    }
}
