//! Reports about a step: `when`, baseline, commit, timer.

use crate::run::testing::*;
use crate::run::*;

#[test]
fn a_step_whose_when_is_true_is_ready() {
    let mut run = Run::of([agent("code").when(".inputs.code")]);
    assert_eq!(run.first, []);
    assert_eq!(run.outstanding(), [Effect::EvaluateWhen { step: "code".into(), epoch: 0 }]);
    assert_eq!(run.state.status(), RunStatus::Active);
    assert_eq!(
        run.when("code", Ok(true)),
        [Event::StepReady { step: "code".into() }, taken("code")]
    );
}

#[test]
fn a_step_whose_when_is_false_is_skipped_and_the_run_goes_on() {
    let mut run = Run::of([agent("code").when(".inputs.code"), agent("docs")]);
    assert_eq!(
        run.when("code", Ok(false)),
        [skipped("code", "`when: .inputs.code` is not true"), taken("docs")]
    );
    assert_eq!(run.status_of("code"), StepStatus::Skipped);
}

#[test]
fn a_step_whose_when_has_no_value_is_blocked_and_others_go_on() {
    let mut run = Run::of([agent("code").when("nonsense"), agent("docs").needs([]), agent("last")]);
    let blocked = Event::StepBlocked {
        step: "code".into(),
        reason: "`when` has no value: bad expression".to_owned(),
    };
    assert_eq!(run.when("code", Err("bad expression")), [blocked]);
    assert_eq!(run.status_of("code"), StepStatus::Blocked);
    assert_eq!(run.outstanding(), [take_baseline("docs", 0)], "docs had the place all along");
}

#[test]
fn a_baseline_of_an_earlier_life_is_not_expected() {
    let mut run = Run::of([agent("code").gated()]);
    run.proves("code", "c1");
    run.decides(feedback("again", "c1"));
    let late = InputKind::BaselineTaken { step: "code".into(), epoch: 0, baseline: baseline("c0") };
    assert_eq!(run.feed(late), Err(Rejected::NotExpected));
    assert_eq!(run.begins("code"), [began("code", "c1"), started("code#2", 1)]);
}

#[test]
fn a_when_of_an_earlier_life_is_not_expected() {
    let mut run = Run::of([agent("a"), agent("b").when("true"), agent("c").gated()]);
    run.proves("a", "c1");
    run.when("b", Ok(true));
    run.proves("b", "c2");
    run.proves("c", "c3");
    run.decides(rollback("b", "c3"));
    let late = InputKind::WhenEvaluated { step: "b".into(), epoch: 0, value: Ok(false) };
    assert_eq!(run.feed(late), Err(Rejected::NotExpected));
    assert_eq!(run.when("b", Ok(true)), [Event::StepReady { step: "b".into() }, taken("b")]);
}

#[test]
fn a_late_report_of_an_earlier_commit_is_not_taken_for_the_current_one() {
    let mut run = Run::of([agent("code").commits().gated()]);
    run.proves("code", "c1");
    run.commits("code", "commit1");
    run.decides(feedback("again", "c1"));
    run.proves("code", "c2");
    let late = |commit: &str| InputKind::Committed {
        step: "code".into(),
        code: "c1".into(),
        parent: "base".into(),
        commit: commit.into(),
    };
    assert_eq!(run.feed(late("commit1")), Err(Rejected::NotExpected));
    let late = InputKind::CommitRefused {
        step: "code".into(),
        code: "c1".into(),
        parent: "base".into(),
        message: "no".to_owned(),
    };
    assert_eq!(run.feed(late), Err(Rejected::NotExpected));
    run.commits("code", "commit2");
    assert_eq!((run.state.head.as_str(), run.state.head_code.as_str()), ("commit2", "c2"));
}

#[test]
fn a_step_that_changes_no_code_commits_nothing() {
    let mut run = Run::of([agent("a").commits(), agent("b").commits(), agent("c").commits()]);
    assert_eq!(
        run.proves("a", "c0"),
        [proven("a", "c0"), done("a"), taken("b")],
        "the code is that of the base"
    );
    assert_eq!(run.proves("b", "c1"), [proven("b", "c1")]);
    run.commits("b", "commit1");
    assert_eq!(run.proves("c", "c1"), [proven("c", "c1"), done("c"), Event::RunCompleted]);
}

#[test]
fn what_a_step_does_not_commit_becomes_part_of_the_next_commit() {
    let mut run = Run::of([agent("a"), agent("b").commits()]);
    run.proves("a", "c1");
    assert_eq!(run.proves("b", "c1"), [proven("b", "c1")]);
    assert_eq!(run.state.status(), RunStatus::Active);
    assert_eq!(run.status_of("b"), StepStatus::Verifying);
}

#[test]
fn a_refused_commit_waits_for_a_person_and_is_tried_again_when_the_run_goes_on() {
    let mut run = Run::of([agent("code").commits(), agent("docs")]);
    run.proves("code", "c1");
    let blocker = Event::BlockerRaised { message: "the branch moved".to_owned() };
    assert_eq!(run.refuses_commit("code", "the branch moved"), [blocker]);
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    assert_eq!(run.outstanding(), []);
    assert_eq!(run.refuses(PAUSE), Rejected::AlreadyPaused);
    assert!(matches!(run.refuses(rollback("code", "c1")), Rejected::Busy { .. }));

    assert_eq!(run.decides(RESUME), [resumed()]);
    assert!(matches!(run.outstanding()[..], [Effect::EnsureCommit { .. }]));
    assert_eq!(run.commits("code", "commit1")[1..], [done("code"), taken("docs")]);
}

#[test]
fn an_early_or_unknown_timer_changes_nothing() {
    let mut run = Run::of([agent("code")]);
    assert_eq!(run.timer("code"), []);
    assert_eq!(run.timer("nobody"), []);
}
