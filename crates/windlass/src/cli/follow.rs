//! Arguments of the commands that show how a run stands and what happened.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// List all runs of this repository
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Keep printing new events
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Show only the last N lines; with --follow, continue from there
    #[arg(long, value_name = "N", conflicts_with_all = ["hooks", "attempt"])]
    pub(crate) lines: Option<usize>,
    /// Also show inputs (what was observed and asked), not only events
    #[arg(long)]
    pub(crate) inputs: bool,
    /// Show the calls and answers of a hosting session's hooks instead
    #[arg(long, conflicts_with_all = ["follow", "inputs", "attempt"])]
    pub(crate) hooks: bool,
    /// Show what the agent printed in this attempt instead, for example `implement#2`
    #[arg(long, value_name = "STEP#N", conflicts_with_all = ["follow", "inputs"])]
    pub(crate) attempt: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArguments {
    /// Check that this journal head, as printed in a commit or a pull request, is in the journal
    #[arg(long, value_name = "HASH")]
    pub(crate) head: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// The number of the last event to apply, as `windlass log` shows it; by default all
    #[arg(long, value_name = "SEQ")]
    pub(crate) to: Option<u64>,
    /// Explain the state of this step, each sentence with its event
    #[arg(long, value_name = "STEP")]
    pub(crate) why: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// One self-contained HTML file instead of Markdown
    #[arg(long, conflicts_with = "json")]
    pub(crate) html: bool,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CostArguments {
    /// Add up by this; by default by step, agent, model and day
    #[arg(long, value_name = "WHAT")]
    pub(crate) by: Option<CostKey>,
    /// Only attempts that ended on this day or later, for example `2026-03-10`
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// All repositories on this machine
    #[arg(long, conflicts_with = "run")]
    pub(crate) all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CostKey {
    /// The step of the workflow
    Step,
    /// The role
    Agent,
    /// The model and its backend
    Model,
    /// The day on which attempts ended
    Day,
    /// The run
    Run,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// A step, an attempt like `implement#2`, or a name of `windlass trash list`; by default all
    /// that the run changed since its base
    #[arg(value_name = "STEP|ATTEMPT")]
    pub(crate) what: Option<String>,
    /// Only these files or folders
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// Show how many lines of each file changed
    #[arg(long, conflicts_with = "name_only")]
    pub(crate) stat: bool,
    /// Show only the names of the files
    #[arg(long)]
    pub(crate) name_only: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TakeArguments {
    /// Take the proven steps of a run that has not ended
    #[arg(long)]
    pub(crate) unfinished: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TrashArguments {
    #[command(subcommand)]
    pub(crate) command: TrashCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrashCommand {
    /// List what was kept: step, attempt, outcome, time and size of the change
    #[command(after_help = "Example: windlass trash list --run k3v9x2ab")]
    List,
    /// Show how kept files differ from what the run has now
    #[command(after_help = "Example: windlass trash show implement#1 src/sum.rs")]
    Show(TrashShowArguments),
    /// Write kept files into a new folder, or make a new branch of them; nothing is overwritten
    #[command(
        after_help = "Examples:\n  windlass trash restore implement#1\n  windlass trash restore feedback@45 --branch first-idea"
    )]
    Restore(RestoreArguments),
}

#[derive(Debug, Args)]
pub(crate) struct TrashShowArguments {
    /// A name of `windlass trash list`, or the beginning of an object name
    pub(crate) name: String,
    /// Only these files or folders, as a patch
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// Show how many lines of each file differ; this is the default
    #[arg(long, conflicts_with = "patch")]
    pub(crate) stat: bool,
    /// Show the lines themselves
    #[arg(long)]
    pub(crate) patch: bool,
    /// What the files are compared with
    #[arg(long, value_name = "WHAT", default_value = "now")]
    pub(crate) against: Against,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Against {
    /// What the run has now
    Now,
    /// What the attempt began from
    Start,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArguments {
    /// A name of `windlass trash list`, or the beginning of an object name
    pub(crate) name: String,
    /// Only these files or folders
    #[arg(value_name = "PATH", conflicts_with = "branch")]
    pub(crate) paths: Vec<String>,
    /// Write into this new folder instead of `windlass-restored-NAME` here
    #[arg(long, value_name = "DIR", conflicts_with = "branch")]
    pub(crate) to: Option<PathBuf>,
    /// Make this new branch in your repository, with the code as a commit
    #[arg(long, value_name = "BRANCH")]
    pub(crate) branch: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ProofsArguments {
    /// Only this step
    pub(crate) step: Option<String>,
    /// Also failed verifications
    #[arg(long)]
    pub(crate) all: bool,
    /// Also the evidence itself
    #[arg(long)]
    pub(crate) output: bool,
}
