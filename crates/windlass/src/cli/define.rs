//! Arguments of the commands around workflow files.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct WorkflowArguments {
    #[command(subcommand)]
    pub(crate) command: WorkflowCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowCommand {
    /// List all workflows
    #[command(after_help = "Example: windlass workflow list")]
    List,
    /// Print the file of a workflow; with --json as it was parsed
    #[command(after_help = "Example: windlass workflow show change")]
    Show {
        /// A workflow file or a name
        workflow: String,
    },
    /// Copy a built-in workflow into `.windlass/workflows`, to change it
    #[command(after_help = "Example: windlass workflow eject change")]
    Eject {
        /// The name of a built-in workflow
        workflow: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AgentArguments {
    #[command(subcommand)]
    pub(crate) command: AgentCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// List all roles: purpose, model, and the file that is used
    #[command(after_help = "Example: windlass agent list")]
    List,
    /// Print the file of a role; with --json as it was parsed
    #[command(after_help = "Example: windlass agent show code-reviewer")]
    Show {
        /// The name of a role
        agent: String,
    },
    /// Copy built-in roles into `.windlass/agents`, to change them
    #[command(
        after_help = "Examples:\n  windlass agent eject developer reviewer\n  windlass agent eject --all"
    )]
    Eject {
        /// Names of built-in roles
        #[arg(required_unless_present = "all", value_name = "AGENT")]
        agents: Vec<String>,
        /// Copy all of them; existing files stay
        #[arg(long, conflicts_with = "agents")]
        all: bool,
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
    /// A workflow file or name, see `windlass workflow list`; by default the one that `windlass run`
    /// uses
    pub(crate) workflow: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SimulateArguments {
    /// A workflow file or name, see `windlass workflow list`
    pub(crate) workflow: String,
    /// Set an input of the workflow
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Which schema: of workflow files, or of the file that a `stories` or `questions` check reads
    #[arg(
        value_name = "workflow|stories|questions",
        hide_possible_values = true,
        default_value = "workflow",
        hide_default_value = true
    )]
    pub(crate) of: SchemaOf,
    /// Print the reference of all keys as Markdown instead
    #[arg(long, conflicts_with_all = ["modeline", "of"])]
    pub(crate) markdown: bool,
    /// Print the comment that tells editors where the schema is, relative to the workflow file
    #[arg(
        long,
        value_name = "SCHEMA",
        conflicts_with = "of",
        num_args = 0..=1,
        default_missing_value = windlass_core::workflow::SCHEMA_BESIDE_WORKFLOWS
    )]
    pub(crate) modeline: Option<String>,
}

/// What a schema is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SchemaOf {
    Workflow,
    Stories,
    Questions,
}

#[derive(Debug, Args)]
pub(crate) struct GraphArguments {
    /// A workflow file or name, see `windlass workflow list`
    pub(crate) workflow: String,
    /// As a Mermaid flowchart
    #[arg(long, conflicts_with = "dot")]
    pub(crate) mermaid: bool,
    /// As a Graphviz digraph
    #[arg(long)]
    pub(crate) dot: bool,
}
