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
pub(crate) struct AgentArguments {
    #[command(subcommand)]
    pub(crate) command: AgentCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// List every role: what it is for, its model, and which file counts
    #[command(after_help = "Example: windlass agent list")]
    List,
    /// Print a role's file; with --json what was read from it
    #[command(after_help = "Example: windlass agent show code-reviewer")]
    Show {
        /// The name of a role
        agent: String,
    },
    /// Write built-in roles into `.windlass/agents`, to change them
    #[command(
        after_help = "Examples:\n  windlass agent eject developer reviewer\n  windlass agent eject --all"
    )]
    Eject {
        /// Names of built-in roles
        #[arg(required_unless_present = "all", value_name = "AGENT")]
        agents: Vec<String>,
        /// Write all of them; those that are there already stay
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
    /// A workflow file, or the name of one, see `windlass workflow list`; without it the one that
    /// `windlass run` is set to
    pub(crate) workflow: Option<String>,
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
    /// Which file: a workflow, or what an agent writes for a `stories` or a `questions` check
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
    /// Print the comment that tells editors where the schema is, seen from the workflow file
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
    /// A workflow file, or the name of one, see `windlass workflow list`
    pub(crate) workflow: String,
    /// As a Mermaid flowchart
    #[arg(long, conflicts_with = "dot")]
    pub(crate) mermaid: bool,
    /// As a Graphviz digraph
    #[arg(long)]
    pub(crate) dot: bool,
}
