//! What an agent may publish.

use serde_json::json;

use crate::plan::ValueType;
use crate::run::testing::*;
use crate::run::*;

fn set(key: &str, value: serde_json::Value) -> Result<Vec<Event>, Rejected> {
    Ok(vec![Event::ContextSet { step: "code".into(), key: key.to_owned(), value }])
}

fn run() -> Run {
    let mut run = Run::of([agent("code")
        .sets("result", ValueType::Object)
        .sets("passed", ValueType::Boolean)
        .publishes("spec", "spec.md")
        .publishes("result.file", "result.md")]);
    run.begins("code");
    run
}

#[test]
fn an_agent_sets_the_keys_that_its_step_declares() {
    let mut run = run();
    assert_eq!(run.sets("code#1", "passed", json!(true)), set("passed", json!(true)));
    assert_eq!(run.sets("code#1", "result", json!({"a": 1})), set("result", json!({"a": 1})));
    assert_eq!(*run.state.context, json!({"passed": true, "result": {"a": 1}}));
}

#[test]
fn keys_below_a_declared_object_may_be_set() {
    let mut run = run();
    assert_eq!(run.sets("code#1", "result.a.b", json!(1)), set("result.a.b", json!(1)));
    assert_eq!(*run.state.context, json!({"result": {"a": {"b": 1}}}));
    for key in ["passed.x", "result.", "result..a", "results", "resul"] {
        assert!(
            matches!(run.sets("code#1", key, json!(1)), Err(Rejected::NotPublished { .. })),
            "{key}"
        );
    }
}

#[test]
fn a_key_that_is_not_declared_is_refused() {
    let published = ["passed", "result", "result.file", "spec"].map(str::to_owned).to_vec();
    let (step, key) = ("code".into(), "other".to_owned());
    assert_eq!(
        run().sets("code#1", "other", json!(1)),
        Err(Rejected::NotPublished { step, key, published })
    );
}

#[test]
fn a_value_of_another_type_is_refused() {
    assert_eq!(
        run().sets("code#1", "passed", json!("yes")),
        Err(Rejected::WrongType { key: "passed".to_owned(), expected: "boolean".to_owned() })
    );
}

#[test]
fn windlass_publishes_the_declared_paths_when_the_step_is_proven() {
    let mut run = run();
    run.sets("code#1", "result.a", json!(1)).unwrap();
    run.proves("code", "c1");
    assert_eq!(
        *run.state.context,
        json!({"spec": "spec.md", "result": {"a": 1, "file": "result.md"}})
    );
}

#[test]
fn declared_paths_are_not_the_agents_to_set() {
    let mut run = run();
    for key in ["spec", "result.file", "result.file.x"] {
        assert!(
            matches!(run.sets("code#1", key, json!("x")), Err(Rejected::NotPublished { .. })),
            "{key}"
        );
    }
}

#[test]
fn a_key_that_is_set_often_is_remembered_once() {
    let mut run = run();
    for number in 0..5 {
        run.sets("code#1", "result.count", json!(number)).unwrap();
    }
    assert_eq!(run.step("code").published, ["result.count"]);
}

#[test]
fn an_attempt_publishes_only_so_often() {
    let mut run = run();
    let input = |number: u32| Input {
        at: START,
        actor: Actor::Engine,
        kind: InputKind::ContextSet {
            attempt: attempt_id("code#1"),
            key: "result".to_owned(),
            value: json!({ "number": number }),
        },
    };
    for number in 0..1000 {
        for event in decide(&run.state, &input(number)).unwrap() {
            run.state.apply(START, &event).unwrap();
        }
    }
    let refused = decide(&run.state, &input(1000));
    assert_eq!(refused, Err(Rejected::PublishedTooOften { max: 1000 }));
}
