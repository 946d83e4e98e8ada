//! The one door through which every git process goes.
//!
//! A git process of the engine starts from an empty environment and names its repository, work
//! tree, index and object store itself, so that nothing is discovered and no file of the user or
//! of an agent decides what git runs. What a repository's own configuration could still start
//! (hooks, a file system monitor, a pager, an editor) is switched off on the command line, which
//! outranks every file.
//!
//! Two facts about git shape this module. Command line configuration is *not* passed on to the
//! processes that git starts in another repository (`upload-pack`, `status` in a submodule), so
//! callers never let git enter a repository that an agent can write. And git opens `.gitignore`
//! and its like without checking what they are: a FIFO of that name blocks it for ever, so every
//! process has a deadline.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::git_error::GitError;
use super::pipes::{self, Talk};

static STARTED: AtomicU64 = AtomicU64::new(0);

/// Returns how many git processes this process has started so far.
pub fn processes_started() -> u64 {
    STARTED.load(Ordering::Relaxed)
}

/// How much git may print before it is stopped: a raw diff of three million files fits.
const MAX_STDOUT_BYTES: usize = 512 * 1024 * 1024;

/// How long a git process may take. Cloning the largest repositories from disk takes minutes.
const DEADLINE: Duration = Duration::from_secs(15 * 60);

/// Settings that hold in every git process; the command line outranks every configuration file.
const ALWAYS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "protocol.allow=never",
    "protocol.file.allow=always",
    // The repository is named by the caller, and everything that this setting protects from
    // (hooks, monitors) is off: a checkout owned by another user is a normal thing in containers.
    "safe.directory=*",
];

/// Settings that make files and objects mean the same on every machine.
const EXACT: &[&str] = &[
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.sparseCheckout=false",
    "core.excludesFile=/dev/null",
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.symlinks=true",
    "core.fileMode=true",
    "core.ignoreCase=false",
    "core.precomposeUnicode=false",
    // An agent can set a file's modification time, but not its change time.
    "core.trustctime=true",
    "core.checkStat=default",
    "core.quotePath=false",
    // Version 2 is what `index.rs` reads.
    "index.version=2",
    "diff.ignoreSubmodules=all",
    "advice.addEmbeddedRepo=false",
];

/// How a git process ended and what it printed.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(super) command: String,
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Finished {
    pub(crate) fn unexpected(&self) -> GitError {
        GitError::Unexpected { command: self.command.clone() }
    }

    pub(crate) fn into_error(self) -> GitError {
        GitError::Failed {
            command: self.command,
            code: self.code,
            stderr: self.stderr.trim_end().to_owned(),
        }
    }

    fn successful(self) -> Result<Self, GitError> {
        if self.code == 0 { Ok(self) } else { Err(self.into_error()) }
    }

    /// Reads standard output as one line of text.
    pub(crate) fn line(&self) -> Result<String, GitError> {
        let text = self.stdout.strip_suffix(b"\n").unwrap_or(&self.stdout);
        String::from_utf8(text.to_vec()).map_err(|_| self.unexpected())
    }
}

/// A git process about to be started.
#[derive(Debug)]
pub(crate) struct Git {
    command: Command,
    told: String,
    stdin: Vec<u8>,
    deadline: Duration,
    keep_stdout: usize,
    cut: bool,
    own_group: bool,
}

impl Git {
    /// Prepares a git process in the repository `git_dir`.
    pub(crate) fn at(git_dir: &Path) -> Self {
        let mut git = Self::anywhere();
        git.command.env("GIT_DIR", git_dir);
        git
    }

    /// Prepares a git process that looks for its repository from `folder` upwards.
    ///
    /// Only for the user's own checkout, before an agent was near it.
    pub(super) fn discovering(folder: &Path) -> Self {
        let mut git = Self::anywhere();
        git.command.current_dir(folder);
        git
    }

    /// Prepares a git process that sees the user's checkout as the user's own git does.
    ///
    /// It reads the user's configuration, so it is only for asking (which settings, which changes)
    /// before an agent was near; hooks and monitors are off here as well.
    pub(super) fn as_the_user(folder: &Path) -> Self {
        let mut git = Self::with_settings(ALWAYS);
        git.command
            .env_remove("GIT_CONFIG_NOSYSTEM")
            .env_remove("GIT_CONFIG_GLOBAL")
            .env_remove("GIT_ATTR_NOSYSTEM")
            .current_dir(folder);
        for name in ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
            if let Some(value) = std::env::var_os(name) {
                git.command.env(name, value);
            }
        }
        git
    }

    /// Prepares a git process that speaks to the user's remote, with the user's credentials.
    ///
    /// The whole environment and configuration of the user hold, as they do for the user's own
    /// `git push`; hooks and monitors are off here as well. It has a process group of its own, so
    /// that the deadline ends the `ssh` or helper beneath it, too.
    pub(crate) fn to_a_remote(
        folder: &Path,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        use std::os::unix::process::CommandExt as _;
        let mut git = Self::with_settings(&[
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "gc.auto=0",
            "maintenance.auto=false",
            "submodule.recurse=false",
        ]);
        git.command.env_clear().envs(environment).current_dir(folder).process_group(0);
        git.own_group = true;
        git
    }

    /// Prepares a git process that belongs to no repository.
    pub(crate) fn anywhere() -> Self {
        let mut git = Self::with_settings(ALWAYS);
        for setting in EXACT {
            git.command.arg("-c").arg(setting);
        }
        git
    }

    fn with_settings(settings: &[&str]) -> Self {
        let mut command = Command::new("git");
        command.env_clear();
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
            .env("LC_ALL", "C")
            .env("HOME", "/nonexistent")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_DEFAULT_REF_FORMAT", "files")
            .env("GIT_PAGER", "cat")
            .env("GIT_EDITOR", "false");
        for setting in settings {
            command.arg("-c").arg(setting);
        }
        Self {
            command,
            told: "git".to_owned(),
            stdin: Vec::new(),
            deadline: DEADLINE,
            keep_stdout: MAX_STDOUT_BYTES,
            cut: false,
            own_group: false,
        }
    }

    /// Names the work tree, and makes it the current folder.
    pub(super) fn work_tree(mut self, folder: &Path) -> Self {
        self.command.env("GIT_WORK_TREE", folder).current_dir(folder);
        self
    }

    pub(super) fn index(mut self, file: &Path) -> Self {
        self.command.env("GIT_INDEX_FILE", file);
        self
    }

    /// Names the folder that objects are read from and written to.
    pub(super) fn objects(mut self, folder: &Path) -> Self {
        self.command.env("GIT_OBJECT_DIRECTORY", folder);
        self
    }

    /// Names a further folder that objects are only read from.
    ///
    /// Git splits this variable at colons; a leading quote makes it read a quoted path instead.
    pub(super) fn also_objects(mut self, folder: &Path) -> Self {
        use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
        let mut quoted = vec![b'"'];
        for &byte in folder.as_os_str().as_bytes() {
            if byte == b'"' || byte == b'\\' {
                quoted.push(b'\\');
            }
            quoted.push(byte);
        }
        quoted.push(b'"');
        self.command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", OsString::from_vec(quoted));
        self
    }

    /// Names a configuration file that also reaches the processes git starts elsewhere.
    pub(super) fn global_configuration(mut self, file: &Path) -> Self {
        self.command.env("GIT_CONFIG_GLOBAL", file);
        self
    }

    pub(super) fn setting(mut self, setting: &str) -> Self {
        self.command.arg("-c").arg(setting);
        self
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        let argument = argument.as_ref();
        let _ = write!(self.told, " {}", argument.to_string_lossy());
        self.command.arg(argument);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    pub(crate) fn stdin(mut self, bytes: Vec<u8>) -> Self {
        self.stdin = bytes;
        self
    }

    pub(crate) fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Keeps only the first `bytes` of standard output and stops git there, without an error.
    pub(super) fn cut_stdout_at(mut self, bytes: usize) -> Self {
        self.keep_stdout = bytes;
        self.cut = true;
        self
    }

    /// Runs git and returns what it printed; a non-zero exit is an error.
    pub(crate) fn run(self) -> Result<Finished, GitError> {
        self.run_to_end()?.successful()
    }

    /// Runs git and returns how it ended, whatever its exit code was.
    pub(crate) fn run_to_end(self) -> Result<Finished, GitError> {
        let code = tracing::field::Empty;
        let span = tracing::debug_span!("git", command = %self.told, code).entered();
        let finished = self.finish();
        span.record("code", finished.as_ref().map_or(-1, |finished| finished.code));
        finished
    }

    fn finish(mut self) -> Result<Finished, GitError> {
        let stdin =
            self.input().map_err(|source| GitError::Io { command: self.told.clone(), source })?;
        self.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        STARTED.fetch_add(1, Ordering::Relaxed);
        let mut child = self.command.spawn().map_err(|source| {
            if source.kind() == io::ErrorKind::NotFound && !self.folder_is_missing() {
                GitError::Missing
            } else {
                GitError::Io { command: self.told.clone(), source }
            }
        })?;
        let talked = pipes::talk(&mut child, self.keep_stdout, Instant::now() + self.deadline);
        if !matches!(talked, Ok(Talk::Finished { .. })) {
            // It may have ended by itself meanwhile; then there is nothing to kill.
            if self.own_group {
                pipes::kill_group(&child);
            }
            let _ = child.kill();
        }
        let status =
            child.wait().map_err(|source| GitError::Io { command: self.told.clone(), source })?;
        let command = self.told;
        match talked {
            Ok(Talk::Finished { stdout, stderr }) => Ok(Finished {
                command,
                code: status.code().unwrap_or(-1),
                stdout,
                stderr: String::from_utf8_lossy(&stderr).into_owned(),
            }),
            Ok(Talk::Full { stdout }) if self.cut => {
                Ok(Finished { command, code: 0, stdout, stderr: String::new() })
            }
            Ok(Talk::Full { .. }) => Err(GitError::TooMuchOutput { command }),
            Ok(Talk::TimedOut) => Err(GitError::TimedOut { command }),
            Err(source) => Err(GitError::Io { command, source }),
        }
    }

    /// Standard input, complete before git starts.
    ///
    /// From a pipe git would take the death of this process for the end of its input, and go on
    /// with half of it: `git add` with half of its paths left out fewer files than it should have.
    fn input(&self) -> io::Result<Stdio> {
        if self.stdin.is_empty() {
            return Ok(Stdio::null());
        }
        let flags = rustix::fs::MemfdFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::memfd_create("windlass-git", flags)?);
        file.write_all(&self.stdin)?;
        file.rewind()?;
        Ok(Stdio::from(file))
    }

    /// Spawning fails with "not found" for a missing current folder, too.
    fn folder_is_missing(&self) -> bool {
        self.command.get_current_dir().is_some_and(|folder: &Path| !folder.exists())
    }
}

/// Turns bytes that git printed into a path of this system.
pub(super) fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(OsStr::from_bytes(bytes))
}
