//! Signs of life: what tells a process that works from one that hangs.
//!
//! Silence alone kills nobody. A compiler that prints nothing for ten minutes uses CPU time; a
//! download without output moves bytes. Both grow counters that the kernel keeps, so a tick compares
//! the sum of those counters over the whole tree with what they were at the last sign.
//!
//! Not any difference is one. A program that waits for a model which never answers still wakes up: its
//! timers take a tick of CPU now and then, and move a few bytes through its own pipes. What counts is
//! CPU time and bytes at a rate that only work has, a file that was written, and a change in who is there.
//!
//! The counters of a process that ended are added to its parent's when the parent waits for it, and
//! those of an orphan to the launcher's, so work is seen even when it is done by processes that live
//! shorter than a tick.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use rustix::process::{Pid, getpid};

use super::sweep;
use crate::process_table::Process;
use crate::process_table::moved::io;

/// The part of the time since the last sign that a tree computes for, at least, if it works: one in so
/// many. An idle interpreter takes one in a hundred; a compiler on a crowded machine one in ten.
const COMPUTES_ONE_IN: u128 = 20;

/// The CPU time that is no more than somebody waking up, at most.
const WAKING_UP: Duration = Duration::from_millis(200);

/// The bytes that are no more than that, at most.
const WAKING_UP_BYTES: u64 = 16 << 10;

/// The bytes of a second that only somebody moves who works.
const WORKING_BYTES_PER_SECOND: u128 = 1 << 10;

/// The counters of a tree at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Signs {
    /// CPU time, in clock ticks.
    cpu_ticks: u64,
    /// Bytes that went through read and write calls.
    io_bytes: u64,
    /// Bytes that went to files.
    file_bytes: u64,
    /// Who is there.
    members: u64,
}

/// When the last sign of life was seen, and what the counters were then.
pub(super) struct Life {
    pub(super) last: Instant,
    /// How long there may be none.
    patience: Duration,
    then: Signs,
    now: Signs,
}

impl Life {
    pub(super) fn new(began: Instant, patience: Duration) -> Self {
        Self { last: began, patience, then: Signs::default(), now: Signs::default() }
    }

    /// Takes note of a sign that needs no counter: output.
    pub(super) fn spoke(&mut self, at: Instant) {
        (self.last, self.then) = (at, self.now);
    }

    /// Takes note of the counters.
    pub(super) fn look(&mut self, signs: Signs, at: Instant) {
        self.now = signs;
        if self.is_sign(signs, at) {
            self.spoke(at);
        } else {
            // Whoever ended took its counters along; what the others do from here on still counts.
            self.then = self.then.at_most(signs);
        }
    }

    fn is_sign(&self, signs: Signs, at: Instant) -> bool {
        let since = at.saturating_duration_since(self.last);
        let ticks = signs.cpu_ticks.saturating_sub(self.then.cpu_ticks);
        let computed = Duration::from_millis(ticks * MS_PER_TICK);
        // Whoever has little patience cannot wait for much work either.
        let waking_up = WAKING_UP.min(self.patience / 20);
        let moved = signs.io_bytes.saturating_sub(self.then.io_bytes);
        let few =
            WAKING_UP_BYTES.min(u64::try_from(self.patience.as_millis()).unwrap_or(u64::MAX) * 4);
        let many = since.as_millis() * WORKING_BYTES_PER_SECOND / 1000;
        signs.members != self.then.members
            || signs.file_bytes > self.then.file_bytes
            || (computed > waking_up && computed.as_millis() * COMPUTES_ONE_IN >= since.as_millis())
            || (moved > few && u128::from(moved) >= many)
    }
}

impl Signs {
    fn at_most(self, other: Self) -> Self {
        Self {
            cpu_ticks: self.cpu_ticks.min(other.cpu_ticks),
            io_bytes: self.io_bytes.min(other.io_bytes),
            file_bytes: self.file_bytes.min(other.file_bytes),
            members: other.members,
        }
    }
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
        let moved = io(process.pid);
        signs.io_bytes += moved.calls;
        signs.file_bytes += moved.files;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A life that is looked at every second; returns after how many seconds the last sign was.
    fn last_sign(patience: u64, counters: impl Fn(u64) -> Signs) -> u64 {
        let began = Instant::now();
        let mut life = Life::new(began, Duration::from_secs(patience));
        life.look(counters(0), began);
        life.spoke(began);
        for second in 1..=60 {
            life.look(counters(second), began + Duration::from_secs(second));
        }
        life.last.saturating_duration_since(began).as_secs()
    }

    #[test]
    fn a_program_that_only_wakes_up_now_and_then_shows_no_sign_of_life() {
        // A tick of CPU and a few bytes each second, as an event loop with nothing to do has them.
        let idle =
            |second: u64| Signs { cpu_ticks: second, io_bytes: second * 200, ..Signs::default() };
        assert_eq!(last_sign(5, idle), 0);
        assert_eq!(last_sign(600, idle), 0);
        // Nor does one that collects its garbage once.
        let burst =
            |second: u64| Signs { cpu_ticks: 15 * u64::from(second > 30), ..Signs::default() };
        assert_eq!(last_sign(5, burst), 0);
    }

    #[test]
    fn work_is_a_sign_of_life_whatever_kind_it_is() {
        let computes = |second: u64| Signs { cpu_ticks: second * 30, ..Signs::default() };
        assert!(last_sign(5, computes) >= 59);
        // On a machine with ten times as much to do as it can.
        let crowded = |second: u64| Signs { cpu_ticks: second * 10, ..Signs::default() };
        assert!(last_sign(5, crowded) >= 55);
        let downloads = |second: u64| Signs { io_bytes: second * 20_000, ..Signs::default() };
        assert!(last_sign(5, downloads) >= 59);
        let writes = |second: u64| Signs { file_bytes: second / 20 * 4096, ..Signs::default() };
        assert_eq!(last_sign(5, writes), 60);
        let starts = |second: u64| Signs { members: second / 7, ..Signs::default() };
        assert_eq!(last_sign(5, starts), 56);
    }

    #[test]
    fn what_ended_takes_its_counters_along_and_others_still_count() {
        let signs = |second: u64| {
            let child = if second <= 10 { second * 100 } else { 0 };
            Signs { cpu_ticks: child + second * 30, ..Signs::default() }
        };
        assert!(last_sign(5, signs) >= 59);
    }
}
