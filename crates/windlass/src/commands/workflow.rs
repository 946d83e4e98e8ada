//! `windlass workflow`: which workflows there are, what is in them, and one to change.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use windlass_core::platform::PinnedPlatform;
use windlass_core::workflow::{InputType, SCHEMA_FILE, Workflow, modeline};
use windlass_engine::git::UserRepository;

use crate::builtin::{self, BuiltIn};
use crate::cli::{Cli, WorkflowArguments, WorkflowCommand};
use crate::commands::workflow_file::{self, FOLDER, Found};
use crate::commands::{graph, init, platform};
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::render::{self, WorkflowLine};
use crate::surroundings;

pub(crate) fn workflow(
    cli: &Cli,
    arguments: &WorkflowArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        WorkflowCommand::List => list(cli, output),
        WorkflowCommand::Show { workflow } => show(cli, workflow, output)?,
        WorkflowCommand::Eject { workflow } => eject(cli, workflow, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A workflow that has a name here.
struct Listed {
    name: String,
    from: &'static str,
    found: Found,
    /// Why it cannot run; else what was read.
    read: Result<Workflow, Vec<String>>,
    /// A workflow of the same name comes first.
    shadowed_by: Option<&'static str>,
}

fn list(cli: &Cli, output: &mut Output) {
    let top_level = workflow_file::top_level(cli);
    let listed = all(&top_level);
    if output.is_json() {
        for one in &listed {
            output.json(&one.json());
        }
        return;
    }
    let lines: Vec<WorkflowLine> = listed.iter().map(|one| one.line(&top_level)).collect();
    output.data(&render::workflows(&lines));
}

fn all(top_level: &Path) -> Vec<Listed> {
    let mut listed: Vec<Listed> = Vec::new();
    let mut add = |name: String, from: &'static str, found: Found| {
        let shadowed_by = listed.iter().find(|one| one.name == name).map(|one| one.from);
        let read = read(&found);
        listed.push(Listed { name, from, found, read, shadowed_by });
    };
    let folders = workflow_file::folders(top_level);
    for (folder, from) in folders.iter().zip(["repository", "user"]) {
        for name in workflow_file::known(folder) {
            for ending in ["yaml", "yml"] {
                let file = folder.join(format!("{name}.{ending}"));
                if file.exists() {
                    add(name.clone(), from, Found::File(file));
                }
            }
        }
    }
    for builtin in builtin::all() {
        add(builtin.name.to_owned(), "built-in", Found::BuiltIn(builtin));
    }
    listed
}

fn read(found: &Found) -> Result<Workflow, Vec<String>> {
    let bytes = found.source().map_err(|error| vec![error.error.to_string()])?;
    workflow_file::parse(&bytes, &found.display())
        .map_err(|wrong| wrong.iter().map(ToString::to_string).collect())
}

impl Listed {
    fn json(&self) -> serde_json::Value {
        let mut value = json!({
            "name": self.name,
            "from": self.from,
            "file": file(&self.found),
            "shadowed_by": self.shadowed_by,
            "ok": self.read.is_ok(),
        });
        match &self.read {
            Ok(workflow) => {
                value["title"] = workflow.title().into();
                value["steps"] = steps(workflow).into();
                value["worst_case_attempts"] = workflow.worst_case_attempts().into();
            }
            Err(wrong) => value["errors"] = json!(wrong),
        }
        value
    }

    fn line(&self, top_level: &Path) -> WorkflowLine {
        let mut remarks = Vec::new();
        let (title, steps, attempts) = match &self.read {
            Ok(workflow) => (
                workflow.title().to_owned(),
                steps(workflow).to_string(),
                workflow.worst_case_attempts().to_string(),
            ),
            Err(wrong) => {
                let first = wrong.first().cloned().unwrap_or_default();
                remarks.push(format!("cannot run: {first}"));
                (String::new(), "-".to_owned(), "-".to_owned())
            }
        };
        if let Some(by) = self.shadowed_by {
            remarks.push(format!("hidden: the {by} one of this name is used"));
        }
        if let (Ok(workflow), Found::File(path)) = (&self.read, &self.found)
            && workflow.name() != self.name
        {
            let file = path.strip_prefix(top_level).unwrap_or(path).display();
            remarks.push(format!("{file} calls itself `{}`", workflow.name()));
        }
        let (name, from) = (self.name.clone(), self.from);
        WorkflowLine { name, from, steps, attempts, title, remarks }
    }
}

fn file(found: &Found) -> Option<&PathBuf> {
    match found {
        Found::File(path) => Some(path),
        Found::BuiltIn(_) => None,
    }
}

fn steps(workflow: &Workflow) -> usize {
    graph::plan(workflow, vec![PinnedPlatform::stand_in()]).map_or(0, |plan| plan.steps.len())
}

fn show(cli: &Cli, name: &str, output: &mut Output) -> Result<(), CommandError> {
    let found = workflow_file::find(name, &workflow_file::top_level(cli))?;
    if !output.is_json() {
        let source = found.source()?;
        output.data(String::from_utf8_lossy(&source).trim_end());
        return Ok(());
    }
    let workflow = workflow_file::read(&found)?;
    let plan =
        graph::plan(&workflow, platform::for_show(&workflow, &workflow_file::top_level(cli)))?;
    let inputs: Vec<serde_json::Value> = workflow
        .inputs()
        .iter()
        .map(|input| {
            let (kind, values) = match &input.kind {
                InputType::Integer => ("integer", None),
                InputType::Number => ("number", None),
                InputType::String => ("string", None),
                InputType::Boolean => ("boolean", None),
                InputType::Enum(values) => ("enum", Some(values)),
            };
            json!({"name": input.name, "type": kind, "values": values,
                   "default": input.default, "ask": input.ask})
        })
        .collect();
    output.json(&json!({
        "name": workflow.name(),
        "title": workflow.title(),
        "file": file(&found),
        "worst_case_attempts": workflow.worst_case_attempts(),
        "inputs": inputs,
        "protect": plan.protect,
        "steps": plan.steps,
    }));
    Ok(())
}

fn eject(cli: &Cli, name: &str, output: &mut Output) -> Result<(), CommandError> {
    let Some(builtin) = builtin::find(name) else {
        let names: Vec<&str> = builtin::all().map(|builtin| builtin.name).collect();
        let error = CommandError::usage(format!("there is no built-in workflow `{name}`"));
        return Err(match windlass_core::workflow::nearest(name, names.iter().copied()) {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error.hint(format!("built-in workflows: {}", names.join(", "))),
        });
    };
    let top_level = UserRepository::top_level_of(&surroundings::folder(cli)?)?;
    let folder = top_level.join(FOLDER);
    let there = ["yaml", "yml"].map(|ending| folder.join(format!("{name}.{ending}")));
    if let Some(there) = there.iter().find(|path| path.symlink_metadata().is_ok()) {
        return Err(CommandError::usage(format!("`{}` is there already", there.display()))
            .hint("move it away to eject the built-in one again"));
    }
    let path = &there[0];
    // Editors are told about a schema that is there; nobody wants thousands of lines of it unasked.
    let has_schema = top_level.join(SCHEMA_FILE).is_file();
    let head = if has_schema { format!("{}#\n", modeline()) } else { String::new() };
    init::write_new(path, &format!("{head}{}", builtin.source))?;
    if output.is_json() {
        output.json(&json!({"workflow": name, "file": path, "agents": agents(builtin)}));
    } else {
        output.data(&path.display().to_string());
        note(&format!(
            "`--workflow {name}` means this file from now on; look at it with `windlass check {name}`"
        ));
        note(&format!(
            "its agents are roles of their own: windlass agent eject {}",
            agents(builtin).join(" ")
        ));
    }
    Ok(())
}

/// Returns the built-in roles that a built-in workflow names.
fn agents(builtin: &BuiltIn) -> Vec<String> {
    let workflow = Workflow::parse(builtin.source, builtin.name);
    let named = workflow.iter().flat_map(Workflow::agents);
    named.filter(|name| builtin::find_role(name).is_some()).map(ToOwned::to_owned).collect()
}
