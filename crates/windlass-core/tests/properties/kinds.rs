//! Every kind of state meets every kind of input and event.

use std::collections::{BTreeMap, BTreeSet};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use windlass_core::id::{AttemptId, Fence, GateId, VerificationId};
use windlass_core::item::{ItemChange, NewItem, Wanted};
use windlass_core::plan::Holds;
use windlass_core::proof::Outcome;
use windlass_core::run::{
    About, Actor, BlockerCheck, Category, Control, Decision, Event, HostKind, HostProcess, Input,
    InputKind, NewBlocker, Phase, Raise, RunState, Session, Severity, TimerKey, decide,
};
use windlass_core::snapshot::Snapshot;
use windlass_core::time::{Span, Timestamp};

use crate::edge::{Dice, baseline, cold_report, ended};
use crate::simulation::{People, Simulation};
use crate::{numbers, plans};

type Kind = &'static str;

/// States and events of many runs, a few of each kind.
struct Seen {
    states: BTreeMap<(Kind, Kind), Vec<RunState>>,
    phases: BTreeSet<Kind>,
    events: BTreeMap<Kind, Vec<Event>>,
    inputs: BTreeMap<String, Vec<InputKind>>,
}

impl Seen {
    /// Keeps a few states that a session drives, beside the others of their kind.
    fn keep_hosted(&mut self, state: &RunState) {
        let kept = self.states.entry((control_kind(&state.control), "hosted")).or_default();
        if kept.len() < 12 {
            kept.push(state.clone());
        }
    }

    fn keep(&mut self, state: &RunState) {
        let holder = state.holding().map_or("nobody", |(_, _, step)| phase_kind(&step.phase));
        let holder = if state.cold.going_on.is_some() { "proving cold" } else { holder };
        let kept = self.states.entry((control_kind(&state.control), holder)).or_default();
        if kept.len() < 3 {
            kept.push(state.clone());
        }
    }
}

fn look_around() -> Seen {
    let mut runner = TestRunner::deterministic();
    let strategy = (plans::plans(25), numbers(250));
    let mut seen = Seen {
        states: BTreeMap::new(),
        phases: BTreeSet::new(),
        events: BTreeMap::new(),
        inputs: BTreeMap::new(),
    };
    for _ in 0..300 {
        let (plan, numbers) = strategy.new_tree(&mut runner).unwrap().current();
        let mut dice = Dice::new(numbers);
        let mut run = Simulation::new(plan, false);
        loop {
            let state = &run.state;
            seen.phases.extend(state.steps.iter().map(|step| phase_kind(&step.phase)));
            seen.keep(state);
            // The same with a session in the place of the driver.
            let kind = InputKind::DriverTookOver {
                driver: Fence(98),
                session: Some(session()),
                boxes: None,
            };
            let at = Timestamp(1_700_000_000_000);
            let take_over = Input { at, actor: Actor::engine(), kind };
            let mut hosted = state.clone();
            for event in decide(state, &take_over).unwrap_or_default() {
                hosted.apply(at, &event).unwrap();
            }
            seen.keep_hosted(&hosted);
            // Few people abort at the very moment that an attempt runs.
            if state.running_attempts().next().is_some() {
                let at = Timestamp(1_700_000_000_000);
                let kind = InputKind::Decided(Decision::Abort { reason: None });
                let abort = Input { at, actor: Actor::person("ann"), kind };
                let mut aborting = state.clone();
                for event in decide(state, &abort).unwrap_or_default() {
                    aborting.apply(at, &event).unwrap();
                }
                seen.keep(&aborting);
            }
            // Nor do they pause while the last proof is going on.
            if state.cold.going_on.is_some() {
                let kind = InputKind::Decided(Decision::Pause { now: false });
                let pause = Input { at, actor: Actor::person("ann"), kind };
                let mut paused = state.clone();
                for event in decide(state, &pause).unwrap_or_default() {
                    paused.apply(at, &event).unwrap();
                }
                seen.keep(&paused);
            }
            if state.is_ended() || !run.happen(&mut dice, People::Decide) {
                break;
            }
        }
        for (_, event) in run.journal {
            let kept = seen.events.entry(event.kind()).or_default();
            if kept.len() < 6 {
                kept.push(event);
            }
        }
        for input in run.inputs {
            let kept = seen.inputs.entry(input_kind(&input)).or_default();
            if kept.len() < 6 {
                kept.push(input);
            }
        }
    }
    seen
}

fn input_kind(input: &InputKind) -> String {
    let text = match input {
        InputKind::Decided(decision) => format!("{decision:?}"),
        _ => format!("{input:?}"),
    };
    text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
}

fn control_kind(control: &Control) -> Kind {
    match control {
        Control::Active => "active",
        Control::Paused { .. } => "paused",
        Control::Obstructed { .. } => "obstructed",
        Control::Aborting => "aborting",
        Control::Aborted => "aborted",
        Control::Completed => "completed",
    }
}

fn phase_kind(phase: &Phase) -> Kind {
    match phase {
        Phase::Pending => "pending",
        Phase::Deciding => "deciding",
        Phase::Ready => "ready",
        Phase::Reading => "reading",
        Phase::Repeating => "repeating",
        Phase::Beginning => "beginning",
        Phase::Due => "due",
        Phase::Running { .. } => "running",
        Phase::Stopping { .. } => "stopping",
        Phase::Verifying { .. } => "verifying",
        Phase::Committing { .. } => "committing",
        Phase::Adopting { .. } => "adopting",
        Phase::Publishing { .. } => "publishing",
        Phase::Proven { .. } => "proven",
        Phase::AtGate { .. } => "at gate",
        Phase::Waiting { .. } => "waiting",
        Phase::Failed => "failed",
        Phase::Blocked => "blocked",
        Phase::Done => "done",
        Phase::Skipped => "skipped",
    }
}

fn session() -> Session {
    Session {
        id: "s1".to_owned(),
        host: HostKind::Claude,
        process: HostProcess { pid: 7, start: 11 },
        terminal: false,
    }
}

fn inputs_of_sessions() -> [InputKind; 5] {
    [
        InputKind::DriverTookOver { driver: Fence(99), session: Some(session()), boxes: None },
        InputKind::StopAsked { idle_blocks: 0, cap: None },
        InputKind::StopAsked { idle_blocks: 9, cap: Some(8) },
        InputKind::PersonSpoke,
        InputKind::SessionNoted { event: "PreCompact".to_owned() },
    ]
}

/// One input of every kind, about every step, with the numbers that are current.
#[expect(clippy::too_many_lines, reason = "one of every kind")]
fn inputs_for(state: &RunState) -> Vec<InputKind> {
    let files = || Snapshot { code: "c1".into(), papers: "papers".into() };
    let observed = || state.gate().map_or_else(files, |gate| gate.snapshot.clone());
    let gate = state.gate().map_or(GateId(1), |gate| gate.id);
    let verification = VerificationId(state.verifications);
    let report = |plan| Box::new(crate::edge::report(plan, Holds::Yes, "ok"));
    let mut inputs = vec![
        InputKind::Start {
            plan: Box::new((*state.plan).clone()),
            facts: Box::new((*state.facts).clone()),
        },
        InputKind::DriverTookOver { driver: Fence(99), session: None, boxes: None },
        InputKind::DriverLeft,
    ];
    inputs.extend(inputs_of_sessions());
    for holds in [Holds::Yes, Holds::No, Holds::Unknown] {
        let report = Box::new(cold_report(state, |_, _| holds));
        inputs.push(InputKind::ColdProved { proof: state.cold.proofs, report });
    }
    let decisions = [
        Decision::Approve { gate, message: None, observed: observed(), changed: Vec::new() },
        Decision::Approve { gate, message: None, observed: files(), changed: Vec::new() },
        Decision::Feedback { message: "again".to_owned(), observed: files() },
        Decision::Pause { now: false },
        Decision::Pause { now: true },
        Decision::Resume { raise: Raise::default() },
        Decision::WaiveCold { reason: "no network".to_owned() },
        Decision::PlayBy {
            played_by: windlass_core::run::PlayedBy { backend: "other".to_owned(), command: None },
        },
        Decision::RetryReset { step: None },
        Decision::Block { blocker: help() },
        Decision::Fixed { what: None, notes: None },
        Decision::Fixed { what: Some("1".to_owned()), notes: Some("done".to_owned()) },
        Decision::Abort { reason: None },
    ];
    inputs.extend(decisions.map(InputKind::Decided));
    inputs.extend(inputs_about_items(state));
    for index in state.plan.indexes() {
        let (plan, step) = (state.plan.step(index), state.step(index));
        let (id, epoch) = (plan.id.clone(), step.epoch);
        let attempt = AttemptId { step: id.clone(), number: step.attempts };
        let (code, parent) = match &step.phase {
            Phase::Committing { snapshot, .. } => (snapshot.code.clone(), state.head.clone()),
            _ => ("c1".into(), "base".into()),
        };
        let (message, commit) = ("no".to_owned(), "commit".into());
        inputs.extend([
            InputKind::WhenEvaluated { step: id.clone(), epoch, value: Ok(true) },
            InputKind::WhenEvaluated { step: id.clone(), epoch, value: Ok(false) },
            InputKind::WhenEvaluated { step: id.clone(), epoch, value: Err("no".to_owned()) },
            InputKind::TasksRead {
                step: id.clone(),
                epoch,
                file: "TASKS.md".to_owned(),
                tasks: Ok((0..3).map(|number| crate::edge::task(&id, number)).collect()),
            },
            InputKind::TasksRead {
                step: id.clone(),
                epoch,
                file: "TASKS.md".to_owned(),
                tasks: Err("no".to_owned()),
            },
            InputKind::BaselineTaken { step: id.clone(), epoch, baseline: baseline(files()) },
            InputKind::ContextSet {
                attempt: attempt.clone(),
                key: format!("{id}.skip"),
                value: serde_json::json!({}),
            },
            InputKind::AttemptEnded {
                attempt: attempt.clone(),
                report: Box::new(ended(Outcome::Exited { code: 0 })),
                snapshot: files(),
                jitter: windlass_core::run::EVEN_CHANCE,
            },
            InputKind::OfferTaken { attempt: attempt.clone(), call: "call".to_owned() },
            InputKind::HandedOver { attempt: attempt.clone(), agent: "agent".to_owned() },
            InputKind::lost(attempt, files(), Vec::new()),
            InputKind::Verified { verification, report: report(plan), jitter: u16::MAX },
            InputKind::Published {
                step: id.clone(),
                epoch,
                publication: crate::edge::publication(&"c1".into()),
            },
            InputKind::PublishRefused {
                step: id.clone(),
                epoch,
                message: "no".to_owned(),
                settings: None,
            },
            InputKind::Committed {
                step: id.clone(),
                code: code.clone(),
                parent: parent.clone(),
                commit,
            },
            InputKind::Adopted { step: id.clone(), epoch, snapshot: files(), untouched: true },
            InputKind::CommitRefused { step: id.clone(), code, parent, message },
            InputKind::TimerFired { key: TimerKey::Wait(id.clone()) },
        ]);
        let decisions = [
            Decision::Rollback {
                step: id.clone(),
                message: "again".to_owned(),
                reset_code: true,
                checkpoint: None,
                observed: files(),
            },
            Decision::Skip { step: id.clone(), reason: "not needed".to_owned(), keep: false },
            Decision::RetryReset { step: Some(id) },
        ];
        inputs.extend(decisions.map(InputKind::Decided));
    }
    inputs
}

/// Help that somebody asks for.
fn help() -> NewBlocker {
    let check = BlockerCheck { command: "true".to_owned(), timeout: Span::seconds(5) };
    NewBlocker { message: "a key".to_owned(), severity: Severity::High, check: Some(check) }
}

/// One input of every kind about every item, and about one that is not there.
fn inputs_about_items(state: &RunState) -> Vec<InputKind> {
    let mut inputs = Vec::new();
    let new = |id: &str| NewItem {
        id: id.into(),
        title: "A title".to_owned(),
        body: String::new(),
        story: None,
        step: None,
    };
    let skip = || Some(Wanted::Skip { reason: "no".to_owned() });
    let known = state.items.iter().map(|item| item.item.id.as_str());
    for id in known.chain(["another"]) {
        let changes = [
            ItemChange { title: Some("Another".to_owned()), body: None, story: None, wanted: None },
            ItemChange { title: None, body: None, story: None, wanted: skip() },
            ItemChange { title: None, body: None, story: None, wanted: Some(Wanted::Reopen) },
        ];
        let attempt = state.running_attempts().next();
        inputs.push(InputKind::Decided(Decision::AddItem { item: new(id) }));
        for before in [None, Some("another".into())] {
            inputs.push(InputKind::Decided(Decision::MoveItem { item: id.into(), before }));
        }
        let (what, notes) = (Some(id.to_owned()), Some("done".to_owned()));
        inputs.push(InputKind::Decided(Decision::Fixed { what, notes }));
        inputs.extend(
            attempt.clone().map(|attempt| InputKind::HelpAsked { attempt, blocker: help() }),
        );
        inputs.push(InputKind::Decided(Decision::NoteFailure {
            about: About::Item(id.into()),
            category: Category::External,
            summary: "no".to_owned(),
        }));
        inputs.extend(attempt.clone().map(|attempt| InputKind::FailureNoted {
            attempt,
            about: id.to_owned(),
            category: Category::Code,
            summary: "no".to_owned(),
        }));
        inputs
            .extend(attempt.clone().map(|attempt| InputKind::ItemAsked { attempt, item: new(id) }));
        for change in changes {
            let item = id.into();
            inputs.extend(attempt.clone().map(|attempt| InputKind::ItemChanged {
                attempt,
                item,
                change: change.clone(),
            }));
            inputs.push(InputKind::Decided(Decision::UpdateItem { item: id.into(), change }));
        }
    }
    inputs
}

#[test]
fn every_kind_of_state_takes_or_refuses_every_kind_of_input() {
    let seen = look_around();
    let phases = [
        "adopting",
        "at gate",
        "beginning",
        "blocked",
        "committing",
        "deciding",
        "done",
        "due",
        "failed",
        "pending",
        "proven",
        "publishing",
        "reading",
        "ready",
        "repeating",
        "running",
        "skipped",
        "stopping",
        "verifying",
        "waiting",
    ];
    assert_eq!(seen.phases, phases.into());
    let controls: BTreeSet<Kind> = seen.states.keys().map(|(control, _)| *control).collect();
    let all = ["aborted", "aborting", "active", "completed", "obstructed", "paused"];
    assert_eq!(controls, all.into());
    for control in ["active", "paused"] {
        assert!(seen.states.contains_key(&(control, "proving cold")), "{control}");
    }
    let at = Timestamp(1_700_000_500_000);
    for state in seen.states.values().flatten() {
        for kind in inputs_for(state).into_iter().chain(seen.inputs.values().flatten().cloned()) {
            for actor in [Actor::person("ann"), Actor::engine()] {
                let input = Input { at, actor, kind: kind.clone() };
                let Ok(events) = decide(state, &input) else { continue };
                let mut after = state.clone();
                for event in &events {
                    after.apply(at, event).expect("what was decided can be applied");
                }
            }
        }
    }
}

#[test]
fn every_kind_of_state_takes_or_refuses_every_kind_of_event() {
    let seen = look_around();
    let all = [
        "abort_requested",
        "attempt_ended",
        "attempt_lost",
        "attempt_started",
        "blocker_looked_at",
        "blocker_opened",
        "blocker_raised",
        "blocker_resolved",
        "blocker_stays",
        "checkpoint_made",
        "cold_proof_began",
        "cold_proof_broken",
        "cold_proof_failed",
        "cold_proof_held",
        "context_set",
        "driver_took_over",
        "failure_noted",
        "feedback_given",
        "gate_answer_refused",
        "gate_approved",
        "gate_opened",
        "item_added",
        "item_moved",
        "item_opened",
        "item_updated",
        "progress_reported",
        "protected_pinned",
        "publish_intended",
        "publish_refused",
        "published",
        "question_answered",
        "questions_asked",
        "repeat_began",
        "resolution_noted",
        "retries_reset",
        "rolled_back",
        "route_taken",
        "run_aborted",
        "run_completed",
        "run_paused",
        "run_resumed",
        "run_started",
        "step_adopted",
        "step_began",
        "step_blocked",
        "step_committed",
        "step_done",
        "step_failed",
        "step_not_proven",
        "step_proven",
        "step_ready",
        "step_skipped",
        "step_taken",
        "step_waived",
        "stop_requested",
        "tasks_read",
        "verification_abandoned",
        "verification_broken",
        "verification_hindered",
        "verification_started",
        "wait_ended",
        "wait_started",
        "work_reverted",
    ];
    // Which come up at random too rarely; they have tests of their own.
    let rare = [
        "cold_proof_abandoned",
        "cold_proof_waived",
        "draft_asked",
        "item_goes_on",
        "item_taken_back",
        "push_settings_accepted",
        "step_taken_back",
    ];
    let kinds = seen.events.keys().copied().filter(|kind| !rare.contains(kind));
    assert_eq!(kinds.collect::<Vec<_>>(), all);
    let (mut fitting, mut illegal) = (0, 0);
    for state in seen.states.values().flatten() {
        for event in seen.events.values().flatten() {
            match state.clone().apply(Timestamp(1_700_000_500_000), event) {
                Ok(()) => fitting += 1,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    illegal += 1;
                }
            }
        }
    }
    assert!(fitting > 100 && illegal > 1000, "{fitting} fit, {illegal} do not");
}
