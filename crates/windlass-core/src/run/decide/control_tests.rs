//! Pause, resume, new tries and abort.

use crate::plan::Exhausted;
use crate::proof::Outcome;
use crate::run::testing::*;
use crate::run::*;
use crate::time::Span;

fn by_ann() -> Event {
    paused(PauseReason::User, "paused by ann")
}

#[test]
fn a_pause_lets_the_running_attempt_finish_and_starts_nothing_new() {
    let mut run = Run::of([agent("a"), agent("b")]);
    run.begins("a");
    assert_eq!(run.decides(PAUSE), [by_ann()]);
    assert_eq!(run.state.status(), RunStatus::Active, "an attempt is still running");
    assert_eq!(run.outstanding(), [ensure("a#1")]);
    run.ends("a#1", "c1");
    assert_eq!(run.verifies(holds()), [proven("a", "c1"), done("a")]);
    assert_eq!(run.state.status(), RunStatus::Paused);
    assert_eq!(run.refuses(PAUSE), Rejected::AlreadyPaused);
    assert_eq!(run.decides(RESUME), [resumed(), taken("b")]);
    assert_eq!(run.refuses(RESUME), Rejected::NotPaused);
}

#[test]
fn a_pause_at_once_stops_the_attempt_and_the_resumed_run_goes_on_with_it() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    assert_eq!(run.decides(PAUSE_NOW), [stop("code#1", StopReason::Pause), by_ann()]);
    assert_eq!(run.outstanding(), [Effect::StopAttempt { attempt: attempt_id("code#1") }]);
    assert_eq!(run.status_of("code"), StepStatus::Running);
    assert_eq!(
        run.ends_with("code#1", "c1", Outcome::Cancelled),
        [ended_with("code#1", "c1", Outcome::Cancelled)]
    );
    assert_eq!((run.state.status(), run.step("code").tries), (RunStatus::Paused, 0));
    assert_eq!(run.decides(RESUME), [resumed(), started("code#2", 1)]);
}

#[test]
fn an_attempt_that_ended_before_it_was_stopped_is_looked_at_when_the_run_goes_on() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    run.decides(PAUSE_NOW);
    run.ends("code#1", "c1");
    assert_eq!(
        run.decides(RESUME),
        [resumed(), verification(1, "code", "c1", VerifyReason::MayBeDone)]
    );
    assert_eq!(
        run.verifies(fails("half done")),
        [not_proven_for_free("code", "half done"), started("code#2", 1)]
    );
}

#[test]
fn a_pause_can_be_made_a_pause_at_once() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.decides(PAUSE);
    assert_eq!(run.decides(PAUSE_NOW), [stop("code#1", StopReason::Pause)]);
}

#[test]
fn a_pause_at_once_gives_a_verification_up_and_the_resumed_run_makes_it_again() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends("code#1", "c1");
    let abandoned = Event::VerificationAbandoned { verification: crate::id::VerificationId(1) };
    assert_eq!(run.decides(PAUSE_NOW), [abandoned, by_ann()]);
    assert_eq!(run.outstanding(), []);
    run.decides(RESUME);
    assert_eq!(run.outstanding(), [verify(2, "code", "c1")]);
}

#[test]
fn a_pause_lets_a_baseline_and_a_commit_finish() {
    let mut run = Run::of([agent("code").commits()]);
    run.decides(PAUSE_NOW);
    assert_eq!(run.begins("code"), [began("code", "c0")]);
    run.decides(RESUME);
    run.ends("code#1", "c1");
    run.verifies(holds());
    run.decides(PAUSE_NOW);
    let events = run.commits("code", "commit1");
    assert_eq!(events[1..], [done("code")], "complete only when the run continues");
    assert_eq!(run.decides(RESUME), [resumed(), Event::RunCompleted]);
}

#[test]
fn a_wait_can_end_while_the_run_is_paused() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends_with("code#1", "c1", Outcome::TimedOut);
    run.verifies(fails("no"));
    run.decides(PAUSE);
    assert_eq!(run.state.status(), RunStatus::Paused);
    run.later(Span::hours(1));
    assert_eq!(run.timer("code"), [Event::WaitEnded { step: "code".into() }]);
    assert_eq!(run.decides(RESUME), [resumed(), started("code#2", 2)]);
}

#[test]
fn whoever_resumes_has_a_limit_asked_about_again() {
    let until = START.plus(Span::hours(5));
    let held = Outcome::Held { until, why: "quiet hours".to_owned() };
    let limit = Outcome::ProviderLimit { resets_at: Some(until), message: "limit".to_owned() };
    for how in [held, limit] {
        let mut run = Run::of([agent("code")]);
        run.begins("code");
        run.ends_with("code#1", "c1", how);
        assert_eq!(run.state.status(), RunStatus::Waiting);
        run.decides(PAUSE);
        let ended = Event::WaitEnded { step: "code".into() };
        assert_eq!(run.decides(RESUME), [resumed(), ended, started("code#2", 1)]);
    }
}

#[test]
fn a_backoff_goes_on_when_the_run_does() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends_with("code#1", "c1", Outcome::TimedOut);
    run.verifies(fails("no"));
    run.decides(PAUSE);
    assert_eq!(run.decides(RESUME), [resumed()]);
    assert_eq!(run.state.status(), RunStatus::Waiting);
}

#[test]
fn new_tries_go_to_the_step_that_failed_when_none_is_named() {
    let mut run = Run::of([agent("a").retries(1).exhausted(Exhausted::Block)]);
    assert_eq!(run.refuses(Decision::RetryReset { step: None }), Rejected::NothingFailed);
    run.begins("a");
    run.fails("a#1", "c1");
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    let events = run.decides(Decision::RetryReset { step: None });
    assert_eq!(events, [Event::RetriesReset { step: "a".into() }, taken("a")]);
    run.begins_from("a", "c0");
    assert_eq!(run.outstanding(), [ensure("a#2")]);
    assert_eq!(run.refuses(retry("nobody")), Rejected::UnknownStep { step: "nobody".into() });
}

#[test]
fn a_finished_step_gets_no_new_tries() {
    let mut run = Run::of([agent("a"), agent("b")]);
    run.proves("a", "c1");
    let status = "done".to_owned();
    assert_eq!(run.refuses(retry("a")), Rejected::StepFinished { step: "a".into(), status });
}

fn requested() -> Event {
    Event::AbortRequested { reason: None }
}

#[test]
fn an_abort_stops_the_attempt_and_ends_the_run_when_it_is_gone() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    assert_eq!(run.decides(ABORT), [stop("code#1", StopReason::Abort), requested()]);
    assert_eq!(run.state.status(), RunStatus::Active);
    assert!(matches!(run.refuses(ABORT), Rejected::Busy { .. }));
    assert_eq!(run.refuses(PAUSE), Rejected::AlreadyPaused);
    assert_eq!(run.refuses(RESUME), Rejected::NotPaused);
    assert_eq!(run.ends("code#1", "c1"), [ended("code#1", "c1"), Event::RunAborted]);
    assert_eq!((run.state.status(), run.outstanding()), (RunStatus::Aborted, Vec::new()));
}

#[test]
fn an_abort_while_the_attempt_is_being_stopped_waits_for_its_end() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.decides(PAUSE_NOW);
    assert_eq!(run.decides(ABORT), [requested()]);
    assert_eq!(run.loses("code#1", "c1"), [lost("code#1", "c1"), Event::RunAborted]);
}

#[test]
fn an_abort_ends_the_run_at_once_when_no_attempt_is_running() {
    let at_once = [requested(), Event::RunAborted];
    let mut beginning = Run::of([agent("code")]);
    let mut waiting = beginning.clone();
    assert_eq!(beginning.decides(ABORT), at_once);

    waiting.begins("code");
    waiting.ends_with("code#1", "c1", Outcome::TimedOut);
    let mut verifying = waiting.clone();
    let abandoned = Event::VerificationAbandoned { verification: crate::id::VerificationId(1) };
    assert_eq!(verifying.decides(ABORT), [abandoned, requested(), Event::RunAborted]);

    waiting.verifies(fails("no"));
    let mut paused = waiting.clone();
    assert_eq!(waiting.decides(ABORT), at_once);
    paused.decides(PAUSE);
    assert_eq!(paused.decides(ABORT), at_once);

    let mut deciding = Run::of([agent("code").when("true")]);
    assert_eq!(deciding.decides(ABORT), at_once);

    let mut gated = Run::of([agent("code").gated()]);
    gated.proves("code", "c1");
    assert_eq!(gated.decides(ABORT), at_once);

    let mut committing = Run::of([agent("code").commits()]);
    committing.proves("code", "c1");
    let mut obstructed = committing.clone();
    assert_eq!(committing.decides(ABORT), at_once);
    obstructed.refuses_commit("code", "no");
    assert_eq!(obstructed.decides(ABORT), at_once);

    let mut failed = Run::of([agent("code").retries(1)]);
    failed.begins("code");
    failed.fails("code#1", "c1");
    assert_eq!(failed.decides(ABORT), at_once);

    let mut blocked = Run::of([agent("code").when("x")]);
    blocked.when("code", Err("no"));
    assert_eq!(blocked.decides(ABORT), at_once);
}

#[test]
fn a_late_baseline_of_a_blocked_step_is_not_taken_for_its_new_one() {
    let mut run = Run::of([agent("a").retries(1).exhausted(Exhausted::Block)]);
    run.begins("a");
    run.fails("a#1", "c1");
    run.decides(retry("a"));
    let late = InputKind::BaselineTaken { step: "a".into(), epoch: 0, baseline: baseline("c0") };
    assert_eq!(run.feed(late), Err(Rejected::NotExpected), "the place is not reset yet");
    assert_eq!(
        run.outstanding(),
        [Effect::TakeBaseline(BaselineRequest {
            step: "a".into(),
            epoch: 1,
            set_aside: Vec::new(),
            reset_code: Some("c0".into()),
        })]
    );
}

#[test]
fn new_tries_for_a_step_whose_when_had_no_value_evaluate_it_again() {
    let mut run = Run::of([agent("a").when("bad")]);
    run.when("a", Err("bad"));
    run.decides(retry("a"));
    assert_eq!(run.outstanding(), [Effect::EvaluateWhen { step: "a".into(), epoch: 1 }]);
}

#[test]
fn new_tries_for_a_blocked_step_wait_for_the_place() {
    let mut run = Run::of([
        agent("a").needs([]).retries(1).exhausted(Exhausted::Block),
        agent("b").needs([]).gated(),
    ]);
    run.begins("a");
    run.fails("a#1", "c1");
    run.proves("b", "c2");
    assert_eq!(run.decides(retry("a")), [Event::RetriesReset { step: "a".into() }]);
    assert_eq!(run.status_of("a"), StepStatus::Ready);
    assert_eq!(run.decides(approve(1, "c2"))[1..], [done("b"), taken("a")]);
}

#[test]
fn who_resumes_a_run_that_waits_for_a_limit_has_it_ask_again() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    let until = START.plus(Span::hours(20));
    let how = crate::proof::Outcome::Held { until, why: "the day's money is used up".to_owned() };
    run.ends_with("code#1", "c0", how);
    let events = run.decides(Decision::Resume { raise: Raise::default() });
    assert_eq!(events, [Event::WaitEnded { step: "code".into() }, started("code#2", 1)]);
    let more = Raise { attempts: 3, ..Raise::default() };
    let answer = run.feed(InputKind::Decided(Decision::Resume { raise: more }));
    assert_eq!(answer, Err(Rejected::NotPaused));
}
