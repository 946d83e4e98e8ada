//! A workflow as a picture.

use windlass_core::plan::{Plan, PlanRequest};
use windlass_core::view::{GraphFormat, graph};
use windlass_core::workflow::Workflow;

const WORKFLOW: &str = r#"
workflow: release
title: "A \"careful\" release"
steps:
  - {id: code, agent: developer, done: {run: make}, gate: approval}
  - {id: docs, agent: writer, needs: [code], done: {file: docs.md}}
  - {id: site, agent: writer, needs: [code], when: .inputs != null, done: {file: site.md}}
  - id: review
    agent: reviewer
    needs: [docs, site]
    publishes: {review: object}
    done: {verdict: .context.review.status, accept: [APPROVED]}
    on:
      CHANGES: {rollback: {files: ".context.review.files[]", by_path: {"*.md": docs}, otherwise: code}, max: 2}
"#;

fn plan() -> Plan {
    let workflow = Workflow::parse(WORKFLOW, "release.yaml").unwrap();
    let request = PlanRequest { goal: "g".to_owned(), ..PlanRequest::default() };
    workflow.plan(request).unwrap()
}

#[test]
fn a_terminal_shows_what_a_reader_would_not_guess() {
    insta::assert_snapshot!(graph(&plan(), GraphFormat::Terminal));
}

#[test]
fn a_drawing_shows_the_ways_back_and_breaks_no_word() {
    let drawn = graph(&plan(), GraphFormat::Drawing);
    assert!(drawn.lines().all(|line| line.chars().count() <= 80), "{drawn}");
    insta::assert_snapshot!(drawn);
}

#[test]
fn a_flowchart_has_all_needs_and_routes() {
    insta::assert_snapshot!(graph(&plan(), GraphFormat::Mermaid));
}

#[test]
fn a_digraph_has_all_needs_and_routes() {
    insta::assert_snapshot!(graph(&plan(), GraphFormat::Dot));
}
