//! `windlass tasks`: TASKS.md for people and programs. It needs no run.

use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use windlass_core::markdown::MAX_DOCUMENT_BYTES;
use windlass_core::story;
use windlass_core::tasks::{ListedTask, TaskList, listed_json};
use windlass_core::view::{Lines, printable};

use crate::cli::{Cli, TasksArguments, TasksCommand};
use crate::config;
use crate::document;
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings;

/// What a task list is called.
const NAME: &str = "TASKS.md";

pub(crate) fn tasks(
    cli: &Cli,
    arguments: &TasksArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let command = &arguments.command;
    let (source, shown) = source(cli, command)?;
    let list = read(&source, &shown, output)?;
    match command {
        TasksCommand::Parse(_) | TasksCommand::Groups(_) if output.is_json() => {
            output.json(&list.view());
        }
        TasksCommand::Parse(_) => show_tasks(&list, output),
        TasksCommand::Groups(_) => show_groups(&list, output),
        TasksCommand::Next(_) => show_next(&list, output),
        TasksCommand::Conflicts(_) => show_conflicts(&list, output),
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the bytes that are meant, and what messages call them.
fn source(cli: &Cli, command: &TasksCommand) -> Result<(Vec<u8>, String), CommandError> {
    let stdin = || -> Result<Vec<u8>, CommandError> {
        let mut bytes = Vec::new();
        let bound = MAX_DOCUMENT_BYTES as u64 + 1;
        std::io::stdin().take(bound).read_to_end(&mut bytes).map_err(CommandError::failure)?;
        match bytes.len() > MAX_DOCUMENT_BYTES {
            true => Err(document::too_large("standard input")),
            false => Ok(bytes),
        }
    };
    match &command.file().file {
        Some(file) if file.as_os_str() == "-" => Ok((stdin()?, "standard input".to_owned())),
        Some(file) => {
            let path = surroundings::folder(cli)?.join(file);
            let shown = file.display().to_string();
            Ok((document::read(&path, &shown)?, shown))
        }
        None => {
            if matches!(command, TasksCommand::Conflicts(_)) && !std::io::stdin().is_terminal() {
                let bytes = stdin()?;
                if !bytes.trim_ascii().is_empty() {
                    return Ok((bytes, "standard input".to_owned()));
                }
            }
            let (path, shown) = usual(&surroundings::folder(cli)?)?;
            Ok((document::read(&path, &shown)?, shown))
        }
    }
}

/// Finds the list that is meant where none is named.
fn usual(folder: &Path) -> Result<(PathBuf, String), CommandError> {
    let here = folder.join(NAME);
    if here.is_file() {
        return Ok((here, NAME.to_owned()));
    }
    let requirements = folder.join(config::devflow_folder(folder)?).join("requirements");
    let mut found: Vec<PathBuf> = Vec::new();
    if let Ok(entries) = fs_err::read_dir(&requirements) {
        found
            .extend(entries.flatten().map(|entry| entry.path().join(NAME)).filter(|p| p.is_file()));
    }
    found.sort();
    let shown = |path: &PathBuf| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    match found.as_slice() {
        [only] => Ok((only.clone(), shown(only))),
        [] => Err(CommandError::usage(format!("there is no {NAME} here"))
            .hint("name the file: `windlass tasks parse path/to/TASKS.md`")),
        several => {
            let names: Vec<String> = several.iter().take(10).map(shown).collect();
            Err(CommandError::usage(format!("several requirements have a {NAME}"))
                .hint(format!("name one of them: {}", names.join(", "))))
        }
    }
}

fn read(source: &[u8], shown: &str, output: &Output) -> Result<TaskList, CommandError> {
    let text = document::text(source, shown)?;
    let begins = text.trim_start_matches('\u{feff}').trim_start();
    let extension = Path::new(shown).extension().and_then(|extension| extension.to_str());
    let listed = if begins.starts_with('{') && begins.contains("\"tasks\"") {
        let tasks = listed_json(text).map_err(|error| {
            CommandError::usage(format!("{shown}: {error}"))
                .hint("the shape is that of `windlass tasks parse --json`")
        })?;
        TaskList::of_tasks(tasks, shown)
    } else if matches!(extension, Some("yaml" | "yml" | "json")) {
        let stories = story::parse(text).map_err(|mistakes| {
            let error = CommandError::usage(format!("`{shown}` is no file of stories"));
            mistakes.iter().fold(error, |error, mistake| error.hint(format!("{shown}: {mistake}")))
        })?;
        TaskList::of_stories(&stories, shown)
    } else {
        TaskList::parse(text, shown)
    };
    listed.map_err(|findings| document::refused(shown, source, &findings, output))
}

fn show_tasks(list: &TaskList, output: &mut Output) {
    let stats = list.stats();
    let mut phase = None;
    for task in &list.tasks {
        if task.phase != phase {
            phase = task.phase;
            output.data(&match phase {
                Some(phase) => format!("phase {phase}"),
                None => "no phase".to_owned(),
            });
        }
        output.data(&line(task));
        for point in &task.done_when {
            output.data(&format!("      done when: {}", printable(point, Lines::One)));
        }
    }
    output
        .data(&format!("{} tasks, {} done, {} open", stats.total, stats.completed, stats.pending));
}

fn line(task: &ListedTask) -> String {
    let mark = if task.done { 'x' } else { ' ' };
    let mut line = format!("  [{mark}] {}", task.id);
    if task.parallel {
        line.push_str(" [P]");
    }
    if let Some(story) = &task.user_story {
        line.push_str(&format!(" [{story}]"));
    }
    line.push_str(&format!(" {}", printable(&task.title, Lines::One)));
    if let Some(needs) = task.depends_on.as_ref().filter(|needs| !needs.is_empty()) {
        let needs: Vec<&str> = needs.iter().map(windlass_core::id::ItemId::as_str).collect();
        line.push_str(&format!("  waits for {}", needs.join(", ")));
    }
    line
}

fn show_groups(list: &TaskList, output: &mut Output) {
    for (number, group) in (1..).zip(list.groups()) {
        let ids: Vec<&str> = group.iter().map(|id| id.as_str()).collect();
        output.data(&format!("{number}: {}", ids.join(" ")));
    }
}

fn show_next(list: &TaskList, output: &mut Output) {
    let next = list.next();
    if output.is_json() {
        output.json(&json!({ "next": next }));
        return;
    }
    if next.is_empty() {
        output.data("no task is open");
    }
    let next: std::collections::BTreeSet<_> = next.into_iter().collect();
    for task in list.tasks.iter().filter(|task| next.contains(&task.id)) {
        output.data(line(task).trim_start());
    }
}

fn show_conflicts(list: &TaskList, output: &mut Output) {
    let conflicts = list.conflicts();
    if output.is_json() {
        output.json(&conflicts);
        return;
    }
    let named = |ids: &[windlass_core::id::ItemId]| {
        ids.iter().map(windlass_core::id::ItemId::as_str).collect::<Vec<_>>().join(", ")
    };
    if !conflicts.has_conflicts {
        output.data("no conflict is predicted");
    }
    for conflict in &conflicts.conflicts {
        let file = printable(&conflict.file, Lines::One);
        output.data(&format!("{file}: {}", named(&conflict.tasks)));
    }
    for group in &conflicts.safe_groups {
        output.data(&format!("safe together: {}", named(&group.tasks)));
    }
}
