//! What agents do to branches, HEAD and repositories.

use crate::support::{ANSWER, caught, env, honest, published, trouble};

#[test]
fn another_branch_is_switched_to() {
    let env = env();
    caught(
        &env,
        ANSWER,
        "echo right > answer.txt; git checkout -q -b elsewhere; git add -A; git commit -qm x",
    );
    assert!(trouble(&env).contains("elsewhere"), "{}", trouble(&env));
}

#[test]
fn head_is_detached() {
    let env = env();
    caught(&env, ANSWER, "echo right > answer.txt; git checkout -q --detach");
    assert!(trouble(&env).contains("head"), "{}", trouble(&env));
}

#[test]
fn the_branch_is_rewritten() {
    let env = env();
    caught(&env, ANSWER, "echo right > answer.txt; git add -A; git commit -q --amend -m rewritten");
    assert_ne!(trouble(&env), "[]");
}

#[test]
fn the_branch_is_deleted() {
    let env = env();
    caught(&env, ANSWER, "echo right > answer.txt; git update-ref -d \"$(git symbolic-ref HEAD)\"");
    assert_ne!(trouble(&env), "[]");
}

#[test]
fn a_repository_is_made_inside_the_place() {
    for make in [
        "git init -q x",
        "git init -q x; echo a > x/a; git -C x add .; git -C x -c user.name=a -c user.email=a commit -qm x",
    ] {
        let env = env();
        caught(&env, ANSWER, &format!("echo right > answer.txt; {make}"));
        assert!(trouble(&env).contains("nested_repository"), "{}", trouble(&env));
    }
}

#[test]
fn the_git_directory_is_removed() {
    let env = env();
    caught(&env, ANSWER, "echo right > answer.txt; rm -rf .git");
    assert_ne!(trouble(&env), "[]");
}

#[test]
fn own_commits_do_not_become_history_but_their_files_count() {
    let env = env();
    honest(
        &env,
        ANSWER,
        "echo right > answer.txt; git add -A; git -c user.name=a -c user.email=a commit -qm mine",
    );
    let branch = env.status_json()["run"]["branch"].as_str().unwrap().to_owned();
    assert_eq!(env.repository.commits(&branch).len(), 1);
    assert_eq!(published(&env, "answer.txt"), "right");
}

#[test]
fn refs_that_are_links_lead_nowhere() {
    let env = env();
    let before = env.repository.git(&["for-each-ref"]);
    caught(
        &env,
        ANSWER,
        "rm -rf .git/refs; ln -s \"$USERS_HOME/project/.git/refs\" .git/refs; echo wrong > answer.txt",
    );
    assert_eq!(env.repository.git(&["for-each-ref"]), before);
}

#[test]
fn a_broken_git_directory_does_not_stop_the_next_attempt() {
    let twice = ANSWER.replace("retries: 1", "retries: 2");
    for breaks in
        ["rm -rf .git", "rm -rf .git/refs; ln -s / .git/refs", "rm -rf .git; echo x > .git"]
    {
        let env = env();
        let agent = format!(
            "case $WINDLASS_ATTEMPT in *#1) {breaks} ;; *) echo right > answer.txt; git status >/dev/null || rm answer.txt ;; esac"
        );
        honest(&env, &twice, &agent);
        assert_eq!(published(&env, "answer.txt"), "right", "{breaks}");
    }
}

#[test]
fn a_run_folder_behind_a_link_does_not_stop_the_next_attempt() {
    let twice = ANSWER.replace("retries: 1", "retries: 2");
    let env = env();
    honest(
        &env,
        &twice,
        "case $WINDLASS_ATTEMPT in *#1) rm -rf .windlass; ln -s / .windlass ;; *) rm .windlass; echo right > answer.txt ;; esac",
    );
}
