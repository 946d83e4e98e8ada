//! A session drives: offers, rounds, and what keeps it from going round for ever.

use crate::run::session::{BLOCKS_IN_A_ROW, BLOCKS_IN_ALL, ROUNDS_END};
use crate::run::testing::*;
use crate::run::*;
use crate::time::Span;

fn session() -> Session {
    Session {
        id: "s1".to_owned(),
        host: HostKind::Claude,
        process: HostProcess { pid: 7, start: 11 },
        terminal: false,
    }
}

/// A run whose first step is offered to a session.
fn hosted<const N: usize>(steps: [Draft; N]) -> Run {
    let mut run = Run::of(steps);
    let took_over =
        InputKind::DriverTookOver { driver: DRIVER, session: Some(session()), boxes: None };
    run.expect_fed(took_over);
    run
}

fn taken(attempt: &str, call: &str) -> InputKind {
    InputKind::OfferTaken { attempt: attempt_id(attempt), call: call.to_owned() }
}

fn handed_over(attempt: &str, agent: &str) -> InputKind {
    InputKind::HandedOver { attempt: attempt_id(attempt), agent: agent.to_owned() }
}

fn at_work(run: &mut Run, attempt: &str) {
    run.expect_fed(taken(attempt, "call"));
    run.expect_fed(handed_over(attempt, "agent"));
}

fn stop_asked() -> InputKind {
    InputKind::StopAsked { idle_blocks: 0, cap: Some(8) }
}

#[test]
fn an_offer_is_taken_once_and_again_until_a_subagent_is_there() {
    let mut run = hosted([agent("code")]);
    run.begins("code");
    assert_eq!(run.feed(handed_over("code#1", "a")), Err(Rejected::NotExpected));
    let event = |call: &str| Event::OfferTaken { attempt: attempt_id("code#1"), call: call.into() };
    assert_eq!(run.feed(taken("code#1", "c1")), Ok(vec![event("c1")]));
    assert_eq!(run.feed(taken("code#1", "c1")), Ok(vec![]), "the same call again");
    assert_eq!(run.feed(taken("code#1", "c2")), Ok(vec![event("c2")]), "nothing came of the first");
    run.expect_fed(handed_over("code#1", "a"));
    assert_eq!(run.feed(handed_over("code#1", "a")), Ok(vec![]));
    let in_hands = Rejected::Taken { attempt: attempt_id("code#1") };
    assert_eq!(run.feed(handed_over("code#1", "b")), Err(in_hands.clone()));
    assert_eq!(run.feed(taken("code#1", "c3")), Err(in_hands));
}

#[test]
fn without_a_session_nothing_is_offered() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    assert_eq!(run.feed(taken("code#1", "c")), Err(Rejected::NoSession));
    assert_eq!(run.feed(stop_asked()), Err(Rejected::NoSession));
}

#[test]
fn work_that_is_not_proven_goes_back_to_its_subagent_and_costs_no_try() {
    let mut run = hosted([agent("code").retries(2)]);
    run.begins("code");
    at_work(&mut run, "code#1");
    for round in 1..step_bounds(2).rounds {
        run.ends("code#1", "c1");
        let events = run.verifies(fails(&"x".repeat(round as usize)));
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].kind(), "round_failed");
        assert_eq!(run.outstanding(), [ensure("code#1")]);
        assert_eq!(run.step("code").tries, 0);
    }
    run.ends("code#1", "c1");
    let events = run.verifies(fails("the last one"));
    assert_eq!(events, [not_proven("code", "the last one"), started("code#2", 2)]);
    assert_eq!(run.step("code").handover, None, "the next attempt is a new offer");
    assert_eq!(run.state.spent.unknown_cost, 1, "one attempt, however many rounds");
}

#[test]
fn rounds_end_after_a_while() {
    let mut run = hosted([agent("code").retries(2)]);
    run.begins("code");
    at_work(&mut run, "code#1");
    run.later(ROUNDS_END);
    run.ends("code#1", "c1");
    assert_eq!(run.verifies(fails("no"))[0], not_proven("code", "no"));
}

#[test]
fn a_round_that_holds_proves_the_step() {
    let mut run = hosted([agent("code")]);
    run.begins("code");
    at_work(&mut run, "code#1");
    run.ends("code#1", "c1");
    run.verifies(fails("no"));
    run.ends("code#1", "c2");
    assert_eq!(run.verifies(holds())[..2], [proven("code", "c2"), done("code")]);
}

#[test]
fn a_paused_run_has_no_more_rounds() {
    let mut run = hosted([agent("code")]);
    run.begins("code");
    at_work(&mut run, "code#1");
    run.ends("code#1", "c1");
    run.decides(Decision::Pause { now: false });
    assert_eq!(run.verifies(fails("no")), [not_proven("code", "no")]);
}

#[test]
fn a_session_that_is_sent_on_again_and_again_is_stopped() {
    let mut run = hosted([agent("code")]);
    run.begins("code");
    for _ in 0..BLOCKS_IN_A_ROW {
        assert_eq!(run.feed(stop_asked()), Ok(vec![Event::StopBlocked]));
    }
    let detail = "the session was told to continue 15 times without a new attempt or proof";
    let pauses = paused(PauseReason::LoopDetected, detail);
    assert_eq!(run.feed(stop_asked()), Ok(vec![withdrawn("code#1"), pauses]));
    assert_eq!(run.feed(stop_asked()), Err(Rejected::NotExpected), "it is paused");
}

#[test]
fn a_new_attempt_counts_from_zero_but_not_in_all() {
    let mut run = hosted([agent("code").retries(200)]);
    run.begins("code");
    let mut sent_on = 0;
    for number in 1.. {
        for _ in 0..10 {
            let events = run.feed(stop_asked()).unwrap();
            if events != [Event::StopBlocked] {
                assert_eq!(sent_on, BLOCKS_IN_ALL);
                return;
            }
            sent_on += 1;
        }
        let attempt = format!("code#{number}");
        run.ends(&attempt, &attempt);
        run.verifies(fails(&"x".repeat(number)));
    }
}

#[test]
fn a_person_who_says_something_has_it_count_from_zero() {
    let mut run = hosted([agent("code")]);
    run.begins("code");
    run.expect_fed(stop_asked());
    assert_eq!(run.feed(InputKind::PersonSpoke), Ok(vec![Event::BlocksReset]));
    assert_eq!(run.state.blocks, Blocks::default());
    assert_eq!(run.feed(InputKind::PersonSpoke), Ok(vec![]));
}

#[test]
fn the_run_pauses_before_the_host_would_let_its_session_stop() {
    let mut run = hosted([agent("code")]);
    run.begins("code");
    let asked = |idle_blocks| InputKind::StopAsked { idle_blocks, cap: Some(8) };
    assert_eq!(run.feed(asked(6)), Ok(vec![Event::StopBlocked]));
    let detail = "the session was told to continue 7 times and called no tool";
    let pauses = paused(PauseReason::LoopDetected, detail);
    assert_eq!(run.feed(asked(7)), Ok(vec![withdrawn("code#1"), pauses]));
}

#[test]
fn a_session_without_a_bound_is_not_stopped_by_one() {
    let mut run = hosted([agent("code")]);
    run.begins("code");
    let asked = InputKind::StopAsked { idle_blocks: 12, cap: None };
    assert_eq!(run.feed(asked), Ok(vec![Event::StopBlocked]));
}

#[test]
fn a_session_that_left_stays_the_owner_and_starts_nothing() {
    let mut run = hosted([agent("code"), agent("more")]);
    run.begins("code");
    at_work(&mut run, "code#1");
    run.expect_fed(InputKind::DriverLeft);
    assert!(!run.state.is_hosted());
    assert_eq!(run.state.session, Some(session()));
    run.ends("code#1", "c1");
    assert_eq!(run.verifies(fails("no")), [not_proven("code", "no")], "no round and no attempt");
}

fn withdrawn(attempt: &str) -> Event {
    Event::OfferWithdrawn { attempt: attempt_id(attempt) }
}

#[test]
fn an_offer_that_nobody_took_is_withdrawn_before_a_person_decides() {
    let mut run = hosted([agent("plan"), agent("code")]);
    run.begins("plan");
    at_work(&mut run, "plan#1");
    run.ends("plan#1", "c1");
    run.verifies(holds());
    run.begins("code");
    let spent = run.state.spent.attempts;
    let events = run.decides(Decision::Pause { now: false });
    assert_eq!(events[0], withdrawn("code#1"));
    assert_eq!(run.state.status(), RunStatus::Paused);
    assert_eq!(run.state.spent.attempts, spent - 1, "the budget has it back");
    let events = run.decides(Decision::Resume { raise: Raise::default() });
    assert_eq!(events[1], started("code#2", 1), "and it cost no try");
    assert_eq!(run.decides(rollback("plan", "c1"))[0], withdrawn("code#2"));
}

#[test]
fn who_takes_over_finds_no_offer_of_another_session() {
    let mut run = hosted([agent("code")]);
    run.begins("code");
    let other = Session { id: "s2".to_owned(), ..session() };
    let driver = crate::id::Fence(DRIVER.0 + 1);
    let took_over = InputKind::DriverTookOver { driver, session: Some(other), boxes: None };
    let kinds: Vec<_> = run.expect_fed(took_over).iter().map(Event::kind).collect();
    assert_eq!(kinds, ["offer_withdrawn", "driver_took_over", "attempt_started"]);
    assert_eq!(run.expect_fed(InputKind::DriverLeft)[0], withdrawn("code#2"));
    assert_eq!(run.outstanding(), []);
}

#[test]
fn what_the_session_tells_of_itself_is_kept_and_changes_nothing() {
    let mut run = hosted([agent("code")]);
    run.begins("code");
    let before = run.state.clone();
    let noted = InputKind::SessionNoted { event: "PreCompact".to_owned() };
    assert_eq!(run.expect_fed(noted).len(), 1);
    let mut after = run.state.clone();
    after.now = before.now;
    assert_eq!(after, before);
    assert!(run.at.since(START) <= Span::hours(1));
}

#[test]
fn a_subagent_that_is_lost_after_a_failed_round_has_used_a_try() {
    let mut run = hosted([agent("code").retries(2)]);
    run.begins("code");
    for number in 1..=2 {
        let attempt = format!("code#{number}");
        at_work(&mut run, &attempt);
        run.ends(&attempt, "c1");
        let events = run.verifies(fails(&format!("way {number} of failing")));
        assert!(matches!(events[0], Event::RoundFailed { .. }), "{events:?}");
        assert_eq!(run.step("code").tries, number - 1);
        let events = run.loses(&attempt, "c1");
        assert!(matches!(events[1], Event::StepNotProven { costs_try: true, .. }), "{events:?}");
    }
    assert_eq!(run.state.reason(), Some("retries_exhausted"));
}

#[test]
fn a_subagent_that_is_lost_before_it_was_judged_has_used_no_try() {
    let mut run = hosted([agent("code").retries(2)]);
    run.begins("code");
    at_work(&mut run, "code#1");
    run.loses("code#1", "c1");
    assert_eq!(run.step("code").tries, 0);
}
