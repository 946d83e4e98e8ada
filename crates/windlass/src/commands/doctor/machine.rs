//! What the machine gives: git, limits, free disk.

use std::path::Path;

use rustix::process::{Resource, getrlimit};
use windlass_engine::git::git_version;
use windlass_engine::home::Home;
use windlass_engine::launcher::{CgroupSupport, cgroup_support};

use super::Finding;

/// Below this, a run may not get far.
const LITTLE_DISK_BYTES: u64 = 1 << 30;

/// Builds and language servers open this many files easily.
const FEW_FILES: u64 = 1024;

/// A build with this many processes is nothing special.
const FEW_PROCESSES: u64 = 1024;

pub(super) fn git() -> Finding {
    match git_version() {
        // Whether it is new enough is said where the repository is looked at.
        Ok(version) => Finding::ok("git", version),
        Err(error) => Finding::problem("git", error.to_string(), "apt-get install git"),
    }
}

pub(super) fn limits() -> Vec<Finding> {
    let limit = |what, resource, few, flag: &str, noun: &str| {
        let current = getrlimit(resource).current;
        match current {
            Some(count) if count < few => Finding::warning(
                what,
                format!("only {count} {noun}: builds may fail for no other reason"),
                format!("ulimit {flag} {few}"),
            ),
            Some(count) => Finding::ok(what, format!("{count} {noun}")),
            None => Finding::ok(what, format!("any number of {noun}")),
        }
    };
    let cgroups = match cgroup_support() {
        CgroupSupport::Bounded => {
            Finding::ok("cgroups", "the kernel bounds the processes of an attempt")
        }
        CgroupSupport::Killable => {
            Finding::ok("cgroups", "an attempt ends at once; its processes are counted by windlass")
        }
        CgroupSupport::None => Finding::ok(
            "cgroups",
            "none can be made here: windlass itself watches and ends an attempt's processes",
        ),
    };
    vec![
        limit("open files", Resource::Nofile, FEW_FILES, "-n", "open files per process"),
        limit("processes", Resource::Nproc, FEW_PROCESSES, "-u", "processes of yours"),
        cgroups,
    ]
}

pub(super) fn folders(home: &Home) -> Vec<Finding> {
    let folders = [("state", &home.state), ("cache", &home.cache), ("data", &home.data)];
    folders.into_iter().map(|(what, folder)| disk(what, folder)).collect()
}

fn disk(what: &'static str, folder: &Path) -> Finding {
    let existing = folder.ancestors().find(|ancestor| ancestor.is_dir());
    let free = existing.and_then(|folder| rustix::fs::statvfs(folder).ok());
    let free = free.map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    let shown = folder.display();
    let prune = "`windlass place prune` removes the places of ended runs";
    match free {
        Some(bytes) if bytes < LITTLE_DISK_BYTES => {
            Finding::warning(what, format!("{shown}: only {} MiB free", bytes >> 20), prune)
        }
        Some(bytes) => Finding::ok(what, format!("{shown}: {} GiB free", bytes >> 30)),
        None => Finding::warning(
            what,
            format!("{shown}: its free room cannot be found out"),
            format!("df {shown}"),
        ),
    }
}
