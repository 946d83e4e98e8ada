//! Asking a program for its version: the only programs that run outside a launcher besides git.
//!
//! The answer is for people. The program gets no variable of the user's but the search path, a home
//! of its own, no input and little time, and its whole group is killed when it is over.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use rustix::process::{Pid, Signal};

/// More than any version is long.
const MAX_ANSWER_BYTES: u64 = 4096;

/// What a program said about its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The first line that it printed.
    Said(String),
    /// It printed nothing.
    Silent,
    /// It took too long.
    TooSlow,
    /// It could not be started.
    NotStarted(String),
}

/// Runs `program --version` for at most `patience`.
pub fn version(program: &Path, patience: Duration) -> Answer {
    let home = match tempfile::tempdir() {
        Ok(home) => home,
        Err(error) => return Answer::NotStarted(error.to_string()),
    };
    let mut command = Command::new(program);
    command.arg("--version").env_clear().env("HOME", home.path()).current_dir(home.path());
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Answer::NotStarted(error.to_string()),
    };
    let (done, waiting) = channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What cannot be read is not said.
            let _ = stdout.take(MAX_ANSWER_BYTES).read_to_end(&mut bytes);
            // Nobody waits any more when it came too late.
            let _ = done.send(bytes);
        });
    }
    let answer = waiting.recv_timeout(patience);
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It has usually ended by itself.
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
    match answer {
        Err(_) => Answer::TooSlow,
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            match text.lines().map(str::trim).find(|line| !line.is_empty()) {
                Some(line) => Answer::Said(line.to_owned()),
                None => Answer::Silent,
            }
        }
    }
}
