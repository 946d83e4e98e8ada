//! Feedback, rollback and new tries: a step lives again.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Applied;
use crate::id::StepIndex;
use crate::run::state::{Hotfix, Phase, RunState};
use crate::run::{AskedBefore, Event, Failure};

/// What is open again after a rollback.
struct Reopened {
    /// Steps that begin anew.
    open: BTreeSet<StepIndex>,
    /// The step that goes on repeating, because an item of it is open again and the others are not.
    repeats: Option<StepIndex>,
}

impl RunState {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    pub(super) fn apply_reopening(&mut self, index: StepIndex, event: &Event) -> Applied {
        match event {
            Event::FeedbackGiven { by, message, observed, .. } => {
                self.expect_holder(index, event, |phase| {
                    matches!(
                        phase,
                        Phase::AtGate { .. } | Phase::Failed | Phase::Due | Phase::Waiting { .. }
                    )
                })?;
                self.latest = Some(observed.clone());
                self.cold.waived = None;
                let (by, message) = (by.clone(), message.clone());
                let hotfix = Hotfix { by, message, files: Vec::new(), resolved: false };
                if self.plan.step(index).kind.is_group() {
                    // Nobody works on a group: those who worked in it get the message.
                    self.roll_back(index, &hotfix);
                    return Ok(());
                }
                self.release(index);
                self.reopen(index);
                self.take_in_hand(index);
                self.since = self.now;
                self.update(index, |step| {
                    step.phase = Phase::Beginning;
                    step.hotfix = Some(hotfix);
                });
            }
            Event::RolledBack {
                by, message, files, reset_code, code, observed, failure, ..
            } => {
                if let Some(busy) = self.in_flight() {
                    return Err(self.wrong_phase(busy, event));
                }
                self.latest = Some(observed.clone());
                // A person let the work pass that was there; this is other work.
                self.cold.waived = None;
                let baseline = self.step(index).baseline.as_ref();
                let began = baseline.map(|baseline| baseline.snapshot.code.clone());
                if *reset_code && let Some(code) = code.clone().or(began) {
                    self.proven_code = code.clone();
                    self.reset_code = Some(code);
                    self.forget_first_code(index);
                }
                let hotfix = Hotfix {
                    by: by.clone(),
                    message: message.clone(),
                    files: files.clone(),
                    resolved: false,
                };
                self.roll_back(index, &hotfix);
                self.begin_item_anew(index);
                if let Some(failure) = failure {
                    self.fail_cold(index, failure);
                }
            }
            Event::RetriesReset { .. } => {
                if self.step(index).is_finished() {
                    return Err(self.wrong_phase(index, event));
                }
                self.revive(index);
                self.update(index, |step| {
                    (step.tries, step.repeats, step.lost, step.broken) = (0, 0, 0, 0);
                    (step.free, step.troubled, step.trouble) = (0, 0, None);
                    step.note = None;
                });
            }
            _ => return Err(self.wrong_phase(index, event)),
        }
        Ok(())
    }

    /// What the step proved does not hold on a fresh clone: that is a failed try. One is left to mend
    /// it, however few there are.
    fn fail_cold(&mut self, index: StepIndex, failure: &Failure) {
        if self.plan.step(index).kind.is_group() {
            // Nobody works on it: those who work in it are told what is asked for, and what they did is
            // not taken for done as it is.
            for nested in self.plan.nested(index) {
                self.update(nested, |step| step.fails_cold = true);
            }
            return;
        }
        let tries = self.plan.step(index).retries.saturating_sub(1).min(1);
        self.update(index, |step| {
            step.failure = Some(failure.clone());
            (step.tries, step.repeats) = (tries, tries);
            step.fails_cold = true;
        });
    }

    /// A step that failed goes on where it was; a blocked one, whose files have left the place,
    /// begins anew. A group has nobody to go on: it looks at the files as they are now.
    fn revive(&mut self, index: StepIndex) {
        let blocked = matches!(self.step(index).phase, Phase::Blocked);
        let failed = matches!(self.step(index).phase, Phase::Failed);
        let group = self.plan.step(index).kind.is_group();
        if blocked || (failed && group) {
            self.release(index);
            self.update(index, |step| step.epoch += 1);
            self.open(index);
        } else if failed {
            self.update(index, |step| step.phase = Phase::Due);
        }
    }

    /// Opens `target` and all that depends on it again. Tracked code stays.
    ///
    /// The steps that can begin at once, which is the target or what is nested in it, get the
    /// reason as their hotfix.
    fn roll_back(&mut self, target: StepIndex, hotfix: &Hotfix) {
        let plan = Arc::clone(&self.plan);
        let Reopened { open, repeats } = self.reopened_by(target);
        if let Some(index) = repeats {
            if self.step(index).is_finished() {
                self.remaining += 1;
            }
            self.repeat_again(index);
        }
        for &index in &open {
            let finished = self.step(index).is_finished();
            self.release(index);
            self.reopen(index);
            if finished {
                self.remaining += 1;
            }
            let unmet = plan
                .step(index)
                .needs
                .iter()
                .filter(|need| open.contains(need) || !self.step(**need).is_finished());
            let unmet = u32::try_from(unmet.count()).unwrap_or(u32::MAX);
            self.update(index, |step| {
                step.phase = Phase::Pending;
                step.unmet = unmet;
            });
        }
        self.since = self.now;
        for &index in open.iter().filter(|index| plan.foreach(**index).is_some()) {
            self.close_items(index);
        }
        for index in open {
            if self.step(index).unmet == 0 && !self.waits_for_item(index) {
                self.open(index);
                self.update(index, |step| step.hotfix = Some(hotfix.clone()));
            }
        }
    }

    /// The code goes back to where `target` began: if that was its first life, nothing is left of
    /// what was made since, and the next life of the steps that are opened is a first one, too.
    fn forget_first_code(&mut self, target: StepIndex) {
        if self.step(target).epoch > 0 && !self.plan.step(target).kind.is_group() {
            return;
        }
        for index in self.reopened_by(target).open {
            if self.step(index).first_code.is_some() {
                self.update(index, |step| step.first_code = None);
            }
        }
    }

    /// Returns what a rollback to `target` opens again: that step, what is nested in it, and all that
    /// depends on those. A rollback inside an item leaves the other items alone.
    fn reopened_by(&self, target: StepIndex) -> Reopened {
        let plan = &self.plan;
        let mut open: BTreeSet<StepIndex> = plan.nested(target).into_iter().collect();
        open.insert(target);
        let mut repeats = None;
        let mut queue: Vec<StepIndex> = open.iter().copied().collect();
        while let Some(index) = queue.pop() {
            let mut next: Vec<StepIndex> = plan.dependents(index).to_vec();
            if plan.foreach(index).is_some() && repeats != Some(index) {
                next.extend(plan.nested(index));
            }
            if plan.item_group(index) == Some(index)
                && let Some(foreach) = plan.step(index).parent
                && !open.contains(&foreach)
                && repeats.is_none()
                && !matches!(self.step(foreach).phase, Phase::Repeating)
            {
                repeats = Some(foreach);
                next.extend(plan.dependents(foreach));
            }
            queue.extend(next.into_iter().filter(|step| open.insert(*step)));
        }
        Reopened { open, repeats }
    }

    /// Gives a step a new life: it counts from zero, and what it published is gone.
    pub(super) fn reopen(&mut self, index: StepIndex) {
        let published = self.step(index).published.clone();
        self.remove_context(index, &published);
        self.withdraw_questions(index);
        self.update(index, |step| {
            step.epoch += 1;
            (step.tries, step.repeats, step.lost, step.broken) = (0, 0, 0, 0);
            (step.free, step.troubled, step.trouble) = (0, 0, None);
            step.published = Vec::new();
            (step.verify_first, step.unjudged) = (false, false);
            step.ended = None;
            step.session = None;
            step.seen = None;
            step.red = None;
            (step.unheld, step.fails_cold) = (Vec::new(), false);
            (step.spoiled, step.reverting) = (false, false);
            step.approved = false;
            (step.acted, step.waived) = (false, false);
            (step.set_aside, step.kept_unproven, step.taken_back) = (false, false, None);
            (step.shown_settings, step.accepted_settings) = (None, None);
            step.forget_failure();
            if let Some(asked) = step.hotfix.take().filter(|hotfix| !hotfix.resolved) {
                AskedBefore::remember(&mut step.asked_before, &asked.by, &asked.message);
            }
            step.note = None;
            step.completed_at = None;
        });
    }
}
