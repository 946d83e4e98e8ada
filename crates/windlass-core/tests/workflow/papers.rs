//! Checks that read what agents wrote as data, and the schemas of what they write.

use insta::assert_snapshot;
use serde_json::{Value, json};
use windlass_core::plan::{CheckKind, Criterion, PlanRequest, Strength};
use windlass_core::question::{self, Phase};
use windlass_core::story;
use windlass_core::workflow::{questions_schema, schema, stories_schema};

use super::{one_step, parsed, refused, refused_step};

const REVIEWED: &str = "
workflow: w
steps:
  - {id: code, agent: dev, done: {diff: any}}
  - id: review
    agent: judge
    done: {verdict_in: '{specs}/review.md', kind: review}
    on:
      CHANGES_REQUESTED:
        rollback: {files: findings, by_path: {'tests/**': code}, otherwise: code}
        max: 2
";

#[test]
fn a_report_of_another_agent_is_observed_and_ones_own_is_a_claim() {
    let workflow = parsed(REVIEWED);
    assert_eq!(workflow.expressions(), [], "`findings` is not an expression");
    let plan = workflow.plan(PlanRequest::default()).unwrap();
    let done = plan.steps[1].done.as_ref().unwrap();
    assert_eq!(done.checks()[0].strength(), Strength::Observed);
    let Criterion::Check(check) = done else { panic!("{done:?}") };
    let CheckKind::VerdictIn { file, accept, .. } = &check.kind else { panic!("{check:?}") };
    assert_eq!(
        (file.as_str(), accept.as_slice()),
        (".windlass/run/specs/review.md", &["APPROVED".to_owned()][..])
    );
    assert!(
        refused(&REVIEWED.replace("agent: judge", "agent: dev"))
            .contains("claims of its own agent alone")
    );
    // Stories and questions are looked at, not believed.
    parsed(&one_step("agent: x;done: {stories: s.yaml, designed: true}"));
    parsed(&one_step("agent: x;done: {questions: q.yaml, phase: planning}"));
}

#[test]
fn what_a_report_cannot_say_is_refused() {
    assert_snapshot!(refused(&REVIEWED.replace("kind: review}", "kind: review, accept: [OK]}")), @r"
    w.yaml:7:68: `OK` is not what a review report accepts with
      help: write `APPROVED`
    ");
    assert_snapshot!(refused(&REVIEWED.replace("CHANGES_REQUESTED:", "REJECTED:")), @r"
    w.yaml:9:7: a review report never says `REJECTED`
      help: it says `APPROVED` or `CHANGES_REQUESTED`
    ");
    assert_snapshot!(refused(&REVIEWED.replace("CHANGES_REQUESTED:", "APPROVED:")), @"w.yaml:9:7: `APPROVED` is accepted, so its route is never taken");
    assert_snapshot!(refused(&REVIEWED.replace(
        "{verdict_in: '{specs}/review.md', kind: review}",
        "{verdict: .v, accept: [OK]}"
    )), @r"
    w.yaml:10:27: `files: findings` needs a `verdict_in` check
      help: add one to `done`, or list the files with a jq expression
    ");
    assert_snapshot!(refused_step("agent: x;done: [{verdict_in: a.md}, {stories: s, desinged: true}, {questions: q, phase: design}]"), @r"
    w.yaml:5:12: a `verdict_in` check needs `kind`
    w.yaml:5:45: unknown key of a `stories` check: `desinged`
      help: did you mean `designed`?
    w.yaml:5:84: expected `analysis`, `planning` or `development`, found `design`
    ");
    let nobody =
        REVIEWED.replace("kind: review", "kind: tests").replace("CHANGES_REQUESTED", "FAILED");
    assert!(refused(&nobody).contains("judges the criteria of a story"));
    let two = REVIEWED.replace("kind: review}", "kind: review}, {verdict: .v, accept: [OK]}]");
    assert!(
        refused(&two.replace("done: {verdict_in", "done: [{verdict_in"))
            .contains("at most one `verdict`")
    );
}

#[test]
fn papers_of_an_item_are_named_after_it() {
    parsed(
        "
workflow: w
steps:
  - id: stories
    foreach: items
    steps:
      - {id: code, agent: dev, done: {diff: any}}
      - {id: verify, agent: tester, done: {verdict_in: '{specs}/{item.id}-tests.md', kind: tests}}
",
    );
}

#[test]
fn what_is_read_fits_the_schema() {
    let fits =
        |schema: &Value, value: &Value| jsonschema::validator_for(schema).unwrap().is_valid(value);
    let stories = json!({"stories": [{
        "id": "S1", "title": "A", "size": "XL", "security": true, "depends_on": [], "files": ["a.rs"],
        "criteria": ["one and one give two", {"id": "AC9", "text": "it is printed"}],
        "design": "d", "description": "b",
    }], "open_questions": ["Which?"]});
    story::parse(&stories.to_string()).unwrap();
    assert!(fits(&stories_schema(), &stories));
    let questions = json!({"questions": [{
        "id": "Q1", "category": "scope", "question": "Which?",
        "options": ["this", {"id": "z", "text": "that"}], "recommended": "z",
    }]});
    question::parse(&questions.to_string(), Phase::Analysis).unwrap();
    assert!(fits(&questions_schema(), &questions));
    assert!(fits(&questions_schema(), &json!({"questions": []})));
    for bad in [json!({}), json!({"stories": []}), json!({"stories": [{"id": "S1"}]})] {
        assert!(!fits(&stories_schema(), &bad), "{bad}");
        assert!(story::parse(&bad.to_string()).is_err());
    }
    let workflow: Value = serde_json::from_str(
        r#"{"workflow": "w", "steps": [
            {"id": "a", "agent": "x", "done": {"stories": "s.yaml", "designed": true}},
            {"id": "b", "agent": "x", "done": {"questions": "q.yaml", "phase": "analysis"}},
            {"id": "c", "agent": "y", "done": {"verdict_in": "r.md", "kind": "security", "accept": ["CLEARED"]}}]}"#,
    )
    .unwrap();
    parsed(&workflow.to_string());
    assert!(fits(&schema(), &workflow));
}
