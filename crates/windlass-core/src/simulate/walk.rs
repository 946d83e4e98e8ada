//! One run in a world that does as it is told.

use std::collections::{BTreeMap, BTreeSet};

use super::choice::{Act, Choice, Sees};
use super::moves::{Move, Teller};
use super::report;
use super::target::{Answer, Target, routes, skip_key};
use crate::id::{AttemptId, Fence, StepId};
use crate::plan::{Plan, PlanStep};
use crate::proof::{Outcome, VerifyReport};
use crate::run::{
    Actor, Decision, Effect, Event, GateKind, Input, InputKind, PauseReason, Rejected, RunState,
    VerifyReason, decide, outstanding, start,
};
use crate::time::Timestamp;

/// Failures of two kinds in turn never look alike.
const WORDS: [&str; 2] = ["it fails in one way", "it fails in another way"];

/// A run that is being walked. Copies are cheap: the state shares its structure.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub(super) state: RunState,
    /// Targets that were reached since somebody last looked.
    pub(super) reached: Vec<Target>,
    teller: Teller,
    now: Timestamp,
    changes: u32,
    whens: BTreeMap<StepId, bool>,
    /// What the verifier will see of a step.
    expected: BTreeMap<StepId, Sees>,
    /// What a person answers about the changed protected file.
    protected: Option<Answer>,
    /// Steps that failed and have not passed since.
    failed: BTreeSet<StepId>,
    reason: VerifyReason,
    /// The route that the verdict of now is meant to take.
    route: Option<Target>,
}

impl Walk {
    pub(super) fn begin(plan: Plan) -> Result<Self, Rejected> {
        let now = Timestamp(0);
        let facts = Box::new(report::facts());
        let kind = InputKind::Start { plan: Box::new(plan), facts };
        let (state, _) = start(&Input { at: now, actor: Actor::person("you"), kind })?;
        let mut walk = Self {
            state,
            reached: Vec::new(),
            teller: Teller::default(),
            now,
            changes: 0,
            whens: BTreeMap::new(),
            expected: BTreeMap::new(),
            protected: None,
            failed: BTreeSet::new(),
            reason: VerifyReason::AttemptEnded,
            route: None,
        };
        walk.feed(Actor::engine(), InputKind::DriverTookOver { driver: Fence(1) })?;
        Ok(walk)
    }

    pub(super) fn outstanding(&self) -> Vec<Effect> {
        outstanding(&self.state).into_iter().collect()
    }

    pub(super) fn moves(&self) -> Vec<Move> {
        self.teller.moves()
    }

    /// Returns how a step's `when` was taken on this path.
    pub(super) fn when(&self, step: &StepId) -> Option<bool> {
        self.whens.get(step).copied()
    }

    /// Returns what is seen of a step because of an earlier choice.
    pub(super) fn expected(&self, step: &StepId) -> Option<Sees> {
        self.expected.get(step).cloned()
    }

    /// Returns whether an earlier choice still decides what happens.
    pub(super) fn is_bound(&self) -> bool {
        !self.expected.is_empty()
    }

    pub(super) fn has_changed_protected(&self) -> bool {
        self.protected.is_some()
    }

    pub(super) fn answer_to_protected(&self) -> Option<Answer> {
        self.protected.clone()
    }

    /// Returns why the current verification was started.
    pub(super) fn reason(&self) -> VerifyReason {
        self.reason
    }

    /// Has something happen.
    pub(super) fn take(&mut self, choice: &Choice) -> Result<(), Rejected> {
        match &choice.act {
            Act::Perform(effect) => self.perform(effect),
            Act::When { effect, holds } => {
                let Effect::EvaluateWhen { step, epoch } = effect else { return Ok(()) };
                self.whens.insert(step.clone(), *holds);
                self.reached.push(Target::When { step: step.clone(), holds: *holds });
                let (step, epoch, value) = (step.clone(), *epoch, Ok(*holds));
                self.report(InputKind::WhenEvaluated { step, epoch, value })
            }
            Act::End { effect, asks, costs_all } => {
                let Effect::EnsureAttempt { attempt } = effect else { return Ok(()) };
                self.end(attempt, asks.as_ref(), *costs_all)
            }
            Act::Verify { effect, sees } => {
                self.route = choice.target.clone();
                self.verify(effect, sees)
            }
            Act::Answer(answer) => self.answer(answer),
        }
    }

    /// Does what there is only one way to do.
    fn perform(&mut self, effect: &Effect) -> Result<(), Rejected> {
        let kind = match effect {
            Effect::TakeBaseline(request) => InputKind::BaselineTaken {
                step: request.step.clone(),
                epoch: request.epoch,
                baseline: report::baseline(report::snapshot(self.changes)),
            },
            Effect::StopAttempt { attempt } | Effect::EnsureAttempt { attempt } => {
                let report = Box::new(report::ended(Outcome::Cancelled, 0.0));
                let snapshot = report::snapshot(self.changes);
                InputKind::AttemptEnded { attempt: attempt.clone(), report, snapshot }
            }
            Effect::EnsureCommit { step, code, parent, .. } => InputKind::Committed {
                step: step.clone(),
                code: code.clone(),
                parent: parent.clone(),
                commit: format!("commit-{}", self.changes).as_str().into(),
            },
            Effect::Adopt { step, epoch, .. } => InputKind::Adopted {
                step: step.clone(),
                epoch: *epoch,
                snapshot: report::snapshot(self.changes),
                untouched: true,
            },
            Effect::Wake { key, at } => {
                self.now = self.now.max(*at);
                InputKind::TimerFired { key: key.clone() }
            }
            Effect::EvaluateWhen { step, epoch } => {
                InputKind::WhenEvaluated { step: step.clone(), epoch: *epoch, value: Ok(true) }
            }
            Effect::ReadTasks { step, epoch } => InputKind::TasksRead {
                step: step.clone(),
                epoch: *epoch,
                file: "TASKS.md".to_owned(),
                tasks: Ok(report::tasks(step)),
            },
            Effect::Verify { .. } => return self.verify(effect, &Sees::Proof),
        };
        self.report(kind)
    }

    fn end(
        &mut self,
        attempt: &AttemptId,
        asks: Option<&StepId>,
        costs_all: bool,
    ) -> Result<(), Rejected> {
        let plan = self.planned(&attempt.step)?;
        if let (Some(step), Some(key)) = (asks, skip_key(&plan)) {
            let value = serde_json::json!({step.as_str(): "not needed"});
            let kind = InputKind::ContextSet { attempt: attempt.clone(), key, value };
            self.feed(Actor::agent(attempt), kind)?;
        }
        let cost = if costs_all { self.state.limits().cost_usd } else { 0.0 };
        if costs_all && plan.retries > 1 {
            // The budget is looked at before the next attempt, so there has to be one.
            self.expected.insert(plan.id.clone(), Sees::OneFailure);
        }
        self.changes += 1;
        let report = Box::new(report::ended(Outcome::Exited { code: 0 }, cost));
        let snapshot = report::snapshot(self.changes);
        self.report(InputKind::AttemptEnded { attempt: attempt.clone(), report, snapshot })
    }

    fn verify(&mut self, effect: &Effect, sees: &Sees) -> Result<(), Rejected> {
        let Effect::Verify { verification, step, .. } = effect else { return Ok(()) };
        let plan = self.planned(step)?;
        let tries = self.state.plan.find(step).map_or(0, |index| self.state.step(index).tries);
        let report = match sees {
            Sees::Proof => report::holds(&plan),
            Sees::OneFailure => {
                self.expected.remove(step);
                report::fails(&plan, WORDS[usize::from(tries % 2 == 1)])
            }
            Sees::Failures => {
                self.expected.insert(step.clone(), sees.clone());
                report::fails(&plan, WORDS[usize::from(tries % 2 == 1)])
            }
            Sees::OneFailureForEver => {
                self.expected.insert(step.clone(), sees.clone());
                report::fails(&plan, WORDS[0])
            }
            Sees::Verdict { verdict, files } => report::says(&plan, verdict, files.clone()),
            Sees::VerdictForEver { verdict } => {
                self.expected.insert(step.clone(), sees.clone());
                let mut ways = routes(&self.state.plan, &plan, verdict).into_iter();
                let files = ways.find_map(|(_, files)| files).unwrap_or_default();
                report::says(&plan, verdict, files)
            }
            Sees::ProtectedChange(answer) => {
                self.protected = Some(answer.clone());
                report::protected(&plan)
            }
        };
        self.verified(*verification, report)
    }

    fn verified(
        &mut self,
        verification: crate::id::VerificationId,
        report: VerifyReport,
    ) -> Result<(), Rejected> {
        self.report(InputKind::Verified { verification, report: Box::new(report), jitter: 0 })
    }

    fn answer(&mut self, answer: &Answer) -> Result<(), Rejected> {
        let Some(gate) = self.state.gate().cloned() else { return Err(Rejected::NoGate) };
        let observed = gate.snapshot.clone();
        let decision = match answer {
            Answer::Approve => {
                Decision::Approve { gate: gate.id, message: None, observed, changed: Vec::new() }
            }
            Answer::Feedback => Decision::Feedback { message: "once more".to_owned(), observed },
            Answer::Rollback(step) => Decision::Rollback {
                step: step.clone(),
                message: "from here once more".to_owned(),
                reset_code: false,
                observed,
            },
        };
        self.reached.push(match gate.kind {
            GateKind::Approval => Target::Gate { step: gate.step, answer: answer.clone() },
            GateKind::Protected { .. } => Target::Protected { answer: answer.clone() },
        });
        self.feed(Actor::person("you"), InputKind::Decided(decision))
    }

    fn planned(&self, step: &StepId) -> Result<PlanStep, Rejected> {
        let index = self.state.plan.find(step);
        let index = index.ok_or_else(|| Rejected::UnknownStep { step: step.clone() })?;
        Ok(self.state.plan.step(index).clone())
    }

    fn report(&mut self, kind: InputKind) -> Result<(), Rejected> {
        self.feed(Actor::engine(), kind)
    }

    fn feed(&mut self, actor: Actor, kind: InputKind) -> Result<(), Rejected> {
        let by_when = matches!(kind, InputKind::WhenEvaluated { .. });
        let events = decide(&self.state, &Input { at: self.now, actor, kind })?;
        let mut stopped = None;
        for event in &events {
            self.notice(event, by_when, &mut stopped);
            self.teller.tell(event);
            self.state.apply(self.now, event).expect("what was decided can be applied");
        }
        Ok(())
    }

    /// Notices which targets an event reaches.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most events are on the way to a target and none themselves"
    )]
    fn notice(&mut self, event: &Event, by_when: bool, stopped: &mut Option<Target>) {
        let target = match event {
            Event::AttemptStarted { attempt, .. } => Target::Step { step: attempt.step.clone() },
            // Nobody works on a group, and what is there already needs nobody.
            Event::StepDone { step } => Target::Step { step: step.clone() },
            Event::StepSkipped { step, .. } if !by_when => Target::Skip { step: step.clone() },
            Event::VerificationStarted { reason, .. } => {
                self.reason = *reason;
                return;
            }
            Event::StepProven { step, .. } => {
                let retried = self.failed.remove(step);
                if self.reason == VerifyReason::MayBeDone {
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
            Event::StepWaived { step } | Event::StepBlocked { step, .. } => {
                self.expected.remove(step);
                self.failed.remove(step);
                Target::Exhausted { step: step.clone() }
            }
            Event::RouteTaken { step, verdict, .. } => {
                let (step, verdict) = (step.clone(), verdict.clone());
                *stopped = Some(Target::RouteLimit { step, verdict });
                return;
            }
            Event::RolledBack { target: went, .. } => match self.route.take() {
                Some(route @ Target::Route { .. }) => {
                    let Target::Route { to, .. } = &route else { return };
                    if to != went {
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
}
