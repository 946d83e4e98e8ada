//! Starting a run from a session.

use serde_json::json;
use windlass_testkit::{Host, test_env};

use crate::support::{TWO_STEPS, at_the_gate, count, with_workflow};

const ASKS: &str = r#"
workflow: two
inputs:
  words: {type: integer, default: 10, ask: "How many words?"}
steps:
  - {id: plan, agent: planner, task: "Write {inputs.words} words.", done: {file: "{specs}/plan.md"}}
"#;

#[test]
fn a_second_run_beside_an_unfinished_one_is_refused() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    let told = host.says("/windlass:two Another thing");
    assert!(told.context().unwrap().contains("nothing was started"), "{told:?}");
    assert!(told.context().unwrap().contains("/windlass:resume"), "{told:?}");
    assert_eq!(count(&env, "run_started"), 1);
}

#[test]
fn inputs_are_asked_where_somebody_is_there_and_only_they_come_from_the_model() {
    let env = test_env!();
    with_workflow(&env, ASKS);
    let host = Host::silent(&env, "s1").with("CLAUDE_CODE_SESSION_ATTENDED", "1");
    host.call("session-start", json!({"source": "startup"}));
    let told = host.says("/windlass:two Count");
    let text = told.context().unwrap();
    assert!(text.contains("How many words?") && text.contains("recommended: 10"), "{text}");
    let early = host.stops();
    assert!(early.sent_on().unwrap().contains("the start is not complete"), "{early:?}");
    let session = [("CLAUDE_CODE_SESSION_ID", "s1")];
    let begun = env.windlass_with(&session, &["run", "--hosted", "--input", "words=30"]);
    begun.assert_code(0);
    let next = host.stops();
    let started = host.starts(next.sent_on().unwrap(), "a1");
    let prompt = started.updated_input().unwrap()["prompt"].as_str().unwrap();
    assert!(prompt.contains("Write 30 words."), "{prompt}");
}

#[test]
fn nobody_starts_a_hosted_run_that_no_person_asked_for() {
    let env = test_env!();
    with_workflow(&env, TWO_STEPS);
    let session = [("CLAUDE_CODE_SESSION_ID", "s1")];
    let refused = env.windlass_with(&session, &["run", "--hosted", "--input", "words=30"]);
    assert!(refused.assert_code(2).stderr.contains("no person has asked"), "{refused}");
}

#[test]
fn a_session_whose_hooks_were_not_heard_of_hosts_nothing() {
    let env = test_env!();
    with_workflow(&env, TWO_STEPS);
    let host = Host::silent(&env, "s1");
    let told = host.says("/windlass:two Do it");
    assert!(told.context().unwrap().contains("SessionStart hook did not reach"), "{told:?}");
    let shell = Host::start(&env, "s2");
    let told =
        shell.call_from_shell("user-prompt-submit", json!({"prompt": "/windlass:two Do it"}));
    assert!(told.context().unwrap().contains("cannot host a run"), "{told:?}");
}

#[test]
fn what_cannot_be_started_says_why() {
    let env = test_env!();
    with_workflow(&env, TWO_STEPS);
    let host = Host::start(&env, "s1");
    for (prompt, why) in [
        ("/windlass:two", "needs an issue's number or a goal"),
        ("/windlass:nowhere Do it", "nowhere"),
        ("/windlass:two --nonsense x", "--nonsense"),
        ("/windlass:run --workflow two --input nope=1 -- Do it", "nope"),
    ] {
        let told = host.says(prompt);
        assert!(told.context().unwrap().contains(why), "{prompt}: {told:?}");
    }
    env.repository.write("README.md", "changed");
    let told = host.says("/windlass:two Do it");
    assert!(
        told.context().unwrap().contains("README.md")
            || told.context().unwrap().contains("changes"),
        "{told:?}"
    );
}

#[test]
fn without_a_run_decisions_do_nothing() {
    let env = test_env!();
    let host = Host::start(&env, "s1");
    let told = host.says("/windlass:resume");
    assert!(told.context().unwrap().contains("no unfinished run"), "{told:?}");
    assert!(host.says("approve").json.is_none());
}

#[test]
fn the_status_without_a_run_says_that_the_hooks_work() {
    let env = test_env!();
    let host = Host::start(&env, "s1");
    let told = host.says("/windlass:status");
    assert!(told.context().unwrap().contains("its hooks work in this session"), "{told:?}");
}
