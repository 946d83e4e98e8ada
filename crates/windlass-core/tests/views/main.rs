//! What people and agents are told, over one story: prompts, status, document and report.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bounds;
mod cold;
mod earlier;
mod graph;
mod hostile;
mod items;
mod judged;
mod kept;
mod literal;
mod redact;
mod rendered;
mod report;
mod stories;
mod story;
mod story_report;
mod why;

use story::{Story, fails, holds};
use windlass_core::view::{self, ReportFacts};

#[test]
fn the_first_prompt_names_files_task_criterion_and_rules() {
    let story = Story::begin();
    insta::assert_snapshot!(story.prompt("implement"));
}

#[test]
fn the_next_prompt_says_what_failed_and_where_the_evidence_is() {
    let mut story = Story::begin();
    story.attempt("c1");
    story.verified(fails("run `make test` exited with 2", "FAIL sum: expected 4, got 5"));
    insta::assert_snapshot!(story.prompt("implement"));
}

#[test]
fn the_next_prompt_says_what_failed_in_earlier_tries_and_when_it_is_the_same() {
    let mut story = Story::begin();
    story.attempt("c1");
    story.verified(fails("run `make test` exited with 2, 1 test failed: product", "FAIL product"));
    story.attempt("c2");
    story.verified(fails("run `make test` exited with 2", "FAIL sum"));
    let prompt = story.prompt("implement");
    let before = "Earlier tries failed in other ways; do not bring these back:\n\
                  - run `make test` exited with 2, 1 test failed: product\n";
    assert!(prompt.contains(before), "{prompt}");
    assert!(!prompt.contains("not where the last tries looked"), "{prompt}");
    story.attempt("c3");
    story.verified(fails("run `make test` exited with 2", "FAIL sum"));
    let prompt = story.prompt("implement");
    assert!(prompt.contains("not where the last tries looked"), "{prompt}");
    assert_eq!(prompt.matches("1 test failed: product").count(), 1, "{prompt}");
}

#[test]
fn who_goes_on_with_an_attempt_is_told_that_it_was_interrupted_and_not_that_it_failed() {
    let mut story = Story::begin();
    let attempt = story.state().running_attempts().next().unwrap();
    let files = story.state().latest.clone().unwrap();
    story.feed(windlass_core::run::InputKind::lost(attempt, files, Vec::new()));
    let prompt = story.prompt("implement");
    assert!(prompt.contains("## Interrupted\n\nAn earlier attempt was interrupted"), "{prompt}");
    assert!(!prompt.contains("not accepted"), "{prompt}");
}

#[test]
fn an_output_is_told_as_far_as_there_is_room() {
    let mut story = Story::begin();
    story.attempt("c1");
    let output: String = (0..60).map(|line| format!("{line:02} assertion failed: sum\n")).collect();
    story.verified(fails("run `make test` exited with 2", &output));
    let prompt = story.prompt("implement");
    assert!(prompt.contains("00 assertion failed") && prompt.contains("59 assertion"), "{prompt}");
}

#[test]
fn after_feedback_the_prompt_has_a_hotfix_instead() {
    let mut story = Story::begin();
    story.attempt("c1");
    story.verified(holds());
    story.committed();
    story.feedback("Use the existing helper.", "c1");
    story.begin_step("implement", "c1");
    insta::assert_snapshot!(story.prompt("implement"));
}

#[test]
fn a_status_says_where_it_stands_and_what_to_do_next() {
    let mut story = Story::begin();
    story.attempt("c1");
    story.verified(fails("run `make test` exited with 2", "FAIL"));
    story.attempt("c2");
    story.verified(holds());
    story.committed();
    insta::assert_json_snapshot!(view::status_view(story.state()));
}

#[test]
fn the_document_is_what_jq_sees() {
    let mut story = Story::begin();
    story.attempt("c1");
    story.verified(holds());
    story.committed();
    story.approve("c1");
    insta::assert_json_snapshot!(view::document(story.state()));
}

#[test]
fn the_report_tells_the_whole_run() {
    let mut story = Story::begin();
    story.attempt("c1");
    story.verified(fails("run `make test` exited with 2", "FAIL"));
    story.attempt("c2");
    story.verified(holds());
    story.committed();
    story.approve("c2");
    let facts = ReportFacts { head: "0123abcd".to_owned(), ..ReportFacts::default() };
    let report = view::report_view(story.state(), &story.history, &facts);
    insta::assert_snapshot!(view::markdown(&report));
}

#[test]
fn what_is_going_on_and_the_next_gate_are_part_of_the_status() {
    let story = Story::begin();
    let view = view::status_view(story.state());
    let running: Vec<_> = view.running.iter().map(|r| (r.step.as_str(), r.doing)).collect();
    assert_eq!(running, [("implement", view::Doing::Running)]);
    assert_eq!(view.running[0].attempt.as_ref().unwrap().to_string(), "implement#1");
    assert_eq!(view.next_gate.as_ref().unwrap().step.as_str(), "implement");
    assert_eq!(view.next_gate.unwrap().steps_until, 1);
    let mut story = story;
    story.attempt("c1");
    story.verified(holds());
    story.committed();
    story.approve("c1");
    let view = view::status_view(story.state());
    assert_eq!(view.next_gate, None, "{:?}", view.running);
}

#[test]
fn a_rollback_is_offered_to_what_has_begun_and_suggests_the_step_before() {
    let mut story = Story::begin();
    story.attempt("c1");
    story.verified(holds());
    story.committed();
    let at_first = view::rollback_targets(story.state());
    assert_eq!(at_first.len(), 1);
    assert!(at_first[0].suggested);
    story.approve("c1");
    story.begin_step("docs", "c1");
    let targets = view::rollback_targets(story.state());
    let named: Vec<_> = targets.iter().map(|t| (t.step.as_str(), t.suggested)).collect();
    assert_eq!(named, [("implement", true), ("docs", false)]);
}

#[test]
fn feedback_does_not_hide_what_the_step_changed_before() {
    let mut story = Story::begin();
    let base = story.history.steps.values().next().unwrap().base.clone();
    assert!(base.is_some());
    story.attempt("c1");
    story.verified(holds());
    story.committed();
    story.feedback("Use the existing helper.", "c1");
    story.begin_step("implement", "c1");
    assert_eq!(story.history.steps.values().next().unwrap().base, base);
}
