//! What is wrong is said, and nothing is started.

use insta::assert_snapshot;
use windlass_testkit::{Finished, TestEnv, test_env};

use crate::support::{GATED, HONEST};

/// Checks a workflow and returns what windlass says about it.
fn refused(env: &TestEnv, workflow: impl AsRef<[u8]>) -> Finished {
    let path = env.file("bad.yaml", workflow);
    let finished = env.windlass(&[
        "run",
        "x",
        "--workflow",
        &path.to_string_lossy(),
        "--agent-command",
        "true",
    ]);
    finished.assert_code(2);
    assert!(!finished.stderr.contains("panicked"), "{finished}");
    assert_eq!(env.windlass(&["status", "--all", "--json"]).stdout.matches("\"id\"").count(), 0);
    finished
}

#[test]
fn a_folder_that_is_no_repository() {
    let env = test_env!();
    let workflow = env.workflow(GATED);
    // Not below the test's own root, which may lie in a checkout of windlass itself.
    let outside = tempfile::tempdir().unwrap();
    let finished = env.windlass(&[
        "-C",
        &outside.path().to_string_lossy(),
        "run",
        "x",
        "--workflow",
        &workflow,
        "--agent-command",
        "true",
    ]);
    finished.assert_code(2);
    assert!(finished.stderr.contains("repository"), "{finished}");
}

#[test]
fn a_bare_repository_and_one_without_a_commit() {
    let env = test_env!();
    let workflow = env.workflow(GATED);
    for make in [&["init", "-q", "--bare", "../other"][..], &["init", "-q", "../empty"][..]] {
        env.repository.git(make);
        let folder = env.repository.root().join(make.last().unwrap());
        let finished = env.windlass(&[
            "-C",
            &folder.to_string_lossy(),
            "run",
            "x",
            "--workflow",
            &workflow,
            "--agent-command",
            "true",
        ]);
        finished.assert_code(2);
    }
}

#[test]
fn workflows_that_cannot_be_read() {
    let env = test_env!();
    refused(&env, "");
    refused(&env, b"workflow: \xff\xfe\n");
    refused(&env, "x".repeat(64 << 20));
    refused(
        &env,
        "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nworkflow: [*e,*e,*e,*e,*e,*e]\n",
    );
    let missing =
        env.windlass(&["run", "x", "--workflow", "/nonexistent.yaml", "--agent-command", "true"]);
    missing.assert_code(2);
    let folder = env.home().to_string_lossy().into_owned();
    env.windlass(&["run", "x", "--workflow", &folder, "--agent-command", "true"]).assert_code(2);
}

#[test]
fn mistakes_are_named_with_their_place_and_the_nearest_word() {
    let env = test_env!();
    let key = refused(&env, GATED.replace("gate: approval", "gaet: approval"));
    assert!(key.stderr.contains("gaet") && key.stderr.contains("gate"), "{key}");
    assert!(key.stderr.contains(":11:5"), "{key}");
    let step =
        refused(&env, GATED.replace("    task: Build.", "    task: Build.\n    needs: [plam]"));
    assert!(step.stderr.contains("plam") && step.stderr.contains("plan"), "{step}");
    let cycle =
        refused(&env, GATED.replace("    task: Plan.", "    task: Plan.\n    needs: [build]"));
    assert!(cycle.stderr.contains("build"), "{cycle}");
    refused(&env, GATED.replace("retries: 2", "retries: many"));
    refused(&env, GATED.replace("    done: {file: plan.md}\n", ""));
}

#[test]
fn an_input_that_the_workflow_does_not_have_or_of_another_type() {
    let env = test_env!();
    let workflow = format!("{GATED}inputs: {{coverage: {{type: integer, default: 70}}}}\n");
    env.run(&workflow, HONEST, &["--input", "coverge=1"]).assert_code(2);
    env.run(&workflow, HONEST, &["--input", "coverage=much"]).assert_code(2);
    env.run(&workflow, HONEST, &["--input", "coverage"]).assert_code(2);
}

#[test]
fn a_check_whose_program_is_missing_stops_before_anything_is_spent() {
    let env = test_env!();
    let finished = refused(&env, GATED.replace("grep -qx right answer.txt", "no-such-program --x"));
    let said: String = env.normalise(&finished.stderr);
    assert_snapshot!(said, @r"
    error: this plan cannot be verified here
      because: the program `no-such-program` of the check `no-such-program --x` in step `build` is not there

    hint: install `no-such-program`, or change the check; nothing was started
    ");
}

#[test]
fn no_agent_an_unknown_one_and_an_empty_goal() {
    let env = test_env!();
    let workflow = env.workflow(GATED);
    env.windlass(&["run", "x", "--workflow", &workflow]).assert_code(2);
    env.windlass(&["run", "x", "--workflow", &workflow, "--agent", "nobody"]).assert_code(2);
    for (agent, why) in [
        ("acp:", "names no program"),
        ("acp:'my agent", "names no program"),
        ("acp:no-such-program --acp", "is not on PATH"),
    ] {
        let refused = env.windlass(&["run", "x", "--workflow", &workflow, "--agent", agent]);
        refused.assert_code(2);
        assert!(refused.stderr.contains(why), "{refused}");
    }
    env.windlass(&["run", " ", "--workflow", &workflow, "--agent-command", "true"]).assert_code(2);
    env.windlass(&["status"]).assert_code(2);
    env.windlass(&["no-such-command"]).assert_code(2);
}

#[test]
fn a_slip_in_a_command_names_the_command_that_was_meant() {
    let env = test_env!();
    for (typed, meant) in [("rnu", "run"), ("stauts", "status"), ("aprove", "approve")] {
        let finished = env.windlass(&[typed]);
        finished.assert_code(2);
        let tip = format!("tip: a similar subcommand exists: '{meant}'");
        assert!(finished.stderr.contains(&tip), "{finished}");
    }
    // Where nothing is near, nothing is guessed.
    assert!(!env.windlass(&["xyzzy"]).stderr.contains("similar"));
}
