//! Settings, filters, hooks and monitors in the place's git.

use crate::support::{ANSWER, caught, env, env_in_temp, honest, published};

/// A clean filter stores `right`, a smudge filter checks `right` out, while the file says `wrong`.
const FILTERS: &str = r"
git config filter.lie.clean 'echo right'
git config filter.lie.smudge 'echo right'
git config filter.lie.required true
";

#[test]
fn a_filter_named_by_the_attributes_file() {
    let agent = format!("{FILTERS} echo '* filter=lie' > .gitattributes; echo wrong > answer.txt");
    caught(&env(), ANSWER, &agent);
    caught(&env_in_temp(), ANSWER, &agent);
}

#[test]
fn a_filter_named_in_the_git_directory() {
    let agent = format!(
        "{FILTERS} mkdir -p .git/info; echo '* filter=lie' > .git/info/attributes; echo wrong > answer.txt"
    );
    caught(&env(), ANSWER, &agent);
}

#[test]
fn a_filter_that_works_as_a_process() {
    caught(
        &env(),
        ANSWER,
        "git config filter.lie.process 'sh -c \"echo right\"'; echo '* filter=lie' > .gitattributes; echo wrong > answer.txt",
    );
}

#[test]
fn settings_of_the_users_home_are_out_of_reach() {
    let env = env();
    caught(
        &env,
        ANSWER,
        "git config --global filter.lie.clean 'echo right'; echo '* filter=lie' > .gitattributes; echo wrong > answer.txt",
    );
    assert!(!env.home().join(".gitconfig").exists());
}

#[test]
fn hooks_of_the_place_never_run() {
    let env = env();
    let agent = r#"
        for hook in post-checkout post-commit reference-transaction pre-commit post-index-change post-rewrite; do
          printf '#!/bin/sh\necho right > "%s/answer.txt"\ntouch "%s/hooked"\n' "$PWD" "$PWD" > .git/hooks/$hook
          chmod +x .git/hooks/$hook
        done
        git config core.hooksPath .git/hooks
        echo wrong > answer.txt"#;
    caught(&env, ANSWER, agent);
    assert!(!env.place().join("hooked").exists());
}

#[test]
fn a_file_system_monitor_never_runs() {
    let env = env();
    let agent = r#"
        printf '#!/bin/sh\ntouch "%s/monitored"\nprintf "\\0"\n' "$PWD" > .git/monitor; chmod +x .git/monitor
        git config core.fsmonitor "$PWD/.git/monitor"; git config core.fsmonitorHookVersion 2
        echo wrong > answer.txt"#;
    caught(&env, ANSWER, agent);
    assert!(!env.place().join("monitored").exists());
}

#[test]
fn an_excluded_file_is_seen_all_the_same() {
    let env = env();
    honest(
        &env,
        ANSWER,
        "echo answer.txt >> .git/info/exclude; git config core.excludesFile \"$PWD/.x\"; echo right > answer.txt",
    );
    assert_eq!(published(&env, "answer.txt"), "right");
}

#[test]
fn files_that_git_was_told_not_to_look_at() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let agent = format!(
            "echo right > answer.txt; git add answer.txt; git update-index {flag} answer.txt; echo wrong > answer.txt"
        );
        caught(&env(), ANSWER, &agent);
    }
}

#[test]
fn an_alternate_work_tree() {
    caught(
        &env(),
        ANSWER,
        "mkdir -p other; echo right > other/answer.txt; git config core.worktree \"$PWD/other\"; echo wrong > answer.txt",
    );
}

#[test]
fn replaced_objects() {
    caught(
        &env(),
        ANSWER,
        "echo wrong > answer.txt; good=$(echo right | git hash-object -w --stdin); bad=$(git hash-object -w answer.txt); git replace $bad $good",
    );
}

#[test]
fn settings_do_not_outlive_an_attempt_whose_driver_died() {
    let env = env();
    let agent = "if git config alias.mine; then echo wrong > answer.txt; else echo right > answer.txt; fi; \
                 git config alias.mine status";
    let mut command = env.run_command(ANSWER, agent, &["--yes"]);
    command.env("WINDLASS_FAULT", "attempt-exited:1");
    env.finish(command);
    let settings = || fs_err::read_to_string(env.place().join(".git/config")).unwrap();
    assert!(settings().contains("mine"), "the driver died before it could put them back");
    env.windlass(&["resume"]).assert_code(0);
    assert!(!settings().contains("mine"));
    assert_eq!(published(&env, "answer.txt"), "right");
}

#[test]
fn a_git_directory_that_leads_elsewhere_stops_a_run_in_the_checkout() {
    let env = env();
    let agent = "echo right > answer.txt; printf '%s\n' \"$PWD/.git/own\" > .git/commondir";
    let finished = env.run(ANSWER, agent, &["--here", "--yes"]);
    assert_ne!(finished.code, Some(0), "{finished}");
    assert!(finished.stderr.contains("commondir` was made, and is now"), "{finished}");
    // The user's own git is not led astray while nobody looks.
    assert!(!env.repository.root().join(".git/commondir").exists());
    assert_eq!(env.log_json().count("step_done"), 0, "{finished}");
}
