//! Trying what was found: each project's commands once, where checks run.

use std::collections::BTreeMap;
use std::io::{BufRead as _, IsTerminal as _};

use windlass_core::hint::{Hint, lacks_network};
use windlass_core::init::{Found, FoundCheck, Project, Purpose, Tried, Verdict, line, trial};
use windlass_core::plan::{Plan, PlanRequest};
use windlass_core::view::{Lines, printable};
use windlass_engine::dispatch::{StartError, baseline_alone, clear_unstarted};
use windlass_engine::verify::PreflightError;

use super::open;
use crate::ask::keyboard;
use crate::cli::{Cli, InitArguments};
use crate::commands::baseline::Trying;
use crate::commands::run::baseline_of;
use crate::commands::workflow_file;
use crate::config;
use crate::error::CommandError;
use crate::output::{Output, note, prompt};
use crate::surroundings::Surroundings;

/// What the plan of a trial is called; no agent ever reads it.
const GOAL: &str = "try the checks";

/// How many signs are shown of a command that failed before the checks.
const SHOWN_COMMAND: usize = 80;

/// How many lines of a failing command are shown.
const SHOWN_LINES: usize = 12;

/// How often a project is tried again after something was opened for it.
const MOST_ROUNDS: usize = 4;

/// Tries every command that was found, and says in a line for each project what came of it. What a command
/// reached for outside its room is opened if somebody agrees, and the project tried again.
pub(super) fn try_all(
    cli: &Cli,
    found: &mut Found,
    arguments: &InitArguments,
    output: &Output,
) -> Result<Vec<Tried>, CommandError> {
    let why_not = match (arguments.no_run, arguments.dry_run) {
        (true, _) => Some("`--no-run`".to_owned()),
        (_, true) => Some("`--dry-run`".to_owned()),
        (false, false) => None,
    };
    let is_told = why_not.is_none() && !output.is_json();
    let surroundings = match why_not {
        Some(why) => Err(why),
        None => around(cli, output).map_err(|error| error.in_one_line()),
    };
    let mut all = Vec::new();
    for (number, project) in found.projects.iter_mut().enumerate() {
        let mut rounds = 0;
        let tried = loop {
            let ends = match &surroundings {
                Ok(surroundings) => try_one(project, surroundings, output),
                Err(why) => Ends { rest: End::not_tried(why.clone()), by_command: BTreeMap::new() },
            };
            let tried = as_tried(number, project, &ends);
            if is_told {
                note(&printable(&line(project, &tried), Lines::One));
            }
            rounds += 1;
            if rounds == MOST_ROUNDS || !open::open(project, &tried, arguments, output)? {
                break tried;
            }
        };
        all.extend(tried);
    }
    Ok(all)
}

/// How the commands of a project ended.
struct Ends {
    by_command: BTreeMap<String, End>,
    /// What is said about all others.
    rest: End,
}

/// How one command ended, with the end of what it printed and what that speaks of.
#[derive(Clone)]
struct End {
    verdict: Verdict,
    said: String,
    hints: Vec<Hint>,
}

impl End {
    fn of(verdict: Verdict, said: String) -> Self {
        Self { verdict, said, hints: Vec::new() }
    }

    fn not_tried(why: String) -> Self {
        Self::of(Verdict::NotTried { why }, String::new())
    }

    /// A `prepare` that failed: where it did because there was no network, nothing is known about the checks.
    fn not_prepared(words: String, said: String) -> Self {
        if lacks_network(&said) {
            let why = format!("{words}, because there was no network");
            return Self::of(Verdict::NotTried { why }, said);
        }
        Self::of(Verdict::CannotRun { words }, said)
    }
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
            return Ends { by_command, rest: End::not_tried("it is no check".to_owned()) };
        };
        let tried = plan.map(|plan| {
            let request = baseline_of(plan);
            let site = &surroundings.site;
            baseline_alone(site, request, &mut Trying::new(output, site))
        });
        let error = match tried {
            Ok(Ok(record)) => {
                for result in &record.commands {
                    let hints = result.hints.clone();
                    let (verdict, said) = (Verdict::of(result), result.said.clone());
                    by_command.insert(result.command.clone(), End { verdict, said, hints });
                }
                let why = record.left_out.unwrap_or_else(|| "it was not reached".to_owned());
                return Ends { by_command, rest: End::not_prepared(why, record.left_out_said) };
            }
            Ok(Err(error)) => error,
            Err(why) => return Ends { by_command, rest: End::not_tried(why) },
        };
        let (command, words) = match error {
            StartError::Preflight(PreflightError::MissingProgram { command, program, .. }) => {
                (command, format!("`{program}` is not installed"))
            }
            StartError::Preflight(PreflightError::Prepare { command, how, output }) => {
                let words = format!("`{}` failed before it: {how}", cut(&command));
                return Ends { by_command, rest: End::not_prepared(words, output) };
            }
            other => {
                let why = CommandError::from(other).in_one_line();
                return Ends { by_command, rest: End::not_tried(why) };
            }
        };
        let end = End::of(Verdict::CannotRun { words }, String::new());
        let is_it = |check: &FoundCheck| check.command == command;
        let found = left.checks.iter().chain(&left.coverage).any(is_it);
        if !found {
            // It is the one that makes everything ready.
            return Ends { by_command, rest: end };
        }
        left.checks.retain(|check| !is_it(check));
        left.coverage.take_if(|check| is_it(check));
        by_command.insert(command, end);
    }
}

/// The beginning of a command that may be a small program.
fn cut(command: &str) -> String {
    match command.char_indices().nth(SHOWN_COMMAND) {
        Some((end, _)) => format!("{} …", &command[..end]),
        None => command.to_owned(),
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
    let tried = project.checks.iter().chain(&project.coverage).map(|check| {
        let end = ends.by_command.get(&check.command).unwrap_or(&ends.rest);
        let verdict = match (check.purpose, &end.verdict) {
            (Purpose::Coverage, Verdict::Works { .. }) => {
                Verdict::Fails { words: "it wrote no report that can be read".to_owned() }
            }
            _ => end.verdict.clone(),
        };
        Tried {
            project: number,
            purpose: check.purpose,
            command: check.command.clone(),
            verdict,
            said: end.said.clone(),
            hints: end.hints.clone(),
            opened: check.opens.iter().cloned().collect(),
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
    let can_ask = can_ask(arguments, output);
    let mut shown_before = String::new();
    // Coverage is no check of what is written; the line about it has been said.
    for one in tried.iter_mut().filter(|one| one.purpose != Purpose::Coverage) {
        if one.verdict.works() {
            continue;
        }
        let was_tried = !matches!(one.verdict, Verdict::NotTried { .. });
        if !output.is_json() && (was_tried || !one.said.is_empty()) {
            // What failed before all of them is shown once.
            show(one, one.said != shown_before);
            shown_before.clone_from(&one.said);
        }
        if !was_tried {
            continue;
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

/// Says whether somebody is there who can be asked, and wants to be.
pub(super) fn can_ask(arguments: &InitArguments, output: &Output) -> bool {
    !arguments.yes
        && !output.is_json()
        && std::io::stdin().is_terminal()
        && std::io::stderr().is_terminal()
}

/// Shows how a command failed, with the end of its output.
fn show(one: &Tried, with_output: bool) {
    let command = printable(&one.command, Lines::One);
    note(&format!(
        "\n{}: `{command}` {}",
        one.purpose.as_str(),
        printable(&one.verdict.why(), Lines::One)
    ));
    if !with_output {
        return;
    }
    let lines: Vec<&str> = one.said.lines().filter(|line| !line.trim().is_empty()).collect();
    for line in &lines[lines.len().saturating_sub(SHOWN_LINES)..] {
        note(&format!("  | {}", printable(line, Lines::One)));
    }
    for hint in &one.hints {
        note(&format!("  {}", printable(&hint.words(), Lines::One)));
    }
}

fn ask() -> Result<bool, CommandError> {
    loop {
        // The command took its time, and what was typed meanwhile is no answer.
        keyboard::settle(|| Ok(true))?;
        prompt("  [k]eep it all the same, [l]eave it out, or [s]top: ");
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).map_err(CommandError::failure)? == 0 {
            return Err(CommandError::usage("no answer was given, so nothing was written"));
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
