//! Arguments.

mod decide;
mod define;
mod follow;
mod help;
mod hosted;
mod platform;
mod start;
mod stories;
mod story;

use std::path::PathBuf;

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
pub(crate) use follow::{
    Against, AuditArguments, CostArguments, CostKey, DiffArguments, LogArguments, ProofsArguments,
    ReplayArguments, ReportArguments, RestoreArguments, StatusArguments, TrashArguments,
    TrashCommand, TrashShowArguments,
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
    ManArguments, Pace, PlaceArguments, PlaceCommand, ResumeArguments, RunArguments,
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
/// Agents do the work; windlass decides what is next and accepts each step only on proof that it
/// has seen itself. Without a command it says where things stand and what to do next.
#[derive(Debug, Parser)]
#[command(name = "windlass", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Print machine-readable JSON on standard output
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) json: bool,

    /// The run to work on; by default the newest unfinished one, else the newest. To decide, it has to
    /// be named where several are unfinished
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
    #[command(
        after_help = "Examples:\n  windlass run \"Add a health endpoint\" --input test=\"make test\" --input publish=false\n  windlass run --issue 42 --input test=\"make test\"\n  windlass run \"Add a health endpoint\" --workflow change --input test=\"make test\" --agent codex"
    )]
    Run(Box<RunArguments>),
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
    #[command(after_help = "Examples:\n  windlass log -f\n  windlass log --lines 20")]
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
    /// Add up what attempts cost: money, tokens, turns, by step, agent, model and day
    #[command(
        after_help = "Examples:\n  windlass cost\n  windlass cost --by day --since 2026-03-01 --all\n\nWithout --run it adds up all runs of the repository. What is unknown is counted as unknown, never as zero."
    )]
    Cost(CostArguments),
    /// Show every proof: check, verdict, strength, evidence
    #[command(after_help = "Example: windlass proofs implement --output")]
    Proofs(ProofsArguments),
    /// Check the journal: its chain, and every decision in it again
    #[command(after_help = "Example: windlass audit --json")]
    Audit(AuditArguments),
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
    /// Ask a person for help: the run waits until it is put right
    #[command(
        after_help = "Examples:\n  windlass block \"The Stripe test key is missing\" --check 'grep -q ^STRIPE_KEY= .env'\n  windlass block \"The staging database is down\" --severity high\n\nAgents and people can say it. A person goes on with `windlass fixed`."
    )]
    Block(BlockArguments),
    /// List what only a person can put right, and look whether it is
    #[command(after_help = "Examples:\n  windlass blocker list\n  windlass blocker check 1 --json")]
    Blocker(BlockerArguments),
    /// Say that a blocker is put right: it is looked at, and the run goes on
    #[command(
        after_help = "Examples:\n  windlass fixed --notes \"the key is in .env\"\n  windlass fixed S2 --notes \"use the sandbox\"\n\nIts check and the workflow's `recheck` come first. If they fail, the blocker stays, says why, and the command exits with 3."
    )]
    Fixed(FixedArguments),
    /// List what agents asked, or say something unasked
    #[command(
        after_help = "Examples:\n  windlass clarify list\n  windlass clarify add --phase analysis --category scope \"Mobile too?\" \"Only the web\""
    )]
    Clarify(ClarifyArguments),
    /// Answer what agents ask
    #[command(
        after_help = "Examples:\n  windlass answer Q1=a Q2=b\n  windlass answer \"Q1=only for admins\"\n  windlass answer Q1=a --recommended"
    )]
    Answer(AnswerArguments),
    /// Give the code as it is a name, to come back to
    #[command(
        after_help = "Examples:\n  windlass checkpoint before-payments\n  windlass checkpoint list\n  windlass rollback implement \"try again\" --code --checkpoint before-payments"
    )]
    Checkpoint(CheckpointArguments),
    /// Publish what is done as a draft pull request, without what is blocked
    #[command(after_help = "Example: windlass publish --draft")]
    Publish(PublishArguments),
    /// In a hosting session: ask the person whether they meant to approve; they answer with a code
    #[command(after_help = "Example: windlass propose approve")]
    Propose(ProposeArguments),
    /// Check a workflow file and print the most attempts it can use
    #[command(after_help = "Example: windlass check .windlass/workflows/change.yaml")]
    Check(CheckArguments),
    /// List, show and eject workflows: built-in ones, yours, and this repository's
    #[command(after_help = "Example: windlass workflow eject change")]
    Workflow(WorkflowArguments),
    /// List, show and eject agents: the roles that steps name
    #[command(after_help = "Example: windlass agent eject developer")]
    Agent(AgentArguments),
    /// Say what the repository is built with, and how it is built, tested and checked
    #[command(
        after_help = "Examples:\n  windlass platform detect\n  windlass platform get-command test"
    )]
    Platform(PlatformArguments),
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
        after_help = "Examples:\n  windlass doctor\n  windlass doctor --checks change\n  windlass doctor --bundle report-for-the-bug.md"
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
    #[command(after_help = "Example: windlass item add \"Reset the password by mail\" --id reset")]
    Item(ItemArguments),
    /// Add, change, order and show stories; build one alone
    #[command(
        after_help = "Examples:\n  windlass story list\n  windlass story show S2\n  windlass story implement S2"
    )]
    Story(StoryArguments),
    /// Review files, alone: a verdict and findings; nothing is changed
    #[command(
        after_help = "Example: windlass review src/login.rs src/session.rs\n\nExits with 0 for APPROVED and with 4 for CHANGES_REQUESTED."
    )]
    Review(Box<ReviewArguments>),
    /// Find the services outside the repository that a story needs
    #[command(after_help = "Example: windlass deps scan S2")]
    Deps(DepsArguments),
    /// List what failed, say whether trying again is worth it, note what windlass cannot see
    #[command(
        after_help = "Examples:\n  windlass failure list S2\n  windlass failure advice S2\n  windlass failure add S2 --category external \"the sandbox is down\""
    )]
    Failure(FailureArguments),
    /// Show and check the phase of test-first work that stories are in
    #[command(after_help = "Examples:\n  windlass tdd status\n  windlass tdd validate S2 GREEN")]
    Tdd(TddArguments),
    /// Print what an agent needs that goes on with the run, in at most 4 KiB
    #[command(after_help = "Example: windlass compact --json")]
    Compact,
    /// Answer a hook of a hosting session; the host calls this, and gives the event on standard input
    #[command(
        after_help = "Example: windlass hook claude stop\n\nCalled by hand it decides nothing: who calls is told by standard input."
    )]
    Hook(HookArguments),
    /// Have windlass steer sessions of Claude Code or Codex, through their hooks
    #[command(after_help = "Examples:\n  windlass plugin install\n  windlass plugin validate")]
    Plugin(PluginArguments),
    /// The agent's side: publish and read facts
    #[command(after_help = "Example: windlass context set tests.allPassed=true")]
    Context(ContextArguments),
}
