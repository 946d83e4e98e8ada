//! Dying while committed work of a skipped step is set back.

use windlass_testkit::{TestEnv, in_parallel, test_env, wait};

use super::scenario::read_points;

const WORKFLOW: &str = "
workflow: skipped
steps:
  - {id: work, agent: developer, done: {run: 'grep -q right a.txt'}}
  - {id: extra, agent: developer, done: {run: 'true'}, gate: approval}
";

const AGENT: &str =
    "case $WINDLASS_STEP in work) echo right > a.txt;; extra) echo more > b.txt;; esac";

/// A run whose last step was committed, and skipped at its gate; nobody has set it back yet.
fn skipped() -> TestEnv {
    let env = test_env!();
    env.repository.write("a.txt", "wrong\n");
    env.repository.commit("a project");
    assert_eq!(env.run(WORKFLOW, AGENT, &[]).code, Some(3));
    env.windlass(&["skip", "extra", "--reason", "not now"]).assert_code(0);
    env
}

fn resume(env: &TestEnv, fault: &str) -> Option<i32> {
    let mut command = env.windlass_command(&["resume"]);
    command.env("WINDLASS_FAULT", fault);
    env.start(command).wait(wait::DEADLINE).expect("an end").code
}

/// What is on the branch, and how it came there.
fn look(env: &TestEnv) -> (String, Vec<String>) {
    env.assert_audit();
    env.assert_no_orphans();
    let branch = env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned();
    let subject = |commit: &String| env.repository.git(&["show", "-s", "--format=%s", commit]);
    let subjects = env.repository.commits(&branch).iter().map(subject).collect();
    (env.repository.git(&["ls-tree", "-r", "--name-only", &branch]), subjects)
}

#[test]
fn what_was_skipped_at_its_gate_leaves_the_branch_once_whoever_dies() {
    let whole = skipped();
    let trace = whole.root().join("trace");
    assert_eq!(resume(&whole, &format!("trace:{}", trace.display())), Some(0));
    let wanted = look(&whole);
    assert!(!wanted.0.contains("b.txt") && wanted.1.len() == 3, "{wanted:?}");
    in_parallel(4, read_points(&trace), |point| {
        let env = skipped();
        assert_eq!(resume(&env, &point), None, "{point}");
        // Death after the last decision leaves a run that has ended.
        if env.status_json()["run"]["status"] != "completed" {
            env.windlass(&["resume"]).assert_code(0);
        }
        assert_eq!(look(&env), wanted, "died at {point}");
    });
}
