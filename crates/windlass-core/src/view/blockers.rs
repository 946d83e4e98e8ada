//! What only a person can solve, for people and for other programs.

use serde::Serialize;

use crate::id::{ItemId, StepId};
use crate::run::{Blocker, BlockerKind, Phase, RunState, Severity};
use crate::time::Timestamp;

/// One blocker.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `blocker list --json`")]
pub struct BlockerView {
    pub id: u32,
    /// `open`, `looking` while it is looked at whether it is solved, or `resolved`.
    pub status: &'static str,
    pub description: String,
    pub kind: BlockerKind,
    pub severity: Severity,
    pub check_command: Option<String>,
    pub step: Option<StepId>,
    /// The item whose step cannot go on.
    pub item: Option<ItemId>,
    pub by: String,
    pub since: String,
    #[serde(skip)]
    pub since_moment: Timestamp,
    /// How often it was looked at whether it is solved.
    pub looks: u32,
    /// When it is looked at next by itself.
    pub next_look: Option<String>,
    /// Why it was not solved when it was last looked at.
    pub stays: Option<String>,
    pub resolved: Option<ResolvedView>,
}

/// How a blocker ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `blocker list --json`")]
pub struct ResolvedView {
    /// The person; none when its check turned green by itself.
    pub by: Option<String>,
    pub notes: Option<String>,
    pub at: String,
}

/// A step that could not be proven and was set aside, and with it its item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `blocker list --json`")]
pub struct BlockedView {
    pub step: StepId,
    pub item: Option<ItemId>,
    pub title: String,
    pub why: String,
}

impl BlockerView {
    /// Returns whether it still keeps the run.
    pub fn is_open(&self) -> bool {
        self.resolved.is_none()
    }
}

/// Projects all blockers of a run, in the order in which they came up.
pub fn blocker_views(state: &RunState) -> Vec<BlockerView> {
    state.blockers.iter().map(|blocker| blocker_view(state, blocker)).collect()
}

fn blocker_view(state: &RunState, blocker: &Blocker) -> BlockerView {
    let step = blocker.step.as_ref().and_then(|step| state.plan.find(step));
    let item = step.and_then(|index| state.item_of(index)).map(|item| item.item.id.clone());
    let status = match (&blocker.resolved, &blocker.looking) {
        (Some(_), _) => "resolved",
        (None, Some(_)) => "looking",
        (None, None) => "open",
    };
    BlockerView {
        id: blocker.id,
        status,
        description: blocker.message.clone(),
        kind: blocker.kind,
        severity: blocker.severity,
        check_command: blocker.check.as_ref().map(|check| check.command.clone()),
        step: blocker.step.clone(),
        item,
        by: blocker.by.clone(),
        since: blocker.at.to_string(),
        since_moment: blocker.at,
        looks: blocker.looks,
        next_look: blocker.next_look.map(|at| at.to_string()),
        stays: blocker.stays.clone(),
        resolved: blocker.resolved.as_ref().map(|resolved| ResolvedView {
            by: resolved.by.clone(),
            notes: resolved.notes.clone(),
            at: resolved.at.to_string(),
        }),
    }
}

/// Projects the steps that are blocked, the innermost of each.
pub fn blocked_views(state: &RunState) -> Vec<BlockedView> {
    let blocked = state.blocked.iter().copied();
    let views = blocked.filter(|index| state.step(*index).phase == Phase::Blocked).map(|index| {
        let (plan, step) = (state.plan.step(index), state.step(index));
        let item = state.item_of(index).map(|item| &item.item);
        BlockedView {
            step: plan.id.clone(),
            item: item.map(|item| item.id.clone()),
            title: item.map_or_else(|| plan.title.clone(), |item| item.title.clone()),
            why: why(step.note.as_deref(), step.failure.as_ref().map(|failure| &*failure.summary)),
        }
    });
    views.collect()
}

fn why(note: Option<&str>, failure: Option<&str>) -> String {
    match (note, failure) {
        (Some(note), Some(failure)) if !note.contains(failure) => format!("{note}: {failure}"),
        (Some(note), _) => note.to_owned(),
        (None, Some(failure)) => failure.to_owned(),
        (None, None) => "no reason was given".to_owned(),
    }
}

/// Says what a person does about a blocker, step by step.
pub fn blocker_instructions(blocker: &BlockerView) -> Vec<String> {
    let id = blocker.id;
    let mut steps = vec![format!("Put it right: {}", blocker.description)];
    if blocker.check_command.is_some() {
        steps.push(format!("Check it: `windlass blocker check {id}`"));
        steps.push(
            "While the run is driven, windlass repeats the check; the run continues when it passes"
                .to_owned(),
        );
    }
    steps.push(format!("Continue: `windlass fixed {id} --notes \"what you did\"`"));
    steps
}
