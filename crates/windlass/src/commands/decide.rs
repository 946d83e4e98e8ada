//! What people decide: approve, feedback, rollback, skip, pause, retry-reset, abort.

use std::process::ExitCode;

use windlass_core::run::GateKind;
use windlass_engine::dispatch::{Answer, Request, send};
use windlass_engine::store::Life;

use crate::cli::{
    AbortArguments, ApproveArguments, Cli, FeedbackArguments, PauseArguments, RetryResetArguments,
    RollbackArguments, SkipArguments,
};
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::surroundings::{self, Surroundings, person};

pub(crate) fn approve(
    cli: &Cli,
    arguments: &ApproveArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let run = surroundings.run_to_decide()?;
    let (_, loaded, _) = surroundings.loaded()?;
    let Some(gate) = loaded.state.gate() else {
        return Err(CommandError::usage(format!(
            "no gate of run `{}` waits for an answer",
            run.id
        ))
        .hint("`windlass status` says what the run waits for"));
    };
    let request = Request::Approve { gate: gate.id, message: arguments.message.clone() };
    let what = match &gate.kind {
        GateKind::Route { target, .. } => format!("the run goes back to `{target}`"),
        GateKind::Approval | GateKind::Protected { .. } => format!("`{}` is approved", gate.step),
    };
    ask(&surroundings, &request, &what, output)
}

pub(crate) fn feedback(
    cli: &Cli,
    arguments: &FeedbackArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let request = Request::Feedback { message: arguments.message.clone(), gate: None };
    ask(&surroundings, &request, "the step is open again, with your feedback", output)
}

pub(crate) fn rollback(
    cli: &Cli,
    arguments: &RollbackArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (_, loaded, _) = surroundings.loaded()?;
    let request = Request::Rollback {
        step: surroundings::step(&loaded.state, &arguments.step)?,
        message: arguments.message.clone(),
        reset_code: arguments.code,
    };
    let what = format!("the run goes back to `{}`", arguments.step);
    ask(&surroundings, &request, &what, output)
}

pub(crate) fn skip(
    cli: &Cli,
    arguments: &SkipArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (_, loaded, _) = surroundings.loaded()?;
    let step = surroundings::step(&loaded.state, &arguments.step)?;
    let request = Request::Skip { step, reason: arguments.reason.clone() };
    ask(&surroundings, &request, &format!("`{}` is skipped", arguments.step), output)
}

pub(crate) fn pause(
    cli: &Cli,
    arguments: &PauseArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let what = if arguments.now { "the run stops" } else { "nothing new starts" };
    ask(&surroundings, &Request::Pause { now: arguments.now }, what, output)
}

pub(crate) fn retry_reset(
    cli: &Cli,
    arguments: &RetryResetArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (_, loaded, _) = surroundings.loaded()?;
    let step = match &arguments.step {
        Some(step) => Some(surroundings::step(&loaded.state, step)?),
        None => None,
    };
    ask(&surroundings, &Request::RetryReset { step }, "the step has new tries", output)
}

pub(crate) fn abort(
    cli: &Cli,
    arguments: &AbortArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let request = Request::Abort { reason: arguments.reason.clone() };
    ask(&surroundings, &request, "the run is aborted; its work is kept", output)
}

pub(super) fn ask(
    surroundings: &Surroundings,
    request: &Request,
    what: &str,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let run = surroundings.run_to_decide()?;
    let sent = send(&surroundings.site, &run.id, &person(), request)?;
    answered(&sent.answer)?;
    if output.is_json() {
        output.json(&serde_json::json!({
            "run": run.id, "accepted": true, "driven": sent.driven,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    output.data(what);
    let starts = !matches!(request, Request::Pause { .. } | Request::Abort { .. });
    if !sent.driven && starts {
        // The answer to the last gate completes the run.
        let ended = surroundings.run()?.life == Life::Finished;
        output.data(match ended {
            true => "the run is complete",
            false => "nobody is driving the run: go on with `windlass resume`",
        });
    }
    Ok(ExitCode::SUCCESS)
}

/// Turns an answer that is no yes into an error.
pub(crate) fn answered(answer: &Answer) -> Result<(), CommandError> {
    match answer {
        Answer::Accepted => Ok(()),
        Answer::Rejected { message, hint } => {
            let error = CommandError::usage(message.clone());
            Err(match hint {
                Some(hint) => error.hint(hint.clone()),
                None => error,
            })
        }
        Answer::Changed { paths } => Err(CommandError {
            kind: Kind::Usage,
            error: format!("files changed since they were shown: {}", paths.join(", ")).into(),
            hints: vec!["the step is verified again; look at it and answer then".to_owned()],
        }),
    }
}
