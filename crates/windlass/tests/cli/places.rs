//! Where runs work.

use windlass_testkit::test_env;

use crate::support::{GATED, HONEST, at_the_gate};

#[test]
fn the_place_is_printed_and_pruned_after_the_run() {
    let env = at_the_gate();
    let place = env.windlass(&["place"]).stdout;
    assert_eq!(std::path::Path::new(place.trim()), env.place());
    env.windlass(&["place", "prune"]).assert_code(0);
    assert!(env.place().is_dir(), "the place of an unfinished run stays");
    env.windlass(&["approve"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    env.windlass(&["place", "prune"]).assert_code(0);
    assert!(!env.place().exists());
    env.assert_audit();
    let branch = env.status_json()["run"]["branch"].as_str().unwrap().to_owned();
    assert_eq!(env.repository.commits(&branch).len(), 2);
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
