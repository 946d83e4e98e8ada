//! Groups: steps that stand for the steps nested in them.

use crate::plan::Exhausted;
use crate::run::testing::*;
use crate::run::*;
use crate::time::Span;

#[test]
fn a_group_without_a_criterion_is_done_when_what_is_nested_in_it_is() {
    let mut run = Run::of([
        agent("g/x").inside("g"),
        agent("g/y").inside("g"),
        group("g").needs(["g/x", "g/y"]),
    ]);
    run.proves("g/x", "c1");
    assert_eq!(
        run.proves("g/y", "c2"),
        [proven("g/y", "c2"), done("g/y"), taken("g"), done("g"), Event::RunCompleted]
    );
}

/// Two steps in a group that checks them together, and a step after it.
fn checked() -> [Draft; 4] {
    [
        agent("g/x").inside("g"),
        agent("g/y").inside("g"),
        group("g").needs(["g/x", "g/y"]).proven_by_command(),
        agent("last"),
    ]
}

/// The steps nested in the group are done, and it looks at the files.
fn checking(drafts: [Draft; 4]) -> Run {
    let mut run = Run::of(drafts);
    run.proves("g/x", "c1");
    assert_eq!(run.proves("g/y", "c2")[1..], [done("g/y"), taken("g")]);
    assert_eq!(run.outstanding(), [take_baseline("g", 0)]);
    run
}

#[test]
fn a_group_with_a_criterion_is_verified_on_the_files_as_they_are_when_its_turn_comes() {
    let mut run = checking(checked());
    assert_eq!(
        run.begins_from("g", "c3"),
        [began("g", "c3"), verification(3, "g", "c3", VerifyReason::GroupDone)]
    );
    assert_eq!(run.step("g").baseline, Some(baseline("c0")), "it began with the first step in it");
    assert_eq!(run.verifies(holds()), [proven("g", "c3"), done("g"), taken("last")]);
}

#[test]
fn a_group_whose_steps_are_all_skipped_still_has_to_be_proven() {
    let mut run = Run::of([
        agent("g/x").inside("g").when("a"),
        group("g").needs(["g/x"]).proven_by_command(),
    ]);
    assert_eq!(run.when("g/x", Ok(false))[1..], [taken("g")]);
    run.begins("g");
    assert_eq!(run.outstanding(), [verify(1, "g", "c0")]);
}

#[test]
fn a_group_with_a_gate_and_no_criterion_asks_a_person() {
    let mut run = Run::of([agent("g/x").inside("g"), group("g").needs(["g/x"]).gated()]);
    run.proves("g/x", "c1");
    assert_eq!(run.begins("g"), [began("g", "c1"), gate(1, "g", "c1")]);
    assert_eq!(run.decides(approve(1, "c1")), [approved(1), done("g"), Event::RunCompleted]);
}

#[test]
fn feedback_to_a_group_reaches_the_steps_nested_in_it() {
    let mut run = Run::of([agent("g/x").inside("g"), group("g").needs(["g/x"]).gated()]);
    run.proves("g/x", "c1");
    run.begins("g");
    let events = run.decides(feedback("better names", "c1"));
    assert!(matches!(events[0], Event::FeedbackGiven { .. }));
    assert_eq!(events[1..], [taken("g/x")]);
    assert_eq!(run.step("g/x").hotfix.as_ref().unwrap().message, "better names");
    assert_eq!(run.status_of("g"), StepStatus::Invalidated);
    run.proves("g/x", "c2");
    assert_eq!(run.begins("g"), [began("g", "c2"), gate(2, "g", "c2")]);
}

#[test]
fn a_group_that_is_not_proven_pauses_since_nobody_works_on_it() {
    let mut run = checking(checked());
    run.begins("g");
    let detail = "`g`: the checks of this group failed";
    assert_eq!(
        run.verifies(fails("no")),
        [
            not_proven_for_free("g", "no"),
            failed("g"),
            paused(PauseReason::RetriesExhausted, detail)
        ]
    );
    assert_eq!(
        run.decides(retry("g")),
        [Event::RetriesReset { step: "g".into() }, resumed(), taken("g")]
    );
    run.begins_from("g", "c9");
    assert_eq!(run.outstanding(), [verify(4, "g", "c9")], "a person put the files right");
}

#[test]
fn the_files_of_a_blocked_group_stay_since_its_steps_are_proven() {
    let mut drafts = checked();
    drafts[2] = drafts[2].clone().exhausted(Exhausted::Block);
    drafts[3] = drafts[3].clone().needs(["g/y"]);
    let mut run = checking(drafts);
    run.begins("g");
    assert_eq!(run.verifies(fails("no"))[2..], [taken("last")]);
    assert_eq!(run.outstanding(), [take_baseline("last", 0)]);
}

#[test]
fn a_group_is_never_judged_on_the_files_of_a_step_that_was_blocked() {
    let mut run = Run::of([
        agent("g/x").inside("g"),
        agent("b").retries(1).exhausted(Exhausted::Block),
        group("g").needs(["g/x"]).proven_by_command().commits(),
    ]);
    run.proves("g/x", "c1");
    run.begins("b");
    assert_eq!(run.fails("b#1", "unproven")[2..], [taken("g")]);
    assert_eq!(
        run.outstanding(),
        [Effect::TakeBaseline(BaselineRequest {
            step: "g".into(),
            epoch: 0,
            set_aside: Vec::new(),
            reset_code: Some("c1".into()),
        })]
    );
}

#[test]
fn a_broken_verifier_of_a_group_is_tried_again() {
    let mut run = checking(checked());
    run.begins("g");
    run.verifies(broken());
    run.later(Span::hours(1));
    assert_eq!(
        run.timer("g"),
        [
            Event::WaitEnded { step: "g".into() },
            verification(4, "g", "c2", VerifyReason::GroupDone)
        ]
    );
}
