//! The end of everything below the launcher.
//!
//! # Why nothing gets away
//!
//! The launcher is a subreaper: a process whose parent dies is handed to the nearest subreaper above
//! it. So whatever its descendants do (fork twice, start sessions, change groups, clear their
//! environment, become subreapers themselves), each living one has a chain of parents that ends
//! here. Nothing leaves the tree; it can only grow while it is being cut.
//!
//! A single pass could be outrun by a process that forks faster than the pass reads `/proc`. A pass
//! therefore first *stops* everyone it finds and looks again, until a look finds nobody new: those
//! cannot fork any more. Then it kills them. A kill is final even for a stopped process and for one
//! that ignores TERM, and no process below can hold other rights than ours, since none may gain
//! privileges.
//!
//! Passes are repeated until the kernel says ECHILD: the launcher has no child, alive or dead. As
//! every descendant's chain of parents ends here, no child means no descendant. This is the only
//! exit, so a process that hangs in the kernel keeps its launcher waiting, and rightly so.
//!
//! A cgroup, where there is one, cuts this short: the kernel kills all members at once, forks in
//! flight included. The passes still run, since a privileged process may have left the group.

use std::collections::BTreeSet;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, wait};

use super::cgroup::Cgroups;
use crate::launcher::timespec;
use crate::process_table::{self as table, Process};

/// How often one pass looks for newcomers before it kills those it has.
///
/// Ten looks stop anything short of a bomb, and for a bomb it is better to kill what stands still
/// and begin anew than to let the rest grow.
const MAX_LOOKS: usize = 10;

/// How long a pass waits for the killed to become waitable.
const TURN: Duration = Duration::from_millis(2);

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramEnd {
    Exited(i32),
    Signalled(i32),
    /// Its init was killed, and with it everything: nobody knows how the program ended.
    Lost,
}

impl ProgramEnd {
    /// Reads what `wait` says.
    pub(super) fn of(raw: i32) -> Self {
        match raw & 0x7f {
            0 => Self::Exited((raw >> 8) & 0xff),
            signal => Self::Signalled(signal),
        }
    }
}

/// Which processes have been waited for.
#[derive(Default)]
pub(super) struct Reaped {
    /// How the program itself ended.
    pub(super) main: Option<ProgramEnd>,
    /// Whether the first child is the init of a view, which outlives its program.
    pub(super) has_init: bool,
}

/// Whether children are left after those that had ended were waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    Some,
    None,
}

/// Waits for everything that has ended, without waiting for time.
pub(super) fn reap(main: Pid, reaped: &mut Reaped) -> Left {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, _))) if pid == main && reaped.has_init => {
                // It tells before it waits to be killed; what was told counts.
                reaped.main.get_or_insert(ProgramEnd::Lost);
            }
            Ok(Some((pid, status))) if pid == main => {
                reaped.main = Some(ProgramEnd::of(status.as_raw()));
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return Left::Some,
            // ECHILD; no other error is possible.
            Err(_) => return Left::None,
        }
    }
}

/// Returns the living processes below the launcher.
pub(super) fn living() -> Vec<Process> {
    let mut processes = table::descendants(getpid().as_raw_nonzero().get()).unwrap_or_default();
    processes.retain(|process| !process.is_dead());
    processes
}

/// Kills everything below the launcher and waits until nothing is left of it.
///
/// Returns how many living processes other than `main` it found.
pub(super) fn sweep(main: Pid, cgroups: &Cgroups, reaped: &mut Reaped) -> u32 {
    let mut met = BTreeSet::new();
    // Counted before the first kill: the group's kill leaves nobody to be counted after it.
    met.extend(living().iter().map(identity));
    loop {
        cgroups.kill();
        let mut standing: Vec<Process> = Vec::new();
        for _ in 0..MAX_LOOKS {
            let known: BTreeSet<_> = standing.iter().map(identity).collect();
            let mut new = living();
            new.retain(|process| !known.contains(&identity(process)));
            if new.is_empty() {
                break;
            }
            for process in &new {
                let _ = process.signal(Signal::STOP);
            }
            standing.extend(new);
        }
        for process in &standing {
            let _ = process.signal(Signal::KILL);
        }
        met.extend(standing.iter().map(identity));
        if reap(main, reaped) == Left::None {
            break;
        }
        // Every child that is left has been killed or is about to be met by the next pass.
        let _ = rustix::event::poll(&mut [], Some(&timespec(TURN)));
    }
    met.retain(|(pid, _)| *pid != main.as_raw_nonzero().get());
    u32::try_from(met.len()).unwrap_or(u32::MAX)
}

/// Asks everything below the launcher to end.
///
/// A stopped process acts on TERM only when it goes on, hence the CONT.
pub(super) fn terminate(main: Pid) {
    let _ = rustix::process::kill_process_group(main, Signal::TERM);
    let _ = rustix::process::kill_process_group(main, Signal::CONT);
    for process in living() {
        // Once is enough: programs take a second TERM for impatience.
        if process.group == main.as_raw_nonzero().get() {
            continue;
        }
        let _ = process.signal(Signal::TERM);
        let _ = process.signal(Signal::CONT);
    }
}

fn identity(process: &Process) -> (i32, u64) {
    (process.pid, process.start_time)
}
