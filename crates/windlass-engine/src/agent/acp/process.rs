//! The agent's program: started, spoken to, ended.

use std::io::{BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::event::{Failure, FailureKind};
use super::job::Job;
use super::lines::{self, Line, MAX_LINE_BYTES};

/// How many messages may wait for an agent that does not read.
const MAX_WAITING: usize = 64;

/// How long an agent may take to end after its input has ended, and after it was told to.
const GRACE: Duration = Duration::from_secs(3);

/// An agent's program that is running.
pub(super) struct AgentProcess {
    child: Child,
    output: BufReader<ChildStdout>,
    /// A thread writes: an agent that prints much before it reads would otherwise wait for the
    /// client, and the client for it. Dropping this ends the agent's input.
    input: Option<SyncSender<String>>,
}

impl AgentProcess {
    pub(super) fn start(job: &Job) -> Result<Self, Failure> {
        let Some((program, arguments)) = job.argv.split_first() else {
            return Err(Failure::new(FailureKind::Start, "no program is named"));
        };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&job.place);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // A group of its own: some agents are a wrapper around a program that does the work.
        command.process_group(0);
        let failed = |error: &dyn std::fmt::Display| {
            Failure::new(FailureKind::Start, format!("`{program}` could not be started: {error}"))
        };
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(&"it has no input or output"));
        };
        let (sender, receiver) = sync_channel::<String>(MAX_WAITING);
        std::thread::Builder::new()
            .name("acp-input".to_owned())
            .spawn(move || write_all(input, receiver.iter()))
            .map_err(|error| failed(&error))?;
        Ok(Self { child, output: BufReader::new(output), input: Some(sender) })
    }

    /// Sends a line.
    pub(super) fn send(&self, line: String) -> Result<(), Failure> {
        let Some(input) = &self.input else {
            return Err(Failure::new(FailureKind::Died, "the agent does not listen any more"));
        };
        match input.try_send(line) {
            // Whoever is not there any more to read is noticed by what it does not print.
            Ok(()) | Err(TrySendError::Disconnected(_)) => Ok(()),
            Err(TrySendError::Full(_)) => {
                let message = format!("the agent left {MAX_WAITING} messages unread");
                Err(Failure::new(FailureKind::Protocol, message))
            }
        }
    }

    /// Waits for the next line.
    pub(super) fn read(&mut self) -> Result<Line, Failure> {
        lines::read(&mut self.output, MAX_LINE_BYTES).map_err(|error| {
            let message = format!("the agent's output could not be read: {error}");
            Failure::new(FailureKind::Died, message)
        })
    }

    /// Ends it, kindly first, and says how it ended.
    pub(super) fn end(&mut self) -> std::io::Result<ExitStatus> {
        self.input = None;
        if !self.ends_soon()? {
            self.signal(Signal::TERM);
            if !self.ends_soon()? {
                self.signal(Signal::KILL);
            }
        }
        let status = self.child.wait()?;
        // What it started may still be there.
        self.signal(Signal::KILL);
        Ok(status)
    }

    fn ends_soon(&self) -> std::io::Result<bool> {
        super::survey::ends_within(&self.child, GRACE)
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // A group that has ended cannot be signalled, and need not be.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}

fn write_all(mut input: ChildStdin, lines: impl Iterator<Item = String>) {
    for line in lines {
        // An agent that has closed its input is noticed by what it does not print.
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}
