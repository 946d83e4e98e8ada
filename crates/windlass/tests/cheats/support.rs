//! What the cheats have in common: a word that must be right, and a look at whether it is.

use windlass_testkit::{Finished, Layout, TestEnv, test_env};

/// One step; `answer.txt` must say `right`.
pub(super) const ANSWER: &str = r#"
workflow: cheated
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
steps:
  - id: build
    agent: developer
    task: Write `right` into answer.txt.
    done: {all: [{file: answer.txt}, {run: "grep -qx right answer.txt"}]}
    commit: wip
"#;

/// The same, judged by a script of the repository that is protected.
pub(super) const JUDGED: &str = r#"
workflow: cheated
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
protect: ["judge.sh"]
steps:
  - id: build
    agent: developer
    task: Write `right` into answer.txt.
    done: {run: sh judge.sh}
    commit: wip
"#;

/// A world with a judge in it.
pub(super) fn env() -> TestEnv {
    let env = test_env!();
    judge(&env);
    env
}

/// The same beneath the system's folder for temporary files.
pub(super) fn env_in_temp() -> TestEnv {
    let env = test_env!(Layout::SystemTemp);
    judge(&env);
    env
}

fn judge(env: &TestEnv) {
    env.repository.write("judge.sh", "grep -qx right answer.txt\n");
    env.repository.write("answer.txt", "unknown\n");
    env.repository.commit("a judge");
}

/// Plays an agent against a workflow, and fails if its step counts as done.
#[track_caller]
pub(super) fn caught(env: &TestEnv, workflow: &str, agent: &str) -> Finished {
    let finished = env.run(workflow, agent, &["--yes"]);
    assert_ne!(finished.code, Some(0), "the agent got away with it: {finished}");
    let log = env.log_json();
    assert_eq!(log.count("step_done"), 0, "{finished}");
    assert_eq!(log.count("step_proven"), 0, "{finished}");
    assert_eq!(log.count("step_committed"), 0, "{finished}");
    env.assert_audit();
    env.assert_no_orphans();
    finished
}

/// Plays an honest agent that also does something odd; its step is done.
#[track_caller]
pub(super) fn honest(env: &TestEnv, workflow: &str, agent: &str) -> Finished {
    let finished = env.run(workflow, agent, &["--yes"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    env.assert_audit();
    env.assert_no_orphans();
    finished
}

/// Plays an agent that changes what is always protected, and a person who lets that pass; returns what became
/// of the run then.
#[track_caller]
pub(super) fn let_pass(env: &TestEnv, workflow: &str, agent: &str) -> Finished {
    let finished = env.run(workflow, agent, &["--yes"]);
    assert_eq!(finished.code, Some(3), "{finished}");
    assert_eq!(env.status_json()["gate"]["kind"], "protected", "{finished}");
    env.windlass(&["approve"]).assert_code(0);
    let finished = env.windlass(&["resume"]);
    env.assert_audit();
    env.assert_no_orphans();
    finished
}

/// What the run's branch holds of a file.
pub(super) fn published(env: &TestEnv, path: &str) -> String {
    let branch = env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned();
    env.repository.git(&["show", &format!("{branch}:{path}")])
}

/// What the journal says about the place that must not happen.
pub(super) fn trouble(env: &TestEnv) -> String {
    let log = env.log_json();
    let ended = log.last("attempt_ended").expect("an attempt");
    ended["report"]["trouble"].to_string()
}
