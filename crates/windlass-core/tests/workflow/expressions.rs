//! jq expressions are carried, with their places.

use windlass_core::id::StepId;
use windlass_core::workflow::ExpressionKind;

use super::parsed;

#[test]
fn every_expression_is_listed_with_its_place() {
    let workflow = parsed(
        "workflow: w
recheck: {run: make, env: {A: .goal}}
steps:
  - {id: a, agent: x, when: .inputs.a, done: {diff: any}}
  - id: b
    agent: y
    done: [{state: .context.s}, {verdict: .v, accept: OK}]
    on: {NO: {rollback: {files: '.fixes[].file', otherwise: a}, max: 1}}
  - {id: c, agent: x, done: {red: make, tests: t, env: {REVIEW: .context.r, ITEM: .item.id}}}
",
    );
    let expressions = workflow.expressions();
    let listed: Vec<_> = expressions
        .iter()
        .map(|e| {
            (e.step.as_ref().map(StepId::as_str), e.kind, e.text.as_str(), e.at.line, e.at.column)
        })
        .collect();
    assert_eq!(
        listed,
        [
            (None, ExpressionKind::Variable, ".goal", 2, 31),
            (Some("a"), ExpressionKind::When, ".inputs.a", 4, 29),
            (Some("b"), ExpressionKind::State, ".context.s", 7, 20),
            (Some("b"), ExpressionKind::Verdict, ".v", 7, 43),
            (Some("b"), ExpressionKind::Files, ".fixes[].file", 8, 33),
            (Some("c"), ExpressionKind::Variable, ".item.id", 9, 83),
            (Some("c"), ExpressionKind::Variable, ".context.r", 9, 65),
        ]
    );
    let finding = workflow.bad_expression(&expressions[1], "it ends too early");
    assert_eq!(finding.to_string(), "w.yaml:4:29: this is not a jq expression: it ends too early");
}
