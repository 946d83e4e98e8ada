//! UserPromptSubmit: a person says something.
//!
//! At a gate only an exact answer decides, and the hook itself takes it. What merely sounds like one
//! reaches the model, which gets a token for this one message: good for feedback or a rollback, and
//! for nothing else.

use windlass_core::hook::{Answer, ExactWords, GuardedRun, Said, one_line, said};
use windlass_core::id::{RunId, StepId};
use windlass_core::run::{InputKind, Raise, RunState, RunStatus};
use windlass_engine::dispatch::{Answer as Decided, HostedDriver, Request};
use windlass_engine::hosted::caller::Standing;
use windlass_engine::hosted::desk::{Desk, Message};
use windlass_engine::store::{Life, StoredRun};

use super::who::{Asked, Relation};
use super::{LONG_PATIENCE, start};
use crate::config;
use crate::error::CommandError;

pub(super) fn submit(asked: &Asked) -> Result<Answer, CommandError> {
    if asked.in_attempt || asked.call.agent.is_some() {
        return Ok(Answer::Nothing);
    }
    let message = asked.call.text("prompt").unwrap_or_default();
    let words = match &asked.run {
        // A mistake in a configuration keeps nobody from answering.
        Some(_) => config::load(&asked.checkout.top_level).map(|settings| settings.answers),
        None => Ok(ExactWords::default()),
    };
    let words = words.unwrap_or_default();
    let said = said(message, &words);
    if said == Said::Injected {
        return Ok(Answer::Nothing);
    }
    let command = match &said {
        Said::Command { name, arguments } => Some((name.as_str(), arguments.as_str())),
        Said::Injected | Said::Approve { .. } | Said::Reject | Said::Fixed | Said::Other => None,
    };
    if let Some((name, arguments)) = command
        && !DECISIONS.contains(&name)
        && message.trim_start().trim_start_matches('/').starts_with("windlass:")
    {
        // What is wrong with the wish is for the person, who can wish again.
        return Ok(start::asked_for(asked, name, arguments).unwrap_or_else(|error| {
            Answer::Context(format!(
                "windlass: nothing was started: {}. Tell the person, and stop.",
                error.in_one_line()
            ))
        }));
    }
    let Some(run) = &asked.run else {
        let unowned = match command {
            Some(("resume" | "abort", _)) => unfinished_here(asked)?,
            _ => None,
        };
        return match unowned {
            Some(run) => take_up(asked, &run, &said, message),
            None => Ok(without_run(&said)),
        };
    };
    match asked.relation(run) {
        Relation::Owner => answer(asked, run, &said, message),
        Relation::Heir | Relation::Stranger if matches!(command, Some(("resume", _))) => {
            take_over(asked, run)
        }
        Relation::Heir if matches!(command, Some(("abort", _))) => {
            take_over_to(asked, run, &said, message)
        }
        Relation::Heir => Ok(Answer::Context(format!(
            "{}\nThe session that drove it is gone. Tell the person: `/windlass:resume` goes on with it \
             here, `/windlass:abort` ends it.",
            standing_of(run)
        ))),
        Relation::Shadow => Ok(Answer::Context(format!(
            "{}\nIt is not certain that this message comes from the person, so it was ignored. Decisions \
             are taken in the session that drives the run, or by `windlass` in a terminal.",
            standing_of(run)
        ))),
        Relation::Stranger => Ok(Answer::Nothing),
    }
}

/// Commands that decide about a run; any other name is a workflow to start.
const DECISIONS: [&str; 9] = [
    "status",
    "pause",
    "resume",
    "retry-reset",
    "skip",
    "feedback",
    "rollback",
    "abort",
    "approve",
];

fn without_run(said: &Said) -> Answer {
    match said {
        // Whoever has just installed the plugin asks this first.
        Said::Command { name, .. } if name == "status" => Answer::Context(
            "windlass: its hooks work in this session, and there is no unfinished run in this checkout. \
             `/windlass:run GOAL` starts one. Tell the person, and stop."
                .to_owned(),
        ),
        Said::Command { name, .. } => Answer::Context(format!(
            "windlass: there is no unfinished run in this checkout, so `{name}` does nothing. Tell the \
             person, and stop."
        )),
        Said::Injected | Said::Approve { .. } | Said::Reject | Said::Fixed | Said::Other => {
            Answer::Nothing
        }
    }
}

fn standing_of(run: &GuardedRun) -> String {
    format!("windlass: run {} is unfinished ({}).", run.run, run.status)
}

/// Returns the unfinished run of this checkout that no session has driven: it was started in a terminal,
/// or its start was cut off.
fn unfinished_here(asked: &Asked) -> Result<Option<RunId>, CommandError> {
    let here = asked.checkout.top_level.to_string_lossy();
    let runs = asked.surroundings()?.runs()?;
    let unfinished = |run: &&StoredRun| {
        run.life == Life::Unfinished && run.place.as_deref() == Some(here.as_ref())
    };
    Ok(runs.iter().find(unfinished).map(|run| run.id.clone()))
}

/// Goes on with such a run, or ends it.
fn take_up(asked: &Asked, run: &RunId, said: &Said, message: &str) -> Result<Answer, CommandError> {
    let session = match asked.session() {
        Ok((session, Standing::Host)) => session,
        Ok((_, Standing::Likely)) => return Ok(Answer::Context(not_heard())),
        Err(unknown) => return Ok(Answer::Context(format!("{}: {unknown}", not_heard()))),
    };
    let driver = asked.claim(run, &session)?;
    match said {
        Said::Command { name, .. } if name == "abort" => decided(asked, driver, said, message),
        _ => goes_on(asked, driver),
    }
}

/// The person wants this session to go on with the run.
fn take_over(asked: &Asked, run: &GuardedRun) -> Result<Answer, CommandError> {
    let living = asked.relation(run) == Relation::Stranger;
    let session = match asked.heir(run) {
        // Nobody takes a run from a session that is alive but a person at a terminal.
        Ok((session, _)) if living && !session.terminal => {
            return Ok(Answer::Context(format!(
                "{}: the session that drives the run is alive, and this one has no terminal",
                not_heard()
            )));
        }
        Ok((session, Standing::Host)) => session,
        Ok((session, Standing::Likely)) if asked.relation(run) == Relation::Heir => session,
        Ok(_) => return Ok(Answer::Context(not_heard())),
        Err(why) => return Ok(Answer::Context(format!("{}: {why}", not_heard()))),
    };
    goes_on(asked, asked.claim(&run.run, &session)?)
}

fn goes_on(asked: &Asked, mut driver: HostedDriver) -> Result<Answer, CommandError> {
    if matches!(driver.state().status(), RunStatus::Paused | RunStatus::AwaitingUser) {
        let _ = driver.request(&Request::Resume { raise: Raise::default() })?;
    }
    driver.settle()?;
    let state = driver.leave();
    Ok(Answer::Context(asked.session_start(&state)))
}

fn take_over_to(
    asked: &Asked,
    run: &GuardedRun,
    said: &Said,
    message: &str,
) -> Result<Answer, CommandError> {
    let Ok((session, Standing::Host)) = asked.heir(run) else {
        return Ok(Answer::Context(not_heard()));
    };
    let driver = asked.claim(&run.run, &session)?;
    decided(asked, driver, said, message)
}

fn not_heard() -> String {
    "windlass: it is not certain that the person said this, so it was ignored. The person can use \
     `windlass` in a terminal"
        .to_owned()
}

fn answer(
    asked: &Asked,
    run: &GuardedRun,
    said: &Said,
    message: &str,
) -> Result<Answer, CommandError> {
    let mut driver = asked.join(&run.run, &run.session, LONG_PATIENCE)?;
    let decides = !matches!(said, Said::Other)
        && !matches!(said, Said::Command { name, .. } if name == "status");
    if is_heard(asked) {
        let _ = driver.feed(InputKind::PersonSpoke)?;
        if decides && is_told_again(asked)? {
            return Ok(Answer::Nothing);
        }
        return decided(asked, driver, said, message);
    }
    driver.settle()?;
    let state = driver.leave();
    // Not even a token: with it the model could hand on what nobody said.
    Ok(match decides {
        true => Answer::Context(format!("{}.\n\n{}", not_heard(), asked.let_go(&state))),
        false => told(asked, &state),
    })
}

/// Where the hook stands in several files of settings, the host calls it as often for one message. Only
/// the first call decides: what a second one would approve, nobody has seen.
fn is_told_again(asked: &Asked) -> Result<bool, CommandError> {
    let Some(prompt) = asked.call.text("prompt_id") else { return Ok(false) };
    let desk = Desk::of(&asked.repository);
    Ok(!desk.is_first_look(&asked.call.session, prompt).map_err(CommandError::failure)?)
}

/// Whether what is said in this session is its person's word.
pub(super) fn is_heard(asked: &Asked) -> bool {
    let host = asked.caller().is_ok_and(|caller| caller.standing == Standing::Host);
    let live = Desk::of_machine(&asked.home).live(&asked.call.session);
    // A prompt that the session sends itself cannot be told from one that is typed.
    host && !live.is_some_and(|live| live.scheduled)
}

fn decided(
    asked: &Asked,
    mut driver: HostedDriver,
    said: &Said,
    message: &str,
) -> Result<Answer, CommandError> {
    driver.settle()?;
    let state = driver.state().clone();
    let request = match said {
        Said::Approve { code, message } => {
            match approval(asked, &state, code.as_deref(), message) {
                Ok(request) => request,
                Err(why) => return Ok(Answer::Context(why)),
            }
        }
        Said::Reject => Request::Feedback {
            message: "The person rejected this work and said no more. Look at what was asked for \
                      again, and do it differently."
                .to_owned(),
            gate: state.gate().map(|gate| gate.id),
        },
        Said::Fixed => fixed(&mut driver)?,
        Said::Command { name, arguments } => match command(&state, name, arguments) {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(told(asked, &driver.leave())),
            Err(why) => return Ok(Answer::Context(why)),
        },
        Said::Other | Said::Injected => {
            let state = driver.leave();
            return other(asked, &state, message);
        }
    };
    let outcome = driver.request(&request)?;
    let refused = match &outcome {
        Decided::Accepted => None,
        Decided::Rejected { message, hint } => Some(format!(
            "{message}{}",
            hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default()
        )),
        Decided::Changed { paths } => Some(format!(
            "files changed since they were shown: {}. The step is verified again",
            paths.join(", ")
        )),
    };
    driver.settle()?;
    let state = driver.leave();
    Ok(match refused {
        Some(why) => Answer::Context(format!(
            "windlass did not accept that: {why}\n\n{}",
            next(asked, &state)
        )),
        None => Answer::Context(format!(
            "windlass recorded the person's decision.\n\n{}",
            next(asked, &state)
        )),
    })
}

/// Makes a decision of the word `fixed`: it is said about everything that is open.
fn fixed(driver: &mut HostedDriver) -> Result<Request, CommandError> {
    let mut open: Vec<u32> = driver.state().open_blockers().map(|blocker| blocker.id).collect();
    let last = if open.len() > 1 { open.pop() } else { None };
    for id in open.iter().filter(|_| last.is_some()) {
        // An error is reported once: the last entry has it too, or what stays open shows it.
        let request = Request::Fixed { what: Some(id.to_string()), notes: None };
        driver.request(&request)?;
    }
    Ok(Request::Fixed { what: last.map(|id| id.to_string()), notes: None })
}

fn approval(
    asked: &Asked,
    state: &RunState,
    code: Option<&str>,
    message: &Option<String>,
) -> Result<Request, String> {
    let Some(gate) = state.gate() else {
        return Err(format!(
            "{}\nNo gate is open, so there is nothing to approve. Tell the person.",
            one_line(state)
        ));
    };
    if let Some(code) = code {
        let desk = Desk::of(&asked.repository);
        let fits = desk.proposal(&state.facts.run);
        if fits.is_none_or(|proposal| proposal.gate != gate.id || proposal.code != code) {
            return Err("windlass: that code is not the one that was proposed for this gate. Tell the person, and stop.".to_owned());
        }
        desk.end_proposal(&state.facts.run);
    }
    Ok(Request::Approve { gate: gate.id, message: message.clone() })
}

/// Reads a command of the plugin; none for one that only asks.
fn command(state: &RunState, name: &str, arguments: &str) -> Result<Option<Request>, String> {
    let (first, rest) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
    let step = |word: &str| {
        let id = StepId::from(word);
        let steps =
            || state.plan.steps.iter().map(|step| step.id.as_str()).collect::<Vec<_>>().join(", ");
        state.plan.find(&id).map(|_| id).ok_or_else(|| {
            format!(
                "windlass: there is no step `{word}`; the steps are {}. Tell the person, and stop.",
                steps()
            )
        })
    };
    let needed = |text: &str, what: &str| match text.trim() {
        "" => Err(format!(
            "windlass: {what} is missing: `/windlass:{name}` needs it. Tell the person, and stop."
        )),
        text => Ok(text.to_owned()),
    };
    Ok(Some(match name {
        "pause" => Request::Pause { now: arguments == "now" },
        "resume" => Request::Resume { raise: Raise::default() },
        "retry-reset" if arguments.is_empty() => Request::RetryReset { step: None },
        "retry-reset" => Request::RetryReset { step: Some(step(first)?) },
        "skip" => {
            Request::Skip { step: step(first)?, reason: needed(rest, "a reason")?, keep: false }
        }
        "feedback" => Request::Feedback {
            message: needed(arguments, "what should be different")?,
            gate: None,
        },
        "rollback" => Request::Rollback {
            step: step(first)?,
            message: needed(rest, "a reason")?,
            reset_code: false,
            checkpoint: None,
        },
        "abort" => {
            Request::Abort { reason: Some(arguments.to_owned()).filter(|text| !text.is_empty()) }
        }
        _ => return Ok(None),
    }))
}

/// Something that decides nothing: the model hears where the run stands, and at a gate what it may do.
fn other(asked: &Asked, state: &RunState, message: &str) -> Result<Answer, CommandError> {
    if state.status() != RunStatus::AwaitingApproval {
        return Ok(told(asked, state));
    }
    let gate = state.gate().map(|gate| gate.id);
    let kept = Message { run: state.facts.run.clone(), gate, text: message.trim().to_owned() };
    let token = Desk::of(&asked.repository).keep_message(&kept).map_err(CommandError::failure)?;
    Ok(Answer::Context(format!(
        "{}\n\nThe message approves nothing: only the exact answers do. If the person wants something \
         changed in what the gate shows, run `windlass feedback --token {token}`: it hands their message on, \
         word for word. If they want to go back to an earlier step, run `windlass rollback STEP --token {token}`. \
         If you believe that they meant to approve, run `windlass propose approve` and tell them what it prints. \
         Otherwise answer them, and stop.",
        asked.let_go(state)
    )))
}

fn told(asked: &Asked, state: &RunState) -> Answer {
    Answer::Context(match state.status() {
        RunStatus::Active => next(asked, state),
        // What agents ask is asked by the session's own tool.
        RunStatus::AwaitingUser if asked.instruction(state).is_some() => next(asked, state),
        RunStatus::AwaitingApproval
        | RunStatus::AwaitingUser
        | RunStatus::Waiting
        | RunStatus::Paused
        | RunStatus::Completed
        | RunStatus::Aborted => asked.let_go(state),
    })
}

/// Where the run stands, and the next instruction at the end.
fn next(asked: &Asked, state: &RunState) -> String {
    match asked.instruction(state) {
        Some(instruction) => format!("{}\n\n{instruction}", one_line(state)),
        None => format!("{}\n\nTell the person, and stop.", asked.let_go(state)),
    }
}
