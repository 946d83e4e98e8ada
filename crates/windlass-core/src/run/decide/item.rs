//! Items: who may ask for them, and when they come up.

use super::draft::Draft;
use super::{blocker, control};
use crate::id::{AttemptId, ItemId, StepId, StepIndex};
use crate::item::{Item, ItemChange, ItemSource, NewItem, Task, Wanted, name};
use crate::plan::{Publish, ValueType};
use crate::run::not_part::{NO_ITEM_LEFT, NO_ITEMS};
use crate::run::state::{ItemState, Phase, RunState};
use crate::run::{Event, ItemStatus, Rejected};
use crate::story::Story;
use crate::time::Timestamp;

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
        if let Some(stuck) = state.items_of(foreach).find(|item| is_to_be_taken_back(state, item)) {
            let code = stuck.began.clone()?;
            return Some(Event::ItemTakenBack { item: stuck.item.id.clone(), code });
        }
        if let Some(event) = told(draft, foreach) {
            return Some(event);
        }
        let mut items = state.items_of(foreach);
        if let Some(next) = items.find(|item| may_open(state, item)) {
            if let Some(event) = blocker::checkpoint(draft, foreach) {
                return Some(event);
            }
            return Some(Event::ItemOpened { item: next.item.id.clone() });
        }
        if !state.items_of(foreach).all(|item| state.is_item_finished(item)) {
            return None;
        }
        let step = draft.id(foreach);
        let any = state.items_of(foreach).any(|item| item.open);
        Some(match (any, state.items_of(foreach).next()) {
            (true, _) => Event::StepTaken { step },
            (false, Some(_)) => {
                let reason = NO_ITEM_LEFT.to_owned();
                Event::StepSkipped { step, reason, kept: true }
            }
            (false, None) => {
                let reason = NO_ITEMS.to_owned();
                Event::StepSkipped { step, reason, kept: true }
            }
        })
    })
}

/// People are told after so many items.
fn told(draft: &Draft, foreach: StepIndex) -> Option<Event> {
    let every = draft.state.plan.foreach(foreach)?.report?.items?;
    let finished = draft.state.finished_items(foreach);
    let since = finished.saturating_sub(draft.state.step(foreach).told.items);
    (since >= every).then(|| Event::ProgressReported { step: draft.id(foreach), finished })
}

/// People are told after so long.
pub(super) fn tell(draft: &mut Draft, step: &StepId, at: Timestamp) {
    let due = draft.state.next_report(step).is_some_and(|due| due <= at.max(draft.state.now));
    let Some(index) = draft.state.plan.find(step).filter(|_| due) else { return };
    let finished = draft.state.finished_items(index);
    draft.emit(Event::ProgressReported { step: step.clone(), finished });
}

/// Returns whether an item can come up: nothing that it depends on is missing.
fn may_open(state: &RunState, item: &ItemState) -> bool {
    let needs = item.item.story.iter().flat_map(|story| &story.depends_on);
    let mut missing = needs.filter_map(|need| state.item(need));
    !item.open && item.item.skipped.is_none() && missing.all(|need| state.is_item_finished(need))
}

/// Returns whether an item is stuck with code in the place that others must not build on.
fn is_to_be_taken_back(state: &RunState, item: &ItemState) -> bool {
    item.open
        && item.left.is_none()
        && item.began.as_ref().is_some_and(|began| *began != state.proven_code)
        && state.item_status(item) == ItemStatus::Blocked
}

/// Returns the item of a step if what was done for it has left the place.
pub(super) fn taken_back(draft: &Draft, index: StepIndex) -> Option<ItemId> {
    let item = draft.state.item_of(index)?;
    item.left.as_ref().map(|_| item.item.id.clone())
}

/// An item that was stuck is tried again. Where nobody has changed the code since, it goes on with
/// what was done for it; else it begins anew on what is there now.
pub(super) fn take_up(draft: &mut Draft, index: StepIndex, item: &ItemId) -> Result<(), Rejected> {
    let state = &draft.state;
    let stuck = find(draft, item)?;
    let untouched = stuck.began.as_ref() == Some(&state.proven_code);
    if untouched && state.in_hand().next().is_none() {
        draft.emit(Event::ItemGoesOn { item: item.clone() });
        let step = draft.id(index);
        draft.emit(Event::RetriesReset { step });
        return Ok(());
    }
    if let Some(busy) = state.in_flight() {
        return Err(Rejected::Busy { what: format!("`{}` is being worked on", draft.id(busy)) });
    }
    let (Some(group), Some(observed)) = (state.group_of(stuck), state.latest.clone()) else {
        return Err(Rejected::UnknownItem { item: item.clone(), known: Vec::new() });
    };
    let note = state.step(index).note.as_deref().unwrap_or("no reason was given");
    let message = format!(
        "it was blocked at `{}`: {note}. It begins anew, because other items were worked on since",
        draft.id(index)
    );
    draft.emit(Event::RolledBack {
        target: draft.id(group),
        by: draft.actor(),
        message,
        files: Vec::new(),
        reset_code: false,
        code: None,
        observed,
        failure: None,
        presence: None,
    });
    Ok(())
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
            // A story that somebody only named gets its criteria and design from the list.
            let only_named = known.item.story.is_none() && story.is_some();
            if !same && !known.open && (from_list || only_named) {
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
    // Without an item no check of the step would run, and whoever wrote the list decided that.
    if wanted == 0 {
        return Err("no task in it is open".to_owned());
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
    expect_dependencies(draft, &new.id, new.story.as_ref())?;
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

/// A person wants an item to come up earlier or later.
pub(super) fn move_to(
    draft: &mut Draft,
    item: &ItemId,
    before: Option<&ItemId>,
) -> Result<(), Rejected> {
    let state = find(draft, item)?.clone();
    let foreach = draft.find(&state.item.step)?;
    expect_open(draft, foreach)?;
    if state.open {
        return Err(Rejected::ItemBegun { item: item.clone() });
    }
    if let Some(before) = before {
        find(draft, before)?;
        if before == item {
            return Err(Rejected::BeforeItself { item: item.clone() });
        }
    }
    draft.emit(Event::ItemMoved { item: item.clone(), before: before.cloned() });
    Ok(())
}

/// What a story depends on has to be there, and must not depend on it in turn.
fn expect_dependencies(
    draft: &Draft,
    item: &ItemId,
    story: Option<&Story>,
) -> Result<(), Rejected> {
    let needs = |id: &ItemId| -> Vec<ItemId> {
        let known = draft.state.item(id).and_then(|state| state.item.story.as_ref());
        known.map(|story| story.depends_on.clone()).unwrap_or_default()
    };
    let Some(story) = story else { return Ok(()) };
    let mut seen: Vec<ItemId> = Vec::new();
    let mut queue: Vec<ItemId> = story.depends_on.clone();
    while let Some(need) = queue.pop() {
        if need == *item {
            return Err(Rejected::DependencyCycle { item: item.clone() });
        }
        if !seen.contains(&need) {
            find(draft, &need)?;
            queue.extend(needs(&need));
            seen.push(need);
        }
    }
    Ok(())
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
    expect_dependencies(draft, item, change.story.as_ref())?;
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
            control::skip(draft, &group, reason, false)
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
