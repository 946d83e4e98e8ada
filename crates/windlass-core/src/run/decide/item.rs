//! Items: who may ask for them, and when they come up.

use super::control;
use super::draft::Draft;
use crate::id::{AttemptId, ItemId, StepId, StepIndex};
use crate::item::{Item, ItemChange, ItemSource, NewItem, Task, Wanted, name};
use crate::plan::{Publish, ValueType};
use crate::run::state::{ItemState, Phase, RunState};
use crate::run::{Event, Rejected};

/// All bodies together: every fold of the journal carries them.
const MAX_BODIES_BYTES: usize = 1 << 20;

/// The context key that a step publishes to be allowed to add items.
const ITEMS_KEY: &str = "items";

/// Returns what follows by itself for steps that repeat and nobody has the place: the next item
/// comes up when the one before is finished or stuck, and without any left the step is next itself.
pub(super) fn next(draft: &Draft) -> Option<Event> {
    let state = &draft.state;
    state.repeating.iter().find_map(|&foreach| {
        if is_going(state, foreach) {
            return None;
        }
        let mut items = state.items_of(foreach);
        let waiting = items.find(|state| !state.open && state.item.skipped.is_none());
        if let Some(waiting) = waiting {
            return Some(Event::ItemOpened { item: waiting.item.id.clone() });
        }
        if !state.items_of(foreach).all(|item| state.is_item_finished(item)) {
            return None;
        }
        let step = draft.id(foreach);
        let any = state.items_of(foreach).any(|item| item.open);
        Some(match (any, state.items_of(foreach).next()) {
            (true, _) => Event::StepTaken { step },
            (false, Some(_)) => {
                Event::StepSkipped { step, reason: "no item is left to do".to_owned() }
            }
            (false, None) => Event::StepSkipped { step, reason: "there are no items".to_owned() },
        })
    })
}

/// Returns whether somebody works on an item of the step, or could.
fn is_going(state: &RunState, foreach: StepIndex) -> bool {
    let mut could = state.ready.iter().chain(&state.deciding).copied().chain(state.in_hand());
    could.any(|index| state.plan.repeated_by(index) == Some(foreach))
}

/// Returns whether a step that is ready may take the place: where items before it could still go
/// on, they come first.
pub(super) fn may_begin(state: &RunState, index: StepIndex) -> bool {
    let Some(foreach) = state.plan.repeated_by(index) else { return true };
    let mut earlier = state.deciding.iter().take_while(|deciding| **deciding < index);
    !earlier.any(|deciding| state.plan.repeated_by(*deciding) == Some(foreach))
}

pub(super) fn tasks_read(
    draft: &mut Draft,
    step: &StepId,
    epoch: u32,
    file: &str,
    tasks: &Result<Vec<Task>, String>,
) -> Result<(), Rejected> {
    let index = draft.find(step)?;
    let state = draft.state.step(index);
    if !matches!(state.phase, Phase::Reading) || state.epoch != epoch {
        return Err(Rejected::NotExpected);
    }
    let (step, added) = (step.clone(), tasks.as_ref().map(Vec::len).unwrap_or_default());
    match tasks.clone().and_then(|tasks| from_tasks(draft, index, file, tasks)) {
        Ok(events) => {
            for event in events {
                draft.emit(event);
            }
            let tasks = u32::try_from(added).unwrap_or(u32::MAX);
            draft.emit(Event::TasksRead { step, tasks });
        }
        Err(why) => {
            let reason = format!("its tasks in `{file}` cannot be taken: {why}");
            draft.emit(Event::StepBlocked { step, reason });
        }
    }
    Ok(())
}

/// New entries become items; those that are known and have not come up take over new words. A box
/// that was ticked since is a claim of whoever could write the file, and changes nothing.
fn from_tasks(
    draft: &Draft,
    foreach: StepIndex,
    file: &str,
    tasks: Vec<Task>,
) -> Result<Vec<Event>, String> {
    let state = &draft.state;
    let step = draft.id(foreach);
    let mut events = Vec::new();
    let (mut wanted, mut bytes) = (wanted_items(state, foreach), body_bytes(state));
    for Task { id, title, body, story, ticked } in tasks {
        name::check(id.as_str(), &title, &body).map_err(|bad| format!("`{id}`: {bad}"))?;
        bytes += body.len();
        if let Some(known) = state.item(&id) {
            if known.item.step != step {
                return Err(format!("`{id}` is an item of `{}` already", known.item.step));
            }
            let same = known.item.title == title
                && known.item.body == body
                && (story.is_none() || known.item.story == story);
            let from_list = matches!(known.item.source, ItemSource::Tasks { .. });
            if !same && !known.open && from_list {
                let (title, body) = (Some(title), Some(body));
                let change = ItemChange { title, body, story, wanted: None };
                events.push(Event::ItemUpdated { item: id, change });
            }
            continue;
        }
        wanted += u32::from(!ticked);
        let skipped = ticked.then(|| format!("ticked in `{file}`"));
        let source = ItemSource::Tasks { file: file.to_owned() };
        let step = step.clone();
        let item = Item { id, step, title, body, story, source, skipped };
        events.push(Event::ItemAdded { item });
    }
    let max = state.plan.foreach(foreach).map_or(0, |foreach| foreach.max);
    if wanted > max {
        return Err(format!("{wanted} items are to be done, more than `max: {max}`"));
    }
    if bytes > MAX_BODIES_BYTES {
        return Err(format!("all together they have more than {} KiB", MAX_BODIES_BYTES >> 10));
    }
    Ok(events)
}

fn wanted_items(state: &RunState, foreach: StepIndex) -> u32 {
    let wanted = state.items_of(foreach).filter(|state| state.item.skipped.is_none());
    u32::try_from(wanted.count()).unwrap_or(u32::MAX)
}

fn body_bytes(state: &RunState) -> usize {
    state.items.iter().map(|state| state.item.body.len()).sum()
}

/// An agent asks for an item. Asking for the same again changes nothing, so that an attempt after
/// a lost one can say what the lost one said.
pub(super) fn asked_by_agent(
    draft: &mut Draft,
    attempt: &AttemptId,
    new: &NewItem,
) -> Result<(), Rejected> {
    let index = expect_right(draft, attempt)?;
    let Some(known) = draft.state.item(&new.id) else {
        return add(draft, new, ItemSource::Agent { attempt: attempt.clone() });
    };
    if known.item.title == new.title && known.item.body == new.body && known.item.story == new.story
    {
        return Ok(());
    }
    if !is_of(known, draft, index) || known.open {
        return Err(Rejected::ItemTaken { item: new.id.clone() });
    }
    let (title, body) = (Some(new.title.clone()), Some(new.body.clone()));
    update(draft, &new.id, &ItemChange { title, body, story: new.story.clone(), wanted: None })
}

pub(super) fn changed_by_agent(
    draft: &mut Draft,
    attempt: &AttemptId,
    item: &ItemId,
    change: &ItemChange,
) -> Result<(), Rejected> {
    let index = expect_right(draft, attempt)?;
    let known = find(draft, item)?;
    if !is_of(known, draft, index) {
        return Err(Rejected::NotYourItem { item: item.clone() });
    }
    if known.open {
        return Err(Rejected::ItemBegun { item: item.clone() });
    }
    update(draft, item, change)
}

/// Returns the step of the running attempt if it may add items.
fn expect_right(draft: &Draft, attempt: &AttemptId) -> Result<StepIndex, Rejected> {
    if !draft.state.running_attempts().any(|running| running == *attempt) {
        return Err(Rejected::StaleAttempt { attempt: attempt.clone() });
    }
    let index = draft.find(&attempt.step)?;
    match draft.state.plan.step(index).publishes.get(ITEMS_KEY) {
        Some(Publish::Value(ValueType::Array)) => Ok(index),
        Some(Publish::Value(_) | Publish::Path(_)) | None => {
            Err(Rejected::MayNotAddItems { step: attempt.step.clone() })
        }
    }
}

/// Whether an agent of the step at `index` asked for the item.
fn is_of(known: &ItemState, draft: &Draft, index: StepIndex) -> bool {
    let step = draft.id(index);
    matches!(&known.item.source, ItemSource::Agent { attempt } if attempt.step == step)
}

pub(super) fn add(draft: &mut Draft, new: &NewItem, source: ItemSource) -> Result<(), Rejected> {
    name::check(new.id.as_str(), &new.title, &new.body).map_err(Rejected::BadItem)?;
    if draft.state.item(&new.id).is_some() {
        return Err(Rejected::ItemTaken { item: new.id.clone() });
    }
    let foreach = target(draft, new.step.as_ref())?;
    expect_room(draft, foreach, new.body.len())?;
    draft.emit(Event::ItemAdded {
        item: Item {
            id: new.id.clone(),
            step: draft.id(foreach),
            title: new.title.clone(),
            body: new.body.clone(),
            story: new.story.clone(),
            source,
            skipped: None,
        },
    });
    Ok(())
}

/// Finds the step that repeats over a new item.
fn target(draft: &Draft, named: Option<&StepId>) -> Result<StepIndex, Rejected> {
    let state = &draft.state;
    if let Some(step) = named {
        let index = draft.find(step)?;
        return match state.plan.foreach(index) {
            Some(_) => expect_open(draft, index),
            None => Err(Rejected::NoForeach { step: step.clone() }),
        };
    }
    let all: Vec<StepIndex> = state.plan.foreaches().collect();
    let open = all.iter().filter(|index| !state.step(**index).is_finished());
    match (open.copied().collect::<Vec<_>>().as_slice(), all.last()) {
        ([only], _) => expect_open(draft, *only),
        ([], Some(last)) => expect_open(draft, *last),
        ([], None) => Err(Rejected::NoItems),
        (several, _) => Err(Rejected::WhichForeach {
            steps: several.iter().map(|index| draft.id(*index)).collect(),
        }),
    }
}

/// A step takes items until it is done, and not while its own criterion is looked at.
fn expect_open(draft: &Draft, foreach: StepIndex) -> Result<StepIndex, Rejected> {
    let (state, step) = (&draft.state, draft.id(foreach));
    if state.step(foreach).is_finished() {
        let status = state.step_status(foreach).as_str().to_owned();
        return Err(Rejected::StepFinished { step, status });
    }
    if state.holder == Some(foreach) && state.is_in_flight(foreach) {
        return Err(Rejected::Busy { what: format!("`{step}` is being looked at") });
    }
    Ok(foreach)
}

fn expect_room(draft: &Draft, foreach: StepIndex, bytes: usize) -> Result<(), Rejected> {
    let max = draft.state.plan.foreach(foreach).map_or(0, |foreach| foreach.max);
    if wanted_items(&draft.state, foreach) >= max {
        return Err(Rejected::TooManyItems { step: draft.id(foreach), max });
    }
    if body_bytes(&draft.state) + bytes > MAX_BODIES_BYTES {
        return Err(Rejected::ItemsTooLarge);
    }
    Ok(())
}

fn find<'d>(draft: &'d Draft, item: &ItemId) -> Result<&'d ItemState, Rejected> {
    draft.state.item(item).ok_or_else(|| Rejected::UnknownItem {
        item: item.clone(),
        known: draft.state.items.iter().map(|state| state.item.id.clone()).collect(),
    })
}

pub(super) fn update(
    draft: &mut Draft,
    item: &ItemId,
    change: &ItemChange,
) -> Result<(), Rejected> {
    let state = find(draft, item)?.clone();
    let foreach = draft.find(&state.item.step)?;
    if let Some(title) = &change.title {
        name::check_title(title).map_err(Rejected::BadItem)?;
    }
    if let Some(body) = &change.body {
        name::check_body(body).map_err(Rejected::BadItem)?;
    }
    expect_open(draft, foreach)?;
    if state.open {
        return update_begun(draft, &state, change);
    }
    let body = change.body.as_ref().map_or(0, String::len);
    if body_bytes(&draft.state) + body > MAX_BODIES_BYTES {
        return Err(Rejected::ItemsTooLarge);
    }
    let mut change = change.clone();
    match (&mut change.wanted, &state.item.skipped) {
        (Some(Wanted::Skip { reason }), None) => *reason = reasoned(draft, reason)?,
        (Some(Wanted::Skip { .. }), Some(_)) => {
            return Err(Rejected::ItemSkipped { item: item.clone() });
        }
        (Some(Wanted::Reopen), None) => {
            return Err(Rejected::ItemNotSkipped { item: item.clone() });
        }
        (Some(Wanted::Reopen), Some(_)) => expect_room(draft, foreach, 0)?,
        (None, _) => {}
    }
    draft.emit(Event::ItemUpdated { item: item.clone(), change });
    Ok(())
}

/// An item whose steps are part of the run is what they are; a person can still do without it.
fn update_begun(draft: &mut Draft, state: &ItemState, change: &ItemChange) -> Result<(), Rejected> {
    let group = draft.state.group_of(state);
    match (change, group) {
        (
            ItemChange {
                title: None,
                body: None,
                story: None,
                wanted: Some(Wanted::Skip { reason }),
            },
            Some(group),
        ) => {
            let group = draft.id(group);
            control::skip(draft, &group, reason)
        }
        _ => Err(Rejected::ItemBegun { item: state.item.id.clone() }),
    }
}

fn reasoned(draft: &Draft, reason: &str) -> Result<String, Rejected> {
    match reason.trim() {
        "" => Err(Rejected::NoReason),
        reason => Ok(format!("{reason} ({})", draft.actor())),
    }
}
