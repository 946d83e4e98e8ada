//! The life of an attempt that a session has in hand: offered, taken, judged.

use serde_json::json;
use windlass_testkit::{Host, test_env};

use crate::support::{TWO_STEPS, started, with_workflow};

#[test]
fn a_whole_run_goes_through_its_hooks() {
    let env = test_env!();
    with_workflow(&env, TWO_STEPS);
    let host = Host::start(&env, "s1");
    let first = started(&host);
    let answer = host.starts(&first, "a1");
    let prompt = answer.updated_input().unwrap()["prompt"].as_str().unwrap();
    assert!(prompt.contains("Write the plan."), "{prompt}");
    env.repository.write(".windlass/run/specs/plan.md", "the plan");
    assert!(host.agent_stops("a1").json.is_none());
    let at_gate = host.stops();
    assert!(at_gate.message().unwrap().contains("Answer `approve`"), "{at_gate:?}");
    let told = host.says("approve");
    let second = told.context().unwrap();
    assert!(second.contains("step `code`"), "{second}");
    assert!(host.starts(second, "a2").allows());
    env.repository.write("src/code.txt", "1\n2\n3\n");
    // The fact is missing: the same subagent goes on.
    let again = host.agent_stops("a2");
    assert!(again.sent_on().unwrap().contains("round 1 of 4"), "{again:?}");
    let set = json!({"command": "windlass context set code.lines=3"});
    let badged = host.tool_of(Some("a2"), "Bash", set);
    let command = badged.updated_input().unwrap()["command"].as_str().unwrap().to_owned();
    assert!(env.shell(&command).code == Some(0), "{command}");
    assert!(env.shell(&command).code != Some(0), "a token is good once");
    assert!(host.agent_stops("a2").json.is_none());
    let end = host.stops();
    assert!(end.message().unwrap().contains("is completed"), "{end:?}");
    assert!(host.stops().json.is_none(), "it is said once");
    assert_eq!(env.status(), "completed");
    assert_eq!(env.repository.git(&["show", "HEAD:src/code.txt"]), "1\n2\n3");
}

#[test]
fn no_agent_starts_in_quiet_hours() {
    let env = test_env!();
    env.file(".config/windlass/config.yaml", "quiet_hours: [\"00:00-12:00\", \"12:00-00:00\"]\n");
    with_workflow(&env, TWO_STEPS);
    let host = Host::start(&env, "s1");
    let first = started(&host);
    let held = host.starts(&first, "a1");
    assert!(held.denial().unwrap().contains("No agent starts now"), "{held:?}");
    assert_eq!(env.status(), "waiting");
    assert!(host.stops().message().unwrap().contains("It waits until"));
}
