//! Which targets the events of a path reach.

use super::items;
use super::target::Target;
use super::walk::Walk;
use crate::id::{ItemId, StepId};
use crate::run::{Event, ItemStatus, PauseReason, Phase, VerifyReason};

impl Walk {
    /// Notices which target an event reaches, before it is applied.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most events are on the way to a target and none themselves"
    )]
    pub(super) fn notice(&mut self, event: &Event, stopped: &mut Option<Target>) {
        let target = match event {
            Event::AttemptStarted { attempt, .. } => Target::Step { step: attempt.step.clone() },
            // Nobody works on a group, and what is there already needs nobody.
            Event::StepDone { step } => Target::Step { step: step.clone() },
            Event::StepSkipped { step, .. } => match self.phase(step) {
                // By its `when`, which is a target of its own.
                Some(Phase::Deciding) | None => return,
                Some(Phase::Repeating) => Target::NoItems { step: step.clone() },
                Some(_) => Target::Skip { step: step.clone() },
            },
            Event::ItemOpened { item } => match self.follows(item) {
                Some(target) => target,
                None => return,
            },
            Event::VerificationStarted { step, reason, .. } => {
                self.reasons.insert(step.clone(), *reason);
                return;
            }
            Event::StepProven { step, .. } => {
                let retried = self.failed.remove(step);
                if self.reason(step) == VerifyReason::MayBeDone {
                    Target::Satisfied { step: step.clone() }
                } else if retried {
                    Target::Retried { step: step.clone() }
                } else {
                    return;
                }
            }
            Event::StepNotProven { step, costs_try: true, .. } => {
                self.failed.insert(step.clone());
                return;
            }
            Event::StepBlocked { step, .. } if self.phase(step) == Some(&Phase::Reading) => {
                Target::BadTasks { step: step.clone() }
            }
            Event::StepWaived { step, .. } | Event::StepBlocked { step, .. } => {
                self.expected.remove(step);
                self.failed.remove(step);
                match stopped.take() {
                    Some(limit @ Target::RouteLimit { .. }) => limit,
                    _ => Target::Exhausted { step: step.clone() },
                }
            }
            Event::RouteTaken { step, verdict, .. } => {
                let (step, verdict) = (step.clone(), verdict.clone());
                *stopped = Some(Target::RouteLimit { step, verdict });
                return;
            }
            Event::RolledBack { target: went, .. } => match self.route.take() {
                Some(route @ Target::Route { .. }) => {
                    let Target::Route { to, .. } = &route else { return };
                    if to != went && !self.stands_for(to, went) {
                        return;
                    }
                    route
                }
                _ => return,
            },
            Event::StepFailed { step } => {
                if stopped.is_none() {
                    *stopped = Some(Target::Exhausted { step: step.clone() });
                }
                return;
            }
            Event::RunPaused { reason, .. } => match (reason, stopped.take()) {
                (PauseReason::Budget, _) => Target::Budget,
                (PauseReason::RepeatedFailure, Some(Target::Exhausted { step })) => {
                    Target::Repeated { step }
                }
                (PauseReason::RetriesExhausted, Some(target @ Target::Exhausted { .. })) => target,
                (PauseReason::RollbackLimit, Some(target @ Target::RouteLimit { .. })) => target,
                _ => return,
            },
            _ => return,
        };
        self.reached.push(target);
    }

    /// Whether two steps are the same one of two items.
    fn stands_for(&self, one: &StepId, other: &StepId) -> bool {
        let plan = &self.state.plan;
        let of_item = |step: &StepId| {
            let index = plan.find(step)?;
            let group = plan.step(plan.item_group(index)?).id.as_str();
            Some((plan.repeated_by(index)?, step.as_str().strip_prefix(group)?.to_owned()))
        };
        of_item(one).is_some_and(|one| of_item(other) == Some(one))
    }

    fn phase(&self, step: &StepId) -> Option<&Phase> {
        let index = self.state.plan.find(step)?;
        Some(&self.state.step(index).phase)
    }

    /// Returns how the second item of a step comes up.
    fn follows(&self, item: &ItemId) -> Option<Target> {
        let step = self.state.item(item)?.item.step.clone();
        let all = items::of(&self.known, self.known.find(&step)?);
        let [first, second] = all.as_slice() else { return None };
        if second.id != *item {
            return None;
        }
        match self.state.item_status(self.state.item(&first.id)?) {
            ItemStatus::Blocked => Some(Target::ItemAfterBlocked { step }),
            ItemStatus::Done => Some(Target::NextItem { step }),
            ItemStatus::Pending | ItemStatus::Active | ItemStatus::Skipped => None,
        }
    }
}
