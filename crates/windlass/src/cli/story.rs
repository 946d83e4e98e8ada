//! Arguments of `windlass story` and `windlass review`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::start::StartArguments;

#[derive(Debug, Args)]
pub(crate) struct StoryArguments {
    #[command(subcommand)]
    pub(crate) command: StoryCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoryCommand {
    /// Add a story after the existing ones
    #[command(
        after_help = "Example: windlass story add \"Reset the password by mail\" --id S4 --criterion \"POST /reset answers 202\" --depends-on S1"
    )]
    Add(Box<StoryAddArguments>),
    /// Change or skip a story that has not been started
    #[command(
        after_help = "Examples:\n  windlass story update S4 --size L\n  windlass story update S4 --skip \"not in this release\""
    )]
    Update(Box<StoryUpdateArguments>),
    /// List the stories: status, size, phase, what is proven, what each depends on
    #[command(after_help = "Example: windlass story list --json")]
    List,
    /// Show everything about a story: criteria, tests, proofs, commits, findings
    #[command(after_help = "Example: windlass story show S2")]
    Show {
        /// The story
        id: String,
    },
    /// Move a story earlier or later; stories still wait for those that they depend on
    #[command(
        after_help = "Examples:\n  windlass story move S4 --before S2\n  windlass story move S4 --first"
    )]
    Move(StoryMoveArguments),
    /// Build a single story in its own run
    #[command(
        after_help = "Examples:\n  windlass story implement S2\n  windlass story implement S2 --file specs/stories.yaml\n\nThe story is read from the newest run of this repository that has it, or from the file. The run uses the workflow `story`."
    )]
    Implement(Box<StoryImplementArguments>),
}

#[derive(Debug, Args)]
pub(crate) struct StoryAddArguments {
    /// What it is, in one line
    pub(crate) title: String,
    /// Its name: `S` and a number; by default the next one
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// How large it is: S, M, L or XL
    #[arg(long, value_name = "SIZE", default_value = "M")]
    pub(crate) size: String,
    /// An acceptance criterion that a test can show; without one the design step is asked for it
    #[arg(long = "criterion", value_name = "TEXT")]
    pub(crate) criteria: Vec<String>,
    /// The story needs a security review
    #[arg(long)]
    pub(crate) security: bool,
    /// Stories that have to be done first
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) depends_on: Vec<String>,
    /// A file that it is expected to touch
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<String>,
    /// How it is to be built, in a few sentences
    #[arg(long, value_name = "TEXT")]
    pub(crate) design: Option<String>,
    /// What is asked for, as Markdown; `-` reads it from standard input
    #[arg(long, value_name = "TEXT|-")]
    pub(crate) body: Option<String>,
    /// The step that repeats over it, where there is more than one
    #[arg(long, value_name = "STEP")]
    pub(crate) step: Option<String>,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("change").required(true).multiple(true)))]
pub(crate) struct StoryUpdateArguments {
    /// The story
    pub(crate) id: String,
    /// Another title
    #[arg(long, value_name = "TEXT", group = "change")]
    pub(crate) title: Option<String>,
    /// Another size: S, M, L or XL
    #[arg(long, value_name = "SIZE", group = "change")]
    pub(crate) size: Option<String>,
    /// Other criteria, in place of all that are there
    #[arg(long = "criterion", value_name = "TEXT", group = "change")]
    pub(crate) criteria: Vec<String>,
    /// The story needs a security review
    #[arg(long, group = "change")]
    pub(crate) security: bool,
    /// The story needs no security review
    #[arg(long, group = "change", conflicts_with = "security")]
    pub(crate) no_security: bool,
    /// Other stories that have to be done first; `none` for none
    #[arg(long, value_name = "ID", value_delimiter = ',', group = "change")]
    pub(crate) depends_on: Vec<String>,
    /// Other files, in place of all that are there
    #[arg(long = "file", value_name = "PATH", group = "change")]
    pub(crate) files: Vec<String>,
    /// Another design
    #[arg(long, value_name = "TEXT", group = "change")]
    pub(crate) design: Option<String>,
    /// Another body; `-` reads it from standard input
    #[arg(long, value_name = "TEXT|-", group = "change")]
    pub(crate) body: Option<String>,
    /// Skip the story for this reason
    #[arg(long, value_name = "REASON", group = "change", conflicts_with = "reopen")]
    pub(crate) skip: Option<String>,
    /// Bring a skipped story back
    #[arg(long, group = "change")]
    pub(crate) reopen: bool,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("to").required(true)))]
pub(crate) struct StoryMoveArguments {
    /// The story
    pub(crate) id: String,
    /// Before this one
    #[arg(long, value_name = "ID", group = "to")]
    pub(crate) before: Option<String>,
    /// Before all that have not been started
    #[arg(long, group = "to")]
    pub(crate) first: bool,
    /// After all others
    #[arg(long, group = "to")]
    pub(crate) last: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StoryImplementArguments {
    /// The story
    pub(crate) id: String,
    /// Take it from this file of stories
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Build it although it is built already, or an unfinished run works on it
    #[arg(long)]
    pub(crate) again: bool,
    #[command(flatten)]
    pub(crate) start: StartArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ReviewArguments {
    /// The files to review
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// What to look for
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: Option<String>,
    #[command(flatten)]
    pub(crate) start: StartArguments,
}
