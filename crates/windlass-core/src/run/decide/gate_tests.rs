//! Gates: what a person accepts, and about what exactly.

use crate::id::GateId;
use crate::run::testing::*;
use crate::run::*;
use crate::time::Span;

#[test]
fn a_gate_opens_on_what_was_proven_and_an_approval_ends_the_step() {
    let mut run = Run::of([agent("code").gated(), agent("docs")]);
    assert_eq!(run.proves("code", "c1"), [proven("code", "c1"), gate(1, "code", "c1")]);
    assert_eq!(run.state.status(), RunStatus::AwaitingApproval);
    assert_eq!(run.status_of("code"), StepStatus::Verifying);
    assert_eq!((run.outstanding(), run.state.reason()), (Vec::new(), None));
    assert_eq!(run.decides(approve(1, "c1")), [approved(1), done("code"), taken("docs")]);
}

#[test]
fn an_answer_about_files_that_changed_is_refused_and_the_step_verified_again() {
    let mut run = Run::of([agent("code").gated()]);
    run.proves("code", "c1");
    let decision = Decision::Approve {
        gate: GateId(1),
        message: None,
        observed: files("c2"),
        changed: vec!["x".to_owned()],
    };
    let refused = Event::GateAnswerRefused {
        gate: GateId(1),
        observed: files("c2"),
        changed: vec!["x".to_owned()],
    };
    assert_eq!(
        run.decides(decision),
        [refused, verification(2, "code", "c2", VerifyReason::ChangedAtGate)]
    );
    assert_eq!(run.verifies(holds()), [proven("code", "c2"), gate(2, "code", "c2")]);
    assert_eq!(
        run.refuses(approve(1, "c2")),
        Rejected::StaleGate { shown: GateId(1), now: GateId(2) }
    );
    assert_eq!(run.decides(approve(2, "c2"))[1..], [done("code"), Event::RunCompleted]);
}

#[test]
fn a_change_of_papers_alone_refuses_the_answer_too() {
    let mut run = Run::of([agent("code").gated()]);
    run.proves("code", "c1");
    let mut observed = files("c1");
    observed.papers = "other papers".into();
    let decision =
        Decision::Approve { gate: GateId(1), message: None, observed, changed: Vec::new() };
    assert!(matches!(run.decides(decision)[0], Event::GateAnswerRefused { .. }));
}

#[test]
fn a_change_at_the_gate_that_breaks_the_proof_costs_no_try() {
    let mut run = Run::of([agent("code").gated().retries(1)]);
    run.proves("code", "c1");
    run.decides(approve(1, "c2"));
    assert_eq!(
        run.verifies(fails("no")),
        [not_proven_for_free("code", "no"), started("code#2", 1)]
    );
}

#[test]
fn no_gate_no_answer() {
    let mut run = Run::of([agent("code")]);
    assert_eq!(run.refuses(approve(1, "c0")), Rejected::NoGate);
    assert_eq!(run.refuses(feedback("do it", "c0")), Rejected::NoGate);
    run.begins("code");
    assert_eq!(run.refuses(approve(1, "c0")), Rejected::NoGate);
    assert_eq!(run.refuses(feedback("do it", "c0")), Rejected::NoGate);
}

#[test]
fn feedback_reopens_the_step_with_a_hotfix_and_counts_from_zero() {
    let mut run = Run::of([agent("code").gated().retries(2).publishes("spec", "spec.md")]);
    run.begins("code");
    run.fails("code#1", "c1");
    run.proves("code", "c2");
    assert_eq!(*run.state.context, serde_json::json!({"spec": "spec.md"}));
    assert_eq!(run.refuses(feedback("  ", "c2")), Rejected::NoReason);
    let given = Event::FeedbackGiven {
        step: "code".into(),
        by: "ann".to_owned(),
        message: "more tests".to_owned(),
        observed: files("c2"),
        presence: None,
    };
    assert_eq!(run.decides(feedback("more tests", "c2")), [given]);
    assert_eq!(run.outstanding(), [take_baseline("code", 1)]);
    let step = run.step("code");
    assert_eq!((step.tries, step.epoch, step.attempts), (0, 1, 2));
    assert_eq!(step.hotfix.as_ref().unwrap().message, "more tests");
    assert_eq!(*run.state.context, serde_json::json!({}));
    assert_eq!(run.begins("code"), [began("code", "c2"), started("code#3", 1)]);
}

#[test]
fn the_papers_of_the_earlier_life_are_set_aside() {
    let mut run = Run::of([agent("code").gated()]);
    run.begins("code");
    run.ends("code#1", "c1");
    let papers = vec!["specs/a.md".to_owned()];
    run.verifies(crate::proof::VerifyReport { papers: papers.clone(), ..holds() });
    run.decides(feedback("again", "c1"));
    assert_eq!(
        run.outstanding(),
        [Effect::TakeBaseline(BaselineRequest {
            step: "code".into(),
            epoch: 1,
            set_aside: papers,
            reset_code: None,
        })]
    );
    run.begins("code");
    assert_eq!(run.step("code").papers, Vec::<String>::new());
}

#[test]
fn feedback_revives_a_step_whose_tries_are_used_up() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    run.fails("code#1", "c1");
    let events = run.decides(feedback("look at the log", "c1"));
    assert!(matches!(events[..], [Event::FeedbackGiven { .. }, Event::RunResumed { .. }]));
    assert_eq!(run.begins("code"), [began("code", "c1"), started("code#2", 1)]);
}

#[test]
fn yes_answers_workflow_gates_in_the_name_of_the_person_who_said_it() {
    let mut run = Run::approved_in_advance([agent("code").gated()]);
    assert_eq!(
        run.proves("code", "c1"),
        [
            proven("code", "c1"),
            gate(1, "code", "c1"),
            approved_by_yes(1),
            done("code"),
            Event::RunCompleted,
        ]
    );
}

#[test]
fn changed_protected_files_open_a_gate_that_yes_does_not_answer() {
    let mut run = Run::approved_in_advance([agent("code").gated()]);
    run.begins("code");
    run.ends("code#1", "c1");
    assert_eq!(run.verifies(protected()), [protected_gate(1, "code", "c1")]);
    assert_eq!(run.state.status(), RunStatus::AwaitingApproval);
    assert_eq!(run.state.reason(), Some("protected_changed"));
    assert_eq!(
        run.decides(approve(1, "c1")),
        [
            approved(1),
            Event::ProtectedPinned { changes: changes() },
            verification(2, "code", "c1", VerifyReason::Pinned),
        ]
    );
    assert_eq!(run.state.pins.get("Makefile"), Some(&Some("blob".into())));
    assert_eq!(run.state.pinned_in.get("Makefile"), Some(&"c1".into()));
    assert_eq!(
        run.verifies(holds())[..3],
        [proven("code", "c1"), gate(2, "code", "c1"), approved_by_yes(2)]
    );
}

#[test]
fn feedback_at_a_protected_gate_pins_nothing() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends("code#1", "c1");
    run.verifies(protected());
    run.decides(feedback("leave the Makefile alone", "c1"));
    assert!(run.state.pins.is_empty());
    assert_eq!(run.outstanding(), [take_baseline("code", 1)]);
}

#[test]
fn a_gate_can_be_answered_while_the_run_is_paused() {
    let mut run = Run::of([agent("code").gated(), agent("docs")]);
    run.proves("code", "c1");
    run.decides(PAUSE);
    assert_eq!(run.state.status(), RunStatus::Paused);
    assert_eq!(run.decides(approve(1, "c1")), [approved(1), done("code")]);
    assert_eq!(run.decides(RESUME), [resumed(), taken("docs")]);
}

#[test]
fn an_answer_says_from_where_it_came_and_how_long_the_gate_was_there() {
    let mut run = Run::of([agent("code").gated()]);
    run.proves("code", "c1");
    run.later(Span::seconds(90));
    let from = DecidedFrom::Terminal("/dev/pts/3".to_owned());
    let presence = Presence { from, shown: Some(Span::seconds(41)), open: None };
    let seen = Presence { open: Some(Span::seconds(90)), ..presence.clone() };
    let given = run.expect_fed(InputKind::DecidedAt { presence, decision: feedback("more", "c1") });
    assert!(
        matches!(&given[..], [Event::FeedbackGiven { presence, .. }] if *presence == Some(seen)),
        "{given:?}"
    );
    run.proves("code", "c2");
    let script = Presence::from(DecidedFrom::NoTerminal);
    let input = InputKind::DecidedAt { presence: script, decision: approve(2, "c2") };
    let Event::GateApproved { presence, .. } = run.expect_fed(input)[0].clone() else {
        panic!("the gate is answered");
    };
    assert_eq!(presence.unwrap().words(), " without a terminal, 0.0s after the gate opened");
}
