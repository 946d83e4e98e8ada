//! Steps that are skipped: by a person, or because an earlier step asked for it.

use serde_json::json;

use crate::id::ObjectId;
use crate::plan::{Exhausted, ValueType};
use crate::run::testing::*;
use crate::run::*;

fn by_ann(step: &str) -> Event {
    let (step, reason) = (step.into(), "not needed (ann)".to_owned());
    Event::StepSkipped { step, reason, kept: false }
}

#[test]
fn a_pending_step_can_be_skipped() {
    let mut run = Run::of([agent("a"), agent("b"), agent("c")]);
    assert_eq!(run.decides(skip("b")), [by_ann("b")]);
    assert_eq!(run.proves("a", "c1"), [proven("a", "c1"), done("a"), taken("c")]);
}

#[test]
fn a_ready_step_can_be_skipped() {
    let mut run = Run::of([agent("a").needs([]), agent("b").needs([])]);
    assert_eq!(run.decides(skip("b")), [by_ann("b")]);
    assert!(run.state.ready.is_empty());
}

#[test]
fn a_step_that_is_being_worked_on_cannot_be_skipped() {
    let mut run = Run::of([agent("a")]);
    let busy = Rejected::Busy { what: "`a` is being worked on".to_owned() };
    assert_eq!(run.refuses(skip("a")), busy);
    run.begins("a");
    assert_eq!(run.refuses(skip("a")), busy);
    run.ends("a#1", "c1");
    assert_eq!(run.refuses(skip("a")), busy);
}

#[test]
fn a_skip_needs_a_reason_and_a_step_that_is_not_finished() {
    let mut run = Run::of([agent("a"), agent("b")]);
    let silent = Decision::Skip { step: "b".into(), reason: " ".to_owned(), keep: false };
    assert_eq!(run.refuses(silent), Rejected::NoReason);
    assert_eq!(run.refuses(skip("x")), Rejected::UnknownStep { step: "x".into() });
    run.decides(skip("b"));
    let status = "skipped".to_owned();
    assert_eq!(run.refuses(skip("b")), Rejected::StepFinished { step: "b".into(), status });
}

#[test]
fn skipping_a_failed_step_lets_the_run_go_on() {
    let mut run = Run::of([agent("a").retries(1), agent("b")]);
    run.begins("a");
    run.fails("a#1", "c1");
    assert_eq!(run.decides(skip("a")), [by_ann("a"), resumed(), taken("b")]);
}

#[test]
fn what_a_skipped_step_left_is_set_aside_unless_a_person_wants_it() {
    let mut run = Run::of([agent("a").retries(1), agent("b")]);
    run.begins("a");
    run.fails("a#1", "c1");
    run.decides(skip("a"));
    let Effect::TakeBaseline(request) = &run.outstanding()[0] else { panic!() };
    assert_eq!(request.reset_code, Some("c0".into()));
    assert_eq!(run.state.proven_code, "c0".into());

    let mut run = Run::of([agent("a").retries(1), agent("b")]);
    run.begins("a");
    run.fails("a#1", "c1");
    run.decides(Decision::Skip { step: "a".into(), reason: "by hand".to_owned(), keep: true });
    let Effect::TakeBaseline(request) = &run.outstanding()[0] else { panic!() };
    assert_eq!(request.reset_code, None);
    assert_eq!(run.state.proven_code, "c1".into(), "the next step is not blamed for it");
}

fn taken_back(step: &str) -> Event {
    Event::StepTakenBack { step: step.into(), reason: "not needed (ann)".to_owned() }
}

#[test]
fn what_was_proven_for_a_step_that_is_skipped_at_its_gate_is_set_back_first() {
    let mut run = Run::of([agent("a").gated(), agent("b")]);
    run.proves("a", "c1");
    assert_eq!(run.decides(skip("a")), [taken_back("a")]);
    assert_eq!(run.refuses(approve(1, "c1")), Rejected::NoGate);
    let Effect::TakeBaseline(request) = &run.outstanding()[0] else { panic!() };
    assert_eq!(request.reset_code, Some("c0".into()));
    assert_eq!(run.begins("a")[1..], [by_ann("a"), taken("b")]);
    assert_eq!((run.state.proven_code.clone(), run.step("a").set_aside), ("c0".into(), true));
}

#[test]
fn a_branch_that_has_the_work_of_a_skipped_step_gets_a_commit_without_it() {
    let mut run = Run::of([agent("a").gated().commits()]);
    run.proves("a", "c1");
    run.commits("a", "one");
    run.decides(feedback("more", "c1"));
    run.proves("a", "c2");
    run.commits("a", "two");
    assert_eq!(run.decides(skip("a")), [taken_back("a")]);
    run.begins("a");
    let Effect::EnsureCommit { code, parent, .. } = &run.outstanding()[0] else { panic!() };
    let before_both: ObjectId = "c0".into();
    assert_eq!((code, parent), (&before_both, &"two".into()), "nobody accepted c1 either");
    assert_eq!(run.commits("a", "three")[1..], [by_ann("a"), Event::RunCompleted]);
    assert_eq!(run.state.head_code, before_both);
}

#[test]
fn what_was_proven_for_a_skipped_step_stays_if_a_person_wants_it() {
    let mut run = Run::of([agent("a").gated(), agent("b")]);
    run.proves("a", "c1");
    let kept = Decision::Skip { step: "a".into(), reason: "it is fine".to_owned(), keep: true };
    assert_eq!(run.decides(kept)[1..], [taken("b")]);
    assert_eq!((run.state.proven_code.clone(), run.state.reset_code.clone()), ("c1".into(), None));
}

#[test]
fn skipping_a_blocked_step_opens_what_needs_it() {
    let mut run = Run::of([agent("a").retries(1).exhausted(Exhausted::Block), agent("b")]);
    run.begins("a");
    run.fails("a#1", "c1");
    assert_eq!(run.decides(skip("a")), [by_ann("a"), taken("b")]);
    assert!(run.state.blocked.is_empty());
}

#[test]
fn skipping_a_group_skips_what_is_nested_in_it() {
    let mut run = Run::of([
        agent("a"),
        agent("g/x").inside("g").needs(["a"]),
        agent("g/y").inside("g").needs(["g/x"]),
        group("g").needs(["g/x", "g/y"]),
        agent("last"),
    ]);
    run.proves("a", "c1");
    assert!(matches!(run.refuses(skip("g")), Rejected::Busy { .. }), "g/x has begun");
    run.proves("g/x", "c2");
    run.begins("g/y");
    run.decides(PAUSE_NOW);
    run.ends("g/y#1", "c2");
    assert_eq!(run.decides(skip("g")), [by_ann("g/y"), by_ann("g"), resumed(), taken("last")]);
    assert_eq!(run.status_of("g/x"), StepStatus::Done);
}

#[test]
fn an_earlier_step_may_ask_to_skip_a_step_that_allows_it() {
    let mut run = Run::of([
        agent("plan").sets("spec.skip", ValueType::Object),
        agent("a").may_be_skipped(),
        agent("b"),
    ]);
    run.begins("plan");
    run.sets("plan#1", "spec.skip", json!({"a": "no server", "b": "no reason"})).unwrap();
    assert_eq!(
        run.proves("plan", "c1"),
        [proven("plan", "c1"), done("plan"), skipped("a", "no server"), taken("b")],
        "b does not allow it"
    );
}

#[test]
fn a_step_that_is_asked_not_to_be_skipped_is_not() {
    for no in [json!(false), json!(null)] {
        let mut run = Run::of([
            agent("plan").sets("spec.skip", ValueType::Object),
            agent("a").may_be_skipped(),
        ]);
        run.begins("plan");
        run.sets("plan#1", "spec.skip", json!({"a": no})).unwrap();
        assert_eq!(run.proves("plan", "c1")[2..], [taken("a")]);
    }
}
