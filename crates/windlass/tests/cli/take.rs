//! `windlass take`: the work of a run comes into the checkout, or nothing is changed.

use windlass_testkit::{TestEnv, test_env};

use crate::support::{GATED, HONEST, at_the_gate, json};

/// A completed run whose work is on its branch.
fn completed() -> TestEnv {
    let env = test_env!();
    env.run(GATED, HONEST, &["--yes"]).assert_code(0);
    env
}

fn head(env: &TestEnv) -> String {
    env.repository.git(&["rev-parse", "HEAD"])
}

#[test]
fn the_end_of_a_run_says_how_to_get_the_work() {
    let env = test_env!();
    let finished = env.run(GATED, HONEST, &["--yes"]);
    finished.assert_code(0);
    let branch = env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned();
    let merge = format!("git merge {branch}");
    for line in ["windlass take", &merge, "windlass report"] {
        assert!(finished.stdout.contains(line), "{line}: {finished}");
    }
}

#[test]
fn a_checkout_that_stood_still_is_moved_forward() {
    let env = completed();
    env.repository.write("untracked.txt", "mine\n");
    let taken = env.windlass(&["take"]);
    taken.assert_code(0);
    assert!(taken.stdout.contains("2 commits, fast-forward"), "{taken}");
    assert_eq!(
        fs_err::read_to_string(env.repository.root().join("answer.txt")).unwrap(),
        "right\n"
    );
    let again = env.windlass(&["take", "--json"]);
    assert_eq!(json(&again)["how"], "nothing", "{again}");
}

#[test]
fn a_checkout_that_went_on_is_merged() {
    let env = completed();
    env.repository.write("other.txt", "mine\n");
    env.repository.commit("something else");
    let taken = env.windlass(&["take", "--json"]);
    taken.assert_code(0);
    let json = json(&taken);
    assert_eq!((&json["how"], &json["into"]), (&"merge".into(), &"main".into()), "{taken}");
    assert_eq!(json["head"].as_str(), Some(head(&env).as_str()));
    assert!(env.repository.root().join("answer.txt").exists());
    assert!(env.repository.root().join("other.txt").exists());
}

#[test]
fn a_tag_of_the_same_name_and_a_staged_rename_confuse_nobody() {
    let env = completed();
    let branch = env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned();
    env.repository.git(&["tag", &branch, "HEAD"]);
    env.repository.write("a", "one\n");
    env.repository.git(&["add", "a"]);
    env.repository.git(&["commit", "-qm", "a"]);
    env.repository.git(&["mv", "a", "é"]);
    let refused = env.windlass(&["take"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("stash"), "{refused}");
    env.repository.git(&["reset", "-q", "--hard"]);
    env.windlass(&["take"]).assert_code(0);
    assert!(env.repository.root().join("answer.txt").is_file());
}

#[test]
fn a_file_that_git_ignores_is_not_overwritten() {
    for (path, content) in [("answer.txt", "mine\n"), ("answer.txt/data.db", "rows\n")] {
        let env = completed();
        fs_err::write(env.repository.root().join(".git/info/exclude"), "/answer.txt\n").unwrap();
        let mine = env.repository.root().join(path);
        fs_err::create_dir_all(mine.parent().unwrap()).unwrap();
        fs_err::write(&mine, content).unwrap();
        let before = head(&env);
        let refused = env.windlass(&["take"]);
        refused.assert_code(2);
        assert!(refused.stderr.contains(path) && refused.stderr.contains("away"), "{refused}");
        assert_eq!(fs_err::read_to_string(&mine).unwrap(), content);
        assert_eq!(head(&env), before);
    }
}

#[test]
fn what_is_not_committed_stays_as_it_is() {
    let env = completed();
    env.repository.write("mine.txt", "one\n");
    env.repository.commit("a file");
    env.repository.write("mine.txt", "two\n");
    let before = head(&env);
    let refused = env.windlass(&["take"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("not committed: mine.txt"), "{refused}");
    assert!(refused.stderr.contains("git stash"), "{refused}");
    assert_eq!(head(&env), before);
}

#[test]
fn a_conflict_is_named_and_nothing_is_merged() {
    let env = completed();
    env.repository.write("answer.txt", "mine\n");
    env.repository.commit("an answer of my own");
    let before = head(&env);
    let refused = env.windlass(&["take"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("changed the same lines: answer.txt"), "{refused}");
    assert!(refused.stderr.contains("git merge windlass/"), "{refused}");
    assert_eq!(
        (head(&env), env.repository.git(&["status", "--porcelain"])),
        (before, String::new())
    );
}

#[test]
fn a_run_that_has_not_ended_is_taken_only_on_request() {
    let env = at_the_gate();
    let refused = env.windlass(&["take"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("is not finished: awaiting approval"), "{refused}");
    assert!(refused.stderr.contains("windlass take --unfinished"), "{refused}");
    let taken = env.windlass(&["take", "--unfinished"]);
    taken.assert_code(0);
    assert!(taken.stdout.contains("1 commit, fast-forward"), "{taken}");
}
