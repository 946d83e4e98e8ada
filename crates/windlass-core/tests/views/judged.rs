//! What judges are told, and what their findings tell others.

use windlass_core::judgement::{Level, Remark};
use windlass_core::plan::Holds;
use windlass_core::proof::VerifyReport;
use windlass_core::run::InputKind;
use windlass_core::view::{ReportFacts, pull_request_body, report_view};

use crate::story::{Story, holds};

const WORKFLOW: &str = r#"
workflow: change
title: A change
mcp:
  context7: {command: context7-mcp, optional: true}
steps:
  - id: implement
    agent: developer
    publishes: {work.file: "{specs}/work.md"}
    done: {all: [{file: "{specs}/work.md"}, {run: make test}]}
  - id: review
    agent: reviewer
    reads: [{file: "{context.work.file}", as: Report}]
    publishes: {review.status: string, review.file: "{specs}/review.md"}
    may_write: ["{specs}/**"]
    done: {all: [{file: "{specs}/review.md"}, {verdict: .context.review.status, accept: [APPROVED]}]}
    on: {CHANGES_REQUESTED: {rollback: implement, max: 2}}
"#;

fn at_review() -> Story {
    let mut story = Story::with("A sum", WORKFLOW);
    story.attempt("c1");
    story.verified(holds());
    story.committed();
    story.begin_step("review", "c1");
    story
}

fn sent_back() -> Story {
    let mut story = at_review();
    let attempt = story.state().running_attempts().next().unwrap();
    let (key, value) = ("review.status".to_owned(), "CHANGES_REQUESTED".into());
    story.feed(InputKind::ContextSet { attempt, key, value });
    story.attempt("c1");
    let remark = |level, text: &str| {
        let (file, line) = (Some("src/sum.c".to_owned()), Some(3));
        Remark { level, text: text.to_owned(), file, line }
    };
    let mut proofs = holds().proofs;
    proofs[1].holds = Holds::No;
    story.verified(VerifyReport {
        proofs,
        verdict: Some("CHANGES_REQUESTED".to_owned()),
        remarks: vec![
            remark(Level::Blocking, "overflows"),
            remark(Level::Suggestion, "a shorter name"),
        ],
        ..VerifyReport::empty()
    });
    story.begin_step("implement", "c1");
    story
}

fn part<'t>(prompt: &'t str, title: &str) -> &'t str {
    let (_, rest) =
        prompt.split_once(&format!("## {title}\n")).unwrap_or_else(|| panic!("{prompt}"));
    rest.split("\n## ").next().unwrap()
}

#[test]
fn a_judge_is_done_with_either_verdict_and_knows_how_to_see_the_change() {
    let prompt = at_review().prompt("review");
    let done = part(&prompt, "Done when");
    assert!(done.contains("in `review.status`: APPROVED or CHANGES_REQUESTED"), "{done}");
    assert!(done.contains("either one finishes this step"), "{done}");
    assert!(!done.contains(" is APPROVED"), "{done}");
    let change = part(&prompt, "The change so far");
    assert!(change.contains("`git diff base`"), "{change}");
    assert!(part(&prompt, "What judges the work").contains("- `make test`"), "{prompt}");
    // The file to read is named once.
    assert_eq!(prompt.matches("specs/work.md").count(), 1, "{prompt}");
    assert!(!prompt.contains("context7"), "who writes no code looks up no library: {prompt}");
}

#[test]
fn findings_reach_whoever_has_to_act_on_them_and_the_judge_who_looks_again() {
    let mut story = sent_back();
    let prompt = story.prompt("implement");
    let read = part(&prompt, "Read these first");
    assert!(read.contains("specs/review.md`: what `review` found"), "{read}");
    assert!(
        read.contains("aside/implement-1/0-implementation.md`: what this step wrote"),
        "{read}"
    );
    let asked = part(&prompt, "Hotfix");
    assert!(asked.contains("- [BLOCKING] overflows src/sum.c:3"), "{asked}");
    assert!(asked.contains("[SUGGESTION] a shorter name"), "{asked}");
    assert!(prompt.contains("with the tools of `context7`"), "{prompt}");
    story.attempt("c2");
    story.verified(holds());
    story.committed();
    story.begin_step("review", "c2");
    let prompt = story.prompt("review");
    let read = part(&prompt, "Read these first");
    assert!(read.contains("specs/review.md`: what you found last time"), "{read}");
}

#[test]
fn suggestions_of_a_review_that_accepts_reach_the_pull_request() {
    let mut story = at_review();
    let attempt = story.state().running_attempts().next().unwrap();
    let (key, value) = ("review.status".to_owned(), "APPROVED".into());
    story.feed(InputKind::ContextSet { attempt, key, value });
    story.attempt("c1");
    let text = "a shorter name".to_owned();
    let remark = Remark { level: Level::Suggestion, text, file: None, line: None };
    let verdict = Some("APPROVED".to_owned());
    story.verified(VerifyReport { verdict, remarks: vec![remark], ..holds() });
    let view = report_view(story.state(), &story.history, &ReportFacts::default());
    let body = pull_request_body(&view);
    assert!(body.contains("Suggestions of reviewers") && body.contains("a shorter name"), "{body}");
}

#[test]
fn all_that_is_asked_is_told_however_long_it_is() {
    let command = format!("make {}", "a-rather-long-target ".repeat(30));
    let checks: Vec<String> = (0..4).map(|n| format!("{{run: {command}{n}}}")).collect();
    let workflow = format!(
        "workflow: w\ntitle: T\nsteps:\n  - {{id: implement, agent: a, done: {{all: [{}]}}}}\n",
        checks.join(", ")
    );
    let prompt = Story::with("A goal", &workflow).prompt("implement");
    for n in 0..4 {
        assert!(prompt.contains(&format!("a-rather-long-target {n}`")), "{prompt}");
    }
    let many: Vec<String> = (0..90).map(|n| format!("{{run: make target number {n}}}")).collect();
    let workflow = workflow.replace(&checks.join(", "), &many.join(", "));
    let prompt = Story::with("A goal", &workflow).prompt("implement");
    assert!(
        prompt.contains("in `.windlass/run/tasks/implement.done.md`: read it first"),
        "{prompt}"
    );
}
