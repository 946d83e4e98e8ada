//! Journals that no decision made.

use super::IllegalEvent;
use crate::id::{Fence, GateId, VerificationId};
use crate::plan::{Exhausted, StepKind};
use crate::run::testing::*;
use crate::run::*;

fn illegal(run: &Run, event: &Event) -> IllegalEvent {
    run.state.clone().apply(run.at, event).expect_err("the event does not fit")
}

#[test]
fn nothing_is_done_that_was_not_proven() {
    let mut run = Run::of([agent("a"), agent("b")]);
    run.begins("a");
    for event in [done("a"), done("b"), Event::StepWaived { step: "b".into(), kept: false }] {
        assert!(matches!(illegal(&run, &event), IllegalEvent::WrongPhase { .. }), "{event:?}");
    }
    run.ends("a#1", "c1");
    assert!(matches!(illegal(&run, &done("a")), IllegalEvent::WrongPhase { .. }));
    run.verifies(holds());
    assert!(matches!(illegal(&run, &done("a")), IllegalEvent::WrongPhase { .. }), "twice");
    assert!(matches!(illegal(&run, &Event::RunCompleted), IllegalEvent::WrongControl { .. }));
}

#[test]
fn a_gate_that_is_open_is_not_done() {
    let mut run = Run::of([agent("a").gated()]);
    run.proves("a", "c1");
    assert!(matches!(illegal(&run, &done("a")), IllegalEvent::WrongPhase { .. }));
    let other = Event::GateApproved {
        gate: GateId(7),
        by: "ann".to_owned(),
        message: None,
        in_advance: false,
        presence: None,
    };
    assert!(matches!(illegal(&run, &other), IllegalEvent::WrongControl { .. }));
    let pinned = Event::ProtectedPinned { changes: changes() };
    assert!(matches!(illegal(&run, &pinned), IllegalEvent::WrongControl { .. }));
}

#[test]
fn numbers_leave_no_gap() {
    let mut run = Run::of([agent("a")]);
    run.begins("a");
    run.decides(PAUSE_NOW);
    run.ends("a#1", "c1");
    for event in [
        started("a#1", 1),
        started("a#3", 1),
        verification(2, "a", "c1", VerifyReason::MayBeDone),
        verification(0, "a", "c1", VerifyReason::MayBeDone),
    ] {
        assert!(matches!(illegal(&run, &event), IllegalEvent::WrongNumber { .. }), "{event:?}");
    }
    run.decides(RESUME);
    let gate = protected_gate(2, "a", "c1");
    assert!(matches!(illegal(&run, &gate), IllegalEvent::WrongNumber { .. }));
    let abandoned = Event::VerificationAbandoned { verification: VerificationId(9) };
    assert!(matches!(illegal(&run, &abandoned), IllegalEvent::WrongPhase { .. }));
}

#[test]
fn only_the_step_that_has_the_place_goes_on() {
    let run = Run::of([agent("a").needs([]), agent("b").needs([])]);
    for event in [
        taken("b"),
        started("b#1", 1),
        verification(1, "b", "c0", VerifyReason::MayBeDone),
        gate(1, "b", "c0"),
        rolled_back("b", "c0"),
        not_proven("b", "no"),
        waits("b", START, false),
        failed("b"),
    ] {
        let error = illegal(&run, &event);
        assert!(matches!(error, IllegalEvent::WrongPhase { .. }), "{event:?}: {error}");
    }
}

#[test]
fn control_changes_only_where_it_can() {
    let mut run = Run::of([agent("a")]);
    run.begins("a");
    let blocker = Event::BlockerRaised { message: "no".to_owned() };
    for event in [resumed(), Event::RunAborted, Event::RunCompleted, blocker] {
        assert!(matches!(illegal(&run, &event), IllegalEvent::WrongControl { .. }), "{event:?}");
    }
    run.decides(ABORT);
    let abort = Event::AbortRequested { reason: None };
    for event in [paused(PauseReason::User, ""), abort, Event::RunAborted] {
        assert!(matches!(illegal(&run, &event), IllegalEvent::WrongControl { .. }), "{event:?}");
    }
}

#[test]
fn unknown_steps_and_second_starts_stop_the_replay() {
    let run = Run::of([agent("a")]);
    assert!(matches!(illegal(&run, &done("x")), IllegalEvent::UnknownStep { .. }));
    let first = Event::RunStarted {
        plan: Box::new((*run.state.plan).clone()),
        facts: Box::new((*run.state.facts).clone()),
    };
    assert!(matches!(illegal(&run, &first), IllegalEvent::StartedTwice));
    let other = Event::DriverTookOver { driver: Fence(1), session: None, boxes: None };
    assert!(matches!(RunState::begin(START, &other), Err(IllegalEvent::NotStarted { .. })));
}

#[test]
fn a_state_whose_counts_are_wrong_is_an_error_and_no_panic() {
    let mut run = Run::of([agent("a").retries(1).exhausted(Exhausted::Waive), agent("b")]);
    run.begins("a");
    run.ends("a#1", "c1");
    run.verifies(broken());
    run.state.remaining = 0;
    assert!(matches!(illegal(&run, &skipped("a", "x")), IllegalEvent::Miscounted { .. }));
    run.state.remaining = 2;
    let b = std::sync::Arc::make_mut(&mut run.state.steps[1]);
    b.unmet = 0;
    assert!(matches!(illegal(&run, &skipped("a", "x")), IllegalEvent::Miscounted { .. }));
}

#[test]
fn nobody_attempts_a_group() {
    let mut run = Run::of([agent("g/x").inside("g"), group("g").needs(["g/x"]).gated()]);
    assert_eq!(run.state.plan.steps[1].kind, StepKind::Group);
    run.proves("g/x", "c1");
    let event = Event::StepBegan { step: "g".into(), baseline: baseline("c1") };
    run.state.apply(run.at, &event).unwrap();
    assert!(matches!(illegal(&run, &started("g#1", 1)), IllegalEvent::WrongPhase { .. }));
}
