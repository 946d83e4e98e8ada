//! A program in namespaces of its own: the launcher's outer half.
//!
//! ```text
//!  engine ── launcher (outer half, host) ── init (pid 1 of the view) ── program
//!               │ writes the id maps            │ builds the root, gives
//!               │ owns sockets and output       │ up all rights, reaps
//! ```
//!
//! The launcher stays outside: nothing in the view has a number or a path for it. Init is a fork of
//! it that lets go of everything before the program starts: descriptors, arguments, rights. It
//! cannot be traced, so its memory and its environment cannot be read. When init dies, the kernel
//! kills every process of the view; that is what makes "nothing survives" hold without a sweep.

use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::process::{Pid, getegid, geteuid};

use super::cgroup::Cgroups;
use super::child::Streams;
use super::init::{self, Init};
use super::os::{self, Forked};
use super::policy::LaunchPolicy;
use super::view::{Rights, View, ViewNetwork};
use crate::proxy::{ProxyChild, ProxyPolicy, receive_descriptors, spawn_with_forwards};

/// A program in namespaces of its own, and where its end is told.
pub(super) struct Inside {
    /// Init, as the host numbers it.
    pub(super) pid: Pid,
    /// Its way out.
    pub(super) proxy: Option<ProxyChild>,
    /// Whether it is in all of its groups.
    pub(super) in_groups: bool,
    /// Tells how the program ended.
    pub(super) ends: Ends,
}

/// The outer end of init's one descriptor.
pub(super) struct Ends {
    stream: UnixStream,
    heard: Vec<u8>,
}

/// How the program of a view ended, as init saw it.
pub(super) type RawStatus = i32;

impl Ends {
    /// Returns the descriptor that becomes readable when the program ends.
    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Returns how the program ended; none while it runs.
    pub(super) fn take(&mut self) -> Option<RawStatus> {
        let mut bytes = [0; 16];
        if let Ok(count) = (&self.stream).read(&mut bytes) {
            self.heard.extend_from_slice(&bytes[..count]);
        }
        let status = self.heard.get(..4)?;
        Some(i32::from_be_bytes(status.try_into().ok()?))
    }
}

/// Starts the program of `policy` in `view`; an error says in words which step failed.
pub(super) fn start(
    policy: &LaunchPolicy,
    view: &View,
    streams: Streams,
    cgroups: &Cgroups,
) -> Result<Inside, String> {
    let (ours, theirs) = UnixStream::pair().map_err(|error| error.to_string())?;
    let init = Init::prepare(policy, view, cgroups)?;
    let mut namespaces = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS;
    if view.network == ViewNetwork::Own {
        namespaces |= libc::CLONE_NEWNET;
    }
    let flags = u64::try_from(namespaces).map_err(|error| error.to_string())?;
    let pid = match os::fork_into(flags)
        .map_err(|error| format!("failed to make namespaces: {error}"))?
    {
        Forked::Child => {
            drop(ours);
            init::run(init, streams, theirs)
        }
        Forked::Parent(pid) => pid,
    };
    // Closes the launcher's copies: the program's pipes end when the program does.
    drop((theirs, streams));
    let pid = Pid::from_raw(pid).ok_or_else(|| "the kernel gave no pid".to_owned())?;
    let ends = Ends { stream: ours, heard: Vec::new() };
    let mut running = Inside { pid, proxy: None, in_groups: false, ends };
    let met = map_ids(pid, view.rights)
        .map_err(|error| format!("failed to map users into the namespace: {error}"))
        .and_then(|()| running.go(policy.proxy.as_ref()));
    if let Err(words) = met {
        running.give_up();
        return Err(words);
    }
    running.ends.stream.set_nonblocking(true).map_err(|error| error.to_string())?;
    Ok(running)
}

impl Inside {
    /// Lets init go on, gives it its way out, and waits until the program runs.
    fn go(&mut self, proxy: Option<&ProxyPolicy>) -> Result<(), String> {
        self.say_go()?;
        if let Some(policy) = proxy {
            let (word, listeners) = receive_descriptors(&self.ends.stream)
                .map_err(|error| format!("init sent no listener: {error}"))?;
            if word != init::LISTENERS {
                let mut words = String::from_utf8_lossy(&word[1..]).into_owned();
                let _ = (&self.ends.stream).read_to_string(&mut words);
                return Err(words);
            }
            let exe = std::env::current_exe().map_err(|error| error.to_string())?;
            let mut listeners = listeners.into_iter();
            let first = listeners.next().ok_or_else(|| "init sent no listener".to_owned())?;
            let proxy = spawn_with_forwards(&exe, first, listeners.collect(), policy)
                .map_err(|error| format!("failed to start the proxy: {error}"))?;
            self.proxy = Some(proxy);
            self.say_go()?;
        }
        let mut stream = &self.ends.stream;
        let mut answer = [0; 1];
        match stream.read(&mut answer) {
            Ok(1) if matches!(answer[0], init::RUNS | init::RUNS_OUTSIDE) => {
                self.in_groups = answer[0] == init::RUNS;
                Ok(())
            }
            Ok(1) => {
                let mut words = String::new();
                let _ = stream.read_to_string(&mut words);
                Err(words)
            }
            Ok(_) | Err(_) => Err("init died while it built the view".to_owned()),
        }
    }

    fn say_go(&self) -> Result<(), String> {
        let mut stream = &self.ends.stream;
        stream.write_all(&[init::GO]).map_err(|error| format!("init died: {error}"))
    }

    /// Ends what was begun.
    fn give_up(&self) {
        let _ = rustix::process::kill_process(self.pid, rustix::process::Signal::KILL);
        let _ = rustix::process::waitpid(Some(self.pid), rustix::process::WaitOptions::empty());
    }
}

/// Gives the namespace its users: an ordinary one has itself, root in a room has all that root has
/// here, each under its own number.
fn map_ids(pid: Pid, rights: Rights) -> std::io::Result<()> {
    let folder = format!("/proc/{}", pid.as_raw_nonzero());
    let all = geteuid().is_root() && rights == Rights::Users;
    if all {
        for kind in ["uid_map", "gid_map"] {
            let own = fs_err::read_to_string(format!("/proc/self/{kind}"))?;
            write_whole(&format!("{folder}/{kind}"), &identity(&own))?;
        }
        return Ok(());
    }
    fs_err::write(format!("{folder}/setgroups"), "deny")?;
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    write_whole(&format!("{folder}/uid_map"), &format!("{uid} {uid} 1\n"))?;
    write_whole(&format!("{folder}/gid_map"), &format!("{gid} {gid} 1\n"))
}

/// Returns a map that gives every number of this namespace to the same number in the new one.
fn identity(own: &str) -> String {
    let lines = own.lines().filter_map(|line| {
        let mut numbers = line.split_ascii_whitespace();
        let (inside, _outside, count) = (numbers.next()?, numbers.next()?, numbers.next()?);
        Some(format!("{inside} {inside} {count}\n"))
    });
    lines.collect()
}

/// The kernel takes a map in one write or not at all.
fn write_whole(path: &str, text: &str) -> std::io::Result<()> {
    let mut file = fs_err::OpenOptions::new().write(true).open(path)?;
    match file.write(text.as_bytes())? {
        written if written == text.len() => Ok(()),
        _ => Err(std::io::ErrorKind::WriteZero.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_this_namespace_is_itself_in_the_new_one() {
        let own = "         0       1000          1\n         1     100000      65536\n";
        assert_eq!(identity(own), "0 0 1\n1 1 65536\n");
    }
}
