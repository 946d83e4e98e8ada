//! An attempt's life.

use super::{Applied, expect_next};
use crate::id::{AttemptId, StepIndex};
use crate::run::Event;
use crate::run::state::{Phase, RunState};
use crate::snapshot::Snapshot;
use crate::time::Timestamp;

impl RunState {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    pub(super) fn apply_to_attempt(
        &mut self,
        index: StepIndex,
        attempt: &AttemptId,
        event: &Event,
    ) -> Applied {
        let now = self.now;
        match event {
            Event::AttemptStarted { driver, .. } => {
                let agent = !self.plan.step(index).kind.is_group();
                self.expect_holder(index, event, |phase| agent && matches!(phase, Phase::Due))?;
                expect_next(event, attempt.number, self.step(index).attempts)?;
                self.spent.attempts += 1;
                self.since = now;
                let (number, driver) = (attempt.number, *driver);
                self.update(index, |step| {
                    step.attempts = number;
                    step.unjudged = false;
                    step.phase = Phase::Running { attempt: number, driver, since: now };
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
                match report.usage.cost_usd {
                    Some(cost) => self.spent.cost_usd += cost,
                    None => self.spent.unknown_cost += 1,
                }
                self.end_attempt(index, since, snapshot);
                let cost = report.usage.cost_usd.unwrap_or_default();
                self.update(index, |step| {
                    step.lost = 0;
                    step.ended = Some(report.outcome.clone());
                    step.cost_usd += cost;
                });
            }
            Event::AttemptLost { snapshot, .. } => {
                let since = self.attempt_since(index, attempt, event)?;
                self.spent.unknown_cost += 1;
                self.end_attempt(index, since, snapshot);
                self.update(index, |step| {
                    step.lost += 1;
                    step.ended = None;
                });
            }
            _ => return Err(self.wrong_phase(index, event)),
        }
        Ok(())
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

    fn end_attempt(&mut self, index: StepIndex, since: Timestamp, snapshot: &Snapshot) {
        let took = self.now.since(since);
        self.spent.wall = self.spent.wall.plus(took);
        self.note_files(index, snapshot);
        self.update(index, |step| {
            step.wall = step.wall.plus(took);
            step.verify_first = true;
            step.phase = Phase::Due;
        });
    }
}
