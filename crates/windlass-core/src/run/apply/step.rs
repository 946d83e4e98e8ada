//! A step's life from ready to done.

use std::sync::Arc;

use super::{Applied, IllegalEvent};
use crate::id::StepIndex;
use crate::plan::CommitPolicy;
use crate::run::state::{Phase, RunState};
use crate::run::{Event, aside_file};
use crate::snapshot::Baseline;

impl RunState {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    pub(super) fn apply_to_step(&mut self, index: StepIndex, event: &Event) -> Applied {
        let now = self.now;
        match event {
            Event::StepReady { .. } => {
                self.expect(index, event, |phase| matches!(phase, Phase::Deciding))?;
                self.deciding.remove(&index);
                self.ready.insert(index);
                self.update(index, |step| step.phase = Phase::Ready);
            }
            Event::StepTaken { .. } => {
                let free = self.holder.is_none() && self.may_join_aside(index);
                self.expect(index, event, |phase| {
                    free && matches!(phase, Phase::Ready | Phase::Repeating)
                })?;
                self.release(index);
                self.hold(index);
            }
            Event::StepBegan { baseline, .. } => {
                self.expect(index, event, |phase| matches!(phase, Phase::Beginning))?;
                self.begin_step(index, baseline);
            }
            Event::ContextSet { key, value, .. } => {
                self.expect(index, event, |phase| {
                    matches!(phase, Phase::Running { .. } | Phase::Stopping { .. })
                })?;
                self.set_context(index, key, value.clone());
                self.note_published(index, key);
                self.update(index, |step| step.facts_set += 1);
            }
            Event::WaitStarted { until, limit, .. } => {
                self.expect(index, event, |phase| matches!(phase, Phase::Due))?;
                let (until, limit) = (*until, *limit);
                self.since = now;
                self.update(index, |step| step.phase = Phase::Waiting { until, limit });
            }
            Event::WaitEnded { .. } => {
                self.expect(index, event, |phase| matches!(phase, Phase::Waiting { .. }))?;
                self.update(index, |step| step.phase = Phase::Due);
            }
            Event::StepCommitted { commit, code, .. } => {
                let Phase::Committing { snapshot, .. } = self.step(index).phase.clone() else {
                    return Err(self.wrong_phase(index, event));
                };
                self.head = commit.clone();
                self.head_code = code.clone();
                self.update(index, |step| step.phase = Phase::Proven { snapshot });
            }
            Event::StepAdopted { snapshot, untouched, .. } => {
                self.expect(index, event, |phase| matches!(phase, Phase::Adopting { .. }))?;
                self.adopt(index, snapshot, *untouched);
            }
            Event::PublishIntended { .. }
            | Event::Published { .. }
            | Event::PublishRefused { .. }
            | Event::PushSettingsAccepted { .. } => self.apply_publishing(index, event)?,
            Event::StepDone { .. } => {
                let unjudged = self.is_unjudged_group(index);
                let unpublished = self.is_pull_request(index) && !self.step(index).acted;
                self.expect(index, event, |phase| {
                    (!unpublished && matches!(phase, Phase::Proven { .. }))
                        || (unjudged && matches!(phase, Phase::Due))
                })?;
                self.finish(index, event, Phase::Done, None)?;
            }
            Event::StepWaived { kept, .. } => self.waive(index, event, *kept)?,
            Event::WorkReverted { .. } => self.take_back(index, event)?,
            Event::StepSkipped { reason, kept, .. } => {
                if self.step(index).is_finished() || self.is_in_flight(index) {
                    return Err(self.wrong_phase(index, event));
                }
                if self.holder == Some(index)
                    && let Some(latest) = &self.latest
                {
                    if *kept {
                        // Whoever wants it takes over what the step left; nobody else is blamed.
                        let unproven = latest.code != self.proven_code;
                        self.proven_code = latest.code.clone();
                        self.update(index, |step| step.kept_unproven = unproven);
                    } else if latest.code != self.proven_code {
                        self.reset_code = Some(self.proven_code.clone());
                        self.update(index, |step| step.set_aside = true);
                    }
                }
                self.finish(index, event, Phase::Skipped, Some(reason.clone()))?;
            }
            Event::StepTakenBack { reason, .. } => self.set_back(index, event, reason)?,
            Event::StepFailed { .. } => {
                self.expect(index, event, |phase| matches!(phase, Phase::Due))?;
                self.update(index, |step| step.phase = Phase::Failed);
            }
            Event::StepBlocked { reason, .. } => {
                self.expect(index, event, |phase| {
                    matches!(phase, Phase::Due | Phase::Deciding | Phase::Reading | Phase::Ready)
                })?;
                self.block(index, reason);
            }
            _ => return Err(self.wrong_phase(index, event)),
        }
        Ok(())
    }

    /// The files that the step begins from are recorded.
    fn begin_step(&mut self, index: StepIndex, baseline: &Baseline) {
        self.reset_code = None;
        self.latest = Some(baseline.snapshot.clone());
        let plan = Arc::clone(&self.plan);
        let plan = plan.step(index);
        if self.step(index).taken_back.is_some() {
            self.commit_set_back(index, baseline);
            return;
        }
        if self.step(index).reverting {
            // Its own files are as they were; what it has to be compared with stays.
            self.update(index, |step| {
                step.phase = match step.waived {
                    true => Phase::Proven { snapshot: baseline.snapshot.clone() },
                    false => Phase::Due,
                };
                step.reverting = false;
            });
            return;
        }
        self.update(index, |step| {
            (step.set_aside, step.kept_unproven) = (false, false);
            step.phase = Phase::Due;
            step.seen = plan.is_spoke().then(|| baseline.snapshot.clone());
            if !plan.kind.is_group() || step.baseline.is_none() {
                step.baseline = Some(baseline.clone());
            }
            if plan.reds().next().is_some() {
                step.first_code.get_or_insert_with(|| baseline.snapshot.code.clone());
            }
            let papers = std::mem::take(&mut step.papers);
            let aside =
                |(number, paper): (usize, &String)| aside_file(&plan.id, step.epoch, number, paper);
            // A spoke has a place of its own, where they are not.
            let papers = if plan.is_spoke() { Vec::new() } else { papers };
            step.kept_papers = papers.iter().enumerate().map(aside).collect();
            step.verify_first = plan.satisfied_ok && !step.fails_cold;
        });
        self.share_baseline_with_groups(index);
    }

    /// The step counts as done without its proof. Its work leaves the place unless it is `kept`: what
    /// nobody has proven is part of no commit.
    fn waive(&mut self, index: StepIndex, event: &Event, kept: bool) -> Applied {
        self.expect(index, event, |phase| matches!(phase, Phase::Due))?;
        let Some(snapshot) = self.latest.clone() else {
            return Err(self.wrong_phase(index, event));
        };
        let plan = self.plan.step(index);
        // The files of a group are those of the steps in it, and a spoke's are in its own place.
        let leaves = !kept && !plan.kind.is_group() && !plan.is_spoke();
        if leaves && snapshot.code != self.proven_code {
            self.reset_code = Some(self.proven_code.clone());
            self.update(index, |step| {
                (step.waived, step.spoiled, step.reverting) = (true, false, true);
                step.set_aside = true;
                step.phase = Phase::Beginning;
            });
            return Ok(());
        }
        if self.step(index).spoiled {
            // Work without its proof may pass, but not what it broke.
            self.revert(index);
        }
        let plan = self.plan.step(index);
        let takes_over = kept && plan.waive_keeps;
        let commits =
            takes_over && plan.commit == CommitPolicy::Wip && snapshot.code != self.head_code;
        if takes_over {
            // The workflow wants it: the next step is not blamed for it.
            self.proven_code = snapshot.code.clone();
            self.update(index, |step| step.kept_unproven = true);
        }
        let date = self.now;
        self.update(index, |step| {
            step.waived = true;
            // The gate is still in the way: only a person lets unproven work pass there.
            step.phase = match commits {
                true => Phase::Committing { snapshot, date },
                false => Phase::Proven { snapshot },
            };
        });
        Ok(())
    }

    /// The step begins its next try from where it began its first.
    fn take_back(&mut self, index: StepIndex, event: &Event) -> Applied {
        self.expect_holder(index, event, |phase| matches!(phase, Phase::Due))?;
        self.revert(index);
        self.update(index, |step| {
            step.reverting = true;
            step.phase = Phase::Beginning;
        });
        Ok(())
    }

    /// The code goes back to what the step began from before anybody goes on.
    fn revert(&mut self, index: StepIndex) {
        if let Some(baseline) = &self.step(index).baseline {
            self.reset_code = Some(baseline.snapshot.code.clone());
        }
        self.update(index, |step| {
            step.spoiled = false;
            if let Some(looked) = &mut step.looked {
                looked.left_the_place();
            }
        });
    }

    /// Remembers that the step set a context key; setting it again adds nothing.
    pub(super) fn note_published(&mut self, index: StepIndex, key: &str) {
        if !self.step(index).published.iter().any(|known| known == key) {
            self.update(index, |step| step.published.push(key.to_owned()));
        }
    }

    /// Lets a step whose needs are met be decided on, or be ready.
    pub(super) fn open(&mut self, index: StepIndex) {
        let asks = self.plan.step(index).when.is_some();
        if asks {
            self.deciding.insert(index);
        } else {
            self.ready.insert(index);
        }
        self.update(index, |step| {
            step.phase = if asks { Phase::Deciding } else { Phase::Ready };
        });
    }

    /// Returns whether the step is done as soon as its turn comes, without anybody looking.
    fn is_unjudged_group(&self, index: StepIndex) -> bool {
        let plan = self.plan.step(index);
        plan.kind.is_group() && plan.done.is_none() && plan.gate.is_none()
    }

    /// Gives the place to a step, which begins with its files unless nobody looks at them.
    fn hold(&mut self, index: StepIndex) {
        let now = self.now;
        let unjudged = self.is_unjudged_group(index);
        self.take_in_hand(index);
        self.since = now;
        let before = self.proven_code.clone();
        self.update(index, |step| {
            step.before = Some(before);
            step.phase = if unjudged { Phase::Due } else { Phase::Beginning };
            step.started_at.get_or_insert(now);
        });
    }

    /// A group began when the first step in it began.
    fn share_baseline_with_groups(&mut self, index: StepIndex) {
        let baseline = self.step(index).baseline.clone();
        let mut parent = self.plan.step(index).parent;
        while let Some(group) = parent {
            if self.step(group).baseline.is_none() {
                self.update(group, |step| step.baseline.clone_from(&baseline));
            }
            parent = self.plan.step(group).parent;
        }
    }

    fn finish(
        &mut self,
        index: StepIndex,
        event: &Event,
        phase: Phase,
        note: Option<String>,
    ) -> Applied {
        let now = self.now;
        let plan = Arc::clone(&self.plan);
        let miscounted =
            || IllegalEvent::Miscounted { kind: event.kind(), step: plan.step(index).id.clone() };
        self.remaining = self.remaining.checked_sub(1).ok_or_else(miscounted)?;
        self.release(index);
        self.since = now;
        self.update(index, |step| {
            step.phase = phase;
            step.note = note;
            step.completed_at = Some(now);
        });
        for &dependent in plan.dependents(index) {
            let unmet = self.step(dependent).unmet.checked_sub(1).ok_or_else(miscounted)?;
            self.update(dependent, |step| step.unmet = unmet);
            let pending = matches!(self.step(dependent).phase, Phase::Pending);
            if unmet == 0 && pending && !self.waits_for_item(dependent) {
                self.open(dependent);
            }
        }
        Ok(())
    }

    /// The step cannot go on. Its unproven files leave the place before another step begins, so
    /// that they never become part of somebody else's commit; its snapshots keep them. The files
    /// of a group are those of the steps nested in it, which are proven, and stay.
    fn block(&mut self, index: StepIndex, reason: &str) {
        if self.holder == Some(index)
            && !self.plan.step(index).kind.is_group()
            && self.step(index).baseline.is_some()
        {
            // Not what this life of the step began from: feedback begins one with unproven work.
            let code = self.proven_code.clone();
            if self.step(index).first_code.as_ref() == Some(&code) {
                // Nothing of it stays, and others go on: its next life is a first one.
                self.update(index, |step| step.first_code = None);
            }
            let left = self.latest.as_ref().is_some_and(|latest| latest.code != code);
            self.update(index, |step| step.set_aside = left);
            self.reset_code = Some(code);
        }
        self.release(index);
        self.blocked.insert(index);
        self.since = self.now;
        self.update(index, |step| {
            step.phase = Phase::Blocked;
            step.note = Some(reason.to_owned());
            if let Some(looked) = &mut step.looked {
                looked.left_the_place();
            }
        });
    }

    /// Takes the step out of every index.
    pub(super) fn release(&mut self, index: StepIndex) {
        if self.holder == Some(index) {
            self.holder = None;
        }
        self.aside.remove(&index);
        self.ready.remove(&index);
        self.deciding.remove(&index);
        self.blocked.remove(&index);
        self.reading.remove(&index);
        self.repeating.remove(&index);
    }
}

/// Sets a dotted key; whatever stands in the way and is no object is replaced.
pub(super) fn set_key(document: &mut serde_json::Value, key: &str, value: serde_json::Value) {
    let mut spot = document;
    for part in key.split('.') {
        if !spot.is_object() {
            *spot = serde_json::json!({});
        }
        spot = &mut spot[part];
    }
    *spot = value;
}

/// Removes a dotted key, and the objects that become empty by it.
pub(super) fn remove_key(document: &mut serde_json::Value, key: &str) {
    let Some(object) = document.as_object_mut() else { return };
    match key.split_once('.') {
        None => {
            object.remove(key);
        }
        Some((first, rest)) => {
            let Some(inner) = object.get_mut(first) else { return };
            remove_key(inner, rest);
            if inner.as_object().is_some_and(serde_json::Map::is_empty) {
                object.remove(first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn dotted_keys_are_set_and_removed_in_place() {
        let mut document = json!({"a": 1});
        set_key(&mut document, "b.c.d", json!("x"));
        set_key(&mut document, "a.deep", json!(true));
        assert_eq!(document, json!({"a": {"deep": true}, "b": {"c": {"d": "x"}}}));
        remove_key(&mut document, "b.c.d");
        remove_key(&mut document, "nothing.here");
        assert_eq!(document, json!({"a": {"deep": true}}));
    }
}
