//! The items of a run: which there are, what they see, and how far they have come.

use std::sync::Arc;

use serde::Serialize;

use crate::id::{ItemId, StepIndex};
use crate::plan::{FailedTo, Plan};
use crate::run::state::{ItemState, Phase, RunState};

/// How far an item has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documented list")]
pub enum ItemStatus {
    Pending,
    Active,
    Blocked,
    Done,
    Skipped,
}

impl ItemStatus {
    /// Returns the status as it stands in the document.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Skipped => "skipped",
        }
    }
}

impl ItemState {
    /// Returns the positions of the item's steps; the last is the group that stands for it.
    pub fn steps(&self, plan: &Plan) -> Vec<StepIndex> {
        let foreach = plan.find(&self.item.step).and_then(|index| plan.foreach(index));
        let (Some(first), Some(foreach)) = (self.first, foreach) else { return Vec::new() };
        let count = u32::try_from(foreach.steps.len()).unwrap_or(u32::MAX);
        (first.0..=first.0.saturating_add(count)).map(StepIndex).collect()
    }
}

impl RunState {
    /// Returns the item called `id`.
    pub fn item(&self, id: &ItemId) -> Option<&ItemState> {
        self.items.iter().find(|state| state.item.id == *id).map(|state| &**state)
    }

    /// Returns the item that the step at `index` belongs to.
    pub fn item_of(&self, index: StepIndex) -> Option<&ItemState> {
        self.item(&self.plan.item_of(index)?)
    }

    /// Returns the items that the step at `index` repeats over.
    pub fn items_of(&self, index: StepIndex) -> impl Iterator<Item = &ItemState> {
        let step = self.plan.step(index).id.clone();
        self.items.iter().map(|state| &**state).filter(move |state| state.item.step == step)
    }

    /// Returns what the step at `index` sees of the context: what the steps of its own item
    /// published stands before what all others did.
    pub fn context_of(&self, index: StepIndex) -> Arc<serde_json::Value> {
        match self.item_of(index) {
            None => Arc::clone(&self.context),
            Some(item) => {
                let mut context = (*self.context).clone();
                lay_over(&mut context, &item.context);
                Arc::new(context)
            }
        }
    }

    /// Returns the group that stands for an item, once it has steps.
    pub fn group_of(&self, item: &ItemState) -> Option<StepIndex> {
        item.steps(&self.plan).last().copied()
    }

    /// Returns whether all that is to happen for an item has happened.
    pub fn is_item_finished(&self, item: &ItemState) -> bool {
        let done = || self.group_of(item).is_some_and(|group| self.step(group).is_finished());
        item.item.skipped.is_some() || (item.open && done())
    }

    /// Returns how far an item has come.
    pub fn item_status(&self, item: &ItemState) -> ItemStatus {
        let steps = item.steps(&self.plan);
        let group = steps.last().filter(|_| item.open).map(|group| &self.step(*group).phase);
        let over =
            self.plan.find(&item.item.step).is_some_and(|foreach| self.step(foreach).is_finished());
        match group {
            _ if item.item.skipped.is_some() => ItemStatus::Skipped,
            Some(Phase::Done) => ItemStatus::Done,
            Some(Phase::Skipped) => ItemStatus::Skipped,
            Some(_) if steps.iter().any(|index| self.step(*index).phase == Phase::Blocked) => {
                ItemStatus::Blocked
            }
            Some(_) => ItemStatus::Active,
            // Whoever does without the step that repeats does without what had not come up.
            None if over => ItemStatus::Skipped,
            None => ItemStatus::Pending,
        }
    }

    /// Returns where the step at `index` goes back to when its criterion does not hold: a step beside
    /// it, or that of the item which was finished last.
    pub fn failed_target(&self, index: StepIndex) -> Option<StepIndex> {
        match self.plan.step(index).failed.as_ref()?.to {
            FailedTo::Step(step) => Some(step),
            FailedTo::InItem { foreach, step } => {
                let done = self.items_of(foreach).filter_map(|item| {
                    let group = self.step(self.group_of(item)?);
                    (group.phase == Phase::Done).then_some((group.completed_at?, item.first?))
                });
                let (_, first) = done.max()?;
                Some(StepIndex(first.0.saturating_add(step.0)))
            }
        }
    }

    /// Returns whether a step of the item counts as done without its proof.
    pub fn is_item_waived(&self, item: &ItemState) -> bool {
        item.steps(&self.plan).iter().any(|index| self.step(*index).waived)
    }

    /// Returns the plan with the steps of all items that have some.
    pub(super) fn with_items(&self, plan: Arc<Plan>) -> Arc<Plan> {
        let mut placed: Vec<(StepIndex, &ItemState)> =
            self.items.iter().filter_map(|state| Some((state.first?, &**state))).collect();
        if placed.is_empty() {
            return plan;
        }
        placed.sort_by_key(|(first, _)| *first);
        let mut plan = plan.without_items();
        for (first, state) in placed {
            if let Some(foreach) = plan.find(&state.item.step) {
                plan.expand(foreach, &state.item, first);
            }
        }
        Arc::new(plan)
    }
}

/// Lays one document over another: objects are joined, anything else stands in front.
fn lay_over(below: &mut serde_json::Value, above: &serde_json::Value) {
    match (below.as_object_mut(), above.as_object()) {
        (Some(below), Some(above)) => {
            for (key, value) in above {
                lay_over(below.entry(key.clone()).or_insert(serde_json::Value::Null), value);
            }
        }
        _ => *below = above.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_are_joined_and_anything_else_stands_in_front() {
        let mut document = json!({"a": {"x": 1, "y": 2}, "b": 3, "c": {"d": 4}});
        lay_over(&mut document, &json!({"a": {"x": 9}, "c": 5, "e": {"f": 6}}));
        assert_eq!(document, json!({"a": {"x": 9, "y": 2}, "b": 3, "c": 5, "e": {"f": 6}}));
    }
}
