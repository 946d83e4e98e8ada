//! The first process of a view: builds it, gives up every right, starts the program, and reaps.
//!
//! It is a fork of the launcher, with its memory. Before the program starts it has no descriptor but
//! the one that tells the launcher how the program ended, no capability, no arguments that name
//! anything, and it cannot be traced: `/proc/1/environ`, `/proc/1/fd` and `/proc/1/mem` are closed
//! to the program although it has the same user. It runs nothing but a wait; when the program has
//! ended it tells so and waits to be killed, so that the launcher can count what was left behind.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;

use rustix::process::{
    DumpableBehavior, Signal, WaitOptions, set_dumpable_behavior, set_parent_process_death_signal,
    setsid, wait,
};

use super::cgroup::{self, Cgroups};
use super::child::{self, Streams};
use super::confine;
use super::mounts;
use super::os;
use super::policy::LaunchPolicy;
use super::rights;
use super::seccomp::{self, Around};
use super::view::{View, ViewNetwork};
use crate::proxy::{Host, ProxyPolicy, send_descriptors};

/// The launcher has written the id maps.
pub(super) const GO: u8 = b'g';

/// The program runs, in its groups.
pub(super) const RUNS: u8 = b'r';

/// The program runs, and could not be put into all of its groups.
pub(super) const RUNS_OUTSIDE: u8 = b'o';

/// The word with which the listeners of a proxy come.
pub(super) const LISTENERS: [u8; 4] = *b"list";

/// Where the proxy of a view listens; no program is there before.
pub(crate) const PROXY_PORT: u16 = 48128;

/// The program could not be started; words follow.
const FAILED: u8 = b'f';

/// Everything that init needs, made in the launcher.
pub(super) struct Init<'a> {
    policy: &'a LaunchPolicy,
    view: &'a View,
    doors: Vec<fs_err::File>,
    /// How many groups there are; one whose door could not be opened cannot be entered.
    groups: usize,
    filter: seccompiler::BpfProgram,
}

impl<'a> Init<'a> {
    /// Makes what can fail with a reason before the fork.
    pub(super) fn prepare(
        policy: &'a LaunchPolicy,
        view: &'a View,
        cgroups: &Cgroups,
    ) -> Result<Self, String> {
        let filter = seccomp::filter(view.rights, Around::Namespaces)?;
        let (doors, groups) = (cgroups.doors(), cgroups.folders.len());
        Ok(Self { policy, view, doors, groups, filter })
    }
}

/// Runs as init until it is killed.
pub(super) fn run(init: Init<'_>, streams: Streams, mut launcher: UnixStream) -> ! {
    let started = begin(init, streams, &mut launcher);
    let (program, word) = match started {
        Ok(started) => started,
        Err(words) => {
            let _ = launcher.write_all(&[&[FAILED], words.as_bytes()].concat());
            os::end(1);
        }
    };
    if launcher.write_all(&[word]).is_err() {
        os::end(1);
    }
    reap(program, &launcher)
}

/// Waits for the program and for every orphan.
fn reap(program: i32, mut launcher: &UnixStream) -> ! {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == program => {
                if launcher.write_all(&status.as_raw().to_be_bytes()).is_err() {
                    os::end(1);
                }
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            // Nobody is left: the launcher ends this process.
            Err(_) => {
                let _ = rustix::event::poll(&mut [], None);
            }
        }
    }
}

fn begin(init: Init<'_>, streams: Streams, launcher: &mut UnixStream) -> Result<(i32, u8), String> {
    let Init { policy, view, doors, groups, filter } = init;
    let told = |step: &str| {
        let step = step.to_owned();
        move |error: rustix::io::Errno| format!("failed to {step}: {}", std::io::Error::from(error))
    };
    setsid().map_err(told("make a session"))?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    // A program outside its group is still counted and killed with its namespace, and its record says
    // that no group bounds it.
    let entered = doors.into_iter().filter_map(|mut door| cgroup::enter(&mut door).ok()).count();
    let word = if entered == groups { RUNS } else { RUNS_OUTSIDE };
    // From here on its own group is the root: the name that windlass gave it is nobody's business.
    os::new_cgroup_namespace().map_err(|error| format!("failed to hide its cgroup: {error}"))?;
    hear_go(launcher)?;
    // After the id maps: a change of credentials takes the request back.
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(told("tie its life to the launcher's"))?;
    if view.network == ViewNetwork::Own {
        os::raise_loopback().map_err(|error| format!("failed to raise the loopback: {error}"))?;
    }
    if let Some(proxy) = &policy.proxy {
        let listeners = listeners(proxy).map_err(|error| format!("failed to listen: {error}"))?;
        send_descriptors(launcher, LISTENERS, &listeners)
            .map_err(|error| format!("failed to hand a listener over: {error}"))?;
        hear_go(launcher)?;
    }
    mounts::enter(view)?;
    // The reset comes after everything that could still be interrupted by a signal of the launcher.
    os::reset_signals();
    forget_arguments();
    rights::give_up(view.rights).map_err(told("give up rights"))?;
    // Memory and descriptors are closed to the program before there is one.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(told("close init's memory"))?;
    let ruleset = confine::inside(view).map_err(|error| error.to_string())?;
    let program = child::start_below_init(policy, ruleset, filter, streams)?;
    silence().map_err(|error| format!("failed to close init's streams: {error}"))?;
    os::close_all_but(launcher.as_raw_fd());
    Ok((program, word))
}

/// Waits until the launcher says so.
fn hear_go(launcher: &mut UnixStream) -> Result<(), String> {
    let mut go = [0; 1];
    match launcher.read(&mut go) {
        Ok(1) if go[0] == GO => Ok(()),
        Ok(_) | Err(_) => Err("the launcher is gone".to_owned()),
    }
}

/// Listens inside the view: for the proxy, and at each address that leads to the host's loopback.
fn listeners(proxy: &ProxyPolicy) -> std::io::Result<Vec<OwnedFd>> {
    let own = SocketAddr::from((Ipv4Addr::LOCALHOST, PROXY_PORT));
    let mut open: Vec<(SocketAddr, TcpListener)> = vec![(own, TcpListener::bind(own)?)];
    for (address, target) in proxy.doors() {
        let listener = match TcpListener::bind(address) {
            Ok(listener) => listener,
            // A kernel without the second family: the name's door in the first one is the only one.
            Err(error) => {
                let first = SocketAddr::from((Ipv4Addr::LOCALHOST, address.port()));
                let named = matches!(target.host, Host::Name(_)) && address.is_ipv6();
                let first = open.iter().find(|(known, _)| named && *known == first);
                first.ok_or(error)?.1.try_clone()?
            }
        };
        open.push((address, listener));
    }
    Ok(open.into_iter().map(|(_, listener)| OwnedFd::from(listener)).collect())
}

/// Leads this process's own streams nowhere.
fn silence() -> std::io::Result<()> {
    let null = fs_err::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// Writes over the arguments of this process, which name the program that it is a fork of.
///
/// Everybody may read `/proc/1/cmdline`. A failure leaves a name there that tells that windlass is
/// at work, and nothing else.
fn forget_arguments() {
    let _ = rustix::thread::set_name(c"init");
    let Ok(stat) = fs_err::read_to_string("/proc/self/stat") else { return };
    let Some((_, fields)) = stat.rsplit_once(')') else { return };
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    // Fields 48 and 49 of proc(5); the first one here is field 3.
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let (Some(start), Some(end)) = (number(48), number(49)) else { return };
    let length = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
    let mut words = b"init".to_vec();
    words.resize(length.max(words.len()), 0);
    words.truncate(length);
    if let Ok(memory) = fs_err::OpenOptions::new().write(true).open("/proc/self/mem") {
        let _ = memory.file().write_all_at(&words, start);
    }
}
