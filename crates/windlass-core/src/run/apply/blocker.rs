//! What keeps the run until a person has solved it.

use std::sync::Arc;

use super::{Applied, expect_next};
use crate::run::Event;
use crate::run::blocker::{Blocker, BlockerKind, Looking};
use crate::run::state::{Control, Hotfix, RunState};

/// What was resolved for a step is told to whoever works on it; more than this is not read.
const MAX_NOTES: usize = 1000;

impl RunState {
    /// Returns the blockers that keep the run.
    pub fn open_blockers(&self) -> impl Iterator<Item = &Blocker> {
        self.blockers.iter().map(|blocker| &**blocker).filter(|blocker| blocker.is_open())
    }

    /// Returns the blocker with this number.
    pub fn blocker(&self, id: u32) -> Option<&Blocker> {
        self.blockers.iter().map(|blocker| &**blocker).find(|blocker| blocker.id == id)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    pub(super) fn apply_to_blocker(&mut self, event: &Event) -> Applied {
        match event {
            Event::BlockerOpened { blocker } => {
                let last = u32::try_from(self.blockers.len()).unwrap_or(u32::MAX);
                expect_next(event, blocker.id, last)?;
                if matches!(self.control, Control::Aborting) {
                    return Err(self.wrong_control(event));
                }
                if blocker.kind == BlockerKind::Checkpoint
                    && let Some(index) = blocker.step.as_ref().and_then(|step| self.plan.find(step))
                {
                    let finished = self.finished_items(index);
                    self.update(index, |step| step.told.looked = finished);
                }
                if blocker.is_by_agent()
                    && let Some(index) = blocker.step.as_ref().and_then(|step| self.plan.find(step))
                {
                    // What it could not finish goes on when somebody has helped.
                    self.update(index, |step| step.verify_first = false);
                }
                self.blockers.push_back(Arc::new((**blocker).clone()));
                self.obstruct();
            }
            Event::BlockerLookedAt { blocker, by, notes } => {
                let looking = Looking { by: by.clone(), notes: notes.clone() };
                self.change_blocker(*blocker, event, |blocker| {
                    blocker.looks += 1;
                    blocker.looking = Some(looking);
                    blocker.next_look = None;
                })?;
            }
            Event::BlockerStays { blocker, why } => {
                let now = self.now;
                self.change_blocker(*blocker, event, |blocker| {
                    blocker.looking = None;
                    blocker.stays = Some(why.clone());
                    let rest = Blocker::rest(blocker.looks);
                    blocker.next_look = blocker.check.as_ref().map(|_| now.plus(rest));
                })?;
            }
            Event::BlockerResolved { blocker, resolution } => {
                self.change_blocker(*blocker, event, |blocker| {
                    blocker.looking = None;
                    blocker.next_look = None;
                    blocker.resolved = Some(resolution.clone());
                })?;
                if matches!(self.control, Control::Obstructed { .. }) {
                    self.control = Control::Active;
                    self.obstruct();
                }
            }
            Event::ResolutionNoted { step, by, notes } => {
                let index = self.index(event, step)?;
                let notes: String = notes.chars().take(MAX_NOTES).collect();
                self.update(index, |step| {
                    step.hotfix = Some(resolved(step.hotfix.take(), by, notes))
                });
            }
            _ => return Err(self.wrong_control(event)),
        }
        self.since = self.now;
        Ok(())
    }

    /// The first blocker that is open stands for all of them. A pause stays a pause.
    fn obstruct(&mut self) {
        let message = self.open_blockers().next().map(|blocker| blocker.message.clone());
        if let Some(message) = message
            && !matches!(self.control, Control::Paused { .. })
        {
            self.control = Control::Obstructed { message };
        }
    }

    fn change_blocker(
        &mut self,
        id: u32,
        event: &Event,
        change: impl FnOnce(&mut Blocker),
    ) -> Applied {
        let found = self.blockers.iter().position(|known| known.id == id && known.is_open());
        let Some(position) = found else { return Err(self.wrong_control(event)) };
        change(Arc::make_mut(&mut self.blockers[position]));
        Ok(())
    }
}

/// What a person did comes first; what was asked for before is still asked for.
fn resolved(asked: Option<Hotfix>, by: &str, notes: String) -> Hotfix {
    match asked.filter(|asked| !asked.resolved) {
        Some(asked) => Hotfix { message: format!("{by}: {notes}\n{}", asked.message), ..asked },
        None => Hotfix { by: by.to_owned(), message: notes, files: Vec::new(), resolved: true },
    }
}
