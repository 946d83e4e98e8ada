//! Medians, counts and peaks.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::BenchResult;

/// How often the peak of a process is read. What it reaches in its last instants is missed; the
/// peak only grows, so nothing earlier is. The kernel's own account at the end of a process is of
/// no use: it has the largest child in it, and the peak of the parent before the program started.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000 };

/// Tells what is going on, beside the figures.
pub(crate) fn say(message: &str) {
    // Nobody may be listening, and that is no reason to stop measuring.
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// Returns the time in milliseconds.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Returns the middle value.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.as_slice() {
        [] => f64::NAN,
        values if values.len() % 2 == 1 => values[values.len() / 2],
        values => f64::midpoint(values[values.len() / 2 - 1], values[values.len() / 2]),
    }
}

/// Returns how long `act` takes, in milliseconds: the median of some repetitions.
pub(crate) fn time(
    repetitions: usize,
    mut act: impl FnMut() -> BenchResult<()>,
) -> BenchResult<f64> {
    let mut times = Vec::with_capacity(repetitions);
    for _ in 0..repetitions {
        let begun = Instant::now();
        act()?;
        times.push(milliseconds(begun.elapsed()));
    }
    Ok(median(times))
}

/// Runs a command to its end; any other exit code than `expected` is an error with what it said.
pub(crate) fn run(command: &mut Command, expected: i32) -> BenchResult<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.code() == Some(expected) {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("{command:?} ended with {}:\n{said}", output.status).into())
}

/// Runs a command and returns its peak resident set in MiB; that of its children does not count.
pub(crate) fn peak_memory(command: &mut Command, expected: i32) -> BenchResult<f64> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let pid = Pid::from_child(&child);
    let end = pidfd_open(pid, PidfdFlags::empty())?;
    let mut peak = 0.0_f64;
    loop {
        peak = peak.max(resident_peak(pid).unwrap_or(0.0));
        if poll(&mut [PollFd::new(&end, PollFlags::IN)], Some(&LOOK_EVERY))? > 0 {
            break;
        }
    }
    let status = child.wait()?;
    if status.code() != Some(expected) {
        return Err(format!("{command:?} ended with {status}").into());
    }
    Ok(peak)
}

/// Reads `VmHWM`; a process that has ended has none.
fn resident_peak(pid: Pid) -> Option<f64> {
    let status = fs_err::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes / 1024.0)
}
