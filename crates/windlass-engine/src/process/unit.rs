//! One launcher's life, as the engine sees it.
//!
//! The engine and a launcher share one socket, which is the launcher's standard input. The policy
//! and the requests to stop go down, the word that it started and the report come up. The engine's
//! end closes when the engine drops the unit *or dies in whatever way*, and the launcher takes that
//! as the order to kill everything at once: there is no state in which work goes on and nobody
//! listens.
//!
//! Nothing here forks by itself: the launcher is started with the standard library's `spawn`, with
//! no code between fork and exec, so a threaded engine is safe. All that needs such code happens in
//! the launcher, which has one thread.

use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;
use windlass_core::proof::Outcome;

use super::orphans;
use crate::launcher::policy::{
    Envelope, KILL_BYTE, LaunchPolicy, LaunchReport, STOP_BYTE, Started, Status,
};
use crate::process_table::ancestry::LAUNCH_ARGUMENT;

/// How a launcher is started.
#[derive(Clone, Debug)]
pub struct LauncherCommand {
    /// The program: windlass itself, outside tests.
    pub exe: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its whole environment. The engine's own, with whatever secrets are in it, is not passed on.
    pub env: Vec<(String, String)>,
}

impl LauncherCommand {
    /// Returns the command that re-executes `exe` as a launcher.
    pub fn new(exe: &Path) -> Self {
        Self { exe: exe.to_owned(), args: vec![LAUNCH_ARGUMENT.to_owned()], env: Vec::new() }
    }
}

/// Why a launcher could not be started.
///
/// That the *program* could not be started is no error: it is the report's
/// [`Outcome::CouldNotStart`].
#[derive(Debug, Error)]
pub enum SpawnError {
    /// A path of the policy is relative, and the launcher has a working directory of its own.
    #[error("the launch policy has a relative path `{path}`")]
    RelativePath {
        /// The path.
        path: PathBuf,
    },
    /// The policy cannot be written as JSON: a path is not UTF-8.
    #[error("failed to encode the launch policy")]
    Encode(#[source] serde_json::Error),
    /// The socket could not be made.
    #[error("failed to make the launcher's control socket")]
    Socket(#[source] io::Error),
    /// The launcher's process could not be made.
    #[error("failed to start the launcher `{exe}`")]
    Start {
        /// Its program.
        exe: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The launcher did not take its policy.
    #[error("failed to hand the policy to the launcher")]
    Policy(#[source] io::Error),
}

/// Starts a launcher that will carry out `policy`.
pub fn spawn(command: &LauncherCommand, policy: &LaunchPolicy) -> Result<RunningUnit, SpawnError> {
    if let Some(path) = policy.paths().find(|path| path.is_relative()) {
        return Err(SpawnError::RelativePath { path: path.to_owned() });
    }
    let marker = uuid::Uuid::now_v7().simple().to_string();
    let envelope = Envelope { policy: policy.clone(), marker: marker.clone() };
    let message = envelope.encode().map_err(SpawnError::Encode)?;

    let (ours, theirs) = UnixStream::pair().map_err(SpawnError::Socket)?;
    let reader = ours.try_clone().map_err(SpawnError::Socket)?;
    let launcher = Command::new(&command.exe)
        .args(&command.args)
        .env_clear()
        .envs(command.env.iter().map(|(name, value)| (name, value)))
        .current_dir("/")
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // A Ctrl-C at the terminal is the engine's to interpret, so it must not reach the launcher.
        .process_group(0)
        .spawn()
        .map_err(|source| SpawnError::Start { exe: command.exe.clone(), source })?;

    let control = Arc::new(Control { socket: ours, asked: AtomicBool::new(false) });
    let unit = RunningUnit {
        launcher,
        status: BufReader::new(reader),
        control,
        started: None,
        report: None,
        marker,
        reaped: None,
    };
    // A failure drops the unit, which closes the socket and reaps the launcher.
    (&unit.control.socket).write_all(&message).map_err(SpawnError::Policy)?;
    Ok(unit)
}

/// A launcher that has been started.
///
/// Dropping it closes the socket, which ends everything below the launcher, and waits until the
/// launcher says so by exiting.
#[derive(Debug)]
pub struct RunningUnit {
    launcher: Child,
    status: BufReader<UnixStream>,
    control: Arc<Control>,
    started: Option<Started>,
    report: Option<LaunchReport>,
    marker: String,
    reaped: Option<ExitStatus>,
}

impl RunningUnit {
    /// Returns the launcher's pid.
    pub fn launcher_pid(&self) -> u32 {
        self.launcher.id()
    }

    /// Waits until the program runs; none when it could not be started.
    pub fn started(&mut self) -> Option<&Started> {
        while self.started.is_none() && self.report.is_none() && self.read_status() {}
        self.started.as_ref()
    }

    /// Returns a handle with which any thread can stop the unit.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle { control: Arc::clone(&self.control) }
    }

    /// Waits for the report. When it returns, nothing of the unit is alive.
    pub fn wait(mut self) -> LaunchReport {
        while self.report.is_none() && self.read_status() {}
        let status = self.reap();
        match self.report.take() {
            Some(report) => report,
            None => self.lost(status),
        }
    }

    /// Takes in one line of status; false when there will be no more.
    fn read_status(&mut self) -> bool {
        let mut line = String::new();
        match self.status.read_line(&mut line) {
            Ok(0) | Err(_) => return false,
            Ok(_) => {}
        }
        match serde_json::from_str(&line) {
            Ok(Status::Started(started)) => self.started = Some(started),
            Ok(Status::Ended(report)) => self.report = Some(report),
            // Not a launcher of ours: it is waited for and reported as lost.
            Err(_) => return false,
        }
        true
    }

    /// Closes the engine's side and waits for the launcher's end, once.
    fn reap(&mut self) -> Option<ExitStatus> {
        if self.reaped.is_none() {
            // Before a report this is the order to kill, after one it says nothing new.
            let _ = self.control.socket.shutdown(Shutdown::Write);
            // What a killed launcher had said about its program is needed to clear up after it.
            while self.read_status() {}
            self.reaped = self.launcher.wait().ok();
        }
        self.reaped
    }

    /// Clears up after a launcher that died without a report, and reports that.
    ///
    /// Its direct child has been killed by the kernel; everything else lost its parent and is found
    /// by [`orphans`].
    fn lost(&self, status: Option<ExitStatus>) -> LaunchReport {
        let swept = orphans::sweep(&self.marker, self.started.as_ref());
        let how =
            status.map_or_else(|| "in an unknown way".to_owned(), |status| status.to_string());
        let outcome = if self.started.is_some() {
            // The signal that ended the program when its launcher died.
            let signal = status.and_then(|status| status.signal()).unwrap_or(libc::SIGKILL);
            Outcome::Signalled { signal }
        } else {
            Outcome::CouldNotStart {
                message: format!("the launcher died before it started: {how}"),
            }
        };
        LaunchReport {
            confinement: self.started.as_ref().map_or_else(
                || "none: the launcher died".to_owned(),
                |started| started.confinement.clone(),
            ),
            confined: self.started.as_ref().is_some_and(|started| started.confined),
            left_behind: swept.killed,
            lost: Some(match swept.still_alive {
                0 => format!("the launcher died without a report: {how}"),
                alive => format!("the launcher died without a report: {how}; {alive} still run"),
            }),
            ..LaunchReport::of(outcome)
        }
    }
}

impl Drop for RunningUnit {
    fn drop(&mut self) {
        let ended = self.reaped.is_some();
        let status = self.reap();
        // `wait` has cleared up already.
        if !ended && !status.is_some_and(|status| status.success()) {
            orphans::sweep(&self.marker, self.started.as_ref());
        }
    }
}

/// Stops a unit from any thread. It outlives the unit harmlessly.
#[derive(Clone, Debug)]
pub struct StopHandle {
    control: Arc<Control>,
}

impl StopHandle {
    /// Asks the program to end (TERM) and kills it after the policy's grace period; the second call,
    /// on whichever clone, kills at once.
    pub fn stop(&self) {
        if self.control.asked.swap(true, Ordering::SeqCst) {
            self.control.send(KILL_BYTE);
        } else {
            self.control.send(STOP_BYTE);
        }
    }

    /// Kills everything at once.
    pub fn kill(&self) {
        self.control.asked.store(true, Ordering::SeqCst);
        self.control.send(KILL_BYTE);
    }
}

/// The engine's end of the socket.
#[derive(Debug)]
struct Control {
    socket: UnixStream,
    /// Whether a stop was asked for before.
    asked: AtomicBool,
}

impl Control {
    fn send(&self, byte: u8) {
        // A launcher that is gone has nothing left to stop.
        let _ = (&self.socket).write_all(&[byte]);
    }
}
