//! Cgroups where they may be made: a bound on tasks that holds by itself, and a kill that misses
//! nobody.
//!
//! Two hierarchies may be there, and each gives one thing. Version 2 has `cgroup.kill`, which ends a
//! whole group at once, forks in flight included. A `pids` controller, in version 2 where it was
//! delegated or in version 1 for root, refuses the fork that would go past the limit. Neither is
//! needed for the promise that nothing survives, which rests on the sweep alone: so whatever fails
//! here is let go, and the report says what holds the number of processes instead.
//!
//! A cgroup's folder must be removed by somebody. The launcher does it when it ends, and the engine
//! for a launcher that was killed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::launcher::timespec;

/// The kernel bounds *tasks*, which are threads, and the policy bounds processes. Runtimes start
/// some ten threads each, so a kernel bound at the policy's number would break honest builds; at
/// eight times that it still stops a bomb, and the launcher's watch counts the processes exactly.
const TASKS_PER_PROCESS: u64 = 8;

/// How often the removal of a cgroup whose last member has just died is tried.
const REMOVE_TRIES: u32 = 50;

/// Returns the number of tasks that the kernel is told to allow for so many processes.
pub(super) fn task_limit(processes: u32) -> u64 {
    u64::from(processes).saturating_mul(TASKS_PER_PROCESS)
}

/// What cgroups give here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The kernel bounds the number of processes.
    Bounded,
    /// A group can be killed at once; its number of processes is only watched.
    Killable,
    /// None can be made.
    None,
}

/// Tries what cgroups give to a launch, and leaves nothing behind.
pub fn support() -> Support {
    let tried = Cgroups::create(&format!("windlass-probe-{}", std::process::id()), 1);
    match (tried.is_limited(), tried.folders.is_empty()) {
        (true, _) => Support::Bounded,
        (false, false) => Support::Killable,
        (false, true) => Support::None,
    }
}

/// The cgroups of one launch.
#[derive(Default)]
pub(super) struct Cgroups {
    /// The folders that were made.
    pub(super) folders: Vec<PathBuf>,
    /// The one among them with a `pids.max`.
    limited: Option<PathBuf>,
}

impl Cgroups {
    /// Makes what can be made below the cgroups that this process is in.
    pub(super) fn create(name: &str, processes: u32) -> Self {
        let mut cgroups = Self::default();
        for home in homes() {
            if home.version == Version::Two {
                // Fails with EBUSY where this process's own cgroup must stay a leaf.
                let _ = fs_err::write(home.folder.join("cgroup.subtree_control"), "+pids");
            }
            let folder = home.folder.join(name);
            if fs_err::create_dir(&folder).is_err() {
                continue;
            }
            let limit = task_limit(processes).to_string();
            if cgroups.limited.is_none() && fs_err::write(folder.join("pids.max"), limit).is_ok() {
                cgroups.limited = Some(folder.clone());
            }
            cgroups.folders.push(folder);
        }
        cgroups
    }

    /// Opens the files through which a child puts itself into the groups.
    pub(super) fn doors(&self) -> Vec<fs_err::File> {
        let open = |folder: &PathBuf| {
            fs_err::OpenOptions::new().write(true).open(folder.join("cgroup.procs")).ok()
        };
        self.folders.iter().filter_map(open).collect()
    }

    /// Takes in that the program is not in all of them. What is left is to kill and remove them.
    pub(super) fn bounds_nothing(&mut self) {
        self.limited = None;
    }

    #[cfg(test)]
    pub(super) fn with_limit(limited: PathBuf) -> Self {
        Self { folders: Vec::new(), limited: Some(limited) }
    }

    /// Says whether the kernel bounds the number of tasks.
    pub(super) fn is_limited(&self) -> bool {
        self.limited.is_some()
    }

    /// Returns how many forks the kernel has refused.
    pub(super) fn refused_forks(&self) -> u64 {
        let events = self.limited.as_ref().map(|folder| folder.join("pids.events"));
        let text = events.and_then(|path| fs_err::read_to_string(path).ok()).unwrap_or_default();
        text.lines().find_map(|line| line.strip_prefix("max ")?.trim().parse().ok()).unwrap_or(0)
    }

    /// Kills every member at once, where the kernel can.
    pub(super) fn kill(&self) {
        for folder in &self.folders {
            let _ = fs_err::write(folder.join("cgroup.kill"), "1");
        }
    }
}

impl Drop for Cgroups {
    fn drop(&mut self) {
        remove(&self.folders);
    }
}

/// Puts the calling process into a group.
pub(super) fn enter(door: &mut fs_err::File) -> std::io::Result<()> {
    door.write_all(b"0")
}

/// Returns the pids of all members.
pub(crate) fn members(folders: &[PathBuf]) -> Vec<i32> {
    let read = |folder: &PathBuf| fs_err::read_to_string(folder.join("cgroup.procs")).ok();
    let lists: Vec<String> = folders.iter().filter_map(read).collect();
    lists.iter().flat_map(|list| list.lines()).filter_map(|line| line.trim().parse().ok()).collect()
}

/// Removes emptied groups.
pub(crate) fn remove(folders: &[PathBuf]) {
    for folder in folders {
        for _ in 0..REMOVE_TRIES {
            // The kernel lets go of a dead member a moment after it was reaped, and says so nowhere.
            if fs_err::remove_dir(folder).is_ok() || !folder.exists() {
                break;
            }
            let _ = rustix::event::poll(&mut [], Some(&timespec(Duration::from_millis(2))));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// A cgroup that this process is in.
#[derive(Debug, PartialEq, Eq)]
struct Home {
    version: Version,
    folder: PathBuf,
}

/// Finds the version 2 cgroup and the version 1 `pids` cgroup of this process.
fn homes() -> Vec<Home> {
    let mounts = fs_err::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let membership = fs_err::read_to_string("/proc/self/cgroup").unwrap_or_default();
    homes_in(&mounts, &membership)
}

fn homes_in(mounts: &str, membership: &str) -> Vec<Home> {
    let mut homes = Vec::new();
    for line in mounts.lines() {
        // ... root mount-point options optional* - type source super-options
        let Some((left, right)) = line.split_once(" - ") else { continue };
        let left: Vec<&str> = left.split(' ').collect();
        let right: Vec<&str> = right.split(' ').collect();
        let (Some(root), Some(point)) = (left.get(3), left.get(4)) else { continue };
        let (version, path) = match right.first() {
            Some(&"cgroup2") => (Version::Two, own_path(membership, "")),
            Some(&"cgroup") if right.get(2).is_some_and(|options| has_word(options, "pids")) => {
                (Version::One, own_path(membership, "pids"))
            }
            _ => continue,
        };
        let Some(path) = path else { continue };
        // A mount may show only a part of the hierarchy; a membership outside it is out of reach.
        let Ok(inside) = Path::new(path).strip_prefix(root) else { continue };
        homes.push(Home { version, folder: Path::new(point).join(inside) });
    }
    homes
}

/// Returns this process's path in the hierarchy of a controller, or in version 2 for none.
fn own_path<'a>(membership: &'a str, controller: &str) -> Option<&'a str> {
    membership.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        has_word(controllers, controller).then_some(path)
    })
}

fn has_word(list: &str, word: &str) -> bool {
    list.split(',').any(|entry| entry == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_hierarchies_are_found_where_this_process_sits_in_them() {
        let mounts = "\
            30 20 0:26 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw\n\
            31 20 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
            32 20 0:28 /box /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
            33 20 0:29 / /proc rw - proc proc rw\n";
        let membership = "9:pids:/box/inner\n8:cpu,cpuacct:/\n0::/user.slice/a.scope\n";
        assert_eq!(
            homes_in(mounts, membership),
            [
                Home {
                    version: Version::Two,
                    folder: "/sys/fs/cgroup/unified/user.slice/a.scope".into()
                },
                Home { version: Version::One, folder: "/sys/fs/cgroup/pids/inner".into() },
            ]
        );
    }

    #[test]
    fn a_membership_outside_the_mounted_part_is_out_of_reach() {
        let mounts = "30 20 0:26 /pod/a /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        assert_eq!(homes_in(mounts, "0::/pod/b\n"), []);
    }
}
