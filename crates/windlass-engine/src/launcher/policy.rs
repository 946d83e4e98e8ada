//! What a launcher is told, and what it answers: the words on the socket between it and the engine.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_core::proof::Outcome;
use windlass_core::time::Span;

use super::view::View;
use crate::proxy::ProxyPolicy;

/// The variable that marks everything a launcher started.
pub const MARKER_VARIABLE: &str = "WINDLASS_LAUNCH";

/// The request to end the program: TERM, grace period, KILL.
pub(crate) const STOP_BYTE: u8 = b's';

/// The request to kill everything at once.
pub(crate) const KILL_BYTE: u8 = b'k';

/// The largest policy that a launcher reads: far above any real environment, which the kernel
/// itself bounds, and far below what a mistake could make it allocate.
pub(crate) const MAX_POLICY_BYTES: u32 = 16 * 1024 * 1024;

/// What to run, and within which bounds. All paths are absolute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchPolicy {
    /// The program and its arguments; a bare name is looked up in the `PATH` of `env`.
    pub argv: Vec<String>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The whole environment, to which only the launcher's marker is added.
    pub env: Vec<(String, String)>,
    /// A file to read from, or nothing.
    pub stdin: Option<PathBuf>,
    /// The file that standard output is kept in.
    pub stdout: PathBuf,
    /// The file that standard error is kept in; none puts it into `stdout`'s, in the order written.
    pub stderr: Option<PathBuf>,
    /// How many bytes of each file are kept: the first half and the last half.
    pub max_output_bytes: u64,
    /// How long the program may take.
    pub timeout: Option<Span>,
    /// How long it may show no sign of life.
    pub idle_timeout: Option<Span>,
    /// How long it gets between TERM and KILL.
    pub grace: Span,
    /// What it may use.
    pub limits: Limits,
    /// How much it may have on the disk, by the launcher's watch.
    #[serde(default)]
    pub disk: Option<DiskLimit>,
    /// Where it may write and read, where it has no view of its own.
    pub confinement: Confinement,
    /// What it sees of the machine; none where the machine gives no namespaces. The working
    /// directory and the program are then paths of the view, all others are the host's.
    pub view: Option<View>,
    /// The one way out of a view whose network is its own.
    pub proxy: Option<ProxyPolicy>,
    /// A file that the launcher holds a shared lock on for as long as it lives, so that whoever gets
    /// the exclusive one knows that no launcher is left.
    pub hold_lock: Option<PathBuf>,
    /// The folder in which the launcher registers itself while it lives.
    pub registry: Option<PathBuf>,
    /// Whether cgroups are used where they can be.
    pub cgroups: CgroupUse,
}

impl LaunchPolicy {
    /// Returns a policy with the default bounds: 16 MiB of output, ten seconds of grace, no
    /// timeouts, [`Limits::default`], not confined.
    pub fn new(argv: Vec<String>, cwd: PathBuf, stdout: PathBuf) -> Self {
        Self {
            argv,
            cwd,
            env: Vec::new(),
            stdin: None,
            stdout,
            stderr: None,
            max_output_bytes: 16 * 1024 * 1024,
            timeout: None,
            idle_timeout: None,
            grace: Span::seconds(10),
            limits: Limits::default(),
            disk: None,
            confinement: Confinement::default(),
            view: None,
            proxy: None,
            hold_lock: None,
            registry: None,
            cgroups: CgroupUse::Auto,
        }
    }

    /// Returns every path in it.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let single = [Some(&self.cwd), Some(&self.stdout), self.stdin.as_ref()];
        let optional = [self.stderr.as_ref(), self.hold_lock.as_ref(), self.registry.as_ref()];
        let confinement = &self.confinement;
        let listed = confinement.write.iter().chain(&confinement.never).chain(&confinement.within);
        let view = self.view.iter().flat_map(|view| {
            let own = [&view.stage, &view.writes.dir, &view.writes.work];
            let mounts = view
                .mounts
                .iter()
                .flat_map(|mount| mount.host_paths().into_iter().chain([mount.to()]));
            own.into_iter().map(PathBuf::as_path).chain(mounts)
        });
        let disk = self.disk.iter().flat_map(|disk| &disk.folders);
        let paths = single.into_iter().chain(optional).flatten().chain(listed).chain(disk);
        paths.map(PathBuf::as_path).chain(view)
    }
}

/// What a program and everything below it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Processes at one time.
    pub processes: u32,
    /// The largest file that any one process writes.
    pub file_size_bytes: Option<u64>,
    /// CPU seconds of any one process.
    pub cpu_seconds: Option<u64>,
    /// Open files of any one process.
    pub open_files: Option<u64>,
    /// Memory of all processes together, by the launcher's watch.
    pub memory_bytes: Option<u64>,
    /// What stays free on the disk that it writes to, by the launcher's watch.
    #[serde(default)]
    pub free_disk_bytes: Option<u64>,
}

impl Default for Limits {
    /// Only processes are bounded: 512 is some ten times what builds and agents are seen to use.
    fn default() -> Self {
        Self {
            processes: 512,
            file_size_bytes: None,
            cpu_seconds: None,
            open_files: None,
            memory_bytes: None,
            free_disk_bytes: None,
        }
    }
}

/// How much folders may hold together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskLimit {
    /// The folders.
    pub folders: Vec<PathBuf>,
    /// What they may hold.
    pub bytes: u64,
}

/// Where a program may write and read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confinement {
    /// Whether it is confined at all.
    pub mode: ConfinementMode,
    /// Files and folders that it may write to.
    pub write: Vec<PathBuf>,
    /// Files and folders that it must not write to, even where one lies beneath a path in `write`.
    pub never: Vec<PathBuf>,
    /// Files and folders beneath a path in `never` that it may write to all the same.
    pub within: Vec<PathBuf>,
    /// Files and folders that it may read, besides those that it may write; none means all.
    #[serde(default)]
    pub read: Option<Vec<PathBuf>>,
    /// Which network it has.
    #[serde(default)]
    pub network: HereNetwork,
}

/// The network of a program that has no namespace of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HereNetwork {
    /// That of the machine.
    #[default]
    Machine,
    /// None, not even loopback.
    None,
}

/// What happens where the platform cannot confine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfinementMode {
    /// The program is not started.
    Require,
    /// The program is started, and the report says what is not enforced.
    Prefer,
    /// Nothing is confined anywhere.
    #[default]
    Off,
}

/// Whether a launcher makes cgroups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CgroupUse {
    /// Where it may.
    #[default]
    Auto,
    /// Nowhere: what is left are resource limits and the launcher's own watch.
    Never,
}

/// The first message to a launcher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Envelope {
    pub(crate) policy: LaunchPolicy,
    /// The value of [`MARKER_VARIABLE`], made by the engine so that it knows the word even of a
    /// launcher that died before it could say anything.
    pub(crate) marker: String,
}

impl Envelope {
    /// Returns the message's bytes: a length of four, then JSON.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        let body = serde_json::to_vec(self)?;
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        let mut message = length.to_be_bytes().to_vec();
        message.extend(body);
        Ok(message)
    }
}

/// One line from a launcher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// The program runs.
    Started(Started),
    /// Nothing is left of it.
    Ended(LaunchReport),
}

/// A program that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Started {
    /// Its pid, which is also its session and its process group.
    pub pid: i32,
    /// When it started, in clock ticks since boot.
    pub start_time: u64,
    /// What is enforced on it, in words.
    pub confinement: String,
    /// Whether writes are confined.
    pub confined: bool,
    /// What holds its number of processes, in words.
    pub process_limit: String,
    /// The cgroups that it was put into.
    pub cgroups: Vec<PathBuf>,
}

/// How a program ended, and what it took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchReport {
    /// How it ended.
    pub outcome: Outcome,
    /// What was enforced on it, in words.
    pub confinement: String,
    /// Whether writes were confined.
    pub confined: bool,
    /// What held its number of processes, in words.
    pub process_limit: String,
    /// Processes that were still alive after the program had ended, and were killed.
    pub left_behind: u32,
    /// Bytes that it wrote to standard output, kept or not; with one file for both, to both.
    pub stdout_bytes: u64,
    /// Bytes that it wrote to standard error, when that has a file of its own.
    pub stderr_bytes: u64,
    /// CPU time of everything that was below the launcher.
    pub cpu_ms: u64,
    /// The largest resident set of any one process.
    pub max_rss_kb: u64,
    /// How long it took, from the start to the last process's end.
    pub wall_ms: u64,
    /// Set when the launcher itself was killed, with how: then only the engine cleared up.
    pub lost: Option<String>,
}

impl LaunchReport {
    /// Returns a report that knows nothing but the outcome.
    pub(crate) fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            confinement: String::new(),
            confined: false,
            process_limit: String::new(),
            left_behind: 0,
            stdout_bytes: 0,
            stderr_bytes: 0,
            cpu_ms: 0,
            max_rss_kb: 0,
            wall_ms: 0,
            lost: None,
        }
    }
}
