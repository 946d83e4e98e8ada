//! Calls of tools: which tools a seat has, and what their input means.

use serde_json::Value;

use super::files;
use super::path::{self, Access};
use super::shell::Walk;
use super::{Found, Grounds, Real, Seat, ToolCall};

/// The tools of the orchestrator. Starting agents is decided elsewhere.
pub const ORCHESTRATOR_TOOLS: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "MultiEdit",
    "NotebookEdit",
    "Read",
    "SendMessage",
    "SlashCommand",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TeamCreate",
    "TeamDelete",
    "TodoWrite",
    "ToolSearch",
    "Write",
    // The names that Codex has for such tools.
    "apply_patch",
    "close_agent",
    "spawn_agent",
    "update_plan",
    "wait_agent",
];

/// Returns the name of a tool without the namespace that Codex puts before those for agents.
pub fn plain_name(tool: &str) -> &str {
    tool.strip_prefix("multi_agent_v1").unwrap_or(tool)
}

/// Tools by which a subagent would start another agent, or leave its place.
const NOT_FOR_SUBAGENTS: [&str; 13] = [
    "spawn_agent",
    "send_input",
    "resume_agent",
    "close_agent",
    "Agent",
    "Task",
    "Workflow",
    "TeamCreate",
    "TeamDelete",
    "EnterWorktree",
    "ExitWorktree",
    "CronCreate",
    "ScheduleWakeup",
];

pub(super) fn look(call: &ToolCall<'_>, grounds: &Grounds, real: Real<'_>) -> Found {
    if let Some(refused) = not_had(call.tool, grounds.seat) {
        return refused;
    }
    let text = |key: &str| call.input.get(key).and_then(Value::as_str);
    let file = |name: Option<&str>, access: Access| match name {
        Some(file) => path::look(file, call.folder, access, grounds, real),
        None => Found::CannotTell(format!("the call of `{}` names no file", call.tool)),
    };
    match call.tool {
        "Bash" | "Monitor" | "shell" | "exec_command" => {
            match text("command").or_else(|| text("cmd")) {
                Some(command) => {
                    let mut walk = Walk::new(call.folder, grounds, real);
                    walk.script(command);
                    walk.into_found()
                }
                None => Found::CannotTell(format!("the call of `{}` names no command", call.tool)),
            }
        }
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => {
            let name = text("file_path").or_else(|| text("notebook_path"));
            file(name, Access::Write).or(|| script_written(name, call, grounds, real))
        }
        "apply_patch" => {
            match text("input").or_else(|| text("patch")).or_else(|| text("command")) {
                Some(patch) => files::patched(patch).fold(Found::Nothing, |found, name| {
                    found.or(|| path::look(name, call.folder, Access::Write, grounds, real))
                }),
                None => Found::CannotTell("the call of `apply_patch` holds no patch".to_owned()),
            }
        }
        "Read" | "NotebookRead" if grounds.seat != Seat::Attempt => {
            file(text("file_path").or_else(|| text("notebook_path")), Access::Read)
        }
        "Grep" if grounds.seat != Seat::Attempt => grep(call, grounds, real),
        "Glob" | "LS" if grounds.seat != Seat::Attempt => {
            off_limits(text("path"), call, grounds, real)
        }
        // Everything else reads, or belongs to a server that the workflow declared.
        _ => Found::Nothing,
    }
}

/// A script that the orchestrator writes does nothing that it may not do itself.
fn script_written(
    name: Option<&str>,
    call: &ToolCall<'_>,
    grounds: &Grounds,
    real: Real<'_>,
) -> Found {
    if grounds.seat != Seat::Orchestrator || !name.is_some_and(|name| name.ends_with(".sh")) {
        return Found::Nothing;
    }
    let edits = call.input.get("edits").and_then(Value::as_array);
    let changed = edits.into_iter().flatten().chain([call.input]);
    let texts = changed.flat_map(|edit| [edit.get("content"), edit.get("new_string")]);
    for text in texts.flatten().filter_map(Value::as_str) {
        let mut walk = Walk::new(call.folder, grounds, real);
        walk.script(text);
        let found = walk.into_found();
        if found != Found::Nothing {
            return found;
        }
    }
    Found::Nothing
}

fn not_had(tool: &str, seat: Seat) -> Option<Found> {
    let tool = plain_name(tool);
    match seat {
        Seat::Orchestrator if !ORCHESTRATOR_TOOLS.contains(&tool) => {
            Some(Found::Forbidden(format!(
                "the orchestrator does not use `{tool}`: the agent of a step does such work. Start the agent \
             that was offered"
            )))
        }
        Seat::Subagent if NOT_FOR_SUBAGENTS.contains(&tool) => Some(Found::Forbidden(format!(
            "an agent of a step does not use `{tool}`: it does its own work, and windlass starts agents. \
             Go on with the step"
        ))),
        Seat::Attempt | Seat::Orchestrator | Seat::Subagent => None,
    }
}

fn off_limits(path: Option<&str>, call: &ToolCall<'_>, grounds: &Grounds, real: Real<'_>) -> Found {
    let path = real(&path::plain(&call.folder.join(path.unwrap_or("."))));
    if grounds.off_limits.iter().any(|limit| path.starts_with(limit)) {
        return Found::Forbidden(
            "this folder belongs to windlass or to the host. Ask `windlass status` for where the run \
             stands"
                .to_owned(),
        );
    }
    Found::Nothing
}

/// Names and figures are free; lines are those of files that the orchestrator may read.
fn grep(call: &ToolCall<'_>, grounds: &Grounds, real: Real<'_>) -> Found {
    let text = |key: &str| call.input.get(key).and_then(Value::as_str);
    let found = off_limits(text("path"), call, grounds, real);
    if found != Found::Nothing || grounds.seat != Seat::Orchestrator {
        return found;
    }
    // The tool's default lists names.
    if text("output_mode").is_none_or(|mode| mode != "content") {
        return Found::Nothing;
    }
    let well = |name: &str| {
        name.trim_end_matches('}').split(['{', ',']).filter(|part| part.contains('.')).count() > 0
            && all_endings(name).iter().all(|name| path::has_ending(name.as_ref(), grounds))
    };
    if text("glob").is_some_and(well) || text("path").is_some_and(well) {
        return Found::Nothing;
    }
    Found::Forbidden(format!(
        "this shows lines of code, which the orchestrator does not read. Ask for `files_with_matches` or \
         `count`, or name files that end in {}",
        grounds.endings.join(" ")
    ))
}

/// `*.{md,json}` as two names.
fn all_endings(glob: &str) -> Vec<String> {
    match glob.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?))) {
        Some((before, (list, after))) => {
            list.split(',').map(|part| format!("{before}{part}{after}")).collect()
        }
        None => vec![glob.to_owned()],
    }
}
