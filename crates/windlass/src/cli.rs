//! Arguments.

mod decide;
mod define;
mod devflow;
mod follow;
mod help;
mod hosted;
mod platform;
mod start;
mod stories;
mod story;

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::output::{Colour, Verbosity};

pub(crate) use decide::{
    AbortArguments, ApproveArguments, ContextArguments, ContextCommand, FeedbackArguments,
    ItemAddArguments, ItemArguments, ItemCommand, ItemUpdateArguments, PauseArguments,
    ProposeArguments, RetryResetArguments, RollbackArguments, SkipArguments,
};
pub(crate) use define::{
    AgentArguments, AgentCommand, CheckArguments, GraphArguments, ImportArguments, SchemaArguments,
    SchemaOf, SimulateArguments, WorkflowArguments, WorkflowCommand,
};
pub(crate) use devflow::{
    DeltaArguments, DeltaCommand, DeltaCreateArguments, DeltaNamed, TasksArguments, TasksCommand,
};
pub(crate) use follow::{
    Against, AuditArguments, CostArguments, CostKey, DiffArguments, LogArguments, ProofsArguments,
    ReplayArguments, ReportArguments, RestoreArguments, StatusArguments, TakeArguments,
    TrashArguments, TrashCommand, TrashShowArguments,
};
pub(crate) use help::{
    AnswerArguments, BlockArguments, BlockerArguments, BlockerCheckArguments, BlockerCommand,
    CheckpointArguments, CheckpointCommand, ClarifyAddArguments, ClarifyArguments, ClarifyCommand,
    FixedArguments, PublishArguments,
};
pub(crate) use hosted::{
    HookArguments, HostName, PluginArguments, PluginCommand, PluginInstallArguments, PluginScope,
    PluginValidateArguments,
};
pub(crate) use platform::{PlatformArguments, PlatformCommand, WantedArguments};
pub(crate) use start::{
    CompletionsArguments, DemoArguments, DoctorArguments, DriveArguments, InitArguments,
    ManArguments, NotifyArguments, NotifyCommand, Pace, PlaceArguments, PlaceCommand,
    ResumeArguments, RunArguments,
};

pub(crate) use stories::{
    DepsArguments, DepsCommand, DepsScanArguments, FailureAddArguments, FailureAdviceArguments,
    FailureArguments, FailureCommand, FailureListArguments, TddArguments, TddCommand,
    TddStatusArguments, TddValidateArguments,
};
pub(crate) use story::{
    ReviewArguments, StoryAddArguments, StoryArguments, StoryCommand, StoryImplementArguments,
    StoryMoveArguments, StoryUpdateArguments,
};

/// A deterministic workflow engine for coding agents.
///
/// Turns an issue into a pull request and never takes an agent's word for it. Agents do the work;
/// windlass decides the next step and accepts a step only on proof that it has seen itself. Without a
/// command it shows the status and what to do next.
#[derive(Debug, Parser)]
#[command(name = "windlass", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Print machine-readable JSON on standard output
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) json: bool,

    /// The run to work on; by default the newest unfinished run, else the newest run. Commands that
    /// decide something need it where several runs are unfinished
    #[arg(long, global = true, help_heading = "Everywhere", value_name = "RUN")]
    pub(crate) run: Option<String>,

    /// Work on the repository in this folder
    #[arg(short = 'C', long, global = true, help_heading = "Everywhere", value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,

    /// Use colours; `auto` means at a terminal. NO_COLOR and CLICOLOR_FORCE are respected
    #[arg(
        long,
        global = true,
        help_heading = "Everywhere",
        value_name = "auto|always|never",
        default_value = "auto"
    )]
    #[arg(hide_default_value = true, hide_possible_values = true)]
    pub(crate) color: Colour,

    /// Print only errors, the requested data and the last line
    #[arg(short, long, global = true, help_heading = "Everywhere", conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Print more: every event and check of a run, and agent, tries, time and cost of each step
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
    let matches = Cli::command().color(choice).try_get_matches_from(arguments).map_err(suggest)?;
    Cli::from_arg_matches(&matches)
}

/// Names the command that was meant.
///
/// clap compares letters at the same place, so that it knows nothing for `rnu`, and five commands for
/// `stauts`. Where one slip explains the word, that command alone is named.
fn suggest(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let command = Cli::command();
    let known: Vec<&str> = command
        .get_subcommands()
        .filter(|one| !one.is_hide_set())
        .map(clap::Command::get_name)
        .collect();
    // A word of a command within a command is left to clap: the error does not say within which.
    if std::env::args().nth(1).as_ref() == Some(typed)
        && let Some(nearest) = windlass_core::workflow::nearest(typed, known.into_iter())
    {
        let nearest = ContextValue::Strings(vec![nearest.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, nearest);
    }
    error
}

const EXIT_CODES: &str = "\
Exit codes: 0 completed, 1 windlass could not do its work, 2 wrong usage or workflow, \
3 a person is needed, 4 paused or waiting, 5 aborted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a small but real run in a scratch repository
    #[command(after_help = "Examples:\n  windlass demo\n  windlass demo --pace fast --keep seen")]
    Demo(DemoArguments),
    /// Set up a repository: detect its commands, try them, write a workflow; safe to run twice
    #[command(after_help = "Example: windlass init --dry-run")]
    Init(InitArguments),
    /// Start a run
    #[command(
        after_help = "Examples:\n  windlass run \"Add a health endpoint\" --input test=\"make test\" --input publish=false\n  windlass run --issue 42 --input test=\"make test\"\n  windlass run \"Add a health endpoint\" --workflow change --input test=\"make test\" --agent codex"
    )]
    Run(Box<RunArguments>),
    /// Continue a run that is idle, paused or was interrupted
    #[command(after_help = "Example: windlass resume --more attempts=20")]
    Resume(ResumeArguments),
    /// Show where a run stands, why, since when, and what to do next
    #[command(after_help = "Example: windlass status --json")]
    Status(StatusArguments),
    /// Watch a run live, inspect it, and answer its gates
    #[command(
        after_help = "Example: windlass watch\n\nPress ? for the keys. Leaving the view never stops the run."
    )]
    Watch,
    /// Show what happened, event by event
    #[command(after_help = "Examples:\n  windlass log -f\n  windlass log --lines 20")]
    Log(LogArguments),
    /// Show the state of a run at any event, or explain the state of a step
    #[command(
        after_help = "Examples:\n  windlass replay --to 57\n  windlass replay --why implement"
    )]
    Replay(ReplayArguments),
    /// Show what the run, a step or an attempt changed
    #[command(
        after_help = "Examples:\n  windlass diff --stat\n  windlass diff implement\n  windlass diff implement#2 --name-only"
    )]
    Diff(DiffArguments),
    /// Merge the work of a run into your checkout: a fast-forward, or a merge without conflicts
    #[command(
        after_help = "Examples:\n  windlass take\n  windlass take --run k3v9x2ab --unfinished\n\nThe checkout has to be clean; untracked files may stay. Hooks of the repository are not run."
    )]
    Take(TakeArguments),
    /// List, show and restore the files of every attempt, and of work that was sent or rolled back
    #[command(
        after_help = "Examples:\n  windlass trash list\n  windlass trash show implement#1 --patch\n  windlass trash restore implement#1 --to ../old"
    )]
    Trash(TrashArguments),
    /// Write the report of a run as Markdown or as one self-contained HTML file
    #[command(
        after_help = "Examples:\n  windlass report > report.md\n  windlass report --html -o report.html"
    )]
    Report(ReportArguments),
    /// Add up what attempts cost: money, tokens, turns, by step, agent, model and day
    #[command(
        after_help = "Examples:\n  windlass cost\n  windlass cost --by day --since 2026-03-01 --all\n\nWithout --run it adds up all runs of the repository. Unknown costs are counted as unknown, never as zero."
    )]
    Cost(CostArguments),
    /// Show every proof: check, result, strength, evidence
    #[command(after_help = "Example: windlass proofs implement --output")]
    Proofs(ProofsArguments),
    /// Verify the journal: recompute its hash chain and every decision in it
    #[command(after_help = "Example: windlass audit --json")]
    Audit(AuditArguments),
    /// Approve what the gate shows
    #[command(after_help = "Example: windlass approve -m \"looks right\"")]
    Approve(ApproveArguments),
    /// Send the step at the gate, or the failed step, back with a message
    #[command(after_help = "Example: windlass feedback \"use the existing helper\"")]
    Feedback(FeedbackArguments),
    /// Go back to an earlier step
    #[command(after_help = "Example: windlass rollback plan \"the design misses deletion\"")]
    Rollback(RollbackArguments),
    /// Skip a step
    #[command(after_help = "Example: windlass skip docs --reason \"done by hand\"")]
    Skip(SkipArguments),
    /// Pause the run after the running attempt; with --now stop the attempt too
    #[command(after_help = "Example: windlass pause --now")]
    Pause(PauseArguments),
    /// Give a failed step new tries
    #[command(after_help = "Example: windlass retry-reset implement")]
    RetryReset(RetryResetArguments),
    /// End the run; its work is kept
    #[command(after_help = "Example: windlass abort --reason \"not needed any more\"")]
    Abort(AbortArguments),
    /// Report a problem that only a person can solve; the run waits until it is solved
    #[command(
        after_help = "Examples:\n  windlass block \"The Stripe test key is missing\" --check 'grep -q ^STRIPE_KEY= .env'\n  windlass block \"The staging database is down\" --severity high\n\nAgents and people can use it. A person continues with `windlass fixed`."
    )]
    Block(BlockArguments),
    /// List blockers (problems that only a person can solve), and check whether they are solved
    #[command(after_help = "Examples:\n  windlass blocker list\n  windlass blocker check 1 --json")]
    Blocker(BlockerArguments),
    /// Say that a blocker is solved: windlass checks it, then the run continues
    #[command(
        after_help = "Examples:\n  windlass fixed --notes \"the key is in .env\"\n  windlass fixed S2 --notes \"use the sandbox\"\n\nWindlass runs the blocker's check and the workflow's `recheck` first. If they fail, the blocker stays open and the command exits with 3."
    )]
    Fixed(FixedArguments),
    /// List the questions of agents, or add an answer that nobody asked for
    #[command(
        after_help = "Examples:\n  windlass clarify list\n  windlass clarify add --phase analysis --category scope \"Mobile too?\" \"Only the web\""
    )]
    Clarify(ClarifyArguments),
    /// Answer questions of agents
    #[command(
        after_help = "Examples:\n  windlass answer Q1=a Q2=b\n  windlass answer \"Q1=only for admins\"\n  windlass answer Q1=a --recommended"
    )]
    Answer(AnswerArguments),
    /// Name the current state of the code, to come back to it later
    #[command(
        after_help = "Examples:\n  windlass checkpoint before-payments\n  windlass checkpoint list\n  windlass rollback implement \"try again\" --code --checkpoint before-payments"
    )]
    Checkpoint(CheckpointArguments),
    /// Publish the finished part as a draft pull request, without what is blocked
    #[command(after_help = "Example: windlass publish --draft")]
    Publish(PublishArguments),
    /// In a hosting session: ask the person to confirm an approval with a code
    #[command(after_help = "Example: windlass propose approve")]
    Propose(ProposeArguments),
    /// Try the notification that you get at gates, at pauses and at the end
    #[command(after_help = "Example: windlass notify test")]
    Notify(NotifyArguments),
    /// Check a workflow file, and print how many attempts it can use at most
    #[command(after_help = "Example: windlass check .windlass/workflows/change.yaml")]
    Check(CheckArguments),
    /// List, show and eject workflows: built-in ones, yours, and those of the repository
    #[command(after_help = "Example: windlass workflow eject change")]
    Workflow(WorkflowArguments),
    /// List, show and eject agents: the roles that steps name
    #[command(after_help = "Example: windlass agent eject developer")]
    Agent(AgentArguments),
    /// Show what windlass detected in your repository: platform, build, test and lint commands
    #[command(
        after_help = "Examples:\n  windlass platform detect\n  windlass platform get-command test"
    )]
    Platform(PlatformArguments),
    /// Convert a `phases.conf` into a workflow, and say what became of each line
    #[command(
        after_help = "Example: windlass import phases.conf -o .windlass/workflows/phases.yaml"
    )]
    Import(ImportArguments),
    /// Play every path through a workflow with stub agents
    #[command(after_help = "Example: windlass simulate .windlass/workflows/change.yaml\n\n\
        No agent and no check runs: results of checks, verdicts and answers of people are simulated, and \
        each `when` is taken both ways. Exits with 2 when a step or a route can never be reached.")]
    Simulate(SimulateArguments),
    /// Print the JSON Schema of workflow files, for editors
    #[command(after_help = "Example: windlass schema > .windlass/workflow.schema.json")]
    Schema(SchemaArguments),
    /// Draw a workflow: steps, dependencies, gates and routes
    #[command(after_help = "Example: windlass graph change.yaml --mermaid")]
    Graph(GraphArguments),
    /// Check that this machine has what runs need, and show what cannot be enforced here
    #[command(
        after_help = "Examples:\n  windlass doctor\n  windlass doctor --checks change\n  windlass doctor --bundle report-for-the-bug.md"
    )]
    Doctor(DoctorArguments),
    /// Print the completions for a shell
    #[command(
        after_help = "Example: windlass completions bash > ~/.local/share/bash-completion/completions/windlass"
    )]
    Completions(CompletionsArguments),
    /// Print a manual page, or write all of them into a folder
    #[command(
        after_help = "Examples:\n  windlass man run | man -l -\n  windlass man --dir ~/.local/share/man/man1"
    )]
    Man(ManArguments),
    /// Print the folder that a run works in, or remove folders of ended runs
    #[command(after_help = "Example: cd \"$(windlass place)\"")]
    Place(PlaceArguments),
    /// Add, list and change the items that a step repeats over
    #[command(after_help = "Example: windlass item add \"Reset the password by mail\" --id reset")]
    Item(ItemArguments),
    /// Add, change, order and show stories; build a single one
    #[command(
        after_help = "Examples:\n  windlass story list\n  windlass story show S2\n  windlass story implement S2"
    )]
    Story(StoryArguments),
    /// Read a TASKS.md: its tasks, what may run side by side, what is next, what would collide
    #[command(
        after_help = "Examples:\n  windlass tasks next\n  windlass tasks groups TASKS.md --json\n\nIt needs no run."
    )]
    Tasks(TasksArguments),
    /// Change specs by deltas: write, review, approve, apply, set back; OpenSpec's changes too
    #[command(
        after_help = "Examples:\n  windlass delta create REQ-123 add-2fa\n  windlass delta apply --openspec add-2fa\n\nIt needs no run."
    )]
    Delta(DeltaArguments),
    /// Review files: a verdict and findings; nothing is changed
    #[command(
        after_help = "Example: windlass review src/login.rs src/session.rs\n\nExits with 0 for APPROVED and with 4 for CHANGES_REQUESTED."
    )]
    Review(Box<ReviewArguments>),
    /// Find the services outside the repository that a story needs
    #[command(after_help = "Example: windlass deps scan S2")]
    Deps(DepsArguments),
    /// List failures, say whether a retry makes sense, add failures that windlass cannot see
    #[command(
        after_help = "Examples:\n  windlass failure list S2\n  windlass failure advice S2\n  windlass failure add S2 --category external \"the sandbox is down\""
    )]
    Failure(FailureArguments),
    /// Show and check the test-first phase of stories
    #[command(after_help = "Examples:\n  windlass tdd status\n  windlass tdd validate S2 GREEN")]
    Tdd(TddArguments),
    /// Print a summary for an agent that continues the run, at most 4 KiB
    #[command(after_help = "Example: windlass compact --json")]
    Compact,
    /// Answer a hook of a hosting session; the host calls this with the event on standard input
    #[command(
        after_help = "Example: windlass hook claude stop\n\nCalled by hand it decides nothing: only the host's own socket on standard input counts."
    )]
    Hook(HookArguments),
    /// Install the plugin by which windlass steers sessions of Claude Code or Codex
    #[command(after_help = "Examples:\n  windlass plugin install\n  windlass plugin validate")]
    Plugin(PluginArguments),
    /// For agents: publish and read facts
    #[command(after_help = "Example: windlass context set tests.allPassed=true")]
    Context(ContextArguments),
}
