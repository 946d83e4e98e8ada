//! A repository, a home and the real binary.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::BenchResult;
use crate::measure::run;

/// The `windlass` that is measured.
#[derive(Debug)]
pub(crate) struct Windlass {
    pub(crate) exe: PathBuf,
}

impl Windlass {
    /// Finds the binary that was built together with this one.
    pub(crate) fn beside_this_program() -> BenchResult<Self> {
        let exe = std::env::current_exe()?.with_file_name("windlass");
        if !exe.is_file() {
            let message = format!(
                "there is no `{}`\nhint: build it first with `cargo build --release`",
                exe.display()
            );
            return Err(message.into());
        }
        Ok(Self { exe })
    }
}

/// Where a scratch repository is put.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Medium {
    /// The temporary folder: where syncing costs what it costs.
    Disk,
    /// Memory where there is such a folder, for what is only built up to be read.
    Memory,
}

/// A repository with one commit, and a home that belongs to it alone.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    pub(crate) fn new(medium: Medium) -> BenchResult<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("windlass-bench-");
        let memory = Path::new("/dev/shm");
        let folder = match medium {
            Medium::Memory if memory.is_dir() => builder.tempdir_in(memory)?,
            Medium::Memory | Medium::Disk => builder.tempdir()?,
        };
        let scratch = Self { folder };
        for name in ["repository", "home", "tmp"] {
            fs_err::create_dir(scratch.path(name))?;
        }
        fs_err::write(scratch.path("repository/README.md"), "A scratch repository.\n")?;
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["add", "-A"],
            &["commit", "-q", "-m", "first", "--no-gpg-sign"],
        ] {
            run(scratch.command("git").args(arguments), 0)?;
        }
        Ok(scratch)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a command in the repository, whose whole environment is the scratch folder.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path("repository"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("WINDLASS_HOME", self.path("home/state"))
            .env("XDG_CACHE_HOME", self.path("home/cache"))
            .env("XDG_DATA_HOME", self.path("home/data"))
            .env("WINDLASS_PERSON", "bench")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "Bench")
            .env("GIT_AUTHOR_EMAIL", "bench@example.org")
            .env("GIT_COMMITTER_NAME", "Bench")
            .env("GIT_COMMITTER_EMAIL", "bench@example.org");
        command
    }

    /// Writes a workflow beside the repository and returns its path.
    pub(crate) fn workflow(&self, text: &str) -> BenchResult<PathBuf> {
        let path = self.path("workflow.yaml");
        fs_err::write(&path, text)?;
        Ok(path)
    }

    /// Returns the command that runs a workflow to its end or its first gate.
    pub(crate) fn windlass_run(&self, exe: &Path, workflow: &Path) -> Command {
        let mut command = self.command(exe);
        command.args(["run", "measure", "--workflow"]).arg(workflow);
        command.args(["--agent-command", AGENT]);
        command
    }
}

/// The smallest agent that leaves something to prove.
pub(crate) const AGENT: &str = "echo done >> $WINDLASS_STEP.txt";

/// How much a step is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Criterion {
    /// One tiny command.
    Command,
    /// Protected files, where it may write, a new file, the size of the change, and the command.
    Thorough,
}

/// Returns a workflow of `count` steps in a row; the last one has `last` added to it.
pub(crate) fn chain(count: usize, criterion: Criterion, last: &str) -> String {
    let mut text = String::from(
        "workflow: bench\nlimits: {attempts: 100000000, wall: 100000h, cost_usd: 1000000}\n",
    );
    if criterion == Criterion::Thorough {
        text.push_str("protect: ['*.md']\n");
    }
    text.push_str("steps:\n");
    for number in 1..=count {
        let file = format!("s{number}.txt");
        let judged = match criterion {
            Criterion::Command => format!("done: {{run: test -s {file}}}"),
            Criterion::Thorough => format!(
                "may_write: ['*.txt']\n    done: {{all: [{{file: {file}}}, \
                 {{diff: {{max_lines: 50}}}}, {{run: test -s {file}}}]}}"
            ),
        };
        let more = if number == count { last } else { "" };
        text.push_str(&format!(
            "  - id: s{number}\n    title: Step {number}\n    agent: worker\n    \
             task: Write {file}.\n    commit: wip\n    {judged}\n{more}"
        ));
    }
    text
}
