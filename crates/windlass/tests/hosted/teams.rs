//! Spokes of a team side by side in one session, each in a folder of its own.

use serde_json::{Value, json};
use windlass_testkit::{Host, test_env};

use crate::support::{count, started, with_workflow};

const TEAM: &str = r#"
workflow: two
steps:
  - id: plan
    title: Planning
    team:
      spokes:
        - {id: back, agent: planner, task: "The back.", writes: "{specs}/back.md"}
        - {id: front, agent: planner, task: "The front.", writes: "{specs}/front.md"}
      hub: {agent: planner, task: "Join them."}
    done: {file: "{specs}/plan.md"}
"#;

/// Calls the tool for one block of an instruction.
fn call(host: &Host<'_>, instruction: &str, block: usize) -> (Value, String) {
    let blocks: Vec<&str> = instruction.split("spoke `").skip(1).collect();
    let field = |name: &str| {
        let line = blocks[block].lines().find_map(|line| line.strip_prefix(name));
        line.expect("a field").trim().to_owned()
    };
    let kind = field("subagent_type:");
    let input = json!({"subagent_type": kind, "description": "x", "prompt": field("prompt:")});
    let answer = host.tool("Agent", input);
    (answer.updated_input().unwrap_or_else(|| panic!("{answer:?}")).clone(), kind)
}

#[test]
fn spokes_of_one_kind_are_told_apart_and_the_hub_follows() {
    let env = test_env!();
    with_workflow(&env, TEAM);
    let host = Host::start(&env, "s1");
    let told = started(&host);
    assert!(told.contains("2 times in one message"), "{told}");
    assert!(told.contains("expected: .windlass/run/specs/front.md"), "{told}");
    let mut places = Vec::new();
    for (number, (agent, file)) in [("a1", "back.md"), ("a2", "front.md")].into_iter().enumerate() {
        let (input, kind) = call(&host, &told, number);
        host.call("subagent-start", json!({"agent_id": agent, "agent_type": kind}));
        let prompt = input["prompt"].as_str().unwrap();
        let place = prompt.split("Work in the folder `").nth(1).unwrap().split('`').next().unwrap();
        places.push((agent, place.to_owned(), file));
    }
    for (agent, place, file) in &places {
        let path = format!("{place}/.windlass/run/specs/{file}");
        let own = host.tool_of(Some(agent), "Write", json!({"file_path": path, "content": "x"}));
        assert!(own.allows(), "{own:?}");
        let elsewhere = env.repository.root().join("x.md").to_string_lossy().into_owned();
        let other =
            host.tool_of(Some(agent), "Write", json!({"file_path": elsewhere, "content": ""}));
        assert!(other.denial().is_some(), "{other:?}");
        fs_err::write(&path, format!("{file}\n")).unwrap();
        assert!(host.agent_stops(agent).json.is_none());
    }
    assert_eq!(count(&env, "step_adopted"), 2);
    assert_eq!(env.repository.read(".windlass/run/specs/front.md"), "front.md\n");
    let hub = host.stops();
    assert!(hub.sent_on().unwrap().contains("plan/hub#1"), "{hub:?}");
}

#[test]
fn a_host_with_teams_is_told_of_teammates() {
    let env = test_env!();
    with_workflow(&env, TEAM);
    let host = Host::silent(&env, "s1")
        .with("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "1")
        .with("CLAUDE_CODE_SESSION_ATTENDED", "1");
    host.call("session-start", json!({"source": "startup"}));
    let told = started(&host);
    for words in
        ["Team `plan`: 2 spokes", "one teammate per block", "name: plan-", "shut them down"]
    {
        assert!(told.contains(words), "{words}: {told}");
    }
}
