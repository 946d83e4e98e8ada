//! `windlass agent`: which roles there are, what is in them, and ones to change.

pub(crate) mod backends;

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use windlass_core::view::{Lines, printable};
use windlass_core::workflow::nearest;
use windlass_engine::git::UserRepository;

use crate::builtin::{self, BuiltInRole};
use crate::cli::{AgentArguments, AgentCommand, Cli};
use crate::commands::{init, workflow_file};
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::render::{self, RoleLine};
use crate::roles::{self, FOLDER, Found, Roles};
use crate::surroundings;

pub(crate) fn agent(
    cli: &Cli,
    arguments: &AgentArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        AgentCommand::List => list(cli, output)?,
        AgentCommand::Show { agent } => show(cli, agent, output)?,
        AgentCommand::Eject { agents, all } => eject(cli, agents, *all, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints one table after the other: the programs that play agents, and the roles.
fn list(cli: &Cli, output: &mut Output) -> Result<(), CommandError> {
    let roles = roles::load(&workflow_file::top_level(cli))?;
    let found = backends::look(&surroundings::environment());
    if output.is_json() {
        for backend in &found {
            output.json(backend);
        }
    } else {
        output.data(&format!("{}\n", backends::table(&found)));
    }
    list_roles(&roles, output);
    Ok(())
}

fn list_roles(roles: &Roles, output: &mut Output) {
    if output.is_json() {
        for found in roles.all() {
            output.json(&as_json(found));
        }
        return;
    }
    let lines: Vec<RoleLine> = roles.all().iter().map(line).collect();
    output.data(&render::roles(&lines));
}

fn as_json(found: &Found) -> serde_json::Value {
    let mut value = json!({
        "kind": "role",
        "name": found.name,
        "file": found.file,
        "hidden_by": found.hidden_by,
        "ok": found.read.is_ok(),
    });
    match &found.read {
        Ok(role) => {
            value["description"] = json!(role.description);
            value["model"] = json!(role.model());
            value["tools"] = json!(role.tools);
            value["color"] = json!(role.color);
            value["mcp_servers"] = json!(role.mcp_servers);
            value["hash"] = json!(role.hash);
            let warnings = found.warnings.iter().map(ToString::to_string);
            value["warnings"] = warnings.collect::<Vec<_>>().into();
        }
        Err(unusable) => value["error"] = unusable.first().into(),
    }
    value
}

fn line(found: &Found) -> RoleLine {
    let mut remarks = Vec::new();
    let (description, model) = match &found.read {
        Ok(role) => (role.description.clone(), role.model().unwrap_or("-").to_owned()),
        Err(unusable) => {
            remarks.push(format!("cannot be used: {}", unusable.first()));
            (String::new(), "-".to_owned())
        }
    };
    if let Some(by) = &found.hidden_by {
        remarks.push(format!("hidden: {by} is used"));
    }
    if !found.warnings.is_empty() {
        remarks
            .push(format!("windlass does not use all of it: windlass agent show {}", found.name));
    }
    let clean = |text: &str| printable(text, Lines::One);
    RoleLine {
        name: clean(&found.name),
        model: clean(&model),
        from: clean(found.from()),
        description: clean(&description),
        remarks: remarks.iter().map(|remark| clean(remark)).collect(),
    }
}

fn show(cli: &Cli, name: &str, output: &mut Output) -> Result<(), CommandError> {
    let roles = roles::load(&workflow_file::top_level(cli))?;
    let Some(found) = roles.get(name) else {
        let error = CommandError::usage(format!("there is no role `{name}`"));
        return Err(unknown(error, name, roles.names().collect()));
    };
    let unusable = found.read.as_ref().err();
    if output.is_json() {
        if let Some(unusable) = unusable {
            return Err(found.refused(unusable));
        }
        let mut value = as_json(found);
        value["body"] = json!(found.read.as_ref().map(|role| role.body.as_str()).ok());
        output.json(&value);
        return Ok(());
    }
    if let Some(unusable) = unusable.filter(|_| found.source.is_empty()) {
        return Err(found.refused(unusable));
    }
    output.data(
        output.foreign(String::from_utf8_lossy(&found.source).trim_end()).into_owned().as_str(),
    );
    output.remark(&format!("from: {}", found.from()));
    match unusable {
        Some(unusable) => Err(found.refused(unusable)),
        None => {
            for warning in &found.warnings {
                note(super::render_diagnostic(warning, &found.source).trim_end());
            }
            Ok(())
        }
    }
}

fn eject(cli: &Cli, names: &[String], all: bool, output: &mut Output) -> Result<(), CommandError> {
    let mut wanted: Vec<&BuiltInRole> = Vec::new();
    for name in names {
        let role = builtin::find_role(name).ok_or_else(|| {
            let error = CommandError::usage(format!("there is no built-in role `{name}`"));
            unknown(error, name, builtin::ROLES.iter().map(|role| role.name).collect())
        })?;
        if !wanted.iter().any(|other| other.name == role.name) {
            wanted.push(role);
        }
    }
    if all {
        wanted = builtin::ROLES.iter().collect();
    }
    let folder = UserRepository::top_level_of(&surroundings::folder(cli)?)?.join(FOLDER);
    let is_there = |role: &BuiltInRole| file_of(&folder, role).symlink_metadata().is_ok();
    // Nothing is written unless everything can be: half of a list is nobody's wish.
    if let Some(there) = wanted.iter().find(|role| !all && is_there(role)) {
        let file = file_of(&folder, there);
        return Err(CommandError::usage(format!("`{}` is there already", file.display()))
            .hint("move it away to eject the built-in one again"));
    }
    let (there, new): (Vec<&BuiltInRole>, Vec<_>) =
        wanted.into_iter().partition(|role| is_there(role));
    for role in new {
        let file = file_of(&folder, role);
        init::write_new(&file, role.source)?;
        if output.is_json() {
            output.json(&json!({"role": role.name, "file": file}));
        } else {
            output.data(&file.display().to_string());
        }
    }
    if !there.is_empty() {
        let names: Vec<&str> = there.iter().map(|role| role.name).collect();
        output.remark(&format!("there already, and left alone: {}", names.join(", ")));
    }
    output.remark("steps that name them use these files from the next run on: windlass agent list");
    Ok(())
}

fn file_of(folder: &Path, role: &BuiltInRole) -> std::path::PathBuf {
    folder.join(format!("{}.md", role.name))
}

fn unknown(error: CommandError, name: &str, known: Vec<&str>) -> CommandError {
    match nearest(name, known.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("known roles: {}", known.join(", "))),
    }
}
