//! Attempts that end, time out, meet a limit or are lost.

use crate::id::Fence;
use crate::proof::{AttemptReport, Outcome, Usage};
use crate::run::testing::*;
use crate::run::*;
use crate::time::{Span, Timestamp};

#[test]
fn a_timeout_waits_with_backoff_and_jitter_before_the_next_try() {
    let mut run = Run::of([agent("code").retries(4)]);
    run.begins("code");
    let mut waits_ms = Vec::new();
    for attempt in ["code#1", "code#2", "code#3"] {
        run.ends_with(attempt, "c1", Outcome::TimedOut);
        run.verifies(fails(&"x".repeat(waits_ms.len())));
        let Phase::Waiting { until, limit: false } = run.step("code").phase else {
            panic!("{:?}", run.step("code").phase)
        };
        assert_eq!(run.state.status(), RunStatus::Waiting);
        waits_ms.push(until.since(run.at).0);
        run.at = until;
        run.timer("code");
    }
    // The whole of the jitter was drawn: 40 s, doubled each time.
    assert_eq!(waits_ms, [40_000, 80_000, 160_000]);
    assert_eq!(run.step("code").failure.as_ref().unwrap().category, Category::Timeout);
}

#[test]
fn the_least_jitter_takes_a_quarter_off_and_the_bound_holds() {
    let mut run = Run::of([agent("code").retries(30)]);
    run.begins("code");
    let mut longest = Span(0);
    for number in 1..=20u32 {
        run.ends_with(&format!("code#{number}"), "c1", Outcome::Idle);
        let report = Box::new(fails(&"x".repeat(number as usize)));
        let verification = crate::id::VerificationId(number);
        run.feed(InputKind::Verified { verification, report, jitter: 0 }).unwrap();
        let Phase::Waiting { until, .. } = run.step("code").phase else { panic!("no wait") };
        longest = longest.max(until.since(run.at));
        run.at = until;
        run.timer("code");
    }
    assert_eq!(longest, Span(Span::minutes(10).0 / 4 * 3));
}

#[test]
fn an_early_timer_changes_nothing_and_a_late_one_starts_the_next_try() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends_with("code#1", "c1", Outcome::TimedOut);
    run.verifies(fails("no"));
    let until = START.plus(Span::seconds(40));
    assert_eq!(run.outstanding(), [Effect::Wake { key: TimerKey::Wait("code".into()), at: until }]);
    run.at = Timestamp(until.0 - 1);
    assert_eq!(run.timer("code"), []);
    run.at = until.plus(Span::hours(1));
    assert_eq!(run.timer("code"), [Event::WaitEnded { step: "code".into() }, started("code#2", 2)]);
    assert_eq!(run.timer("code"), [], "the same timer again");
}

#[test]
fn an_attempt_that_could_not_start_costs_no_try_and_backs_off() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    let how = || Outcome::CouldNotStart { message: "no such program".to_owned() };
    let summary = "the agent could not be started: no such program".to_owned();
    assert_eq!(
        run.ends_with("code#1", "c0", how()),
        [
            ended_with("code#1", "c0", how()),
            Event::StepNotProven {
                step: "code".into(),
                failure: Failure::new(Category::Infra, summary, Vec::new()),
                report: None,
                costs_try: false,
                of_surroundings: true,
            },
            waits("code", START.plus(Span::seconds(35)), false),
        ]
    );
}

#[test]
fn what_an_agent_left_behind_decides_whatever_its_exit_code_says() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends_with("code#1", "c1", Outcome::Exited { code: 1 });
    assert_eq!(run.verifies(holds())[..2], [proven("code", "c1"), done("code")]);
}

#[test]
fn work_that_was_cut_off_is_not_done_even_where_every_check_holds() {
    let failed = |message: &str| Outcome::AgentFailed {
        category: Category::Infra,
        message: message.to_owned(),
    };
    for how in [
        Outcome::Signalled { signal: 9 },
        Outcome::TimedOut,
        Outcome::Idle,
        Outcome::OverLimit { what: "memory".to_owned() },
        failed("the provider is overloaded"),
    ] {
        let mut run = Run::of([agent("code").retries(2)]);
        run.begins("code");
        run.ends_with("code#1", "c1", how.clone());
        let events = run.verifies(holds());
        let Event::StepNotProven { failure, costs_try, .. } = &events[0] else {
            panic!("{how:?}: {events:?}");
        };
        assert_eq!(*costs_try, !matches!(how, Outcome::AgentFailed { .. }), "{how:?}");
        let told = "its checks passed, but the attempt did not finish";
        assert!(failure.summary.ends_with(told), "{}", failure.summary);
        run.later(Span::hours(1)).timer("code");
        run.ends("code#2", "c1");
        assert_eq!(run.verifies(holds())[..2], [proven("code", "c1"), done("code")]);
    }
}

#[test]
fn work_that_was_cut_off_is_not_done_by_a_person_who_accepts_a_file_of_it() {
    let mut run = Run::of([agent("code").retries(2)]);
    run.begins("code");
    run.ends_with("code#1", "c1", Outcome::TimedOut);
    run.verifies(protected());
    run.decides(approve(1, "c1"));
    let events = run.verifies(holds());
    assert!(matches!(events[0], Event::StepNotProven { .. }), "{events:?}");
}

#[test]
fn a_providers_limit_waits_until_its_reset_and_costs_no_try() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    let resets_at = START.plus(Span::hours(5));
    let how = Outcome::ProviderLimit { resets_at: Some(resets_at), message: "limit".to_owned() };
    assert_eq!(
        run.ends_with("code#1", "c1", how.clone()),
        [ended_with("code#1", "c1", how), waits("code", resets_at, true)]
    );
    assert_eq!((run.state.status(), run.step("code").tries), (RunStatus::Waiting, 0));
    run.at = resets_at;
    assert_eq!(
        run.timer("code"),
        [Event::WaitEnded { step: "code".into() }, started("code#2", 1)],
        "a weak criterion could hold for half of the work"
    );
}

#[test]
fn a_lost_attempt_goes_on_and_costs_no_try() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    assert_eq!(run.loses("code#1", "c1"), [lost("code#1", "c1"), started("code#2", 1)]);
    run.ends("code#2", "c2");
    assert_eq!(run.verifies(holds()), [proven("code", "c2"), done("code"), Event::RunCompleted]);
}

#[test]
fn attempts_that_are_lost_in_a_row_pause_the_run_as_often_as_its_tries_allow() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    for number in 1..10 {
        run.loses(&format!("code#{number}"), "c1");
    }
    assert_eq!(
        run.loses("code#10", "c1"),
        [
            lost("code#10", "c1"),
            paused(PauseReason::LostTooOften, "10 attempts of `code` were lost in a row")
        ]
    );
    assert_eq!(run.state.reason(), Some("lost_too_often"));
    assert_eq!(run.decides(RESUME), [resumed(), started("code#11", 1)]);
}

#[test]
fn an_attempt_that_ends_by_itself_breaks_the_row_of_lost_ones() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.loses("code#1", "c1");
    assert_eq!(run.step("code").lost, 1);
    run.ends("code#2", "c1");
    assert_eq!(run.step("code").lost, 0);
}

#[test]
fn trouble_in_the_place_fails_the_attempt_whatever_else_it_did() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    let report = crate::proof::AttemptReport {
        trouble: head_moved(),
        ..report(Outcome::Exited { code: 0 })
    };
    let summary = head_moved()[0].to_string();
    let events = run.reports("code#1", "c1", report);
    assert_eq!(
        events[1..],
        [
            Event::StepNotProven {
                step: "code".into(),
                failure: Failure::new(Category::Code, summary, Vec::new()),
                report: None,
                costs_try: true,
                of_surroundings: false,
            },
            started("code#2", 2),
        ]
    );
}

#[test]
fn files_of_a_lost_attempt_in_trouble_are_not_verified() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    let events = run.loses_with("code#1", "c1", head_moved());
    assert!(matches!(events[1], Event::StepNotProven { costs_try: false, .. }));
    assert_eq!(events[2..], [started("code#2", 1)]);
}

#[test]
fn a_late_report_of_an_earlier_attempt_is_refused() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.fails("code#1", "c1");
    let stale = Rejected::StaleAttempt { attempt: attempt_id("code#1") };
    let end = InputKind::AttemptEnded {
        attempt: attempt_id("code#1"),
        report: Box::new(report(Outcome::Exited { code: 0 })),
        snapshot: files("c9"),
        jitter: crate::run::EVEN_CHANCE,
    };
    assert_eq!(run.feed(end), Err(stale.clone()));
    let loss = InputKind::lost(attempt_id("code#1"), files("c9"), Vec::new());
    assert_eq!(run.feed(loss), Err(stale.clone()));
    assert_eq!(run.sets("code#1", "key", true.into()), Err(stale));
    assert_eq!(run.outstanding(), [ensure("code#2")]);
}

#[test]
fn a_driver_that_takes_over_marks_the_attempts_that_it_starts() {
    let mut run = Run::of([agent("code")]);
    let fence = Fence(3);
    assert_eq!(
        run.feed(InputKind::DriverTookOver { driver: fence, session: None, boxes: None }),
        Ok(vec![Event::DriverTookOver { driver: fence, session: None, boxes: None }])
    );
    let events = run.begins("code");
    assert!(matches!(events[1], Event::AttemptStarted { driver, .. } if driver == fence));
}

#[test]
fn a_clock_that_goes_backwards_gives_no_negative_times() {
    let mut run = Run::of([agent("code")]);
    run.later(Span::minutes(5)).begins("code");
    run.at = Timestamp(0);
    run.ends_with("code#1", "c1", Outcome::TimedOut);
    run.verifies(fails("no"));
    assert_eq!(run.state.spent.wall, Span(0));
    assert_eq!(run.state.now, START.plus(Span::minutes(5)));
    let Phase::Waiting { until, .. } = run.step("code").phase else { panic!("no wait") };
    assert_eq!(until, START.plus(Span::minutes(5)).plus(Span::seconds(40)));
    assert_eq!(run.timer("code"), [], "early by the clock that went backwards");
}

#[test]
fn an_attempt_that_was_cancelled_goes_on_and_costs_no_try() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    assert_eq!(run.ends_with("code#1", "c1", Outcome::Cancelled)[1..], [started("code#2", 1)]);
}

#[test]
fn files_of_a_stopped_attempt_in_trouble_prove_nothing_when_the_run_goes_on() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    run.decides(PAUSE_NOW);
    let report =
        crate::proof::AttemptReport { trouble: head_moved(), ..report(Outcome::Cancelled) };
    let events = run.reports("code#1", "c1", report);
    assert!(matches!(events[1..], [Event::StepNotProven { costs_try: false, .. }]));
    assert_eq!(run.decides(RESUME), [resumed(), started("code#2", 1)]);
}

#[test]
fn trouble_in_the_twentieth_lost_attempt_is_not_forgotten_over_the_pause() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    for number in 1..20 {
        run.loses(&format!("code#{number}"), "c1");
    }
    let events = run.loses_with("code#20", "c1", head_moved());
    assert!(matches!(
        events[1..],
        [Event::StepNotProven { .. }, Event::RunPaused { reason: PauseReason::LostTooOften, .. }]
    ));
    assert_eq!(run.decides(RESUME), [resumed(), started("code#21", 1)]);
}

#[test]
fn a_run_that_is_being_aborted_ends_even_when_its_twentieth_attempt_is_lost() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    for number in 1..20 {
        run.loses(&format!("code#{number}"), "c1");
    }
    run.decides(ABORT);
    assert_eq!(run.loses("code#20", "c1"), [lost("code#20", "c1"), Event::RunAborted]);
}

#[test]
fn time_may_run_out_in_the_same_way_as_often_as_there_are_tries() {
    let mut run = Run::of([agent("code").retries(5)]);
    run.begins("code");
    for number in 1..5 {
        run.ends_with(&format!("code#{number}"), "c1", Outcome::TimedOut);
        run.verifies(fails("no"));
        assert_eq!(run.state.status(), RunStatus::Waiting, "{number}");
        run.later(Span::hours(1)).timer("code");
    }
    run.ends_with("code#5", "c1", Outcome::TimedOut);
    run.verifies(fails("no"));
    assert_eq!(run.state.reason(), Some("retries_exhausted"));
}

fn of_session(how: Outcome, session: &str) -> AttemptReport {
    let usage = Usage { session: Some(session.to_owned()), ..Usage::default() };
    AttemptReport { usage, ..report(how) }
}

fn goes_on(attempt: &str, session: Option<&str>) -> Event {
    Event::AttemptStarted {
        attempt: attempt_id(attempt),
        try_number: 1,
        driver: DRIVER,
        resumes: session.map(str::to_owned),
        boxed: None,
    }
}

#[test]
fn an_interrupted_conversation_goes_on_and_costs_no_try() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    let how = Outcome::Interrupted { message: "killed".to_owned() };
    let events = run.reports("code#1", "c1", of_session(how, "s1"));
    assert_eq!(events[1..], [goes_on("code#2", Some("s1"))]);
    assert_eq!(run.step("code").resumed.as_deref(), Some("s1"));
}

#[test]
fn a_lost_attempt_goes_on_with_its_conversation_and_a_retry_does_not() {
    let mut run = Run::of([agent("code").retries(3)]);
    run.begins("code");
    let usage = Usage { session: Some("s1".to_owned()), ..Usage::default() };
    let snapshot = files("c1");
    let events = run.expect_fed(InputKind::AttemptLost {
        attempt: attempt_id("code#1"),
        snapshot,
        trouble: Vec::new(),
        usage,
        last_seen: None,
        boxed: None,
    });
    assert_eq!(events[1], goes_on("code#2", Some("s1")));
    run.reports("code#2", "c1", of_session(Outcome::Exited { code: 0 }, "s1"));
    let Event::AttemptStarted { resumes, .. } = run.verifies(fails("no"))[1].clone() else {
        panic!("the next try starts");
    };
    assert_eq!(resumes, None, "what a retry is told must not rest on what the last one believed");
}

#[test]
fn a_program_that_dies_again_and_again_is_waited_for_and_then_given_up() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    for number in 1.. {
        let how = Outcome::Interrupted { message: "killed".to_owned() };
        let events = run.ends_with(&format!("code#{number}"), "c1", how);
        if number == 10 {
            let detail = "10 attempts of `code` were lost in a row";
            assert_eq!(events[1], paused(PauseReason::LostTooOften, detail));
            break;
        }
        if number > 1 {
            assert!(matches!(events[1], Event::WaitStarted { limit: false, .. }), "{events:?}");
            run.later(Span::hours(1));
            run.timer("code");
        }
    }
}

#[test]
fn an_attempt_that_was_held_back_was_none() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    let until = START.plus(Span::hours(2));
    let how = Outcome::Held { until, why: "quiet hours".to_owned() };
    let events = run.ends_with("code#1", "c0", how);
    assert_eq!(events[1], waits("code", until, true));
    assert_eq!((run.state.spent.attempts, run.state.spent.unknown_cost), (0, 0));
    run.at = until;
    assert_eq!(
        run.timer("code"),
        [Event::WaitEnded { step: "code".into() }, started("code#2", 1)],
        "there is no work to look at"
    );
}

#[test]
fn what_only_a_person_can_put_right_stops_the_run_and_costs_no_try() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    let message = "not signed in: run `claude`".to_owned();
    let how = Outcome::AgentFailed { category: Category::External, message: message.clone() };
    let events = run.ends_with("code#1", "c1", how);
    assert!(matches!(events[1], Event::StepNotProven { costs_try: false, .. }), "{events:?}");
    assert_eq!(events[2], Event::BlockerRaised { message });
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    let events = run.decides(Decision::Resume { raise: Raise::default() });
    assert_eq!(events[1], started("code#2", 1));
}

#[test]
fn trouble_with_the_provider_is_no_failure_of_the_work_and_is_waited_out() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    let message = "the provider is overloaded".to_owned();
    let how = Outcome::AgentFailed { category: Category::Infra, message };
    let events = run.ends_with("code#1", "c1", how);
    assert_eq!(events[1], verification(1, "code", "c1", VerifyReason::AttemptEnded));
    let events = run.verifies(fails("no"));
    let Event::StepNotProven { failure, costs_try: false, of_surroundings: true, .. } = &events[0]
    else {
        panic!("{events:?}");
    };
    assert_eq!(failure.category, Category::Infra);
    assert!(failure.summary.starts_with("the provider is overloaded; "), "{}", failure.summary);
    assert!(matches!(events[1], Event::WaitStarted { limit: false, .. }));
}

#[test]
fn money_that_is_used_up_half_way_pauses_the_run() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    let how = Outcome::OverBudget { message: "$1.00 is used up".to_owned() };
    let events = run.ends_with("code#1", "c1", how);
    assert_eq!(events[1], paused(PauseReason::Budget, "`code`: $1.00 is used up"));
    assert_eq!(run.step("code").tries, 0);
}

#[test]
fn a_break_after_a_kill_is_nobodys_working_time() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.later(Span::hours(9));
    run.expect_fed(InputKind::AttemptLost {
        attempt: attempt_id("code#1"),
        snapshot: files("c1"),
        trouble: Vec::new(),
        usage: Usage::default(),
        last_seen: Some(START.plus(Span::minutes(4))),
        boxed: None,
    });
    assert_eq!(run.state.spent.wall, Span::minutes(4));
}

#[test]
fn an_attempt_outside_a_box_is_known_as_soon_as_it_starts() {
    for (boxes, unboxed) in [(None, false), (Some(true), false), (Some(false), true)] {
        let mut run = Run::of([agent("a")]);
        run.expect_fed(InputKind::DriverTookOver { driver: DRIVER, session: None, boxes });
        assert!(!run.state.unboxed, "nobody has started anything");
        let events = run.begins("a");
        let told =
            |event: &Event| matches!(event, Event::AttemptStarted { boxed, .. } if *boxed == boxes);
        assert!(events.iter().any(told), "{events:?}");
        assert_eq!(run.state.unboxed, unboxed, "{boxes:?}");
    }
}

#[test]
fn an_attempt_outside_a_box_is_remembered_to_the_end() {
    let boxed = |words: &str| AttemptReport {
        confinement: words.to_owned(),
        ..report(Outcome::Exited { code: 0 })
    };
    let mut run = Run::of([agent("a"), agent("b")]);
    run.begins("a");
    run.reports("a#1", "c1", boxed("namespaces: 7 mounts by list"));
    run.verifies(holds());
    assert!(!run.state.unboxed);
    run.begins("b");
    run.reports("b#1", "c2", boxed("landlock abi 6"));
    assert!(run.state.unboxed);
    for (told, unboxed) in [(None, false), (Some(true), false), (Some(false), true)] {
        let mut run = Run::of([agent("a")]);
        run.begins("a");
        let InputKind::AttemptLost { attempt, snapshot, trouble, usage, last_seen, .. } =
            InputKind::lost(attempt_id("a#1"), files("c1"), Vec::new())
        else {
            panic!("it is lost");
        };
        let boxed = told;
        run.expect_fed(InputKind::AttemptLost {
            attempt,
            snapshot,
            trouble,
            usage,
            last_seen,
            boxed,
        });
        assert_eq!(run.state.unboxed, unboxed, "{told:?}");
    }
}

#[test]
fn another_program_plays_the_agents_from_the_next_attempt_on_in_a_conversation_of_its_own() {
    let mut run = Run::of([agent("code").retries(2)]);
    run.begins("code");
    let began = std::sync::Arc::clone(&run.state.facts);
    let chosen = || PlayedBy { backend: "other".to_owned(), command: Some("sh b.sh".to_owned()) };
    let other = || Decision::PlayBy { played_by: chosen() };
    assert!(matches!(run.refuses(other()), Rejected::Busy { .. }), "an attempt is running");
    let limit = Outcome::ProviderLimit { resets_at: None, message: "too many".to_owned() };
    run.reports("code#1", "c1", of_session(limit, "s1"));
    assert_eq!(run.step("code").session.as_deref(), Some("s1"));
    let by = "ann".to_owned();
    let changed = Event::AgentChanged { by, played_by: chosen() };
    assert_eq!(run.decides(other()), [changed]);
    assert_eq!(run.step("code").session, None, "nobody else can go on with it");
    assert_eq!(run.state.facts.backend, "other");
    let stored = serde_json::to_string(&run.state).unwrap();
    let read: RunState = serde_json::from_str(&stored).unwrap();
    let read = read.with_plan(std::sync::Arc::clone(&run.state.plan), began);
    assert_eq!(read.facts.command.as_deref(), Some("sh b.sh"), "also after a restart");
}
