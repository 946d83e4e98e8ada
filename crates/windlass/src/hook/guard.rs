//! PreToolUse: what a session and its subagents do not do while a run is unfinished.
//!
//! No database and no program: `guard.json`, the call, and the answer.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windlass_core::guard::{self, Grounds, Seat, ToolCall};
use windlass_core::hook::{Answer, GuardedAgent, GuardedRun};
use windlass_core::run::HostKind;

use super::who::Asked;
use super::{agent, spoken};
use crate::config;
use crate::error::CommandError;

pub(super) fn pre_tool_use(asked: &mut Asked) -> Result<Answer, CommandError> {
    let tool = asked.call.text("tool_name").unwrap_or_default().to_owned();
    let input = asked.call.body.get("tool_input").cloned().unwrap_or_else(|| json!({}));
    if asked.in_attempt {
        // The attempt has guards of its own; these answer where a plugin is loaded in it as well.
        let place = asked.checkout.top_level.clone();
        return Ok(looked(asked, &tool, &input, &Grounds::of_attempt(place, temporary())));
    }
    let Some(run) = asked.run.clone() else { return Ok(Answer::Nothing) };
    if !asked.is_guarded(&run) {
        return Ok(Answer::Nothing);
    }
    if tool.is_empty() {
        return Ok(Answer::Deny("the call names no tool".to_owned()));
    }
    let theirs = asked.call.agent.as_ref();
    let known = theirs.and_then(|id| run.agents.iter().find(|agent| agent.id == *id)).cloned();
    match (theirs, known) {
        (None, _) => orchestrator(asked, &run, &tool, &input),
        (Some(_), Some(agent)) => subagent(asked, &run, &agent, &tool, &input),
        (Some(_), None) => unknown(asked, &run, &tool, &input),
    }
}

fn orchestrator(
    asked: &Asked,
    run: &GuardedRun,
    tool: &str,
    input: &Value,
) -> Result<Answer, CommandError> {
    if starts_agents(tool) {
        return agent::pre_tool_use(asked, run);
    }
    if asked.host == HostKind::Codex && guard::plain_name(tool) == "close_agent" {
        return Ok(agent::close(run, input));
    }
    if tool == "AskUserQuestion" && input.get("answers").is_some() {
        return Ok(Answer::Deny("the person answers, not you: leave `answers` out".to_owned()));
    }
    if tool == "SendMessage" && asked.team_support() != windlass_core::hook::TeamSupport::Teams {
        return Ok(Answer::Deny(
            "an agent that has stopped is not continued: windlass offers the next attempt when you stop"
                .to_owned(),
        ));
    }
    Ok(looked(asked, tool, input, &grounds(asked, run, Seat::Orchestrator, None, tool)?))
}

fn starts_agents(tool: &str) -> bool {
    matches!(guard::plain_name(tool), "Agent" | "Task" | "spawn_agent")
}

fn subagent(
    asked: &Asked,
    run: &GuardedRun,
    agent: &GuardedAgent,
    tool: &str,
    input: &Value,
) -> Result<Answer, CommandError> {
    let grounds = grounds(asked, run, Seat::Subagent, Some(agent), tool)?;
    let answer = looked(asked, tool, input, &grounds);
    if answer != Answer::Nothing {
        return Ok(answer);
    }
    if let Some(place) = &agent.place
        && is_within(tool, input, Path::new(place))
    {
        // Its own folder lies outside the session's: the host would ask, and nobody is there.
        return Ok(Answer::Allow(None));
    }
    let command = input.get("command").and_then(Value::as_str);
    match command.filter(|command| tool == "Bash" && spoken::speaks(command)) {
        Some(command) => spoken::answer(asked, run, agent, input, command),
        None => Ok(Answer::Nothing),
    }
}

/// A subagent that windlass did not offer, or whose attempt is over, does not change anything.
fn unknown(
    asked: &Asked,
    run: &GuardedRun,
    tool: &str,
    input: &Value,
) -> Result<Answer, CommandError> {
    if starts_agents(tool) {
        return Ok(Answer::Deny("windlass starts the agents".to_owned()));
    }
    Ok(match looked(asked, tool, input, &grounds(asked, run, Seat::Orchestrator, None, tool)?) {
        Answer::Deny(why) => Answer::Deny(format!(
            "no attempt of run {} is assigned to this subagent: {why}",
            run.run
        )),
        other => other,
    })
}

/// By these the host takes messages of other programs: nobody in a session has any business with them.
const MESSAGING: [&str; 2] = ["cc-socks", "CLAUDE_CODE_MESSAGING"];

fn looked(asked: &Asked, tool: &str, input: &Value, grounds: &Grounds) -> Answer {
    let command = input.get("command").and_then(Value::as_str).unwrap_or_default();
    if MESSAGING.iter().any(|name| command.contains(name)) {
        return Answer::Deny("windlass: the sockets of the host must not be used".to_owned());
    }
    let call = ToolCall { tool, input, folder: &asked.call.folder };
    match guard::look_with(&call, grounds, &real).refusal() {
        Some(why) => Answer::Deny(format!("windlass: {why}")),
        None => Answer::Nothing,
    }
}

fn grounds(
    asked: &Asked,
    run: &GuardedRun,
    seat: Seat,
    agent: Option<&GuardedAgent>,
    tool: &str,
) -> Result<Grounds, CommandError> {
    let place = agent.and_then(|agent| agent.place.clone()).unwrap_or_else(|| run.place.clone());
    let mut grounds = Grounds::of_attempt(real(Path::new(&place)), temporary());
    grounds.seat = seat;
    grounds.may_write = agent.map(|agent| agent.may_write.clone()).unwrap_or_default();
    grounds.protected.clone_from(&run.protect);
    grounds.off_limits = off_limits(asked);
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let users = home.into_iter().chain([asked.checkout.top_level.clone()]);
    grounds.not_temporary = users.map(|folder| real(&folder)).collect();
    if !matches!(tool, "Read" | "Grep" | "Glob" | "LS") {
        grounds.publishing = config::publishing(&asked.checkout.top_level)?;
    }
    Ok(grounds)
}

/// What neither a session nor its subagents have any business with: windlass's own things, and the
/// settings that would switch the hooks off.
fn off_limits(asked: &Asked) -> Vec<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let users = set("HOME").map(PathBuf::from);
    let in_home = |name: &str| users.as_ref().map(|home| home.join(name));
    let claude = set("CLAUDE_CONFIG_DIR").map(PathBuf::from).or_else(|| in_home(".claude"));
    let codex = set("CODEX_HOME").map(PathBuf::from).or_else(|| in_home(".codex"));
    let settings = ["settings.json", "settings.local.json"];
    let mut paths = Vec::new();
    let mut all = |folder: Option<PathBuf>, names: &[&str]| {
        // One look per folder: this is done for every call of a tool.
        let Some(folder) = folder.and_then(|folder| folder.canonicalize().ok()) else { return };
        paths.extend(names.iter().map(|name| followed(&folder.join(name))));
    };
    all(Some(asked.home.state.clone()), &["repos", "plugin", "sessions", "machine.db"]);
    all(claude, &["settings.json", "settings.local.json", "plugins", ".claude.json"]);
    all(Some(asked.checkout.top_level.join(".claude")), &settings);
    all(codex, &["hooks.json", "config.toml"]);
    all(Some(asked.checkout.top_level.join(".codex")), &["hooks.json", "config.toml"]);
    paths.extend(set("CLAUDE_PLUGIN_ROOT").map(|root| real(Path::new(&root))));
    paths
}

/// Follows a link at the end of a path.
fn followed(path: &Path) -> PathBuf {
    match path.read_link() {
        Ok(_) => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        Err(_) => path.to_owned(),
    }
}

/// Follows the links of a path as far as it exists. The guard writes the home as `/~`.
fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let mut there = match (path.strip_prefix("/~"), home) {
        (Ok(below), Some(home)) => home.join(below),
        (Ok(_) | Err(_), _) => path.to_owned(),
    };
    let path = there.clone();
    loop {
        if let Ok(found) = there.canonicalize() {
            return rest.iter().rev().fold(found, |path, name| path.join(name));
        }
        let Some(name) = there.file_name().map(ToOwned::to_owned) else { return path };
        rest.push(name);
        if !there.pop() {
            return path;
        }
    }
}

fn temporary() -> Vec<PathBuf> {
    let system = PathBuf::from("/tmp");
    let own = std::env::temp_dir();
    let mut folders = vec![real(&system), PathBuf::from("/dev/null")];
    if own != system {
        folders.push(real(&own));
    }
    folders
}

/// Whether a call of a file tool is about a file in a folder.
fn is_within(tool: &str, input: &Value, folder: &Path) -> bool {
    let file_tool = matches!(tool, "Write" | "Edit" | "MultiEdit" | "NotebookEdit" | "Read");
    let named = ["file_path", "notebook_path"].iter().find_map(|key| input.get(*key)?.as_str());
    file_tool && named.is_some_and(|path| real(Path::new(path)).starts_with(real(folder)))
}
