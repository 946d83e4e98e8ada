//! Steps that only prove: what becomes of one that does not hold.

use crate::id::StepIndex;
use crate::plan::{Exhausted, FailedTo, ValueType};
use crate::run::testing::*;
use crate::run::*;

const BACK: Option<(FailedTo, u32)> = Some((FailedTo::Step(StepIndex(0)), 1));

fn went_back(step: &str, target: &str) -> Event {
    Event::RouteTaken { step: step.into(), verdict: "failed".to_owned(), target: target.into() }
}

#[test]
fn a_step_that_only_proves_is_verified_on_the_files_as_they_are() {
    let mut run = Run::of([agent("code"), agent("final").verifies(None)]);
    assert_eq!(run.proves("code", "c1")[1..], [done("code"), taken("final")]);
    assert_eq!(
        run.begins("final"),
        [began("final", "c1"), verification(2, "final", "c1", VerifyReason::GroupDone)]
    );
    assert_eq!(run.verifies(holds()), [proven("final", "c1"), done("final"), Event::RunCompleted]);
}

#[test]
fn what_does_not_hold_goes_back_with_the_failed_checks_and_not_for_ever() {
    let mut run = Run::of([agent("code"), agent("review"), agent("final").verifies(BACK)]);
    run.proves("code", "c1");
    run.proves("review", "c1");
    run.begins("final");
    let events = run.verifies(fails("3 tests failed"));
    assert!(matches!(events[0], Event::StepNotProven { costs_try: false, .. }), "{events:?}");
    assert_eq!(events[1], went_back("final", "code"));
    assert!(matches!(events[2], Event::RolledBack { reset_code: false, .. }), "{events:?}");
    assert_eq!(events[3..], [taken("code")]);
    let hotfix = run.step("code").hotfix.as_ref().expect("a message");
    assert_eq!(
        (hotfix.by.as_str(), hotfix.message.as_str()),
        ("final", "`final` failed\n3 tests failed")
    );
    assert_eq!(run.status_of("review"), StepStatus::Invalidated);
    run.proves("code", "c2");
    run.proves("review", "c2");
    run.begins("final");
    let events = run.verifies(fails("3 tests failed"));
    assert_eq!(events[1], Event::StepFailed { step: "final".into() }, "it went back once");
    assert_eq!(run.state.status(), RunStatus::Paused);
}

#[test]
fn the_last_time_is_followed_by_what_exhausted_says() {
    let verify = agent("final").verifies(BACK).exhausted(Exhausted::Waive);
    let mut run = Run::of([agent("code"), verify]);
    for code in ["c1", "c2"] {
        run.proves("code", code);
        run.begins("final");
        run.verifies(fails("no"));
    }
    assert!(run.step("final").waived);
    assert_eq!(run.state.control, Control::Completed);
}

#[test]
fn a_step_of_items_is_that_of_the_item_that_was_finished_last() {
    let to = FailedTo::InItem { foreach: StepIndex(1), step: StepIndex(1) };
    let steps = [agent("stories/red"), agent("stories/green")];
    let mut run = Run::of([
        agent("plan").sets("items", ValueType::Array),
        foreach("stories", 3, steps),
        agent("final").verifies(Some((to, 2))),
    ]);
    run.begins("plan");
    for item in ["S1", "S2"] {
        run.asks("plan#1", item).unwrap();
    }
    run.ends("plan#1", "c1");
    run.verifies(holds());
    for step in ["stories/S1/red", "stories/S1/green", "stories/S2/red", "stories/S2/green"] {
        run.proves(step, "c2");
    }
    run.begins("final");
    let events = run.verifies(fails("build"));
    assert_eq!(events[1], went_back("final", "stories/S2/green"));
    assert_eq!(events[3..], [taken("stories/S2/green")]);
    assert_eq!(run.status_of("stories/S2/red"), StepStatus::Done);
    assert_eq!(run.status_of("stories/S1/green"), StepStatus::Done);
    run.proves("stories/S2/green", "c3");
    assert_eq!(run.status_of("stories"), StepStatus::Done);
    run.begins("final");
    run.verifies(holds());
    assert_eq!(run.state.control, Control::Completed);
}

#[test]
fn without_a_finished_item_there_is_nowhere_to_go_back_to() {
    let to = FailedTo::InItem { foreach: StepIndex(0), step: StepIndex(0) };
    let stories = foreach("stories", 3, [agent("stories/code")]);
    let mut run = Run::of([stories, agent("final").verifies(Some((to, 2)))]);
    run.begins("final");
    let events = run.verifies(fails("build"));
    assert_eq!(events[1], Event::StepFailed { step: "final".into() });
}
