//! The items of a run, for people and for other programs.

use serde::Serialize;

use crate::id::{ItemId, StepId};
use crate::run::{ItemState, ItemStatus, Phase, RunState};
use crate::story::Story;

/// One item.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `item list --json`")]
pub struct ItemView {
    pub id: ItemId,
    pub step: StepId,
    pub title: String,
    pub body: String,
    /// What makes it a story.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
    pub status: ItemStatus,
    /// Whether a step of it counts as done without its proof.
    pub waived: bool,
    /// Who asked for it: an attempt, a person, or a task list.
    pub source: String,
    /// Why it is skipped or blocked.
    pub note: Option<String>,
}

/// Projects the items of a run, in the order in which they come up.
pub fn item_views(state: &RunState) -> Vec<ItemView> {
    state.items.iter().map(|item| item_view(state, item)).collect()
}

fn item_view(state: &RunState, item: &ItemState) -> ItemView {
    ItemView {
        id: item.item.id.clone(),
        step: item.item.step.clone(),
        title: item.item.title.clone(),
        body: item.item.body.clone(),
        story: item.item.story.clone(),
        status: state.item_status(item),
        waived: state.is_item_waived(item),
        source: item.item.source.words(),
        note: note(state, item),
    }
}

pub(super) fn note(state: &RunState, item: &ItemState) -> Option<String> {
    if item.item.skipped.is_some() {
        return item.item.skipped.clone();
    }
    let steps = item.steps(&state.plan);
    let blocked = steps.iter().find(|index| state.step(**index).phase == Phase::Blocked);
    if let Some(index) = blocked {
        let note = state.step(*index).note.as_deref().unwrap_or("no reason was given");
        return Some(format!("`{}` is blocked: {note}", state.plan.step(*index).id));
    }
    let group = steps.last().map(|group| state.step(*group))?;
    group.note.clone().filter(|_| group.phase == Phase::Skipped)
}
