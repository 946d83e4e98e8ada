//! Arguments of the commands about what a run needs from a person, and what people ask of it besides.

use clap::{Args, Subcommand};
use windlass_core::question::Phase;
use windlass_core::run::Severity;
use windlass_core::time::Span;

use super::start::DriveArguments;

#[derive(Debug, Args)]
pub(crate) struct BlockArguments {
    /// What is missing or wrong, so that a person knows what to do
    pub(crate) message: String,
    /// A shell command that exits with 0 once the problem is solved; it runs where checks run
    #[arg(long, value_name = "CMD")]
    pub(crate) check: Option<String>,
    /// How long the check may take
    #[arg(long, value_name = "TIME", value_parser = span, default_value = "60s", requires = "check")]
    pub(crate) timeout: Span,
    /// How severe it is
    #[arg(long, value_name = "low|medium|high|critical", value_parser = severity, default_value = "medium")]
    pub(crate) severity: Severity,
}

#[derive(Debug, Args)]
pub(crate) struct BlockerArguments {
    #[command(subcommand)]
    pub(crate) command: BlockerCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BlockerCommand {
    /// List the blockers and their state; also blocked stories and steps
    #[command(after_help = "Example: windlass blocker list --json")]
    List,
    /// Check whether a blocker is solved, without changing anything; exits with 3 when it is not
    #[command(
        after_help = "Examples:\n  windlass blocker check\n  windlass blocker check 2 --json\n\n\
            Runs the blocker's own check first, then the workflow's `recheck`."
    )]
    Check(BlockerCheckArguments),
}

#[derive(Debug, Args)]
pub(crate) struct BlockerCheckArguments {
    /// The number of the blocker; by default the open one
    #[arg(value_name = "BLOCKER", value_parser = blocker_id)]
    pub(crate) blocker: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct FixedArguments {
    /// The number of a blocker, or a blocked story or step; by default what the run waits for
    #[arg(value_name = "BLOCKER|STORY|STEP")]
    pub(crate) what: Option<String>,
    /// What you did; the next agent is told
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
    #[command(flatten)]
    pub(crate) drive: DriveArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ClarifyArguments {
    #[command(subcommand)]
    pub(crate) command: ClarifyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClarifyCommand {
    /// List the questions, their choices, and the answers or assumptions
    #[command(after_help = "Example: windlass clarify list --json")]
    List,
    /// Add an answer that nobody asked for; all later steps are told
    #[command(
        after_help = "Example: windlass clarify add --phase planning --category careful \"What must not break?\" \"The billing job\""
    )]
    Add(ClarifyAddArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ClarifyAddArguments {
    /// The phase that it belongs before
    #[arg(long, value_name = "analysis|planning", value_parser = phase)]
    pub(crate) phase: Phase,
    /// What it is about; before analysis: scope, priority, constraints, integration, users, data,
    /// errors; before planning: order, preferences, careful, missing
    #[arg(long, value_name = "CATEGORY")]
    pub(crate) category: String,
    /// The question that it answers
    pub(crate) question: String,
    /// The answer
    pub(crate) text: String,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("wanted").required(true).multiple(true)))]
pub(crate) struct AnswerArguments {
    /// A question, and a choice or your own text
    #[arg(value_name = "QUESTION=CHOICE|TEXT", group = "wanted")]
    pub(crate) answers: Vec<String>,
    /// Read what follows `=` as text, even where a choice has that name
    #[arg(long, requires = "answers")]
    pub(crate) text: bool,
    /// Accept the recommendation of every other open question as your answer
    #[arg(long, group = "wanted")]
    pub(crate) recommended: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct CheckpointArguments {
    /// Its name: letters, digits, `-`, `_` and `.`; by default C1, C2 …
    pub(crate) name: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Option<CheckpointCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CheckpointCommand {
    /// List the checkpoints of the run
    #[command(after_help = "Example: windlass checkpoint list --json")]
    List,
}

#[derive(Debug, Args)]
pub(crate) struct PublishArguments {
    /// Open a draft pull request with the finished part; what is blocked is left out
    #[arg(long, required = true)]
    pub(crate) draft: bool,
    #[command(flatten)]
    pub(crate) drive: DriveArguments,
}

fn span(text: &str) -> Result<Span, String> {
    let span = Span::parse(text).filter(|span| span.0 > 0);
    span.ok_or_else(|| "write a time such as `90s` or `5m`".to_owned())
}

fn severity(word: &str) -> Result<Severity, String> {
    let all = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical];
    all.into_iter()
        .find(|severity| severity.as_str() == word)
        .ok_or_else(|| "expected one of low, medium, high, critical".to_owned())
}

fn phase(word: &str) -> Result<Phase, String> {
    let named = Phase::ALL.into_iter().find(|phase| phase.as_str() == word);
    named.ok_or_else(|| "expected analysis or planning".to_owned())
}

fn blocker_id(word: &str) -> Result<u32, String> {
    let number = word.trim_start_matches(['B', 'b', '#']).parse();
    number.map_err(|_| "write the number of a blocker, see `windlass blocker list`".to_owned())
}
