//! Arguments of the commands about requirements: task lists and deltas of specs.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct TasksArguments {
    #[command(subcommand)]
    pub(crate) command: TasksCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TasksCommand {
    /// List the tasks of a file: phase, story, file, what they wait for
    #[command(
        after_help = "Examples:\n  windlass tasks parse TASKS.md\n  windlass tasks parse --json"
    )]
    Parse(TasksFile),
    /// Show which tasks may be done side by side, group by group
    #[command(after_help = "Example: windlass tasks groups TASKS.md")]
    Groups(TasksFile),
    /// Show the tasks that can begin now
    #[command(after_help = "Example: windlass tasks next --json")]
    Next(TasksFile),
    /// Show which tasks that may run side by side name the same file
    #[command(
        after_help = "Examples:\n  windlass tasks conflicts TASKS.md\n  windlass tasks parse --json | windlass tasks conflicts --json\n\n\
            Without FILE it reads `{\"tasks\": [...]}` from standard input, unless that is a terminal or empty."
    )]
    Conflicts(TasksFile),
}

impl TasksCommand {
    pub(crate) fn file(&self) -> &TasksFile {
        match self {
            Self::Parse(file) | Self::Groups(file) | Self::Next(file) | Self::Conflicts(file) => {
                file
            }
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct TasksFile {
    /// A TASKS.md, or a stories file (.yaml, .yml, .json); by default the TASKS.md of this folder, else the
    /// only one of a requirement; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<std::path::PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DeltaArguments {
    #[command(subcommand)]
    pub(crate) command: DeltaCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DeltaCommand {
    /// Write a new delta of a requirement, with the spec that it is written against
    #[command(
        after_help = "Example: windlass delta create REQ-123 add-2fa --title \"Add 2FA Support\"\n\nThe folder is <today>-NAME; other commands take NAME or the whole folder name."
    )]
    Create(DeltaCreateArguments),
    /// List deltas: of a requirement, of all, or changes of OpenSpec
    #[command(
        after_help = "Examples:\n  windlass delta list REQ-123\n  windlass delta list --openspec"
    )]
    List(DeltaListArguments),
    /// Show what a delta changes, block by block
    #[command(
        after_help = "Examples:\n  windlass delta show REQ-123 add-2fa\n  windlass delta show --openspec add-2fa --json"
    )]
    Show(DeltaNamed),
    /// Say how far deltas have come, and what keeps them
    #[command(after_help = "Example: windlass delta status REQ-123")]
    Status(DeltaNamed),
    /// Say that a delta is ready to be read
    #[command(after_help = "Example: windlass delta review REQ-123 add-2fa")]
    Review(DeltaNamed),
    /// Accept a delta as it is; only a person can, and any change of the file takes it back
    #[command(after_help = "Example: windlass delta approve REQ-123 add-2fa")]
    Approve(DeltaNamed),
    /// Apply approved deltas to their specs, all or none
    #[command(
        after_help = "Examples:\n  windlass delta apply REQ-123\n  windlass delta apply REQ-123 add-2fa --dry-run\n  windlass delta apply --openspec add-2fa"
    )]
    Apply(DeltaApplyArguments),
    /// Set back what applying a delta changed, byte for byte
    #[command(after_help = "Example: windlass delta revert REQ-123 add-2fa")]
    Revert(DeltaNamed),
    /// Show what open deltas would do to each other and to a spec that has changed
    #[command(
        after_help = "Examples:\n  windlass delta conflicts REQ-123\n  windlass delta conflicts --openspec add-2fa"
    )]
    Conflicts(DeltaNamed),
}

#[derive(Debug, Args)]
pub(crate) struct DeltaCreateArguments {
    /// The requirement, such as REQ-123
    pub(crate) req: String,
    /// What the delta is called: small letters, digits and `-`
    pub(crate) name: String,
    /// What it is about; by default its name
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The spec that it changes: PRD.md, or specs/modules/<module>/spec.md
    #[arg(long, value_name = "SPEC", default_value = "PRD.md")]
    pub(crate) target: String,
}

#[derive(Debug, Args)]
pub(crate) struct DeltaListArguments {
    /// The requirement; by default all
    pub(crate) req: Option<String>,
    /// List the changes in openspec/changes, or the specs of one
    #[arg(long, value_name = "CHANGE", num_args = 0..=1, default_missing_value = "", conflicts_with = "req")]
    pub(crate) openspec: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DeltaNamed {
    /// The requirement, such as REQ-123
    #[arg(required_unless_present = "openspec")]
    pub(crate) req: Option<String>,
    /// The delta; may be left out where all of the requirement can be meant
    pub(crate) name: Option<String>,
    /// A change of OpenSpec instead, in openspec/changes
    #[arg(long, value_name = "CHANGE", conflicts_with_all = ["req", "name"])]
    pub(crate) openspec: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DeltaApplyArguments {
    #[command(flatten)]
    pub(crate) named: DeltaNamed,
    /// Say what would change, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
