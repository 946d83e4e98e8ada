//! What a person accepted stays accepted exactly as it was.

use windlass_testkit::TestEnv;

use crate::support::env;

/// Two steps that are judged by a protected script.
const TWICE: &str = r#"
workflow: twice
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
protect: ["judge.sh"]
steps:
  - {id: first, agent: developer, task: Work., done: {run: sh judge.sh}, commit: wip}
  - {id: second, agent: developer, task: Work., done: {run: sh judge.sh}, commit: wip}
"#;

/// The first step edits the judge, which a person accepts; then the second does this.
fn accepted_then(env: &TestEnv, second: &str) {
    let agent = format!(
        "echo right > answer.txt; case $WINDLASS_STEP in \
         first) echo '# said more' >> judge.sh;; second) {second};; esac"
    );
    assert_eq!(env.run(TWICE, &agent, &[]).code, Some(3));
    env.windlass(&["approve"]).assert_code(0);
}

fn gates(env: &TestEnv) -> usize {
    env.log_json().count("gate_opened")
}

#[test]
fn an_accepted_judge_that_becomes_executable_is_asked_about_again() {
    let env = env();
    accepted_then(&env, "chmod +x judge.sh");
    assert_eq!(env.windlass(&["resume"]).code, Some(3));
    assert_eq!(gates(&env), 2);
    env.windlass(&["approve"]).assert_code(0);
    assert_eq!(env.windlass(&["resume"]).code, Some(0));
    assert_eq!(gates(&env), 2, "once accepted it is as it was accepted");
    env.assert_audit();
}

#[test]
fn an_accepted_judge_is_not_asked_about_again_as_it_is() {
    let env = env();
    accepted_then(&env, "echo more > other.txt");
    assert_eq!(env.windlass(&["resume"]).code, Some(0));
    assert_eq!(gates(&env), 1);
}
