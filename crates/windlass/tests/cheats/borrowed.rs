//! Objects that a place borrows: the agent reads them and changes nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use windlass_testkit::TestEnv;

use crate::support::{ANSWER, env, honest};

/// Fails once, so that a second attempt meets what the first one did.
const TWICE: &str = r#"
workflow: cheated
defaults: {retries: 2, timeout: 20s, idle_timeout: 10s}
steps:
  - id: build
    agent: developer
    task: Write `right` into answer.txt.
    done: {all: [{file: answer.txt}, {run: "grep -qx right answer.txt"}]}
    commit: wip
"#;

fn alternates(env: &TestEnv) -> PathBuf {
    env.place().join(".git/objects/info/alternates")
}

/// Whether boxes can be made here.
fn has_boxes(env: &TestEnv) -> bool {
    let doctor = env.windlass(&["doctor", "--json"]).stdout;
    let doctor: serde_json::Value = serde_json::from_str(&doctor).expect("JSON");
    let mut says = doctor.as_array().into_iter().flatten().filter_map(|one| one["says"].as_str());
    let has = says.any(|says| says.starts_with("namespaces: "));
    if !has {
        windlass_testkit::skip("boxes cannot be made here");
    }
    has
}

#[track_caller]
fn is_whole(repository: &Path) {
    let output =
        Command::new("git").current_dir(repository).args(["fsck", "--no-dangling"]).output();
    let output = output.expect("git");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_store_cannot_be_written_and_the_line_that_names_it_is_put_back() {
    let env = env();
    if !has_boxes(&env) {
        return;
    }
    let agent = r#"
        store=$(cat .git/objects/info/alternates)
        git log --oneline >/dev/null || exit 1
        git fsck --no-dangling || exit 1
        case $WINDLASS_ATTEMPT in *2) echo right > answer.txt; exit 0 ;; esac
        chmod -R u+w "$store" && touch wrote
        touch "$store/new" && touch wrote
        mv "$store" "$store.moved" && touch wrote
        find "$store" -type f | while read -r file; do
          echo broken > "$file" && touch wrote
          rm -f "$file" && touch wrote
          ln "$file" linked && touch wrote
        done
        echo /elsewhere > .git/objects/info/alternates
        echo wrong > answer.txt"#;
    honest(&env, TWICE, agent);
    assert!(!env.place().join("wrote").exists());
    assert_eq!(env.log_json().count("attempt_ended"), 2);
    is_whole(&env.place());
    is_whole(env.repository.root());
    let line = fs_err::read_to_string(alternates(&env)).unwrap();
    assert!(Path::new(line.trim_end()).is_dir(), "{line}");
}

#[test]
fn a_box_shows_one_store_and_nothing_beside_it() {
    let env = env();
    if !has_boxes(&env) {
        return;
    }
    // Another run, from other objects, has a store of its own.
    honest(&env, ANSWER, "echo right > answer.txt");
    env.repository.write("more.txt", "more\n");
    env.repository.commit("more");
    let agent = r#"
        store=$(dirname "$(cat .git/objects/info/alternates)")
        ls -A "$(dirname "$store")" > seen.txt
        ls -A "$(dirname "$(dirname "$store")")" >> seen.txt
        ls -A "$store" >> seen.txt
        echo right > answer.txt"#;
    honest(&env, ANSWER, agent);
    let seen = fs_err::read_to_string(env.place().join("seen.txt")).unwrap();
    let line = fs_err::read_to_string(alternates(&env)).unwrap();
    let store = Path::new(line.trim_end()).parent().unwrap();
    let name = store.file_name().unwrap().to_str().unwrap();
    let mut seen: Vec<&str> = seen.lines().collect();
    // The socket and the command of the run are in a folder beside.
    seen.retain(|seen| *seen != "runs");
    assert_eq!(seen, [name, "base", "objects"]);
}

#[test]
fn a_store_that_somebody_removed_is_made_again() {
    let env = env();
    if !has_boxes(&env) {
        return;
    }
    let agent = "git log >/dev/null || exit 1
        case $WINDLASS_ATTEMPT in *2) echo right ;; *) echo wrong ;; esac > answer.txt";
    env.run(ANSWER, agent, &["--yes"]).assert_code(4);
    fs_err::remove_dir_all(env.repository_state().join("base")).unwrap();
    env.windlass(&["retry-reset"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    is_whole(&env.place());
    env.assert_audit();
}

#[test]
fn where_there_are_no_boxes_a_place_has_copies() {
    let env = env().without_namespaces();
    honest(&env, ANSWER, "git log >/dev/null && echo right > answer.txt");
    assert!(!alternates(&env).exists());
    is_whole(&env.place());
}

#[test]
fn a_run_that_goes_on_without_boxes_gets_copies() {
    let env = env();
    if !has_boxes(&env) {
        return;
    }
    let agent = "git log >/dev/null || exit 1
        case $WINDLASS_ATTEMPT in *2) echo right ;; *) echo wrong ;; esac > answer.txt";
    let once = ANSWER.replace("cheated", "stops");
    env.run(&once, agent, &["--yes"]).assert_code(4);
    assert!(alternates(&env).is_file());
    let env = env.without_namespaces();
    env.windlass(&["retry-reset"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    assert!(!alternates(&env).exists());
    is_whole(&env.place());
    env.assert_audit();
}
