//! Test first: what a proven `red` leaves, and what it is judged from when it lives again.

use crate::plan::{Exhausted, ValueType};
use crate::proof::{Red, RedSuite};
use crate::run::testing::*;

/// What the step `red` left when it was proven.
fn left(base: &str, code: &str) -> Option<Red> {
    let suite =
        RedSuite { command: String::new(), folder: None, ran: 0, failing: None, passed: false };
    Some(Red { base: base.into(), code: code.into(), suites: vec![suite] })
}

/// Tests that fail on `c1` and code that makes them pass on `c2`.
fn red_and_green() -> Run {
    let mut run = Run::of([agent("red").red(), agent("green"), agent("last").gated()]);
    run.begins("red");
    run.ends("red#1", "c1");
    run.verifies(fail_as_they_should());
    run.proves("green", "c2");
    run
}

#[test]
fn a_proven_red_is_remembered_with_what_it_began_from() {
    let run = red_and_green();
    assert_eq!(run.step("red").red, left("c0", "c1"));
    assert_eq!(run.step("red").first_code, Some("c0".into()));
    assert_eq!(run.step("green").first_code, None, "nobody asks what it first began from");
    assert_eq!(run.state.plan.red_before(run.index("green")), Some(run.index("red")));
    assert_eq!(run.state.plan.red_before(run.index("red")), None);
}

#[test]
fn a_red_that_is_opened_again_is_judged_from_where_it_first_began() {
    let mut run = red_and_green();
    run.proves("last", "c3");
    run.decides(rollback("red", "c3"));
    assert_eq!(run.step("red").red, None, "until it is proven again");
    run.begins("red");
    assert_eq!(run.step("red").first_code, Some("c0".into()));
    run.ends("red#2", "c4");
    run.verifies(fail_as_they_should());
    assert_eq!(run.step("red").red, left("c0", "c4"));
}

#[test]
fn a_red_that_was_blocked_begins_from_what_others_made_meanwhile() {
    let steps = [agent("stories/red").red().retries(1).exhausted(Exhausted::Block)];
    let plan = agent("plan").sets("items", ValueType::Array);
    let mut run = Run::of([plan, foreach("stories", 3, steps)]);
    run.begins("plan");
    run.asks("plan#1", "S1").unwrap();
    run.asks("plan#1", "S2").unwrap();
    run.ends("plan#1", "c1");
    run.verifies(holds());
    run.begins("stories/S1/red");
    run.fails("stories/S1/red#1", "c2");
    assert_eq!(run.step("stories/S1/red").first_code, None);
    assert_eq!(run.state.reset_code, Some("c1".into()), "nothing of it stays");
}
