//! The program's start: everything that happens to it between fork and exec.
//!
//! All that can fail with a reason worth telling is prepared in the launcher before the fork. What
//! is left for the child is a fixed list of system calls, and each has a name that comes back when
//! it fails.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use landlock::RulesetCreated;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, geteuid, getpid, getppid, set_parent_process_death_signal,
    setrlimit, setsid,
};
use seccompiler::BpfProgram;
use windlass_core::proof::BOXED;

use super::cgroup::{self, Cgroups};
use super::confine;
use super::namespace::{self, Ends, Inside};
use super::os;
use super::policy::{CgroupUse, ConfinementMode, LaunchPolicy, MARKER_VARIABLE};
use super::rights;
use super::seccomp::{self, Around};
use super::view::{Mount, Rights, View, ViewNetwork};
use crate::process_table as table;
use crate::proxy::ProxyChild;

/// A program that runs.
pub(super) struct RunningChild {
    /// Its number; in a view that of its init.
    pub(super) pid: Pid,
    /// Tells how it ended, where only its init can know.
    pub(super) ends: Option<Ends>,
    /// Its way out, where its network is its own.
    pub(super) proxy: Option<ProxyChild>,
    pub(super) cgroups: Cgroups,
    pub(super) bounds: Bounds,
}

/// What is enforced on a program, in words for its record.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    pub(super) confinement: String,
    pub(super) confined: bool,
    pub(super) process_limit: String,
}

/// Where a program's three streams lead.
pub(super) struct Streams {
    pub(super) stdin: Stdio,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// Starts the program, or says in words why it could not be started.
pub(super) fn start(
    policy: &LaunchPolicy,
    marker: &str,
    streams: Streams,
) -> Result<RunningChild, String> {
    let cgroups = match policy.cgroups {
        CgroupUse::Auto => {
            let name = format!("windlass-{}-{marker}", getpid().as_raw_nonzero());
            Cgroups::create(&name, policy.limits.processes)
        }
        CgroupUse::Never => Cgroups::default(),
    };
    match &policy.view {
        Some(view) => start_in_view(policy, view, streams, cgroups),
        None => start_here(policy, marker, streams, cgroups),
    }
}

/// Starts the program in namespaces of its own.
fn start_in_view(
    policy: &LaunchPolicy,
    view: &View,
    streams: Streams,
    mut cgroups: Cgroups,
) -> Result<RunningChild, String> {
    let scopes = confine::scopes();
    if policy.confinement.mode == ConfinementMode::Require
        && view.network == ViewNetwork::Host
        && let Err(why) = &scopes
    {
        return Err(format!(
            "confinement is required, and a program with the machine's network would reach its \
             abstract sockets: {why}"
        ));
    }
    let Inside { pid, ends, proxy, in_groups } = namespace::start(policy, view, streams, &cgroups)?;
    if !in_groups {
        cgroups.bounds_nothing();
    }
    let limits = resource_limits(policy, &cgroups);
    let bounds = Bounds {
        confinement: in_words(view, policy.proxy.is_some(), &scopes),
        confined: true,
        process_limit: describe_process_limit(policy, &cgroups, &limits),
    };
    Ok(RunningChild { pid, ends: Some(ends), proxy, cgroups, bounds })
}

/// Says what holds a program in a view, for its record.
fn in_words(view: &View, has_proxy: bool, scopes: &Result<(), String>) -> String {
    let network = match (view.network, has_proxy) {
        (ViewNetwork::Host, _) => "network of the machine",
        (ViewNetwork::Own, false) => "loopback only",
        (ViewNetwork::Own, true) => "hosts by list, through the proxy",
    };
    let writes = view.mounts.iter().filter(|mount| matches!(mount, Mount::Writable { .. }));
    let sockets = match (view.network, scopes) {
        (ViewNetwork::Own, _) => String::new(),
        (ViewNetwork::Host, Ok(())) => "; abstract sockets stay inside".to_owned(),
        (ViewNetwork::Host, Err(why)) => {
            format!("; abstract sockets of the machine open ({why})")
        }
    };
    format!(
        "{BOXED} {} mounts by list, {} of them writable; no other process, {network}{sockets}; \
         seccomp",
        view.mounts.len(),
        writes.count()
    )
}

/// Starts the program where the launcher is, confined by Landlock alone.
fn start_here(
    policy: &LaunchPolicy,
    marker: &str,
    streams: Streams,
    mut cgroups: Cgroups,
) -> Result<RunningChild, String> {
    let Some((program, arguments)) = policy.argv.split_first() else {
        return Err("there is no program to start".to_owned());
    };
    // Exec answers ENOENT for a missing folder and a missing program alike.
    if !policy.cwd.is_dir() {
        return Err(format!("the working directory `{}` is not there", policy.cwd.display()));
    }
    let (ruleset, mut bounds) = confinement(policy)?;
    let limits = resource_limits(policy, &cgroups);
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&policy.cwd)
        .env_clear()
        .envs(policy.env.iter().map(|(name, value)| (name, value)))
        .env(MARKER_VARIABLE, marker)
        .stdin(streams.stdin)
        .stdout(streams.stdout)
        .stderr(streams.stderr);
    // What Landlock does not cover: limits of other processes, keys of the session, a terminal.
    let around = Around::Landlock(policy.confinement.network);
    let filter = ruleset.as_ref().map(|_| seccomp::filter(Rights::Users, around)).transpose()?;
    let (mut birth, trouble) = Birth::new(cgroups.doors(), limits.clone(), ruleset, filter)?;
    // Root has what it takes to leave: other programs' memory, devices, raw packets.
    birth.gives_up = birth.ruleset.is_some() && geteuid().is_root();
    let (spawned, words) = birth.start(command, trouble);
    if words.contains(NOT_IN_CGROUP) {
        cgroups = Cgroups::default();
    }
    let child = spawned.map_err(|error| told(program, &words, &error))?;
    bounds.process_limit = describe_process_limit(policy, &cgroups, &limits);
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // From here on the launcher waits for *any* child by itself; `Child` has no destructor that
    // would interfere.
    let pid = pid.ok_or_else(|| "the kernel gave no pid".to_owned())?;
    Ok(RunningChild { pid, ends: None, proxy: None, cgroups, bounds })
}

/// Starts the program of a view, from its init; an error says why it could not be started.
pub(super) fn start_below_init(
    policy: &LaunchPolicy,
    ruleset: Option<RulesetCreated>,
    filter: BpfProgram,
    streams: Streams,
) -> Result<i32, String> {
    let Some((program, arguments)) = policy.argv.split_first() else {
        return Err("there is no program to start".to_owned());
    };
    if !policy.cwd.is_dir() {
        return Err(format!("the working directory `{}` is not there", policy.cwd.display()));
    }
    let limits = resource_limits(policy, &Cgroups::default());
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&policy.cwd)
        .env_clear()
        .envs(policy.env.iter().map(|(name, value)| (name, value)))
        .stdin(streams.stdin)
        .stdout(streams.stdout)
        .stderr(streams.stderr);
    let (birth, trouble) = Birth::new(Vec::new(), limits, ruleset, Some(filter))?;
    let (spawned, words) = birth.start(command, trouble);
    let child = spawned.map_err(|error| told(program, &words, &error))?;
    i32::try_from(child.id()).map_err(|error| error.to_string())
}

/// Says which step of a start failed.
fn told(program: &str, words: &str, error: &io::Error) -> String {
    match words.lines().find(|line| *line != NOT_IN_CGROUP) {
        Some(step) => format!("failed to {step} for `{program}`: {error}"),
        None => format!("failed to start `{program}`: {error}"),
    }
}

/// Prepares the confinement that the policy asks for.
fn confinement(policy: &LaunchPolicy) -> Result<(Option<RulesetCreated>, Bounds), String> {
    let open = |words: String| Bounds { confinement: words, ..Bounds::default() };
    if policy.confinement.mode == ConfinementMode::Off {
        return Ok((None, open("none: switched off".to_owned())));
    }
    match confine::prepare(&policy.confinement) {
        Ok(ready) => {
            let bounds = Bounds { confinement: ready.words, confined: true, ..Bounds::default() };
            Ok((Some(ready.ruleset), bounds))
        }
        Err(error) if policy.confinement.mode == ConfinementMode::Require => {
            Err(format!("confinement is required and not possible: {error}"))
        }
        Err(error) => Ok((None, open(format!("none: {error}")))),
    }
}

/// Works out the resource limits of the program, inherited by everything below it.
fn resource_limits(policy: &LaunchPolicy, cgroups: &Cgroups) -> Vec<(Resource, u64, u64)> {
    let limits = &policy.limits;
    // No core dumps: they would fill the place with the agent's memory.
    let mut list = vec![(Resource::Core, 0, 0)];
    if let Some(bytes) = limits.file_size_bytes {
        list.push((Resource::Fsize, bytes, bytes));
    }
    if let Some(seconds) = limits.cpu_seconds {
        // A second between the signal that can be told apart (XCPU) and the one that cannot be caught.
        list.push((Resource::Cpu, seconds, seconds.saturating_add(1)));
    }
    if let Some(files) = limits.open_files {
        list.push((Resource::Nofile, files, files));
    }
    // Counts the whole user's tasks, so it is only the second choice; it does not bind root.
    if !cgroups.is_limited() && !geteuid().is_root() {
        let most = tasks_of_this_user() + cgroup::task_limit(limits.processes);
        list.push((Resource::Nproc, most, most));
    }
    list
}

/// Counts the tasks that the kernel counts against this user.
fn tasks_of_this_user() -> u64 {
    use std::os::unix::fs::MetadataExt;
    let uid = geteuid().as_raw();
    let ours = |pid: i32| {
        fs_err::metadata(format!("/proc/{pid}")).is_ok_and(|metadata| metadata.uid() == uid)
    };
    let all = table::all().unwrap_or_default();
    all.iter().filter(|process| ours(process.pid)).map(|process| process.threads).sum()
}

fn describe_process_limit(
    policy: &LaunchPolicy,
    cgroups: &Cgroups,
    limits: &[(Resource, u64, u64)],
) -> String {
    let kernel = if cgroups.is_limited() {
        format!("cgroup pids at {} tasks", cgroup::task_limit(policy.limits.processes))
    } else if limits.iter().any(|(resource, ..)| *resource == Resource::Nproc) {
        "resource limit on the user's tasks".to_owned()
    } else {
        "no limit in the kernel".to_owned()
    };
    format!("{} processes by the launcher's watch; {kernel}", policy.limits.processes)
}

/// What the child says when it could not enter a cgroup, which alone does not stop it.
const NOT_IN_CGROUP: &str = "enter its cgroup";

/// The child's own part of its start.
struct Birth {
    launcher: Pid,
    doors: Vec<fs_err::File>,
    limits: Vec<(Resource, u64, u64)>,
    ruleset: Option<RulesetCreated>,
    filter: Option<BpfProgram>,
    /// Whether it gives up capabilities; init has done so for all that it starts.
    gives_up: bool,
    report: UnixStream,
}

impl Birth {
    /// Returns the child's part, and the end at which it says what went wrong.
    fn new(
        doors: Vec<fs_err::File>,
        limits: Vec<(Resource, u64, u64)>,
        ruleset: Option<RulesetCreated>,
        filter: Option<BpfProgram>,
    ) -> Result<(Self, UnixStream), String> {
        let (trouble, report) = UnixStream::pair().map_err(|error| error.to_string())?;
        trouble.set_nonblocking(true).map_err(|error| error.to_string())?;
        let (launcher, gives_up) = (getpid(), false);
        Ok((Self { launcher, doors, limits, ruleset, filter, gives_up, report }, trouble))
    }

    /// Starts the command; returns what the child said on the way, too.
    fn start(
        mut self,
        mut command: Command,
        mut trouble: UnixStream,
    ) -> (io::Result<Child>, String) {
        // SAFETY: the launcher is a process of its own that starts no thread.
        #[expect(
            unsafe_code,
            reason = "the precondition of `before_exec` is this caller's to hold"
        )]
        unsafe {
            os::before_exec(&mut command, move || self.run());
        }
        let spawned = command.spawn();
        // The child's end of `report` lives in the closure; without it the read below ends.
        drop(command);
        let mut words = String::new();
        let _ = trouble.read_to_string(&mut words);
        (spawned, words)
    }

    fn run(&mut self) -> io::Result<()> {
        // A session of its own: no terminal, and a group that the launcher can signal.
        setsid().map_err(|error| self.failed("make a session", error.into()))?;
        set_parent_process_death_signal(Some(Signal::KILL))
            .map_err(|error| self.failed("tie its life to the launcher's", error.into()))?;
        // The launcher may have died before that took hold.
        if getppid() != Some(self.launcher) {
            return Err(self.failed("find the launcher", io::ErrorKind::NotFound.into()));
        }
        // Before confinement, which refuses writes to the cgroup file system.
        for mut door in std::mem::take(&mut self.doors) {
            if cgroup::enter(&mut door).is_err() {
                self.say(NOT_IN_CGROUP);
            }
        }
        for (resource, soft, hard) in self.limits.clone() {
            limit(resource, soft, hard).map_err(|error| self.failed("set a limit", error))?;
        }
        os::reset_signals();
        os::close_on_exec_from_three()
            .map_err(|error| self.failed("close the engine's descriptors", error))?;
        // Always, confined or not: a process with another user's rights could not be killed.
        rustix::thread::set_no_new_privs(true)
            .map_err(|error| self.failed("give up new privileges", error.into()))?;
        if let Some(ruleset) = self.ruleset.take() {
            ruleset
                .restrict_self()
                .map_err(|error| self.failed("confine it", io::Error::other(error)))?;
        }
        if self.gives_up {
            rights::give_up(Rights::Users)
                .map_err(|error| self.failed("give up rights", error.into()))?;
        }
        if let Some(filter) = self.filter.take() {
            os::new_session_keyring();
            // Last: it refuses what was needed until here.
            seccompiler::apply_filter(&filter)
                .map_err(|error| self.failed("filter its calls", io::Error::other(error)))?;
        }
        Ok(())
    }

    fn failed(&mut self, step: &str, error: io::Error) -> io::Error {
        self.say(step);
        // Only a number crosses to the parent.
        if error.raw_os_error().is_some() { error } else { io::ErrorKind::PermissionDenied.into() }
    }

    fn say(&mut self, words: &str) {
        let _ = writeln!(self.report, "{words}");
    }
}

/// Lowers a limit; one that is lower already stays.
fn limit(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let allowed = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
    let hard = hard.min(allowed);
    setrlimit(resource, Rlimit { current: Some(soft.min(hard)), maximum: Some(hard) })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launcher::view::Upper;

    fn view(network: ViewNetwork) -> View {
        let upper = Upper::below(std::path::Path::new("/upper"), true);
        let (mounts, rights) = (Vec::new(), Rights::Users);
        View { stage: "/stage".into(), writes: upper, mounts, network, rights }
    }

    #[test]
    fn a_record_names_no_group_that_was_not_entered() {
        let policy = LaunchPolicy::new(Vec::new(), "/".into(), "/output".into());
        let mut cgroups = Cgroups::with_limit("/sys/fs/cgroup/windlass-test".into());
        let limits = [(Resource::Core, 0, 0)];
        let words = describe_process_limit(&policy, &cgroups, &limits);
        assert!(words.contains("cgroup pids"), "{words}");
        cgroups.bounds_nothing();
        let words = describe_process_limit(&policy, &cgroups, &limits);
        assert!(words.contains("no limit in the kernel"), "{words}");
    }

    #[test]
    fn a_record_says_whether_abstract_sockets_are_open() {
        let (closed, open) = (Ok(()), Err("landlock abi 4".to_owned()));
        let words = in_words(&view(ViewNetwork::Host), false, &open);
        assert!(words.contains("abstract sockets of the machine open (landlock abi 4)"), "{words}");
        let words = in_words(&view(ViewNetwork::Host), false, &closed);
        assert!(words.contains("abstract sockets stay inside"), "{words}");
        // A network of its own has nobody's.
        let words = in_words(&view(ViewNetwork::Own), false, &open);
        assert!(!words.contains("abstract"), "{words}");
    }
}
