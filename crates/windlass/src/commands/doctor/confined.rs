//! What this machine lets windlass enforce, found out by doing all of it once, and what is missing.

use std::path::Path;

use windlass_core::config::Sandbox;
use windlass_engine::home::{Home, canonical};
use windlass_engine::launcher::confine;
use windlass_engine::level::{Level, probe};

use super::Finding;

/// What `statfs` says of a disk that is an overlay itself.
const OVERLAY_MAGIC: rustix::fs::FsWord = 0x794c_7630;

/// Builds a whole view with layers where they really go.
pub(super) fn level(home: &Home, sandbox: Sandbox) -> Level {
    if sandbox == Sandbox::Off {
        return Level::None { why: "`sandbox: off` in your configuration".to_owned() };
    }
    match std::env::current_exe() {
        Ok(exe) => probe(&exe, &home.cache),
        Err(error) => Level::None { why: error.to_string() },
    }
}

/// Says what is enforced, and what to allow where that is not all.
pub(super) fn look(level: &Level, home: &Home, sandbox: Sandbox) -> Vec<Finding> {
    let confinement = match level {
        Level::Namespaces => boxed(confine::scopes()),
        Level::Landlock { why } => Finding::warning(
            "confinement",
            format!(
                "landlock only ({why}): agents and checks read and write files by list, and reach your \
                 sockets and the network; checks run in copies"
            ),
            advice(why, &Machine::look(&home.cache), sandbox),
        ),
        Level::None { why } => Finding::warning(
            "confinement",
            format!("none ({why}): an agent can read and write whatever you can"),
            advice(why, &Machine::look(&home.cache), sandbox),
        ),
    };
    let mut findings = vec![confinement, network(level)];
    if *level == Level::Namespaces
        && let Some(why) = no_layers_over_places(home)
    {
        findings.push(places(&why, &home.data));
    }
    findings
}

/// Says why a place cannot be put over other folders: it may lie on another disk than the layers.
fn no_layers_over_places(home: &Home) -> Option<String> {
    // Nothing is made only to be looked at.
    if let Some(there) = home.data.ancestors().find(|folder| folder.is_dir())
        && there != home.data
    {
        let words = || "this disk is an overlay, which takes no layers of others".to_owned();
        return is_overlay(there).then(words);
    }
    match probe(&std::env::current_exe().ok()?, &home.data) {
        Level::Namespaces => None,
        Level::Landlock { why } | Level::None { why } => Some(why),
    }
}

fn places(why: &str, data: &Path) -> Finding {
    Finding::warning(
        "places",
        format!(
            "no layers can be put where agents work ({why}): they do not see the folders that are \
             copied from your checkout for checks"
        ),
        format!("put a volume at {}, or set XDG_DATA_HOME to a folder on one", data.display()),
    )
}

fn is_overlay(folder: &Path) -> bool {
    rustix::fs::statfs(canonical(folder)).is_ok_and(|disk| disk.f_type == OVERLAY_MAGIC)
}

/// Says what boxes hold, with or without the scopes of Landlock.
fn boxed(scopes: Result<(), String>) -> Finding {
    let says =
        "namespaces: agents run in boxes and checks in rooms, with what is listed and nothing else";
    match scopes {
        Ok(()) => Finding::ok("confinement", says),
        Err(why) => Finding::warning(
            "confinement",
            format!(
                "{says}; but with the machine's network they reach its abstract sockets, such as \
                 those of a desktop ({why})"
            ),
            "say `network: provider` in steps, or use a kernel with landlock abi 6 (Linux 6.12)",
        ),
    }
}

fn network(level: &Level) -> Finding {
    Finding::open(
        "network",
        match level {
            Level::Namespaces => {
                "attempts reach all that you reach, unless a step says `network: provider` (recommended): \
                 its model's hosts and those that you list, and no service of this machine"
            }
            Level::Landlock { .. } | Level::None { .. } => {
                "attempts reach all that you reach: without namespaces `network: provider`, which is \
                 recommended, cannot be kept"
            }
        },
    )
}

/// What can be read of the kernel's and the container's settings.
#[derive(Debug, Default)]
struct Machine {
    apparmor_restricts: bool,
    clone_forbidden: bool,
    no_namespaces_left: bool,
    in_container: bool,
    /// Parts of `/proc` have something mounted over them, so that no new one may be mounted.
    proc_is_masked: bool,
    /// The folder of the layers is on an overlay, which takes no upper layer.
    cache_is_overlay: bool,
    cache: String,
}

impl Machine {
    fn look(cache: &Path) -> Self {
        let number = |name: &str| {
            let text = fs_err::read_to_string(Path::new("/proc/sys").join(name)).ok()?;
            text.trim().parse::<u64>().ok()
        };
        let mounts = fs_err::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        Self {
            apparmor_restricts: number("kernel/apparmor_restrict_unprivileged_userns") == Some(1),
            clone_forbidden: number("kernel/unprivileged_userns_clone") == Some(0),
            no_namespaces_left: number("user/max_user_namespaces") == Some(0),
            in_container: is_container(),
            proc_is_masked: mounts
                .lines()
                .filter_map(|line| line.split(' ').nth(4))
                .any(|at| at.starts_with("/proc/") && !at.starts_with("/proc/sys/fs/")),
            cache_is_overlay: is_overlay(cache),
            cache: cache.display().to_string(),
        }
    }
}

fn is_container() -> bool {
    ["/.dockerenv", "/run/.containerenv"].iter().any(|file| Path::new(file).exists())
        || std::env::var_os("container").is_some_and(|kind| !kind.is_empty())
}

/// What to allow, by what was found; the general list where nothing was.
fn advice(why: &str, machine: &Machine, sandbox: Sandbox) -> String {
    if sandbox == Sandbox::Off {
        return "take `sandbox: off` out of your configuration".to_owned();
    }
    if why.contains("WINDLASS_NO_NAMESPACES") {
        return "unset WINDLASS_NO_NAMESPACES".to_owned();
    }
    let mut found = Vec::new();
    if machine.apparmor_restricts {
        found.push("sysctl kernel.apparmor_restrict_unprivileged_userns=0".to_owned());
    }
    if machine.clone_forbidden {
        found.push("sysctl kernel.unprivileged_userns_clone=1".to_owned());
    }
    if machine.no_namespaces_left {
        found.push("sysctl user.max_user_namespaces=15000".to_owned());
    }
    if machine.cache_is_overlay {
        found.push(format!(
            "put a volume or a tmpfs at {}: this disk is an overlay, which takes no layers of others",
            machine.cache
        ));
    }
    if machine.in_container && machine.proc_is_masked {
        found.push(
            "start the container with an unmasked /proc (`--security-opt systempaths=unconfined`)"
                .to_owned(),
        );
    }
    if machine.in_container {
        found.push(
            "let the container make user namespaces (`--security-opt seccomp=unconfined`, or a \
             profile that allows unshare and mount)"
                .to_owned(),
        );
    }
    if found.is_empty() {
        found.push(
            "allow user namespaces with mounts in them: no setting that could be read forbids them, so \
             look at the security module (`dmesg`) and at how this session was started"
                .to_owned(),
        );
    }
    found.join("; and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(machine: &Machine) -> String {
        advice("mount: EPERM", machine, Sandbox::Prefer)
    }

    #[test]
    fn what_is_to_be_allowed_goes_by_what_was_found() {
        let desktop = told(&Machine { apparmor_restricts: true, ..Machine::default() });
        assert_eq!(desktop, "sysctl kernel.apparmor_restrict_unprivileged_userns=0");
        let container = told(&Machine {
            in_container: true,
            proc_is_masked: true,
            cache_is_overlay: true,
            cache: "/root/.cache/windlass".to_owned(),
            ..Machine::default()
        });
        for part in ["a volume or a tmpfs at /root/.cache/windlass", "unmasked /proc", "seccomp"] {
            assert!(container.contains(part), "{part}: {container}");
        }
        assert!(!container.contains("sysctl"), "{container}");
        // A masked /proc is the container's doing; elsewhere binfmt and the like are mounted there.
        let unknown = told(&Machine { proc_is_masked: true, ..Machine::default() });
        assert!(unknown.contains("no setting that could be read"), "{unknown}");
    }

    #[test]
    fn what_landlock_does_not_cover_is_told() {
        assert_eq!(boxed(Ok(())).fix, None);
        let open = boxed(Err("landlock abi 4 does not cover abstract sockets".to_owned()));
        assert!(open.says.contains("landlock abi 4"), "{}", open.says);
        assert!(open.fix.is_some_and(|fix| fix.contains("network: provider")));
    }

    #[test]
    fn a_disk_without_layers_for_places_is_told_with_its_folder() {
        let found = places("overlay", Path::new("/root/.local/share/windlass"));
        assert!(
            found.says.contains("(overlay)") && found.says.contains("copied"),
            "{}",
            found.says
        );
        let fix = found.fix.unwrap();
        assert!(fix.contains("a volume at /root/.local/share/windlass"), "{fix}");
    }

    #[test]
    fn whoever_switched_it_off_is_told_so() {
        let machine = Machine { clone_forbidden: true, ..Machine::default() };
        assert!(advice("x", &machine, Sandbox::Off).contains("sandbox: off"));
        let why = "WINDLASS_NO_NAMESPACES is set";
        assert_eq!(advice(why, &machine, Sandbox::Prefer), "unset WINDLASS_NO_NAMESPACES");
    }
}
