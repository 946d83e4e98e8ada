//! What these tests have in common.

use windlass_testkit::{TestEnv, test_env};

/// Two steps, a gate after the first.
pub(super) const GATED: &str = r#"
workflow: gated
defaults: {retries: 2}
steps:
  - id: plan
    title: Planning
    agent: planner
    task: Plan.
    publishes: {plan.size: integer, plan.note: string, plan.parts: array}
    done: {file: plan.md}
    gate: approval
    commit: wip
  - id: build
    title: Building
    agent: developer
    task: Build.
    done: {run: "grep -qx right answer.txt"}
    commit: wip
"#;

/// Does what is asked, with new content at every attempt.
pub(super) const HONEST: &str = r#"
case $WINDLASS_STEP in
  plan) echo "plan $WINDLASS_ATTEMPT" > plan.md ;;
  build) echo right > answer.txt ;;
esac
"#;

/// A run that stands at its gate.
pub(super) fn at_the_gate() -> TestEnv {
    let env = test_env!();
    env.run(GATED, HONEST, &[]).assert_code(3);
    env
}

/// One step whose agent says `ready` in a file outside the place and then waits for ever.
pub(super) fn waiting(env: &TestEnv) -> String {
    format!("touch '{}'; exec sleep 600", env.root().join("tmp/ready").display())
}
