//! Agents that change what judges them.

use windlass_testkit::test_env;

use crate::support::{ANSWER, JUDGED, caught, env, honest, let_pass};

#[test]
fn a_protected_judge_that_was_edited_opens_a_gate_even_with_yes() {
    let env = env();
    let finished = caught(&env, JUDGED, "echo true > judge.sh; echo wrong > answer.txt");
    assert_eq!(finished.code, Some(3), "{finished}");
    let status = env.status_json();
    assert_eq!(status["gate"]["kind"], "protected", "{status:#}");
    assert_eq!(status["gate"]["protected"][0], "judge.sh", "{status:#}");
}

#[test]
fn a_protected_judge_that_was_edited_and_dated_back() {
    caught(
        &env(),
        JUDGED,
        "cp -p judge.sh old; echo 'exit 0 # padding up to len' > judge.sh; touch -r old judge.sh; rm old; echo wrong > answer.txt",
    );
}

#[test]
fn a_protected_judge_that_was_removed_or_replaced_by_a_link() {
    caught(&env(), JUDGED, "rm judge.sh; echo wrong > answer.txt");
    caught(&env(), JUDGED, "echo true > ok.sh; ln -sf ok.sh judge.sh; echo wrong > answer.txt");
    caught(&env(), JUDGED, "chmod +x judge.sh; echo wrong > answer.txt");
}

#[test]
fn a_protected_judge_whose_name_is_spelt_in_other_letters() {
    caught(&env(), JUDGED, "echo true > JUDGE.sh; echo true > Judge.SH; echo wrong > answer.txt");
}

#[test]
fn a_protected_judge_hidden_by_ignore_rules() {
    caught(
        &env(),
        JUDGED,
        "echo judge.sh > .gitignore; git rm -q --cached judge.sh; echo true > judge.sh; echo wrong > answer.txt",
    );
}

#[test]
fn a_judge_that_nobody_named_is_found_by_the_words_of_its_command() {
    let env = env();
    let workflow = JUDGED.replace("protect: [\"judge.sh\"]\n", "");
    let finished = caught(&env, &workflow, "echo true > judge.sh");
    assert_eq!(finished.code, Some(3), "{finished}");
    assert_eq!(env.status_json()["gate"]["protected"][0], "judge.sh");
}

#[test]
fn an_edited_judge_is_the_agents_to_edit_where_the_workflow_says_so() {
    let env = env();
    honest(
        &env,
        &JUDGED.replace("protect: [\"judge.sh\"]", "protect: none"),
        "echo true > judge.sh",
    );
    let report = env.windlass(&["report"]).stdout;
    assert!(report.contains("nothing that judges `build` is protected"), "{report}");
}

#[test]
fn some_files_ask_whatever_the_workflow_says() {
    let nothing = ANSWER.replace("steps:", "protect: none\nsteps:");
    for file in [
        ".windlass/config.yaml",
        ".claude/settings.json",
        "AGENTS.md",
        "docs/CLAUDE.md",
        ".gitmodules",
    ] {
        let env = env();
        let agent = format!("mkdir -p $(dirname {file}); echo x > {file}; echo right > answer.txt");
        let finished = caught(&env, &nothing, &agent);
        assert_eq!(finished.code, Some(3), "{file}: {finished}");
        assert_eq!(env.status_json()["gate"]["protected"][0], file);
    }
}

const CI: &str = ".github/workflows/ci.yml";

#[test]
fn a_ci_file_stops_no_step_and_lands_when_a_person_has_seen_it() {
    let workflow = r#"
workflow: two
defaults: {retries: 1}
steps:
  - {id: one, agent: developer, task: One., done: {diff: any}, commit: wip}
  - {id: two, agent: developer, task: Two., done: {diff: any}, commit: wip}
"#;
    let agent = format!(
        "case $WINDLASS_STEP in one) mkdir -p .github/workflows; echo x > {CI};; \
         two) echo y > b.txt;; esac"
    );
    let env = env();
    let finished = env.run(workflow, &agent, &["--yes"]);
    assert_eq!(finished.code, Some(3), "{finished}");
    let gate = env.status_json()["gate"].clone();
    assert_eq!((&gate["kind"], &gate["step"]), (&"protected".into(), &"two".into()), "{gate:#}");
    assert_eq!(gate["protected"], serde_json::json!([CI]));
    env.windlass(&["approve"]).assert_code(0);
    assert_eq!(env.windlass(&["resume"]).code, Some(0));
    assert_eq!(env.log_json().count("gate_opened"), 1, "one question for one content");
    env.assert_audit();
}

#[test]
fn a_ci_file_is_shown_whole_at_the_next_gate_of_the_workflow() {
    let workflow = r#"
workflow: two
defaults: {retries: 1}
steps:
  - {id: one, agent: developer, task: One., done: {diff: any}, commit: wip}
  - {id: two, agent: developer, task: Two., done: {diff: any}, commit: wip, gate: approval}
"#;
    let agent = format!(
        "case $WINDLASS_STEP in one) mkdir -p .github/workflows; echo x > {CI};; \
         two) echo y > b.txt; echo x2 > {CI};; esac"
    );
    let env = env();
    let finished = env.run(workflow, &agent, &[]);
    assert_eq!(finished.code, Some(3), "{finished}");
    let gate = env.status_json()["gate"].clone();
    assert_eq!((&gate["kind"], &gate["step"]), (&"approval".into(), &"two".into()), "{gate:#}");
    assert_eq!(gate["protected"], serde_json::json!([CI]));
    env.windlass(&["approve"]).assert_code(0);
    assert_eq!(env.windlass(&["resume"]).code, Some(0));
    env.assert_audit();
}

#[test]
fn the_tests_that_a_command_runs_may_be_added_to_and_not_changed() {
    let workflow =
        JUDGED.replace("protect: [\"judge.sh\"]\n", "").replace("sh judge.sh", "sh tests/run.sh");
    let world = || {
        let env = env();
        env.repository.write("tests/run.sh", "for t in tests/*.t; do sh \"$t\" || exit 1; done\n");
        env.repository.write("tests/a.t", "grep -qx right answer.txt\n");
        env.repository.commit("tests");
        env
    };
    for agent in
        ["echo true > tests/a.t", "rm tests/a.t; touch tests/b.t", "echo true > tests/run.sh"]
    {
        let finished = caught(&world(), &workflow, agent);
        assert_eq!(finished.code, Some(3), "{agent}: {finished}");
    }
    honest(&world(), &workflow, "echo right > answer.txt; echo true > tests/b.t");
}

#[test]
fn an_approval_is_about_the_keys_that_were_seen() {
    let workflow = r#"
workflow: keyed
defaults: {retries: 1}
protect: [{file: package.json, keys: [scripts]}]
steps:
  - {id: one, agent: developer, task: One., done: {diff: any}}
  - {id: two, agent: developer, task: Two., done: {diff: any}}
  - {id: three, agent: developer, task: Three., done: {diff: any}}
"#;
    let agent = r#"case $WINDLASS_STEP in
one) echo '{"scripts": {"test": "b"}, "name": "x"}' > package.json;;
two) echo '{"name": "y", "scripts": {"test": "b"}, "dependencies": {}}' > package.json;;
three) echo '{"scripts": {"test": "c"}}' > package.json;;
esac"#;
    let env = env();
    env.repository.write("package.json", "{\"scripts\": {\"test\": \"a\"}}\n");
    env.repository.commit("a manifest");
    let finished = let_pass(&env, workflow, agent);
    assert_eq!(finished.code, Some(3), "{finished}");
    let status = env.status_json();
    assert_eq!(status["gate"]["step"], "three", "{status:#}");
    let log = env.log_json();
    assert_eq!(
        log.last("gate_opened").unwrap()["gate"]["kind"]["protected"]["changes"][0]["keys"][0],
        "scripts"
    );
}

#[test]
fn an_edited_judge_is_not_slipped_in_by_an_earlier_step() {
    let workflow = r#"
workflow: two
defaults: {retries: 1}
protect: ["judge.sh"]
steps:
  - id: plan
    agent: developer
    task: Plan.
    done: {file: plan.md}
  - id: build
    agent: developer
    task: Build.
    done: {run: sh judge.sh}
"#;
    let env = env();
    caught(&env, workflow, "echo plan > plan.md; echo true > judge.sh");
}

#[test]
fn a_check_does_not_run_in_the_place() {
    // The words pass only where the agent has been.
    let workflow = r#"
workflow: where
defaults: {retries: 1}
steps:
  - id: build
    agent: developer
    task: Build.
    done: {run: "test -e ignored.txt"}
"#;
    caught(&env(), workflow, "echo ignored.txt > .gitignore; touch ignored.txt");
}

#[test]
fn what_a_failed_check_left_behind_does_not_pass_the_next_one() {
    // Each attempt's check fails, and leaves an ignored file for the next one to find.
    let workflow = r#"
workflow: poisoned
defaults: {retries: 3}
steps:
  - id: build
    agent: developer
    task: Build.
    done: {run: "test -e poison || { sh test.sh; false; }", cache: false}
"#;
    let agent = r#"
        echo poison > .gitignore
        echo 'touch poison ../poison' > test.sh
        echo wrong > answer.txt; echo "$WINDLASS_ATTEMPT" > n"#;
    caught(&env(), workflow, agent);
}

#[test]
fn one_check_does_not_write_what_the_next_one_reads() {
    // The agent's own tests are a check, and they mend the file that the other check looks at.
    let workflow = r#"
workflow: mended
defaults: {retries: 1}
steps:
  - id: build
    agent: developer
    task: Build.
    done: {all: [{run: "sh test.sh"}, {run: "grep -qx right answer.txt"}]}
"#;
    let agent = "echo 'echo right > answer.txt' > test.sh; echo wrong > answer.txt";
    caught(&env(), workflow, agent);
}

#[test]
fn what_a_passing_check_left_behind_does_not_change_tracked_files() {
    let workflow = r#"
workflow: poisoned
defaults: {retries: 1}
steps:
  - id: first
    agent: developer
    task: Build.
    done: {run: "sh test.sh", cache: false}
  - id: build
    agent: developer
    task: Build.
    done: {run: "grep -qx right answer.txt", cache: false}
"#;
    let env = env();
    let agent = "echo 'echo right > answer.txt; git config --global x.y z; exit 0' > test.sh; echo \"$WINDLASS_STEP\" > n";
    let finished = env.run(workflow, agent, &["--yes"]);
    assert_eq!(finished.code, Some(4), "{finished}");
    assert_eq!(env.step("build"), "failed");
}

#[test]
fn a_lie_is_a_lie_however_often_it_is_told() {
    let three = ANSWER.replace("retries: 1", "retries: 3");
    let env = env();
    let finished = caught(&env, &three, "echo 'All tests pass. Done.'; exit 0");
    assert_eq!(finished.code, Some(4), "{finished}");
    assert_eq!(env.log_json().count("attempt_started"), 3);
}

#[test]
fn a_check_that_gives_no_answer_is_no_failure_under_not() {
    for (command, agent) in [
        ("./reproduce.sh", "echo x > work.txt; git rm -q reproduce.sh"),
        ("sleep 600", "echo x > work.txt"),
    ] {
        let env = test_env!();
        env.repository.write("reproduce.sh", "#!/bin/sh\nexit 0\n");
        env.repository.git(&["update-index", "--add", "--chmod=+x", "reproduce.sh"]);
        env.repository.commit("a script");
        let workflow = format!(
            "workflow: w\ndefaults: {{retries: 1}}\nsteps:\n  - id: a\n    agent: x\n    \
             done: {{all: [{{file: work.txt}}, {{not: {{run: {command}, timeout: 1s}}}}]}}\n"
        );
        env.run(&workflow, agent, &["--yes"]).assert_code(4);
        let log = env.log_json();
        assert_eq!(log.count("step_proven"), 0, "{command}");
        let failure = &log.last("step_not_proven").unwrap()["failure"]["summary"];
        assert!(failure.as_str().unwrap().contains(command), "{failure}");
    }
}
