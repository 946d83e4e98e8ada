//! `windlass simulate`: every way that a run of a workflow can go, before one is started.

use std::collections::BTreeMap;
use std::process::ExitCode;

use windlass_core::plan::{Issue, PlanRequest};
use windlass_core::run::RunStatus;
use windlass_core::simulate::{Path, Simulation, simulate as walk};

use crate::cli::{Cli, SimulateArguments};
use crate::commands::{platform, workflow_file};
use crate::error::{CommandError, EXIT_USAGE};
use crate::output::Output;

pub(crate) fn simulate(
    cli: &Cli,
    arguments: &SimulateArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let folder = cli.directory.clone().unwrap_or_else(|| ".".into());
    let path = workflow_file::find(&arguments.workflow, &folder)?;
    let workflow = workflow_file::read(&path)?;
    // The paths are the same whatever the goal and the issue are.
    let request = PlanRequest {
        goal: "a goal".to_owned(),
        issue: Some(Issue { number: 1, title: "an issue".to_owned(), ..Issue::default() }),
        inputs: workflow_file::inputs(&arguments.inputs)?,
        platforms: platform::for_show(&workflow, &folder),
        ..PlanRequest::default()
    };
    let plan = workflow_file::plan(&workflow, request)?;
    let simulation = walk(&plan).map_err(CommandError::failure)?;
    if output.is_json() {
        output.json(&as_json(workflow.name(), &simulation));
    } else {
        output.data(text(&path.display().to_string(), &simulation).trim_end());
    }
    let unreachable = simulation.unreachable().count();
    Ok(if unreachable == 0 { ExitCode::SUCCESS } else { ExitCode::from(EXIT_USAGE) })
}

fn as_json(workflow: &str, simulation: &Simulation) -> serde_json::Value {
    serde_json::json!({
        "ok": simulation.unreachable().next().is_none(),
        "workflow": workflow,
        "paths": simulation.paths,
        "covered": simulation.covered,
        "missed": simulation.missed,
        "most_attempts": simulation.most_attempts,
        "worst_case_attempts": simulation.worst_case_attempts,
    })
}

/// How wide a line gets.
const WIDTH: usize = 100;

/// So many moves like those of the first path are not told again.
const TOLD_AGAIN: usize = 6;

/// So many targets that were not reached are named; `--json` names all.
const LISTED: usize = 12;

fn text(file: &str, simulation: &Simulation) -> String {
    let paths = simulation.paths.len();
    let mut text = format!("{file}: {paths} {}\n\n", if paths == 1 { "path" } else { "paths" });
    let digits = paths.to_string().len();
    for (number, path) in simulation.paths.iter().enumerate() {
        let head = format!("{:>digits$}  ", number + 1);
        let indent = " ".repeat(head.len());
        let lines = wrapped(&story(path), WIDTH - head.len());
        for (index, line) in lines.iter().enumerate() {
            text.push_str(if index == 0 { &head } else { &indent });
            text.push_str(line);
            text.push('\n');
        }
    }
    let covered: Vec<String> = simulation
        .covered
        .iter()
        .map(|covered| format!("{} {}/{}", covered.kind, covered.reached, covered.total))
        .collect();
    text.push('\n');
    for line in wrapped(&format!("covered: {}", covered.join(", ")), WIDTH) {
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str(&format!(
        "most attempts on a path: {}; worst case: {}, not counting human feedback\n",
        simulation.most_attempts, simulation.worst_case_attempts
    ));
    for (how, mut targets) in missed(simulation) {
        if let Some(more) = targets.len().checked_sub(LISTED).filter(|more| *more > 0) {
            targets.truncate(LISTED);
            targets.push(format!("and {more} more"));
        }
        for line in wrapped(&format!("{how}: {}", targets.join("; ")), WIDTH) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

/// What was not reached, by why.
fn missed(simulation: &Simulation) -> BTreeMap<String, Vec<String>> {
    let mut missed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in &simulation.missed {
        let how = if one.never { "never reached" } else { "not walked" };
        missed.entry(format!("{how}, {}", one.why)).or_default().push(one.target.to_string());
    }
    missed
}

/// What happens on a path; moves of one step stand together.
fn story(path: &Path) -> String {
    let skipped = if path.shared > TOLD_AGAIN { path.shared } else { 0 };
    let mut words = String::new();
    if let Some(last) = skipped.checked_sub(1).and_then(|last| path.moves.get(last)) {
        let step = last.step().map(|step| format!(" `{step}` {last}")).unwrap_or_default();
        words.push_str(&format!("as 1 until{step}"));
    }
    let mut before = None;
    for happened in &path.moves[skipped..] {
        let step = happened.step();
        if step.is_some() && step == before {
            words.push_str(", ");
        } else {
            if !words.is_empty() {
                words.push_str("; ");
            }
            if let Some(step) = step {
                words.push_str(&format!("{step} "));
            }
        }
        words.push_str(&happened.to_string());
        before = step;
    }
    if path.end == RunStatus::AwaitingUser {
        words.push_str("; waits for a person");
    }
    let attempts = if path.attempts == 1 { "attempt" } else { "attempts" };
    format!("{words} ({} {attempts})", path.attempts)
}

/// Breaks a text at blanks.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
