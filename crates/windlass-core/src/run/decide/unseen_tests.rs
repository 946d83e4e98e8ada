//! Protected files that are asked about at the next gate: nothing of them lands before a person has seen it.

use crate::plan::{Exhausted, PullRequest, StepKind};
use crate::proof::{ProtectedChange, VerifyReport};
use crate::run::state::{Gate, GateKind};
use crate::run::testing::*;
use crate::run::*;

fn ci(now: &str) -> ProtectedChange {
    ProtectedChange::of_file(".github/workflows/ci.yml".to_owned(), Some(now.into()))
}

/// The check holds, and CI files were changed.
fn changes_ci(now: &str) -> VerifyReport {
    VerifyReport { later: vec![ci(now)], ..holds() }
}

fn late_gate(id: u32, step: &str, code: &str, now: &str) -> Event {
    let kind = GateKind::Protected { changes: vec![ci(now)], diff: None, late: true };
    let (id, step, snapshot) = (crate::id::GateId(id), step.into(), files(code));
    Event::GateOpened { gate: Gate { id, step, kind, snapshot } }
}

fn pinned(now: &str) -> Event {
    Event::ProtectedPinned { changes: vec![ci(now)] }
}

fn works(run: &mut Run, step: &str, code: &str, report: VerifyReport) -> Vec<Event> {
    run.begins(step);
    run.ends(&format!("{step}#1"), code);
    run.verifies(report)
}

#[test]
fn a_change_that_waits_stops_no_step_and_is_pinned_at_the_next_gate() {
    let mut run = Run::of([agent("code"), agent("docs").gated(), agent("more")]);
    let events = works(&mut run, "code", "c1", changes_ci("a"));
    assert_eq!(events[1..], [done("code"), taken("docs")], "{events:?}");
    assert!(run.state.has_unseen());
    let events = works(&mut run, "docs", "c2", changes_ci("a"));
    assert_eq!(events[1..], [gate(1, "docs", "c2")]);
    let asked = run.state.asked_about(run.state.gate().unwrap()).unwrap();
    assert_eq!(asked.changes, [ci("a")], "the gate shows it");
    assert_eq!(
        run.decides(approve(1, "c2")),
        [approved(1), pinned("a"), done("docs"), taken("more")]
    );
    assert_eq!(run.state.pins.get(".github/workflows/ci.yml"), Some(&Some("a".into())));
    let accepted = &run.state.accepted[".github/workflows/ci.yml"];
    assert_eq!((accepted.by.as_str(), accepted.step.as_str()), ("ann", "docs"));
    assert!(!run.state.has_unseen());
    // What it is like now has been seen, and the run ends without another question.
    let events = works(&mut run, "more", "c3", holds());
    assert_eq!(events[1..], [done("more"), Event::RunCompleted]);
}

#[test]
fn where_no_gate_is_left_one_opens_before_the_end() {
    let mut run = Run::of([agent("code"), agent("docs")]);
    works(&mut run, "code", "c1", changes_ci("a"));
    let events = works(&mut run, "docs", "c2", changes_ci("a"));
    assert_eq!(events[1..], [late_gate(1, "docs", "c2", "a")]);
    assert_eq!(run.state.status(), RunStatus::AwaitingApproval);
    assert_eq!(run.state.reason(), Some("protected_changed"));
    assert_eq!(
        run.decides(approve(1, "c2")),
        [approved(1), pinned("a"), done("docs"), Event::RunCompleted]
    );
}

#[test]
fn yes_answers_the_gate_of_the_workflow_and_not_the_one_that_shows_it() {
    let mut run = Run::approved_in_advance([agent("code").gated(), agent("docs").gated()]);
    let events = works(&mut run, "code", "c1", changes_ci("a"));
    assert_eq!(events[2..], [approved_by_yes(1), done("code"), taken("docs")]);
    let events = works(&mut run, "docs", "c2", changes_ci("a"));
    assert_eq!(events[2..], [approved_by_yes(2), late_gate(3, "docs", "c2", "a")]);
    assert_eq!(
        run.decides(approve(3, "c2")),
        [approved(3), pinned("a"), done("docs"), Event::RunCompleted]
    );
}

#[test]
fn feedback_at_the_last_gate_pins_nothing() {
    let mut run = Run::of([agent("code")]);
    works(&mut run, "code", "c1", changes_ci("a"));
    run.decides(feedback("leave CI alone", "c1"));
    assert!(run.state.pins.is_empty());
    run.begins("code");
    run.ends("code#2", "c2");
    let events = run.verifies(holds());
    assert_eq!(events[1..], [done("code"), Event::RunCompleted], "it was taken back");
}

#[test]
fn files_that_changed_while_the_last_gate_was_open_are_looked_at_again() {
    let mut run = Run::of([agent("code")]);
    works(&mut run, "code", "c1", changes_ci("a"));
    let refused = run.decides(approve(1, "c2"));
    assert!(matches!(refused[0], Event::GateAnswerRefused { .. }), "{refused:?}");
    assert!(run.state.pins.is_empty());
    let events = run.verifies(changes_ci("b"));
    assert_eq!(events[1..], [late_gate(2, "code", "c2", "b")]);
}

#[test]
fn nothing_lands_unseen_because_the_last_step_is_given_up() {
    let policy = Exhausted::Waive;
    let mut run = Run::of([agent("code"), agent("lint").retries(1).exhausted(policy)]);
    works(&mut run, "code", "c1", changes_ci("a"));
    run.begins("lint");
    run.ends("lint#1", "c2");
    let events = run.verifies(fails("no"));
    assert!(!events.contains(&Event::RunCompleted), "{events:?}");
    if run.state.gate().is_none() {
        // Its work leaves the place first.
        run.begins("lint");
    }
    let gate = run.state.gate().cloned().unwrap();
    assert!(matches!(gate.kind, GateKind::Protected { late: true, .. }), "{gate:?}");
    let events = run.decides(approve(1, gate.snapshot.code.as_str()));
    assert_eq!(events[..2], [approved(1), pinned("a")]);
    assert_eq!(events.last(), Some(&Event::RunCompleted), "{events:?}");
}

#[test]
fn work_that_is_given_up_does_not_keep_a_change_that_nobody_saw() {
    let lint = agent("lint").retries(1).exhausted(Exhausted::Waive).waive_keeps();
    let mut run = Run::of([lint]);
    run.begins("lint");
    run.ends("lint#1", "c1");
    let report = VerifyReport { later: vec![ci("a")], ..fails("no") };
    let events = run.verifies(report);
    let waived = events.iter().find_map(|event| {
        if let Event::StepWaived { kept, .. } = event { Some(*kept) } else { None }
    });
    assert_eq!(waived, Some(false), "{events:?}");
}

#[test]
fn a_step_that_is_skipped_as_the_last_one_lets_nothing_through() {
    let mut run = Run::of([agent("code"), agent("docs").gated()]);
    works(&mut run, "code", "c1", changes_ci("a"));
    run.begins("docs");
    run.ends("docs#1", "c1");
    run.decides(PAUSE);
    run.verifies(changes_ci("a"));
    run.decides(RESUME);
    let events = run.decides(skip("docs"));
    assert!(!events.contains(&Event::RunCompleted), "{events:?}");
}

#[test]
fn nothing_is_published_before_somebody_has_seen_it() {
    let request = PullRequest { title: "Work".to_owned(), base: None, draft: false };
    let publish = agent("publish").proven_by_command().of_kind(StepKind::PullRequest(request));
    let mut run = Run::approved_in_advance([agent("code").commits(), publish.gated()]);
    works(&mut run, "code", "c1", changes_ci("a"));
    run.commits("code", "commit1");
    run.begins("publish");
    let events = run.verifies(changes_ci("a"));
    let (gate, late) = (gate(1, "publish", "c1"), late_gate(2, "publish", "c1", "a"));
    assert_eq!(events[1..], [gate, approved_by_yes(1), late]);
    let events = run.decides(approve(2, "c1"));
    assert_eq!(events[..2], [approved(2), pinned("a")]);
    assert!(matches!(events[2..], [Event::PublishIntended { .. }]), "{events:?}");
}
