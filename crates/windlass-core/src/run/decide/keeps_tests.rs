//! Tries that break what their step keeps.

use crate::plan::{Exhausted, Holds};
use crate::run::testing::*;
use crate::run::*;

fn reverted(step: &str) -> Event {
    Event::WorkReverted { step: step.into() }
}

/// The first try at `lint` left `c1`; `code` is what it began from.
fn tried(draft: Draft) -> Run {
    let mut run = Run::of([agent("code"), draft, agent("last")]);
    run.proves("code", "c0");
    run.begins("lint");
    run.ends("lint#1", "c1");
    run
}

#[test]
fn a_try_that_breaks_it_is_taken_back_before_the_next() {
    let mut run = tried(agent("lint").keeps());
    let events = run.verifies(fails_and_keeps(Holds::No));
    assert!(matches!(events[0], Event::StepNotProven { costs_try: true, .. }));
    assert_eq!(events[1..], [reverted("lint")]);
    let Effect::TakeBaseline(request) = &run.outstanding()[0] else { panic!() };
    assert_eq!(request.reset_code, Some("c0".into()));
    let failure = run.step("lint").failure.clone();
    assert!(failure.is_some(), "the next try is told why");
    assert_eq!(run.begins_from("lint", "c0")[1..], [started("lint#2", 2)]);
    assert_eq!((run.step("lint").tries, &run.step("lint").failure), (1, &failure));
    assert_eq!(run.state.reset_code, None);
    run.ends("lint#2", "c2");
    run.verifies(holds_and_keeps());
    assert_eq!(run.state.proven_code, "c2".into());
}

#[test]
fn a_try_that_only_fails_is_what_the_next_goes_on_from() {
    let mut run = tried(agent("lint").keeps());
    assert_eq!(run.verifies(fails_and_keeps(Holds::Yes))[1..], [started("lint#2", 2)]);
}

#[test]
fn what_gave_no_answer_is_taken_back_as_well_and_what_was_not_looked_at_is_not() {
    let mut run = tried(agent("lint").keeps());
    assert_eq!(run.verifies(fails_and_keeps(Holds::Unknown))[1..], [reverted("lint")]);
    let mut run = tried(agent("lint").keeps());
    let mut report = fails_and_keeps(Holds::No);
    report.proofs.remove(0);
    assert_eq!(run.verifies(report)[1..], [started("lint#2", 2)]);
}

#[test]
fn a_person_who_gives_new_tries_gets_them_from_where_the_step_began() {
    let mut run = tried(agent("lint").keeps().retries(1));
    run.verifies(fails_and_keeps(Holds::No));
    assert_eq!(run.status_of("lint"), StepStatus::Failed);
    let events = run.decides(Decision::RetryReset { step: None });
    assert!(events.contains(&reverted("lint")), "{events:?}");
}

#[test]
fn what_is_waived_is_not_what_it_broke() {
    let mut run = tried(agent("lint").keeps().retries(1).exhausted(Exhausted::Waive));
    run.verifies(fails_and_keeps(Holds::No));
    assert!(run.step("lint").waived);
    let Effect::TakeBaseline(request) = &run.outstanding()[0] else { panic!() };
    assert_eq!(request.step.as_str(), "lint");
    assert_eq!(request.reset_code, Some("c0".into()), "the next step begins without it");
    let waive = || agent("lint").keeps().retries(1).exhausted(Exhausted::Waive).waive_keeps();
    let mut run = tried(waive());
    run.verifies(fails_and_keeps(Holds::No));
    assert_eq!(run.state.reset_code, Some("c0".into()), "also where the workflow would keep it");
    let mut run = tried(waive());
    run.verifies(fails_and_keeps(Holds::Yes));
    assert_eq!(run.state.reset_code, None, "what broke nothing stays");
}

#[test]
fn what_was_broken_before_is_nobodys_fault() {
    let mut run = Run::of([agent("lint").keeps().satisfied_ok()]);
    run.begins("lint");
    assert_eq!(run.verifies(fails_and_keeps(Holds::No))[1..], [started("lint#1", 1)]);
    run.ends("lint#1", "c0");
    assert_eq!(run.verifies(fails_and_keeps(Holds::No))[1..], [started("lint#2", 2)]);
}
