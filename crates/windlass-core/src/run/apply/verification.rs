//! From a verification to a proof or a failure.

use std::sync::Arc;

use super::{Applied, IllegalEvent, expect_next};
use crate::id::StepIndex;
use crate::judgement::Level;
use crate::plan::{CheckId, CommitPolicy, Criterion, Holds, PlanStep, Publish, template};
use crate::proof::{Red, VerifyReport};
use crate::run::state::{GateKind, Phase, RunState, StepState};
use crate::run::{Event, FailedBefore, Failure, Looked, VerifyReason};
use crate::snapshot::Snapshot;

/// What a proof by `red` checks leaves for `green` to be compared with.
fn proven_red(step: &StepState, snapshot: &Snapshot, report: &VerifyReport) -> Option<Red> {
    let base = step.first_code.clone().filter(|_| !report.red.is_empty())?;
    Some(Red { base, code: snapshot.code.clone(), suites: report.red.clone() })
}

/// The checks of a criterion that holds although they do not.
fn unheld(plan: &PlanStep, report: &VerifyReport) -> Vec<CheckId> {
    let held = |id: CheckId| report.proofs.iter().any(|p| p.check == id && p.holds == Holds::Yes);
    let checks = plan.done.as_ref().map(Criterion::checks).unwrap_or_default();
    checks.into_iter().map(|check| check.id).filter(|id| !held(*id)).collect()
}

/// How much is kept of what a judge suggests.
const MAX_SUGGESTED: usize = 6;
const MAX_SUGGESTED_CHARS: usize = 200;

/// What a judge would like better, and did not insist on.
fn suggested(report: &VerifyReport) -> Vec<String> {
    let suggested = report.remarks.iter().filter(|remark| remark.level == Level::Suggestion);
    let words = suggested.map(|remark| remark.words().chars().take(MAX_SUGGESTED_CHARS).collect());
    words.take(MAX_SUGGESTED).collect()
}

/// Whether what the step keeps was looked at and does not hold.
fn breaks(plan: &PlanStep, report: &VerifyReport) -> bool {
    let Some(kept) = plan.kept() else { return false };
    let proof = |id: CheckId| report.proofs.iter().find(|proof| proof.check == id);
    let holds = |id: CheckId| proof(id).map_or(Holds::Unknown, |proof| proof.holds);
    let seen = kept.checks().iter().any(|c| proof(c.id).is_some_and(|p| p.holds != Holds::Yes));
    seen && kept.judge(&holds) != Holds::Yes
}

impl StepState {
    /// The last failure becomes one of the earlier ones, which the next attempts are still told.
    pub(super) fn forget_failure(&mut self) {
        let looked = self.looked.take();
        if let Some(last) = self.failure.take() {
            FailedBefore::remember(&mut self.failed_before, &last, looked.as_ref());
        }
    }
}

impl RunState {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`apply` matches every event and sends only these here"
    )]
    #[expect(clippy::too_many_lines, reason = "one arm for each event")]
    pub(super) fn apply_verification(&mut self, index: StepIndex, event: &Event) -> Applied {
        let now = self.now;
        match event {
            Event::VerificationStarted { .. } => self.start_verification(index, event)?,
            Event::VerificationBroken { .. } => {
                self.interrupt_verification(index, event)?;
                self.update(index, |step| {
                    step.verify_first = true;
                    step.broken += 1;
                });
            }
            Event::VerificationHindered { cause, .. } => {
                self.interrupt_verification(index, event)?;
                self.update(index, |step| {
                    step.verify_first = true;
                    step.free = step.free.saturating_add(1);
                    step.troubled = step.troubled.saturating_add(1);
                    step.trouble = Some(cause.clone());
                });
            }
            Event::StepProven { snapshot, report, .. } => {
                self.spend_verification(index, event)?;
                self.publish_paths(index);
                self.settle_notes(index);
                self.blocks.in_a_row = 0;
                let aside = self.plan.step(index).is_spoke();
                if !aside {
                    self.note_unseen(&snapshot.code, report);
                    self.proven_code = snapshot.code.clone();
                }
                let unheld = unheld(self.plan.step(index), report);
                let commits = self.plan.step(index).commit == CommitPolicy::Wip
                    && snapshot.code != self.head_code;
                self.update(index, |step| {
                    step.red = proven_red(step, snapshot, report);
                    (step.unheld, step.fails_cold) = (unheld, false);
                    (step.spoiled, step.set_aside, step.kept_unproven) = (false, false, false);
                    step.papers.clone_from(&report.papers);
                    step.questions.clone_from(&report.questions);
                    step.stories.clone_from(&report.stories);
                    step.forget_failure();
                    step.suggested = suggested(report);
                    (step.lost, step.broken, step.repeats) = (0, 0, 0);
                    (step.free, step.troubled, step.trouble) = (0, 0, None);
                    step.phase = if aside {
                        Phase::Adopting { snapshot: snapshot.clone() }
                    } else if commits {
                        Phase::Committing { snapshot: snapshot.clone(), date: now }
                    } else {
                        Phase::Proven { snapshot: snapshot.clone() }
                    };
                });
            }
            Event::RoundFailed { attempt, failure, report } => {
                let judged = matches!(self.step(index).phase,
                    Phase::Verifying { attempt: Some(number), .. } if number == attempt.number);
                let Some(driver) = self.driver.filter(|_| judged) else {
                    return Err(self.wrong_phase(index, event));
                };
                self.spend_verification(index, event)?;
                // The attempt goes on: what it costs is counted when it ends.
                self.spent.unknown_cost = self.spent.unknown_cost.saturating_sub(1);
                let (number, failure) = (attempt.number, failure.clone());
                self.update(index, |step| {
                    if step.failure.as_ref().is_some_and(|last| last.signature != failure.signature)
                    {
                        step.forget_failure();
                    }
                    step.failure = Some(failure);
                    step.looked = Some(Looked::of(report));
                    if let Some(handover) = &mut step.handover {
                        handover.rounds += 1;
                    }
                    step.phase = Phase::Running { attempt: number, driver, since: now };
                });
            }
            Event::StepNotProven { failure, report, costs_try, of_surroundings, .. } => {
                if matches!(self.step(index).phase, Phase::Verifying { .. }) {
                    self.spend_verification(index, event)?;
                }
                self.expect_holder(index, event, |phase| matches!(phase, Phase::Due))?;
                self.fail(index, failure, *costs_try);
                if *of_surroundings {
                    self.update(index, |step| {
                        step.free = step.free.saturating_add(1);
                        step.troubled = step.troubled.saturating_add(1);
                    });
                }
                let looked = report.as_deref().map(Looked::of);
                self.update(index, |step| step.looked = looked);
                let plan = Arc::clone(&self.plan);
                let spoiled = report.as_ref().is_some_and(|r| breaks(plan.step(index), r));
                let began = self.step(index).baseline.as_ref().map(|b| &b.snapshot.code);
                // Where nothing changed nobody broke it, and there is nothing to take back.
                let spoiled = spoiled && self.latest.as_ref().map(|files| &files.code) != began;
                // An attempt that leaves nothing to look at changes nothing about the one before.
                self.update(index, |step| step.spoiled |= spoiled);
            }
            Event::RouteTaken { verdict, .. } => {
                let confirmed = matches!(&self.step(index).phase,
                    Phase::AtGate { gate } if matches!(gate.kind, GateKind::Route { .. }));
                // Nobody works on such a step, and its failure is recorded already.
                let failed = matches!(self.step(index).phase, Phase::Due)
                    && self.plan.step(index).failed.is_some();
                if confirmed {
                    self.update(index, |step| step.phase = Phase::Due);
                } else if !failed {
                    self.spend_verification(index, event)?;
                }
                self.update(index, |step| {
                    *step.routes.entry(verdict.clone()).or_default() += 1;
                });
            }
            _ => return Err(self.wrong_phase(index, event)),
        }
        Ok(())
    }

    fn start_verification(&mut self, index: StepIndex, event: &Event) -> Applied {
        let Event::VerificationStarted { verification, snapshot, reason, .. } = event else {
            return Err(self.wrong_phase(index, event));
        };
        let now = self.now;
        self.expect_holder(index, event, |phase| {
            matches!(phase, Phase::Due | Phase::AtGate { .. })
        })?;
        expect_next(event, verification.0, self.verifications)?;
        let judges = *reason == VerifyReason::AttemptEnded || self.step(index).unjudged;
        let attempt = judges.then_some(self.step(index).attempts);
        self.verifications = verification.0;
        self.note_files(index, snapshot);
        let (verification, snapshot) = (*verification, snapshot.clone());
        self.update(index, |step| {
            (step.verify_first, step.unjudged) = (false, false);
            step.approved = false;
            (step.acted, step.waived) = (false, false);
            step.phase = Phase::Verifying { verification, snapshot, attempt, since: now };
        });
        Ok(())
    }

    pub(super) fn abandon_verification(&mut self, event: &Event) -> Applied {
        let Event::VerificationAbandoned { verification } = event else {
            return Err(self.wrong_control(event));
        };
        let index = self.verified_by(*verification).ok_or_else(|| match self.holding() {
            Some((index, ..)) => self.wrong_phase(index, event),
            None => self.wrong_control(event),
        })?;
        self.interrupt_verification(index, event)?;
        self.update(index, |step| step.verify_first = true);
        Ok(())
    }

    /// Ends the verification without a judgement: the attempt behind it is still to be judged.
    pub(super) fn interrupt_verification(&mut self, index: StepIndex, event: &Event) -> Applied {
        let judges = matches!(self.step(index).phase, Phase::Verifying { attempt: Some(_), .. });
        self.spend_verification(index, event)?;
        self.update(index, |step| step.unjudged = judges);
        Ok(())
    }

    /// Ends the verification and leaves the step due.
    fn spend_verification(&mut self, index: StepIndex, event: &Event) -> Result<(), IllegalEvent> {
        let Phase::Verifying { since, .. } = self.step(index).phase else {
            return Err(self.wrong_phase(index, event));
        };
        let took = self.now.since(since);
        self.spent.wall = self.spent.wall.plus(took);
        self.update(index, |step| {
            step.wall = step.wall.plus(took);
            step.phase = Phase::Due;
        });
        Ok(())
    }

    fn fail(&mut self, index: StepIndex, failure: &Failure, costs_try: bool) {
        self.update(index, |step| {
            let same =
                step.failure.as_ref().is_some_and(|last| last.signature == failure.signature);
            if costs_try {
                step.session = None;
                step.tries += 1;
                step.repeats = if same { step.repeats + 1 } else { 1 };
                step.troubled = 0;
            }
            step.trouble = None;
            if !same {
                step.forget_failure();
            }
            step.failure = Some(failure.clone());
            step.verify_first = false;
            step.phase = Phase::Due;
        });
    }

    /// Publishes the paths that a proven step promised; a path whose own context is missing stays
    /// unpublished, and the step that reads it says so.
    fn publish_paths(&mut self, index: StepIndex) {
        let plan = Arc::clone(&self.plan);
        for (key, publish) in &plan.step(index).publishes {
            let Publish::Path(path) = publish else { continue };
            let Ok(path) = template::fill_context(path, &self.context_of(index)) else { continue };
            self.set_context(index, key, serde_json::Value::String(path));
            self.note_published(index, key);
        }
    }
}
