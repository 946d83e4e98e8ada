//! The kernel's process table as `/proc` shows it: who a process is, and who is below it.
//!
//! A pid alone names nothing: it is given again as soon as its process is reaped. Everything here
//! therefore speaks of a [`Process`], a pid *with its start time*, and [`Process::signal`] cannot
//! hit a later owner of the same number.

pub mod ancestry;
pub(crate) mod kernel_file;
pub(crate) mod moved;

use std::io;
use std::path::PathBuf;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// One process, as its `stat` file had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: i32,
    /// Its parent's number, zero for a process whose parent is outside this pid namespace.
    pub parent: i32,
    /// Its process group.
    pub group: i32,
    /// Its session.
    pub session: i32,
    /// When it started, in clock ticks since boot.
    pub start_time: u64,
    /// Its state: `R`, `S`, `D`, `T`, `Z` and so on.
    pub state: char,
    /// Its threads.
    pub threads: u64,
    /// Memory that it has in use, in bytes.
    pub memory_bytes: u64,
    /// CPU time of itself and of the children it has waited for, in clock ticks.
    pub cpu_ticks: u64,
}

impl Process {
    /// Reads the process with this number.
    pub fn read(pid: i32) -> io::Result<Self> {
        let text = kernel_file::read(&format!("/proc/{pid}/stat"))?;
        parse_stat(&String::from_utf8_lossy(&text))
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "unreadable stat file"))
    }

    /// Says whether it is dead and only waits to be reaped.
    pub fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }

    /// Sends a signal to exactly this process; one that is gone is no error.
    ///
    /// The descriptor is opened first and the start time compared after: from then on the
    /// descriptor stands for this very process, whatever becomes of its number.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        let Some(pid) = Pid::from_raw(self.pid) else { return Ok(()) };
        let descriptor = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(descriptor) => descriptor,
            Err(rustix::io::Errno::SRCH) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        match Self::read(self.pid) {
            Ok(now) if now.start_time == self.start_time => {}
            // Gone, or another process by now.
            Ok(_) | Err(_) => return Ok(()),
        }
        match pidfd_send_signal(&descriptor, signal) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Reads one line of `/proc/<pid>/stat`.
///
/// The second field is the program's name in parentheses, and a program may call itself `a) R 1`:
/// only what follows the *last* closing parenthesis can be split.
fn parse_stat(text: &str) -> Option<Process> {
    let pid = text.split_once(' ')?.0.parse().ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    // `fields[0]` is field 3 of proc(5).
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        state: fields.first()?.chars().next()?,
        threads: number(20)?,
        start_time: number(22)?,
        // Field 24 counts pages, of 4 KiB on every machine that windlass is built for.
        memory_bytes: number(24).unwrap_or(0).saturating_mul(4096),
        cpu_ticks: number(14)? + number(15)? + number(16)? + number(17)?,
    })
}

/// Returns every process of this pid namespace.
pub fn all() -> io::Result<Vec<Process>> {
    let mut processes = Vec::new();
    for entry in fs_err::read_dir("/proc")? {
        let Ok(pid) = entry?.file_name().to_string_lossy().parse::<i32>() else { continue };
        // One that ended between the listing and the reading is not there.
        if let Ok(process) = Process::read(pid) {
            processes.push(process);
        }
    }
    Ok(processes)
}

/// Returns every process below `root`, dead ones that wait to be reaped included.
///
/// A walk along `children` files costs what the tree has threads, not what the machine has
/// processes. The kernel promises a complete list only for a tree that stands still, so one walk
/// may miss a process whose parent dies under it; whoever needs *all* of them walks again until
/// nothing new turns up, as the launcher's sweep does.
pub fn descendants(root: i32) -> io::Result<Vec<Process>> {
    if !PathBuf::from(format!("/proc/{root}/task/{root}/children")).exists() {
        return Ok(below(root, &all()?));
    }
    let mut found = Vec::new();
    let mut seen = std::collections::BTreeSet::from([root]);
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for child in children(parent) {
            if !seen.insert(child) {
                continue;
            }
            if let Ok(process) = Process::read(child) {
                found.push(process);
                open.push(child);
            }
        }
    }
    Ok(found)
}

/// Returns the pids of a process's children, of all its threads; none when it is gone.
fn children(pid: i32) -> Vec<i32> {
    let mut pids = Vec::new();
    let Ok(threads) = fs_err::read_dir(format!("/proc/{pid}/task")) else { return pids };
    for thread in threads.flatten() {
        if let Ok(list) = fs_err::read_to_string(thread.path().join("children")) {
            pids.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
        }
    }
    pids
}

/// Picks from a listing of all processes those below `root`: for kernels without `children` files.
fn below(root: i32, all: &[Process]) -> Vec<Process> {
    let mut found: Vec<Process> = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for process in all.iter().filter(|process| process.parent == parent) {
            found.push(*process);
            open.push(process.pid);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32) -> Process {
        Process {
            pid,
            parent,
            group: 1,
            session: 1,
            start_time: 1,
            state: 'S',
            threads: 1,
            memory_bytes: 0,
            cpu_ticks: 0,
        }
    }

    #[test]
    fn a_program_name_cannot_forge_the_fields_behind_it() {
        let line = "42 (x) R 1 1 (y) S 7 8 9 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 5 0 12345 1 2";
        let read = parse_stat(line).unwrap();
        assert_eq!(
            read,
            Process {
                pid: 42,
                parent: 7,
                group: 8,
                session: 9,
                start_time: 12345,
                state: 'S',
                threads: 5,
                memory_bytes: 8192,
                cpu_ticks: 100,
            }
        );
    }

    #[test]
    fn a_listing_gives_the_whole_tree_below_a_process_and_nothing_else() {
        let all = [process(1, 0), process(2, 1), process(3, 2), process(4, 3), process(5, 1)];
        let mut pids: Vec<i32> = below(2, &all).iter().map(|process| process.pid).collect();
        pids.sort_unstable();
        assert_eq!(pids, [3, 4]);
    }

    #[test]
    fn a_signal_for_an_earlier_owner_of_a_pid_is_not_delivered() {
        let me = i32::try_from(std::process::id()).unwrap();
        let mut earlier = Process::read(me).unwrap();
        earlier.start_time -= 1;
        // Delivered, it would end this test.
        earlier.signal(Signal::KILL).unwrap();
    }
}
