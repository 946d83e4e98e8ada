//! What holds for every text.

use proptest::prelude::*;
use windlass_core::plan::{Plan, PlanRequest};
use windlass_core::workflow::Workflow;

pub(super) const GOOD: &str = "workflow: w
title: T
inputs: {n: {type: integer, default: 7}, e: {type: enum, values: [a, b], default: a}}
defaults: {retries: 2, timeout: 30m}
limits: {cost_usd: 2.5, wall: 8h}
prepare: [{in: web, run: npm ci, lock: web/lock}]
protect: ['**/*.{lock,toml}']
steps:
  - id: plan
    agent: planner
    publishes: {spec.file: '{specs}/plan.md', ok: boolean}
    done: {file: '{specs}/plan.md'}
    gate: approval
  - id: build
    when: .inputs.n > 3
    steps:
      - {id: one, agent: dev, reads: ['{context.spec.file}'], done: [{run: 'make {inputs.n}'}, {state: .ok}]}
      - {id: two, agent: dev, needs: [], done: {any: [{diff: any}, {not: {run: x}}]}}
  - id: review
    agent: judge
    done: {verdict: .v, accept: [OK]}
    on:
      NO: {rollback: {files: '.f[]', by_path: {'*.a': build/one, '*.b': build/two}, otherwise: plan}, max: 3}
";

/// Lines of a workflow in any order are often a workflow of another kind.
pub(super) fn mutated() -> impl Strategy<Value = String> {
    let edit = (
        0..GOOD.len(),
        0..12usize,
        prop_oneof![
            Just(String::new()),
            Just("{".to_owned()),
            Just("}".to_owned()),
            Just(": ".to_owned()),
            Just("\n".to_owned()),
            Just("- ".to_owned()),
            Just("&a ".to_owned()),
            Just("*a".to_owned()),
            Just("'".to_owned()),
            Just("010".to_owned()),
            Just("plan".to_owned()),
            Just("{context.a}".to_owned()),
            "\\PC{0,6}",
        ],
    );
    proptest::collection::vec(edit, 1..4).prop_map(|edits| {
        let mut text = GOOD.to_owned();
        for (at, len, with) in edits {
            let at = at.min(text.len());
            let end = (at + len).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, &with);
            }
        }
        text
    })
}

/// Workflows of steps that need any of the steps above them, some nested.
pub(super) fn generated() -> impl Strategy<Value = String> {
    let step = (any::<bool>(), proptest::collection::vec(0..12usize, 0..3), 0..4usize);
    proptest::collection::vec(step, 1..12).prop_map(|steps| {
        let mut source = "workflow: w\nsteps:\n".to_owned();
        for (index, (default, needs, nested)) in steps.into_iter().enumerate() {
            let names: Vec<_> =
                needs.iter().filter(|need| **need < index).map(|need| format!("s{need}")).collect();
            let needs =
                if default { String::new() } else { format!(", needs: [{}]", names.join(", ")) };
            if nested == 0 {
                source.push_str(&format!(
                    "  - {{id: s{index}, agent: x, done: {{diff: any}}{needs}}}\n"
                ));
                continue;
            }
            let inner: Vec<_> = (0..nested)
                .map(|n| {
                    let needs = if n % 2 == 1 { ", needs: []" } else { "" };
                    format!("{{id: c{n}, agent: x, done: {{diff: any}}{needs}}}")
                })
                .collect();
            source
                .push_str(&format!("  - {{id: s{index}, steps: [{}]{needs}}}\n", inner.join(", ")));
        }
        source
    })
}

fn plan_is_sound(plan: &Plan) -> Result<(), TestCaseError> {
    for index in plan.indexes() {
        let step = plan.step(index);
        for need in &step.needs {
            prop_assert!(need < &index, "{} stands before {}", step.id, plan.step(*need).id);
        }
        if let Some(parent) = step.parent {
            prop_assert!(parent > index);
        }
        for route in step.on.values() {
            prop_assert!(route.rollback.otherwise <= index);
        }
    }
    let text = serde_json::to_string(plan).expect("a plan is JSON");
    let again: Plan = serde_json::from_str(&text).expect("a plan is read back");
    prop_assert_eq!(&again, plan);
    Ok(())
}

fn check(source: &str) -> Result<(), TestCaseError> {
    match Workflow::parse(source, "w.yaml") {
        Ok(workflow) => {
            if let Ok(plan) = workflow.plan(PlanRequest::default()) {
                plan_is_sound(&plan)?;
            }
        }
        Err(found) => {
            prop_assert!(!found.is_empty());
            for finding in found {
                prop_assert!(finding.line >= 1 && finding.column >= 1);
                prop_assert!(finding.offset + finding.len <= source.len(), "{:?}", finding);
            }
        }
    }
    Ok(())
}

#[test]
fn the_example_is_good() {
    super::parsed(GOOD).plan(PlanRequest::default()).unwrap();
}

proptest! {
    #[test]
    fn no_text_makes_parsing_panic(source in "\\PC{0,200}") {
        check(&source)?;
    }

    #[test]
    fn no_yaml_like_text_makes_parsing_panic(source in "([a-z0-9:{}\\[\\],&*'\"|>#%@!?<~ \n\t-]{0,20}\n){0,8}") {
        check(&source)?;
    }

    #[test]
    fn no_mutation_makes_parsing_panic(source in mutated()) {
        check(&source)?;
    }

    #[test]
    fn no_bytes_make_parsing_panic(source in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Workflow::parse_bytes(&source, "w.yaml");
    }

    #[test]
    fn generated_workflows_give_sound_plans(source in generated()) {
        let plan = super::parsed(&source).plan(PlanRequest::default()).unwrap();
        plan_is_sound(&plan)?;
    }
}
