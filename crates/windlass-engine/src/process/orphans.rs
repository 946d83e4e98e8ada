//! What is left when a launcher itself was killed.
//!
//! A launcher that dies by SIGKILL cannot sweep. The kernel then kills its direct child (the
//! launcher asked for that), and everything deeper is handed to the nearest subreaper above: the
//! engine, if it called [`become_subreaper`], else init. Here they are found again and ended.
//!
//! Four signs tell them apart from strangers, and any one is enough:
//!
//! 1. **the cgroup** that the launcher put its child into: no descendant can leave it without
//!    write access to the cgroup file system, which confinement refuses;
//! 2. **the marker**, a random word in the environment of everything the launcher started: `env -i`
//!    removes it;
//! 3. **the session** that the direct child led: `setsid` leaves it;
//! 4. **the parent**: it was handed to us, and is in another session. What we start ourselves stays in
//!    ours, launchers too, and nobody can join it from outside.
//!
//! The last one is there for a driver only, which is a subreaper. A hook of a hosted session is none:
//! there, where no cgroup can be made, a process that did *both* `env -i` and `setsid` before its
//! launcher was killed is not found. That needs somebody to kill the launcher, which a confined
//! program cannot (Landlock scopes its signals, from ABI 6 on).

use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, set_child_subreaper, waitpid};

use crate::launcher::cgroup;
use crate::launcher::policy::{MARKER_VARIABLE, Started};
use crate::launcher::timespec;
use crate::process_table::{self as table, Process};

/// How long orphans get to die after SIGKILL; one that takes longer hangs in the kernel.
const DEATH_DEADLINE: Duration = Duration::from_secs(10);

/// How long one turn waits for the killed to be gone.
const TURN: Duration = Duration::from_millis(5);

/// Makes this process the one that orphans below it are handed to.
///
/// A driver calls it once at its start. It changes who the parent of an orphan is and nothing else;
/// `sweep` reaps exactly the orphans it killed and never another child of this process.
pub fn become_subreaper() -> io::Result<()> {
    set_child_subreaper(Some(getpid()))?;
    Ok(())
}

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Swept {
    /// Processes that were alive and have been killed.
    pub(super) killed: u32,
    /// Processes that did not die in time.
    pub(super) still_alive: u32,
}

/// Kills everything that a dead launcher left, and removes its cgroups.
pub(super) fn sweep(marker: &str, started: Option<&Started>) -> Swept {
    let deadline = Instant::now() + DEATH_DEADLINE;
    let mut killed = std::collections::BTreeSet::new();
    loop {
        let left = left_by(marker, started);
        for process in &left {
            killed.insert((process.pid, process.start_time));
            // A refusal shows as a process that does not die.
            let _ = process.signal(Signal::KILL);
        }
        for (pid, _) in &killed {
            if let Some(pid) = Pid::from_raw(*pid) {
                // Not our child means that somebody else reaps it.
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
        if left.is_empty() || Instant::now() > deadline {
            if let Some(started) = started {
                cgroup::remove(&started.cgroups);
            }
            return Swept { killed: count(killed.len()), still_alive: count(left.len()) };
        }
        // Other processes' deaths make no descriptor ready, so this is a wait for time.
        let _ = rustix::event::poll(&mut [], Some(&timespec(TURN)));
    }
}

/// Returns the living processes that carry one of the four signs.
fn left_by(marker: &str, started: Option<&Started>) -> Vec<Process> {
    let mut pids = started.map_or_else(Vec::new, |started| cgroup::members(&started.cgroups));
    pids.sort_unstable();
    let sign = format!("{MARKER_VARIABLE}={marker}");
    let mut left = table::all().unwrap_or_default();
    // A living leader that started at another time leads a stranger's session of the same number.
    let session = started.map(|started| started.pid).filter(|pid| {
        left.iter()
            .find(|process| process.pid == *pid)
            .is_none_or(|leader| started.is_some_and(|ours| leader.start_time == ours.start_time))
    });
    let us = Process::read(getpid().as_raw_nonzero().get()).ok();
    left.retain(|process| {
        let handed_to_us =
            || us.is_some_and(|us| process.parent == us.pid && process.session != us.session);
        let in_cgroup = || pids.binary_search(&process.pid).is_ok();
        let in_session = || session == Some(process.session);
        !process.is_dead()
            && (in_cgroup() || in_session() || handed_to_us() || has_marker(process.pid, &sign))
    });
    left
}

/// Says whether a process has the marker in its environment; an unreadable one is not ours.
fn has_marker(pid: i32, sign: &str) -> bool {
    fs_err::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|entry| entry == sign.as_bytes()))
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
