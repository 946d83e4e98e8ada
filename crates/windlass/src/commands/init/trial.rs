//! Trying what was found: each project's commands once, where checks run.

use std::collections::BTreeMap;
use std::io::{BufRead as _, IsTerminal as _};

use windlass_core::init::{Found, Project, Tried, Verdict, line, trial};
use windlass_core::plan::{Plan, PlanRequest};
use windlass_core::run::BaseRecord;
use windlass_core::view::{Lines, printable};
use windlass_engine::dispatch::{
    AfterBaseline, StartError, StartWatcher, baseline_alone, clear_unstarted,
};
use windlass_engine::verify::{BaseProgress, PreflightError};

use crate::ask::keyboard;
use crate::cli::{Cli, InitArguments};
use crate::commands::run::baseline_of;
use crate::commands::workflow_file;
use crate::config;
use crate::error::CommandError;
use crate::output::{Output, note, prompt};
use crate::surroundings::Surroundings;

/// What the plan of a trial is called; no agent ever reads it.
const GOAL: &str = "try the checks";

/// How many lines of a failing command are shown.
const SHOWN_LINES: usize = 12;

/// Tries every command that was found, and says in a line for each project what came of it.
pub(super) fn try_all(
    cli: &Cli,
    found: &Found,
    arguments: &InitArguments,
    output: &Output,
) -> Vec<Tried> {
    let why_not = match (arguments.no_run, arguments.dry_run) {
        (true, _) => Some("`--no-run`".to_owned()),
        (_, true) => Some("`--dry-run`".to_owned()),
        (false, false) => None,
    };
    let mut surroundings = match why_not {
        Some(why) => Err(why),
        None => around(cli, output).map_err(|error| error.in_one_line()),
    };
    let mut all = Vec::new();
    for (number, project) in found.projects.iter().enumerate() {
        let ends = match &mut surroundings {
            Ok(surroundings) => try_one(project, surroundings, output),
            Err(why) => Ends { rest: not_tried(why.clone()), by_command: BTreeMap::new() },
        };
        let tried = as_tried(number, project, &ends);
        if !arguments.no_run && !arguments.dry_run && !output.is_json() {
            note(&printable(&line(project, &tried), Lines::One));
        }
        all.extend(tried);
    }
    all
}

/// How the commands of a project ended: each with the end of what it printed.
struct Ends {
    by_command: BTreeMap<String, (Verdict, String)>,
    /// What is said about all others.
    rest: (Verdict, String),
}

fn not_tried(why: String) -> (Verdict, String) {
    (Verdict::NotTried { why }, String::new())
}

/// Finds what a trial needs; a machine on which nothing can be tried is no mistake of whoever sets up.
fn around(cli: &Cli, output: &Output) -> Result<Surroundings, CommandError> {
    let mut surroundings = Surroundings::find_to_drive(cli, &[])?;
    surroundings.refuse_agents()?;
    clear_unstarted(&surroundings.site).map_err(CommandError::failure)?;
    let settings = config::load(&surroundings.site.user.top_level)?;
    surroundings.confine_as_set(&settings.confinement)?;
    if !surroundings.site.user.dirty.is_empty() && !output.is_json() {
        note("What is tried is your last commit: changes that are not committed do not count.");
    }
    Ok(surroundings)
}

/// Tries the commands of a project; one whose program is not there does not keep the others from it.
fn try_one(project: &Project, surroundings: &Surroundings, output: &Output) -> Ends {
    let mut left = project.clone();
    let mut by_command = BTreeMap::new();
    loop {
        let Some(plan) = plan_of(&left) else {
            return Ends { by_command, rest: not_tried("it is no check".to_owned()) };
        };
        let tried = plan.map(|plan| {
            let request = baseline_of(plan);
            baseline_alone(&surroundings.site, request, &mut Waiting { output })
        });
        let error = match tried {
            Ok(Ok(record)) => {
                for result in &record.commands {
                    let end = (Verdict::of(result), result.said.clone());
                    by_command.insert(result.command.clone(), end);
                }
                let why = record.left_out.unwrap_or_else(|| "it was not reached".to_owned());
                let rest = (Verdict::CannotRun { words: why }, record.left_out_said);
                return Ends { by_command, rest };
            }
            Ok(Err(error)) => error,
            Err(why) => return Ends { by_command, rest: not_tried(why) },
        };
        let (command, words) = match error {
            StartError::Preflight(PreflightError::MissingProgram { command, program, .. }) => {
                (command, format!("`{program}` is not installed"))
            }
            StartError::Preflight(PreflightError::Prepare { command, how, output }) => {
                let words = format!("`{command}` failed before it: {how}");
                return Ends { by_command, rest: (Verdict::CannotRun { words }, output) };
            }
            other => {
                let why = CommandError::from(other).in_one_line();
                return Ends { by_command, rest: not_tried(why) };
            }
        };
        let verdict = Verdict::CannotRun { words };
        let count = left.checks.len();
        left.checks.retain(|check| check.command != command);
        if left.checks.len() == count {
            // It is the one that makes everything ready.
            return Ends { by_command, rest: (verdict, String::new()) };
        }
        by_command.insert(command, (verdict, String::new()));
    }
}

/// The plan that tries a project's commands; none where there are none.
fn plan_of(project: &Project) -> Option<Result<Plan, String>> {
    let text = trial(project)?;
    let workflow = match workflow_file::parse(text.as_bytes(), "trial") {
        Ok(workflow) => workflow,
        Err(wrong) => {
            let first = wrong.first().map(|diagnostic| diagnostic.message.clone());
            return Some(Err(first.unwrap_or_default()));
        }
    };
    let request = PlanRequest { goal: GOAL.to_owned(), ..PlanRequest::default() };
    Some(workflow_file::plan(&workflow, request).map_err(|error| error.in_one_line()))
}

fn as_tried(number: usize, project: &Project, ends: &Ends) -> Vec<Tried> {
    let tried = project.checks.iter().map(|check| {
        let end = ends.by_command.get(&check.command).unwrap_or(&ends.rest);
        Tried {
            project: number,
            purpose: check.purpose,
            command: check.command.clone(),
            verdict: end.0.clone(),
            said: end.1.clone(),
            kept: true,
        }
    });
    tried.collect()
}

/// Decides which commands are taken: those that work, and of the others those that a person keeps.
///
/// With nobody to ask and without `--yes` everything is kept: a workflow that fails says so at its start,
/// one that leaves tests out says nothing.
pub(super) fn decide(
    tried: &mut [Tried],
    arguments: &InitArguments,
    output: &Output,
) -> Result<(), CommandError> {
    let can_ask = !arguments.yes
        && !output.is_json()
        && std::io::stdin().is_terminal()
        && std::io::stderr().is_terminal();
    for one in tried {
        let was_tried = !matches!(one.verdict, Verdict::NotTried { .. });
        if !was_tried || one.verdict.works() {
            continue;
        }
        if !output.is_json() {
            show(one);
        }
        one.kept = match (arguments.yes, can_ask) {
            (true, _) => false,
            (false, true) => ask()?,
            (false, false) => true,
        };
        if !one.kept && !output.is_json() {
            note("  It is left out.");
        }
    }
    Ok(())
}

/// Shows how a command failed, with the end of its output.
fn show(one: &Tried) {
    let command = printable(&one.command, Lines::One);
    note(&format!(
        "\n{}: `{command}` {}",
        one.purpose.as_str(),
        printable(&one.verdict.why(), Lines::One)
    ));
    let lines: Vec<&str> = one.said.lines().filter(|line| !line.trim().is_empty()).collect();
    for line in &lines[lines.len().saturating_sub(SHOWN_LINES)..] {
        note(&format!("  | {}", printable(line, Lines::One)));
    }
}

fn ask() -> Result<bool, CommandError> {
    loop {
        // The command took its time, and what was typed meanwhile is no answer.
        keyboard::settle(|| Ok(true))?;
        prompt("  [k]eep it all the same, [l]eave it out, or [s]top: ");
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).map_err(CommandError::failure)? == 0 {
            return Err(CommandError::usage("no answer, so nothing was written"));
        }
        match line.trim().to_ascii_lowercase().as_str() {
            "k" | "keep" => return Ok(true),
            "l" | "leave" => return Ok(false),
            "s" | "stop" | "q" => {
                return Err(CommandError::usage("stopped, so nothing was written"));
            }
            _ => note("  please answer k, l or s"),
        }
    }
}

/// Shows what goes on to somebody who waits.
struct Waiting<'o> {
    output: &'o Output,
}

impl StartWatcher for Waiting<'_> {
    fn baseline(&mut self, progress: &BaseProgress) {
        if self.output.is_json() || !std::io::stderr().is_terminal() {
            return;
        }
        match progress {
            BaseProgress::Prepares(commands) => {
                let commands = printable(&commands.join("`, `"), Lines::One);
                self.output.remark(&format!("preparing: `{commands}` …"));
            }
            BaseProgress::Begins(command, number, count) => {
                let command = printable(command, Lines::One);
                self.output.remark(&format!("trying {number}/{count}: `{command}` …"));
            }
            BaseProgress::Prepared(_) | BaseProgress::Ended(_) => {}
        }
    }

    fn choose(&mut self, _record: &BaseRecord) -> AfterBaseline {
        AfterBaseline::Stop
    }
}
