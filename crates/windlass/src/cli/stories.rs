//! Arguments of the commands about stories: what they need from outside, what failed, how far they
//! have come.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use windlass_core::run::Category;

#[derive(Debug, Args)]
pub(crate) struct DepsArguments {
    #[command(subcommand)]
    pub(crate) command: DepsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DepsCommand {
    /// List the services that a story's text and the repository's dependencies mention
    #[command(
        after_help = "Examples:\n  windlass deps scan S2\n  windlass deps scan --text \"Pay with Stripe\" --json\n\n\
            `services:` in .windlass/config.yaml adds services of your own."
    )]
    Scan(DepsScanArguments),
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("words").required(true)))]
pub(crate) struct DepsScanArguments {
    /// The story of the run, by its id
    #[arg(group = "words")]
    pub(crate) story: Option<String>,
    /// Scan this text instead; no run is needed
    #[arg(long, value_name = "TEXT", group = "words")]
    pub(crate) text: Option<String>,
    /// Scan this file instead; no run is needed
    #[arg(long, value_name = "FILE", group = "words")]
    pub(crate) file: Option<PathBuf>,
    /// Do not scan the dependencies of the repository
    #[arg(long)]
    pub(crate) no_manifests: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FailureArguments {
    #[command(subcommand)]
    pub(crate) command: FailureCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FailureCommand {
    /// List failed attempts, and failures that people and agents added
    #[command(after_help = "Examples:\n  windlass failure list\n  windlass failure list S2 --json")]
    List(FailureListArguments),
    /// Say whether a retry makes sense, after how long, or whether a person has to help
    #[command(after_help = "Example: windlass failure advice S2 --json")]
    Advice(FailureAdviceArguments),
    /// Add a failure that windlass cannot see: the next prompt mentions it, the advice counts it
    #[command(
        after_help = "Examples:\n  windlass failure add S2 --category external \"the sandbox of the bank is down\"\n  windlass failure add S2 \"npm ERR! code ECONNRESET\""
    )]
    Add(FailureAddArguments),
}

#[derive(Debug, Args)]
pub(crate) struct FailureListArguments {
    /// Only this story or step
    #[arg(value_name = "STORY|STEP")]
    pub(crate) about: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct FailureAdviceArguments {
    /// The story, or a step
    #[arg(value_name = "STORY|STEP")]
    pub(crate) about: String,
}

#[derive(Debug, Args)]
pub(crate) struct FailureAddArguments {
    /// The story, or a step
    #[arg(value_name = "STORY|STEP")]
    pub(crate) about: String,
    /// What happened, in one or a few sentences
    pub(crate) text: String,
    /// The kind of failure; optional where a failure rule matches the text
    #[arg(long, value_name = "CATEGORY", value_parser = category)]
    pub(crate) category: Option<Category>,
}

fn category(word: &str) -> Result<Category, String> {
    let named = Category::ALL.into_iter().find(|category| category.to_string() == word);
    named.ok_or_else(|| {
        let all: Vec<String> = Category::ALL.iter().map(ToString::to_string).collect();
        format!("expected one of {}", all.join(", "))
    })
}

#[derive(Debug, Args)]
pub(crate) struct TddArguments {
    #[command(subcommand)]
    pub(crate) command: TddCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TddCommand {
    /// Show the phase of each story, or of one: RED, GREEN, REFACTOR or VERIFY
    #[command(after_help = "Examples:\n  windlass tdd status\n  windlass tdd status S2 --json")]
    Status(TddStatusArguments),
    /// Check whether a story is in this phase; exits with 4 when it is not
    #[command(after_help = "Example: windlass tdd validate S2 GREEN --json")]
    Validate(TddValidateArguments),
}

#[derive(Debug, Args)]
pub(crate) struct TddStatusArguments {
    /// The story; by default all
    pub(crate) story: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TddValidateArguments {
    /// The story
    pub(crate) story: String,
    /// The phase: RED, GREEN, REFACTOR or VERIFY
    #[arg(value_parser = ["RED", "GREEN", "REFACTOR", "VERIFY"], ignore_case = true)]
    pub(crate) phase: String,
}
