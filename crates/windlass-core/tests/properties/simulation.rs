//! A run in a random world, checked after every decision.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_core::id::{Fence, GateId, ObjectId, StepId, StepIndex};
use windlass_core::plan::{Criterion, Exhausted, Holds, Plan, PlanStep};
use windlass_core::proof::ProtectedChange;
use windlass_core::run::{
    Actor, Control, Decision, Effect, Event, GateKind, Input, InputKind, Phase, Rejected, RunState,
    RunStatus, decide, outstanding, start,
};
use windlass_core::snapshot::Snapshot;
use windlass_core::time::{Span, Timestamp};

use crate::edge::{self, Dice, World, answer, decision, ran_by, some_change, some_item};
use crate::plans::facts;

const START: Timestamp = Timestamp(1_700_000_000_000);

/// Whether people decide things while the run continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum People {
    Decide,
    StayAway,
}

/// A run, its journal and its world.
pub(crate) struct Simulation {
    pub(crate) state: RunState,
    pub(crate) world: World,
    pub(crate) journal: Vec<(Timestamp, Event)>,
    /// Every input that was taken, to be fed again.
    pub(crate) inputs: Vec<InputKind>,
    pub(crate) decisions: usize,
    /// The plan as the workflow has it, without the steps of items.
    plan: Arc<Plan>,
    replica: RunState,
    now: Timestamp,
    fence: u64,
    delayed: Vec<InputKind>,
    facts: Facts,
}

/// What is remembered to check that nothing is done without its proof.
#[derive(Default)]
struct Facts {
    /// The snapshot that each step is proven on, in its current life.
    proven: BTreeMap<StepId, Snapshot>,
    /// The gates that were opened, and for which step and snapshot.
    gates: BTreeMap<GateId, (StepId, Snapshot)>,
    /// Steps whose work on this snapshot a person accepted.
    accepted: BTreeMap<StepId, Snapshot>,
    /// Protected files that wait for the next gate, by the code that was proven with them.
    waiting: BTreeMap<ObjectId, Vec<ProtectedChange>>,
    /// Those that a person was shown and accepted.
    seen: Vec<ProtectedChange>,
    ended: bool,
}

impl Facts {
    /// Nothing lands that no person has seen.
    fn check_seen(&self, landed: &ObjectId) {
        for change in self.waiting.get(landed).into_iter().flatten() {
            assert!(self.seen.contains(change), "{change:?} lands unseen");
        }
    }
}

impl Simulation {
    pub(crate) fn new(plan: Plan, in_advance: bool) -> Self {
        let kind = InputKind::Start { plan: Box::new(plan), facts: Box::new(facts(in_advance)) };
        let input = Input { at: START, actor: Actor::person("ann"), kind };
        assert_round_trip(&input);
        let (state, events) = start(&input).unwrap();
        let (again, same) = start(&input).unwrap();
        assert!((&state, &events) == (&again, &same), "a start is deterministic");
        let first = round_trip(&events[0]);
        let replica = RunState::begin(START, &first).unwrap();
        let mut simulation = Self {
            plan: replica.plan.clone(),
            state: replica.clone(),
            world: World::new(),
            journal: vec![(START, first)],
            inputs: Vec::new(),
            decisions: 1,
            replica,
            now: START,
            fence: 0,
            delayed: Vec::new(),
            facts: Facts::default(),
        };
        simulation.take(&events[1..]);
        assert!(simulation.state == state);
        simulation
            .feed(InputKind::DriverTookOver { driver: Fence(0), session: None, boxes: None })
            .unwrap();
        simulation
    }

    /// Feeds an input and checks everything that has to hold.
    pub(crate) fn feed(&mut self, kind: InputKind) -> Result<usize, Rejected> {
        let actor = match &kind {
            InputKind::Decided(_) => Actor::person("ann"),
            InputKind::ContextSet { attempt, .. }
            | InputKind::ItemAsked { attempt, .. }
            | InputKind::HelpAsked { attempt, .. }
            | InputKind::ItemChanged { attempt, .. }
            | InputKind::FailureNoted { attempt, .. } => Actor::agent(attempt),
            _ => Actor::engine(),
        };
        let input = Input { at: self.now, actor, kind };
        assert_round_trip(&input);
        let before = self.state.clone();
        let decided = decide(&self.state, &input);
        assert_eq!(decided, decide(&self.state, &input), "a decision is deterministic");
        assert!(before == self.state, "a decision leaves the state as it is");
        let events = decided?;
        check_taken(&self.state, &input.kind, &events);
        if !matches!(input.kind, InputKind::Start { .. } | InputKind::DriverTookOver { .. }) {
            self.inputs.push(input.kind);
        }
        self.decisions += 1;
        self.take(&events);
        Ok(events.len())
    }

    fn take(&mut self, events: &[Event]) {
        for event in events {
            assert!(!self.facts.ended, "{event:?} follows the end");
            self.check_before(event);
            self.state.apply(self.now, event).expect("what was decided can be applied");
            let stored = round_trip(event);
            self.replica.apply(self.now, &stored).expect("what was stored can be applied");
            self.journal.push((self.now, stored));
            self.facts.ended |= matches!(event, Event::RunAborted | Event::RunCompleted);
        }
        assert!(self.replica == self.state, "a replay gives the live state");
        let text = serde_json::to_string(&self.state).unwrap();
        let stored: RunState = serde_json::from_str(&text).unwrap();
        let stored = stored.with_plan(self.plan.clone(), self.state.facts.clone());
        assert!(stored == self.state, "a stored state is the state");
        check_state(&self.state);
    }

    /// Checks an event against the state that it meets and what happened before.
    fn check_before(&mut self, event: &Event) {
        let (state, facts) = (&self.state, &mut self.facts);
        match event {
            Event::AttemptStarted { attempt, try_number, .. } => {
                assert_eq!(state.control, Control::Active);
                assert!(state.spent.attempts < state.limits().attempts, "over budget");
                assert!(state.spent.cost_usd < state.limits().cost_usd, "over budget");
                let plan = state.plan.step(state.plan.find(&attempt.step).unwrap());
                for beside in state.running_attempts() {
                    let other = state.plan.step(state.plan.find(&beside.step).unwrap());
                    let of_team = other.parent == plan.parent && other.id != plan.id;
                    assert!(of_team && plan.is_spoke() && other.is_spoke(), "two attempts");
                }
                assert_eq!(state.gate(), None, "an attempt while a gate is open");
                assert!(*try_number <= plan.retries, "{attempt} is try {try_number}");
                facts.proven.remove(&attempt.step);
            }
            Event::StepBegan { step, .. } | Event::FeedbackGiven { step, .. } => {
                facts.proven.remove(step);
                facts.accepted.remove(step);
            }
            Event::VerificationStarted { step, .. } => {
                facts.proven.remove(step);
                facts.accepted.remove(step);
            }
            Event::StepProven { step, snapshot, report } => {
                let plan = state.plan.step(state.plan.find(step).unwrap());
                let known = |check| {
                    let mut proofs = report.proofs.iter();
                    proofs.find(|proof| proof.check == check).map_or(Holds::Unknown, |p| p.holds)
                };
                let judged = plan.done.as_ref().map_or(Holds::Yes, |done| done.judge(&known));
                assert_eq!(judged, Holds::Yes, "{step} is proven by {report:?}");
                assert!(report.broken.is_none() && report.protected.is_empty());
                assert!(report.outside_may_write.is_empty());
                facts.proven.insert(step.clone(), snapshot.clone());
                if !plan.is_spoke() {
                    facts.waiting.insert(snapshot.code.clone(), report.later.clone());
                }
            }
            Event::GateOpened { gate } => {
                facts.gates.insert(gate.id, (gate.step.clone(), gate.snapshot.clone()));
            }
            Event::GateApproved { gate, in_advance, .. } => {
                let open = state.gate().expect("an approved gate is open");
                assert_eq!(open.id, *gate);
                assert!(!in_advance || open.kind == GateKind::Approval, "only people pin");
                let shown = state.asked_about(open).filter(|_| !in_advance);
                facts.seen.extend(shown.into_iter().flat_map(|shown| shown.changes));
                if open.kind == GateKind::Approval {
                    let (step, snapshot) = facts.gates[gate].clone();
                    facts.accepted.insert(step, snapshot);
                }
            }
            Event::StepCommitted { step, commit, code } => {
                let index = state.plan.find(step).unwrap();
                let proven = match state.step(index).taken_back {
                    // Its work leaves the branch: what was proven before it is committed again.
                    Some(_) => state.step(index).before.as_ref(),
                    None => facts.proven.get(step).map(|snapshot| &snapshot.code),
                };
                assert_eq!(proven, Some(code), "{step} commits what was not proven");
                assert_eq!(*commit, edge::commit(code, &state.head), "another commit's report");
            }
            Event::StepDone { step } => check_done(state, facts, step),
            Event::ColdProofHeld { report, .. } => {
                let wanted = state.cold_checks().into_iter().map(|check| check.sign.wanted());
                let proven = report.proofs.iter().map(|proof| proof.holds).eq(wanted);
                // Where not all of an `any` has to hold, some of it need not.
                let any = |plan: &PlanStep| matches!(plan.done, Some(Criterion::Any(_)));
                assert!(proven || state.plan.steps.iter().any(any), "{report:?}");
                assert_eq!(report.proofs.len(), state.cold_checks().len());
            }
            Event::PublishIntended { .. } => {
                assert!(!state.awaits_cold_proof(), "published without its last proof");
                facts.check_seen(&state.head_code);
            }
            Event::RunCompleted => {
                assert!(!state.awaits_cold_proof(), "complete without its last proof");
                facts.check_seen(&state.head_code);
                assert!(state.steps.iter().all(|step| step.is_finished()));
            }
            _ => {}
        }
    }

    /// One thing happens. Returns whether anything could.
    pub(crate) fn happen(&mut self, dice: &mut Dice, people: People) -> bool {
        self.now = match dice.roll(12) {
            10 => Timestamp(self.now.0 - 3_600_000),
            11 => self.now.plus(Span::minutes(17)),
            _ => self.now.plus(Span(500)),
        };
        let effects: Vec<_> = outstanding(&self.state).into_iter().collect();
        let random = if dice.is_calm() { 0 } else { dice.roll(24) };
        match random {
            14 if !effects.is_empty() => {
                let effect = &effects[dice.roll(effects.len())];
                let report = answer(&self.state, &mut self.world, dice, effect, &mut self.now);
                self.delayed.push(report);
            }
            15 | 16 if !self.delayed.is_empty() => {
                let late = self.delayed.swap_remove(dice.roll(self.delayed.len()));
                let _ = self.feed(late);
            }
            17 | 18 if !self.inputs.is_empty() => {
                let again = self.inputs[dice.roll(self.inputs.len())].clone();
                if people == People::Decide || !matches!(again, InputKind::Decided(_)) {
                    let _ = self.feed(again);
                }
            }
            19 | 20 if people == People::Decide => {
                let decision = decision(&self.state, &mut self.world, dice);
                let _ = self.feed(InputKind::Decided(decision));
            }
            21 => {
                self.take_over();
            }
            22 => {
                self.agent_speaks(dice);
            }
            _ => return self.answer_one(dice, people, &effects),
        }
        true
    }

    fn answer_one(&mut self, dice: &mut Dice, people: People, effects: &[Effect]) -> bool {
        if !effects.is_empty() {
            let effect = &effects[dice.roll(effects.len())];
            let report = answer(&self.state, &mut self.world, dice, effect, &mut self.now);
            self.feed(report).expect("the answer to an outstanding effect is taken");
            return true;
        }
        if people == People::StayAway || self.state.is_ended() {
            return false;
        }
        if let (Some(gate), true) = (self.state.gate().cloned(), dice.is_calm()) {
            let decision = Decision::Approve {
                gate: gate.id,
                message: None,
                observed: gate.snapshot,
                changed: Vec::new(),
            };
            self.feed(InputKind::Decided(decision)).expect("a shown gate can be approved");
            return true;
        }
        if dice.is_calm() {
            return false;
        }
        let decision = decision(&self.state, &mut self.world, dice);
        let _ = self.feed(InputKind::Decided(decision));
        true
    }

    /// Another driver comes; an attempt of an older one is lost.
    pub(crate) fn take_over(&mut self) {
        self.fence += 1;
        let _ = self.feed(InputKind::DriverTookOver {
            driver: Fence(self.fence),
            session: None,
            boxes: None,
        });
        let running: Vec<_> = self.state.running_attempts().collect();
        for attempt in running {
            if ran_by(&self.state, &attempt) == self.state.driver {
                continue;
            }
            let (snapshot, trouble) = (self.world.observe(), Vec::new());
            self.feed(InputKind::lost(attempt, snapshot, trouble)).unwrap();
        }
    }

    fn agent_speaks(&mut self, dice: &mut Dice) {
        let Some(attempt) = self.state.running_attempts().next() else { return };
        match dice.roll(5) {
            1 => {
                let item = some_item(&self.state, dice);
                let _ = self.feed(InputKind::ItemAsked { attempt, item });
                return;
            }
            2 => {
                let (item, change) = some_change(&self.state, dice);
                let _ = self.feed(InputKind::ItemChanged { attempt, item, change });
                return;
            }
            3 => {
                let item = self.state.plan.find(&attempt.step);
                let item = item.and_then(|index| self.state.plan.item_of(index));
                let about = item.map_or_else(|| attempt.step.to_string(), |item| item.to_string());
                let category = windlass_core::run::Category::ALL[dice.roll(7)];
                let summary = format!("note {}", dice.roll(20));
                let _ = self.feed(InputKind::FailureNoted { attempt, about, category, summary });
                return;
            }
            _ => {}
        }
        let steps = &self.state.plan.steps;
        let step = steps[dice.roll(steps.len())].id.clone();
        let key = format!("{}.skip", attempt.step.as_str().replace('/', "_"));
        let value = serde_json::json!({step.as_str(): "not needed"});
        let _ = self.feed(InputKind::ContextSet { attempt, key, value });
    }

    /// Goes on until nothing can happen any more.
    pub(crate) fn run(&mut self, dice: &mut Dice, people: People, most: usize) {
        let mut happened = 0;
        while self.happen(dice, people) {
            happened += 1;
            assert!(happened < most, "livelock: {}", self.tail());
            if self.state.is_ended() {
                break;
            }
        }
        if self.state.status() == RunStatus::Active {
            panic!("stuck while active: {}", self.tail());
        }
    }

    /// The last events, for people who look for a bug.
    pub(crate) fn tail(&self) -> String {
        let last = self.journal.iter().rev().take(30).rev();
        last.map(|(_, event)| format!("{event:.0?}\n")).collect()
    }

    /// Folds the whole journal anew.
    pub(crate) fn replay(&self) -> RunState {
        replay(&self.journal)
    }
}

/// Folds a journal.
pub(crate) fn replay(journal: &[(Timestamp, Event)]) -> RunState {
    let mut state = RunState::begin(journal[0].0, &journal[0].1).unwrap();
    for (at, event) in &journal[1..] {
        state.apply(*at, event).unwrap();
    }
    state
}

/// A report is taken only for what is in flight, and an answer only for what was shown.
fn check_taken(state: &RunState, input: &InputKind, events: &[Event]) {
    match input {
        InputKind::AttemptEnded { attempt, .. }
        | InputKind::AttemptLost { attempt, .. }
        | InputKind::ItemAsked { attempt, .. }
        | InputKind::ItemChanged { attempt, .. }
        | InputKind::FailureNoted { attempt, .. }
        | InputKind::ContextSet { attempt, .. } => {
            assert!(state.running_attempts().any(|id| id == *attempt), "a stale attempt");
        }
        InputKind::Verified { verification, .. } => {
            let mut effects = outstanding(state).into_iter();
            let asked = effects.any(|effect| {
                matches!(effect, Effect::Verify { verification: id, .. } if id == *verification)
            });
            assert!(asked, "a stale verification");
        }
        InputKind::ColdProved { proof, .. } => {
            let mut effects = outstanding(state).into_iter();
            let asked = effects.any(
                |effect| matches!(effect, Effect::ProveCold { proof: asked, .. } if asked == *proof),
            );
            assert!(asked, "a stale proof on a fresh clone");
        }
        InputKind::Decided(Decision::Approve { gate, observed, .. }) => {
            let open = state.gate().expect("a gate is open");
            assert_eq!(open.id, *gate, "a stale gate");
            let approved = events.iter().any(|event| matches!(event, Event::GateApproved { .. }));
            assert!(!approved || open.snapshot == *observed, "other files were shown");
        }
        _ => {}
    }
}

fn check_done(state: &RunState, facts: &Facts, step: &StepId) {
    let index = state.plan.find(step).unwrap();
    let plan = state.plan.step(index);
    let group = plan.kind.is_group();
    let waived = state.step(index).waived;
    assert!(!waived || plan.exhausted == Exhausted::Waive, "{step} is waived by nobody");
    if (plan.done.is_some() || !group) && !waived {
        assert!(facts.proven.contains_key(step), "{step} is done without a proof");
    }
    if plan.gate.is_some() {
        let accepted = facts.accepted.get(step).expect("a gated step is done when accepted");
        if plan.done.is_some() && !waived {
            assert_eq!(facts.proven.get(step), Some(accepted), "{step}: other work was accepted");
        }
    }
}

/// Recomputes what the state keeps as indexes and counts.
fn check_state(state: &RunState) {
    let mut holders = Vec::new();
    for index in state.plan.indexes() {
        let (plan, step) = (state.plan.step(index), state.step(index));
        let unmet = plan.needs.iter().filter(|need| !state.step(**need).is_finished()).count();
        assert_eq!(step.unmet as usize, unmet, "unmet needs of {}", plan.id);
        assert_eq!(state.ready.contains(&index), step.phase == Phase::Ready);
        assert_eq!(state.deciding.contains(&index), step.phase == Phase::Deciding);
        assert_eq!(state.reading.contains(&index), step.phase == Phase::Reading);
        assert_eq!(state.repeating.contains(&index), step.phase == Phase::Repeating);
        assert_eq!(state.blocked.contains(&index), step.phase == Phase::Blocked);
        assert!(step.tries <= plan.retries, "tries of {}", plan.id);
        let holds = match step.phase {
            Phase::Beginning
            | Phase::Due
            | Phase::Running { .. }
            | Phase::Stopping { .. }
            | Phase::Verifying { .. }
            | Phase::Committing { .. }
            | Phase::Adopting { .. }
            | Phase::Publishing { .. }
            | Phase::Proven { .. }
            | Phase::AtGate { .. }
            | Phase::Waiting { .. }
            | Phase::Failed => true,
            Phase::Pending
            | Phase::Deciding
            | Phase::Ready
            | Phase::Reading
            | Phase::Repeating
            | Phase::Blocked
            | Phase::Done
            | Phase::Skipped => false,
        };
        if holds {
            holders.push(index);
            assert_eq!(unmet, 0, "{} has the place without what it needs", plan.id);
        }
        if state.item_of(index).is_some_and(|item| !item.open) {
            let untouched = matches!(step.phase, Phase::Pending | Phase::Skipped);
            assert!(untouched, "{} is {:?} and its item has not come up", plan.id, step.phase);
        } else if step.phase == Phase::Pending {
            assert!(unmet > 0, "{} is pending for nothing", plan.id);
        }
    }
    check_items(state);
    assert_eq!(holders, state.in_hand().collect::<Vec<StepIndex>>());
    assert!(state.holder.is_none() || state.aside.is_empty(), "somebody works beside spokes");
    let teams: BTreeSet<_> =
        state.aside.iter().map(|spoke| state.plan.step(*spoke).parent).collect();
    assert!(teams.len() <= 1, "two teams at once");
    let remaining = state.steps.iter().filter(|step| !step.is_finished()).count();
    assert_eq!(state.remaining as usize, remaining);
    let effects = outstanding(state);
    let timers = state.open_blockers().count() + state.repeating.len() + 1;
    let in_hand = state.aside.len().max(1) + timers;
    assert!(effects.len() <= state.deciding.len() + state.reading.len() + in_hand);
    if state.control == Control::Active {
        let failed = state.holding().is_some_and(|(_, _, step)| step.phase == Phase::Failed);
        assert!(!failed, "a failed step has the place of an active run");
    }
    assert!(state.cold.going_on.is_none() || state.awaits_cold_proof(), "proven for nothing");
    if state.status() == RunStatus::Active && state.driver.is_some() {
        assert!(!effects.is_empty(), "active, and nothing to do");
    }
}

/// Items have names of their own, no step has more than it may, and they come up in order.
fn check_items(state: &RunState) {
    let mut names: Vec<_> = state.items.iter().map(|item| item.item.id.clone()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), state.items.len(), "two items of one name");
    for foreach in state.plan.foreaches() {
        let wanted = state.items_of(foreach).filter(|item| item.item.skipped.is_none());
        let max = state.plan.foreach(foreach).unwrap().max;
        assert!(wanted.count() <= max as usize, "too many items");
        if state.step(foreach).phase == Phase::Done {
            for item in state.items_of(foreach) {
                assert!(state.is_item_finished(item), "`{}` is not finished", item.item.id);
            }
        }
    }
}

fn round_trip(event: &Event) -> Event {
    let text = serde_json::to_string(event).unwrap();
    let stored: Event = serde_json::from_str(&text).unwrap();
    assert_eq!(stored, *event, "a stored event is the event");
    stored
}

fn assert_round_trip(input: &Input) {
    let text = serde_json::to_string(input).unwrap();
    let stored: Input = serde_json::from_str(&text).unwrap();
    assert_eq!(stored, *input, "a stored input is the input");
}
