//! `windlass checkpoint` and `windlass publish --draft`.

use std::process::ExitCode;

use windlass_engine::dispatch::Request;

use super::resume::{Ready, Went};
use crate::cli::{CheckpointArguments, CheckpointCommand, Cli, PublishArguments};
use crate::clock::Clock;
use crate::commands::decide;
use crate::error::CommandError;
use crate::output::{Output, note};
use crate::surroundings::Surroundings;

pub(crate) fn checkpoint(
    cli: &Cli,
    arguments: &CheckpointArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    if let Some(CheckpointCommand::List) = &arguments.command {
        return list(cli, output);
    }
    let what = match &arguments.name {
        Some(name) => format!("the current code is named `{name}`"),
        None => "the current code has a name: see `windlass checkpoint list`".to_owned(),
    };
    let request = Request::Checkpoint { name: arguments.name.clone() };
    decide::note_only(&Surroundings::find(cli)?, &request, &what, output)
}

fn list(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    let state = Surroundings::find(cli)?.loaded()?.1.state;
    if output.is_json() {
        let all = state.checkpoints.iter().map(|known| {
            serde_json::json!({
                "name": known.name,
                "code": known.snapshot.code,
                "by": known.by,
                "at": known.at.to_string(),
            })
        });
        output.json(&all.collect::<Vec<_>>());
    } else if state.checkpoints.is_empty() {
        output.data("there are no checkpoints");
    } else {
        let clock = Clock::here();
        for known in &state.checkpoints {
            let code = known.snapshot.code.as_str();
            let line = format!(
                "{}  {}  {} by {}",
                known.name,
                code.get(..12).unwrap_or(code),
                clock.short(known.at),
                known.by
            );
            let line = output.foreign(&line).into_owned();
            output.data(&line);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A person wants what is done to be published; the run continues with that.
pub(crate) fn publish(
    cli: &Cli,
    arguments: &PublishArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let ready = Ready::find(cli, &arguments.drive, output)?;
    match ready.decide_and_drive(&Request::PublishDraft, output)? {
        Went::Here(code) => Ok(code),
        Went::Driven(run) => {
            note(&format!(
                "run `{}` goes on to a draft pull request; another windlass drives it already",
                run.id
            ));
            Ok(ExitCode::SUCCESS)
        }
    }
}
