//! The run's document: what jq expressions see and `.windlass/run/state.json` shows.

use serde_json::{Map, Value, json};

use crate::id::StepIndex;
use crate::plan::StepKind;
use crate::run::{ItemState, RunState};
use crate::view::blockers::blocker_views;
use crate::view::questions::question_views;

/// Returns the run's document as the step at `index` sees it: with its item, and with what the
/// steps of that item published.
pub fn document_for(state: &RunState, index: StepIndex) -> Value {
    let mut document = document(state);
    if let Some(item) = state.item_of(index) {
        document["context"] = (*state.context_of(index)).clone();
        document["item"] = item_value(state, item);
    }
    document
}

/// Returns the run's document.
pub fn document(state: &RunState) -> Value {
    let facts = &state.facts;
    let issue = state.plan.issue.as_ref();
    let mut steps = Map::new();
    for index in state.plan.in_reading_order() {
        let (plan, step) = (state.plan.step(index), state.step(index));
        steps.insert(
            plan.id.as_str().to_owned(),
            json!({
                "title": plan.title,
                "status": state.step_status(index).as_str(),
                "attempts": step.attempts,
                "completedAt": step.completed_at.map(|at| at.to_string()),
                "skipReason": step.note,
            }),
        );
    }
    json!({
        "run": facts.run,
        "workflow": state.plan.workflow,
        "goal": state.plan.goal,
        "status": state.status().as_str(),
        "reason": state.reason(),
        "issue": issue.map(|issue| json!({
            "number": issue.number, "title": issue.title, "url": issue.url,
        })),
        "branch": facts.branch,
        "base": facts.base,
        "inputs": state.plan.inputs,
        "current": state.holding().map(|(index, ..)| state.plan.step(index).id.clone()),
        "startedAt": state.started_at.to_string(),
        "steps": steps,
        "context": *state.context,
        "items": state.items.iter().map(|item| item_value(state, item)).collect::<Vec<_>>(),
        "blockers": blocker_views(state),
        "clarifications": question_views(state),
        "publish": publish(state),
        "session": {
            "owner": state.session.as_ref().map(|session| session.id.as_str()),
            "blocks": state.blocks.in_all,
        },
    })
}

fn publish(state: &RunState) -> Value {
    let approved = state.plan.indexes().any(|index| {
        matches!(state.plan.step(index).kind, StepKind::PullRequest(_))
            && state.step(index).approved
    });
    let publication = state.publication.as_ref();
    json!({
        "approved": approved,
        "prUrl": publication.and_then(|publication| publication.url.clone()),
        "prNumber": publication.and_then(|publication| publication.number),
    })
}

fn item_value(state: &RunState, item: &ItemState) -> Value {
    let mut value = json!({
        "id": item.item.id,
        "step": item.item.step,
        "title": item.item.title,
        "body": item.item.body,
        "status": state.item_status(item).as_str(),
        "source": item.item.source.words(),
        "skipReason": item.item.skipped,
        "waived": state.is_item_waived(item),
        "context": item.context,
    });
    if let Some(story) = &item.item.story {
        value["story"] = json!(story);
    }
    value
}
