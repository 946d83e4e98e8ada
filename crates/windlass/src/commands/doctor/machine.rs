//! What the machine gives: git, limits, free disk.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::process::{Resource, getrlimit};
use windlass_engine::git::git_version;
use windlass_engine::home::Home;
use windlass_engine::launcher::{CgroupSupport, cgroup_support};

use super::Finding;
use super::layers::{shown, used};

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
    let mut findings: Vec<Finding> =
        folders.into_iter().map(|(what, folder)| disk(what, folder)).collect();
    let sizes = folders.map(|(what, folder)| (what, used(folder)));
    let words = sizes.map(|(what, bytes)| format!("{what} {}", shown(bytes)));
    let all: u64 = sizes.iter().map(|(_, bytes)| bytes).sum();
    let detail = serde_json::json!({
        "bytes": all, "state": sizes[0].1, "cache": sizes[1].1, "data": sizes[2].1,
    });
    let says = format!(
        "{} for all repositories: {}; `windlass place prune` removes what ended runs left",
        shown(all),
        words.join(", ")
    );
    findings.push(Finding::ok("used", says).with(detail));
    findings
}

fn disk(what: &'static str, folder: &Path) -> Finding {
    let existing = folder.ancestors().find(|ancestor| ancestor.is_dir());
    // A home that is not there would be made anew, where nobody looks for it.
    let home = std::env::var_os("HOME").map(PathBuf::from);
    if let Some(home) = home.filter(|home| folder.starts_with(home) && !home.is_dir()) {
        return Finding::problem(
            what,
            format!("{}: your home `{}` is not there", folder.display(), home.display()),
            "set HOME to a folder that is there",
        );
    }
    let writable = |folder: &Path| access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    if let Some(closed) = existing.filter(|existing| !writable(existing)) {
        return Finding::problem(
            what,
            format!("{}: you may not write in `{}`", folder.display(), closed.display()),
            "chmod u+w it, or set WINDLASS_HOME, XDG_CACHE_HOME and XDG_DATA_HOME to other folders",
        );
    }
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
