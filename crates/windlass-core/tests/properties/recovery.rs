//! Cut a run after every decision, recover, and come to the same end.

use std::collections::BTreeMap;

use windlass_core::id::{Fence, ObjectId, StepId};
use windlass_core::plan::{Holds, Plan, PlanStep, StepKind};
use windlass_core::proof::{AttemptReport, Outcome, ProtectedChange, VerifyReport};
use windlass_core::run::{
    Actor, Decision, Effect, Event, Input, InputKind, RunState, StepStatus, decide, outstanding,
    start,
};
use windlass_core::snapshot::Snapshot;
use windlass_core::time::{Span, Timestamp};
use windlass_core::view::{ItemView, item_views};

use crate::edge::{
    baseline, cold_report, commit, ended, publication, pure, ran_by, report, says, task, trouble,
};
use crate::plans::facts;
use crate::simulation::replay;

/// A run whose world answers the same question always in the same way.
#[derive(Clone)]
pub(crate) struct PureRun {
    seed: u64,
    state: RunState,
    code: ObjectId,
    aside: BTreeMap<StepId, ObjectId>,
    now: Timestamp,
    pub(crate) journal: Vec<(Timestamp, Event)>,
}

/// What has to be the same with and without a cut.
#[derive(Debug, PartialEq)]
pub(crate) struct End {
    steps: Vec<StepStatus>,
    items: Vec<ItemView>,
    status: &'static str,
    reason: Option<&'static str>,
    context: serde_json::Value,
    head: ObjectId,
    head_code: ObjectId,
    pins: BTreeMap<String, Option<ObjectId>>,
}

impl PureRun {
    pub(crate) fn new(plan: Plan, seed: u64) -> Self {
        let now = Timestamp(1_700_000_000_000);
        let kind = InputKind::Start { plan: Box::new(plan), facts: Box::new(facts(false)) };
        let (state, events) = start(&Input { at: now, actor: Actor::person("ann"), kind }).unwrap();
        let journal = events.into_iter().map(|event| (now, event)).collect();
        let mut run = Self { seed, state, code: "c0".into(), aside: BTreeMap::new(), now, journal };
        run.feed(InputKind::DriverTookOver { driver: Fence(0), session: None, boxes: None });
        run
    }

    fn feed(&mut self, kind: InputKind) {
        self.now = self.now.plus(Span(10));
        let input = Input { at: self.now, actor: Actor::person("ann"), kind };
        let events = decide(&self.state, &input).unwrap_or_else(|error| panic!("{error}"));
        for event in events {
            self.state.apply(self.now, &event).unwrap();
            self.journal.push((self.now, event));
        }
    }

    /// The machine dies, and another driver finds the journal and the place.
    pub(crate) fn recover(&self, fence: u64) -> Self {
        let mut recovered = Self { state: replay(&self.journal), ..self.clone() };
        assert!(recovered.state == self.state, "a replay gives the live state");
        if recovered.state.is_ended() {
            return recovered;
        }
        recovered.feed(InputKind::DriverTookOver {
            driver: Fence(fence),
            session: None,
            boxes: None,
        });
        let running: Vec<_> = recovered.state.running_attempts().collect();
        for attempt in running {
            assert_ne!(ran_by(&recovered.state, &attempt), Some(Fence(fence)));
            let (snapshot, trouble) = (recovered.observe_for(&attempt.step), Vec::new());
            recovered.feed(InputKind::lost(attempt, snapshot, trouble));
        }
        recovered
    }

    /// A spoke has files of its own, which begin as those of the run.
    fn observe_for(&self, step: &StepId) -> Snapshot {
        match self.aside.get(step) {
            Some(code) => Snapshot { code: code.clone(), papers: "papers".into() },
            None => self.observe(),
        }
    }

    fn observe(&self) -> Snapshot {
        Snapshot { code: self.code.clone(), papers: "papers".into() }
    }

    /// Takes one decision. Returns whether there was one to take.
    pub(crate) fn go_on(&mut self) -> bool {
        if let Some(effect) = outstanding(&self.state).into_iter().next() {
            let report = self.perform(effect);
            self.feed(report);
            return true;
        }
        let Some(gate) = self.state.gate().cloned() else { return false };
        let epoch = self.state.step(self.state.plan.find(&gate.step).unwrap()).epoch;
        let observed = gate.snapshot.clone();
        let index = self.state.plan.find(&gate.step).unwrap();
        let publishes = matches!(self.state.plan.step(index).kind, StepKind::PullRequest(_));
        let unhappy = !publishes && epoch == 0 && pure(self.seed, ("gate", &gate.step), 3) == 0;
        self.feed(InputKind::Decided(match unhappy {
            true => Decision::Feedback { message: "again".to_owned(), observed },
            false => {
                Decision::Approve { gate: gate.id, message: None, observed, changed: Vec::new() }
            }
        }));
        true
    }

    fn perform(&mut self, effect: Effect) -> InputKind {
        let seed = self.seed;
        match effect {
            Effect::EvaluateWhen { step, epoch } => {
                let value = match pure(seed, ("when", &step), 8) {
                    0 => Err("no value".to_owned()),
                    1 | 2 => Ok(false),
                    _ => Ok(true),
                };
                InputKind::WhenEvaluated { step, epoch, value }
            }
            Effect::ReadTasks { step, epoch } => {
                let count = usize::try_from(pure(seed, ("tasks", &step), 4)).unwrap();
                let tasks = Ok((0..count).map(|number| task(&step, number)).collect());
                InputKind::TasksRead { step, epoch, file: "TASKS.md".to_owned(), tasks }
            }
            Effect::LookAtBlocker { blocker, look, .. } => InputKind::BlockerLookedAt {
                blocker,
                look,
                report: Box::new(VerifyReport::empty()),
            },
            Effect::ProveCold { proof, code } => {
                let holds = |position, wanted| match (
                    pure(seed, ("cold", code.as_str(), position), 4),
                    wanted,
                ) {
                    (0, Holds::No) => Holds::Yes,
                    (0, Holds::Yes | Holds::Unknown) => Holds::No,
                    _ => wanted,
                };
                let report = Box::new(cold_report(&self.state, holds));
                InputKind::ColdProved { proof, report }
            }
            Effect::TakeBaseline(request) => {
                if let Some(code) = request.reset_code {
                    self.code = code;
                }
                self.aside.remove(&request.step);
                let baseline = baseline(self.observe());
                InputKind::BaselineTaken { step: request.step, epoch: request.epoch, baseline }
            }
            Effect::Publish { step, epoch, commit, .. } => {
                InputKind::Published { step, epoch, publication: publication(&commit) }
            }
            Effect::EnsureAttempt { attempt } | Effect::StopAttempt { attempt } => {
                let index = self.state.plan.find(&attempt.step).unwrap();
                let step = self.state.step(index);
                let which = (attempt.step.as_str(), step.epoch, step.tries);
                let how = pure(seed, ("end", which), 8);
                // The work is good or not, and the step that did it shows in the files. An attempt
                // that never started or made trouble leaves nothing good: whoever looked at the
                // files after a loss would otherwise find what the run without a loss refused.
                // A spoke fails at most once: one that gives up pauses the run, and how far the others
                // have come by then is chance.
                let spoke = self.state.plan.step(index).is_spoke();
                let how = if spoke && step.tries > 0 { 3 } else { how };
                let bad = how == 1
                    || how == 2
                    || (pure(seed, ("work", which), 3) == 0 && !(spoke && step.tries > 0));
                let good = if bad { "bad" } else { "good" };
                let began = &step.baseline.as_ref().unwrap().snapshot.code;
                let from = pure(seed, began.as_str(), 1 << 40);
                let code = format!("{good} {} {} {} {from:x}", which.0, which.1, which.2);
                if spoke {
                    self.aside.insert(attempt.step.clone(), code.as_str().into());
                } else {
                    self.code = code.as_str().into();
                }
                let ended = |outcome| Box::new(ended(outcome));
                let report = match how {
                    0 => ended(Outcome::TimedOut),
                    1 => ended(Outcome::CouldNotStart { message: "no".to_owned() }),
                    2 => {
                        let exited = *ended(Outcome::Exited { code: 0 });
                        Box::new(AttemptReport { trouble: trouble(), ..exited })
                    }
                    _ => ended(Outcome::Exited { code: 0 }),
                };
                let snapshot = self.observe_for(&attempt.step);
                InputKind::AttemptEnded {
                    attempt,
                    report,
                    snapshot,
                    jitter: windlass_core::run::EVEN_CHANCE,
                }
            }
            Effect::Verify { verification, step, snapshot } => {
                let index = self.state.plan.find(&step).unwrap();
                let epoch = self.state.step(index).epoch;
                let report = Box::new(self.verify(self.state.plan.step(index), epoch, &snapshot));
                InputKind::Verified { verification, report, jitter: 500 }
            }
            Effect::EnsureCommit { step, code, parent, .. } => {
                let commit = commit(&code, &parent);
                InputKind::Committed { step, code, parent, commit }
            }
            Effect::Adopt { step, epoch, .. } => {
                let snapshot = self.observe();
                InputKind::Adopted { step, epoch, snapshot, untouched: true }
            }
            Effect::Wake { key, at } => {
                self.now = self.now.max(at);
                InputKind::TimerFired { key }
            }
        }
    }

    fn verify(&self, plan: &PlanStep, epoch: u32, snapshot: &Snapshot) -> VerifyReport {
        let which = (plan.id.as_str(), epoch);
        let mine = format!("good {} {epoch} ", plan.id);
        let good = match plan.kind {
            StepKind::Agent { .. } => snapshot.code.as_str().starts_with(&mine),
            StepKind::Group | StepKind::Foreach(_) | StepKind::PullRequest(_) => {
                pure(self.seed, ("group", which), 6) != 0
            }
        };
        if !good {
            // Other words for other files, so that no failure is the same as another.
            let words = pure(self.seed, snapshot.code.as_str(), 1 << 40).to_string();
            let words = words.bytes().map(|digit| char::from(digit - b'0' + b'a'));
            return report(plan, Holds::No, &words.collect::<String>());
        }
        if pure(self.seed, ("protected", which), 6) == 0 && !self.state.pins.contains_key("p") {
            let protected = vec![ProtectedChange::of_file("p".to_owned(), None)];
            return VerifyReport { protected, ..report(plan, Holds::Yes, "passed") };
        }
        if !plan.on.is_empty() && pure(self.seed, ("verdict", which), 2) == 0 {
            let files = [vec![], vec!["a/x".to_owned()], vec!["b/x".to_owned()]];
            let pick = usize::try_from(pure(self.seed, ("files", which), 3)).unwrap();
            return says(plan, "CHANGES", files[pick].clone());
        }
        report(plan, Holds::Yes, "passed")
    }

    pub(crate) fn finish(&mut self) {
        let mut decisions = 0;
        while self.go_on() {
            decisions += 1;
            assert!(decisions < 2000, "no end");
        }
    }

    pub(crate) fn end(&self) -> End {
        let state = &self.state;
        End {
            steps: state.plan.indexes().map(|index| state.step_status(index)).collect(),
            items: item_views(state),
            status: state.status().as_str(),
            reason: state.reason(),
            context: (*state.context).clone(),
            head: state.head.clone(),
            head_code: state.head_code.clone(),
            pins: (*state.pins).clone(),
        }
    }
}
