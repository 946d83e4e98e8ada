//! `windlass graph`: a workflow as a picture.

use std::process::ExitCode;

use windlass_core::plan::{Issue, Plan, PlanRequest};
use windlass_core::platform::PinnedPlatform;
use windlass_core::view::{GraphFormat, graph as draw};
use windlass_core::workflow::{Input, InputType, Workflow};

use crate::cli::{Cli, GraphArguments};
use crate::commands::{platform, workflow_file};
use crate::error::CommandError;
use crate::output::Output;

pub(crate) fn graph(
    cli: &Cli,
    arguments: &GraphArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let top_level = workflow_file::top_level(cli);
    let path = workflow_file::find(&arguments.workflow, &top_level)?;
    let workflow = workflow_file::read(&path)?;
    let plan = plan(&workflow, platform::for_show(&workflow, &top_level))?;
    let format = match (arguments.mermaid, arguments.dot) {
        (true, _) => GraphFormat::Mermaid,
        (_, true) => GraphFormat::Dot,
        _ => GraphFormat::Drawing,
    };
    let text = draw(&plan, format);
    if output.is_json() {
        output.json(&serde_json::json!({"workflow": workflow.name(), "graph": text}));
    } else {
        output.data(text.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

/// A picture needs no goal, no issue and no inputs; any will do.
pub(crate) fn plan(
    workflow: &Workflow,
    platforms: Vec<PinnedPlatform>,
) -> Result<Plan, CommandError> {
    let request = PlanRequest {
        goal: "a goal".to_owned(),
        issue: Some(Issue { number: 1, title: "an issue".to_owned(), ..Issue::default() }),
        inputs: workflow.inputs().iter().filter_map(stand_in).collect(),
        platforms,
        ..PlanRequest::default()
    };
    workflow.plan(request).map_err(|errors| {
        let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
        CommandError::usage(words.join("; ")).hint("give the inputs a default to draw the workflow")
    })
}

/// A value for an input that has no default.
fn stand_in(input: &Input) -> Option<(String, String)> {
    if input.default.is_some() {
        return None;
    }
    let value = match &input.kind {
        InputType::Integer | InputType::Number => "1".to_owned(),
        InputType::String => input.name.clone(),
        InputType::Boolean => "true".to_owned(),
        InputType::Enum(values) => values.first()?.clone(),
    };
    Some((input.name.clone(), value))
}
