//! The last proof, on a fresh clone: what people and the next agent see of it.

use windlass_core::id::StepId;
use windlass_core::plan::Holds;
use windlass_core::view::{self, ReportFacts, ReportView, status_view, why};

use super::story::{Story, holds};

const WORKFLOW: &str = r#"
workflow: change
steps:
  - id: implement
    agent: developer
    task: Make `sum` add.
    done: [{file: "{specs}/implementation.md"}, {run: make test}]
"#;

fn ready(cold: bool) -> Story {
    let mut story = Story::planned("Fix the sum", WORKFLOW, cold);
    story.attempt("c1");
    story.verified(holds());
    story.committed();
    story
}

fn report(story: &Story) -> ReportView {
    view::report_view(story.state(), &story.history, &ReportFacts::default())
}

/// What all three writers of a report say, line by line where they have lines.
fn written(story: &Story) -> [String; 3] {
    let view = report(story);
    [view::markdown(&view), view::pull_request_body(&view), view::html(&view)]
}

#[test]
fn a_status_says_that_it_is_going_on() {
    let story = ready(true);
    let status = status_view(story.state());
    let detail = "all checks run once more, on a fresh clone";
    assert_eq!(
        (status.run.status.as_str(), status.run.detail.as_deref()),
        ("active", Some(detail))
    );
    assert_eq!(report(&story).cold, None);
}

#[test]
fn a_report_says_that_it_held_or_that_it_was_left_out() {
    let mut story = ready(true);
    story.proved_cold(Holds::Yes, "");
    let held = "all checks passed once more on a fresh clone: 2 checks";
    for text in written(&story) {
        assert!(text.contains(held), "{text}");
    }
    let story = ready(false);
    assert!(story.state().is_ended());
    for text in written(&story) {
        assert!(text.contains("left out: the workflow says "), "{text}");
        assert!(text.contains("cold: false"), "{text}");
    }
}

#[test]
fn the_next_prompt_says_what_fails_on_a_fresh_clone_and_where_the_evidence_is() {
    let mut story = ready(true);
    story.proved_cold(Holds::No, "FAIL sum: target/cache is not there");
    story.begin_step("implement", "c1");
    insta::assert_snapshot!(story.prompt("implement"));
    let why = why(&story.trail, &StepId::from("implement")).unwrap().unwrap();
    let last: Vec<&str> = why.sentences.iter().rev().take(5).map(|s| s.text.as_str()).collect();
    insta::assert_debug_snapshot!(last);
}

#[test]
fn what_has_no_answer_says_what_to_do() {
    let mut story = ready(true);
    story.proved_cold(Holds::Unknown, "make: not found");
    let status = status_view(story.state());
    let commands: Vec<&str> = status.next.iter().map(|next| next.command.as_str()).collect();
    let expected = [
        "windlass proofs --all",
        "windlass rollback STEP \"…\"",
        "windlass resume",
        "windlass resume --no-cold \"…\"",
        "windlass abort",
    ];
    assert_eq!(commands, expected);
    let told = "the checks on a fresh clone could not run: run `make test` exited with 2";
    assert_eq!(report(&story).cold.unwrap().words(), told);
}
