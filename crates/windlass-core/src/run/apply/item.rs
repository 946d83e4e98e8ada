//! What steps repeat over: items are added, changed, and come up one after the other.

use std::sync::Arc;

use super::step::{remove_key, set_key};
use super::{Applied, IllegalEvent};
use crate::id::{ItemId, StepIndex};
use crate::item::{Item, ItemChange, Wanted};
use crate::run::Event;
use crate::run::state::{ItemState, Phase, RunState, StepState};

impl RunState {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    pub(super) fn apply_to_items(&mut self, event: &Event) -> Applied {
        match event {
            Event::RepeatBegan { step } => {
                let index = self.index(event, step)?;
                let Some(foreach) = self.plan.foreach(index) else {
                    return Err(self.wrong_phase(index, event));
                };
                let reads = foreach.list().is_some();
                self.expect(index, event, |phase| matches!(phase, Phase::Ready))?;
                let now = self.now;
                self.release(index);
                self.since = now;
                self.update(index, |step| {
                    step.phase = if reads { Phase::Reading } else { Phase::Repeating };
                    step.started_at.get_or_insert(now);
                });
                if reads {
                    self.reading.insert(index);
                } else {
                    self.repeating.insert(index);
                }
            }
            Event::TasksRead { step, .. } => {
                let index = self.index(event, step)?;
                self.expect(index, event, |phase| matches!(phase, Phase::Reading))?;
                self.reading.remove(&index);
                self.repeating.insert(index);
                self.update(index, |step| step.phase = Phase::Repeating);
            }
            Event::ItemAdded { item } => self.add_item(item, event)?,
            Event::ItemUpdated { item, change } => self.change_item(item, change, event)?,
            Event::ItemOpened { item } => self.open_item(item, event)?,
            Event::ItemMoved { item, before } => self.move_item(item, before.as_ref(), event)?,
            Event::ItemTakenBack { item, code } => {
                let (position, _) = self.find_item(item, event)?;
                if self.holder.is_some() {
                    return Err(self.wrong_control(event));
                }
                let left = std::mem::replace(&mut self.proven_code, code.clone());
                Arc::make_mut(&mut self.items[position]).left = Some(left);
                self.reset_code = Some(code.clone());
            }
            Event::ItemGoesOn { item } => {
                let (position, _) = self.find_item(item, event)?;
                let left = Arc::make_mut(&mut self.items[position]).left.take();
                let Some(left) = left.filter(|_| self.holder.is_none()) else {
                    return Err(self.wrong_control(event));
                };
                self.proven_code = left.clone();
                self.reset_code = Some(left);
            }
            _ => return Err(self.wrong_control(event)),
        }
        Ok(())
    }

    fn add_item(&mut self, item: &Item, event: &Event) -> Applied {
        let index = self.index(event, &item.step)?;
        let repeats = self.plan.foreach(index).is_some() && self.item(&item.id).is_none();
        if !repeats || self.step(index).is_finished() {
            return Err(self.wrong_phase(index, event));
        }
        self.items.push_back(Arc::new(ItemState {
            item: item.clone(),
            first: None,
            open: false,
            context: serde_json::json!({}),
            began: None,
            began_at: None,
            left: None,
        }));
        self.repeat_on(index, event)
    }

    fn change_item(&mut self, id: &ItemId, change: &ItemChange, event: &Event) -> Applied {
        let (position, state) = self.find_item(id, event)?;
        let index = self.index(event, &state.item.step)?;
        if state.open || self.step(index).is_finished() {
            return Err(self.wrong_phase(index, event));
        }
        let mut state = state.clone();
        if let Some(title) = &change.title {
            state.item.title.clone_from(title);
        }
        if let Some(body) = &change.body {
            state.item.body.clone_from(body);
        }
        if let Some(story) = &change.story {
            state.item.story = Some(story.clone());
        }
        match &change.wanted {
            Some(Wanted::Skip { reason }) => state.item.skipped = Some(reason.clone()),
            Some(Wanted::Reopen) => state.item.skipped = None,
            None => {}
        }
        if let Some(first) = state.first {
            Arc::make_mut(&mut self.plan).expand(index, &state.item, first);
        }
        self.items.set(position, Arc::new(state));
        self.repeat_on(index, event)
    }

    fn move_item(&mut self, id: &ItemId, before: Option<&ItemId>, event: &Event) -> Applied {
        let (position, state) = self.find_item(id, event)?;
        let index = self.index(event, &state.item.step)?;
        if state.open {
            return Err(self.wrong_phase(index, event));
        }
        let state = self.items.remove(position);
        let to = match before {
            Some(before) => self.find_item(before, event)?.0,
            None => self.items.len(),
        };
        self.items.insert(to, state);
        Ok(())
    }

    /// An item whose work had left the place begins anew: on the code that is there now, and without
    /// what was done for it before.
    pub(super) fn begin_item_anew(&mut self, group: StepIndex) {
        let stands_for_item = self.plan.item_group(group) == Some(group);
        let Some(id) = self.plan.item_of(group).filter(|_| stands_for_item) else { return };
        let found = self.items.iter().position(|state| state.item.id == id);
        let Some(position) = found.filter(|at| self.items[*at].left.is_some()) else { return };
        let steps = self.items[position].steps(&self.plan);
        let (began, head) = (self.proven_code.clone(), self.head.clone());
        let item = Arc::make_mut(&mut self.items[position]);
        (item.began, item.began_at, item.left) = (Some(began), Some(head), None);
        for index in steps {
            self.update(index, |step| (step.first_code, step.red) = (None, None));
        }
    }

    /// A step that was through with its items has one more, and goes on with it.
    fn repeat_on(&mut self, index: StepIndex, event: &Event) -> Applied {
        if self.holder != Some(index) {
            return Ok(());
        }
        if self.is_in_flight(index) {
            return Err(self.wrong_phase(index, event));
        }
        self.repeat_again(index);
        Ok(())
    }

    /// Gives a step that repeats a new life in which its items are what they are.
    pub(super) fn repeat_again(&mut self, index: StepIndex) {
        self.release(index);
        self.reopen(index);
        self.repeating.insert(index);
        self.since = self.now;
        self.update(index, |step| step.phase = Phase::Repeating);
    }

    fn open_item(&mut self, id: &ItemId, event: &Event) -> Applied {
        let (position, state) = self.find_item(id, event)?;
        let mut state = state.clone();
        let index = self.index(event, &state.item.step)?;
        let waits = !state.open && state.item.skipped.is_none();
        self.expect(index, event, |phase| waits && matches!(phase, Phase::Repeating))?;
        if state.first.is_none() {
            let first = StepIndex(u32::try_from(self.plan.steps.len()).unwrap_or(u32::MAX));
            let plan = Arc::make_mut(&mut self.plan);
            plan.expand(index, &state.item, first);
            for step in &plan.steps[first.get()..] {
                self.steps.push_back(Arc::new(StepState::new(step.needs.len())));
                self.remaining += 1;
            }
            state.first = Some(first);
        }
        state.open = true;
        (state.began, state.left) = (Some(self.proven_code.clone()), None);
        state.began_at = Some(self.head.clone());
        let steps = state.steps(&self.plan);
        self.items.set(position, Arc::new(state));
        self.since = self.now;
        // What was asked for when the items were opened again is asked of each of them.
        let hotfix = self.step(index).hotfix.clone();
        for step in steps {
            if self.step(step).unmet == 0 && matches!(self.step(step).phase, Phase::Pending) {
                self.open(step);
                self.update(step, |step| step.hotfix.clone_from(&hotfix));
            }
        }
        Ok(())
    }

    /// Lets the items of a step come up anew.
    pub(super) fn close_items(&mut self, foreach: StepIndex) {
        let step = self.plan.step(foreach).id.clone();
        for position in 0..self.items.len() {
            if self.items[position].item.step == step && self.items[position].open {
                Arc::make_mut(&mut self.items[position]).open = false;
            }
        }
    }

    /// Returns whether the step belongs to an item that has not come up.
    pub(super) fn waits_for_item(&self, index: StepIndex) -> bool {
        self.item_of(index).is_some_and(|item| !item.open)
    }

    /// Sets a context key where the steps that may see it look.
    pub(super) fn set_context(&mut self, index: StepIndex, key: &str, value: serde_json::Value) {
        set_key(self.context_for(index), key, value);
    }

    /// Removes context keys that a step set.
    pub(super) fn remove_context(&mut self, index: StepIndex, keys: &[String]) {
        if keys.is_empty() {
            return;
        }
        let context = self.context_for(index);
        for key in keys {
            remove_key(context, key);
        }
    }

    fn context_for(&mut self, index: StepIndex) -> &mut serde_json::Value {
        let item = self.plan.item_of(index);
        let position = item.and_then(|id| self.items.iter().position(|state| state.item.id == id));
        match position {
            Some(position) => &mut Arc::make_mut(&mut self.items[position]).context,
            None => Arc::make_mut(&mut self.context),
        }
    }

    fn find_item(&self, id: &ItemId, event: &Event) -> Result<(usize, &ItemState), IllegalEvent> {
        let found = self.items.iter().enumerate().find(|(_, state)| state.item.id == *id);
        found
            .map(|(position, state)| (position, &**state))
            .ok_or_else(|| IllegalEvent::UnknownItem { kind: event.kind(), item: id.clone() })
    }
}
