//! `windlass item`: what a step repeats over.
//!
//! An agent inside its attempt speaks through the driver's socket, with its token; a person speaks
//! through the inbox, like every other decision.

use std::io::Read as _;
use std::process::ExitCode;

use windlass_core::id::{ItemId, StepId};
use windlass_core::item::{ItemChange, MAX_BODY_BYTES, NewItem, Wanted, id_of};
use windlass_core::view::item_views;
use windlass_engine::dispatch::{AgentCall, Request};

use crate::cli::{Cli, ItemAddArguments, ItemArguments, ItemCommand, ItemUpdateArguments};
use crate::commands::decide;
use crate::commands::speaker::Speaker;
use crate::error::CommandError;
use crate::output::Output;
use crate::render;
use crate::surroundings::Surroundings;

pub(crate) fn item(
    cli: &Cli,
    arguments: &ItemArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        ItemCommand::Add(arguments) => add(cli, arguments, output),
        ItemCommand::List => list(cli, output),
        ItemCommand::Update(arguments) => update(cli, arguments, output),
    }
}

fn add(
    cli: &Cli,
    arguments: &ItemAddArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let title = arguments.title.trim().to_owned();
    let item = NewItem {
        id: arguments.id.as_deref().map_or_else(|| id_of(&title), ItemId::from),
        title,
        body: body(arguments.body.as_deref())?.unwrap_or_default(),
        story: None,
        step: arguments.step.as_deref().map(StepId::from),
    };
    let what = format!("item `{}` is added", item.id);
    let (call, request) = (AgentCall::Add { item: item.clone() }, Request::AddItem { item });
    tell(cli, call, &request, &what, output)
}

fn update(
    cli: &Cli,
    arguments: &ItemUpdateArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let item = ItemId::from(arguments.id.as_str());
    let skip = arguments.skip.clone().map(|reason| Wanted::Skip { reason });
    let change = ItemChange {
        title: arguments.title.as_deref().map(|title| title.trim().to_owned()),
        body: body(arguments.body.as_deref())?,
        story: None,
        wanted: skip.or(arguments.reopen.then_some(Wanted::Reopen)),
    };
    let what = match &change.wanted {
        Some(Wanted::Skip { .. }) => format!("item `{item}` is skipped"),
        Some(Wanted::Reopen) | None => format!("item `{item}` is changed"),
    };
    let call = AgentCall::Update { item: item.clone(), change: change.clone() };
    tell(cli, call, &Request::UpdateItem { item, change }, &what, output)
}

/// Says it as the agent of the running attempt, or decides it as a person.
pub(super) fn tell(
    cli: &Cli,
    call: AgentCall,
    request: &Request,
    what: &str,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let Some(speaker) = Speaker::find(cli)? else {
        return decide::ask(&Surroundings::find(cli)?, request, what, output);
    };
    say(&speaker, call, what, output)
}

/// Says it as the agent of the running attempt.
pub(super) fn say(
    speaker: &Speaker,
    call: AgentCall,
    what: &str,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    speaker.item(call)?;
    if output.is_json() {
        output.json(&serde_json::json!({"accepted": true}));
    } else {
        output.data(what);
    }
    Ok(ExitCode::SUCCESS)
}

fn list(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    if let Some(speaker) = Speaker::find(cli)?
        && let Some(items) = speaker.item(AgentCall::List)?
    {
        output.json(&items);
        return Ok(ExitCode::SUCCESS);
    }
    let items = item_views(&Surroundings::find(cli)?.loaded()?.1.state);
    if output.is_json() {
        output.json(&items);
    } else if items.is_empty() {
        output.data("there are no items");
    } else {
        output.data(&render::items(&items));
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes a body from the command line, or from standard input.
pub(super) fn body(given: Option<&str>) -> Result<Option<String>, CommandError> {
    if given != Some("-") {
        return Ok(given.map(str::to_owned));
    }
    let mut text = String::new();
    // One byte more than a body may have, so that one that is too long is refused as such.
    let most = u64::try_from(MAX_BODY_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    std::io::stdin().lock().take(most).read_to_string(&mut text).map_err(CommandError::failure)?;
    Ok(Some(text.trim_end().to_owned()))
}
