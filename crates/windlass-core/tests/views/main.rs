//! What people and agents are told, over one story: prompts, status, document and report.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bounds;
mod graph;
mod kept;
mod redact;
mod report;
mod story;
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
