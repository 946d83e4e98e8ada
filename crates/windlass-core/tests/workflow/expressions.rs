//! jq expressions are carried, with their places.

use windlass_core::workflow::ExpressionKind;

use super::parsed;

#[test]
fn every_expression_is_listed_with_its_place() {
    let workflow = parsed(
        "workflow: w
steps:
  - {id: a, agent: x, when: .inputs.a, done: {diff: any}}
  - id: b
    agent: y
    done: [{state: .context.s}, {verdict: .v, accept: OK}]
    on: {NO: {rollback: {files: '.fixes[].file', otherwise: a}, max: 1}}
",
    );
    let expressions = workflow.expressions();
    let listed: Vec<_> = expressions
        .iter()
        .map(|e| (e.step.as_str(), e.kind, e.text.as_str(), e.at.line, e.at.column))
        .collect();
    assert_eq!(
        listed,
        [
            ("a", ExpressionKind::When, ".inputs.a", 3, 29),
            ("b", ExpressionKind::State, ".context.s", 6, 20),
            ("b", ExpressionKind::Verdict, ".v", 6, 43),
            ("b", ExpressionKind::Files, ".fixes[].file", 7, 33),
        ]
    );
    let finding = workflow.bad_expression(&expressions[0], "it ends too early");
    assert_eq!(finding.to_string(), "w.yaml:3:29: this is not a jq expression: it ends too early");
}
