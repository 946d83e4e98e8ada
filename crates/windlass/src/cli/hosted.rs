//! Arguments of the commands around sessions that windlass steers.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use windlass_core::hook::HookEvent;
use windlass_core::time::Span;

#[derive(Debug, Args)]
pub(crate) struct HookArguments {
    /// The program that hosts the session
    #[arg(value_name = "claude|codex", hide_possible_values = true)]
    pub(crate) host: HostName,
    /// The event, for example `stop` or `pre-tool-use`
    #[arg(value_parser = event)]
    pub(crate) event: HookEvent,
}

fn event(word: &str) -> Result<HookEvent, String> {
    HookEvent::parse(word).ok_or_else(|| {
        let known: Vec<&str> = HookEvent::ALL.iter().map(|event| event.argument()).collect();
        format!("the events are {}", known.join(", "))
    })
}

#[derive(Debug, Args)]
pub(crate) struct PluginArguments {
    #[command(subcommand)]
    pub(crate) command: PluginCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PluginCommand {
    /// Put windlass's hooks, commands and agents into Claude Code or Codex; safe to run twice
    #[command(
        after_help = "Examples:\n  windlass plugin install\n  windlass plugin install --project --dry-run\n  windlass plugin install --host codex"
    )]
    Install(PluginInstallArguments),
    /// Check that the installed plugin is complete and of this version of windlass
    #[command(
        after_help = "Example: windlass plugin validate\n\nExits with 2 when something is wrong."
    )]
    Validate(PluginValidateArguments),
    /// Undo what `plugin install` did, and nothing else
    #[command(after_help = "Example: windlass plugin uninstall --project")]
    Uninstall(PluginUninstallArguments),
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum HostName {
    #[default]
    Claude,
    Codex,
}

#[derive(Debug, Args)]
pub(crate) struct PluginScope {
    /// Only in sessions in this repository
    #[arg(long, conflicts_with = "user")]
    pub(crate) project: bool,
    /// In all your sessions; this is the default
    #[arg(long)]
    pub(crate) user: bool,
    /// The program that hosts the sessions
    #[arg(long, value_name = "claude|codex", default_value = "claude")]
    #[arg(hide_default_value = true, hide_possible_values = true)]
    pub(crate) host: HostName,
    /// Print what would change; change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PluginInstallArguments {
    #[command(flatten)]
    pub(crate) scope: PluginScope,
    /// How long your longest check takes, such as 3h; the timeout of hooks that run checks is set above
    /// it, to at least two hours
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub(crate) longest_check: Option<Span>,
}

#[derive(Debug, Args)]
pub(crate) struct PluginUninstallArguments {
    #[command(flatten)]
    pub(crate) scope: PluginScope,
}

#[derive(Debug, Args)]
pub(crate) struct PluginValidateArguments {
    /// The folder with the plugin's marketplace; by default the installed one
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

fn span(text: &str) -> Result<Span, String> {
    Span::parse(text).ok_or_else(|| "write a time such as `90m` or `3h`".to_owned())
}
