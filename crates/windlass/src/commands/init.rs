//! `windlass init`: a configuration and a workflow for this repository.

mod choose;
mod files;
mod look;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use windlass_core::init::{Found, config, detect, fill};
use windlass_core::workflow::{SCHEMA_FILE, schema_text};
use windlass_engine::git::UserRepository;

use crate::cli::{Cli, InitArguments};
use crate::commands::workflow_file::FOLDER;
use crate::config::REPOSITORY_FILE;
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::surroundings;

use choose::chosen;
pub(crate) use files::write_new;
use files::{Action, Put, put};
use look::folders;

pub(crate) fn init(
    cli: &Cli,
    arguments: &InitArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let top_level = UserRepository::top_level_of(&surroundings::folder(cli)?)?;
    let found = detect(&folders(&top_level)?);
    if !output.is_json() {
        say_what_was_found(&found);
    }
    let workflows = chosen(arguments, output)?;
    let default = workflows.first().map_or("change", |workflow| workflow.name);
    let mut files = vec![(PathBuf::from(REPOSITORY_FILE), config(default))];
    for workflow in &workflows {
        let path = Path::new(FOLDER).join(format!("{}.yaml", workflow.name));
        files.push((path, fill(workflow.source, &found)));
    }
    files.push((PathBuf::from(SCHEMA_FILE), schema_text()));
    let mut done = Vec::new();
    for (path, text) in &files {
        done.push(put(&top_level, path, text, arguments)?);
    }
    report(arguments, &found, default, &done, output);
    Ok(ExitCode::SUCCESS)
}

fn say_what_was_found(found: &Found) {
    if found.projects.is_empty() {
        note("No build tool was recognised here.");
        return;
    }
    note("Found:");
    for project in &found.projects {
        let folder = if project.folder.is_empty() { "." } else { &project.folder };
        let commands: Vec<&str> =
            project.checks.iter().map(|(_, command)| command.as_str()).collect();
        let commands = if commands.is_empty() {
            "no command to check with".to_owned()
        } else {
            commands.join("; ")
        };
        note(&format!("  {} in {folder} ({}): {commands}", project.tool, project.file));
    }
}

/// Programs of the checks that are not on the `PATH` of whoever runs this.
fn missing_programs(found: &Found) -> BTreeSet<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let prepare = found.projects.iter().filter_map(|project| Some(&project.prepare.as_ref()?.0));
    let checks = found.projects.iter().flat_map(|project| &project.checks).map(|(_, run)| run);
    checks
        .chain(prepare)
        .filter_map(|command| command.split_whitespace().next())
        .filter(|program| !program.contains('/'))
        .filter(|program| !folders.iter().any(|folder| folder.join(program).is_file()))
        .map(str::to_owned)
        .collect()
}

fn report(
    arguments: &InitArguments,
    found: &Found,
    default: &str,
    done: &[Put],
    output: &mut Output,
) {
    let missing = missing_programs(found);
    // A configuration that was left alone may name another workflow, or none.
    let kept = matches!(done.first().map(|put| &put.action), Some(Action::Kept));
    let named = if kept { format!(" --workflow {default}") } else { String::new() };
    let next = [
        format!("windlass check {default}"),
        "git add .windlass".to_owned(),
        format!("windlass run \"what should be different\"{named}"),
    ];
    if output.is_json() {
        output.json(&json!({
            "found": found.projects.iter().map(|project| json!({
                "tool": project.tool,
                "folder": project.folder,
                "file": project.file,
                "checks": project.checks.iter().map(|(_, command)| command).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "tests_found": found.has_tests(),
            "missing_programs": missing,
            "files": done.iter().map(|put| {
                let backup = match &put.action { Action::Replaced(backup) => Some(backup), _ => None };
                json!({"path": put.path, "action": put.action.as_str(), "backup": backup})
            }).collect::<Vec<_>>(),
            "next": next,
        }));
        return;
    }
    for put in done {
        let path = put.path.display();
        match &put.action {
            Action::Written => output.data(&format!("wrote {path}")),
            Action::Unchanged => output.data(&format!("{path} is there already, the same")),
            Action::Kept => output.data(&format!(
                "left {path} alone: it is there already (--force replaces it and keeps a copy)"
            )),
            Action::Replaced(backup) => {
                output.data(&format!("wrote {path}; what was there is now {}", backup.display()));
            }
            // Nobody reads a schema; `windlass schema` prints it.
            Action::WouldWrite | Action::WouldReplace if put.path == Path::new(SCHEMA_FILE) => {
                output.data(&format!("would write {path}"));
            }
            Action::WouldWrite | Action::WouldReplace => {
                output.data(&format!("would write {path}:"));
                let indented: Vec<String> = put
                    .text
                    .lines()
                    .map(|line| format!("  {line}").trim_end().to_owned())
                    .collect();
                output.data(&indented.join("\n"));
            }
        }
    }
    if !found.has_tests() {
        note("\nwarning: no test command was found; add yours to the workflow, where it says so");
    }
    for program in missing {
        note(&format!("warning: `{program}` is not on your PATH, and a check needs it"));
    }
    if !arguments.dry_run {
        note("\nnext:");
        for command in next {
            note(&format!("  {command}"));
        }
    }
}
