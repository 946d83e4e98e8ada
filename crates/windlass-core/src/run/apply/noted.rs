//! What somebody noted, and when it no longer counts.

use std::sync::Arc;

use super::{Applied, IllegalEvent};
use crate::id::StepIndex;
use crate::run::noted::MAX_NOTES;
use crate::run::state::RunState;
use crate::run::{About, Event, Noted};

impl RunState {
    pub(super) fn note_failure(&mut self, event: &Event) -> Applied {
        let Event::FailureNoted { about, category, summary, by } = event else {
            return Err(self.wrong_control(event));
        };
        match about {
            About::Step(step) => drop(self.index(event, step)?),
            About::Item(item) if self.item(item).is_some() => {}
            About::Item(item) => {
                let (kind, item) = (event.kind(), item.clone());
                return Err(IllegalEvent::UnknownItem { kind, item });
            }
        }
        let same = |noted: &Arc<Noted>| noted.about == *about;
        if self.noted.iter().filter(|noted| same(noted)).count() >= MAX_NOTES
            && let Some(oldest) = self.noted.iter().position(same)
        {
            self.noted.remove(oldest);
        }
        self.noted.push_back(Arc::new(Noted {
            about: about.clone(),
            category: *category,
            summary: summary.clone(),
            by: by.clone(),
            at: self.now,
            settled: false,
        }));
        Ok(())
    }

    /// The work on a step went on: what was noted of it before is over.
    pub(super) fn settle_notes(&mut self, step: StepIndex) {
        for position in 0..self.noted.len() {
            let noted = &self.noted[position];
            if !noted.settled && self.is_about(noted, step) {
                Arc::make_mut(&mut self.noted[position]).settled = true;
            }
        }
    }
}
