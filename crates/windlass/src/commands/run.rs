//! `windlass run`: start a run and drive it.

use std::collections::BTreeMap;
use std::process::ExitCode;

use windlass_core::plan::{Issue, Plan, PlanRequest};
use windlass_engine::agent::Script;
use windlass_engine::dispatch::{StartRequest, clear_unstarted, start};

use crate::cli::{Cli, RunArguments};
use crate::commands::workflow_file;
use crate::drive::drive;
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::surroundings::{Surroundings, person};

pub(crate) fn run(
    cli: &Cli,
    arguments: &RunArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = find(cli, arguments)?;
    let plan = plan(arguments, &surroundings)?;
    let (backend, command) = backend(arguments)?;
    let user = &surroundings.site.user;
    if !arguments.here && !user.dirty.is_empty() {
        note(&format!(
            "your uncommitted changes stay yours: the run starts from commit {}",
            user.commit.as_str().get(..12).unwrap_or(user.commit.as_str())
        ));
    }
    let request = StartRequest {
        plan,
        here: arguments.here,
        approved_in_advance: arguments.yes.then(person),
        person: person(),
        backend,
        command: Some(command),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let run = start(&surroundings.site, request)?;
    drive(&surroundings, &run, arguments.drive.no_wait, output)
}

/// Looks around, after what killed starts left behind is taken back: HEAD may stand elsewhere then.
fn find(cli: &Cli, arguments: &RunArguments) -> Result<Surroundings, CommandError> {
    let find = || Surroundings::find_to_drive(cli, &arguments.drive.allow_write);
    let surroundings = find()?;
    surroundings.refuse_agents()?;
    let cleared = clear_unstarted(&surroundings.site).map_err(CommandError::failure)?;
    for run in &cleared {
        note(&format!("run `{run}` was killed before it started; what it had made is taken back"));
    }
    if cleared.is_empty() { Ok(surroundings) } else { find() }
}

fn plan(arguments: &RunArguments, surroundings: &Surroundings) -> Result<Plan, CommandError> {
    let path = workflow_file::find(&arguments.workflow, &surroundings.site.user.top_level)?;
    let workflow = workflow_file::read(&path)?;
    let mut inputs = BTreeMap::new();
    for pair in &arguments.inputs {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(CommandError::usage(format!("`--input {pair}` has no value"))
                .hint("write `--input NAME=VALUE`"));
        };
        inputs.insert(name.to_owned(), value.to_owned());
    }
    let issue = arguments.issue.map(|number| Issue {
        number,
        title: arguments.title.clone().unwrap_or_else(|| arguments.goal.clone()),
        url: None,
    });
    if arguments.goal.trim().is_empty() {
        return Err(CommandError::usage("the goal is empty").hint("say what the run is for"));
    }
    let request = PlanRequest { goal: arguments.goal.clone(), issue, inputs };
    workflow.plan(request).map_err(|errors| {
        let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let error = CommandError::usage(words.join("; "));
        errors
            .iter()
            .filter_map(windlass_core::plan::PlanError::help)
            .fold(error, CommandError::hint)
    })
}

fn backend(arguments: &RunArguments) -> Result<(String, String), CommandError> {
    if let Some(command) = &arguments.agent_command {
        if command.trim().is_empty() {
            return Err(CommandError::usage("the agent command is empty"));
        }
        return Ok(("command".to_owned(), command.clone()));
    }
    let Some(agent) = &arguments.agent else {
        return Err(CommandError::usage("no agent is named").hint(
            "pass `--agent-command 'CMD'`: any command that does what the prompt on its stdin says",
        ));
    };
    let Some(script) = agent.strip_prefix("rehearsal:") else {
        return Err(CommandError::usage(format!("`{agent}` is not a backend of this version"))
            .hint("use `--agent-command CMD`, or `--agent rehearsal:SCRIPT` to try a workflow"));
    };
    let text =
        fs_err::read_to_string(script).map_err(|error| CommandError::usage(error.to_string()))?;
    Script::parse(&text).map_err(|error| CommandError::usage(format!("`{script}`: {error}")))?;
    let absolute = std::path::absolute(script).map_err(CommandError::failure)?;
    Ok(("rehearsal".to_owned(), absolute.to_string_lossy().into_owned()))
}
