//! Signs of life: what tells a process that works from one that hangs.
//!
//! Silence alone kills nobody. A compiler that prints nothing for ten minutes uses CPU time; a
//! download without output moves bytes. Both grow counters that the kernel keeps, so a tick compares
//! the sum of those counters over the whole tree with the last tick's, and any difference is a sign.
//! So is a change in who is there.
//!
//! The counters of a process that ended are added to its parent's when the parent waits for it, and
//! those of an orphan to the launcher's, so work is seen even when it is done by processes that live
//! shorter than a tick.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustix::process::{Pid, getpid};

use super::sweep;
use crate::process::activity::io_bytes;
use crate::process::table::Process;

/// The counters of a tree at one moment. Equal ones mean that nothing has happened in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Signs {
    /// CPU time, in clock ticks.
    cpu_ticks: u64,
    /// Bytes that went through read and write calls.
    io_bytes: u64,
    /// Who is there.
    members: u64,
}

/// What one look at the tree found.
pub(super) struct Census {
    pub(super) processes: usize,
    pub(super) memory_bytes: u64,
    pub(super) signs: Signs,
}

/// Looks at everything below the launcher but one process of its own.
pub(super) fn census(but: Option<Pid>) -> Census {
    let mut living = sweep::living();
    let but = but.map(|pid| pid.as_raw_nonzero().get());
    living.retain(|process| Some(process.pid) != but);
    let mut members = DefaultHasher::new();
    let mut signs = Signs::default();
    for process in &living {
        (process.pid, process.start_time).hash(&mut members);
        signs.cpu_ticks += process.cpu_ticks;
        signs.io_bytes += io_bytes(process.pid);
    }
    signs.members = members.finish();
    signs.cpu_ticks += waited_for_by_the_launcher();
    let memory_bytes = living.iter().map(|process| process.memory_bytes).sum();
    Census { processes: living.len(), memory_bytes, signs }
}

/// Returns the CPU time of the launcher's own dead children, through what it reaped.
///
/// The launcher's own time must stay out: it works at every tick.
fn waited_for_by_the_launcher() -> u64 {
    super::os::children_usage().cpu_ms / MS_PER_TICK
}

/// The clock tick that `/proc` counts in, on every architecture that Rust's Linux targets have.
const MS_PER_TICK: u64 = 10;

/// Returns the launcher's own record, for its registration.
pub(super) fn launcher() -> std::io::Result<Process> {
    Process::read(getpid().as_raw_nonzero().get())
}
