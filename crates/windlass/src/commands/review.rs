//! `windlass review`: a review of files, alone.

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use windlass_core::judgement::ReportKind;
use windlass_core::run::RunStatus;
use windlass_core::view::StepHistory;
use windlass_engine::git::UserRepository;

use crate::cli::{Cli, ReviewArguments};
use crate::commands::report::history;
use crate::commands::run::begin_own;
use crate::drive::{drive_until_it_stops, stopped};
use crate::error::{CommandError, EXIT_PAUSED};
use crate::output::Output;
use crate::surroundings::{self, Surroundings};

/// The workflow that reviews files.
const WORKFLOW: &str = "review";

/// The input of the workflow that names the files.
const FILES: &str = "files";

/// The most files of one review: more are not read with care.
const MAX_FILES: usize = 100;

pub(crate) fn review(
    cli: &Cli,
    arguments: &ReviewArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find_to_drive(cli, &[])?;
    let user = &surroundings.site.user;
    let files = files(cli, &user.top_level, &arguments.files)?;
    if !arguments.start.here {
        refuse_uncommitted(user, &files)?;
    }
    let goal = match &arguments.goal {
        Some(goal) => goal.clone(),
        None => format!("Review {}", files.join(", ")),
    };
    let mut run = arguments.start.for_run(WORKFLOW, goal);
    run.inputs.push(format!("{FILES}={}", files.join("\n")));
    let (surroundings, run, how) = begin_own(cli, &run, Vec::new(), output)?;
    let ended = drive_until_it_stops(&surroundings, &run, how, output)?;
    if ended.status != RunStatus::Completed {
        return stopped(&surroundings, &ended, output);
    }
    let Some(store) = surroundings.store()? else {
        return Err(CommandError::failure(format!("run `{run}` is gone")));
    };
    let history = history(&store, &run)?;
    let judged = history.steps.values().find(|step| step.verdict.is_some());
    let Some(StepHistory { verdict: Some(verdict), remarks, .. }) = judged else {
        return Err(CommandError::failure(format!("run `{run}` ended without a verdict"))
            .hint("the workflow `review` of this repository has no check `verdict_in`"));
    };
    if output.is_json() {
        output.json(&json!({"run": run, "verdict": verdict, "files": files, "findings": remarks}));
    } else {
        for remark in remarks {
            let text = output.foreign(&remark.words()).into_owned();
            output.data(&text);
        }
        output.data(verdict);
    }
    let approved = verdict == ReportKind::Review.accepting();
    Ok(if approved { ExitCode::SUCCESS } else { ExitCode::from(EXIT_PAUSED) })
}

/// Refuses files that the run would not see as they are: it starts from your last commit.
fn refuse_uncommitted(user: &UserRepository, files: &[String]) -> Result<(), CommandError> {
    let is_dirty = |file: &&String| {
        user.dirty.iter().any(|path| match path.strip_suffix(b"/") {
            // A folder that git does not know is named as a whole.
            Some(_) => file.as_bytes().starts_with(path),
            None => path == file.as_bytes(),
        })
    };
    let dirty: Vec<&str> = files.iter().filter(is_dirty).map(String::as_str).collect();
    if dirty.is_empty() {
        return Ok(());
    }
    Err(CommandError::usage(format!("not committed as they are: {}", dirty.join(", "))).hint(
        "a review looks at your last commit: commit them, or review this checkout with `--here`",
    ))
}

/// Returns the files relative to the repository; each has to be there, in the commit that is reviewed
/// or beside it.
fn files(cli: &Cli, top_level: &Path, given: &[PathBuf]) -> Result<Vec<String>, CommandError> {
    if given.len() > MAX_FILES {
        let count = given.len();
        return Err(CommandError::usage(format!("{count} files are too many for one review"))
            .hint(format!("name at most {MAX_FILES}")));
    }
    let folder = std::path::absolute(surroundings::folder(cli)?).map_err(CommandError::failure)?;
    let folder = fs_err::canonicalize(folder).map_err(CommandError::failure)?;
    let root = fs_err::canonicalize(top_level).map_err(CommandError::failure)?;
    let mut files = Vec::new();
    for path in given {
        let shown = path.display();
        let there = fs_err::canonicalize(folder.join(path)).map_err(|error| {
            CommandError::usage(format!("`{shown}` cannot be read: {error}"))
                .hint("name files of this repository")
        })?;
        let Ok(relative) = there.strip_prefix(&root) else {
            return Err(CommandError::usage(format!("`{shown}` is not in this repository")));
        };
        let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
        let text = relative.to_str().filter(|text| plain && !text.contains(['\n', '\r']));
        match text {
            Some(text) if !text.is_empty() => files.push(text.to_owned()),
            _ => {
                return Err(CommandError::usage(format!(
                    "`{shown}` has a name that no task can hold"
                )));
            }
        }
    }
    Ok(files)
}
