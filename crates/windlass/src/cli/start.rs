//! Arguments of the commands that start a run, go on with one, or set things up.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use windlass_core::config::Sandbox;

#[derive(Debug, Args)]
pub(crate) struct NotifyArguments {
    #[command(subcommand)]
    pub(crate) command: NotifyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum NotifyCommand {
    /// Send a notification now, as a run does at a gate
    #[command(
        after_help = "Examples:\n  windlass notify test\n  windlass notify test --notify desktop"
    )]
    Test {
        /// How to notify: `bell`, `desktop`, `off` or a command; by default as configured
        #[arg(long, value_name = "HOW")]
        notify: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Keep the scratch repository in this new folder
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// How fast it plays; by default `story` (with time to read) at a terminal, else `fast`
    #[arg(long, value_name = "fast|story", hide_possible_values = true)]
    pub(crate) pace: Option<Pace>,
    /// Open the report in a browser at the end, at a terminal with a display
    #[arg(long)]
    pub(crate) open: bool,
}

/// How fast the demo is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Pace {
    /// Without a pause.
    Fast,
    /// With time to read.
    Story,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The goal, in your words; optional with `--issue` or `--file`
    pub(crate) goal: Option<String>,
    /// The workflow, as a file or a name (see `windlass workflow list`); by default the configured one,
    /// else `change`
    #[arg(short, long, value_name = "FILE|NAME")]
    pub(crate) workflow: Option<String>,
    /// Run this shell command as every agent: prompt on stdin and in $WINDLASS_PROMPT_FILE
    #[arg(long, value_name = "CMD", conflicts_with = "agent")]
    pub(crate) agent_command: Option<String>,
    /// Run every agent with this backend: `claude`, `codex`, `gemini`, `opencode`, `qwen`,
    /// `acp:COMMAND`, `rehearsal:SCRIPT`, or `auto`, the first that can be used; by default the
    /// configured one, else `auto`
    #[arg(long, value_name = "BACKEND")]
    pub(crate) agent: Option<String>,
    /// Set an input of the workflow
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) wanted: super::platform::WantedArguments,
    /// The branch that the pull request is for; by default the one that is checked out, else the
    /// remote's default
    #[arg(long, value_name = "BRANCH")]
    pub(crate) base: Option<String>,
    /// The name of the run's own branch; by default it is made from the issue or the goal
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
    /// Work in this checkout instead of a private clone
    #[arg(long)]
    pub(crate) here: bool,
    /// Complete the start that a person asked for in this hosting session; only inputs are read
    #[arg(long, conflicts_with_all = ["agent", "agent_command", "yes"])]
    pub(crate) hosted: bool,
    /// Approve all gates of the workflow in advance; recorded as your decision
    #[arg(long)]
    pub(crate) yes: bool,
    /// The issue that the run is for, read through `gh` unless its text is given
    #[arg(long, value_name = "N")]
    pub(crate) issue: Option<u64>,
    /// The title of the issue
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// The description of the issue
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub(crate) body: Option<String>,
    /// Read the text of the issue from this file, `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<String>,
    /// Start although an unfinished run works on this issue
    #[arg(long, requires = "issue")]
    pub(crate) again: bool,
    /// Do not run the checks on the base commit before the first attempt
    #[arg(long)]
    pub(crate) no_baseline: bool,
    /// Skip the last proof on a fresh clone; report and pull request show this reason
    #[arg(long, value_name = "REASON")]
    pub(crate) no_cold: Option<String>,
    #[command(flatten)]
    pub(crate) drive: DriveArguments,
}

/// What commands have in common that start a run of a workflow of their own.
#[derive(Clone, Debug, Args)]
pub(crate) struct StartArguments {
    /// Run this shell command as every agent: prompt on stdin and in $WINDLASS_PROMPT_FILE
    #[arg(long, value_name = "CMD", conflicts_with = "agent")]
    pub(crate) agent_command: Option<String>,
    /// Run every agent with this backend, see `windlass run --help`
    #[arg(long, value_name = "BACKEND")]
    pub(crate) agent: Option<String>,
    /// Set an input of the workflow
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) wanted: super::platform::WantedArguments,
    /// Work in this checkout instead of a private clone
    #[arg(long)]
    pub(crate) here: bool,
    /// Approve all gates of the workflow in advance; recorded as your decision
    #[arg(long)]
    pub(crate) yes: bool,
    /// Do not run the checks on the base commit before the first attempt
    #[arg(long)]
    pub(crate) no_baseline: bool,
    /// Skip the last proof on a fresh clone; report and pull request show this reason
    #[arg(long, value_name = "REASON")]
    pub(crate) no_cold: Option<String>,
    #[command(flatten)]
    pub(crate) drive: DriveArguments,
}

impl StartArguments {
    /// Returns the arguments of `run` that start `workflow` for `goal`.
    pub(crate) fn for_run(&self, workflow: &str, goal: String) -> RunArguments {
        let Self { agent_command, agent, inputs, wanted, here, yes, no_baseline, no_cold, drive } =
            self.clone();
        RunArguments {
            goal: Some(goal),
            workflow: Some(workflow.to_owned()),
            agent_command,
            agent,
            inputs,
            wanted,
            base: None,
            branch: None,
            here,
            hosted: false,
            yes,
            issue: None,
            title: None,
            body: None,
            file: None,
            again: false,
            no_baseline,
            no_cold,
            drive,
        }
    }
}

/// What `run` and `resume` have in common.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DriveArguments {
    /// Exit instead of waiting for a backoff or a provider's limit to end
    #[arg(long)]
    pub(crate) no_wait: bool,
    /// Let agents write this path as well
    #[arg(long, value_name = "PATH")]
    pub(crate) allow_write: Vec<PathBuf>,
    /// Pass this variable of your environment to agents as well; `PREFIX_*` means all but keys
    #[arg(long, value_name = "NAME")]
    pub(crate) pass_env: Vec<String>,
    /// Confine attempts and checks: `require` (or do not start), `prefer` (what the machine has), `off`
    #[arg(long, value_name = "WORD", hide_possible_values = true)]
    pub(crate) sandbox: Option<SandboxWord>,
    /// Let attempts and checks read this path as well
    #[arg(long, value_name = "PATH")]
    pub(crate) expose: Vec<PathBuf>,
    /// Notify at gates, pauses, limits and the end: a shell command, `bell`, `desktop` or `off`
    #[arg(long, value_name = "CMD")]
    pub(crate) notify: Option<String>,
}

/// Whether attempts and checks are confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SandboxWord {
    /// All of it, or nothing starts.
    Require,
    /// As much as the machine has.
    Prefer,
    /// Not at all.
    Off,
}

impl From<SandboxWord> for Sandbox {
    fn from(word: SandboxWord) -> Self {
        match word {
            SandboxWord::Require => Self::Require,
            SandboxWord::Prefer => Self::Prefer,
            SandboxWord::Off => Self::Off,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    /// Go on with this shell command for every agent: prompt on stdin and in $WINDLASS_PROMPT_FILE
    #[arg(long, value_name = "CMD", conflicts_with = "agent")]
    pub(crate) agent_command: Option<String>,
    /// Go on with this backend for every agent, see `windlass run --help`
    #[arg(long, value_name = "BACKEND")]
    pub(crate) agent: Option<String>,
    /// Add to the budget
    #[arg(long, value_name = "attempts=N|cost=USD|wall=TIME")]
    pub(crate) more: Vec<String>,
    /// Skip the last proof on a fresh clone; report and pull request show this reason
    #[arg(long, value_name = "REASON")]
    pub(crate) no_cold: Option<String>,
    #[command(flatten)]
    pub(crate) drive: DriveArguments,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The workflow to write, see `windlass workflow list`; may be given several times
    #[arg(short, long, value_name = "NAME")]
    pub(crate) workflow: Vec<String>,
    /// Show what would be written; write nothing and try nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not try the commands that were found
    #[arg(long)]
    pub(crate) no_run: bool,
    /// Ask nothing, and use the commands that worked
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Overwrite existing files; the old ones are kept beside them as `.bak`
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Write one readable text file for a bug report: versions, findings, the run's journal; paths,
    /// names and secrets are taken out. Read it before you send it
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "windlass-bundle.md")]
    pub(crate) bundle: Option<PathBuf>,
    /// Run the checks of a workflow once on your commit, confined and without any agent, as a run does
    /// before its first attempt. By default the configured workflow, else `change`
    #[arg(long, value_name = "WORKFLOW", num_args = 0..=1, conflicts_with = "bundle")]
    pub(crate) checks: Option<Option<String>>,
    /// Set an input of the workflow
    #[arg(long = "input", value_name = "NAME=VALUE", requires = "checks")]
    pub(crate) inputs: Vec<String>,
    /// Use this platform where it matches, or for one folder; `FOLDER=none` leaves a folder out
    #[arg(long = "platform", value_name = "NAME|FOLDER=NAME", requires = "checks")]
    pub(crate) platforms: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// The command, for example `trash show`; by default windlass itself
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub(crate) command: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PlaceArguments {
    #[command(subcommand)]
    pub(crate) command: Option<PlaceCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlaceCommand {
    /// Remove the private clones and verifier trees of ended runs; their work stays in git refs
    Prune,
}
