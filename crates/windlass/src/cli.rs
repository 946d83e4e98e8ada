//! Arguments.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::output::{Colour, Verbosity};

/// A deterministic workflow engine for coding agents.
///
/// Agents do the work; windlass decides what is next and accepts each step only on proof that it
/// has seen itself. Without a command it says where things stand and what to do next.
#[derive(Debug, Parser)]
#[command(name = "windlass", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Print machine-readable JSON on standard output
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) json: bool,

    /// The run to work on; by default the newest unfinished one, else the newest
    #[arg(long, global = true, help_heading = "Everywhere", value_name = "RUN")]
    pub(crate) run: Option<String>,

    /// Work on the repository in this folder
    #[arg(short = 'C', long, global = true, help_heading = "Everywhere", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,

    /// Use colours; `auto` means at a terminal, unless NO_COLOR says no or CLICOLOR_FORCE says yes
    #[arg(
        long,
        global = true,
        help_heading = "Everywhere",
        value_name = "auto|always|never",
        default_value = "auto"
    )]
    #[arg(hide_default_value = true, hide_possible_values = true)]
    pub(crate) color: Colour,

    /// Print only errors, what was asked for, and the last line
    #[arg(short, long, global = true, help_heading = "Everywhere", conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Say more: every event and check while a run goes on, agent, tries, time and cost of each step
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub(crate) verbose: bool,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Cli {
    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }
}

/// Reads the command line.
///
/// Help and usage errors are printed before anything is parsed to the end, so the wish for colours
/// is looked for beforehand.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let wish = |word: &str| {
        arguments.windows(2).any(|pair| pair[0] == "--color" && pair[1] == word)
            || arguments.iter().any(|argument| *argument == *format!("--color={word}"))
    };
    let choice = match (wish("always"), wish("never")) {
        (true, _) => clap::ColorChoice::Always,
        (_, true) => clap::ColorChoice::Never,
        (false, false) => clap::ColorChoice::Auto,
    };
    let matches = Cli::command().color(choice).try_get_matches_from(arguments)?;
    Cli::from_arg_matches(&matches)
}

const EXIT_CODES: &str = "\
Exit codes: 0 completed, 1 windlass could not do its work, 2 usage or definition, \
3 waits for a person, 4 paused or waiting, 5 aborted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play a small but real run in a scratch repository
    #[command(after_help = "Examples:\n  windlass demo\n  windlass demo --pace fast --keep seen")]
    Demo(DemoArguments),
    /// Look at the repository, write a configuration and a workflow for it; safe to run twice
    #[command(after_help = "Example: windlass init --dry-run")]
    Init(InitArguments),
    /// Start a run and drive it
    #[command(after_help = "Example: windlass run \"Add a health endpoint\" \
        --workflow change.yaml --agent-command 'my-agent'")]
    Run(RunArguments),
    /// Go on with a run: resume it if it is paused, and drive it
    #[command(after_help = "Example: windlass resume --more attempts=20")]
    Resume(ResumeArguments),
    /// Say where a run stands, why, since when, and what to do next
    #[command(after_help = "Example: windlass status --json")]
    Status(StatusArguments),
    /// Watch a run live, look into it, and answer its gates
    #[command(
        after_help = "Example: windlass watch\n\nPress ? for the keys. Leaving the view never stops the run."
    )]
    Watch,
    /// Show what happened, event by event
    #[command(after_help = "Example: windlass log -f")]
    Log(LogArguments),
    /// Show the state at any event, or why a step is where it is
    #[command(
        after_help = "Examples:\n  windlass replay --to 57\n  windlass replay --why implement"
    )]
    Replay(ReplayArguments),
    /// Show what the run, a step or an attempt changed
    #[command(
        after_help = "Examples:\n  windlass diff --stat\n  windlass diff implement\n  windlass diff implement#2 --name-only"
    )]
    Diff(DiffArguments),
    /// List, show and bring back the files of every attempt, and what was sent or rolled back
    #[command(
        after_help = "Examples:\n  windlass trash list\n  windlass trash show implement#1 --patch\n  windlass trash restore implement#1 --to ../old"
    )]
    Trash(TrashArguments),
    /// Write the report of a run: Markdown, or one HTML file that needs nothing else
    #[command(
        after_help = "Examples:\n  windlass report > report.md\n  windlass report --html -o report.html"
    )]
    Report(ReportArguments),
    /// Show every proof: check, verdict, strength, evidence
    #[command(after_help = "Example: windlass proofs implement --output")]
    Proofs(ProofsArguments),
    /// Check the journal: its chain, and every decision in it again
    #[command(after_help = "Example: windlass audit --json")]
    Audit,
    /// Accept what the gate shows
    #[command(after_help = "Example: windlass approve -m \"looks right\"")]
    Approve(ApproveArguments),
    /// Have the step at the gate, or the failed one, done again with this in mind
    #[command(after_help = "Example: windlass feedback \"use the existing helper\"")]
    Feedback(FeedbackArguments),
    /// Go back to an earlier step
    #[command(after_help = "Example: windlass rollback plan \"the design misses deletion\"")]
    Rollback(RollbackArguments),
    /// Do without a step
    #[command(after_help = "Example: windlass skip docs --reason \"done by hand\"")]
    Skip(SkipArguments),
    /// Start nothing new; with --now also stop what is running
    #[command(after_help = "Example: windlass pause --now")]
    Pause(PauseArguments),
    /// Give a failed step new tries
    #[command(after_help = "Example: windlass retry-reset implement")]
    RetryReset(RetryResetArguments),
    /// End the run; its work is kept
    #[command(after_help = "Example: windlass abort --reason \"not needed any more\"")]
    Abort(AbortArguments),
    /// Check a workflow file and print the most attempts it can use
    #[command(after_help = "Example: windlass check .windlass/workflows/change.yaml")]
    Check(CheckArguments),
    /// List, show and eject workflows: built-in ones, yours, and this repository's
    #[command(after_help = "Example: windlass workflow eject change")]
    Workflow(WorkflowArguments),
    /// Turn a `phases.conf` into a workflow, with an account of every line
    #[command(
        after_help = "Example: windlass import phases.conf -o .windlass/workflows/phases.yaml"
    )]
    Import(ImportArguments),
    /// Walk every route, exhaustion and answer of a workflow with stub agents
    #[command(after_help = "Example: windlass simulate .windlass/workflows/change.yaml\n\n\
        Nothing runs: whether checks hold, what judges say and what people answer is played, and \
        each `when` is taken both ways. Exits with 2 when a step or a route can never be reached.")]
    Simulate(SimulateArguments),
    /// Print the JSON Schema of workflow files, for editors
    #[command(after_help = "Example: windlass schema > .windlass/workflow.schema.json")]
    Schema(SchemaArguments),
    /// Draw a workflow: its steps, what they need, where people decide, where verdicts lead
    #[command(after_help = "Example: windlass graph change.yaml --mermaid")]
    Graph(GraphArguments),
    /// Say whether everything is there that runs need, and what is not enforced here
    #[command(
        after_help = "Examples:\n  windlass doctor\n  windlass doctor --bundle report-for-the-bug.md"
    )]
    Doctor(DoctorArguments),
    /// Print the completions for a shell
    #[command(
        after_help = "Example: windlass completions bash > ~/.local/share/bash-completion/completions/windlass"
    )]
    Completions(CompletionsArguments),
    /// Print a page of the manual, or write all pages
    #[command(
        after_help = "Examples:\n  windlass man run | man -l -\n  windlass man --dir ~/.local/share/man/man1"
    )]
    Man(ManArguments),
    /// Print where a run works, or clean up places of ended runs
    #[command(after_help = "Example: cd \"$(windlass place)\"")]
    Place(PlaceArguments),
    /// Add, list and change the items that a step repeats over
    #[command(
        visible_alias = "story",
        after_help = "Example: windlass item add \"Reset the password by mail\" --id S4"
    )]
    Item(ItemArguments),
    /// The agent's side: publish and read facts
    #[command(after_help = "Example: windlass context set tests.allPassed=true")]
    Context(ContextArguments),
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Keep the scratch repository in this new folder
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// How fast it is told; by default as a story at a terminal, fast elsewhere and in CI
    #[arg(long, value_name = "PACE")]
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
    /// What the run is for, in your words
    pub(crate) goal: String,
    /// A workflow: a file or a name, see `windlass workflow list`; by default the configured one
    #[arg(short, long, value_name = "FILE|NAME")]
    pub(crate) workflow: Option<String>,
    /// Play every agent by this shell command: prompt on stdin and in $WINDLASS_PROMPT_FILE
    #[arg(long, value_name = "CMD", conflicts_with = "agent")]
    pub(crate) agent_command: Option<String>,
    /// Play every agent by this backend: `rehearsal:SCRIPT`
    #[arg(long, value_name = "BACKEND")]
    pub(crate) agent: Option<String>,
    /// Fill in an input of the workflow
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// Work in this checkout instead of a private clone
    #[arg(long)]
    pub(crate) here: bool,
    /// Approve all gates of the workflow in advance; recorded as your decision
    #[arg(long)]
    pub(crate) yes: bool,
    /// The number of the issue that the run is for
    #[arg(long, value_name = "N")]
    pub(crate) issue: Option<u64>,
    /// The title of that issue
    #[arg(long, value_name = "TEXT", requires = "issue")]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) drive: DriveArguments,
}

/// What `run` and `resume` have in common.
#[derive(Debug, Args)]
pub(crate) struct DriveArguments {
    /// Leave instead of waiting for a backoff or a provider's limit to end
    #[arg(long)]
    pub(crate) no_wait: bool,
    /// Let agents write this path as well
    #[arg(long, value_name = "PATH")]
    pub(crate) allow_write: Vec<PathBuf>,
    /// Tell people by this shell command at gates, pauses, limits and the end; or `bell`, `off`
    #[arg(long, value_name = "CMD")]
    pub(crate) notify: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    /// Add to the budget
    #[arg(long, value_name = "attempts=N|cost=USD|wall=TIME")]
    pub(crate) more: Vec<String>,
    #[command(flatten)]
    pub(crate) drive: DriveArguments,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// List all runs of this repository
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Go on as things happen
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Show what was observed and asked as well, not only what followed
    #[arg(long)]
    pub(crate) inputs: bool,
    /// Show what the agent printed in this attempt instead, for example `implement#2`
    #[arg(long, value_name = "STEP#N", conflicts_with_all = ["follow", "inputs"])]
    pub(crate) attempt: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// The number of the last event that counts, as `windlass log` shows it; by default all
    #[arg(long, value_name = "SEQ")]
    pub(crate) to: Option<u64>,
    /// Say why this step is where it is, each sentence with its event
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
pub(crate) struct TrashArguments {
    #[command(subcommand)]
    pub(crate) command: TrashCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrashCommand {
    /// List what was kept: step and attempt, what became of it, when, and how much it changed
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

#[derive(Debug, Args)]
pub(crate) struct ApproveArguments {
    /// Something to keep with the approval
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct FeedbackArguments {
    /// What should be different
    pub(crate) message: String,
}

#[derive(Debug, Args)]
pub(crate) struct RollbackArguments {
    /// The step to go back to
    pub(crate) step: String,
    /// Why
    pub(crate) message: String,
    /// Set the code back to where that step began; what is there now is kept
    #[arg(long)]
    pub(crate) code: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SkipArguments {
    /// The step
    pub(crate) step: String,
    /// Why; it stands in the report
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}

#[derive(Debug, Args)]
pub(crate) struct PauseArguments {
    /// Stop the running attempt; it uses no try
    #[arg(long)]
    pub(crate) now: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RetryResetArguments {
    /// The step; by default the one that failed
    pub(crate) step: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AbortArguments {
    /// Why; it stands in the report
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The workflow to write, see `windlass workflow list`; may be given several times
    #[arg(short, long, value_name = "NAME")]
    pub(crate) workflow: Vec<String>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write files that are there as well; what was there is kept beside them as `.bak`
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WorkflowArguments {
    #[command(subcommand)]
    pub(crate) command: WorkflowCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowCommand {
    /// List every workflow that has a name here
    #[command(after_help = "Example: windlass workflow list")]
    List,
    /// Print a workflow's source; with --json what was read from it
    #[command(after_help = "Example: windlass workflow show change")]
    Show {
        /// A workflow file or a name
        workflow: String,
    },
    /// Write a built-in workflow into `.windlass/workflows`, to change it
    #[command(after_help = "Example: windlass workflow eject change")]
    Eject {
        /// The name of a built-in workflow
        workflow: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The file to import; `-` for standard input
    pub(crate) file: PathBuf,
    /// Write the workflow to this new file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The workflow's name; by default from the output file, else from the imported one
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// A workflow file, or the name of one, see `windlass workflow list`
    pub(crate) workflow: String,
}

#[derive(Debug, Args)]
pub(crate) struct SimulateArguments {
    /// A workflow file, or the name of one, see `windlass workflow list`
    pub(crate) workflow: String,
    /// Fill in an input of the workflow
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Print the reference of all keys as Markdown instead
    #[arg(long, conflicts_with = "modeline")]
    pub(crate) markdown: bool,
    /// Print the comment that tells editors where the schema is, seen from the workflow file
    #[arg(
        long,
        value_name = "SCHEMA",
        num_args = 0..=1,
        default_missing_value = windlass_core::workflow::SCHEMA_BESIDE_WORKFLOWS
    )]
    pub(crate) modeline: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GraphArguments {
    /// A workflow file, or the name of one, see `windlass workflow list`
    pub(crate) workflow: String,
    /// As a Mermaid flowchart
    #[arg(long, conflicts_with = "dot")]
    pub(crate) mermaid: bool,
    /// As a Graphviz digraph
    #[arg(long)]
    pub(crate) dot: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Write one readable text file for a bug report: versions, findings, the run's journal; paths,
    /// names and secrets are taken out. Read it before you send it
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "windlass-bundle.md")]
    pub(crate) bundle: Option<PathBuf>,
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
    /// Remove the private clones and verifier trees of ended runs; their work stays in refs
    Prune,
}

#[derive(Debug, Args)]
pub(crate) struct ContextArguments {
    #[command(subcommand)]
    pub(crate) command: ContextCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ContextCommand {
    /// Set a key that the step publishes: JSON if it parses, else text
    Set {
        /// The key and its value
        #[arg(value_name = "KEY=VALUE", required = true)]
        pairs: Vec<String>,
    },
    /// Print the context, or one key of it, as JSON
    Get {
        /// The key, dotted
        key: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ItemArguments {
    #[command(subcommand)]
    pub(crate) command: ItemCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ItemCommand {
    /// Add an item; it comes up after those that are there
    #[command(after_help = "Example: windlass item add \"Log in\" --id S1 --body - < story.md")]
    Add(ItemAddArguments),
    /// List the items, how far each has come, and who asked for it
    #[command(after_help = "Example: windlass item list --json")]
    List,
    /// Change an item that has not come up, or do without one
    #[command(after_help = "Example: windlass item update S4 --skip \"not in this release\"")]
    Update(ItemUpdateArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ItemAddArguments {
    /// What it is, in one line
    pub(crate) title: String,
    /// Its name: letters, digits, `-` and `_`; made from the title by default
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// What is asked for, as Markdown; `-` reads it from standard input
    #[arg(long, value_name = "TEXT|-")]
    pub(crate) body: Option<String>,
    /// The step that repeats over it, where there is more than one
    #[arg(long, value_name = "STEP")]
    pub(crate) step: Option<String>,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("change").required(true).multiple(true)))]
pub(crate) struct ItemUpdateArguments {
    /// The item
    pub(crate) id: String,
    /// Another title
    #[arg(long, value_name = "TEXT", group = "change")]
    pub(crate) title: Option<String>,
    /// Another body; `-` reads it from standard input
    #[arg(long, value_name = "TEXT|-", group = "change")]
    pub(crate) body: Option<String>,
    /// Do without the item, for this reason
    #[arg(long, value_name = "REASON", group = "change", conflicts_with = "reopen")]
    pub(crate) skip: Option<String>,
    /// Take up a skipped item after all
    #[arg(long, group = "change")]
    pub(crate) reopen: bool,
}
