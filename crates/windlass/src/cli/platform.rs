//! Arguments of the commands around platforms.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct PlatformArguments {
    #[command(subcommand)]
    pub(crate) command: PlatformCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlatformCommand {
    /// Show what windlass detected in your repository: matching platforms, the choice and why
    #[command(
        after_help = "Examples:\n  windlass platform detect\n  windlass platform detect --platform web=node-pnpm --json"
    )]
    Detect {
        #[command(flatten)]
        wanted: WantedArguments,
    },
    /// List all platforms: priority, marker files, and the file that is used
    #[command(after_help = "Example: windlass platform list")]
    List,
    /// Print the file of a platform; with --json as it was parsed
    #[command(after_help = "Example: windlass platform show rust")]
    Show {
        /// The name of a platform
        platform: String,
    },
    /// Print the command that builds, tests or checks this repository
    #[command(
        after_help = "Examples:\n  windlass platform get-command test\n  windlass platform get-command lint --root web\n\nExits with 2 when the platform has no such command."
    )]
    GetCommand {
        /// What it is for: prepare, build, test, lint, lintFix, coverage or run
        #[arg(value_name = "COMMAND")]
        name: String,
        /// The folder, where platforms differ by folder
        #[arg(long, value_name = "FOLDER")]
        root: Option<String>,
        #[command(flatten)]
        wanted: WantedArguments,
    },
    /// Copy built-in platforms into `.windlass/platforms`, to change them
    #[command(after_help = "Example: windlass platform eject rust")]
    Eject {
        /// Names of built-in platforms
        #[arg(required = true, value_name = "PLATFORM")]
        platforms: Vec<String>,
    },
    /// Check a platform file
    #[command(
        after_help = "Example: windlass platform check .windlass/platforms/zig/platform.json"
    )]
    Check {
        /// The file
        file: PathBuf,
    },
}

/// What is said about the platform besides what the files say.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct WantedArguments {
    /// Use this platform where it matches, or for one folder; `FOLDER=none` leaves a folder out
    #[arg(long = "platform", value_name = "NAME|FOLDER=NAME")]
    pub(crate) platforms: Vec<String>,
}
