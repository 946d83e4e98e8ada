//! Words for tests about items.

use super::{Draft, Run, attempt_id, group, plan};
use crate::item::{ItemChange, NewItem, Task, Wanted};
use crate::plan::{Foreach, StepKind};
use crate::run::{Actor, Decision, Event, InputKind, NewBlocker, Rejected};

/// A step that repeats these steps over at most `max` items.
pub(crate) fn foreach(id: &'static str, max: u32, steps: impl IntoIterator<Item = Draft>) -> Draft {
    let mut draft = group(id);
    let steps = plan(steps).steps;
    draft.step.kind = StepKind::Foreach(Box::new(Foreach {
        max,
        tasks: None,
        stories: None,
        report: None,
        checkpoint: None,
        steps,
    }));
    draft
}

impl Draft {
    /// The items come from a task list as well.
    pub(crate) fn of_tasks(mut self, file: &str) -> Self {
        if let StepKind::Foreach(foreach) = &mut self.step.kind {
            foreach.tasks = Some(file.to_owned());
        }
        self
    }
}

impl Run {
    /// An agent asks for an item.
    pub(crate) fn asks(&mut self, attempt: &str, id: &str) -> Result<Vec<Event>, Rejected> {
        self.feed(InputKind::ItemAsked { attempt: attempt_id(attempt), item: new_item(id) })
    }

    /// An agent asks for help of a person.
    pub(crate) fn asks_for_help(&mut self, attempt: &str, blocker: NewBlocker) -> Vec<Event> {
        let attempt = attempt_id(attempt);
        let actor = Actor::agent(&attempt);
        self.told(actor, InputKind::HelpAsked { attempt, blocker }).expect("the agent may ask")
    }

    /// The task list of a step was read.
    pub(crate) fn reads<const N: usize>(
        &mut self,
        step: &str,
        tasks: [(&str, bool); N],
    ) -> Vec<Event> {
        self.reads_all(step, &tasks)
    }

    pub(crate) fn reads_all(&mut self, step: &str, tasks: &[(&str, bool)]) -> Vec<Event> {
        let tasks = tasks.iter().map(|(id, ticked)| Task {
            id: (*id).into(),
            title: format!("Title of {id}"),
            body: String::new(),
            story: None,
            ticked: *ticked,
        });
        self.expect(InputKind::TasksRead {
            step: step.into(),
            epoch: self.step(step).epoch,
            file: "TASKS.md".to_owned(),
            tasks: Ok(tasks.collect()),
        })
    }
}

pub(crate) fn new_item(id: &str) -> NewItem {
    NewItem {
        id: id.into(),
        title: format!("Title of {id}"),
        body: String::new(),
        story: None,
        step: None,
    }
}

pub(crate) fn add_item(id: &str) -> Decision {
    Decision::AddItem { item: new_item(id) }
}

pub(crate) fn skip_item(id: &str) -> Decision {
    let wanted = Some(Wanted::Skip { reason: "not needed".to_owned() });
    Decision::UpdateItem { item: id.into(), change: ItemChange { wanted, ..Default::default() } }
}

pub(crate) fn reopen_item(id: &str) -> Decision {
    let wanted = Some(Wanted::Reopen);
    Decision::UpdateItem { item: id.into(), change: ItemChange { wanted, ..Default::default() } }
}

pub(crate) fn retitle_item(id: &str, title: &str) -> Decision {
    let title = Some(title.to_owned());
    Decision::UpdateItem { item: id.into(), change: ItemChange { title, ..Default::default() } }
}

pub(crate) fn opened(id: &str) -> Event {
    Event::ItemOpened { item: id.into() }
}
