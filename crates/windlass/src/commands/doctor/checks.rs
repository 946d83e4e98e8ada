//! `windlass doctor --checks`: the baseline of a workflow, alone.

use std::process::ExitCode;

use windlass_core::hint::Hint;
use windlass_core::run::{BaseOutcome, BaseRecord, BaseResult};
use windlass_core::view::{Lines, printable};
use windlass_engine::dispatch::baseline_alone;

use crate::cli::{Cli, DoctorArguments, DriveArguments, RunArguments, WantedArguments};
use crate::commands::baseline::{Trying, line_of};
use crate::commands::run::{look_around, prepare_baseline};
use crate::error::{CommandError, EXIT_PERSON};
use crate::output::Output;

/// What the plan is called; no agent ever reads it.
const GOAL: &str = "look at the checks";

pub(super) fn run(
    cli: &Cli,
    arguments: &DoctorArguments,
    workflow: Option<&str>,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let arguments = as_of_a_run(arguments, workflow);
    let mut surroundings = look_around(cli, &arguments, output)?;
    let request = prepare_baseline(&arguments, &mut surroundings, output)?;
    let site = &surroundings.site;
    let record = baseline_alone(site, request, &mut Trying::new(output, site))?;
    if output.is_json() {
        output.json(&record);
    } else {
        tell(&record, output);
    }
    let passed = record.left_out.is_none()
        && record.only_warm.is_empty()
        && record.commands.iter().all(|result| result.outcome == BaseOutcome::Passed);
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::from(EXIT_PERSON) })
}

/// The arguments of a run of this workflow.
fn as_of_a_run(arguments: &DoctorArguments, workflow: Option<&str>) -> RunArguments {
    let drive = DriveArguments {
        no_wait: false,
        allow_write: Vec::new(),
        pass_env: Vec::new(),
        sandbox: None,
        expose: Vec::new(),
        notify: None,
    };
    RunArguments {
        no_baseline: false,
        no_cold: None,
        goal: Some(GOAL.to_owned()),
        workflow: workflow.map(str::to_owned),
        agent_command: None,
        agent: None,
        inputs: arguments.inputs.clone(),
        wanted: WantedArguments { platforms: arguments.platforms.clone() },
        base: None,
        branch: None,
        here: false,
        hosted: false,
        // Defaults count: what an agent is told is of no interest here.
        yes: true,
        issue: None,
        title: None,
        body: None,
        file: None,
        again: false,
        drive,
    }
}

fn tell(record: &BaseRecord, output: &mut Output) {
    for result in &record.commands {
        output.data(&line_of(result));
        for line in below(result) {
            output.data(&format!("  {}", printable(&line, Lines::One)));
        }
    }
    for note in &record.notes {
        output.data(&printable(note, Lines::One));
    }
    match &record.left_out {
        Some(why) => output.data(&format!("no check was run: {why}")),
        None if record.commands.is_empty() => {
            output.data("no check of this workflow can run before there is work");
        }
        None => {}
    }
}

/// Which tests fail, what the command said at its end, and what it seems to have reached for.
fn below(result: &BaseResult) -> Vec<String> {
    let failing = result.failing.iter().map(|name| format!("fails: {name}"));
    let said = result.said.lines().map(|line| format!("| {line}"));
    failing.chain(said).chain(result.hints.iter().map(Hint::words)).collect()
}
