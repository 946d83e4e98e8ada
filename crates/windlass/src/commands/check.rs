//! `windlass check`: is this a workflow that can run, and what is the most it can cost.

use std::process::ExitCode;

use crate::cli::{CheckArguments, Cli};
use crate::commands::{graph, workflow_file};
use crate::error::CommandError;
use crate::output::Output;

pub(crate) fn check(
    cli: &Cli,
    arguments: &CheckArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let path = workflow_file::find(&arguments.workflow, &workflow_file::top_level(cli))?;
    let workflow = workflow_file::read(&path)?;
    let attempts = workflow.worst_case_attempts();
    if output.is_json() {
        output.json(&serde_json::json!({
            "ok": true,
            "workflow": workflow.name(),
            "title": workflow.title(),
            "worst_case_attempts": attempts,
            "warnings": workflow.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(),
        }));
    } else {
        output.data(&format!("{}: ok", path.display()));
        if let Ok(text) = graph::terminal(&workflow) {
            output.data(text.trim_end());
        }
        output.data(&format!("worst case: {attempts} attempts, people's feedback aside"));
        output.data(&format!("every way it can go: windlass simulate {}", arguments.workflow));
    }
    Ok(ExitCode::SUCCESS)
}
