//! What people decide: approve, feedback, rollback, skip, pause, retry-reset, abort.

use std::process::ExitCode;

use windlass_core::hook::proposal_code;
use windlass_core::id::StepId;
use windlass_core::run::{Event, GateKind, RunState};
use windlass_core::view::notice;
use windlass_engine::dispatch::{Answer, Request, send, send_on_behalf};
use windlass_engine::hosted::desk::{Desk, Message, Proposal};
use windlass_engine::store::Life;

use crate::cli::{
    AbortArguments, ApproveArguments, Cli, DriveArguments, FeedbackArguments, PauseArguments,
    ProposeArguments, RetryResetArguments, RollbackArguments, SkipArguments,
};
use crate::commands::resume::{Ready, Went};
use crate::error::{CommandError, Kind};
use crate::hook;
use crate::notify::announce;
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
    if !arguments.resume {
        return ask(&surroundings, &request, &what, output);
    }
    let ready = Ready::find(cli, &DriveArguments::default(), output)?;
    output.remark(&what);
    match ready.decide_and_drive(&request, output)? {
        Went::Here(code) => Ok(code),
        Went::Driven(_) => {
            output.remark("the run is already being driven, and continues");
            Ok(ExitCode::SUCCESS)
        }
    }
}

pub(crate) fn feedback(
    cli: &Cli,
    arguments: &FeedbackArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let what = "the step is open again, with your feedback";
    let (message, gate, said) = match &arguments.token {
        Some(token) => {
            let Message { text, gate, .. } = taken(&surroundings, token)?;
            (text, gate, Said::InSession)
        }
        None => (arguments.message.clone().unwrap_or_default(), None, Said::Here),
    };
    ask_as(&surroundings, &Request::Feedback { message, gate }, what, said, output)
}

pub(crate) fn rollback(
    cli: &Cli,
    arguments: &RollbackArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (_, loaded, _) = surroundings.loaded()?;
    let step = surroundings::step(&loaded.state, &arguments.step)?;
    let (message, said) = match &arguments.token {
        Some(token) => (taken(&surroundings, token)?.text, Said::InSession),
        None => (arguments.message.clone().unwrap_or_default(), Said::Here),
    };
    let request = Request::Rollback {
        step,
        message,
        reset_code: arguments.code,
        checkpoint: arguments.checkpoint.clone(),
    };
    let what = format!("the run goes back to `{}`", arguments.step);
    ask_as(&surroundings, &request, &what, said, output)
}

pub(crate) fn skip(
    cli: &Cli,
    arguments: &SkipArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (_, loaded, _) = surroundings.loaded()?;
    let step = surroundings::step(&loaded.state, &arguments.step)?;
    let (reason, keep) = (arguments.reason.clone(), arguments.keep);
    let what = skipped(&loaded.state, &step, keep);
    let request = Request::Skip { step, reason, keep };
    ask(&surroundings, &request, &what, output)
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

/// Says what becomes of the work of a step that is skipped, and where it is.
fn skipped(state: &RunState, step: &StepId, keep: bool) -> String {
    let Some(index) = state.plan.find(step) else { return format!("`{step}` is skipped") };
    let attempts = state.step(index).attempts;
    let unproven = state.holder == Some(index)
        && state.latest.as_ref().is_some_and(|latest| latest.code != state.proven_code);
    let left = unproven || state.proven_without(index).is_some();
    if !left || attempts == 0 {
        return format!("`{step}` is skipped");
    }
    match keep {
        true => format!("`{step}` is skipped; its work stays"),
        false => format!(
            "`{step}` is skipped; its work is set aside: `windlass diff {step}#{attempts}` shows it, \
             `windlass trash` has it"
        ),
    }
}

/// Where a person said what is being decided.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// By calling this command.
    Here,
    /// In the session that drives the run; its hook heard it.
    InSession,
}

/// Takes the message of a person that a hook kept under a token.
fn taken(surroundings: &Surroundings, token: &str) -> Result<Message, CommandError> {
    let run = surroundings.run_to_decide()?;
    let kept = Desk::of(&surroundings.site.home).take_message(token);
    kept.filter(|message| message.run == run.id).ok_or_else(|| {
        CommandError::usage("this token is void: it was used, or the session has stopped since")
            .hint("the person's next message brings a new one")
    })
}

/// `windlass propose approve`: a model that believes in an approval asks for it.
pub(crate) fn propose(
    cli: &Cli,
    arguments: &ProposeArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (run, loaded, _) = surroundings.loaded()?;
    let Some(gate) = loaded.state.gate() else {
        return Err(CommandError::usage(format!(
            "no gate of run `{}` waits for an answer",
            run.id
        ))
        .hint("`windlass status` says what the run waits for"));
    };
    let code = proposal_code(uuid::Uuid::new_v4().as_u128());
    let proposal = Proposal { run: run.id.clone(), gate: gate.id, code: code.clone() };
    Desk::of(&surroundings.site.home).propose(&proposal).map_err(CommandError::failure)?;
    if output.is_json() {
        output.json(&serde_json::json!({
            "run": run.id, "step": gate.step, "proposed": arguments.what, "code": code,
        }));
    } else {
        output.data(&format!(
            "`{}` waits for the person. If they mean to approve it, they send: approve {code}",
            gate.step
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn ask(
    surroundings: &Surroundings,
    request: &Request,
    what: &str,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    ask_as(surroundings, request, what, Said::Here, output)
}

/// Decides something that moves nothing by itself.
pub(super) fn note_only(
    surroundings: &Surroundings,
    request: &Request,
    what: &str,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let run = surroundings.run_to_decide()?;
    let sent = send(&surroundings.site, &run.id, &person(&surroundings.site), request)?;
    answered(&sent.answer)?;
    if output.is_json() {
        output.json(&serde_json::json!({
            "run": run.id, "accepted": true, "driven": sent.driven,
        }));
    } else {
        output.data(what);
    }
    Ok(ExitCode::SUCCESS)
}

fn ask_as(
    surroundings: &Surroundings,
    request: &Request,
    what: &str,
    said: Said,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let run = surroundings.run_to_decide()?;
    let (site, person) = (&surroundings.site, person(&surroundings.site));
    let sent = match said {
        Said::Here => send(site, &run.id, &person, request)?,
        Said::InSession => send_on_behalf(site, &run.id, &person, request)?,
    };
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
        let hosted = hook::is_hosted(&site.home, &run.id);
        if ended {
            // Nobody drives, so nobody else tells.
            let (_, loaded, _) = surroundings.loaded()?;
            if let Some(notice) = notice(&[Event::RunCompleted], &loaded.state) {
                announce(site, &notice, &loaded.state);
            }
        }
        // Who has several runs said which one, and says so again.
        let which =
            if surroundings.is_named() { format!(" --run {}", run.id) } else { String::new() };
        let next = format!("the run is idle; continue with `windlass resume{which}`");
        output.data(match ended {
            true => "the run is complete",
            false if said == Said::InSession => "stop now: windlass then says what is next",
            false if hosted => "the session that drives the run continues at its next message",
            false => next.as_str(),
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
