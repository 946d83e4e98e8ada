//! Arguments of the commands by which people and agents say something to a run.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct ApproveArguments {
    /// A message to record with the approval
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// Continue the run at once, as `windlass resume` does, if it is idle
    #[arg(long)]
    pub(crate) resume: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FeedbackArguments {
    /// What should be different
    #[arg(required_unless_present = "token")]
    pub(crate) message: Option<String>,
    /// In a hosting session: pass on the person's last message, by its token
    #[arg(long, value_name = "TOKEN", conflicts_with = "message")]
    pub(crate) token: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ProposeArguments {
    /// What the person probably meant
    #[arg(value_parser = ["approve"])]
    pub(crate) what: String,
}

#[derive(Debug, Args)]
pub(crate) struct RollbackArguments {
    /// The step to go back to
    pub(crate) step: String,
    /// Why
    #[arg(required_unless_present = "token")]
    pub(crate) message: Option<String>,
    /// In a hosting session: pass on the person's last message, by its token
    #[arg(long, value_name = "TOKEN", conflicts_with = "message")]
    pub(crate) token: Option<String>,
    /// Set the code back to where that step began; what is there now is kept
    #[arg(long)]
    pub(crate) code: bool,
    /// With --code: set the code back to this checkpoint instead
    #[arg(long, value_name = "NAME", requires = "code")]
    pub(crate) checkpoint: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SkipArguments {
    /// The step
    pub(crate) step: String,
    /// Why; the report shows it
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Keep the step's unproven work; otherwise it is set aside
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PauseArguments {
    /// Stop the running attempt; this costs no try
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
    /// Why; the report shows it
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ContextArguments {
    #[command(subcommand)]
    pub(crate) command: ContextCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ContextCommand {
    /// Set a key that the step publishes; the value is JSON if it parses, else text
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
    /// Add an item after the existing ones
    #[command(after_help = "Example: windlass item add \"Log in\" --id S1 --body - < story.md")]
    Add(ItemAddArguments),
    /// List the items, their state, and who added them
    #[command(after_help = "Example: windlass item list --json")]
    List,
    /// Change or skip an item that has not been started
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
    /// Skip the item for this reason
    #[arg(long, value_name = "REASON", group = "change", conflicts_with = "reopen")]
    pub(crate) skip: Option<String>,
    /// Bring a skipped item back
    #[arg(long, group = "change")]
    pub(crate) reopen: bool,
}
