//! Draining the pipes of a child process together.

use std::io;
use std::os::fd::AsFd;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;

/// How much of git's standard error is kept: enough for every message that helps a person.
const MAX_STDERR_BYTES: usize = 16 * 1024;

/// How talking to a process ended.
pub(crate) enum Talk {
    Finished { stdout: Vec<u8>, stderr: Vec<u8> },
    Full { stdout: Vec<u8> },
    TimedOut,
}

/// Drains the two pipes of `child` together, so that neither can fill up while the other one is
/// waited for.
pub(crate) fn talk(child: &mut Child, keep_stdout: usize, until: Instant) -> io::Result<Talk> {
    let mut stdout = child.stdout.take();
    let mut stderr = child.stderr.take();
    let ends = [stdout.as_ref().map(AsFd::as_fd), stderr.as_ref().map(AsFd::as_fd)];
    for end in ends.into_iter().flatten() {
        rustix::fs::fcntl_setfl(end, rustix::fs::fcntl_getfl(end)? | OFlags::NONBLOCK)?;
    }
    let (mut printed, mut said) = (Vec::new(), Vec::new());
    while stdout.is_some() || stderr.is_some() {
        let Some(left) = until.checked_duration_since(Instant::now()) else {
            return Ok(Talk::TimedOut);
        };
        wait(stdout.as_ref(), stderr.as_ref(), left)?;
        if drain(&mut stdout, &mut printed)? == Drained::Closed {
            stdout = None;
        }
        if drain(&mut stderr, &mut said)? == Drained::Closed {
            stderr = None;
        }
        said.truncate(MAX_STDERR_BYTES);
        if printed.len() > keep_stdout {
            printed.truncate(keep_stdout);
            return Ok(Talk::Full { stdout: printed });
        }
    }
    Ok(Talk::Finished { stdout: printed, stderr: said })
}

/// Kills the process group that `child` leads; it must have been started as the leader of one.
pub(crate) fn kill_group(child: &Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // One that is gone already is what is wanted.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[derive(PartialEq, Eq)]
enum Drained {
    Open,
    Closed,
}

/// Waits until a pipe can be read, at most `left`.
fn wait(stdout: Option<&impl AsFd>, stderr: Option<&impl AsFd>, left: Duration) -> io::Result<()> {
    let mut ends = Vec::with_capacity(2);
    ends.extend(stdout.map(|end| PollFd::new(end, PollFlags::IN)));
    ends.extend(stderr.map(|end| PollFd::new(end, PollFlags::IN)));
    let left = Timespec::try_from(left).map_err(io::Error::other)?;
    match poll(&mut ends, Some(&left)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn drain(pipe: &mut Option<impl io::Read>, into: &mut Vec<u8>) -> io::Result<Drained> {
    let Some(pipe) = pipe else { return Ok(Drained::Closed) };
    let mut chunk = [0; 64 * 1024];
    match pipe.by_ref().read(&mut chunk) {
        Ok(0) => Ok(Drained::Closed),
        Ok(count) => {
            into.extend_from_slice(&chunk[..count]);
            Ok(Drained::Open)
        }
        Err(error)
            if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
        {
            Ok(Drained::Open)
        }
        Err(error) => Err(error),
    }
}
