//! Whether a process runs below a launcher, asked before a person's decision is taken.
//!
//! A gate may be answered by people only, so the commands that answer one refuse every caller with
//! a launcher among its ancestors. An agent cannot leave that ancestry: the launcher is a subreaper,
//! so an orphan of any depth is handed to it and not to init, and it lives as long as anything
//! below it does.
//!
//! The answer **fails closed**. A chain that cannot be read, or that keeps changing while it is
//! read, is an error, and callers refuse on error.
//!
//! What this cannot see: work that a process outside the tree does on an agent's behalf (a service
//! manager, a container daemon, `at`). Confinement and the attempt's token answer that, not this.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use thiserror::Error;

use super::Process;
use super::kernel_file;

/// The word after the program's name in a launcher's argument list.
pub const LAUNCH_ARGUMENT: &str = "__launch";

/// How often a chain that changed under the reader is read anew.
///
/// A change means that an ancestor died in that instant. An honest caller's ancestors do not die
/// by the dozen, so whoever needs more is playing with us.
const MAX_WALKS: usize = 16;

/// How many ancestors are followed; a real chain has some ten.
const MAX_DEPTH: usize = 4096;

/// Why a process's ancestors could not be established.
#[derive(Debug, Error)]
pub enum AncestryError {
    /// A process of the chain could not be read.
    #[error("failed to read process {pid} among the caller's ancestors")]
    Unreadable {
        /// The process.
        pid: i32,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The chain changed each time it was read.
    #[error("the ancestors of process {pid} keep changing")]
    Unstable {
        /// The process that was asked about.
        pid: i32,
    },
    /// The registry of launchers could not be read.
    #[error("failed to read the registry of launchers")]
    Registry {
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Says whether a process is a launcher or has one among its ancestors.
///
/// A launcher is one that registered itself (pid and start time), or any process of the running
/// executable whose first argument is [`LAUNCH_ARGUMENT`]: the second rule holds for launchers of
/// other stores too, and when a registry was emptied.
pub fn is_below_launcher(pid: i32, registry: &Path) -> Result<bool, AncestryError> {
    if is_hidden(pid) {
        return Ok(true);
    }
    for process in chain(pid)? {
        if is_registered(&process, registry)? || has_launcher_argv(process.pid)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Says whether a process is `ancestor` or below it; the start time tells it from a later owner of
/// the same pid.
pub fn descends_from(pid: i32, ancestor: i32, ancestor_start: u64) -> Result<bool, AncestryError> {
    Ok(chain(pid)?
        .iter()
        .any(|process| process.pid == ancestor && process.start_time == ancestor_start))
}

/// Returns the ancestors of a process, without itself.
pub fn above(pid: i32) -> Result<Vec<i32>, AncestryError> {
    Ok(chain(pid)?.iter().skip(1).map(|process| process.pid).collect())
}

/// Returns when a process started, in clock ticks since boot.
pub fn start_time(pid: i32) -> io::Result<u64> {
    Process::read(pid).map(|process| process.start_time)
}

/// Returns the number of a process's pid namespace.
///
/// A peer's pid means something only if the peer is in the asker's namespace: a caller that sits in
/// a container of its own has ancestors that cannot be followed from here.
pub fn pid_namespace(pid: i32) -> io::Result<u64> {
    fs_err::metadata(format!("/proc/{pid}/ns/pid")).map(|metadata| metadata.ino())
}

/// Returns a process and its ancestors, up to the first process of the namespace.
///
/// Each link is read twice: a process whose parent dies is handed to another parent, and the dead
/// one's pid may be given to a stranger. If after reading the parent the child still names it, the
/// parent that was read was the child's parent at that moment.
///
/// The chain ends at a parent of zero: pid 1, or a process that was put into this namespace from
/// outside (a shell in a container). What is above it cannot be seen, so a caller that must not
/// trust the namespace itself compares [`pid_namespace`] first.
fn chain(pid: i32) -> Result<Vec<Process>, AncestryError> {
    for _ in 0..MAX_WALKS {
        if let Some(chain) = walk(pid)? {
            return Ok(chain);
        }
    }
    Err(AncestryError::Unstable { pid })
}

/// Walks once; none when the chain changed underway.
fn walk(pid: i32) -> Result<Option<Vec<Process>>, AncestryError> {
    let mut child =
        Process::read(pid).map_err(|source| AncestryError::Unreadable { pid, source })?;
    let mut chain = vec![child];
    while child.parent > 0 {
        if chain.len() > MAX_DEPTH {
            return Ok(None);
        }
        let parent = Process::read(child.parent);
        match Process::read(child.pid) {
            Ok(again) if again.parent == child.parent && again.start_time == child.start_time => {}
            // The caller itself is gone: there is nobody to be refused or let through.
            Err(source) if child.pid == pid => {
                return Err(AncestryError::Unreadable { pid, source });
            }
            Ok(_) | Err(_) => return Ok(None),
        }
        child = parent.map_err(|source| AncestryError::Unreadable { pid: child.parent, source })?;
        chain.push(child);
    }
    Ok(Some(chain))
}

/// Says whether the registry holds this very process.
fn is_registered(process: &Process, registry: &Path) -> Result<bool, AncestryError> {
    match fs_err::read_to_string(registry.join(process.pid.to_string())) {
        // The file of an earlier owner of the pid, whose launcher was killed, does not count.
        Ok(start) => Ok(start.trim() == process.start_time.to_string()),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(AncestryError::Registry { source }),
    }
}

/// Says whether a process was started as a launcher of the running executable.
fn has_launcher_argv(pid: i32) -> Result<bool, AncestryError> {
    let argv = kernel_file::read(&format!("/proc/{pid}/cmdline"))
        .map_err(|source| AncestryError::Unreadable { pid, source })?;
    if argv.split(|byte| *byte == 0).nth(1) != Some(LAUNCH_ARGUMENT.as_bytes()) {
        return Ok(false);
    }
    let ours = fs_err::metadata("/proc/self/exe")
        .map_err(|source| AncestryError::Unreadable { pid, source })?;
    match fs_err::metadata(format!("/proc/{pid}/exe")) {
        Ok(theirs) => Ok((theirs.dev(), theirs.ino()) == (ours.dev(), ours.ino())),
        // It looks like a launcher and hides what it is: fail closed.
        Err(_) => Ok(true),
    }
}

/// Whether this process sees itself under another number than the process table does: it is in a
/// namespace of its own, where its ancestors cannot be told.
fn is_hidden(pid: i32) -> bool {
    let me = i32::try_from(std::process::id()).unwrap_or(-1);
    let listed = Path::new("/proc/self").read_link().ok();
    pid == me && listed.is_none_or(|name| name.as_os_str() != pid.to_string().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn me() -> i32 {
        i32::try_from(std::process::id()).unwrap()
    }

    #[test]
    fn a_process_without_a_launcher_above_it_is_let_through() {
        let registry = tempfile::tempdir().unwrap();
        assert!(!is_below_launcher(me(), registry.path()).unwrap());
    }

    #[test]
    fn a_registered_ancestor_counts_only_with_its_start_time() {
        let registry = tempfile::tempdir().unwrap();
        let parent = Process::read(Process::read(me()).unwrap().parent).unwrap();
        let file = registry.path().join(parent.pid.to_string());
        fs_err::write(&file, format!("{}\n", parent.start_time)).unwrap();
        assert!(is_below_launcher(me(), registry.path()).unwrap());
        fs_err::write(&file, format!("{}\n", parent.start_time + 1)).unwrap();
        assert!(!is_below_launcher(me(), registry.path()).unwrap());
    }

    #[test]
    fn an_unreadable_registry_or_process_is_an_error_and_not_a_no() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a-file");
        fs_err::write(&file, "").unwrap();
        assert!(matches!(is_below_launcher(me(), &file), Err(AncestryError::Registry { .. })));
        assert!(matches!(
            is_below_launcher(i32::MAX, folder.path()),
            Err(AncestryError::Unreadable { .. })
        ));
    }

    #[test]
    fn descent_is_told_from_a_later_owner_of_the_same_pid() {
        let parent = Process::read(Process::read(me()).unwrap().parent).unwrap();
        assert!(descends_from(me(), parent.pid, parent.start_time).unwrap());
        assert!(!descends_from(me(), parent.pid, parent.start_time + 1).unwrap());
        assert!(descends_from(me(), me(), start_time(me()).unwrap()).unwrap());
        assert!(!descends_from(parent.pid, me(), start_time(me()).unwrap()).unwrap());
    }

    #[test]
    fn a_child_shares_the_pid_namespace_of_its_parent() {
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let theirs = pid_namespace(i32::try_from(child.id()).unwrap()).unwrap();
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(theirs, pid_namespace(me()).unwrap());
    }
}
