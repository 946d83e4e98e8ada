//! `windlass plugin`: windlass's hooks in programs that host sessions.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde_json::json;
use windlass_core::mcp::McpServer;
use windlass_core::workflow::Workflow;
use windlass_engine::git::UserRepository;
use windlass_engine::home::Home;
use windlass_engine::plugin::{self, Act, Change, Finding, Host, PluginError, Scope, Surroundings};
use windlass_engine::process_table::ancestry;

use crate::builtin;
use crate::cli::{
    Cli, HostName, PluginArguments, PluginCommand, PluginInstallArguments, PluginScope,
    PluginValidateArguments,
};
use crate::error::{CommandError, EXIT_USAGE};
use crate::output::Output;
use crate::surroundings;

/// What has to be done after installing, because only a person can.
const TRUST: &str = "Codex skips hooks that nobody has trusted, without a word: start `codex` once, and trust \
    windlass's hooks when it asks";

pub(crate) fn plugin(
    cli: &Cli,
    arguments: &PluginArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let home = surroundings::home()?;
    match &arguments.command {
        PluginCommand::Install(arguments) => install(cli, arguments, &home, output),
        PluginCommand::Uninstall(arguments) => uninstall(cli, &arguments.scope, &home, output),
        PluginCommand::Validate(arguments) => validate(arguments, &home, output),
    }
}

fn install(
    cli: &Cli,
    arguments: &PluginInstallArguments,
    home: &Home,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    refuse_agents(home)?;
    let (host, scope, act) = wished(cli, &arguments.scope)?;
    let longest = arguments.longest_check.map(windlass_core::time::Span::to_duration);
    let changes = within(home, |here| plugin::install(here, host, &scope, longest, act))?;
    let next = match host {
        Host::Claude => {
            "start a new session of Claude Code; `/windlass:status` says whether it works"
        }
        Host::Codex => TRUST,
    };
    report(&changes, act, Some(next), output);
    Ok(ExitCode::SUCCESS)
}

fn uninstall(
    cli: &Cli,
    wish: &PluginScope,
    home: &Home,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    refuse_agents(home)?;
    let (host, scope, act) = wished(cli, wish)?;
    let changes = within(home, |here| plugin::uninstall(here, host, &scope, act))?;
    report(&changes, act, None, output);
    Ok(ExitCode::SUCCESS)
}

fn validate(
    arguments: &PluginValidateArguments,
    home: &Home,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let folder = arguments.folder.as_deref().map(std::path::absolute).transpose();
    let folder = folder.map_err(CommandError::failure)?;
    if let Some(folder) = folder.as_deref().filter(|folder| !folder.is_dir()) {
        return Err(CommandError::usage(format!("there is no folder `{}`", folder.display()))
            .hint("name a folder with a marketplace in it, or none for the installed one"));
    }
    let findings = within(home, |here| plugin::validate(here, folder.as_deref()))?;
    let ok = findings.iter().all(|finding| finding.ok != Some(false));
    if output.is_json() {
        output.json(&json!({"ok": ok, "findings": findings}));
    } else {
        for finding in &findings {
            output.data(&line(finding));
        }
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::from(EXIT_USAGE) })
}

fn line(finding: &Finding) -> String {
    let word = match finding.ok {
        Some(true) => "ok",
        Some(false) => "WRONG",
        None => "not looked at",
    };
    let mut line = format!("{word}: {}", finding.check);
    for detail in &finding.details {
        line.push_str("\n  ");
        line.push_str(detail);
    }
    line
}

/// Hooks are what holds agents back in a hosted session: they do not change them.
fn refuse_agents(home: &Home) -> Result<(), CommandError> {
    let me = i32::try_from(std::process::id()).unwrap_or(-1);
    // Launchers of every repository are known by their arguments.
    let below = ancestry::is_below_launcher(me, &home.protected());
    // In a box the user's plugin is not there; the variable serves only to say so.
    if below.map_err(CommandError::failure)? || std::env::var_os("WINDLASS_ATTEMPT").is_some() {
        return Err(CommandError::usage("an agent or a check cannot change the plugin")
            .hint("only a person can do that, in a terminal of their own"));
    }
    Ok(())
}

fn wished(cli: &Cli, wish: &PluginScope) -> Result<(Host, Scope, Act), CommandError> {
    let host = match wish.host {
        HostName::Claude => Host::Claude,
        HostName::Codex => Host::Codex,
    };
    let scope = if wish.project {
        Scope::Project(UserRepository::top_level_of(&surroundings::folder(cli)?)?)
    } else {
        Scope::User
    };
    Ok((host, scope, if wish.dry_run { Act::Look } else { Act::Do }))
}

/// Does something with what this program is and where it stands.
fn within<T>(
    home: &Home,
    act: impl FnOnce(&Surroundings<'_>) -> Result<T, PluginError>,
) -> Result<T, CommandError> {
    let exe = std::env::current_exe().map_err(CommandError::failure)?;
    let text = exe.to_str().filter(|_| exe.is_file()).ok_or_else(|| {
        let exe = exe.display();
        CommandError::usage(format!(
            "hooks cannot call this windlass: `{exe}` is not a file with a plain name"
        ))
        .hint("start the windlass that is installed, and not one that was replaced meanwhile")
    })?;
    let env = surroundings::environment();
    let roles: Vec<(&str, &str)> =
        builtin::ROLES.iter().map(|role| (role.name, role.source)).collect();
    let version = env!("CARGO_PKG_VERSION");
    let servers = servers();
    let here =
        Surroundings { home, env: &env, exe: text, version, roles: &roles, servers: &servers };
    Ok(act(&here)?)
}

/// The MCP servers of the workflows that come with windlass. Those of a repository's own are not taken:
/// it would decide what every session of the user's starts.
fn servers() -> BTreeMap<String, McpServer> {
    let shipped = builtin::all().filter_map(|built| Workflow::parse(built.source, built.name).ok());
    shipped.flat_map(|workflow| workflow.servers().clone()).collect()
}

fn report(changes: &[Change], act: Act, next: Option<&str>, output: &mut Output) {
    let nothing = changes.iter().all(|change| matches!(change, Change::Unchanged { .. }));
    if output.is_json() {
        let dry_run = act == Act::Look;
        output.json(&json!({"dry_run": dry_run, "changes": changes, "next": next}));
        return;
    }
    for change in changes {
        say(change, act, output);
    }
    if nothing {
        output.data("nothing to change");
    }
    if let Some(next) = next.filter(|_| act == Act::Do) {
        output.remark(&format!("\nnext: {next}"));
    }
}

fn say(change: &Change, act: Act, output: &mut Output) {
    let would = if act == Act::Look { "would be " } else { "" };
    match change {
        Change::Unchanged { .. } => {}
        Change::Written { path, text } => {
            output.data(&format!("{would}written: {}", path.display()));
            if let Some(text) = text.as_ref().filter(|_| act == Act::Look) {
                let lines = text.lines().map(|line| format!("  {line}").trim_end().to_owned());
                output.data(&lines.collect::<Vec<_>>().join("\n"));
            }
        }
        Change::Restored { path } => {
            output.data(&format!("{would}as before: {}", path.display()));
        }
        Change::Removed { path } => output.data(&format!("{would}removed: {}", path.display())),
        Change::Called { command } => output.data(&format!("{would}called: {command}")),
    }
}
