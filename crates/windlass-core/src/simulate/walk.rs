//! One run in a world that does as it is told.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::choice::{Act, Choice, Ending, Sees};
use super::cover::{routes, skip_key};
use super::items::{self, Given};
use super::moves::{Move, Teller};
use super::report;
use super::target::{Answer, Target};
use crate::id::{AttemptId, Fence, StepId};
use crate::plan::{Plan, PlanStep};
use crate::proof::{Outcome, VerifyReport};
use crate::run::{
    Actor, Decision, EVEN_CHANCE, Effect, GateKind, Input, InputKind, Rejected, RunState,
    VerifyReason, decide, outstanding, start,
};
use crate::time::Timestamp;

/// Failures of two kinds in turn never look alike.
const WORDS: [&str; 2] = ["it fails in one way", "it fails in another way"];

/// A run that is being walked. Copies are cheap: the state shares its structure.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub(super) state: RunState,
    /// The plan with the steps whose items come up later.
    pub(super) known: Arc<Plan>,
    /// Targets that were reached since somebody last looked.
    pub(super) reached: Vec<Target>,
    teller: Teller,
    now: Timestamp,
    changes: u32,
    whens: BTreeMap<StepId, bool>,
    /// What steps that repeat find.
    pub(super) given: BTreeMap<StepId, Given>,
    /// Steps that repeat over what people have yet to add.
    for_people: VecDeque<StepId>,
    /// What the verifier will see of a step.
    pub(super) expected: BTreeMap<StepId, Sees>,
    /// What a person answers about the changed protected file.
    protected: Option<Answer>,
    /// Steps that failed and have not passed since.
    pub(super) failed: BTreeSet<StepId>,
    /// Why a step is looked at.
    pub(super) reasons: BTreeMap<StepId, VerifyReason>,
    /// The route that the verdict of now is meant to take.
    pub(super) route: Option<Target>,
}

impl Walk {
    /// Starts a run of the plan; `known` has the steps of its first items too.
    pub(super) fn begin(plan: Plan, known: Arc<Plan>) -> Result<Self, Rejected> {
        let for_people = items::added_by_people(&known);
        let for_people = for_people.into_iter().map(|index| known.step(index).id.clone()).collect();
        let now = Timestamp(0);
        let facts = Box::new(report::facts());
        let kind = InputKind::Start { plan: Box::new(plan), facts };
        let (state, _) = start(&Input { at: now, actor: Actor::person("you"), kind })?;
        let mut walk = Self {
            state,
            known,
            reached: Vec::new(),
            teller: Teller::default(),
            now,
            changes: 0,
            whens: BTreeMap::new(),
            given: BTreeMap::new(),
            for_people,
            expected: BTreeMap::new(),
            protected: None,
            failed: BTreeSet::new(),
            reasons: BTreeMap::new(),
            route: None,
        };
        walk.drive()?;
        Ok(walk)
    }

    /// Begins to drive the run, once people have added what is theirs to add: a step that repeats and
    /// is first would be skipped before.
    fn drive(&mut self) -> Result<(), Rejected> {
        if self.for_people.is_empty() {
            self.feed(
                Actor::engine(),
                InputKind::DriverTookOver { driver: Fence(1), session: None, boxes: None },
            )?;
        }
        Ok(())
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

    /// Returns what a step that repeats finds on this path.
    pub(super) fn given(&self, step: &StepId) -> Option<Given> {
        self.given.get(step).copied()
    }

    /// Returns the next step whose items a person adds.
    pub(super) fn next_for_people(&self) -> Option<&StepId> {
        self.for_people.front()
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

    /// Returns why the step is looked at; spokes of a team are looked at side by side.
    pub(super) fn reason(&self, step: &StepId) -> VerifyReason {
        self.reasons.get(step).copied().unwrap_or(VerifyReason::AttemptEnded)
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
            Act::AddItems { step, given } => {
                self.for_people.pop_front();
                self.add_by_person(step, *given)?;
                self.drive()
            }
            Act::ReadTasks { effect, given } => self.read_tasks(effect, *given),
            Act::End { effect, ending } => {
                let Effect::EnsureAttempt { attempt } = effect else { return Ok(()) };
                self.end(attempt, ending)
            }
            Act::Verify { effect, sees } => {
                self.route = choice.target.clone();
                self.verify(effect, sees)
            }
            Act::Answer(answer) => self.answer(answer),
            Act::Fixed(blocker) => {
                let decision = Decision::Fixed { what: Some(blocker.to_string()), notes: None };
                self.feed(Actor::person("you"), InputKind::Decided(decision))
            }
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
                InputKind::AttemptEnded {
                    attempt: attempt.clone(),
                    report,
                    snapshot,
                    jitter: EVEN_CHANCE,
                }
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
            Effect::Publish { step, epoch, commit, .. } => InputKind::Published {
                step: step.clone(),
                epoch: *epoch,
                publication: report::publication(commit),
            },
            Effect::LookAtBlocker { blocker, look, .. } => InputKind::BlockerLookedAt {
                blocker: *blocker,
                look: *look,
                report: Box::new(crate::proof::VerifyReport::empty()),
            },
            Effect::ProveCold { proof, .. } => InputKind::ColdProved {
                proof: *proof,
                report: Box::new(report::holds_cold(&self.state)),
            },
            Effect::Wake { key, at } => {
                self.now = self.now.max(*at);
                InputKind::TimerFired { key: key.clone() }
            }
            Effect::EvaluateWhen { step, epoch } => {
                InputKind::WhenEvaluated { step: step.clone(), epoch: *epoch, value: Ok(true) }
            }
            Effect::ReadTasks { .. } => return self.read_tasks(effect, Given::Items),
            Effect::Verify { .. } => return self.verify(effect, &Sees::Proof),
        };
        self.report(kind)
    }

    fn end(&mut self, attempt: &AttemptId, ending: &Ending) -> Result<(), Rejected> {
        let plan = self.planned(&attempt.step)?;
        if let (Ending::Skips(step), Some(key)) = (ending, skip_key(&plan)) {
            let value = serde_json::json!({step.as_str(): "not needed"});
            let kind = InputKind::ContextSet { attempt: attempt.clone(), key, value };
            self.feed(Actor::agent(attempt), kind)?;
        }
        if let Ending::AddsNothing(step) = ending {
            self.given.insert(step.clone(), Given::Nothing);
        }
        self.add_by_agent(attempt)?;
        let costs_all = matches!(ending, Ending::CostsAll);
        let cost = if costs_all { self.state.limits().cost_usd } else { 0.0 };
        if costs_all && plan.retries > 1 {
            // The budget is looked at before the next attempt, so there has to be one.
            self.expected.insert(plan.id.clone(), Sees::OneFailure);
        }
        self.changes += 1;
        let report = Box::new(report::ended(Outcome::Exited { code: 0 }, cost));
        let snapshot = report::snapshot(self.changes);
        self.report(InputKind::AttemptEnded {
            attempt: attempt.clone(),
            report,
            snapshot,
            jitter: EVEN_CHANCE,
        })
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
            Sees::Verdict { verdict, findings } => report::says(&plan, verdict, findings.clone()),
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
                checkpoint: None,
                observed,
            },
        };
        self.reached.extend(match gate.kind {
            GateKind::Approval => Some(Target::Gate { step: gate.step, answer: answer.clone() }),
            GateKind::Protected { .. } => Some(Target::Protected { answer: answer.clone() }),
            GateKind::Route { .. } => None,
        });
        self.feed(Actor::person("you"), InputKind::Decided(decision))
    }

    fn planned(&self, step: &StepId) -> Result<PlanStep, Rejected> {
        let index = self.state.plan.find(step);
        let index = index.ok_or_else(|| Rejected::UnknownStep { step: step.clone() })?;
        Ok(self.state.plan.step(index).clone())
    }

    pub(super) fn report(&mut self, kind: InputKind) -> Result<(), Rejected> {
        self.feed(Actor::engine(), kind)
    }

    pub(super) fn feed(&mut self, actor: Actor, kind: InputKind) -> Result<(), Rejected> {
        let events = decide(&self.state, &Input { at: self.now, actor, kind })?;
        let mut stopped = None;
        for event in &events {
            self.notice(event, &mut stopped);
            self.teller.tell(event);
            self.state.apply(self.now, event).expect("what was decided can be applied");
        }
        Ok(())
    }
}
