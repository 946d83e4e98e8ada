//! Judges behind judges: a workflow that protects nothing itself, and an agent that changes what its check
//! leads to.

use windlass_testkit::{TestEnv, test_env};

/// A repository of these files, and the run of an agent that makes no honest change.
fn asked(command: &str, files: &[(&str, &str)], cheat: &str) -> (TestEnv, String) {
    let env = test_env!();
    env.repository.write("src.txt", "wrong\n");
    for (path, text) in files {
        env.repository.write(path, text);
    }
    env.repository.commit("a project");
    let workflow = format!(
        "workflow: w\ndefaults: {{retries: 1, timeout: 20s}}\nsteps:\n  \
         - {{id: work, agent: a, task: Do it., done: {{run: {command:?}}}}}\n"
    );
    let finished = env.run(&workflow, &format!("echo still >> src.txt; {cheat}"), &["--yes"]);
    assert_eq!(finished.code, Some(3), "{command}: {finished}");
    let about = env.status_json()["gate"]["protected"].to_string();
    (env, about)
}

#[test]
fn what_a_check_leads_to_is_asked_about() {
    const GREP: &str = "grep -qx right src.txt\n";
    for (command, files, cheat, about) in [
        (
            "make test",
            &[
                ("Makefile", "RUN = sh lib/go.sh\ntest: unit\nunit:\n\t. ./lib/go.sh\n"),
                ("lib/go.sh", GREP),
            ][..],
            "echo true > lib/go.sh",
            "lib/go.sh",
        ),
        (
            "bash -ec 'sh ci/a.sh'",
            &[("ci/a.sh", "sh ci/b.sh"), ("ci/b.sh", "sh qa/c.sh"), ("qa/c.sh", GREP)],
            "echo true > qa/c.sh",
            "qa/c.sh",
        ),
        (
            "make test",
            &[("Makefile", "test:\n\tgrep -qx right src.txt\n-include local.mk\n")],
            "echo 'SHELL = /bin/true' > local.mk",
            "local.mk",
        ),
    ] {
        let (_env, asked) = asked(command, files, cheat);
        assert!(asked.contains(about), "{command}: {asked}");
    }
}

#[test]
fn a_new_judge_that_a_person_accepted_asks_again_when_a_later_step_changes_it() {
    let env = test_env!();
    env.repository.write("src.txt", "right\n");
    env.repository.commit("a project");
    let workflow = "
workflow: w
defaults: {retries: 1, timeout: 20s}
protect: [{file: hook.sh, only: new}]
steps:
  - {id: first, agent: a, task: Do it., done: {diff: any}, commit: wip}
  - {id: second, agent: a, task: Do it., done: {diff: any}, commit: wip}
";
    let agent = "case $WINDLASS_STEP in first) echo true > hook.sh;; \
                 *) echo 'exit 0' > hook.sh;; esac";
    let finished = env.run(workflow, agent, &["--yes"]);
    assert_eq!(finished.code, Some(3), "{finished}");
    env.windlass(&["approve"]).assert_code(0);
    let resumed = env.windlass(&["resume"]);
    assert_eq!(resumed.code, Some(3), "{resumed}");
    let status = env.status_json();
    assert_eq!(status["gate"]["step"], "second", "{status:#}");
    assert_eq!(status["gate"]["protected"][0], "hook.sh", "{status:#}");
}

#[test]
fn a_link_leads_to_what_is_asked_about() {
    let env = test_env!();
    env.repository.write("real/go.sh", "grep -qx right src.txt\n");
    env.repository.write("src.txt", "wrong\n");
    fs_err::create_dir_all(env.repository.root().join("tests")).unwrap();
    std::os::unix::fs::symlink("../real/go.sh", env.repository.root().join("tests/run.sh"))
        .unwrap();
    env.repository.commit("a project");
    let workflow = "workflow: w\ndefaults: {retries: 1, timeout: 20s}\nsteps:\n  \
                    - {id: work, agent: a, task: Do it., done: {run: sh tests/run.sh}}\n";
    let finished = env.run(workflow, "echo x >> src.txt; echo true > real/go.sh", &["--yes"]);
    assert_eq!(finished.code, Some(3), "{finished}");
    assert_eq!(env.status_json()["gate"]["protected"][0], "real/go.sh");
}

#[test]
fn each_step_is_marked_by_itself() {
    let env = test_env!();
    env.repository.write("tests/run.sh", "true\n");
    env.repository.write("src.txt", "x\n");
    env.repository.write(
        "w.yaml",
        "workflow: w\nsteps:\n  - {id: one, agent: a, task: Do it., done: {run: sh tests/run.sh}}\n  \
         - {id: two, agent: a, task: Do it., done: {run: 'grep -q x src.txt'}}\n  \
         - {id: three, agent: a, task: Do it., done: {run: 'sh \"$CHOSEN\"'}}\n",
    );
    env.repository.commit("a project");
    let checked = env.windlass(&["check", "w.yaml"]).stdout;
    assert!(checked.contains("nothing that judges `two`, `three` is protected"), "{checked}");
    assert!(checked.contains("could not be followed: `three`: `$CHOSEN` is computed"), "{checked}");
    let json = env.json(&["check", "w.yaml", "--json"]);
    assert_eq!(json["unprotected_steps"].to_string(), r#"["two","three"]"#, "{json}");
}
