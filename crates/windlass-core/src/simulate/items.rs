//! The items that stub agents, task lists and people give to a run.
//!
//! Two items are enough to see that one follows another. Their ids are known in advance, so that
//! what there is to cover can be counted before a run has an item: for the first of each step that
//! repeats, which stands for all.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::cover::needed;
use super::walk::Walk;
use crate::id::{AttemptId, ItemId, StepId, StepIndex};
use crate::item::{Item, ItemSource, NewItem, Task};
use crate::plan::{Plan, PlanStep, Publish, ValueType};
use crate::run::{Actor, Decision, Effect, InputKind, Rejected};

/// How many items a step repeats over, where its `max` allows it.
const ITEMS: u32 = 2;

/// What a step that repeats finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// Two items, or one where `max` is 1.
    Items,
    Nothing,
    /// A task list that cannot be taken.
    BadTasks,
}

/// Returns the items of a step that repeats.
pub(super) fn of(plan: &Plan, foreach: StepIndex) -> Vec<Item> {
    let Some(repeated) = plan.foreach(foreach) else { return Vec::new() };
    let before = plan.foreaches().take_while(|other| *other < foreach).count();
    let before = u32::try_from(before).unwrap_or(u32::MAX).saturating_mul(ITEMS);
    (1..=repeated.max.min(ITEMS))
        .map(|number| Item {
            id: ItemId::new(format!("S{}", before.saturating_add(number))),
            step: plan.step(foreach).id.clone(),
            title: format!("item {number}"),
            body: String::new(),
            story: None,
            source: ItemSource::Person { name: "you".to_owned() },
            skipped: None,
        })
        .collect()
}

/// Returns the plan with the steps of the first item of each step that repeats.
pub(super) fn with_first_items(plan: &Plan) -> Plan {
    let mut with = plan.clone();
    for foreach in plan.foreaches() {
        if let Some(item) = of(plan, foreach).first() {
            let first = with.steps.len();
            with.expand(foreach, item, StepIndex(u32::try_from(first).unwrap_or(u32::MAX)));
        }
    }
    with
}

/// Returns the steps that repeat over items which the step at `index` adds: those without a task
/// list that come after it.
pub(super) fn added_by(plan: &Plan, index: StepIndex) -> Vec<StepIndex> {
    if !may_add(plan.step(index)) {
        return Vec::new();
    }
    // What a step of an item does is done when the step that repeats is.
    let from = plan.repeated_by(index).unwrap_or(index);
    listless(plan).filter(|foreach| needed(plan, *foreach).contains(&from)).collect()
}

/// Returns the steps that repeat over items which no agent could add.
pub(super) fn added_by_people(plan: &Plan) -> BTreeSet<StepIndex> {
    let by_agents = plan.indexes().flat_map(|index| added_by(plan, index)).collect();
    listless(plan).collect::<BTreeSet<_>>().difference(&by_agents).copied().collect()
}

fn listless(plan: &Plan) -> impl Iterator<Item = StepIndex> + '_ {
    let is_listless = |index: StepIndex| plan.foreach(index).is_some_and(|it| it.list().is_none());
    plan.foreaches().filter(move |index| is_listless(*index))
}

fn may_add(step: &PlanStep) -> bool {
    matches!(step.publishes.get("items"), Some(Publish::Value(ValueType::Array)))
}

impl Walk {
    /// A person adds the items of a step that no agent gives any.
    pub(super) fn add_by_person(&mut self, step: &StepId, given: Given) -> Result<(), Rejected> {
        self.given.insert(step.clone(), given);
        for item in self.items_for(step) {
            let add = Decision::AddItem { item: asked(item) };
            self.feed(Actor::person("you"), InputKind::Decided(add))?;
        }
        Ok(())
    }

    /// An agent adds the items that are its to add; asking again changes nothing.
    pub(super) fn add_by_agent(&mut self, attempt: &AttemptId) -> Result<(), Rejected> {
        let plan = Arc::clone(&self.state.plan);
        let added = plan.find(&attempt.step).map(|index| added_by(&plan, index));
        for foreach in added.into_iter().flatten() {
            let step = &plan.step(foreach).id;
            self.given.entry(step.clone()).or_insert(Given::Items);
            for item in self.items_for(step) {
                let kind = InputKind::ItemAsked { attempt: attempt.clone(), item: asked(item) };
                self.feed(Actor::agent(attempt), kind)?;
            }
        }
        Ok(())
    }

    /// The task list of a step is read.
    pub(super) fn read_tasks(&mut self, effect: &Effect, given: Given) -> Result<(), Rejected> {
        let Effect::ReadTasks { step, epoch } = effect else { return Ok(()) };
        self.given.insert(step.clone(), given);
        let tasks = match given {
            Given::Items | Given::Nothing => {
                Ok(self.items_for(step).into_iter().map(listed).collect())
            }
            Given::BadTasks => Err("there is no such file".to_owned()),
        };
        let (step, epoch, file) = (step.clone(), *epoch, "TASKS.md".to_owned());
        self.report(InputKind::TasksRead { step, epoch, file, tasks })
    }

    /// Returns the items that a step which repeats gets on this path.
    fn items_for(&self, step: &StepId) -> Vec<Item> {
        match (self.given(step), self.known.find(step)) {
            (Some(Given::Items), Some(foreach)) => of(&self.known, foreach),
            (Some(Given::Items | Given::Nothing | Given::BadTasks) | None, _) => Vec::new(),
        }
    }
}

/// The item as somebody asks for it.
fn asked(item: Item) -> NewItem {
    NewItem {
        id: item.id,
        title: item.title,
        body: item.body,
        story: item.story,
        step: Some(item.step),
    }
}

/// The item as an entry of a task list.
fn listed(item: Item) -> Task {
    Task { id: item.id, title: item.title, body: item.body, story: item.story, ticked: false }
}
