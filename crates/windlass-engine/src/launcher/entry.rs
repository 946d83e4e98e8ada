//! The launcher's `main`: read the policy, run the program, report, and leave nothing.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{ExitCode, Stdio};
use std::time::Instant;

use rustix::fs::{FlockOperation, flock};
use rustix::process::{getpid, set_child_subreaper};
use windlass_core::proof::Outcome;

use super::capture::Capture;
use super::child::{self, Bounds, RunningChild, Streams};
use super::os;
use super::policy::{Envelope, LaunchPolicy, LaunchReport, MAX_POLICY_BYTES, Started, Status};
use super::registry::Registered;
use super::signals::Signals;
use super::supervise::{self, Supervisor};
use super::sweep::{self, ProgramEnd, Reaped};

/// Runs as a launcher: standard input is the engine's socket.
///
/// The binary calls it first thing in `main` for the argument `__launch`, before any thread is
/// started. It returns when nothing below is alive.
pub fn main_launch() -> ExitCode {
    let Ok(control) = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3) else {
        return ExitCode::FAILURE;
    };
    let control = UnixStream::from(control);
    let Ok(envelope) = read_envelope(&control) else {
        // The engine died, or this was started by hand: there is nobody to tell.
        return ExitCode::FAILURE;
    };
    let report = launch(&envelope, &control)
        .unwrap_or_else(|message| LaunchReport::of(Outcome::CouldNotStart { message }));
    match say(&control, &Status::Ended(report)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn read_envelope(mut control: &UnixStream) -> io::Result<Envelope> {
    let mut length = [0; 4];
    control.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if length > MAX_POLICY_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; usize::try_from(length).unwrap_or(0)];
    control.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// Writes one line of status. The engine's death shows here as an error and in the loop as an end.
fn say(mut control: &UnixStream, status: &Status) -> io::Result<()> {
    let mut line = serde_json::to_vec(status)?;
    line.push(b'\n');
    control.set_nonblocking(false)?;
    control.write_all(&line)?;
    control.set_nonblocking(true)
}

/// Carries out a policy; an error says in words why the program could not be started.
fn launch(envelope: &Envelope, control: &UnixStream) -> Result<LaunchReport, String> {
    let policy = &envelope.policy;
    let _lock = hold_lock(policy)?;
    // A driver that took over has waited for all launchers that held the lock. One that gets the
    // lock only afterwards belongs to the dead driver, and must not touch the place any more.
    if engine_is_gone(control) {
        return Err("the engine is gone".to_owned());
    }
    let _registered = Registered::enter(policy)?;
    let signals = Signals::listen().map_err(|error| format!("failed to hear signals: {error}"))?;
    // Whatever the engine's own parent left open, none of it reaches the program.
    os::close_on_exec_from_three().map_err(|error| error.to_string())?;
    set_child_subreaper(Some(getpid()))
        .map_err(|error| format!("failed to become a subreaper: {error}"))?;

    let (captures, streams) = streams(policy).map_err(|error| error.to_string())?;
    let began = Instant::now();
    let mut child = child::start(policy, &envelope.marker, streams)?;
    // An engine that is gone is noticed by the loop.
    let _ = say(control, &Status::Started(started(&child)));
    let (ends, proxy) = (child.ends.take(), child.proxy.take());
    let reaped = Reaped { has_init: ends.is_some(), ..Reaped::default() };
    let supervisor = Supervisor {
        policy,
        main: child.pid,
        ends,
        proxy,
        cgroups: &child.cgroups,
        control,
        signals: &signals,
        captures,
        reaped,
        began,
    };
    Ok(supervise(supervisor, &child.bounds))
}

fn engine_is_gone(control: &UnixStream) -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let mut fds = [PollFd::new(control, PollFlags::IN)];
    let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    match poll(&mut fds, Some(&now)) {
        Ok(_) => fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR),
        Err(_) => true,
    }
}

/// Watches, sweeps, and puts the report together.
fn supervise(mut supervisor: Supervisor<'_>, bounds: &Bounds) -> LaunchReport {
    let watched = supervisor.watch();
    // Windlass's own, and not left behind by anybody.
    drop(supervisor.proxy.take());
    let met = sweep::sweep(supervisor.main, supervisor.cgroups, &mut supervisor.reaped);
    let ended_by_itself = watched.why.is_none();
    let outcome = watched
        .why
        .unwrap_or_else(|| supervise::outcome_of(supervisor.reaped.main, supervisor.policy));
    let usage = os::children_usage();
    let wall = supervisor.began.elapsed();
    let mut bytes = supervisor.captures.into_iter().map(Capture::finish);
    LaunchReport {
        outcome,
        confinement: bounds.confinement.clone(),
        confined: bounds.confined,
        process_limit: bounds.process_limit.clone(),
        // Those that were killed together with the program were not left behind by it.
        left_behind: if watched.ended { met } else { 0 },
        stdout_bytes: bytes.next().unwrap_or(0),
        stderr_bytes: bytes.next().unwrap_or(0),
        cpu_ms: usage.cpu_ms,
        max_rss_kb: usage.max_rss_kb,
        wall_ms: u64::try_from(wall.as_millis()).unwrap_or(u64::MAX),
        lost: (ended_by_itself && supervisor.reaped.main == Some(ProgramEnd::Lost))
            .then(|| "the first process of its namespace was killed".to_owned()),
    }
}

fn started(child: &RunningChild) -> Started {
    let pid = child.pid.as_raw_nonzero().get();
    Started {
        pid,
        // It is our child and not waited for, so its record is there even if it has ended.
        start_time: crate::process_table::ancestry::start_time(pid).unwrap_or(0),
        confinement: child.bounds.confinement.clone(),
        confined: child.bounds.confined,
        process_limit: child.bounds.process_limit.clone(),
        cgroups: child.cgroups.folders.clone(),
    }
}

/// Opens the program's streams: one pipe per file, so that merged output keeps its order.
fn streams(policy: &LaunchPolicy) -> io::Result<(Vec<Capture>, Streams)> {
    let stdin = match &policy.stdin {
        Some(path) => Stdio::from(fs_err::File::open(path)?.into_file()),
        None => Stdio::null(),
    };
    let (capture, stdout) = Capture::create(&policy.stdout, policy.max_output_bytes)?;
    let mut captures = vec![capture];
    let stderr = match policy.stderr.as_ref().filter(|path| **path != policy.stdout) {
        Some(path) => {
            let (capture, stderr) = Capture::create(path, policy.max_output_bytes)?;
            captures.push(capture);
            stderr
        }
        None => stdout.try_clone()?,
    };
    Ok((captures, Streams { stdin, stdout, stderr }))
}

/// Takes the shared lock, which the kernel frees when the launcher dies in whatever way.
fn hold_lock(policy: &LaunchPolicy) -> Result<Option<File>, String> {
    let Some(path) = &policy.hold_lock else { return Ok(None) };
    let file = fs_err::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(|error| error.to_string())?
        .into_parts()
        .0;
    // Not waiting: an exclusive holder is a driver that waits for the launchers of a dead one, and
    // this launcher was started by a driver that is about to learn that it is not the driver.
    flock(&file, FlockOperation::NonBlockingLockShared)
        .map_err(|error| format!("another driver holds `{}`: {error}", path.display()))?;
    Ok(Some(file))
}
