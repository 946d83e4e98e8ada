//! What people and agents are told about items.

use windlass_core::id::StepId;
use windlass_core::item::{ItemChange, NewItem, Wanted};
use windlass_core::plan::{Holds, PlanRequest};
use windlass_core::prompt::MAX_BYTES;
use windlass_core::run::{Decision, InputKind};
use windlass_core::view::{self, GraphFormat};
use windlass_core::workflow::Workflow;

use crate::story::{Story, holds};

const WORKFLOW: &str = r#"
workflow: stories
title: A goal in stories
steps:
  - {id: implement, agent: planner, publishes: {items: array}, commit: never, done: {diff: any}}
  - id: stories
    foreach: items
    max: 5
    steps:
      - id: code
        agent: developer
        task: "Do {item.id}: {item.title}"
        may_write: ["src/{item.id}/**"]
        retries: 1
        exhausted: waive
        commit: never
        done: {run: make test}
      - {id: review, agent: reviewer, commit: never, publishes: {review: object}, done: {verdict: .context.review.status, accept: OK}, on: {NO: {rollback: code, max: 1}}}
  - {id: last, agent: writer, done: {file: last.md}}
"#;

fn add(story: &mut Story, id: &str, title: &str, body: &str) {
    let attempt = story.state().running_attempts().next().unwrap();
    let (title, body) = (title.to_owned(), body.to_owned());
    let item = NewItem { id: id.into(), title, body, story: None, step: None };
    story.feed(InputKind::ItemAsked { attempt, item });
}

/// The first of three items is waived, the second comes up, and the third is skipped.
fn story() -> Story {
    let mut story = Story::with("A shop", WORKFLOW);
    add(&mut story, "S1", "Log in", "With a password.\nNothing else.");
    add(&mut story, "S2", "Log out", "");
    add(&mut story, "S3", "Pay | by card", "");
    story.attempt("c1");
    story.verified(holds());
    story
}

fn go_on(story: &mut Story) {
    story.begin_step("stories/S1/code", "c1");
    story.attempt("c2");
    let mut report = holds();
    report.proofs.iter_mut().for_each(|proof| proof.holds = Holds::No);
    story.verified(report);
    story.begin_step("stories/S1/code", "c1");
    story.begin_step("stories/S1/review", "c1");
    let attempt = story.state().running_attempts().next().unwrap();
    let value = serde_json::json!({"status": "OK"});
    story.feed(InputKind::ContextSet { attempt, key: "review".to_owned(), value });
    story.attempt("c1");
    story.verified(holds());
    let wanted = Some(Wanted::Skip { reason: "not in this release".to_owned() });
    let change = ItemChange { wanted, ..ItemChange::default() };
    story.feed(InputKind::Decided(Decision::UpdateItem { item: "S3".into(), change }));
    story.begin_step("stories/S2/code", "c1");
}

#[test]
fn a_prompt_names_the_item_its_file_and_its_own_paths() {
    let mut story = story();
    story.begin_step("stories/S1/code", "c1");
    let prompt = story.prompt("stories/S1/code");
    assert!(!prompt.contains("With a password"), "paths, never contents");
    insta::assert_snapshot!(prompt);
}

#[test]
fn a_prompt_with_the_longest_item_has_its_end() {
    let mut story =
        Story::with(&"g".repeat(5000), &WORKFLOW.replace("Do {item.id}", &"t".repeat(5000)));
    let (id, title) = ("I".repeat(64), "t".repeat(200));
    add(&mut story, &id, &title, &"b".repeat(8 << 10));
    story.attempt("c1");
    story.verified(holds());
    let step = format!("stories/{id}/code");
    story.begin_step(&step, "c1");
    let prompt = story.prompt(&step);
    assert!(prompt.len() <= MAX_BYTES && prompt.trim_end().ends_with("nothing."), "{prompt}");
}

#[test]
fn the_report_lists_the_items_and_says_what_was_waived() {
    let mut story = story();
    go_on(&mut story);
    let facts = view::ReportFacts { head: "0123abcd".to_owned(), ..view::ReportFacts::default() };
    let report = view::report_view(story.state(), &story.history, &facts);
    insta::assert_snapshot!(view::markdown(&report));
}

#[test]
fn a_step_of_an_item_finds_it_in_the_document() {
    let mut story = story();
    go_on(&mut story);
    let index = story.state().plan.find(&StepId::from("stories/S1/review")).unwrap();
    let document = view::document_for(story.state(), index);
    assert_eq!(document["context"]["review"]["status"], "OK");
    insta::assert_json_snapshot!(document["item"]);
    let whole = view::document(story.state());
    assert!(whole["item"].is_null() && whole["context"]["review"].is_null());
    insta::assert_json_snapshot!(whole["items"]);
}

#[test]
fn a_status_has_the_steps_of_items_where_they_belong() {
    let mut story = story();
    go_on(&mut story);
    let view = view::status_view(story.state());
    let steps: Vec<_> = view.steps.iter().map(|step| (step.id.as_str(), step.depth)).collect();
    let wanted = [
        ("implement", 0),
        ("stories", 0),
        ("stories/S1", 1),
        ("stories/S1/code", 2),
        ("stories/S1/review", 2),
        ("stories/S2", 1),
        ("stories/S2/code", 2),
        ("stories/S2/review", 2),
        ("last", 0),
    ];
    assert_eq!(steps, wanted);
}

#[test]
fn a_picture_shows_once_what_is_repeated() {
    let plan = Workflow::parse(WORKFLOW, "w.yaml").unwrap().plan(PlanRequest::default()).unwrap();
    insta::assert_snapshot!(view::graph(&plan, GraphFormat::Terminal));
    insta::assert_snapshot!(view::graph(&plan, GraphFormat::Mermaid));
}
