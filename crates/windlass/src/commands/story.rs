//! `windlass story`: items with acceptance criteria, and one of them alone.
//!
//! Stories are items: an agent inside its attempt and a person add and change them the same way as
//! with `windlass item`. The words are checked by the rules of a file of stories.

mod implement;
mod show;

pub(crate) use implement::story_alone;

use std::process::ExitCode;

use windlass_core::id::{ItemId, StepId, StepIndex};
use windlass_core::item::{ItemChange, NewItem, Wanted};
use windlass_core::plan::{CheckKind, Criterion};
use windlass_core::run::{ItemStatus, Phase, RunState};
use windlass_core::story::{Story, StoryEntry, StoryWords};
use windlass_core::view::{StoryView, item_views, story_views};
use windlass_engine::dispatch::{AgentCall, Request};

use crate::cli::{
    Cli, StoryAddArguments, StoryArguments, StoryCommand, StoryMoveArguments, StoryUpdateArguments,
};
use crate::commands::speaker::Speaker;
use crate::commands::{decide, deps, item};
use crate::error::CommandError;
use crate::output::Output;
use crate::surroundings::Surroundings;

/// In place of stories that a story depends on: there are none.
const NONE: &str = "none";

pub(crate) fn story(
    cli: &Cli,
    arguments: &StoryArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        StoryCommand::Add(arguments) => add(cli, arguments, output),
        StoryCommand::Update(arguments) => update(cli, arguments, output),
        StoryCommand::List => list(cli, output),
        StoryCommand::Show { id } => show::show(cli, id, output),
        StoryCommand::Move(arguments) => move_to(cli, arguments, output),
        StoryCommand::Implement(arguments) => implement::implement(cli, arguments, output),
    }
}

fn add(
    cli: &Cli,
    arguments: &StoryAddArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let id = match &arguments.id {
        Some(id) => id.clone(),
        None => next_id(cli)?,
    };
    if arguments.criteria.is_empty() && may_be_designed(cli)? {
        return name_only(cli, arguments, &id, output);
    }
    let words = StoryWords {
        id,
        title: arguments.title.clone(),
        size: arguments.size.to_ascii_uppercase(),
        criteria: arguments.criteria.iter().map(|text| (None, text.clone())).collect(),
        security: arguments.security,
        depends_on: needs(&arguments.depends_on),
        files: arguments.files.clone(),
        design: arguments.design.clone(),
        body: item::body(arguments.body.as_deref())?,
    };
    let StoryEntry { id, title, body, story, .. } = read(&words)?;
    let step = arguments.step.as_deref().map(StepId::from);
    let what = format!("story `{id}` is added");
    let new = NewItem { id, title, body, story: Some(story), step };
    let (call, request) = (AgentCall::Add { item: new.clone() }, Request::AddItem { item: new });
    item::tell(cli, call, &request, &what, output)
}

/// The first number of stories that are added before the file of stories is read: its own begin at 1.
const FIRST_ADDED: u32 = 101;

/// Returns the next id: after those that there are.
fn next_id(cli: &Cli) -> Result<String, CommandError> {
    let (known, read): (Vec<String>, bool) = match Speaker::find(cli)? {
        Some(speaker) => {
            let items = speaker.item(AgentCall::List)?.unwrap_or_default();
            let items = items.as_array().cloned().unwrap_or_default();
            let ids = items.iter().filter_map(|item| Some(item["id"].as_str()?.to_owned()));
            (ids.collect(), true)
        }
        None => {
            let (_, loaded, _) = Surroundings::find(cli)?.loaded()?;
            let ids = loaded.state.items.iter().map(|item| item.item.id.as_str().to_owned());
            (ids.collect(), !is_file_ahead(&loaded.state))
        }
    };
    let numbers = known.iter().filter_map(|id| id.strip_prefix('S')?.parse::<u32>().ok());
    let next = numbers.max().unwrap_or(0) + 1;
    Ok(format!("S{}", if read { next } else { next.max(FIRST_ADDED) }))
}

/// Whether a file of stories is still to be read.
fn is_file_ahead(state: &RunState) -> bool {
    state.plan.foreaches().any(|index| {
        let reads = state.plan.foreach(index).is_some_and(|foreach| foreach.stories.is_some());
        reads && matches!(state.step(index).phase, Phase::Pending | Phase::Deciding | Phase::Ready)
    })
}

/// Whether somebody still writes the file of stories, who can complete a story that is only named.
fn is_design_ahead(state: &RunState) -> bool {
    let writes = |index: &StepIndex| {
        let done = state.plan.step(*index).done.as_ref();
        let mut checks = done.map(Criterion::checks).unwrap_or_default().into_iter();
        checks.any(|check| matches!(check.kind, CheckKind::Stories { .. }))
    };
    let is_open = |index: StepIndex| {
        let phase = &state.step(index).phase;
        let proven =
            matches!(phase, Phase::Committing { .. } | Phase::Proven { .. } | Phase::AtGate { .. });
        !state.step(index).is_finished() && !proven
    };
    state.plan.indexes().filter(writes).any(is_open)
}

fn may_be_designed(cli: &Cli) -> Result<bool, CommandError> {
    if Speaker::find(cli)?.is_some() {
        return Ok(false);
    }
    let (_, loaded, _) = Surroundings::find(cli)?.loaded()?;
    Ok(is_design_ahead(&loaded.state))
}

/// Adds a story that has a title alone: its criteria are asked for at the design.
fn name_only(
    cli: &Cli,
    arguments: &StoryAddArguments,
    id: &str,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    if !windlass_core::story::is_story_id(id) {
        return Err(CommandError::usage(format!("`{id}` is not an id of a story"))
            .hint("write `S` and a number from 1, such as `S1`, or leave it out"));
    }
    let new = NewItem {
        id: ItemId::from(id),
        title: arguments.title.trim().to_owned(),
        body: item::body(arguments.body.as_deref())?.unwrap_or_default(),
        story: None,
        step: arguments.step.as_deref().map(StepId::from),
    };
    let what = format!("story `{id}` is added; the design step is asked for its criteria");
    let (call, request) = (AgentCall::Add { item: new.clone() }, Request::AddItem { item: new });
    item::tell(cli, call, &request, &what, output)
}

/// Reads the words of a story, or says everything that is wrong with them.
fn read(words: &StoryWords) -> Result<StoryEntry, CommandError> {
    words.read().map_err(|mistakes| {
        let count = mistakes.len();
        let s = if count == 1 { "" } else { "s" };
        let id = &words.id;
        let error = CommandError::usage(format!("`{id}` is not a story yet: {count} mistake{s}"));
        mistakes.iter().fold(error, |error, mistake| error.hint(mistake.to_string()))
    })
}

fn needs(given: &[String]) -> Vec<String> {
    given.iter().map(|id| id.trim().to_owned()).filter(|id| id != NONE && !id.is_empty()).collect()
}

fn update(
    cli: &Cli,
    arguments: &StoryUpdateArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let item = ItemId::from(arguments.id.as_str());
    let skip = arguments.skip.clone().map(|reason| Wanted::Skip { reason });
    let body = item::body(arguments.body.as_deref())?;
    let story = if changes_story(arguments) {
        let (title, story) = current(cli, &arguments.id)?;
        let entry =
            read(&changed(arguments, StoryWords::of(&arguments.id, &title, story.as_ref())))?;
        Some(entry.story)
    } else {
        None
    };
    let change = ItemChange {
        title: arguments.title.as_deref().map(|title| title.trim().to_owned()),
        body,
        story,
        wanted: skip.or(arguments.reopen.then_some(Wanted::Reopen)),
    };
    let what = match &change.wanted {
        Some(Wanted::Skip { .. }) => format!("story `{item}` is skipped"),
        Some(Wanted::Reopen) | None => format!("story `{item}` is changed"),
    };
    let call = AgentCall::Update { item: item.clone(), change: change.clone() };
    item::tell(cli, call, &Request::UpdateItem { item, change }, &what, output)
}

fn changes_story(arguments: &StoryUpdateArguments) -> bool {
    arguments.size.is_some()
        || arguments.security
        || arguments.no_security
        || arguments.design.is_some()
        || !arguments.criteria.is_empty()
        || !arguments.depends_on.is_empty()
        || !arguments.files.is_empty()
}

fn changed(arguments: &StoryUpdateArguments, mut words: StoryWords) -> StoryWords {
    if let Some(title) = &arguments.title {
        words.title.clone_from(title);
    }
    if let Some(size) = &arguments.size {
        words.size = size.to_ascii_uppercase();
    }
    if !arguments.criteria.is_empty() {
        words.criteria = arguments.criteria.iter().map(|text| (None, text.clone())).collect();
    }
    words.security = arguments.security || (words.security && !arguments.no_security);
    if !arguments.depends_on.is_empty() {
        words.depends_on = needs(&arguments.depends_on);
    }
    if !arguments.files.is_empty() {
        words.files.clone_from(&arguments.files);
    }
    if arguments.design.is_some() {
        words.design.clone_from(&arguments.design);
    }
    words
}

/// Returns what a story is now, for an agent as the driver tells it.
fn current(cli: &Cli, id: &str) -> Result<(String, Option<Story>), CommandError> {
    if let Some(speaker) = Speaker::find(cli)?
        && let Some(items) = speaker.item(AgentCall::List)?
    {
        let items = items.as_array().cloned().unwrap_or_default();
        let known = items.into_iter().find(|item| item["id"] == id).ok_or_else(|| {
            CommandError::usage(format!("there is no story `{id}` in this run"))
                .hint("`windlass story list` shows those that there are")
        })?;
        let story = known.get("story").cloned().map(serde_json::from_value).transpose();
        let title = known["title"].as_str().unwrap_or_default().to_owned();
        return Ok((title, story.map_err(CommandError::failure)?));
    }
    let (_, loaded, _) = Surroundings::find(cli)?.loaded()?;
    let known = &deps::item(&loaded.state, id)?.item;
    Ok((known.title.clone(), known.story.clone()))
}

fn move_to(
    cli: &Cli,
    arguments: &StoryMoveArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let surroundings = Surroundings::find(cli)?;
    let (_, loaded, _) = surroundings.loaded()?;
    let item = deps::item(&loaded.state, &arguments.id)?.item.id.clone();
    let before = match &arguments.before {
        Some(before) => Some(deps::item(&loaded.state, before)?.item.id.clone()),
        None if arguments.first => first(&loaded.state, &item),
        None => None,
    };
    let what = match &before {
        Some(before) => format!("story `{item}` comes up before `{before}`"),
        None => format!("story `{item}` comes up last"),
    };
    decide::ask(&surroundings, &Request::MoveItem { item, before }, &what, output)
}

/// The first of the others that has not come up.
fn first(state: &RunState, moved: &ItemId) -> Option<ItemId> {
    let step = &state.item(moved)?.item.step;
    let mut waiting = state.items.iter().filter(|item| {
        let pending = state.item_status(item) == ItemStatus::Pending;
        item.item.step == *step && item.item.id != *moved && pending
    });
    waiting.next().map(|item| item.item.id.clone())
}

fn list(cli: &Cli, output: &mut Output) -> Result<ExitCode, CommandError> {
    if let Some(speaker) = Speaker::find(cli)?
        && let Some(items) = speaker.item(AgentCall::List)?
    {
        output.json(&items);
        return Ok(ExitCode::SUCCESS);
    }
    let (_, loaded, _) = Surroundings::find(cli)?.loaded()?;
    let views = story_views(&loaded.state);
    if output.is_json() {
        output.json(&views);
    } else if views.is_empty() {
        output.data("there are no stories");
    } else {
        let notes = item_views(&loaded.state).into_iter().map(|item| item.note);
        for (view, note) in views.iter().zip(notes) {
            output.data(&line(view, note.as_deref(), output));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One story in one line.
fn line(view: &StoryView, note: Option<&str>, output: &Output) -> String {
    let phase = view.tdd_phase.map_or("-", |phase| phase.as_str());
    let size = view.size.map_or("-", |size| size.as_str());
    let title = output.foreign(&view.title);
    let mut more = Vec::new();
    let proven = view.checks.words();
    if !proven.is_empty() {
        more.push(proven.join(", "));
    }
    if !view.depends_on.is_empty() {
        let needs: Vec<&str> = view.depends_on.iter().map(ItemId::as_str).collect();
        more.push(format!("after {}", needs.join(", ")));
    }
    let more = if more.is_empty() { String::new() } else { format!("  ({})", more.join("; ")) };
    let note = note.map(|note| format!(": {}", output.foreign(note))).unwrap_or_default();
    let (id, status) = (view.id.as_str(), view.status.as_str());
    format!("{id:<6} {status:<11} {size:<2} {phase:<8} {title}{more}{note}")
}
