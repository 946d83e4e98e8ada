//! The last proof is cold: on a fresh clone, before the run is complete or anything is published.

use crate::id::StepIndex;
use crate::plan::{Check, CheckId, CheckKind, Criterion, FailedTo, Holds, PullRequest, StepKind};
use crate::run::testing::*;
use crate::run::*;

const YES: Holds = Holds::Yes;
const NO: Holds = Holds::No;
const UNKNOWN: Holds = Holds::Unknown;

fn publishing() -> Draft {
    let request = PullRequest { title: "Work".to_owned(), base: None, draft: false };
    agent("publish").commits().of_kind(StepKind::PullRequest(request))
}

fn cold_began(run: &Run, proof: u32) -> Event {
    let ColdSubject { code, checks } = run.state.cold_subject().expect("something is to be proven");
    Event::ColdProofBegan { proof, code, checks }
}

fn cold_held(proof: u32, seen: crate::proof::VerifyReport) -> Event {
    Event::ColdProofHeld { proof, report: Box::new(seen) }
}

fn is_failed(event: &Event, failed: &str) -> bool {
    matches!(event, Event::ColdProofFailed { step, .. } if step.as_str() == failed)
}

fn is_rollback_to(event: &Event, to: &str) -> bool {
    matches!(event, Event::RolledBack { target, failure: Some(_), .. } if target.as_str() == to)
}

#[test]
fn a_run_is_complete_when_it_holds_on_a_fresh_clone() {
    let mut run = Run::cold([agent("code"), agent("lint").proven_by(runs(0, "make lint"))]);
    run.proves("code", "c1");
    let events = run.proves("lint", "c2");
    assert_eq!(events[1..], [done("lint"), cold_began(&run, 1)]);
    assert_eq!(run.outstanding(), [Effect::ProveCold { proof: 1, code: "c2".into() }]);
    assert_eq!(run.state.status(), RunStatus::Active);
    assert_eq!(run.cold_commands(), ["make test", "make lint"]);
    let events = run.proves_cold(seen([YES, YES]));
    assert_eq!(events, [cold_held(1, seen([YES, YES])), Event::RunCompleted]);
}

#[test]
fn a_run_without_commands_or_with_cold_false_is_complete_at_once() {
    let kind = CheckKind::State { expr: "true".to_owned() };
    let state = Criterion::Check(Check { id: CheckId(0), kind });
    let mut run = Run::cold([agent("code").proven_by(state)]);
    assert_eq!(run.proves("code", "c1")[1..], [done("code"), Event::RunCompleted]);
    let mut run = Run::of([agent("code")]);
    assert_eq!(run.proves("code", "c1")[1..], [done("code"), Event::RunCompleted]);
}

#[test]
fn a_command_counts_once_and_what_was_only_the_way_does_not() {
    let red = agent("red").red();
    let any = Criterion::Any(vec![runs(0, "old"), runs(1, "new")]);
    let both = Criterion::All(vec![
        runs(0, "make test"),
        Criterion::Not(Box::new(runs(1, "make broken"))),
        runs(2, "! make odd"),
    ]);
    let mut run = Run::cold([
        red,
        agent("code").proven_by(both),
        agent("any").proven_by(any),
        agent("waived").proven_by(runs(0, "make waived")).exhausted(crate::plan::Exhausted::Waive),
        agent("again"),
    ]);
    run.begins("red");
    run.ends("red#1", "c1");
    run.verifies(fail_as_they_should());
    run.begins("code");
    run.ends("code#1", "c2");
    run.verifies(seen([YES, NO, YES]));
    run.begins("any");
    run.ends("any#1", "c3");
    run.verifies(seen([NO, YES]));
    run.begins("waived");
    for number in 1..=3 {
        run.fails(&format!("waived#{number}"), "c4");
    }
    run.begins_from("waived", "c3");
    run.proves("again", "c5");
    assert_eq!(run.cold_commands(), ["make test", "make broken", "! make odd", "new"]);
    let asked = run.state.cold_checks()[0].asked_by.clone();
    assert_eq!(asked, [(StepIndex(1), CheckId(0)), (StepIndex(4), CheckId(0))]);
    let held = seen([YES, NO, YES, YES]);
    assert_eq!(run.proves_cold(held).last(), Some(&Event::RunCompleted));
}

fn not(part: Criterion) -> Criterion {
    Criterion::Not(Box::new(part))
}

#[test]
fn what_a_not_forbids_must_not_hold_on_a_fresh_clone_either() {
    let clean = Criterion::All(vec![runs(0, "make test"), not(runs(1, "grep -q TODO src"))]);
    let mut run = Run::cold([agent("code").proven_by(clean)]);
    run.begins("code");
    run.ends("code#1", "c1");
    run.verifies(seen([YES, NO]));
    let wanted: Vec<bool> = run.state.cold_checks().iter().map(ColdCheck::wants_failure).collect();
    assert_eq!(wanted, [false, true]);
    let events = run.proves_cold(seen([YES, YES]));
    assert!(is_failed(&events[0], "code"), "{events:?}");
    let failure = run.step("code").failure.as_ref().expect("why it is open again");
    assert_eq!(failure.checks.len(), 1, "only what speaks against it");
    assert_eq!(failure.checks[0].summary, "check 1");
    // A command that could not run says nothing.
    run.begins("code");
    run.ends("code#2", "c2");
    run.verifies(seen([YES, NO]));
    let events = run.proves_cold(seen([YES, UNKNOWN]));
    assert!(matches!(events[0], Event::ColdProofBroken { .. }), "{events:?}");
}

#[test]
fn where_two_steps_ask_the_opposite_the_later_one_counts() {
    let proven = |first: Criterion, says: Holds, second: Criterion, then: Holds| {
        let mut run = Run::cold([agent("tests").proven_by(first), agent("code").proven_by(second)]);
        run.begins("tests");
        run.ends("tests#1", "c1");
        run.verifies(seen([says]));
        run.begins("code");
        run.ends("code#1", "c2");
        run.verifies(seen([then]));
        run.cold_commands()
    };
    // Tests that have to fail until the work is done, in the ways that people write it.
    assert_eq!(proven(not(runs(0, "make test")), NO, runs(0, "make test"), YES), ["make test"]);
    assert_eq!(proven(runs(0, "! make test"), YES, runs(0, "make test"), YES), ["make test"]);
    let one = not(runs(0, "npm test -- cart"));
    assert_eq!(proven(one, NO, runs(0, "npm test"), YES), ["npm test"]);
    // What a later step breaks on purpose is its last word; only the very same command is.
    assert_eq!(proven(runs(0, "make old"), YES, not(runs(0, "make old")), NO), ["make old"]);
    let both = proven(runs(0, "make"), YES, not(runs(0, "make old")), NO);
    assert_eq!(both, ["make", "make old"]);
    let other = proven(not(runs(0, "grep -q TODO src")), NO, runs(0, "make test"), YES);
    assert_eq!(other, ["grep -q TODO src", "make test"]);
}

#[test]
fn files_have_to_be_there_at_the_end_and_those_below_a_not_away() {
    let file = |id: u32, glob: &str, stale_ok: bool| {
        let kind =
            CheckKind::File { glob: glob.to_owned(), stale_ok, min_bytes: None, contains: None };
        Criterion::Check(Check { id: CheckId(id), kind })
    };
    let all = Criterion::All(vec![
        file(0, "docs/*.md", false),
        not(file(1, "debug.txt", true)),
        not(file(2, "README.md", false)),
    ]);
    let mut run = Run::cold([agent("docs").proven_by(all)]);
    run.begins("docs");
    run.ends("docs#1", "c1");
    assert_eq!(run.verifies(seen([YES, NO, NO])).last(), Some(&cold_began(&run, 1)));
    let looked: Vec<String> = run
        .state
        .cold_checks()
        .into_iter()
        .map(|check| {
            let CheckKind::File { glob, .. } = check.kind else { panic!("{check:?}") };
            glob
        })
        .collect();
    // That a file did not change is about the step, not about the end.
    assert_eq!(looked, ["docs/*.md", "debug.txt"]);
    assert_eq!(run.proves_cold(seen([YES, NO])).last(), Some(&Event::RunCompleted));
}

#[test]
fn what_fails_on_a_fresh_clone_opens_its_step_again_and_all_that_depends_on_it() {
    let lint = agent("lint").proven_by(runs(0, "make lint"));
    let mut run = Run::cold([agent("plan").proven_by(runs(0, "plan")), agent("code"), lint]);
    run.proves("plan", "c1");
    run.proves("code", "c2");
    run.proves("lint", "c3");
    let events = run.proves_cold(seen([YES, NO, YES]));
    assert!(is_failed(&events[0], "code") && is_rollback_to(&events[1], "code"), "{events:?}");
    assert_eq!(events[2..], [taken("code")]);
    assert_eq!(run.status_of("plan"), StepStatus::Done);
    assert_eq!(run.status_of("lint"), StepStatus::Invalidated);
    let step = run.step("code");
    let failure = step.failure.as_ref().expect("why it is open again");
    assert_eq!(failure.summary, "it was proven, but failed on a fresh clone: check 1");
    assert_eq!(failure.checks[0].excerpt.as_deref(), Some("output 1"));
    assert_eq!((step.tries, run.state.cold.failures), (1, 1), "it is a failed try");
    // It is proven anew, and so is the rest on a fresh clone.
    run.begins("code");
    assert_eq!(run.step("code").attempts, 2);
    run.proves("code", "c4");
    run.proves("lint", "c4");
    assert_eq!(run.proves_cold(seen([YES, YES, YES])).last(), Some(&Event::RunCompleted));
}

#[test]
fn a_step_that_may_be_satisfied_is_worked_on_after_it_failed_on_a_fresh_clone() {
    let mut run = Run::cold([agent("code").satisfied_ok().retries(1)]);
    run.begins("code");
    run.verifies(holds());
    run.proves_cold(seen([NO]));
    assert_eq!(run.begins("code")[1..], [started("code#1", 1)], "not verified at once");
    run.proves("code", "c1");
    assert_eq!(run.proves_cold(seen([YES])).last(), Some(&Event::RunCompleted));
}

#[test]
fn it_fails_three_times_and_then_a_person_is_asked() {
    let mut run = Run::cold([agent("code")]);
    for code in ["c1", "c2"] {
        run.proves("code", code);
        run.proves_cold(seen([NO]));
    }
    run.proves("code", "c3");
    let events = run.proves_cold(seen([NO]));
    let detail = "it was proven, but failed on a fresh clone: check 0 (3 times over)";
    assert_eq!(events[1..], [paused(PauseReason::RetriesExhausted, detail)]);
    assert_eq!(run.state.status(), RunStatus::Paused);
    // Whoever resumes has it proven once more; whoever goes back has it done again.
    let events = run.decides(RESUME);
    assert_eq!(events, [resumed(), cold_began(&run, 4)]);
    run.proves_cold(seen([NO]));
    let events = run.decides(rollback("code", "c3"));
    assert_eq!(events, [rolled_back("code", "c3"), resumed(), taken("code")]);
    run.proves("code", "c4");
    assert_eq!(run.proves_cold(seen([YES])).last(), Some(&Event::RunCompleted));
}

#[test]
fn what_has_no_answer_pauses_the_run_and_is_no_failure() {
    let mut run = Run::cold([agent("code")]);
    run.proves("code", "c1");
    let events = run.proves_cold(broken());
    assert!(matches!(events[0], Event::ColdProofBroken { proof: 1, .. }), "{events:?}");
    let detail = "the checks on a fresh clone could not run: no disk";
    assert_eq!(events[1..], [paused(PauseReason::RepeatedFailure, detail)]);
    run.decides(RESUME);
    for report in [seen([UNKNOWN]), seen([])] {
        let events = run.proves_cold(report);
        assert!(matches!(events[0], Event::ColdProofBroken { .. }), "{events:?}");
        assert_eq!(run.decides(RESUME)[1..], [cold_began(&run, run.state.cold.proofs)]);
    }
    assert_eq!(run.state.cold.failures, 0);
    assert_eq!(run.proves_cold(seen([YES])).last(), Some(&Event::RunCompleted));
}

#[test]
fn an_any_holds_on_a_fresh_clone_as_long_as_one_of_it_does() {
    let any = || agent("code").proven_by(Criterion::Any(vec![runs(0, "one"), runs(1, "two")]));
    let mut run = Run::cold([any()]);
    run.begins("code");
    run.ends("code#1", "c1");
    run.verifies(seen([YES, YES]));
    assert_eq!(run.cold_commands(), ["one", "two"]);
    assert_eq!(run.proves_cold(seen([NO, YES])).last(), Some(&Event::RunCompleted));
}

#[test]
fn a_person_is_asked_about_publishing_after_the_proof_and_nothing_is_pushed_before() {
    let mut run = Run::cold([agent("code"), publishing().proven_by(runs(0, "before")).gated()]);
    run.proves("code", "c1");
    run.begins("publish");
    run.verifies(holds());
    let events = run.commits("publish", "commit-1");
    assert_eq!(events[1..], [cold_began(&run, 1)]);
    assert_eq!(run.cold_commands(), ["make test", "before"]);
    assert_eq!(run.outstanding(), [Effect::ProveCold { proof: 1, code: "c1".into() }]);
    assert_eq!(run.proves_cold(seen([YES, YES]))[1..], [gate(1, "publish", "c1")]);
    let events = run.decides(approve(1, "c1"));
    assert!(matches!(events[..], [_, Event::PublishIntended { .. }]), "{events:?}");
    // The same code with the same checks is not proven twice.
    let (step, epoch) = ("publish".into(), 0);
    let publication = Publication {
        remote: "origin".to_owned(),
        pushed: "commit-1".into(),
        number: None,
        url: None,
        compare_url: None,
        body_file: None,
        notes: Vec::new(),
    };
    let events = run.expect_fed(InputKind::Published { step, epoch, publication });
    assert_eq!(events[1..], [done("publish"), Event::RunCompleted]);
}

#[test]
fn a_person_who_does_without_publishing_has_what_was_proven_for_it() {
    let mut run = Run::cold([agent("code"), publishing().proven_by(runs(0, "before")).gated()]);
    run.proves("code", "c1");
    run.begins("publish");
    run.verifies(holds());
    run.commits("publish", "commit-1");
    run.proves_cold(seen([YES, YES]));
    assert_eq!(run.decides(skip("publish")).last(), Some(&Event::RunCompleted));
}

#[test]
fn files_that_changed_at_the_gate_are_proven_anew() {
    let mut run = Run::cold([agent("code"), publishing().gated()]);
    run.proves("code", "c1");
    run.begins("publish");
    run.verifies(holds());
    run.commits("publish", "commit-1");
    run.proves_cold(seen([YES]));
    run.decides(approve(1, "c2"));
    run.verifies(holds());
    assert_eq!(run.commits("publish", "commit-2")[1..], [cold_began(&run, 2)]);
    assert_eq!(run.proves_cold(seen([YES]))[1..], [gate(2, "publish", "c2")]);
}

#[test]
fn what_holds_before_publishing_and_nobody_works_on_goes_back_where_it_says_or_asks() {
    let back = (FailedTo::Step(StepIndex(0)), 1);
    for (failed, reopens) in [(Some(back), true), (None, false)] {
        let verify = agent("final").verifies(failed).proven_by(runs(0, "final"));
        let mut run = Run::cold([agent("code"), verify]);
        run.proves("code", "c1");
        run.begins("final");
        run.verifies(holds());
        let events = run.proves_cold(seen([YES, NO]));
        assert!(is_failed(&events[0], "final"), "{events:?}");
        assert_eq!(is_rollback_to(&events[1], "code"), reopens, "{events:?}");
        assert_eq!(run.state.status() == RunStatus::Paused, !reopens);
    }
}

#[test]
fn a_person_may_end_the_run_without_the_proof_and_says_why() {
    let waive = |reason: &str| Decision::WaiveCold { reason: reason.to_owned() };
    let mut run = Run::cold([agent("code")]);
    run.proves("code", "c1");
    for _ in 0..crate::plan::MAX_COLD_FAILURES {
        run.proves_cold(seen([NO]));
        if run.state.status() != RunStatus::Paused {
            run.proves("code", "c1");
        }
    }
    assert_eq!(run.state.status(), RunStatus::Paused);
    assert_eq!(run.refuses(waive(" ")), Rejected::NoReason);
    let waived = Event::ColdProofWaived { reason: "needs a licence server".to_owned() };
    assert_eq!(run.decides(waive(" needs a licence server ")), [waived]);
    assert_eq!(run.state.status(), RunStatus::Paused, "it goes on when it is resumed");
    assert_eq!(run.refuses(waive("again")), Rejected::NoColdProof);
    assert_eq!(run.decides(RESUME).last(), Some(&Event::RunCompleted));

    // One that is going on is given up.
    let mut run = Run::cold([agent("code")]);
    run.proves("code", "c1");
    let events = run.decides(waive("no network here"));
    assert_eq!(events[1..], [Event::ColdProofAbandoned { proof: 1 }, Event::RunCompleted]);
}

#[test]
fn what_a_skipped_step_left_in_the_place_is_not_what_is_proven() {
    let mut run = Run::cold([agent("code").commits(), agent("docs").retries(1)]);
    run.proves("code", "c1");
    run.commits("code", "commit-1");
    run.begins("docs");
    run.fails("docs#1", "c2");
    run.decides(skip("docs"));
    assert_eq!(run.outstanding(), [Effect::ProveCold { proof: 1, code: "c1".into() }]);
}

#[test]
fn what_is_done_again_after_a_waiver_is_proven() {
    let mut run = Run::cold([agent("code"), agent("docs").gated()]);
    run.proves("code", "c1");
    run.proves("docs", "c2");
    run.decides(Decision::WaiveCold { reason: "no network".to_owned() });
    run.decides(rollback("code", "c2"));
    run.proves("code", "c3");
    assert_eq!(run.proves("docs", "c4")[1..], [cold_began(&run, 2)]);
}

#[test]
fn a_proof_is_given_up_when_the_run_stops_or_goes_elsewhere() {
    let ready = || {
        let mut run = Run::cold([agent("code")]);
        run.proves("code", "c1");
        run
    };
    let given_up = Event::ColdProofAbandoned { proof: 1 };
    let mut run = ready();
    assert_eq!(run.decides(PAUSE_NOW)[0], given_up);
    assert_eq!((run.outstanding(), run.state.status()), (vec![], RunStatus::Paused));
    let late = InputKind::ColdProved { proof: 1, report: Box::new(seen([YES])) };
    assert_eq!(run.feed(late), Err(Rejected::NotExpected));
    assert_eq!(run.decides(RESUME)[1..], [cold_began(&run, 2)]);

    let mut run = ready();
    let events = run.decides(rollback("code", "c1"));
    assert_eq!(events, [rolled_back("code", "c1"), given_up.clone(), taken("code")]);

    let mut run = ready();
    let events = run.decides(ABORT);
    assert_eq!(events.first(), Some(&given_up));
    assert_eq!(events.last(), Some(&Event::RunAborted));

    // A person who pauses lets it finish.
    let mut run = ready();
    run.decides(PAUSE);
    assert_eq!(run.outstanding().len(), 1);
    assert_eq!(run.proves_cold(seen([YES])).len(), 1);
    assert_eq!(run.decides(RESUME), [resumed(), Event::RunCompleted]);
}

#[test]
fn nothing_begins_with_nobody_driving_and_another_driver_goes_on_with_it() {
    let mut run = Run::cold([agent("code"), agent("docs").retries(1)]);
    run.proves("code", "c1");
    run.begins("docs");
    run.fails("docs#1", "c1");
    run.expect_fed(InputKind::DriverLeft);
    assert_eq!(run.decides(skip("docs")).last(), Some(&resumed()));
    assert_eq!((run.outstanding(), run.state.status()), (vec![], RunStatus::Active));
    let next = crate::id::Fence(1);
    let events =
        run.expect_fed(InputKind::DriverTookOver { driver: next, session: None, boxes: None });
    assert_eq!(events[1..], [cold_began(&run, 1)]);
    // Whoever comes after a crash finds it outstanding, and does it again.
    let next = crate::id::Fence(2);
    assert_eq!(
        run.expect_fed(InputKind::DriverTookOver { driver: next, session: None, boxes: None })
            .len(),
        1
    );
    assert_eq!(run.outstanding(), [Effect::ProveCold { proof: 1, code: "c1".into() }]);
}

#[test]
fn the_last_gate_opens_after_the_proof_and_an_approval_is_the_end() {
    let mut run = Run::cold([agent("code"), agent("docs").gated()]);
    run.proves("code", "c1");
    assert_eq!(run.proves("docs", "c2")[1..], [cold_began(&run, 1)]);
    assert_eq!(run.proves_cold(seen([YES]))[1..], [gate(1, "docs", "c2")]);
    run.expect_fed(InputKind::DriverLeft);
    let events = run.decides(approve(1, "c2"));
    assert_eq!(events, [approved(1), done("docs"), Event::RunCompleted]);
}

#[test]
fn gates_that_were_approved_in_advance_wait_for_the_proof_too() {
    let mut run = Run::cold_in_advance([agent("code"), publishing().gated()]);
    run.proves("code", "c1");
    run.begins("publish");
    run.verifies(holds());
    assert_eq!(run.commits("publish", "commit-1")[1..], [cold_began(&run, 1)]);
    let events = run.proves_cold(seen([YES]));
    assert_eq!(events[1..3], [gate(1, "publish", "c1"), approved_by_yes(1)]);
    assert!(matches!(events[3], Event::PublishIntended { .. }), "{events:?}");
}

#[test]
fn the_items_of_a_run_are_proven_with_what_they_see() {
    let over = |work: Draft| {
        let mut run = Run::cold_over([new_item("A"), new_item("B")], [foreach("each", 2, [work])]);
        for item in ["A", "B"] {
            run.proves(&format!("each/{item}/work"), &format!("code of {item}"));
        }
        run
    };
    let plain = over(agent("work").proven_by(runs(0, "make test")));
    assert_eq!(plain.cold_commands(), ["make test"], "it sees nothing of an item");
    // Each sees other variables, so it is another check.
    let mut run = over(agent("work").proven_by(runs_with(0, "make item", "ITEM")));
    assert_eq!(run.cold_commands(), ["make item", "make item"]);
    let events = run.proves_cold(seen([YES, NO]));
    assert!(is_rollback_to(&events[1], "each/B/work"), "{events:?}");
    assert_eq!(run.status_of("each/A/work"), StepStatus::Done);
}

fn because(category: Category) -> crate::proof::VerifyReport {
    let mut report = seen([NO]);
    let line = Some("No space left on device".to_owned());
    report.proofs[0].cause =
        Some(crate::failure_rules::Cause { line, ..crate::failure_rules::Cause::of(category) });
    report
}

#[test]
fn trouble_of_the_machine_is_no_answer_of_a_fresh_clone_and_opens_no_step() {
    let mut run = Run::cold([agent("code")]);
    run.proves("code", "c1");
    let events = run.proves_cold(because(Category::Disk));
    assert!(
        matches!(&events[..], [Event::ColdProofBroken { message, .. }, Event::RunPaused { .. }]
            if message.contains("No space left")),
        "{events:?}"
    );
    assert_eq!(run.status_of("code"), StepStatus::Done, "nobody's work can mend that");
}

#[test]
fn a_failure_on_a_fresh_clone_has_the_category_of_its_cause() {
    let mut run = Run::cold([agent("code")]);
    run.proves("code", "c1");
    let events = run.proves_cold(because(Category::Compile));
    assert!(is_failed(&events[0], "code"), "{events:?}");
    assert_eq!(run.step("code").failure.as_ref().unwrap().category, Category::Compile);
}
