//! A run from its start to its end.

use crate::id::Fence;
use crate::run::testing::*;
use crate::run::*;

#[test]
fn a_run_goes_from_step_to_step_until_it_is_complete() {
    let mut run = Run::of([agent("code"), agent("docs").commits()]);
    assert_eq!(run.first, [taken("code")]);
    assert_eq!(run.outstanding(), [take_baseline("code", 0)]);

    assert_eq!(run.begins("code"), [began("code", "c0"), started("code#1", 1)]);
    assert_eq!(run.outstanding(), [ensure("code#1")]);

    assert_eq!(
        run.ends("code#1", "c1"),
        [ended("code#1", "c1"), verification(1, "code", "c1", VerifyReason::AttemptEnded)]
    );
    assert_eq!(run.outstanding(), [verify(1, "code", "c1")]);

    assert_eq!(run.verifies(holds()), [proven("code", "c1"), done("code"), taken("docs")]);

    run.begins("docs");
    run.ends("docs#1", "c2");
    assert_eq!(run.verifies(holds()), [proven("docs", "c2")]);
    assert_eq!(
        run.outstanding(),
        [Effect::EnsureCommit {
            step: "docs".into(),
            code: "c2".into(),
            parent: "base".into(),
            date: START,
        }]
    );

    assert_eq!(
        run.commits("docs", "commit1"),
        [
            Event::StepCommitted {
                step: "docs".into(),
                commit: "commit1".into(),
                code: "c2".into()
            },
            done("docs"),
            Event::RunCompleted,
        ]
    );
    assert_eq!(run.outstanding(), []);
    assert_eq!(run.state.status(), RunStatus::Completed);
    assert_eq!((run.state.head.as_str(), run.state.head_code.as_str()), ("commit1", "c2"));
}

#[test]
fn an_empty_plan_is_complete_at_once() {
    assert_eq!(Run::of([]).first, [Event::RunCompleted]);
}

#[test]
fn nothing_happens_after_the_end() {
    let mut run = Run::of([agent("code")]);
    run.proves("code", "c1");
    for decision in [ABORT, PAUSE, RESUME, skip("code"), rollback("code", "c1")] {
        assert_eq!(run.refuses(decision), Rejected::Ended);
    }
    let took_over = InputKind::DriverTookOver { driver: Fence(7), session: None, boxes: None };
    assert_eq!(run.feed(took_over), Err(Rejected::Ended));
    let event = Event::DriverTookOver { driver: Fence(7), session: None, boxes: None };
    assert!(matches!(run.state.apply(run.at, &event), Err(IllegalEvent::AfterEnd { .. })));
}

#[test]
fn steps_that_need_nothing_of_each_other_take_turns_in_plan_order() {
    let mut run = Run::of([agent("a").needs([]), agent("b").needs([]), agent("c").needs(["a"])]);
    assert_eq!(run.outstanding(), [take_baseline("a", 0)]);
    assert_eq!(run.proves("a", "c1"), [proven("a", "c1"), done("a"), taken("b")]);
    assert_eq!(run.proves("b", "c2"), [proven("b", "c2"), done("b"), taken("c")]);
}
