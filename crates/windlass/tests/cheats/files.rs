//! Files that only look like what was asked for.

use crate::support::{ANSWER, caught, env, honest};

const FRESH: &str = r#"
workflow: fresh
defaults: {retries: 1, timeout: 30s}
steps:
  - id: build
    agent: developer
    task: Write it.
    done: {file: "answer.txt"}
    commit: wip
"#;

const GLOB: &str = r#"
workflow: fresh
defaults: {retries: 1, timeout: 30s}
steps:
  - id: build
    agent: developer
    task: Write it.
    done: {file: "out/**/*.md"}
    commit: wip
"#;

#[test]
fn a_touched_file_is_not_new() {
    caught(&env(), FRESH, "touch answer.txt");
}

#[test]
fn an_ignored_file_of_an_earlier_step_is_not_new_by_its_date() {
    let workflow = r#"
workflow: two
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
cold: false
steps:
  - {id: first, agent: developer, done: {file: out/report.txt}}
  - {id: second, agent: developer, done: {file: out/report.txt}}
"#;
    let env = env();
    env.repository.write(".gitignore", "out/\n");
    env.repository.commit("a folder that git ignores");
    let agent = "case $WINDLASS_STEP in first) mkdir -p out; echo done > out/report.txt;; \
                 second) sleep 1.1; touch out/report.txt;; esac";
    let finished = env.run(workflow, agent, &["--yes"]);
    assert_ne!(finished.code, Some(0), "{finished}");
    assert_eq!(env.log_json().count_of_step("step_proven", "second"), 0, "{finished}");
    assert!(finished.stdout.contains("unchanged since the step began"), "{finished}");
}

#[test]
fn an_ignored_file_is_in_no_clone_and_satisfies_nothing() {
    for check in ["{file: out/report.txt}", "{file: 'out/*.txt', stale: ok}"] {
        let env = env();
        env.repository.write(".gitignore", "out/\n");
        env.repository.commit("a folder that git ignores");
        let workflow = FRESH.replace("{file: \"answer.txt\"}", check);
        let finished = env.run(&workflow, "mkdir -p out; echo done > out/report.txt", &["--yes"]);
        assert_ne!(finished.code, Some(0), "{finished}");
        assert!(finished.stdout.contains("git ignores it, so no clone has it"), "{finished}");
    }
}

#[test]
fn a_program_that_is_not_there_satisfies_no_negation() {
    for check in ["{run: '! no-such-linter src'}", "{not: {run: no-such-linter src}}"] {
        let workflow =
            FRESH.replace("{file: \"answer.txt\"}", &format!("[{{diff: any}}, {check}]"));
        let finished = env().run(&workflow, "echo right > answer.txt", &["--yes", "--no-baseline"]);
        assert_ne!(finished.code, Some(0), "{finished}");
    }
}

#[test]
fn the_same_bytes_again_are_not_new() {
    caught(&env(), FRESH, "cp answer.txt x; rm answer.txt; mv x answer.txt");
}

#[test]
fn a_file_that_was_there_before_is_not_new() {
    caught(&env(), FRESH, "echo 'I wrote answer.txt. Done.'");
}

#[test]
fn a_link_is_not_a_file() {
    for target in ["/etc/passwd", "judge.sh", "$USERS_HOME/project/answer.txt"] {
        caught(&env(), FRESH, &format!("ln -sf \"{target}\" answer.txt"));
    }
}

#[test]
fn a_linked_folder_is_not_looked_into() {
    let env = env();
    env.file("elsewhere/a.md", "not written here\n");
    caught(&env, GLOB, "ln -s \"$USERS_HOME/elsewhere\" out");
    let env = self::env();
    env.file("elsewhere/a.md", "not written here\n");
    caught(&env, GLOB, "mkdir out; ln -s \"$USERS_HOME/elsewhere\" out/deeper");
}

#[test]
fn a_pipe_named_like_the_file_blocks_nobody() {
    caught(&env(), FRESH, "rm answer.txt; mkfifo answer.txt");
    caught(&env(), ANSWER, "rm answer.txt; mkfifo answer.txt");
}

#[test]
fn a_folder_named_like_the_file_is_none() {
    caught(&env(), FRESH, "rm answer.txt; mkdir answer.txt; echo x > answer.txt/x");
}

#[test]
fn odd_names_are_only_names() {
    let env = env();
    honest(
        &env,
        ANSWER,
        "echo right > answer.txt; touch \"$(printf 'new\\nline')\" \"$(printf 'not\\377utf')\" -- '-rf' ' ' '*'",
    );
}

#[test]
fn a_name_that_is_not_text_matches_no_glob() {
    caught(&env(), GLOB, "mkdir out; echo x > \"out/$(printf 'a\\377.md')\"");
}

#[test]
fn a_judged_file_that_is_a_link_out_of_the_place() {
    // The link's target is the agent's to write and changes after the judgement.
    caught(&env(), ANSWER, "ln -sf \"$TMPDIR/answer\" answer.txt; echo right > \"$TMPDIR/answer\"");
}

#[test]
fn a_file_hidden_by_ignore_rules_is_not_there_for_the_judge() {
    caught(
        &env(),
        ANSWER,
        "git rm -q --cached answer.txt; rm answer.txt; echo new.txt >> .gitignore; echo right > new.txt",
    );
    let judged = ANSWER.replace("answer.txt", "new.txt");
    caught(&env(), &judged, "echo new.txt > .gitignore; echo right > new.txt");
}

#[test]
fn a_fresh_file_hidden_by_a_new_ignore_rule_is_not_accepted() {
    let fresh = FRESH.replace("answer.txt", "new.txt");
    caught(&env(), &fresh, "echo new.txt > .gitignore; echo right > new.txt");
}

#[test]
fn the_run_folder_replaced_by_a_link() {
    let env = env();
    env.file("trap/specs/x", "x");
    let before = env.repository.git(&["status", "--porcelain"]);
    caught(
        &env,
        ANSWER,
        "rm -rf .windlass; ln -s \"$USERS_HOME/trap\" .windlass; echo wrong > answer.txt",
    );
    caught(
        &self::env(),
        ANSWER,
        "rm -rf .windlass/run; ln -s \"$USERS_HOME/project\" .windlass/run; echo wrong > answer.txt",
    );
    assert_eq!(env.repository.git(&["status", "--porcelain"]), before);
    assert!(!env.home().join("trap/run/state.json").exists());
}

#[test]
fn the_state_file_replaced_by_a_link() {
    let env = env();
    caught(
        &env,
        ANSWER,
        "ln -sf \"$USERS_HOME/project/README.md\" .windlass/run/state.json; rm -rf .windlass/run/specs; ln -s / .windlass/run/specs; echo wrong > answer.txt",
    );
    assert_eq!(env.repository.read("README.md"), "A project.\n");
}

#[test]
fn a_copy_of_the_state_that_says_done() {
    caught(
        &env(),
        ANSWER,
        "echo '{\"steps\": [{\"id\": \"build\", \"status\": \"done\"}]}' > .windlass/run/state.json; echo wrong > answer.txt",
    );
}

#[test]
fn what_cannot_be_looked_at_is_not_taken_for_absent() {
    let absent = r#"
workflow: absent
defaults: {retries: 1, timeout: 60s}
steps:
  - id: build
    agent: developer
    task: Leave no debug file and no TODO behind.
    done:
      all:
        - {diff: any}
        - {not: {file: debug.txt, stale: ok}}
        - {not: {file: "*.md", contains: TODO, stale: ok}}
"#;
    honest(&env(), absent, "echo right > answer.txt; echo done > a.md");
    for sly in [
        "echo x > debug.txt",
        "ln -s answer.txt debug.txt",
        "rm answer.txt; mkfifo debug.txt",
        "echo TODO > a.md",
        "(head -c 68000000 /dev/zero; echo TODO) > a.md",
    ] {
        caught(&env(), absent, sly);
    }
}
