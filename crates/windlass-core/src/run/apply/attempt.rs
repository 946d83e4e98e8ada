//! An attempt's life.

use std::sync::Arc;

use super::{Applied, expect_next};
use crate::id::{AttemptId, StepIndex};
use crate::plan::StepKind;
use crate::proof::{Outcome, Trouble, Usage};
use crate::run::state::{Phase, RunState};
use crate::run::{Category, Event, HandOver, PlayedBy};
use crate::snapshot::Snapshot;
use crate::time::{Span, Timestamp};

impl RunState {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    #[expect(clippy::too_many_lines, reason = "one arm for each event")]
    pub(super) fn apply_to_attempt(
        &mut self,
        index: StepIndex,
        attempt: &AttemptId,
        event: &Event,
    ) -> Applied {
        let now = self.now;
        match event {
            Event::AttemptStarted { driver, resumes, boxed, .. } => {
                let agent = !self.plan.step(index).kind.is_group();
                self.expect_holder(index, event, |phase| agent && matches!(phase, Phase::Due))?;
                expect_next(event, attempt.number, self.step(index).attempts)?;
                self.spent.attempts += 1;
                self.unboxed |= *boxed == Some(false);
                self.blocks.in_a_row = 0;
                self.since = now;
                let (number, driver) = (attempt.number, *driver);
                self.update(index, |step| {
                    step.attempts = number;
                    step.session = None;
                    step.resumed.clone_from(resumes);
                    step.unjudged = false;
                    step.handover = None;
                    step.facts_set = 0;
                    step.phase = Phase::Running { attempt: number, driver, since: now };
                });
            }
            Event::OfferTaken { call, .. } => {
                self.attempt_since(index, attempt, event)?;
                let call = call.clone();
                self.update(index, |step| {
                    let rounds = step.handover.as_ref().map_or(0, |handover| handover.rounds);
                    step.handover = Some(HandOver { call, agent: None, since: now, rounds });
                });
            }
            Event::OfferWithdrawn { .. } => {
                self.attempt_since(index, attempt, event)?;
                if self.step(index).handover.is_some() {
                    return Err(self.wrong_phase(index, event));
                }
                self.undo_start(index);
                self.update(index, |step| {
                    step.session = step.resumed.take();
                    step.phase = Phase::Due;
                });
            }
            Event::AttemptHandedOver { agent, .. } => {
                self.attempt_since(index, attempt, event)?;
                if self.step(index).handover.is_none() {
                    return Err(self.wrong_phase(index, event));
                }
                self.unboxed = true;
                let agent = agent.clone();
                self.update(index, |step| {
                    if let Some(handover) = &mut step.handover {
                        handover.agent = Some(agent);
                    }
                });
            }
            Event::StopRequested { attempt: AttemptId { number, .. }, reason } => {
                let Phase::Running { attempt, driver, since } = self.step(index).phase else {
                    return Err(self.wrong_phase(index, event));
                };
                if attempt != *number {
                    return Err(self.wrong_phase(index, event));
                }
                let reason = *reason;
                self.update(index, |step| {
                    step.phase = Phase::Stopping { attempt, driver, since, reason };
                });
            }
            Event::AttemptEnded { report, snapshot, .. } => {
                let since = self.attempt_since(index, attempt, event)?;
                let outcome = &report.outcome;
                let finished = !outcome.was_cut_off() && !self.asked_for_help(attempt);
                self.end_attempt(index, now.since(since), snapshot, finished);
                self.unboxed |= !report.was_boxed();
                if let Outcome::Held { .. } = outcome {
                    self.undo_start(index);
                } else {
                    self.spend(index, &report.usage);
                }
                if is_question_about_limit(outcome) {
                    self.spent.attempts = self.spent.attempts.saturating_sub(1);
                }
                self.update(index, |step| {
                    step.lost = if is_interrupted(outcome) { step.lost + 1 } else { 0 };
                    let session = report.usage.session.clone().or_else(|| step.resumed.take());
                    step.session = session.filter(|_| outcome.goes_on());
                    step.resumed = None;
                    step.limits = limits_in_a_row(step.limits, outcome);
                    step.moved_to = moved_to(&report.trouble);
                    step.ended = Some(outcome.clone());
                });
            }
            Event::AttemptLost { snapshot, usage, last_seen, boxed, trouble, .. } => {
                self.unboxed |= *boxed == Some(false);
                let since = self.attempt_since(index, attempt, event)?;
                // A break between a kill and the next driver is nobody's working time.
                let end = last_seen.unwrap_or(now).clamp(since.min(now), now);
                self.end_attempt(index, end.since(since), snapshot, false);
                self.spend(index, usage);
                self.update(index, |step| {
                    step.lost += 1;
                    step.session = usage.session.clone().or_else(|| step.resumed.take());
                    step.resumed = None;
                    step.moved_to = moved_to(trouble);
                    step.ended = None;
                });
            }
            _ => return Err(self.wrong_phase(index, event)),
        }
        Ok(())
    }

    /// Somebody else plays the agents: a conversation goes on with the program that began it, and with no
    /// other.
    pub(super) fn change_agent(&mut self, chosen: &PlayedBy) {
        self.facts = Arc::new(self.facts.played_by(chosen));
        self.played_by = Some(chosen.clone());
        for index in self.plan.indexes() {
            let kind = &self.plan.step(index).kind;
            let is_theirs = matches!(kind, StepKind::Agent { backend: None, .. });
            if is_theirs && self.step(index).session.is_some() {
                self.update(index, |step| step.session = None);
            }
        }
    }

    fn attempt_since(
        &self,
        index: StepIndex,
        id: &AttemptId,
        event: &Event,
    ) -> Result<Timestamp, super::IllegalEvent> {
        if let Phase::Running { attempt, since, .. } | Phase::Stopping { attempt, since, .. } =
            self.step(index).phase
            && attempt == id.number
        {
            return Ok(since);
        }
        Err(self.wrong_phase(index, event))
    }

    fn spend(&mut self, index: StepIndex, usage: &Usage) {
        match usage.cost_usd {
            Some(cost) => self.spent.cost_usd += cost,
            None => self.spent.unknown_cost += 1,
        }
        let cost = usage.cost_usd.unwrap_or_default();
        self.update(index, |step| step.cost_usd += cost);
    }

    /// Nothing was started: the budget has its attempt back, and there is no work to look at.
    fn undo_start(&mut self, index: StepIndex) {
        self.spent.attempts = self.spent.attempts.saturating_sub(1);
        self.update(index, |step| step.verify_first = false);
    }

    /// Whether an agent waits for a person with what it could not finish. One that repeats what an earlier
    /// attempt of the step asked for opens nothing new.
    pub(crate) fn asked_for_help(&self, attempt: &AttemptId) -> bool {
        self.open_blockers()
            .any(|open| open.is_by_agent() && open.step.as_ref() == Some(&attempt.step))
    }

    /// Work that was not `finished` goes on before anybody looks at it: a weak criterion could hold for
    /// half of it.
    fn end_attempt(&mut self, index: StepIndex, took: Span, snapshot: &Snapshot, finished: bool) {
        self.spent.wall = self.spent.wall.plus(took);
        self.note_files(index, snapshot);
        self.update(index, |step| {
            step.wall = step.wall.plus(took);
            step.verify_first = finished;
            step.phase = Phase::Due;
        });
    }
}

/// Whether an attempt only found out that a limit still lasts whose end nobody states. It is asked after at
/// growing intervals, so that an outage of a night may not use up the run's attempts. A limit that states its
/// end counts: one that is over at once, and comes back, would be asked for ever.
fn is_question_about_limit(outcome: &Outcome) -> bool {
    limits_in_a_row(0, outcome) > 0
}

/// Returns how many limits without a stated end were met in a row. An attempt that was held met none.
fn limits_in_a_row(before: u32, outcome: &Outcome) -> u32 {
    match outcome {
        Outcome::ProviderLimit { resets_at: None, .. }
        | Outcome::AgentFailed { category: Category::Limit, .. } => before.saturating_add(1),
        Outcome::Held { .. } | Outcome::Cancelled => before,
        Outcome::ProviderLimit { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::CouldNotStart { .. }
        | Outcome::Exited { .. }
        | Outcome::Signalled { .. }
        | Outcome::TimedOut
        | Outcome::Idle
        | Outcome::OverLimit { .. }
        | Outcome::Interrupted { .. }
        | Outcome::OverBudget { .. } => 0,
    }
}

/// Returns the branch that an attempt left the place on, where it is not the run's.
fn moved_to(troubles: &[Trouble]) -> Option<String> {
    troubles.iter().find_map(|trouble| match trouble {
        Trouble::HeadMoved { found, .. } => Some(found.clone()),
        Trouble::BranchRewritten { .. }
        | Trouble::NestedRepository { .. }
        | Trouble::SubmoduleChanged { .. }
        | Trouble::Unreadable { .. } => None,
    })
}

/// Returns whether the agent's program died under it, which counts as lost.
fn is_interrupted(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Interrupted { .. } | Outcome::AgentFailed { category: Category::Lost, .. }
    )
}
