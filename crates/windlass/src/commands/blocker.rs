//! `windlass block`, `windlass blocker` and `windlass fixed`: help from a person.

use std::process::ExitCode;

use windlass_core::run::{BlockerCheck, NewBlocker, RunState};
use windlass_core::view::{
    BlockerView, blocked_views, blocker_instructions, blocker_views, printable,
};
use windlass_engine::dispatch::{AgentCall, Request, check_blocker, now, send};
use windlass_engine::journal::load;
use windlass_engine::store::StoredRun;
use windlass_engine::store::lock::{self, Held};

use super::resume::{Ready, Went};
use super::speaker::Speaker;
use crate::cli::{
    BlockArguments, BlockerArguments, BlockerCheckArguments, BlockerCommand, Cli, FixedArguments,
};
use crate::commands::decide;
use crate::config;
use crate::error::{CommandError, EXIT_PERSON};
use crate::hook;
use crate::output::Output;
use crate::render;
use crate::surroundings::{Surroundings, person};

/// Asks for help, as the agent of the running attempt or as a person.
pub(crate) fn block(
    cli: &Cli,
    arguments: &BlockArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let check = arguments
        .check
        .as_deref()
        .map(|command| BlockerCheck { command: command.to_owned(), timeout: arguments.timeout });
    let message = arguments.message.trim().to_owned();
    let blocker = NewBlocker { message: message.clone(), severity: arguments.severity, check };
    let instructions = if let Some(speaker) = Speaker::find(cli)? {
        speaker.item(AgentCall::Block { blocker })?;
        vec![
            "A person is notified. Leave the files as they are and finish now.".to_owned(),
            "When it is solved, the step continues from there, with what the person says."
                .to_owned(),
        ]
    } else {
        let surroundings = Surroundings::find(cli)?;
        let run = surroundings.run_to_decide()?;
        let sent = send(
            &surroundings.site,
            &run.id,
            &person(&surroundings.site),
            &Request::Block { blocker },
        )?;
        decide::answered(&sent.answer)?;
        let state = surroundings.loaded()?.1.state;
        let opened = blocker_views(&state).into_iter().rfind(|view| view.description == message);
        opened.map(|view| blocker_instructions(&view)).unwrap_or_default()
    };
    if output.is_json() {
        output.json(&serde_json::json!({
            "status": "awaiting_user",
            "description": message,
            "check_command": arguments.check,
            "instructions": instructions,
        }));
    } else {
        output.data("the run waits for a person");
        for instruction in &instructions {
            let line = output.foreign(&format!("  {instruction}")).into_owned();
            output.data(&line);
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn blocker(
    cli: &Cli,
    arguments: &BlockerArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        BlockerCommand::List => list(cli, output),
        BlockerCommand::Check(arguments) => check(cli, arguments, output),
    }
}

fn list(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    let state = Surroundings::find(cli)?.loaded()?.1.state;
    let (blockers, blocked) = (blocker_views(&state), blocked_views(&state));
    if output.is_json() {
        output.json(&serde_json::json!({ "blockers": blockers, "blocked": blocked }));
        return Ok(ExitCode::SUCCESS);
    }
    if blockers.is_empty() && blocked.is_empty() {
        output.data("there are no blockers");
    }
    for view in &blockers {
        output.data(render::blocker(view, now()).trim_end());
    }
    for view in &blocked {
        output.data(&render::blocked(view));
    }
    Ok(ExitCode::SUCCESS)
}

/// Looks whether a blocker is solved, and changes nothing.
fn check(
    cli: &Cli,
    arguments: &BlockerCheckArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let mut surroundings = Surroundings::find_to_drive(cli, &[])?;
    surroundings.refuse_agents_to("look whether a blocker is solved")?;
    let confinement = config::confinement(&surroundings.site.user.top_level)?;
    surroundings.confine_as_set(&confinement)?;
    let state = surroundings.loaded()?.1.state;
    let view = which(&state, arguments.blocker)?;
    let look = check_blocker(&surroundings.site, &state, view.id).map_err(CommandError::failure)?;
    if output.is_json() {
        output.json(&serde_json::json!({
            "blocker": view.id,
            "is_fixed": look.is_fixed,
            "verified": look.verified,
            "can_resume": look.can_resume(),
            "why": look.why,
        }));
    } else {
        let id = view.id;
        let lines = match &look.why {
            None if look.is_fixed.is_none() && look.verified.is_none() => {
                format!("blocker {id} has no check: `windlass fixed {id}` takes your word for it")
            }
            None => format!("blocker {id} is solved: continue with `windlass fixed {id}`"),
            Some(why) => format!("blocker {id} is not solved\n{why}"),
        };
        output.data(&printable(&lines, windlass_core::view::Lines::Many));
    }
    Ok(if look.can_resume() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_PERSON) })
}

/// Finds the blocker that is meant.
fn which(state: &RunState, wanted: Option<u32>) -> Result<BlockerView, CommandError> {
    let all = blocker_views(state);
    let list = || CommandError::usage("no blocker of the run is open");
    if let Some(id) = wanted {
        let Some(view) = all.into_iter().find(|view| view.id == id) else {
            return Err(CommandError::usage(format!("there is no blocker {id}"))
                .hint("`windlass blocker list` shows them"));
        };
        return match view.is_open() {
            true => Ok(view),
            false => Err(CommandError::usage(format!("blocker {id} is resolved already"))
                .hint("`windlass status` says what the run waits for")),
        };
    }
    let mut open: Vec<BlockerView> = all.into_iter().filter(BlockerView::is_open).collect();
    match open.len() {
        1 => open.pop().ok_or_else(list),
        0 => Err(list().hint("`windlass status` says what the run waits for")),
        _ => {
            let ids: Vec<String> = open.iter().map(|view| view.id.to_string()).collect();
            Err(CommandError::usage(format!("several blockers are open: {}", ids.join(", ")))
                .hint("name one: `windlass blocker check 1`"))
        }
    }
}

/// Says that something is solved. With a driver alive it is told what came of the look; without
/// one the run is driven here.
pub(crate) fn fixed(
    cli: &Cli,
    arguments: &FixedArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let ready = Ready::find(cli, &arguments.drive, output)?;
    let before = ready.surroundings.loaded()?.1.state;
    let request = Request::Fixed { what: arguments.what.clone(), notes: arguments.notes.clone() };
    let surroundings = Surroundings::find(cli)?;
    let run = match ready.decide_and_drive(&request, output)? {
        Went::Here(code) => return Ok(code),
        Went::Driven(run) => run,
    };
    if hook::is_hosted(&surroundings.site.home, &run.id) {
        if output.is_json() {
            output.json(&serde_json::json!({ "run": run.id, "accepted": true, "driven": true }));
        } else {
            output
                .data("windlass checks it at the next message in the session that drives the run");
        }
        return Ok(ExitCode::SUCCESS);
    }
    told(&surroundings, &run, &before, arguments, output)
}

/// Waits for what the living driver finds, and says it.
fn told(
    surroundings: &Surroundings,
    run: &StoredRun,
    before: &RunState,
    arguments: &FixedArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let number = arguments.what.as_deref().map(|what| what.trim_start_matches(['B', 'b', '#']));
    let number = number.and_then(|number| number.parse::<u32>().ok());
    let meant = |view: &&BlockerView| number.is_none_or(|number| number == view.id);
    let open: Vec<BlockerView> =
        blocker_views(before).into_iter().filter(BlockerView::is_open).collect();
    let id = match open.iter().find(meant) {
        Some(view) if number.is_some() || arguments.what.is_none() => view.id,
        _ => {
            if output.is_json() {
                output.json(&serde_json::json!({ "run": run.id, "resolved": true }));
            } else {
                output.data("it is tried again");
            }
            return Ok(ExitCode::SUCCESS);
        }
    };
    let looks = open.iter().find(|view| view.id == id).map_or(0, |view| view.looks);
    let view = found(surroundings, run, id, looks, arguments.drive.no_wait)?;
    let resolved = !view.is_open();
    if output.is_json() {
        output.json(&serde_json::json!({
            "run": run.id, "blocker": id, "resolved": resolved, "why": view.stays,
        }));
    } else if resolved {
        let rest = if open.len() > 1 { "others are open" } else { "the run continues" };
        output.data(&format!("blocker {id} is resolved: {rest}"));
    } else if view.status == "looking" {
        output.data(&format!("blocker {id} is being checked: see `windlass blocker list`"));
    } else {
        let why = view.stays.unwrap_or_default();
        let text = format!("blocker {id} stays: {why}");
        output.data(&printable(&text, windlass_core::view::Lines::Many));
    }
    let waits = !resolved && view.status != "looking";
    Ok(if waits { ExitCode::from(EXIT_PERSON) } else { ExitCode::SUCCESS })
}

/// Waits until the driver has looked once more than `looks` times, or is gone.
fn found(
    surroundings: &Surroundings,
    run: &StoredRun,
    id: u32,
    looks: u32,
    no_wait: bool,
) -> Result<BlockerView, CommandError> {
    let none = || crate::surroundings::no_run();
    let store = surroundings.store()?.ok_or_else(none)?;
    let lock = surroundings.site.home.run(&run.id).driver_lock();
    let mut mark = None;
    loop {
        // Asked before the journal is read: what a driver wrote before it left is seen.
        let driven = matches!(lock::held(&lock), Ok(Held::By(_)));
        let now = store.change_mark().map_err(CommandError::failure)?;
        if mark.replace(now) != Some(now) || !driven {
            let state = load(&store, &run.id)?.state;
            let view = blocker_views(&state).into_iter().find(|view| view.id == id);
            let view =
                view.ok_or_else(|| CommandError::usage(format!("there is no blocker {id}")))?;
            let looked = !view.is_open() || (view.status != "looking" && view.looks > looks);
            if looked || no_wait {
                return Ok(view);
            }
            if !driven {
                return Err(CommandError::usage(format!(
                    "the driver of run `{}` exited before blocker {id} was checked",
                    run.id
                ))
                .hint("run the command again: the check then runs here"));
            }
        }
        pause();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "what the driver finds is in a database, which cannot be waited for"
)]
fn pause() {
    std::thread::sleep(std::time::Duration::from_millis(50));
}
