//! Processes under test.

use std::fmt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::wait;

/// A command that ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// What it printed.
    pub stdout: String,
    /// What it said.
    pub stderr: String,
    /// Its exit code; none when a signal ended it.
    pub code: Option<i32>,
}

impl Finished {
    /// Fails unless the command ended with this code.
    #[track_caller]
    pub fn assert_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }
}

impl fmt::Display for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "code {:?}\nstdout:\n{}\nstderr:\n{}", self.code, self.stdout, self.stderr)
    }
}

/// A command that is running. It is killed when the test is done with it.
#[derive(Debug)]
pub struct Background {
    child: Child,
    ended: Option<ExitStatus>,
    // Files and no pipes: a process that outlives its parent cannot hold up the test.
    stdout: std::fs::File,
    stderr: std::fs::File,
}

impl Background {
    pub(crate) fn start(mut command: Command, folder: &Path) -> Self {
        let stdout = tempfile::tempfile_in(folder).expect("a file for output");
        let stderr = tempfile::tempfile_in(folder).expect("a file for errors");
        command.stdout(Stdio::from(stdout.try_clone().expect("a descriptor")));
        command.stderr(Stdio::from(stderr.try_clone().expect("a descriptor")));
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self { child, ended: None, stdout, stderr }
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().expect("a child");
        }
        self.ended.is_some()
    }

    /// Waits for its end; none when it takes too long.
    pub fn wait(&mut self, deadline: Duration) -> Option<Finished> {
        wait::until(deadline, || self.has_ended().then_some(()))?;
        let code = self.ended.and_then(|status| status.code());
        Some(Finished { stdout: self.stdout(), stderr: self.stderr(), code })
    }

    /// What it has printed so far.
    pub fn stdout(&self) -> String {
        whole(&self.stdout)
    }

    /// What it has said so far.
    pub fn stderr(&self) -> String {
        whole(&self.stderr)
    }

    /// Sends a signal to this process alone.
    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process");
        // A process that has just ended cannot be signalled, and need not be.
        let _ = rustix::process::kill_process(pid, signal);
    }

    /// Kills it as a crash would, and waits for that.
    pub fn kill(&mut self) {
        if !self.has_ended() {
            self.signal(Signal::KILL);
            self.ended = self.child.wait().ok();
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.kill();
    }
}

fn whole(file: &std::fs::File) -> String {
    use std::os::unix::fs::FileExt as _;
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    // By position: the offset is shared with the child that writes.
    while let Ok(count @ 1..) = file.read_at(&mut buffer, bytes.len() as u64) {
        bytes.extend_from_slice(&buffer[..count]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
