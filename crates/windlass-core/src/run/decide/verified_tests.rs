//! Proofs, failures and what becomes of a step without a proof.

use crate::id::VerificationId;
use crate::plan::{Exhausted, Limits};
use crate::proof::{Outcome, Usage, VerifyReport};
use crate::run::testing::*;
use crate::run::*;
use crate::time::Span;

#[test]
fn a_failed_check_starts_the_next_try_at_once() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends("code#1", "c1");
    assert_eq!(run.verifies(fails("no")), [not_proven("code", "no"), started("code#2", 2)]);
    assert_eq!(run.step("code").failure, Some(test_failure("no")));
}

#[test]
fn the_last_try_pauses_the_run() {
    let mut run = Run::of([agent("code").retries(2), agent("docs")]);
    run.begins("code");
    run.fails("code#1", "c1");
    run.ends("code#2", "c2");
    assert_eq!(
        run.verifies(fails("no")),
        [
            not_proven("code", "no"),
            failed("code"),
            paused(PauseReason::RetriesExhausted, "`code`: not proven in 2 tries"),
        ]
    );
    assert_eq!(run.state.status(), RunStatus::Paused);
    assert_eq!(run.state.reason(), Some("retries_exhausted"));
    assert_eq!(run.status_of("code"), StepStatus::Failed);
    assert_eq!(run.refuses(RESUME), Rejected::Exhausted { step: "code".into() });
    assert_eq!(
        run.decides(retry("code")),
        [Event::RetriesReset { step: "code".into() }, resumed(), started("code#3", 1)]
    );
}

#[test]
fn the_last_try_blocks_the_step_and_its_files_leave_the_place() {
    let mut run = Run::of([
        agent("a").retries(1).exhausted(Exhausted::Block),
        agent("b").needs([]),
        agent("c").needs(["a"]),
    ]);
    run.begins("a");
    run.ends("a#1", "c1");
    let blocked =
        Event::StepBlocked { step: "a".into(), reason: "not proven in 1 tries".to_owned() };
    assert_eq!(run.verifies(fails("no")), [not_proven("a", "no"), blocked, taken("b")]);
    assert_eq!(
        run.outstanding(),
        [Effect::TakeBaseline(BaselineRequest {
            step: "b".into(),
            epoch: 0,
            set_aside: Vec::new(),
            reset_code: Some("c0".into()),
        })]
    );
    run.begins_from("b", "c0");
    assert_eq!(run.state.reset_code, None);
    run.ends("b#1", "c2");
    assert_eq!(run.verifies(holds()), [proven("b", "c2"), done("b")]);
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    assert_eq!(run.status_of("c"), StepStatus::Pending);
    assert_eq!(ids(&run.state, &run.state.blocked), ["a".into()].into());
}

#[test]
fn the_last_try_waives_the_proof_and_the_run_goes_on() {
    let mut run = Run::of([agent("a").retries(1).exhausted(Exhausted::Waive), agent("b")]);
    run.begins("a");
    run.ends("a#1", "c1");
    assert_eq!(
        run.verifies(fails("no")),
        [not_proven("a", "no"), Event::StepWaived { step: "a".into(), kept: false },]
    );
    let Effect::TakeBaseline(request) = &run.outstanding()[0] else { panic!() };
    assert_eq!((request.step.as_str(), &request.reset_code), ("a", &Some("c0".into())));
    assert_eq!(run.begins_from("a", "c0")[1..], [done("a"), taken("b")]);
    assert!(run.step("a").waived);
    assert_eq!(run.status_of("a"), StepStatus::Done);
}

#[test]
fn waived_work_still_waits_at_its_gate() {
    let mut run = Run::of([agent("a").retries(1).exhausted(Exhausted::Waive).gated()]);
    run.begins("a");
    run.ends("a#1", "c1");
    run.verifies(fails("no"));
    run.begins_from("a", "c0");
    assert_eq!(run.state.status(), RunStatus::AwaitingApproval);
    assert_eq!(run.decides(approve(1, "c0")), [approved(1), done("a"), Event::RunCompleted]);
    assert!(run.step("a").waived);
}

#[test]
fn waived_work_stays_only_within_its_bounds_and_by_the_workflows_word() {
    let waiving = || agent("a").retries(1).exhausted(Exhausted::Waive).waive_keeps();
    let mut run = Run::of([waiving(), agent("b")]);
    run.begins("a");
    run.ends("a#1", "c1");
    let events = run.verifies(fails("no"));
    assert_eq!(events[1], Event::StepWaived { step: "a".into(), kept: true });
    assert_eq!((&run.state.reset_code, &run.state.proven_code), (&None, &"c1".into()));

    let mut run = Run::of([waiving(), agent("b")]);
    run.begins("a");
    run.ends("a#1", "c1");
    let outside = VerifyReport { outside_may_write: vec!["core.txt".to_owned()], ..fails("no") };
    let events = run.verifies(outside);
    assert_eq!(events[1], Event::StepWaived { step: "a".into(), kept: false });
    assert_eq!(run.state.reset_code, Some("c0".into()));
}

#[test]
fn a_blocked_step_leaves_no_work_of_an_earlier_life_behind() {
    let mut run =
        Run::of([agent("a").retries(1).exhausted(Exhausted::Block), agent("b").needs([])]);
    run.begins("a");
    run.ends("a#1", "c1");
    run.decides(PAUSE);
    run.verifies(fails("no"));
    assert_eq!(run.state.reset_code, Some("c0".into()));
}

#[test]
fn nobody_but_a_person_decides() {
    let run = Run::of([agent("a")]);
    let kind = InputKind::Decided(Decision::Pause { now: false });
    let input = Input { at: START, actor: Actor::engine(), kind };
    assert_eq!(decide(&run.state, &input), Err(Rejected::NotAPerson));
}

#[test]
fn the_same_failure_three_times_over_pauses_early() {
    let mut run = Run::of([agent("code").retries(9)]);
    run.begins("code");
    for attempt in ["code#1", "code#2"] {
        run.ends(attempt, "c1");
        run.verifies(fails("FAIL sum 12:01"));
    }
    run.ends("code#3", "c1");
    let detail = "`code` failed in the same way 3 times over";
    assert_eq!(
        run.verifies(fails("FAIL sum 12:07"))[1..],
        [failed("code"), paused(PauseReason::RepeatedFailure, detail)],
        "times and numbers make no difference"
    );
}

#[test]
fn another_failure_in_between_breaks_the_row() {
    let mut run = Run::of([agent("code").retries(9)]);
    run.begins("code");
    for (attempt, why) in [("code#1", "x"), ("code#2", "x"), ("code#3", "y"), ("code#4", "x")] {
        run.ends(attempt, "c1");
        run.verifies(fails(why));
    }
    assert_eq!(run.outstanding(), [ensure("code#5")]);
}

#[test]
fn a_late_report_of_an_earlier_verification_is_refused() {
    let mut run = Run::of([agent("code")]);
    let report = |id| InputKind::Verified {
        verification: VerificationId(id),
        report: Box::new(holds()),
        jitter: 0,
    };
    assert_eq!(run.feed(report(1)), Err(Rejected::StaleVerification));
    run.begins("code");
    run.fails("code#1", "c1");
    assert_eq!(run.feed(report(1)), Err(Rejected::StaleVerification), "an attempt runs");
    run.ends("code#2", "c2");
    assert_eq!(run.feed(report(1)), Err(Rejected::StaleVerification), "another one runs");
    assert_eq!(run.outstanding(), [verify(2, "code", "c2")]);
}

#[test]
fn a_verifier_that_breaks_is_tried_again_and_the_third_time_pauses() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends("code#1", "c1");
    let broke = || Event::VerificationBroken { step: "code".into(), message: "no disk".to_owned() };
    for span in [Span::seconds(40), Span::seconds(80)] {
        let until = run.at.plus(span);
        assert_eq!(run.verifies(broken()), [broke(), waits("code", until, false)]);
        run.at = until;
        run.timer("code");
    }
    let detail = "`code` could not be verified 3 times over: no disk";
    assert_eq!(run.verifies(broken()), [broke(), paused(PauseReason::RepeatedFailure, detail)]);
    assert_eq!(run.step("code").tries, 0);
    run.decides(RESUME);
    assert_eq!(run.verifies(holds())[..2], [proven("code", "c1"), done("code")]);
}

#[test]
fn files_outside_may_write_fail_a_step_whose_checks_hold() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends("code#1", "c1");
    let report = VerifyReport { outside_may_write: vec!["x.txt".to_owned()], ..holds() };
    let events = run.verifies(report);
    let Event::StepNotProven { failure, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(failure.summary, "files outside `may_write` were changed: x.txt");
}

#[test]
fn a_check_that_was_not_looked_at_proves_nothing() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends("code#1", "c1");
    let events = run.verifies(VerifyReport { proofs: Vec::new(), ..holds() });
    assert!(matches!(events[0], Event::StepNotProven { .. }));
}

#[test]
fn a_step_that_may_be_satisfied_already_is_verified_before_its_first_attempt() {
    let mut run = Run::of([agent("a").satisfied_ok().retries(1), agent("b").satisfied_ok()]);
    assert_eq!(
        run.begins("a"),
        [began("a", "c0"), verification(1, "a", "c0", VerifyReason::MayBeDone)]
    );
    assert_eq!(run.verifies(fails("no")), [not_proven_for_free("a", "no"), started("a#1", 1)]);
    run.ends("a#1", "c1");
    run.verifies(holds());
    run.begins("b");
    assert_eq!(run.verifies(holds()), [proven("b", "c1"), done("b"), Event::RunCompleted]);
    assert_eq!(run.step("b").attempts, 0);
}

#[test]
fn used_up_attempts_pause_the_run_until_a_person_raises_the_budget() {
    let limits = Limits { cost_usd: 1e6, wall: Span::hours(9), attempts: 1 };
    let mut run = Run::limited([agent("code")], limits);
    run.begins("code");
    run.ends("code#1", "c1");
    let over = || paused(PauseReason::Budget, "1 of 1 attempts are used");
    assert_eq!(run.verifies(fails("no"))[1..], [over()]);
    assert_eq!(run.decides(RESUME), [resumed(), over()], "nothing was added");
    let raise = Raise { attempts: 1, ..Raise::default() };
    assert_eq!(
        run.decides(Decision::Resume { raise: raise.clone() }),
        [Event::RunResumed { raise }, started("code#2", 2)]
    );
}

#[test]
fn used_up_money_pauses_the_run() {
    let limits = Limits { cost_usd: 1.0, wall: Span::hours(9), attempts: 9 };
    let mut run = Run::limited([agent("code"), agent("docs")], limits);
    run.begins("code");
    let usage = Usage { cost_usd: Some(1.25), ..Usage::default() };
    let report = crate::proof::AttemptReport { usage, ..report(Outcome::Exited { code: 0 }) };
    run.reports("code#1", "c1", report);
    assert_eq!(run.verifies(holds()), [proven("code", "c1"), done("code"), taken("docs")]);
    let over = paused(PauseReason::Budget, "1.25 of 1.00 USD are used");
    assert_eq!(run.begins("docs"), [began("docs", "c1"), over]);
    assert_eq!(run.step("code").cost_usd, 1.25);
    assert_eq!(run.state.spent.unknown_cost, 0);
    let raise = Raise { cost_usd: 1.0, ..Raise::default() };
    assert_eq!(run.decides(Decision::Resume { raise })[1..], [started("docs#1", 1)]);
}

#[test]
fn used_up_time_of_attempts_and_checks_pauses_the_run() {
    let limits = Limits { cost_usd: 1.0, wall: Span::minutes(10), attempts: 9 };
    let mut run = Run::limited([agent("code")], limits);
    run.later(Span::hours(5)).begins("code");
    run.later(Span::minutes(6)).ends("code#1", "c1");
    let over = paused(PauseReason::Budget, "11m00s of 10m00s are used");
    assert_eq!(run.later(Span::minutes(5)).verifies(fails("no"))[1..], [over]);
    let raise = Raise { wall: Span::minutes(9), ..Raise::default() };
    assert_eq!(run.decides(Decision::Resume { raise })[1..], [started("code#2", 2)]);
}

#[test]
fn an_attempt_costs_its_try_also_when_the_verifier_broke_first() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    run.ends("code#1", "c1");
    run.verifies(broken());
    run.later(Span::hours(1));
    assert_eq!(run.timer("code")[1..], [verification(2, "code", "c1", VerifyReason::AttemptEnded)]);
    assert_eq!(run.verifies(fails("no"))[..2], [not_proven("code", "no"), failed("code")]);
}

#[test]
fn an_attempt_costs_its_try_also_when_a_pause_gave_its_verification_up() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    run.ends("code#1", "c1");
    run.decides(PAUSE_NOW);
    run.decides(RESUME);
    assert_eq!(run.verifies(fails("no"))[..2], [not_proven("code", "no"), failed("code")]);
}

#[test]
fn an_attempt_costs_its_try_also_when_it_changed_protected_files_that_were_accepted() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    run.ends("code#1", "c1");
    run.verifies(protected());
    run.decides(approve(1, "c1"));
    assert_eq!(run.verifies(fails("no"))[..2], [not_proven("code", "no"), failed("code")]);
}

#[test]
fn a_verification_that_finds_changed_protected_files_takes_its_time() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends("code#1", "c1");
    run.later(Span::minutes(2)).verifies(protected());
    assert_eq!(run.state.spent.wall, Span::minutes(2));
    assert_eq!(run.step("code").wall, Span::minutes(2));
}
