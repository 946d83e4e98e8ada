//! What these tests share.

use windlass_testkit::{Host, TestEnv};

/// Two steps with a gate between them; the first wants a paper, the second code and a fact.
pub(crate) const TWO_STEPS: &str = r#"
workflow: two
protect: ["judge.txt"]
defaults: {retries: 2}
steps:
  - id: plan
    agent: planner
    task: Write the plan.
    done: {file: "{specs}/plan.md"}
    gate: approval
  - id: code
    agent: coder
    task: Write the code.
    may_write: ["src/**"]
    publishes: {code.lines: integer}
    done: {all: [{file: src/code.txt}, {state: .context.code.lines == 3}]}
"#;

/// Puts a workflow where a session finds it by name.
pub(crate) fn with_workflow(env: &TestEnv, text: &str) {
    env.repository.write(".windlass/workflows/two.yaml", text);
    env.repository.write("judge.txt", "a judge\n");
    env.repository.commit("a workflow");
}

/// Starts a run by a person's prompt and returns the first instruction.
pub(crate) fn started(host: &Host<'_>) -> String {
    let answer = host.says("/windlass:two Write something");
    let told = answer.context().unwrap_or_else(|| panic!("{answer:?}")).to_owned();
    assert!(told.contains("subagent_type:"), "{told}");
    told
}

/// A run of two steps that waits at its gate.
pub(crate) fn at_the_gate<'e>(env: &'e TestEnv, session: &str) -> Host<'e> {
    with_workflow(env, TWO_STEPS);
    let host = Host::start(env, session);
    let first = started(&host);
    assert!(host.starts(&first, "a1").allows());
    env.repository.write(".windlass/run/specs/plan.md", "the plan\n");
    assert!(host.agent_stops("a1").json.is_none());
    assert!(host.stops().message().is_some());
    host
}

/// How many times something stands in the journal.
pub(crate) fn count(env: &TestEnv, kind: &str) -> usize {
    env.log_json().count(kind)
}
