//! Placeholders in their places.

use insta::assert_snapshot;

use super::{parsed, refused, refused_step};

#[test]
fn unknown_placeholders_are_refused() {
    assert_snapshot!(refused_step("agent: x;task: Do {gaol} for {item.name};done: {diff: any}"), @r#"
    w.yaml:5:11: unknown placeholder `{gaol}`
      help: did you mean `{goal}`?
    "#);
    assert_snapshot!(refused_step("agent: x;task: Do {inputs.a};done: {file: '{input.a}'}"), @r#"
    w.yaml:5:11: unknown input `a`
    w.yaml:6:18: unknown placeholder `{input.a}`
      help: did you mean `{inputs.a}`?
    "#);
    assert_snapshot!(refused_step("agent: x;task: 'Return {\"a\": 1}';done: {diff: any}"), @r#"
    w.yaml:5:11: this brace is not part of a placeholder
      help: write `{{` or `}}` for a brace that means itself
    "#);
    assert_snapshot!(refused("workflow: w
inputs: {coverage: {type: integer, default: 70}}
steps: [{id: a, agent: x, task: '{inputs.covrage}', done: {run: 'make {inputs.cover}'}}]
"), @r#"
    w.yaml:3:33: unknown input `covrage`
      help: did you mean `coverage`?
    w.yaml:3:65: unknown input `cover`
      help: did you mean `coverage`?
    "#);
}

#[test]
fn commands_take_inputs_only() {
    assert_snapshot!(refused_step("agent: x;done: {run: 'echo {goal}'}"), @r#"
    w.yaml:5:17: `{goal}` cannot be part of a command: only inputs can
      help: make it an input, or let the command find it out
    "#);
    assert_snapshot!(refused_step("agent: x;done: {run: 'cat {context.a.b}'}"), @r#"
    w.yaml:5:17: `{context.a.b}` cannot be part of a command: only inputs can
      help: give it to the command of a check as a variable, such as `env: {REVIEW: .context.review.status}`
    "#);
    assert_snapshot!(refused("workflow: w
inputs: {a: {type: string, default: x}}
prepare: [{run: 'make \"{inputs.a}\"'}]
steps: [{id: a, agent: x, done: {diff: any}}]
"), @r#"
    w.yaml:3:17: `{inputs.a}` stands where it cannot be quoted
      help: windlass quotes the value itself: put the placeholder outside quotes, comments and here-documents
    "#);
}

#[test]
fn the_context_is_not_known_before_the_run() {
    assert_snapshot!(refused_step("agent: x;may_write: ['{context.a}/**'];done: {run: make, in: '{context.b}'}"), @r#"
    w.yaml:5:17: `{context.a}` is not known before the run starts
      help: `{context.…}` works in `task`, `reads`, `publishes`, `file` and `checklist`
    w.yaml:6:27: `{context.b}` is not known before the run starts
      help: `{context.…}` works in `task`, `reads`, `publishes`, `file` and `checklist`
    "#);
}

#[test]
fn alternatives_in_globs_are_no_placeholders() {
    parsed(&super::one_step(
        "agent: x;may_write: ['**/*.{ts,html}'];done: {file: '{specs}/{a,b}-{context.c}.md'}",
    ));
    assert_snapshot!(refused_step("agent: x;may_write: ['**/*.{ts}', '**/*.{Ts}'];done: {diff: any}"), @r#"
    w.yaml:5:17: unknown placeholder `{ts}`
      help: known are `{goal}`, `{issue}`, `{issue.title}`, `{specs}`, `{reports}`, `{inputs.…}`, `{context.…}` and `{item.…}`; write `{{` for a brace
    w.yaml:5:30: this brace is not part of a placeholder
      help: write `{{` or `}}` for a brace that means itself
    "#);
}
