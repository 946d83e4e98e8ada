//! `windlass import`: a `phases.conf` as a workflow.

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use windlass_core::import::{Import, MAX_BYTES, Problem, phases};
use windlass_core::workflow::modeline;

use crate::cli::{Cli, ImportArguments};
use crate::commands::init;
use crate::commands::workflow_file::{self, FOLDER};
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::render;

pub(crate) fn import(
    _: &Cli,
    arguments: &ImportArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let name = name(arguments)?;
    let shown = arguments.file.display().to_string();
    let imported = phases(&read(&arguments.file)?, &name).and_then(checked);
    let import = imported.map_err(|problems| refused(&shown, &problems, output))?;
    if !output.is_json() {
        note(&render::import_account(&shown, &import.lines));
    }
    if let Some(path) = &arguments.output {
        let in_folder = path.parent().is_some_and(|folder| folder.ends_with(FOLDER));
        let head = if in_folder { modeline() } else { String::new() };
        init::write_new(path, &format!("{head}{}", import.workflow))?;
    }
    if output.is_json() {
        output.json(&json!({
            "ok": true,
            "name": name,
            "file": arguments.output,
            "workflow": import.workflow,
            "lines": import.lines,
        }));
    } else if let Some(path) = &arguments.output {
        note(&format!("\nwrote {0}; look at it with `windlass check {0}`", path.display()));
    } else {
        output.data(import.workflow.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

/// Compiles the expressions, which the import only carries along.
fn checked(import: Import) -> Result<Import, Vec<Problem>> {
    match workflow_file::parse(import.workflow.as_bytes(), "workflow") {
        Ok(_) => Ok(import),
        Err(found) => Err(found
            .iter()
            .map(|finding| Problem {
                line: import.origin(finding.line),
                message: finding.message.clone(),
                help: finding.help.clone().or_else(|| {
                    Some("correct the expression after `STATE:`; it has to be jq".to_owned())
                }),
            })
            .collect()),
    }
}

fn refused(file: &str, problems: &[Problem], output: &mut Output) -> CommandError {
    for problem in problems {
        note(&format!("error: {file}:{}: {}", problem.line, problem.message));
        if let Some(help) = &problem.help {
            note(&format!("  help: {help}"));
        }
    }
    if output.is_json() {
        output.json(&json!({"ok": false, "problems": problems}));
    }
    let count = match problems.len() {
        1 => "1 error".to_owned(),
        count => format!("{count} errors"),
    };
    CommandError::usage(format!("`{file}` cannot be imported: {count}"))
}

/// Returns the workflow's name: the given one, else one made from a file's.
fn name(arguments: &ImportArguments) -> Result<String, CommandError> {
    if let Some(name) = &arguments.name {
        if id(name) != *name {
            return Err(CommandError::usage(format!("`{name}` cannot be the name of a workflow"))
                .hint("use lower-case letters, digits, `-` and `_`"));
        }
        return Ok(name.clone());
    }
    let file = arguments.output.as_ref().unwrap_or(&arguments.file);
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = id(&stem.unwrap_or_default());
    Ok(if name.is_empty() { "imported".to_owned() } else { name })
}

/// Returns the nearest text that is an id.
fn id(text: &str) -> String {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let lower = text.to_ascii_lowercase();
    let id: String = lower.chars().map(|c| if allowed(c) { c } else { '-' }).take(64).collect();
    id.trim_start_matches(['-', '_']).to_owned()
}

/// Reads the file, or standard input for `-`; never more than an import takes.
fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let most = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        if path.is_dir() {
            return Err(CommandError::usage(format!("`{}` is a folder", path.display()))
                .hint("name the `phases.conf` in it"));
        }
        fs_err::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| {
        CommandError::usage(format!("the file cannot be read: {error}"))
            .hint("name an existing `phases.conf`, or `-` for standard input")
    })?;
    Ok(bytes)
}
