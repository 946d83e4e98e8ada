//! Programs that are called `claude` and print what no agent prints.

use serde_json::Value;
use windlass_testkit::{Finished, TestEnv, test_env};

use crate::support::only_one_try;

/// Runs with a `claude` of the test's own.
fn run(env: &TestEnv, script: &str) -> Finished {
    use std::os::unix::fs::PermissionsExt as _;
    let script = format!(
        "#!/bin/sh\ncase $1 in --version) echo '2.1.325 (Claude Code)'; exit;; esac\n{script}\n"
    );
    let file = env.file("bin/claude", script);
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("a program");
    let workflow = env.workflow(&only_one_try());
    let mut command = env.windlass_command(&["run", "Do it", "--workflow", &workflow]);
    command.args(["--agent", "claude", "--no-wait"]);
    command.env("WINDLASS_CLAUDE", file).env("ANTHROPIC_API_KEY", "test-key");
    env.finish(command)
}

fn outcome(env: &TestEnv) -> Value {
    let journal = env.log_json();
    journal.last("attempt_ended").expect("an attempt")["report"]["outcome"].clone()
}

#[test]
fn garbage_instead_of_json_is_no_success() {
    let env = test_env!();
    let finished =
        run(&env, "echo 'All good!'; echo '{\"type\":\"result\"'; echo oh no >&2; exit 0");
    assert_ne!(finished.code, Some(0), "{finished}");
    let outcome = outcome(&env);
    assert_eq!(outcome["category"], "infra", "{outcome}");
    assert!(outcome["message"].as_str().unwrap().contains("oh no"), "{outcome}");
    assert_ne!(env.step("build"), "done");
}

#[test]
fn a_line_of_a_hundred_megabytes_is_no_success_and_is_not_held() {
    for begin in [r#"{"type":"result","is_error":false,"result":""#, "x"] {
        let env = test_env!();
        let flood = "head -c 104857600 /dev/zero | tr '\\0' x";
        let finished = run(&env, &format!("printf '%s' '{begin}'; {flood}; echo '\"}}'; exit 0"));
        assert_ne!(finished.code, Some(0), "{finished}");
        let outcome = outcome(&env);
        assert_eq!(outcome["how"], "agent_failed", "{outcome}");
        assert_ne!(env.step("build"), "done");
        env.assert_no_orphans();
    }
}

#[test]
fn an_option_that_it_does_not_know_means_too_old() {
    let env = test_env!();
    run(&env, "echo \"error: unknown option '--tools'\" >&2; exit 1");
    let outcome = outcome(&env);
    assert_eq!(outcome["category"], "external", "{outcome}");
    assert!(outcome["message"].as_str().unwrap().contains("too old"), "{outcome}");
}

#[test]
fn what_a_broken_program_left_is_not_taken_for_done() {
    let env = test_env!();
    // What is there satisfies the criterion, and nobody knows what was still to come.
    // It waits, and tries again: a program that breaks is no fault of the work.
    run(&env, "echo right > answer.txt; echo garbage; exit 3").assert_code(4);
    assert_eq!(env.step("build"), "running");
    assert_eq!(env.log_json().count("step_proven"), 0);
}
