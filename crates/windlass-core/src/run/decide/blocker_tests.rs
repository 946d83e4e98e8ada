//! Blockers: they keep the run until their check, and what has to hold, passes.

use crate::proof::{Outcome, VerifyReport};
use crate::run::testing::*;
use crate::run::*;
use crate::time::Span;

fn help(check: bool) -> NewBlocker {
    let check = check.then(|| BlockerCheck {
        command: "test -n \"$KEY\"".to_owned(),
        timeout: Span::seconds(5),
    });
    NewBlocker { message: "a key is missing".to_owned(), severity: Severity::High, check }
}

fn looked(look: u32, broken: Option<&str>) -> InputKind {
    let report = VerifyReport { broken: broken.map(str::to_owned), ..VerifyReport::empty() };
    InputKind::BlockerLookedAt { blocker: 1, look, report: Box::new(report) }
}

#[test]
fn an_agent_that_asks_for_help_uses_no_try_and_the_run_waits_for_a_person() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    run.asks_for_help("code#1", help(false));
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    let events = run.ends("code#1", "c1");
    assert_eq!(events, [ended("code#1", "c1")], "nobody judges what could not be finished");
    assert_eq!(run.step("code").tries, 0);
    run.decides(Decision::Fixed { what: None, notes: Some("it is there".to_owned()) });
    assert!(run.state.open_blockers().next().is_none());
    assert_eq!(run.state.status(), RunStatus::Active);
}

#[test]
fn a_blocker_with_a_check_stays_until_the_check_passes() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.asks_for_help("code#1", help(true));
    run.ends("code#1", "c1");
    run.decides(Decision::Fixed { what: Some("1".to_owned()), notes: None });
    assert!(matches!(run.outstanding()[..], [Effect::LookAtBlocker { blocker: 1, look: 1, .. }]));
    let again = run.decides(Decision::Fixed { what: None, notes: None });
    assert!(again.is_empty(), "saying it twice changes nothing: {again:?}");
    run.expect_fed(looked(1, Some("no such key")));
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    assert_eq!(run.state.blocker(1).unwrap().stays.as_deref(), Some("no such key"));
    let [Effect::Wake { key, at }] = &run.outstanding()[..] else { panic!("no timer") };
    let (key, at) = (key.clone(), *at);
    run.at = at;
    run.expect_fed(InputKind::TimerFired { key });
    run.expect_fed(looked(2, None));
    assert_eq!(run.state.blocker(1).unwrap().resolved.as_ref().unwrap().by, None);
    assert_eq!(run.state.status(), RunStatus::Active);
}

#[test]
fn a_pause_stays_a_pause_and_whoever_resumes_answers_for_the_blockers() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.decides(Decision::Pause { now: false });
    run.asks_for_help("code#1", help(true));
    run.ends("code#1", "c1");
    assert_eq!(run.state.status(), RunStatus::Paused);
    run.decides(Decision::Resume { raise: Raise::default() });
    assert!(run.state.open_blockers().next().is_none());
}

#[test]
fn nothing_is_fixed_that_is_not_blocked() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    let fixed = |what: Option<&str>| Decision::Fixed { what: what.map(str::to_owned), notes: None };
    assert_eq!(run.refuses(fixed(None)), Rejected::NothingBlocked { what: None });
    let unknown = Rejected::NothingBlocked { what: Some("S9".to_owned()) };
    assert_eq!(run.refuses(fixed(Some("S9"))), unknown);
    let empty = NewBlocker { message: "  ".to_owned(), ..help(false) };
    assert_eq!(run.refuses(Decision::Block { blocker: empty }), Rejected::NoReason);
    let long = NewBlocker { message: "x".repeat(3000), ..help(false) };
    assert_eq!(run.refuses(Decision::Block { blocker: long }), Rejected::BadBlocker);
}

#[test]
fn a_verdict_that_blocks_goes_back_and_waits_for_a_person_at_once() {
    let mut run = Run::of([
        agent("code"),
        agent("security").route("REMEDIATION_NEEDED", [], "code", 1).blocking(),
    ]);
    run.proves("code", "c1");
    run.begins("security");
    run.ends("security#1", "c1");
    run.verifies(says("REMEDIATION_NEEDED", []));
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    let blocker = run.state.blocker(1).expect("a blocker").clone();
    assert_eq!((blocker.kind, blocker.severity), (BlockerKind::Security, Severity::High));
    assert_eq!(blocker.step, Some("code".into()));
    assert!(blocker.message.contains("REMEDIATION_NEEDED"), "{}", blocker.message);
    assert!(run.outstanding().is_empty(), "nobody goes on before a person has looked");
    run.decides(Decision::Fixed { what: None, notes: Some("use the vault".to_owned()) });
    assert_eq!(run.state.status(), RunStatus::Active);
    run.begins("code");
    let index = run.state.plan.find(&"code".into()).unwrap();
    let attempt = crate::id::AttemptId { step: "code".into(), number: 2 };
    let prompt = crate::prompt::prompt(&run.state, index, &attempt);
    assert!(prompt.contains("use the vault") && prompt.contains("REMEDIATION_NEEDED"), "{prompt}");
    assert!(!prompt.contains("is resolved"), "it says one thing, not two: {prompt}");
    assert!(prompt.len() <= crate::prompt::MAX_BYTES);
}

#[test]
fn what_security_finds_in_one_item_stops_that_item_and_no_other() {
    let security = agent("stories/security").route("REMEDIATION_NEEDED", [], "stories/code", 2);
    let plan = agent("plan").sets("items", crate::plan::ValueType::Array);
    let steps = [agent("stories/code"), security.blocking()];
    let mut run = Run::of([plan, foreach("stories", 3, steps)]);
    run.begins("plan");
    run.asks("plan#1", "S1").unwrap();
    run.asks("plan#1", "S2").unwrap();
    run.ends("plan#1", "c1");
    run.verifies(holds());
    run.proves("stories/S1/code", "c2");
    run.begins("stories/S1/security");
    run.ends("stories/S1/security#1", "c2");
    run.verifies(says("REMEDIATION_NEEDED", []));
    assert_eq!(run.state.open_blockers().count(), 0);
    assert_eq!(run.status_of("stories/S1/code"), StepStatus::Blocked);
    assert_eq!(run.state.status(), RunStatus::Active, "the other story goes on");
    run.proves("stories/S2/code", "c3");
    run.proves("stories/S2/security", "c3");
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    // The person has seen it: the story begins anew, and knows what was found and what was said.
    run.decides(Decision::Fixed { what: Some("S1".to_owned()), notes: Some("hash it".to_owned()) });
    assert_eq!(run.state.status(), RunStatus::Active);
    run.begins("stories/S1/code");
    let index = run.index("stories/S1/code");
    let number = run.step("stories/S1/code").attempts;
    let attempt = crate::id::AttemptId { step: "stories/S1/code".into(), number };
    let prompt = crate::prompt::prompt(&run.state, index, &attempt);
    assert!(prompt.contains("hash it") && prompt.contains("REMEDIATION_NEEDED"), "{prompt}");
}

#[test]
fn last_words_that_ask_for_a_person_keep_the_run_and_nobody_judges() {
    let mut run = Run::of([agent("code").retries(1)]);
    run.begins("code");
    let report = crate::proof::AttemptReport {
        escalation: Some("the bank's key is missing".to_owned()),
        ..report(Outcome::Exited { code: 0 })
    };
    run.reports("code#1", "c1", report);
    assert_eq!(run.state.status(), RunStatus::AwaitingUser);
    let blocker = run.state.blocker(1).expect("a blocker");
    assert_eq!(blocker.message, "the bank's key is missing");
    assert_eq!((blocker.by.as_str(), run.step("code").tries), ("agent:code#1", 0));
    run.decides(Decision::Fixed { what: None, notes: None });
    assert_eq!(run.state.status(), RunStatus::Active);
    assert_eq!(run.outstanding(), [ensure("code#2")], "what it could not finish goes on");
}
