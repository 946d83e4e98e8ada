//! `windlass tdd`: the phase of test-first work that stories are in.

use std::process::ExitCode;

use serde_json::json;
use windlass_core::view::{StoryView, story_view, story_views, tdd_phase};

use crate::cli::{Cli, TddArguments, TddCommand, TddStatusArguments, TddValidateArguments};
use crate::commands::deps::item;
use crate::error::{CommandError, EXIT_PAUSED};
use crate::output::Output;
use crate::surroundings::Surroundings;

pub(crate) fn tdd(
    cli: &Cli,
    arguments: &TddArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        TddCommand::Status(arguments) => status(cli, arguments, output),
        TddCommand::Validate(arguments) => validate(cli, arguments, output),
    }
}

fn status(
    cli: &Cli,
    arguments: &TddStatusArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (_, loaded, _) = Surroundings::find(cli)?.loaded()?;
    let state = &loaded.state;
    if let Some(story) = &arguments.story {
        let view = story_view(state, item(state, story)?);
        if output.is_json() {
            output.json(&view);
        } else {
            show(&view, output);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let views = story_views(state);
    if output.is_json() {
        output.json(&views);
    } else if views.is_empty() {
        output.data("there are no stories");
    } else {
        views.iter().for_each(|view| show(view, output));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(view: &StoryView, output: &mut Output) {
    let phase = view.tdd_phase.map_or("-", |phase| phase.as_str());
    let proven = view.checks.words();
    let proven =
        if proven.is_empty() { String::new() } else { format!("  ({})", proven.join(", ")) };
    let attempts = match view.attempts {
        1 => "1 attempt".to_owned(),
        count => format!("{count} attempts"),
    };
    let title = output.foreign(&view.title).into_owned();
    output.data(&format!(
        "{:<6} {phase:<8} {:<11} {attempts}  {title}{proven}",
        view.id.as_str(),
        view.status.as_str()
    ));
}

fn validate(
    cli: &Cli,
    arguments: &TddValidateArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (_, loaded, _) = Surroundings::find(cli)?.loaded()?;
    let story = item(&loaded.state, &arguments.story)?;
    let expected = tdd_phase(&loaded.state, story);
    let valid = expected.is_some_and(|phase| phase.as_str().eq_ignore_ascii_case(&arguments.phase));
    let id = &story.item.id;
    if output.is_json() {
        output.json(&json!({"valid": valid, "expected": expected}));
    } else {
        output.data(&match expected {
            Some(phase) => format!("story `{id}` is in {}", phase.as_str()),
            None => format!("story `{id}` is in no phase: it is finished, or its steps have none"),
        });
    }
    Ok(if valid { ExitCode::SUCCESS } else { ExitCode::from(EXIT_PAUSED) })
}
