//! Failures that somebody notes, and the advice that counts them.

use crate::plan::{Exhausted, ValueType};
use crate::proof::Outcome;
use crate::run::testing::*;
use crate::run::*;
use crate::time::Span;

/// A run whose first item is being worked on.
fn run() -> Run {
    let plan = agent("plan").sets("items", ValueType::Array);
    let steps = [agent("stories/red"), agent("stories/green").exhausted(Exhausted::Block)];
    let mut run = Run::of([plan, foreach("stories", 3, steps)]);
    run.begins("plan");
    for item in ["S1", "S2"] {
        run.asks("plan#1", item).unwrap();
    }
    run.ends("plan#1", "c1");
    run.verifies(holds());
    run.begins("stories/S1/red");
    run
}

fn noted(about: &str, category: Category, by: &str) -> Event {
    let about = About::Item(about.into());
    Event::FailureNoted {
        about,
        category,
        summary: "the bank is down".to_owned(),
        by: by.to_owned(),
    }
}

fn says(run: &mut Run, attempt: &str, about: &str) -> Result<Vec<Event>, Rejected> {
    run.feed(InputKind::FailureNoted {
        attempt: attempt_id(attempt),
        about: about.to_owned(),
        category: Category::External,
        summary: " the bank is down ".to_owned(),
    })
}

fn by_person(about: &str, category: Category, summary: &str) -> Decision {
    let (about, summary) = (About::Item(about.into()), summary.to_owned());
    Decision::NoteFailure { about, category, summary }
}

fn advised(run: &Run, about: &str) -> (bool, u64, bool, String) {
    let about = run.state.about(about).unwrap();
    let Advice { should_retry, backoff_seconds, escalate, reason } =
        advice(&run.state, &about, run.state.now);
    (should_retry, backoff_seconds, escalate, reason)
}

#[test]
fn an_agent_notes_a_failure_of_its_own_story_once() {
    let mut run = run();
    let by = "stories/S1/red#1";
    assert_eq!(says(&mut run, by, "S1").unwrap(), [noted("S1", Category::External, by)]);
    assert_eq!(says(&mut run, by, "S1").unwrap(), []);
    assert_eq!(says(&mut run, by, "stories/S1/red").unwrap().len(), 1, "its own step");
    let other = |about: &str| Rejected::NotYourWork { about: about.to_owned() };
    assert_eq!(says(&mut run, by, "S2"), Err(other("S2")));
    assert_eq!(says(&mut run, by, "plan"), Err(other("plan")));
    assert!(matches!(says(&mut run, by, "S9"), Err(Rejected::UnknownItem { .. })));
    assert!(matches!(says(&mut run, "plan#1", "plan"), Err(Rejected::StaleAttempt { .. })));
}

#[test]
fn a_person_notes_a_failure_of_what_is_not_finished() {
    let mut run = run();
    let note = |text: &str| by_person("S2", Category::External, text);
    assert_eq!(run.decides(note("the bank is down")), [noted("S2", Category::External, "ann")]);
    assert_eq!(run.refuses(note(" ")), Rejected::NoReason);
    assert_eq!(run.refuses(note(&"x".repeat(1001))), Rejected::NoteTooLong);
    let about = About::Step("plan".into());
    let over = Decision::NoteFailure { about, category: Category::Code, summary: "x".to_owned() };
    assert_eq!(run.refuses(over), Rejected::AlreadyOver { about: "plan".to_owned() });
}

#[test]
fn only_the_last_notes_of_a_story_are_kept() {
    let mut run = run();
    for number in 0..20 {
        run.decides(by_person("S1", Category::Code, &format!("note {number}")));
    }
    run.decides(by_person("S2", Category::Code, "another"));
    let about = About::Item("S1".into());
    let kept: Vec<&str> =
        run.state.notes_about(&about).map(|noted| noted.summary.as_str()).collect();
    assert_eq!(kept.len(), 8);
    assert_eq!((kept[0], kept[7]), ("note 12", "note 19"));
}

#[test]
fn a_note_about_something_external_escalates_until_the_work_goes_on() {
    let mut run = run();
    run.decides(by_person("S1", Category::External, "the bank is down"));
    let external = (false, 0, true, "ann noted: the bank is down".to_owned());
    assert_eq!(advised(&run, "S1"), external);
    assert_eq!(advised(&run, "stories/S1/red"), external, "its steps as well");
    assert_eq!(advised(&run, "S2").3, "nothing has failed");
    run.ends("stories/S1/red#1", "c2");
    run.verifies(holds());
    assert_eq!(advised(&run, "S1"), (true, 0, false, "nothing has failed".to_owned()));
}

#[test]
fn a_failure_of_code_or_tests_is_tried_again_until_the_tries_are_used_or_it_repeats() {
    let mut run = run();
    run.proves("stories/S1/red", "c2");
    run.begins("stories/S1/green");
    run.fails("stories/S1/green#1", "c3");
    let left = "a test failure: fix its cause; 2 tries are left".to_owned();
    assert_eq!(advised(&run, "S1"), (true, 0, false, left));
    run.ends("stories/S1/green#2", "c4");
    run.verifies(fails("another"));
    run.ends("stories/S1/green#3", "c5");
    run.verifies(fails("a third"));
    let (retry, _, escalate, reason) = advised(&run, "S1");
    assert_eq!((retry, escalate), (false, true));
    assert_eq!(reason, "`stories/S1/green` is blocked: not proven in 3 tries");

    let mut run = Run::of([agent("code").retries(9)]);
    run.begins("code");
    for number in 1..=3 {
        run.ends(&format!("code#{number}"), "c1");
        run.verifies(fails("always"));
    }
    let (retry, _, escalate, reason) = advised(&run, "code");
    assert_eq!((retry, escalate), (false, true), "{reason}");
    assert!(reason.starts_with("`code` failed in the same way 3 times over"), "{reason}");
}

#[test]
fn a_failure_of_the_surroundings_waits_and_a_lost_attempt_does_not() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    run.ends_with("code#1", "c1", Outcome::TimedOut);
    run.verifies(fails("no"));
    let (retry, seconds, escalate, reason) = advised(&run, "code");
    assert_eq!((retry, escalate), (true, false));
    // A quarter of 40 seconds is chance.
    assert!((30..=40).contains(&seconds), "{seconds}");
    assert!(reason.contains("the surroundings failed"), "{reason}");
    run.later(Span::hours(1)).timer("code");
    run.loses("code#2", "c2");
    let lost = "the last attempt was lost, which costs no try".to_owned();
    assert_eq!(advised(&run, "code"), (true, 0, false, lost));
}

#[test]
fn a_limit_is_waited_for_and_what_is_external_needs_a_person() {
    let mut run = Run::of([agent("code")]);
    run.begins("code");
    let resets_at = Some(run.state.now.plus(Span::minutes(7)));
    let message = "too many".to_owned();
    run.ends_with("code#1", "c1", Outcome::ProviderLimit { resets_at, message });
    let (retry, seconds, escalate, reason) = advised(&run, "code");
    assert_eq!((retry, seconds, escalate), (true, 420, false), "{reason}");

    let mut run = Run::of([agent("code")]);
    run.begins("code");
    let (category, message) = (Category::External, "the key is refused".to_owned());
    run.ends_with("code#1", "c1", Outcome::AgentFailed { category, message });
    assert_eq!(advised(&run, "code"), (false, 0, true, "the key is refused".to_owned()));
}
