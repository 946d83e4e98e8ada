//! Trouble of the surroundings: it waits and grows, it asks a person, it costs no try, and it ends.

use crate::failure_rules::{Cause, Missing, MissingKind};
use crate::plan::Holds;
use crate::proof::{Outcome, Proof, VerifyReport};
use crate::run::testing::*;
use crate::run::*;
use crate::time::{Span, Timestamp};

fn cause(category: Category, without_work: Option<bool>) -> Cause {
    Cause { line: Some("connection refused".to_owned()), without_work, ..Cause::of(category) }
}

fn tool(name: &str, without_work: Option<bool>) -> Cause {
    let missing = Some(Missing { kind: MissingKind::Tool, name: name.to_owned() });
    Cause { missing, ..cause(Category::Environment, without_work) }
}

/// The check failed for this reason.
fn because(cause: Cause) -> VerifyReport {
    let mut report = fails("run `make test` exited with 1");
    report.proofs[0].cause = Some(cause);
    report
}

fn judged(steps: Draft) -> Run {
    let mut run = Run::of([steps]);
    run.begins("code");
    run.ends("code#1", "c1");
    run
}

fn waits_until(events: &[Event]) -> Timestamp {
    let Some(Event::WaitStarted { until, .. }) = events.last() else { panic!("{events:?}") };
    *until
}

#[test]
fn trouble_that_is_there_without_the_work_waits_longer_each_time_and_runs_the_checks_again() {
    let mut run = judged(agent("code").retries(1));
    let mut waits = Vec::new();
    for _ in 0..7 {
        let began = run.at;
        let events = run.verifies(because(cause(Category::Network, Some(true))));
        assert!(matches!(events[0], Event::VerificationHindered { .. }), "{events:?}");
        let until = waits_until(&events);
        waits.push(until.since(began));
        run.at = until;
        let events = run.timer("code");
        assert!(
            matches!(events[..], [Event::WaitEnded { .. }, Event::VerificationStarted { .. }]),
            "no new attempt: {events:?}"
        );
    }
    assert!(waits.is_sorted() && waits[0] < waits[3], "{waits:?}");
    assert_eq!(*waits.last().unwrap(), Span::minutes(10), "the longest that the step allows");
    assert_eq!((run.step("code").tries, run.step("code").attempts), (0, 1));
    let events = run.verifies(holds());
    assert_eq!(events[..2], [proven("code", "c1"), done("code")], "the same work is judged");
    assert_eq!((run.step("code").free, run.step("code").troubled), (0, 0));
}

#[test]
fn trouble_costs_nothing_only_so_often() {
    let mut run = judged(agent("code").retries(1));
    let most = step_bounds(1).free;
    for _ in 0..most {
        let events = run.verifies(because(cause(Category::Infra, Some(true))));
        run.at = waits_until(&events);
        run.timer("code");
    }
    let events = run.verifies(because(cause(Category::Infra, Some(true))));
    assert!(matches!(events[0], Event::StepNotProven { costs_try: true, .. }), "{events:?}");
    assert_eq!(run.state.reason(), Some("retries_exhausted"), "it ends, and proves nothing");
}

#[test]
fn what_only_happens_with_the_work_is_the_works() {
    let mut run = judged(agent("code").retries(2));
    let report = because(cause(Category::Network, Some(false)));
    let events = run.verifies(report);
    assert!(matches!(events[0], Event::StepNotProven { costs_try: true, .. }), "{events:?}");
    assert_eq!(run.step("code").tries, 1);
}

#[test]
fn what_nobody_could_look_at_is_believed_three_times_in_a_row() {
    let mut run = judged(agent("code").retries(2));
    for _ in 0..3 {
        let events = run.verifies(because(cause(Category::Network, None)));
        assert!(matches!(events[0], Event::VerificationHindered { .. }), "{events:?}");
        run.at = waits_until(&events);
        run.timer("code");
    }
    let events = run.verifies(because(cause(Category::Network, None)));
    assert!(matches!(events[0], Event::StepNotProven { costs_try: true, .. }), "{events:?}");
}

#[test]
fn another_check_that_fails_by_the_work_makes_it_a_try() {
    let mut run = judged(agent("code"));
    let mut report = because(cause(Category::Network, Some(true)));
    let own = Proof { cause: None, ..report.proofs[0].clone() };
    report.proofs.insert(0, own);
    let events = run.verifies(report);
    assert!(matches!(events[0], Event::StepNotProven { costs_try: true, .. }), "{events:?}");
}

#[test]
fn a_missing_program_becomes_a_blocker_that_names_it_and_ends_by_itself() {
    let mut run = judged(agent("code").retries(1));
    let events = run.verifies(because(tool("frob", Some(true))));
    let Event::BlockerOpened { blocker } = &events[1] else { panic!("{events:?}") };
    assert!(blocker.message.starts_with("the program `frob` is missing"), "{}", blocker.message);
    assert_eq!(blocker.check.as_ref().unwrap().command, "command -v frob");
    assert_eq!(blocker.step.as_ref().unwrap().as_str(), "code");
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    assert_eq!(run.step("code").tries, 0);
    run.at = run.state.blocker(1).unwrap().next_look.unwrap();
    run.expect_fed(InputKind::TimerFired { key: TimerKey::Blocker(1) });
    let report = Box::new(VerifyReport::empty());
    let events = run.expect_fed(InputKind::BlockerLookedAt { blocker: 1, look: 1, report });
    assert!(
        matches!(events[..], [Event::BlockerResolved { .. }, Event::VerificationStarted { .. }]),
        "the same work is judged again: {events:?}"
    );
    run.verifies(holds());
    assert_eq!(run.state.status(), RunStatus::Completed);
}

#[test]
fn a_program_that_only_the_work_needs_is_told_to_it_once_and_then_to_a_person() {
    let mut run = judged(agent("code").retries(3));
    let events = run.verifies(because(tool("frob", Some(false))));
    let Event::StepNotProven { failure, costs_try: true, .. } = &events[0] else {
        panic!("{events:?}")
    };
    assert_eq!(failure.category, Category::Environment);
    run.ends("code#2", "c2");
    let events = run.verifies(because(tool("frob", Some(false))));
    assert!(matches!(events[1], Event::BlockerOpened { .. }), "{events:?}");
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
}

#[test]
fn what_failed_on_the_base_already_is_no_matter_of_waiting() {
    let mut run = judged(agent("code"));
    let cause = Cause { since_start: true, ..cause(Category::Network, Some(true)) };
    let events = run.verifies(because(cause));
    let Event::BlockerOpened { blocker } = &events[1] else { panic!("{events:?}") };
    assert!(blocker.message.contains("on the base commit already"), "{}", blocker.message);
    assert_eq!((run.step("code").tries, blocker.check.is_none()), (0, true));
}

#[test]
fn a_check_that_could_not_run_is_no_failed_test() {
    for (holds_, cause_, category) in [
        (Holds::Unknown, None, Category::Code),
        (Holds::Unknown, Some(Cause::of(Category::Timeout)), Category::Timeout),
        (Holds::No, None, Category::Test),
        (Holds::No, Some(Cause::of(Category::Lint)), Category::Lint),
    ] {
        let mut run = judged(agent("code"));
        let mut report = fails("run `make test`");
        (report.proofs[0].holds, report.proofs[0].cause) = (holds_, cause_);
        let events = run.verifies(report);
        let Event::StepNotProven { failure, .. } = &events[0] else { panic!("{events:?}") };
        assert_eq!(failure.category, category);
    }
}

#[test]
fn an_agent_whose_provider_is_down_waits_the_night_out_without_a_try() {
    let down = || Outcome::AgentFailed {
        category: Category::Infra,
        message: "claude failed: overloaded".to_owned(),
    };
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    let mut last = Span(0);
    for number in 1..=step_bounds(1).free {
        run.ends_with(&format!("code#{number}"), "c1", down());
        let began = run.at;
        let events = run.verifies(fails("nothing is there"));
        let Event::StepNotProven { costs_try: false, of_surroundings: true, .. } = &events[0]
        else {
            panic!("{events:?}")
        };
        let until = waits_until(&events);
        assert!(until.since(began) >= last, "it grows");
        last = until.since(began);
        run.at = until;
        run.timer("code");
    }
    assert_eq!(run.step("code").tries, 0);
    let next = format!("code#{}", step_bounds(1).free + 1);
    run.ends_with(&next, "c1", down());
    run.verifies(fails("nothing is there"));
    assert_eq!(run.state.reason(), Some("retries_exhausted"), "and it has an end");
}

#[test]
fn an_agent_that_cannot_be_started_is_a_matter_for_a_person_after_a_while() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    for number in 1..=5 {
        let how = Outcome::CouldNotStart { message: "no memory".to_owned() };
        let events = run.ends_with(&format!("code#{number}"), "c0", how);
        run.at = waits_until(&events);
        run.timer("code");
    }
    let how = Outcome::CouldNotStart { message: "no memory".to_owned() };
    let events = run.ends_with("code#6", "c0", how);
    assert!(matches!(events.last(), Some(Event::BlockerRaised { .. })), "{events:?}");
    assert_eq!(run.step("code").tries, 0);
}

#[test]
fn chance_moves_the_end_of_a_wait() {
    let mut ends = Vec::new();
    for jitter in [0, 1000] {
        let mut run = Run::of([agent("code")]);
        run.begins("code");
        let how = Outcome::CouldNotStart { message: "busy".to_owned() };
        let events = run.expect_fed(InputKind::AttemptEnded {
            attempt: attempt_id("code#1"),
            report: Box::new(report(how)),
            snapshot: files("c0"),
            jitter,
        });
        ends.push(waits_until(&events));
    }
    assert_eq!(ends[1].since(ends[0]), Span::seconds(10), "a quarter of 40 s");
}

#[test]
fn a_limit_without_a_stated_end_is_asked_after_at_growing_intervals() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    let limit = || Outcome::ProviderLimit { resets_at: None, message: "too many".to_owned() };
    let mut waits = Vec::new();
    for number in 1..=9 {
        let began = run.at;
        let events = run.ends_with(&format!("code#{number}"), "c0", limit());
        let until = waits_until(&events);
        waits.push(until.since(began).0 / 60_000);
        run.at = until;
        run.timer("code");
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    assert_eq!(run.step("code").tries, 0);
    assert_eq!(run.state.spent.attempts, 1, "the one that is running: asking costs no attempt");
    run.ends("code#10", "c1");
    assert_eq!(run.step("code").limits, 0);
}

#[test]
fn a_limit_that_states_its_end_counts_among_the_attempts() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    let limit = Outcome::ProviderLimit { resets_at: Some(run.at), message: "now".to_owned() };
    run.ends_with("code#1", "c0", limit);
    assert_eq!(run.state.spent.attempts, 1, "one that is over at once may not come back for ever");
}
