//! `windlass init`: a configuration and a workflow for this repository.

mod choose;
mod files;
mod open;
mod trial;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use windlass_core::hint::{Hint, Opening};
use windlass_core::init::{Found, Tried, Verdict, config, fill};
use windlass_core::platform::Wanted;
use windlass_core::view::{Lines, printable};
use windlass_engine::git::UserRepository;

use crate::cli::{Cli, InitArguments};
use crate::commands::workflow_file::FOLDER;
use crate::config::REPOSITORY_FILE;
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::platforms;
use crate::programs;
use crate::surroundings;

use choose::chosen;
pub(crate) use files::write_new;
use files::{Action, Put, put};

pub(crate) fn init(
    cli: &Cli,
    arguments: &InitArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let top_level = UserRepository::top_level_of(&surroundings::folder(cli)?)?;
    let look = platforms::look(&top_level)?;
    let mut found = Found::of(&look.detect(&wanted(&top_level)?)?, &look.packs, &look.listing);
    if !output.is_json() {
        say_what_was_found(&found);
    }
    let workflows = chosen(arguments, output)?;
    let mut tried = trial::try_all(cli, &mut found, arguments, output)?;
    trial::decide(&mut tried, arguments, output)?;
    let all = found.clone();
    found.keep(&tried);
    let default = workflows.first().map_or("change", |workflow| workflow.name);
    let mut files = vec![(PathBuf::from(REPOSITORY_FILE), config(default))];
    for workflow in &workflows {
        let path = Path::new(FOLDER).join(format!("{}.yaml", workflow.name));
        files.push((path, fill(workflow.source, &found)));
    }
    let mut done = Vec::new();
    for (path, text) in &files {
        done.push(put(&top_level, path, text, arguments)?);
    }
    let found = Outcome { all, taken: found, tried };
    report(arguments, &found, default, &done, output);
    Ok(ExitCode::SUCCESS)
}

/// What was found, what of it is taken, and what came of trying it.
struct Outcome {
    all: Found,
    taken: Found,
    tried: Vec<Tried>,
}

/// What the configuration says about the platform.
fn wanted(top_level: &Path) -> Result<Wanted, CommandError> {
    let settings = crate::config::load(top_level)?;
    Ok(settings.platform.map(|set| set.value).unwrap_or_default())
}

fn say_what_was_found(found: &Found) {
    if found.projects.is_empty() {
        note("No build tool was recognised here.");
        return;
    }
    note("Found:");
    for project in &found.projects {
        let folder = if project.folder.is_empty() { "." } else { &project.folder };
        note(&format!("  {folder}: {} ({})", project.tool, printable(&project.file, Lines::One)));
        for check in &project.checks {
            let command = printable(&check.command, Lines::One);
            let from = check.from.as_ref().map(|from| printable(from, Lines::One));
            let from = from.map(|from| format!(" ({from})")).unwrap_or_default();
            note(&format!("    {}: {command}{from}", check.purpose.as_str()));
        }
        if project.checks.is_empty() {
            note("    no command to check with");
        }
    }
    for one in &found.left_out {
        let (folder, why) = (printable(&one.folder, Lines::One), printable(&one.why, Lines::One));
        note(&format!("  left out, {folder}: {why}"));
    }
}

/// Programs of the checks that are not on the `PATH` of whoever runs this.
fn missing_programs(found: &Found) -> BTreeSet<String> {
    let prepare = found.projects.iter().filter_map(|project| Some(&project.prepare.as_ref()?.0));
    let checks =
        found.projects.iter().flat_map(|project| &project.checks).map(|check| &check.command);
    checks
        .chain(prepare)
        .filter_map(|command| command.split_whitespace().next())
        // A path, a variable or a piece of shell is no program.
        .filter(|word| word.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c)))
        .filter(|program| programs::find(program).is_none())
        .map(str::to_owned)
        .collect()
}

fn tried_json(one: &Tried, found: &Found) -> serde_json::Value {
    let mut value = json!({
        "folder": found.projects.get(one.project).map(|project| &project.folder),
        "purpose": one.purpose.as_str(),
        "command": one.command,
        "kept": one.kept,
        "words": one.verdict.why(),
        "output": one.said,
        "hints": one.hints.iter().map(Hint::words).collect::<Vec<_>>(),
        "opened": one.opened.iter().map(Opening::line).collect::<Vec<_>>(),
        "not_opened": one.closed().iter().map(|opening| {
            json!({"line": opening.line(), "why": opening.risk()})
        }).collect::<Vec<_>>(),
    });
    let (outcome, ran, failed, skipped, took) = match &one.verdict {
        Verdict::Works { tests, took } => {
            let (ran, skipped) = tests.unzip();
            ("works", ran, tests.map(|_| 0), skipped, Some(took.0))
        }
        Verdict::Covers { took, .. } => ("works", None, None, None, Some(took.0)),
        Verdict::TestsFail { ran, failed, took } => {
            ("tests_fail", Some(*ran), Some(*failed), None, Some(took.0))
        }
        Verdict::Fails { .. } => ("fails", None, None, None, None),
        Verdict::CannotRun { .. } => ("cannot_run", None, None, None, None),
        Verdict::NotTried { .. } => ("not_tried", None, None, None, None),
    };
    value["outcome"] = json!(outcome);
    value["ran"] = json!(ran);
    value["failed"] = json!(failed);
    value["skipped"] = json!(skipped);
    value["took_ms"] = json!(took);
    value
}

fn report(
    arguments: &InitArguments,
    outcome: &Outcome,
    default: &str,
    done: &[Put],
    output: &mut Output,
) {
    let found = &outcome.taken;
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
            "found": outcome.all.projects.iter().map(|project| json!({
                "tool": project.tool,
                "platform": project.platform,
                "folder": project.folder,
                "file": project.file,
                "prepare": project.prepare.as_ref().map(|(run, _)| run),
                "checks": project.checks.iter().map(|check| &check.command).collect::<Vec<_>>(),
                "coverage": project.coverage.as_ref().map(|check| &check.command),
                "missing": project.missing.iter().map(|(name, why)| {
                    json!({"command": name.as_str(), "why": why})
                }).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "left_out": found.left_out.iter().map(|one| {
                json!({"folder": one.folder, "why": one.why})
            }).collect::<Vec<_>>(),
            "tried": outcome.tried.iter().map(|one| tried_json(one, &outcome.all)).collect::<Vec<_>>(),
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
        let why = match outcome.all.has_tests() {
            true => "the test command that was found does not work here, so nothing is tested",
            false => "no test command was found",
        };
        note(&format!("\nwarning: {why}; add yours to the workflow, where it says so"));
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
