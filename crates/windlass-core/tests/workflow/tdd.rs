//! Checks of tests that are written first: where they may stand, and what plans make of them.

use insta::assert_snapshot;
use windlass_core::id::StepIndex;
use windlass_core::plan::{CheckKind, FailedRoute, FailedTo, Plan, PlanRequest};

use super::{parsed, refused, refused_step};

fn planned(source: &str) -> Plan {
    let request = PlanRequest { goal: "g".to_owned(), ..PlanRequest::default() };
    parsed(source).plan(request).expect("a plan")
}

#[test]
fn a_red_says_what_is_a_test() {
    assert_snapshot!(refused_step("agent: x;done: {red: make test}"), @r#"
    w.yaml:5:11: a `red` check needs `tests`
      help: say with `tests` which files are tests, such as `tests: ["tests/**"]`: nothing else may change in this step
    "#);
    assert_snapshot!(refused_step("agent: x;done: {red: make test, tests: []}"), @r#"
    w.yaml:5:35: `tests` is empty: no file would be a test
    "#);
    assert_snapshot!(refused_step("agent: x;done: {red: make test, tests: ../t, reports: x}"), @r#"
    w.yaml:5:35: `../t`: the path leads outside with `..`: paths stay inside the repository
    w.yaml:5:41: unknown key of a `red` check: `reports`
      help: did you mean `report`?
    "#);
}

#[test]
fn a_green_needs_a_red_before_it() {
    assert_snapshot!(refused_step("agent: x;done: {green: make test}"), @r#"
    w.yaml:5:11: no `red` comes before step `a`
      help: put a step before it whose `done` is `{red: COMMAND, tests: [GLOBS]}`
    "#);
    assert_snapshot!(refused_step("agent: x;done: [{red: a, tests: t}, {green: a}]"), @r#"
    w.yaml:5:32: step `a` has `red` and `green`
      help: tests that fail and tests that pass are two steps: `red` first, then `green`
    "#);
    let beside = "
workflow: w
steps:
  - {id: a, agent: x, done: {red: make test, tests: t}}
  - {id: b, agent: x, needs: [], done: {green: make test}}
";
    assert_snapshot!(refused(beside), @r#"
    w.yaml:5:40: no `red` comes before step `b`
      help: `a` has a `red`, but does not come before: let this step need it, on the same side of `foreach`
    "#);
    let outside = "
workflow: w
steps:
  - {id: a, agent: x, publishes: {items: array}, done: {red: make test, tests: t}}
  - id: each
    foreach: items
    steps:
      - {id: b, agent: x, done: {green: make test}}
";
    assert_snapshot!(refused(outside), @r#"
    w.yaml:8:33: no `red` comes before step `each/b`
      help: `a` has a `red`, but does not come before: let this step need it, on the same side of `foreach`
    "#);
}

#[test]
fn red_and_green_hold_as_they_are() {
    assert_snapshot!(
        refused_step("agent: x;done: {any: [{red: a, tests: t}, {not: {red: b, tests: t}}]}"), @r#"
    w.yaml:5:18: `red` has no meaning under `any` or `not`
      help: it has to hold as it is: move it up, beside the others under `all`
    w.yaml:5:44: `red` has no meaning under `any` or `not`
      help: it has to hold as it is: move it up, beside the others under `all`
    "#);
}

#[test]
fn a_green_is_about_the_last_red_that_its_step_needs() {
    let plan = planned(
        "
workflow: w
steps:
  - {id: one, agent: x, done: {red: make one, tests: [one/**]}}
  - {id: two, agent: x, done: {all: [{red: make a, tests: a/**, in: a}, {red: make b, tests: b/**}]}}
  - {id: between, agent: x, done: {diff: {empty: ok}}}
  - {id: green, agent: x, done: {green: make two, report: out/*.xml, timeout: 1m, env: CI}}
",
    );
    let step = |id: &str| plan.find(&id.into()).expect("the step");
    assert_eq!(plan.red_before(step("green")), Some(step("two")));
    assert_eq!(plan.red_before(step("two")), Some(step("one")));
    let two = plan.step(step("two"));
    let tests: Vec<_> = two.reds().flat_map(|suite| suite.tests.clone()).collect();
    assert_eq!(tests, ["a/**", "b/**"]);
    let green = plan.step(step("green")).done.as_ref().expect("a criterion");
    let CheckKind::Green(suite) = &green.checks()[0].kind else { panic!("{green:?}") };
    assert_eq!((suite.tests.len(), suite.report.as_deref()), (0, Some("out/*.xml")));
    let between = plan.step(step("between")).done.as_ref().expect("a criterion");
    assert!(matches!(between.checks()[0].kind, CheckKind::Diff { empty_ok: true, .. }));
    let stored = serde_json::to_string(&plan).expect("JSON");
    assert_eq!(serde_json::from_str::<Plan>(&stored).expect("a plan"), plan);
}

#[test]
fn a_step_that_only_proves_has_few_keys_and_goes_back_where_it_may() {
    assert_snapshot!(refused_step("builtin: verify"), @r#"
    w.yaml:3:9: nothing proves step `a`
      help: say what must hold under `done`, such as `{run: make test}` or `{diff: any}`
    "#);
    assert_snapshot!(refused_step(
        "builtin: verify;agent: x;retries: 2;before: {run: a};done: {run: a};failed: {rollback: a}"
    ), @r#"
    w.yaml:5:5: `agent` has no meaning on a step with `builtin`
      help: nobody works on the step; what has to hold stands under `done`
    w.yaml:6:5: `retries` has no meaning on a step with `builtin`
      help: nobody works on the step; what has to hold stands under `done`
    w.yaml:7:5: `before` has no meaning on a step with `builtin`
      help: nobody works on the step; what has to hold stands under `done`
    w.yaml:9:13: `failed` has no bound
      help: say with `max` how often it may go back in a run
    "#);
    assert_snapshot!(refused_step("agent: x;done: {run: a};failed: {rollback: a, max: 1}"), @r#"
    w.yaml:6:5: `failed` has no meaning without `builtin`
      help: add `builtin: pull-request`, or say under `done` what proves the step
    "#);
    let items = "
workflow: w
steps:
  - {id: plan, agent: x, publishes: {items: array}, done: {run: a}}
  - id: each
    foreach: items
    steps:
      - {id: code, agent: x, done: {run: a}}
      - {id: proof, builtin: verify, done: {run: a}, failed: {rollback: plan, max: 1}}
  - {id: one, builtin: verify, done: {run: a}, failed: {rollback: each, max: 1}}
  - {id: two, builtin: verify, done: {run: a}, failed: {rollback: each/proof, max: 1}}
  - {id: three, builtin: verify, needs: plan, done: {run: a}, failed: {rollback: each/code, max: 1}}
  - {id: four, builtin: verify, done: {run: a}, failed: {rollback: one, max: 1}}
";
    assert_snapshot!(refused(items), @r#"
    w.yaml:9:73: cannot go back from `each/proof` to `plan`: an item goes back only to its own steps, and nobody else to those
      help: name a step on the same side of `foreach`
    w.yaml:10:67: cannot go back from `one` to `each`: that would do every item again
      help: name a step before it, or let a person decide at a `gate`
    w.yaml:11:67: cannot go back from `two` to `each/proof`: windlass itself does that step
      help: name the step that has to be done again
    w.yaml:12:82: cannot go back from `three` to `each/code`: an item goes back only to its own steps, and nobody else to those
      help: name a step on the same side of `foreach`
    w.yaml:13:68: cannot go back from `four` to `one`: it does not come before
      help: name the step itself or one that it needs
    "#);
}

#[test]
fn the_worst_case_counts_what_a_proof_sends_back() {
    let source = |failed: &str| {
        format!(
            "
workflow: w
defaults: {{retries: 2}}
steps:
  - {{id: plan, agent: x, publishes: {{items: array}}, done: {{run: a}}}}
  - id: each
    foreach: items
    max: 5
    steps:
      - {{id: red, agent: x, done: {{run: a}}}}
      - {{id: code, agent: x, done: {{run: a}}}}
  - {{id: lint, agent: x, keeps: {{run: a}}, fix: a, done: {{run: b}}}}
  - {{id: proof, builtin: verify, done: {{run: a}}{failed}}}
"
        )
    };
    let attempts = |failed: &str| parsed(&source(failed)).worst_case_attempts();
    // The last proof can send everything back twice: the first step is proven by a command, too.
    let all = 2 + 5 * 4 + 2;
    assert_eq!(attempts(""), all + 2 * all);
    assert_eq!(attempts(", failed: {rollback: lint, max: 3}"), all + 3 * 2 + 2 * all);
    assert_eq!(attempts(", failed: {rollback: each/code, max: 3}"), all + 3 * (2 + 2) + 2 * all);
    let plan = planned(&source(", failed: {rollback: each/code, max: 3}"));
    let step = |id: &str| plan.step(plan.find(&id.into()).expect("the step"));
    let to = FailedTo::InItem { foreach: StepIndex(1), step: StepIndex(1) };
    assert_eq!(step("proof").failed, Some(FailedRoute { to, max: 3 }));
    assert_eq!(step("lint").kept().map(|kept| kept.checks().len()), Some(1));
    assert_eq!(step("lint").done.as_ref().map(|done| done.checks().len()), Some(2));
    assert_eq!(step("lint").fix.as_deref(), Some("a"));
}
