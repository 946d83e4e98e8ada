//! This suite passes within the session of an agent: its tests leave it first.

use std::process::{Command, Output};

use windlass_engine::hosted::caller;

/// A test that fails in a session, because its host would be refused.
const TEST: &str = "callers::a_call_from_a_shell_decides_nothing_and_is_guarded_all_the_same";

fn passes(output: &Output) {
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
}

#[test]
fn a_test_that_has_variables_of_an_agent_runs_without_them() {
    let itself = std::env::current_exe().unwrap();
    let output = Command::new(itself).args(["--exact", TEST]).env("CLAUDECODE", "1").output();
    passes(&output.unwrap());
}

#[test]
fn a_test_below_an_agents_program_runs_apart_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let agent = folder.path().join("claude");
    fs_err::copy("/bin/sh", &agent).unwrap();
    let itself = std::env::current_exe().unwrap();
    // Something follows, so that the shell does not become the test.
    let output = Command::new(&agent)
        .args(["-c", "\"$0\" --exact \"$1\"; exit $?"])
        .args([itself.as_os_str(), TEST.as_ref()])
        .output();
    passes(&output.unwrap());
}

#[test]
fn tests_know_the_agents_that_windlass_knows() {
    assert_eq!(windlass_testkit::AGENTS, caller::AGENTS);
    assert_eq!(windlass_testkit::MARKS, caller::MARKS);
}
