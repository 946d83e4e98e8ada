//! A run ends in a pull request.

use crate::id::ObjectId;
use crate::plan::{PullRequest, StepKind};
use crate::run::testing::*;
use crate::run::*;

fn publishing() -> Draft {
    let request = PullRequest { title: "Work".to_owned(), base: None, draft: false };
    agent("publish").proven_by_command().commits().of_kind(StepKind::PullRequest(request))
}

fn publication(pushed: &str) -> Publication {
    Publication {
        remote: "origin".to_owned(),
        pushed: pushed.into(),
        number: Some(7),
        url: Some("https://example.org/pull/7".to_owned()),
        compare_url: None,
        body_file: None,
        notes: Vec::new(),
    }
}

fn intended(commit: &str, expected: Option<&str>) -> Event {
    let expected = expected.map(ObjectId::from);
    Event::PublishIntended { step: "publish".into(), commit: commit.into(), expected }
}

fn effect(commit: &str, expected: Option<&str>) -> Effect {
    let expected = expected.map(ObjectId::from);
    Effect::Publish { step: "publish".into(), epoch: 0, commit: commit.into(), expected }
}

impl Run {
    fn publishes(&mut self, pushed: &str) -> Vec<Event> {
        let (step, epoch) = ("publish".into(), self.step("publish").epoch);
        self.expect_fed(InputKind::Published { step, epoch, publication: publication(pushed) })
    }

    fn proves_and_commits(&mut self, step: &str, code: &str, commit: &str) {
        self.proves(step, code);
        self.commits(step, commit);
    }

    fn refuses_to_publish(&mut self, message: &str) -> Vec<Event> {
        let (step, epoch) = ("publish".into(), self.step("publish").epoch);
        let message = message.to_owned();
        self.expect_fed(InputKind::PublishRefused { step, epoch, message, settings: None })
    }
}

#[test]
fn what_has_to_hold_before_is_verified_then_the_intent_is_recorded_then_it_happens() {
    let mut run = Run::of([agent("code"), publishing()]);
    run.proves("code", "c1");
    let events = run.begins("publish");
    assert_eq!(events[1], verification(2, "publish", "c1", VerifyReason::BeforePublishing));
    run.verifies(holds());
    // What `code` proved and did not commit is committed first.
    let events = run.commits("publish", "commit-1");
    assert_eq!(events[1], intended("commit-1", None));
    assert_eq!(run.outstanding(), [effect("commit-1", None)]);
    let events = run.publishes("commit-1");
    assert_eq!(events[1..], [done("publish"), Event::RunCompleted]);
    assert_eq!(run.state.publication, Some(publication("commit-1")));
}

#[test]
fn nothing_is_pushed_before_a_person_has_accepted_it() {
    let mut run = Run::of([agent("code"), publishing().gated()]);
    run.proves("code", "c1");
    run.begins("publish");
    run.verifies(holds());
    let events = run.commits("publish", "commit-1");
    assert!(matches!(events[1], Event::GateOpened { .. }), "{events:?}");
    assert_eq!(run.outstanding(), []);
    let events = run.decides(approve(1, "c1"));
    assert_eq!(events, [approved(1), intended("commit-1", None)]);
}

#[test]
fn who_approves_with_nobody_driving_pushes_nothing() {
    let mut run = Run::of([agent("code"), publishing().gated()]);
    run.proves("code", "c1");
    run.begins("publish");
    run.verifies(holds());
    run.commits("publish", "commit-1");
    run.expect_fed(InputKind::DriverLeft);
    assert_eq!(run.decides(approve(1, "c1")), [approved(1)]);
    let events =
        run.expect_fed(InputKind::DriverTookOver { driver: DRIVER, session: None, boxes: None });
    assert_eq!(events[1], intended("commit-1", None));
}

#[test]
fn what_could_not_be_published_waits_for_a_person_and_is_tried_again() {
    let mut run = Run::of([agent("code"), publishing()]);
    run.proves("code", "c1");
    run.begins("publish");
    run.verifies(holds());
    run.commits("publish", "commit-1");
    let events = run.refuses_to_publish("no remote");
    let message = "no remote".to_owned();
    assert_eq!(events[1], Event::BlockerRaised { message });
    assert_eq!((run.state.status(), run.outstanding()), (RunStatus::AwaitingUser, vec![]));
    let mut without = run.clone();
    without.decides(Decision::Skip {
        step: "publish".into(),
        reason: "by hand".to_owned(),
        keep: false,
    });
    assert_eq!(without.status_of("publish"), StepStatus::Skipped);
    let events = run.decides(Decision::Resume { raise: Raise::default() });
    assert_eq!(events[1], intended("commit-1", None));
}

#[test]
fn a_second_time_it_is_pushed_over_what_was_pushed_first() {
    let mut run = Run::of([agent("code").commits(), publishing(), agent("after")]);
    run.proves_and_commits("code", "c1", "commit-1");
    run.begins("publish");
    run.verifies(holds());
    run.publishes("commit-1");
    run.begins("after");
    run.decides(Decision::Pause { now: true });
    run.ends("after#1", "c1");
    run.decides(rollback("code", "c1"));
    run.proves_and_commits("code", "c2", "commit-2");
    run.begins("publish");
    let events = run.verifies(holds());
    assert_eq!(events[1], intended("commit-2", Some("commit-1")));
}

#[test]
fn what_does_not_hold_before_pauses_the_run_and_feedback_has_nobody_to_go_to() {
    let mut run = Run::of([agent("code"), publishing()]);
    run.proves("code", "c1");
    run.begins("publish");
    let events = run.verifies(fails("`make test` exited with 2"));
    let detail = "`publish`: the checks before publishing failed";
    assert_eq!(events[2], paused(PauseReason::RetriesExhausted, detail));
    let answer = run.feed(InputKind::Decided(feedback("do it", "c1")));
    assert_eq!(answer, Err(Rejected::NobodyWorks { step: "publish".into() }));
}

#[test]
fn a_late_report_of_an_earlier_life_is_dropped() {
    let mut run = Run::of([agent("code"), publishing()]);
    run.proves("code", "c1");
    run.begins("publish");
    run.verifies(holds());
    run.commits("publish", "commit-1");
    let late = InputKind::Published {
        step: "publish".into(),
        epoch: 1,
        publication: publication("commit-1"),
    };
    assert_eq!(run.feed(late), Err(Rejected::NotExpected));
}

fn settings(url: &str) -> PushSettings {
    PushSettings([("remote.origin.url".to_owned(), url.into())].into())
}

/// A run that stopped because the settings for a push are other ones.
fn stopped_by_settings() -> Run {
    let mut run = Run::of([agent("code"), publishing()]);
    run.proves("code", "c1");
    run.begins("publish");
    run.verifies(holds());
    run.commits("publish", "commit-1");
    let (step, message) = ("publish".into(), "changed".to_owned());
    let settings = Some(settings("other"));
    run.expect_fed(InputKind::PublishRefused { step, epoch: 0, message, settings });
    run
}

#[test]
fn who_resumes_accepts_the_settings_that_were_shown() {
    let mut run = stopped_by_settings();
    assert_eq!(run.step("publish").accepted_settings, None);
    let events = run.decides(Decision::Resume { raise: Raise::default() });
    assert_eq!(events[0], Event::PushSettingsAccepted { step: "publish".into() });
    assert_eq!(run.step("publish").accepted_settings, Some(settings("other")));
    run.refuses_to_publish("no network");
    let events = run.decides(Decision::Resume { raise: Raise::default() });
    assert!(matches!(events[0], Event::RunResumed { .. }), "accepted twice: {events:?}");
}

#[test]
fn who_lets_agents_work_again_accepts_no_settings() {
    let mut run = stopped_by_settings();
    let mut accepted = run.clone();
    accepted.decides(Decision::Resume { raise: Raise::default() });
    accepted.refuses_to_publish("no network");
    for run in [&mut run, &mut accepted] {
        run.decides(rollback("code", "c1"));
        assert_eq!(run.step("publish").accepted_settings, None);
        assert_eq!(run.step("publish").shown_settings, None);
    }
}

#[test]
fn who_aborts_while_it_is_published_hears_what_came_of_it() {
    let publishing = || {
        let mut run = Run::of([agent("code"), publishing()]);
        run.proves("code", "c1");
        run.begins("publish");
        run.verifies(holds());
        run.commits("publish", "commit-1");
        let events = run.decides(Decision::Abort { reason: None });
        assert!(!events.contains(&Event::RunAborted), "{events:?}");
        assert_eq!(run.outstanding(), [effect("commit-1", None)]);
        run
    };
    let mut run = publishing();
    assert_eq!(run.publishes("commit-1").last(), Some(&Event::RunAborted));
    assert_eq!(run.state.publication, Some(publication("commit-1")));
    let mut run = publishing();
    assert_eq!(run.refuses_to_publish("no").last(), Some(&Event::RunAborted));
    // With nobody driving nothing is going on, and nobody would report.
    let mut run = Run::of([agent("code"), self::publishing()]);
    run.proves("code", "c1");
    run.begins("publish");
    run.verifies(holds());
    run.commits("publish", "commit-1");
    run.expect_fed(InputKind::DriverLeft);
    let events = run.decides(Decision::Abort { reason: None });
    assert_eq!(events.last(), Some(&Event::RunAborted));
}
