//! Running `gh`: bounded in time and output, with nobody to ask.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::error::ForgeError;
use crate::git::UserEnvironment;
use crate::git::pipes::{self, Talk};

/// How much an answer may be: GitHub's largest body is 64 KiB, a hundred pull requests are less.
pub(super) const MAX_ANSWER_BYTES: usize = 8 * 1024 * 1024;

/// How a program ended.
pub(super) struct Ended {
    pub(super) code: i32,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

/// One call: the program, where it runs, and how long it may take.
pub(super) struct Call<'a> {
    pub(super) program: &'a Path,
    pub(super) folder: &'a Path,
    pub(super) environment: &'a UserEnvironment,
    pub(super) deadline: Duration,
    /// Whether its answer is read at all; a secret is not.
    pub(super) answer: Answer,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Read,
    Unread,
}

impl Call<'_> {
    /// Runs the program. `told` is how the call is named to people: without values from outside.
    pub(super) fn run(&self, told: &str, arguments: &[OsString]) -> Result<Ended, ForgeError> {
        let failed = |source| ForgeError::Io { what: format!("`{told}`"), source };
        let stdout = match self.answer {
            Answer::Read => Stdio::piped(),
            Answer::Unread => Stdio::null(),
        };
        let mut child = Command::new(self.program)
            .args(arguments)
            .current_dir(self.folder)
            .env_clear()
            .envs(self.environment.variables())
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(Stdio::piped())
            // So that the deadline ends what it started, too.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let talked = pipes::talk(&mut child, MAX_ANSWER_BYTES, Instant::now() + self.deadline);
        if !matches!(talked, Ok(Talk::Finished { .. })) {
            pipes::kill_group(&child);
        }
        let status = child.wait().map_err(failed)?;
        match talked.map_err(failed)? {
            Talk::Finished { stdout, stderr } => Ok(Ended {
                code: status.code().unwrap_or(-1),
                stdout,
                stderr: String::from_utf8_lossy(&stderr).into_owned(),
            }),
            Talk::Full { .. } => {
                Err(ForgeError::TooMuch { call: told.to_owned(), limit: MAX_ANSWER_BYTES })
            }
            Talk::TimedOut => {
                Err(ForgeError::TimedOut { call: told.to_owned(), deadline: self.deadline })
            }
        }
    }
}
