//! Where runs work.

use std::path::PathBuf;

use windlass_testkit::{TestEnv, test_env};

use crate::support::{GATED, HONEST, at_the_gate};

/// The folders with temporary files, one for each run.
fn scratch_of_runs(env: &TestEnv) -> Vec<PathBuf> {
    let entries = |folder: PathBuf| {
        let entries = fs_err::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let repositories = entries(env.home().join(".cache/windlass/scratch"));
    repositories.into_iter().flat_map(entries).collect()
}

#[test]
fn the_place_is_printed_and_pruned_after_the_run() {
    let env = at_the_gate();
    for run in scratch_of_runs(&env) {
        let left = fs_err::read_dir(run).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> =
            left.filter(|name| name.to_string_lossy().contains("attempt-")).collect();
        assert_eq!(left, [""; 0], "the folder of an attempt goes with it");
    }
    let place = env.windlass(&["place"]).stdout;
    assert_eq!(std::path::Path::new(place.trim()), env.place());
    env.windlass(&["place", "prune"]).assert_code(0);
    assert!(env.place().is_dir(), "the place of an unfinished run stays");
    env.windlass(&["approve"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    env.windlass(&["place", "prune"]).assert_code(0);
    assert!(!env.place().exists());
    assert_eq!(scratch_of_runs(&env).len(), 0, "what attempts had beside their place goes, too");
    env.assert_audit();
    let branch = env.status_json()["run"]["branch"].as_str().unwrap().to_owned();
    assert_eq!(env.repository.commits(&branch).len(), 2);
}

#[test]
fn a_place_with_work_that_is_nowhere_else_is_not_pruned() {
    let env = at_the_gate();
    env.windlass(&["abort"]).assert_code(0);
    let own = env.place().join("notes.txt");
    fs_err::write(&own, "written after the run had ended\n").expect("a file");
    let pruned = env.windlass(&["place", "prune"]).assert_code(0).stdout.clone();
    assert!(pruned.contains("it has files that are nowhere else"), "{pruned}");
    assert!(own.is_file(), "nobody has another copy of it");
    fs_err::remove_file(&own).expect("a file");
    // What is left is what a snapshot has: the unfinished work of the aborted run can be restored.
    let pruned = env.windlass(&["place", "prune"]).assert_code(0).stdout.clone();
    assert!(pruned.contains("removed the places of"), "{pruned}");
    assert!(!env.place().exists());
    let to = env.root().join("back");
    let name = env.windlass(&["trash", "list", "--json"]).stdout;
    let name: serde_json::Value = serde_json::from_str(&name).expect("a list");
    let name = name[0]["name"].as_str().expect("a name");
    env.windlass(&["trash", "restore", name, "--to", &to.to_string_lossy()]).assert_code(0);
    assert!(fs_err::read_dir(&to).expect("a folder").next().is_some());
}

#[test]
fn here_works_in_the_checkout_and_refuses_what_is_not_committed() {
    let env = test_env!();
    env.repository.write("mine.txt", "mine\n");
    let dirty = env.run(GATED, HONEST, &["--here", "--yes"]);
    dirty.assert_code(2);
    assert!(dirty.stderr.contains("mine.txt"), "{dirty}");
    env.repository.commit("mine");
    env.run(GATED, HONEST, &["--here", "--yes"]).assert_code(0);
    assert_eq!(env.repository.read("answer.txt"), "right\n");
    env.assert_audit();
}

#[test]
fn a_checkout_takes_one_run_after_another() {
    let env = test_env!();
    env.repository.write(".gitignore", ".windlass/\n");
    env.repository.commit("ignore what windlass leaves here");
    env.run(GATED, HONEST, &["--here", "--yes"]).assert_code(0);
    let agent = HONEST.replace("$WINDLASS_ATTEMPT", "again");
    let workflow = GATED.replace("grep -qx right answer.txt", "grep -qx again plan.md || true");
    env.run(&workflow, &agent, &["--here", "--yes"]).assert_code(0);
    assert_eq!(env.repository.read("plan.md"), "plan again\n");
}

#[test]
fn here_notices_a_switched_branch() {
    let env = test_env!();
    let agent = format!("{HONEST}\ngit checkout -q -B elsewhere");
    env.run(GATED, &agent, &["--here", "--yes"]).assert_code(4);
    let log = env.log_json();
    assert_eq!(log.count("step_proven"), 0);
    let failure = &log.last("step_not_proven").unwrap()["failure"]["summary"];
    assert!(failure.as_str().unwrap().contains("elsewhere"), "{failure}");
}

#[test]
fn a_detached_head_starts_a_branch() {
    let env = test_env!();
    env.repository.git(&["checkout", "-q", "--detach"]);
    env.run(GATED, HONEST, &["--yes"]).assert_code(0);
}
