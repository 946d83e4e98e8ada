//! The launcher's loop: one program, watched until it ends or has to.
//!
//! Everything that can happen makes a descriptor ready or a deadline pass, and one `poll` waits for
//! all of it: the engine's socket, the program's output, a signal to the launcher, a child's death.
//! A turn of the loop takes in what is there, then asks one question: is it over? The answers are a
//! closed list, [`End`], and whichever comes first stays: a program that was told to stop for its
//! timeout and then exits with zero has timed out.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::Pid;
use windlass_core::proof::Outcome;
use windlass_core::run::Category;

use super::capture::Capture;
use super::cgroup::Cgroups;
use super::disk::DiskWatch;
use super::life::{self, Life};
use super::namespace::Ends;
use super::policy::{KILL_BYTE, LaunchPolicy, STOP_BYTE};
use super::signals::Signals;
use super::sweep::{self, ProgramEnd, Reaped};
use crate::launcher::timespec;
use crate::proxy::{Failure, FailureKind, ProxyChild};

/// The shortest time between two looks at the process tree.
const MIN_TICK: Duration = Duration::from_millis(50);

/// The longest, where the kernel bounds the number of processes.
const MAX_TICK: Duration = Duration::from_secs(1);

/// The longest where only the launcher's watch does: a bomb doubles many times in a second.
const MAX_TICK_ALONE: Duration = Duration::from_millis(100);

/// How the watch over a program ended. Nothing has been swept yet.
pub(super) struct Watched {
    /// Why it was ended, none when it ended by itself.
    pub(super) why: Option<Outcome>,
    /// Whether the program itself is dead already, so that whoever lives was left behind by it.
    pub(super) ended: bool,
}

/// One program and all that is watched about it.
pub(super) struct Supervisor<'a> {
    pub(super) policy: &'a LaunchPolicy,
    pub(super) main: Pid,
    /// Tells how the program ended, where it has an init.
    pub(super) ends: Option<Ends>,
    /// Its way out, where its network is its own.
    pub(super) proxy: Option<ProxyChild>,
    pub(super) cgroups: &'a Cgroups,
    /// Readable when the engine says something, or is gone.
    pub(super) control: &'a UnixStream,
    pub(super) signals: &'a Signals,
    pub(super) captures: Vec<Capture>,
    pub(super) reaped: Reaped,
    pub(super) began: Instant,
}

/// Why the program has to end, and how far that has got.
enum Phase {
    Running,
    /// It was asked to end, and will be killed at `kill_at`.
    Stopping {
        why: Outcome,
        kill_at: Instant,
    },
    /// There is nothing more to wait for.
    Over {
        why: Option<Outcome>,
    },
}

impl Supervisor<'_> {
    /// Watches until the program has ended, or has to be killed now.
    pub(super) fn watch(&mut self) -> Watched {
        let mut phase = Phase::Running;
        let patience = self.policy.idle_timeout.map_or(MAX_TICK, |idle| idle.to_duration());
        let mut life = Life::new(self.began, patience);
        let mut disk = self.policy.disk.as_ref().map(|limit| DiskWatch::new(limit, self.began));
        let tick = self.tick();
        let mut next_tick = self.began + tick;
        loop {
            self.wait_for_something(self.wake_at(&phase, &life, next_tick));
            if self.take_output() > 0 {
                life.spoke(Instant::now());
            }
            phase = self.take_requests(phase);
            phase = self.hear_proxy(phase);
            if let Some(raw) = self.ends.as_mut().and_then(Ends::take) {
                self.reaped.main.get_or_insert(ProgramEnd::of(raw));
            }
            sweep::reap(self.main, &mut self.reaped);
            let now = Instant::now();
            if now >= next_tick {
                phase = self.look(phase, &mut life, now);
                if disk.as_mut().is_some_and(|disk| disk.is_over(now)) {
                    // No grace: it would be time to fill the rest.
                    phase = over(phase, Outcome::OverLimit { what: self.disk_in_words() });
                }
                next_tick = Instant::now() + tick;
            }
            match self.judge(phase, &mut life, now) {
                Phase::Over { why } => {
                    return Watched { why, ended: self.reaped.main.is_some() };
                }
                going_on => phase = going_on,
            }
        }
    }

    /// Returns how often the tree is looked at.
    fn tick(&self) -> Duration {
        let longest = if self.cgroups.is_limited() { MAX_TICK } else { MAX_TICK_ALONE };
        let wanted = self.policy.idle_timeout.map_or(longest, |idle| idle.to_duration() / 10);
        wanted.clamp(MIN_TICK, longest)
    }

    /// Returns the next moment at which something is due.
    fn wake_at(&self, phase: &Phase, life: &Life, next_tick: Instant) -> Instant {
        let mut at = next_tick;
        match phase {
            Phase::Running => {
                if let Some(timeout) = self.policy.timeout {
                    at = at.min(self.began + timeout.to_duration());
                }
                if let Some(idle) = self.policy.idle_timeout {
                    at = at.min(life.last + idle.to_duration());
                }
            }
            Phase::Stopping { kill_at, .. } => at = at.min(*kill_at),
            Phase::Over { .. } => {}
        }
        at
    }

    fn wait_for_something(&self, until: Instant) {
        let sources: Vec<BorrowedFd<'_>> = [self.control.as_fd()]
            .into_iter()
            .chain(self.signals.descriptors())
            .chain(self.captures.iter().filter_map(Capture::descriptor))
            // Once the end is known it stays readable, and the loop is over.
            .chain(self.ends.as_ref().map(Ends::descriptor))
            .chain(self.proxy.as_ref().map(AsFd::as_fd))
            .collect();
        let mut polled: Vec<PollFd<'_>> =
            sources.iter().map(|source| PollFd::new(source, PollFlags::IN)).collect();
        let span = until.saturating_duration_since(Instant::now());
        // An interruption is a signal, whose descriptor is ready at the next turn.
        let _ = poll(&mut polled, Some(&timespec(span)));
        self.signals.clear_deaths();
    }

    fn take_output(&mut self) -> usize {
        self.captures.iter_mut().map(Capture::drain).sum()
    }

    /// Takes in what the engine, or a TERM to the launcher, asks for.
    fn take_requests(&mut self, mut phase: Phase) -> Phase {
        if self.signals.take_terminate() {
            phase = self.stop(phase, Outcome::Cancelled);
        }
        let mut bytes = [0; 16];
        let mut control = self.control;
        match control.read(&mut bytes) {
            // The engine is gone: nobody waits for a grace period.
            Ok(0) => over(phase, Outcome::Cancelled),
            Ok(count) => bytes[..count].iter().fold(phase, |phase, byte| match *byte {
                STOP_BYTE => self.stop(phase, Outcome::Cancelled),
                KILL_BYTE => over(phase, Outcome::Cancelled),
                _ => phase,
            }),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                phase
            }
            Err(_) => over(phase, Outcome::Cancelled),
        }
    }

    /// Takes in what the proxy says. Programs try for ever to reach a model that they cannot reach, so
    /// that ends the attempt.
    fn hear_proxy(&mut self, phase: Phase) -> Phase {
        let Some(proxy) = &mut self.proxy else { return phase };
        let private = match proxy.take_failures() {
            Ok(failures) => {
                failures.into_iter().find(|failure| failure.kind == FailureKind::Private)
            }
            Err(_) => {
                // It is gone: connections fail, and the program says so itself.
                self.proxy = None;
                return phase;
            }
        };
        let Some(failure) = private.or_else(|| proxy.hopeless().cloned()) else { return phase };
        // A second request would kill a program that is about to end.
        if !matches!(phase, Phase::Running) {
            return phase;
        }
        let message = out_of_reach(&failure);
        self.stop(phase, Outcome::AgentFailed { category: Category::External, message })
    }

    /// Asks the program to end; a second request kills.
    fn stop(&self, phase: Phase, why: Outcome) -> Phase {
        match phase {
            Phase::Running => {
                sweep::terminate(self.main);
                Phase::Stopping { why, kill_at: Instant::now() + self.policy.grace.to_duration() }
            }
            Phase::Stopping { why, .. } => Phase::Over { why: Some(why) },
            Phase::Over { .. } => phase,
        }
    }

    /// Looks at the tree: is it too large, does it live?
    fn look(&self, phase: Phase, life: &mut Life, now: Instant) -> Phase {
        let census = life::census(self.proxy.as_ref().map(ProxyChild::pid));
        life.look(census.signs, now);
        if let Some(most) = self.policy.limits.memory_bytes
            && census.memory_bytes > most
        {
            let what = format!("{} MiB of memory", most >> 20);
            return over(phase, Outcome::OverLimit { what });
        }
        if let Some(least) = self.policy.limits.free_disk_bytes
            && self.free_disk_bytes().is_some_and(|free| free < least)
        {
            let what = format!("the disk has to keep {} MiB free", least >> 20);
            return over(phase, Outcome::OverLimit { what });
        }
        let most = self.policy.limits.processes;
        let refused = self.cgroups.refused_forks();
        // Init is windlass's own.
        let processes = census.processes - usize::from(self.ends.is_some() && census.processes > 0);
        if processes > usize::try_from(most).unwrap_or(usize::MAX) || refused > 0 {
            // No grace: what grows without bound must not get time to grow.
            return over(phase, Outcome::OverLimit { what: format!("{most} processes") });
        }
        phase
    }

    /// Returns what is free on the disk that the program writes to.
    fn free_disk_bytes(&self) -> Option<u64> {
        let writes = self.policy.view.as_ref().map_or(&self.policy.cwd, |view| &view.writes.dir);
        free_bytes(writes)
    }

    fn disk_in_words(&self) -> String {
        let bytes = self.policy.disk.as_ref().map_or(0, |limit| limit.bytes);
        format!("{} MiB on the disk (`disk_limit`)", bytes >> 20)
    }

    /// Says what follows from all that is known.
    fn judge(&self, phase: Phase, life: &mut Life, now: Instant) -> Phase {
        let reached = |from: Instant, span: Option<windlass_core::time::Span>| {
            span.is_some_and(|span| now.saturating_duration_since(from) >= span.to_duration())
        };
        match phase {
            Phase::Running if self.reaped.main.is_some() => Phase::Over { why: None },
            Phase::Running if reached(self.began, self.policy.timeout) => {
                self.stop(Phase::Running, Outcome::TimedOut)
            }
            Phase::Running if reached(life.last, self.policy.idle_timeout) => {
                // The counters are a tick old, and a tick is shorter than the timeout: look again
                // before the one irrevocable judgement.
                match self.look(Phase::Running, life, now) {
                    Phase::Running if life.last != now => self.stop(Phase::Running, Outcome::Idle),
                    otherwise => otherwise,
                }
            }
            Phase::Stopping { why, kill_at } if self.reaped.main.is_some() || now >= kill_at => {
                Phase::Over { why: Some(why) }
            }
            Phase::Running | Phase::Stopping { .. } | Phase::Over { .. } => phase,
        }
    }
}

/// Says why an attempt was ended that cannot reach its model.
fn out_of_reach(failure: &Failure) -> String {
    let Failure { kind, host, port, provider } = failure;
    match (kind, provider) {
        (FailureKind::Refused, _) => format!(
            "no connection of the agent was made, and the last one was refused: {host}:{port} is not on \
             the list of the step's network; if it is the model's host, add it to `hosts`"
        ),
        (FailureKind::Private, false) => format!(
            "no connection of the agent was made, and the last one was refused: {host} leads to an \
             address that is not connected to; list the address itself in `hosts`"
        ),
        (FailureKind::Private, true) => format!(
            "the provider's host {host}:{port} leads to an address that is not connected to; list the \
             address itself in `hosts`"
        ),
        (FailureKind::Unresolvable, _) => format!(
            "the provider's host {host}:{port} has no address: check the name and your connection"
        ),
        (FailureKind::Failed, _) => {
            format!("the provider's host {host}:{port} does not answer: try it outside of windlass")
        }
    }
}

/// Returns how much an ordinary user may still write to the disk of a folder.
pub(crate) fn free_bytes(folder: &std::path::Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Ends the watch; a reason that was there before stays.
fn over(phase: Phase, why: Outcome) -> Phase {
    match phase {
        Phase::Running => Phase::Over { why: Some(why) },
        Phase::Stopping { why, .. } => Phase::Over { why: Some(why) },
        Phase::Over { .. } => phase,
    }
}

/// Says how a program that ended by itself ended.
pub(super) fn outcome_of(ended: Option<ProgramEnd>, policy: &LaunchPolicy) -> Outcome {
    let signal = match ended {
        Some(ProgramEnd::Exited(code)) => return Outcome::Exited { code },
        Some(ProgramEnd::Signalled(signal)) => signal,
        // The sweep ends only when every child was waited for.
        Some(ProgramEnd::Lost) | None => libc::SIGKILL,
    };
    let limits = &policy.limits;
    match (signal, limits.cpu_seconds, limits.file_size_bytes) {
        (libc::SIGXCPU, Some(seconds), _) => {
            Outcome::OverLimit { what: format!("{seconds} CPU seconds") }
        }
        (libc::SIGXFSZ, _, Some(bytes)) => {
            Outcome::OverLimit { what: format!("a file of {bytes} bytes") }
        }
        _ => Outcome::Signalled { signal },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_without_its_model_is_told_which_host_and_what_to_do() {
        let told = |kind, provider| {
            let host = "model.example".to_owned();
            out_of_reach(&Failure { kind, host, port: 8443, provider })
        };
        let refused = told(FailureKind::Refused, false);
        assert!(refused.contains("model.example:8443") && refused.contains("`hosts`"), "{refused}");
        for kind in [FailureKind::Failed, FailureKind::Unresolvable, FailureKind::Private] {
            let words = told(kind, true);
            assert!(words.contains("the provider's host model.example:8443"), "{words}");
        }
    }
}
