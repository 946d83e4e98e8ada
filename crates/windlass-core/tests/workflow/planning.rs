//! From a workflow and a request to a plan.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use windlass_core::id::StepIndex;
use windlass_core::plan::{
    Backoff, Check, CheckId, CheckKind, Criterion, Issue, PlanError, PlanRequest, Publish,
    StepKind, ValueType, template,
};
use windlass_core::time::Span;

use super::{one_step, parsed};

const INPUTS: &str = "workflow: w
inputs:
  coverage: {type: integer, default: 70, ask: 'Target coverage?'}
  tier: {type: enum, values: [fast, smart], default: fast}
  designer: {type: boolean, default: false}
  rate: {type: number, default: 0.5}
  words: {type: string, ask: 'Which words?'}
steps:
  - {id: a, agent: x, model: '{inputs.tier}', task: '{goal} {inputs.words}', done: {run: 't {inputs.words}'}}
";

fn request(inputs: &[(&str, &str)]) -> PlanRequest {
    let inputs = inputs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    PlanRequest { goal: "Build {inputs.words}\n'it'".to_owned(), inputs, ..PlanRequest::default() }
}

fn errors(source: &str, request: PlanRequest) -> String {
    let errors = parsed(source).plan(request).expect_err("the request is refused");
    errors
        .iter()
        .map(|error| match error.help() {
            Some(help) => format!("{error}\n  help: {help}\n"),
            None => format!("{error}\n"),
        })
        .collect()
}

#[test]
fn inputs_are_checked() {
    assert_snapshot!(errors(INPUTS, request(&[
        ("covrage", "80"), ("coverage", "many"), ("tier", "smrt"), ("designer", "maybe"), ("rate", "inf"),
    ])), @r#"
    the workflow has no input `covrage`
      help: did you mean `coverage`?
    the input `coverage` takes a whole number, not `many`
    the input `tier` takes one of `fast`, `smart`, not `smrt`
      help: did you mean `smart`?
    the input `designer` takes `true` or `false`, not `maybe`
    the input `rate` takes a number, not `inf`
    the input `words` has no value
      help: Which words? Give text: `--input words=…`
    "#);
    assert_snapshot!(errors(INPUTS, request(&[("words", "w"), ("coverage", "010")])), @"the input `coverage` takes a whole number, not `010`");
}

#[test]
fn inputs_become_values_of_their_types() {
    let given = request(&[("words", "a b"), ("coverage", "-3"), ("designer", "y"), ("rate", "2")]);
    let plan = parsed(INPUTS).plan(given).unwrap();
    let inputs: BTreeMap<_, _> =
        plan.inputs.iter().map(|(k, v)| (k.as_str(), v.to_string())).collect();
    assert_eq!(
        inputs,
        BTreeMap::from([
            ("coverage", "-3".to_owned()),
            ("designer", "true".to_owned()),
            ("rate", "2.0".to_owned()),
            ("tier", "\"fast\"".to_owned()),
            ("words", "\"a b\"".to_owned()),
        ])
    );
    let step = &plan.steps[0];
    assert_eq!(step.task, "Build {inputs.words}\n'it' a b");
    let StepKind::Agent { model, .. } = &step.kind else { panic!("{step:?}") };
    assert_eq!(model.as_deref(), Some("fast"));
    let Some(Criterion::Check(Check { kind: CheckKind::Run { command, .. }, .. })) = &step.done
    else {
        panic!("{step:?}")
    };
    assert_eq!(command, "t 'a b'");
}

#[test]
fn a_workflow_that_speaks_of_an_issue_needs_one() {
    let source = one_step("agent: x;task: '{issue.title}';done: {file: '{specs}/{issue}.md'}");
    assert_snapshot!(errors(&source, PlanRequest::default()), @r#"
    this workflow needs an issue: pass --issue N
      help: the issue is used at w.yaml:6:18
    "#);
    let issue = Some(Issue { number: 12, title: "Twelve".to_owned(), ..Issue::default() });
    let plan = parsed(&source).plan(PlanRequest { issue, ..PlanRequest::default() }).unwrap();
    let Some(Criterion::Check(check)) = &plan.steps[0].done else { panic!("{plan:?}") };
    let glob = ".windlass/run/specs/12.md".to_owned();
    let kind = CheckKind::File { glob, stale_ok: false, min_bytes: None, contains: None };
    assert_eq!(*check, Check { id: CheckId(0), kind });
}

#[test]
fn filled_paths_stay_inside_too() {
    let source = "workflow: w
inputs: {a: {type: string}}
steps: [{id: a, agent: x, may_write: ['{inputs.a}/**', 'x{inputs.a}'], done: {run: 'echo {inputs.a}', in: '{inputs.a}'}}]
";
    assert_snapshot!(errors(source, request(&[("a", "..")])), @r#"
    `..` at w.yaml:3: the path leads outside with `..`: paths stay inside the repository
      help: check the inputs, the goal and the issue's title
    `../**` at w.yaml:3: the path leads outside with `..`: paths stay inside the repository
      help: check the inputs, the goal and the issue's title
    "#);
    assert_snapshot!(errors(source, request(&[("a", "[")])), @r#"
    `[/**` at w.yaml:3 is not a glob
      help: check the inputs, the goal and the issue's title
    `x[` at w.yaml:3 is not a glob
      help: check the inputs, the goal and the issue's title
    "#);
    assert_snapshot!(errors(source, request(&[("a", "a\0")])), @r#"
    a value for the command at w.yaml:3 contains a NUL byte
      help: check the inputs, the goal and the issue's title
    `a\0` at w.yaml:3: the path contains a control character
      help: check the inputs, the goal and the issue's title
    `a\0/**` at w.yaml:3: the path contains a control character
      help: check the inputs, the goal and the issue's title
    `xa\0` at w.yaml:3: the path contains a control character
      help: check the inputs, the goal and the issue's title
    "#);
}

#[test]
fn what_is_not_said_gets_its_default() {
    let plan = parsed(&one_step("agent: x;done: {run: make}")).plan(request(&[])).unwrap();
    let step = &plan.steps[0];
    assert_eq!((step.title.as_str(), step.task.as_str(), step.retries), ("A", "", 3));
    assert_eq!((step.timeout, step.idle_timeout), (Span::minutes(30), Span::minutes(10)));
    assert_eq!(step.backoff, Backoff { initial: Span::seconds(5), max: Span::hours(1) });
    assert_eq!((plan.title.as_str(), plan.limits.cost_usd), ("w", 25.0));
    assert_eq!((plan.limits.wall, plan.limits.attempts), (Span::hours(8), 60));
    let Some(Criterion::Check(Check { kind: CheckKind::Run { timeout, cache, .. }, .. })) =
        &step.done
    else {
        panic!("{step:?}")
    };
    assert_eq!((*timeout, *cache), (Span::minutes(10), true));
}

#[test]
fn everything_that_is_said_arrives() {
    let plan = parsed(
        "workflow: w
title: The whole
defaults: {retries: 2, timeout: 1m, idle_timeout: 2m, backoff: 10s}
limits: {cost_usd: 2.5, wall: 1h30m, attempts: 7}
prepare: [{in: web, run: npm ci, lock: web/package-lock.json, timeout: 9m}]
carry: .env.test
protect: ['.github/**']
steps:
  - id: a
    title: First
    agent: x
    backend: codex
    publishes: {a.path: '{specs}/a.md', a.flag: boolean}
    reads: [b.md, {file: '{context.a.path}', as: Spec, optional: true}]
    done:
      all:
        - {file: a.md, stale: ok, min_bytes: 3, contains: '{x}'}
        - {not: {run: make, timeout: 5s, cache: false, env: [CI], in: web}}
        - any: [{diff: {only: 'a/**', never: [b], max_lines: 9}}, {state: .x}]
        - diff: {}
    backoff: {initial: 1s, max: 2s}
    gate: approval
    skip: allowed
    exhausted: waive
    commit: never
    satisfied: ok
",
    )
    .plan(PlanRequest::default())
    .unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&plan).unwrap(), @r#"
    {
      "workflow": "w",
      "title": "The whole",
      "source": "b35480e56b3cab568538cdc866661890af80ca3169cc03ee1afbeab8668c05ba",
      "goal": "",
      "issue": null,
      "inputs": {},
      "limits": {
        "cost_usd": 2.5,
        "wall": 5400000,
        "attempts": 7
      },
      "prepare": [
        {
          "in": "web",
          "run": "npm ci",
          "lock": "web/package-lock.json",
          "timeout": 540000
        }
      ],
      "carry": [
        ".env.test"
      ],
      "protect": [
        ".github/**"
      ],
      "worst_case_attempts": 2,
      "steps": [
        {
          "id": "a",
          "title": "First",
          "kind": {
            "agent": {
              "agent": "x",
              "backend": "codex",
              "model": null
            }
          },
          "parent": null,
          "task": "",
          "needs": [],
          "when": null,
          "reads": [
            {
              "file": "b.md",
              "as": null,
              "optional": false
            },
            {
              "file": "{context.a.path}",
              "as": "Spec",
              "optional": true
            }
          ],
          "publishes": {
            "a.flag": {
              "value": "boolean"
            },
            "a.path": {
              "path": ".windlass/run/specs/a.md"
            }
          },
          "may_write": [],
          "retries": 2,
          "timeout": 60000,
          "idle_timeout": 120000,
          "backoff": {
            "initial": 1000,
            "max": 2000
          },
          "gate": "approval",
          "on": {},
          "skip": "allowed",
          "exhausted": "waive",
          "commit": "never",
          "done": {
            "all": [
              {
                "check": {
                  "id": 0,
                  "kind": {
                    "check": "file",
                    "glob": "a.md",
                    "stale_ok": true,
                    "min_bytes": 3,
                    "contains": "{x}"
                  }
                }
              },
              {
                "not": {
                  "check": {
                    "id": 1,
                    "kind": {
                      "check": "run",
                      "command": "make",
                      "folder": "web",
                      "timeout": 5000,
                      "cache": false,
                      "env": [
                        "CI"
                      ]
                    }
                  }
                }
              },
              {
                "any": [
                  {
                    "check": {
                      "id": 2,
                      "kind": {
                        "check": "diff",
                        "only": [
                          "a/**"
                        ],
                        "never": [
                          "b"
                        ],
                        "max_lines": 9
                      }
                    }
                  },
                  {
                    "check": {
                      "id": 3,
                      "kind": {
                        "check": "state",
                        "expr": ".x"
                      }
                    }
                  }
                ]
              },
              {
                "check": {
                  "id": 4,
                  "kind": {
                    "check": "diff",
                    "only": [],
                    "never": [],
                    "max_lines": null
                  }
                }
              }
            ]
          },
          "satisfied_ok": true,
          "trust_agent": false
        }
      ]
    }
    "#);
    assert_eq!(plan.steps[0].publishes["a.flag"], Publish::Value(ValueType::Boolean));
    assert_eq!(plan.find(&"a".into()), Some(StepIndex(0)));
}

#[test]
fn a_goal_that_looks_like_context_stays_as_it_is() {
    let source = one_step("agent: x;task: '{goal} and {context.a}';done: {diff: any}");
    let goal = "use {context.a} and {{context.a}}".to_owned();
    let plan = parsed(&source).plan(PlanRequest { goal, ..PlanRequest::default() }).unwrap();
    let context = serde_json::json!({"a": "AAA"});
    let task = template::fill_context(&plan.steps[0].task, &context).unwrap();
    assert_eq!(task, "use {context.a} and {{context.a}} and AAA");
}

#[test]
fn a_missing_issue_is_reported_once() {
    let source = one_step("agent: x;task: '{issue} {issue}';reads: ['{issue}'];done: {diff: any}");
    let errors = parsed(&source).plan(PlanRequest::default()).unwrap_err();
    assert!(matches!(errors[..], [PlanError::NeedsIssue { .. }]), "{errors:?}");
}

#[test]
fn measured_checks_arrive_with_their_defaults() {
    let source = "workflow: w
inputs: {least: {type: number, default: 70}, module: {type: string, default: web}}
steps:
  - id: a
    agent: x
    done:
      - {junit: '{inputs.module}/**/*.xml', run: 'test {inputs.module}'}
      - {junit: r.xml, run: t, min: 12, failures: 3, in: web, timeout: 1m, cache: false, env: CI}
      - {coverage: lcov.info, run: t, min: '{inputs.least}'}
      - {coverage: lcov.info, run: t, min: 99.95}
      - {checklist: '{specs}/{context.tasks}'}
      - {checklist: tasks.md, min: '{inputs.least}'}
";
    let plan = parsed(source).plan(request(&[("least", "66.5")])).unwrap();
    let checks = plan.steps[0].done.as_ref().unwrap().checks();
    let lines: Vec<String> =
        checks.iter().map(|check| serde_json::to_string(&check.kind).unwrap()).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    {"check":"junit","glob":"web/**/*.xml","command":"test web","folder":null,"timeout":600000,"cache":true,"env":[],"min":1,"failures":0}
    {"check":"junit","glob":"r.xml","command":"t","folder":"web","timeout":60000,"cache":false,"env":["CI"],"min":12,"failures":3}
    {"check":"coverage","glob":"lcov.info","command":"t","folder":null,"timeout":600000,"cache":true,"env":[],"min":"66.5"}
    {"check":"coverage","glob":"lcov.info","command":"t","folder":null,"timeout":600000,"cache":true,"env":[],"min":"99.95"}
    {"check":"checklist","file":".windlass/run/specs/{context.tasks}","min":"100"}
    {"check":"checklist","file":"tasks.md","min":"66.5"}
    "#);
    for (value, errors_at) in [("101", true), ("-1", true), ("0.00000001", true), ("100", false)] {
        let planned = parsed(source).plan(request(&[("least", value)]));
        assert_eq!(planned.is_err(), errors_at, "{value}");
    }
    assert_snapshot!(errors(source, request(&[("least", "101")])), @r#"
    `101.0` at w.yaml:9 is not a percentage from 0 to 100
      help: check the input that gives `min`
    `101.0` at w.yaml:12 is not a percentage from 0 to 100
      help: check the input that gives `min`
    "#);
}
