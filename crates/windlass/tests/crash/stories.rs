//! Dying while what was done for a blocked item leaves the place, and while it comes back.

use windlass_testkit::{TestEnv, in_parallel, test_env, wait};

use super::scenario::read_points;

const WORKFLOW: &str = r#"
workflow: stories
defaults: {retries: 1}
steps:
  - {id: plan, agent: analyst, publishes: {items: array}, done: {file: plan.txt}}
  - id: stories
    foreach: items
    steps:
      - {id: first, agent: developer, done: {file: "first-{item.id}"}, exhausted: block}
      - {id: second, agent: developer, done: {file: "second-{item.id}"}, exhausted: block}
"#;

/// The second step of the first item leaves something else behind.
const AGENT: &str = r#"
put() { cat > .windlass/run/new && mv .windlass/run/new "$1"; }
case $WINDLASS_STEP in
  plan) windlass item add One --id S1; windlass item add Two --id S2; echo plan | put plan.txt ;;
  stories/S1/second) if [ -e "$SHARED/mended" ]; then echo 2 | put second-S1; else echo | put wrong; fi ;;
  stories/*/first) item=${WINDLASS_STEP#stories/}; echo 1 | put first-${item%/first} ;;
  stories/*/second) item=${WINDLASS_STEP#stories/}; echo 2 | put second-${item%/second} ;;
esac
"#;

/// Where files are set back, and what is around it.
const NEW: [&str; 3] = ["take-baseline", "place-ready", "baseline-kept"];

/// Runs until the end or the fault, and returns whether it died.
fn dies(env: &TestEnv, fault: &str) -> bool {
    let agent = format!("SHARED='{}'\n{AGENT}", env.root().join("tmp").display());
    let mut command = env.run_command(WORKFLOW, &agent, &["--yes"]);
    command.env("WINDLASS_FAULT", fault);
    env.start(command).wait(wait::DEADLINE).expect("the run hangs").code.is_none()
}

fn files(env: &TestEnv) -> String {
    let branch = env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned();
    env.repository.git(&["ls-tree", "-r", "--name-only", &branch])
}

/// The first item is stuck and out of the way, the second is done.
#[track_caller]
fn assert_stuck(env: &TestEnv, at: &str) {
    env.assert_no_orphans();
    env.assert_audit();
    assert_eq!(env.status(), "awaiting_user", "{at}");
    assert_eq!(env.log_json().count("item_taken_back"), 1, "{at}");
    let files = files(env);
    assert!(files.contains("second-S2"), "{at}: {files}");
    assert!(!files.contains("S1") && !files.contains("wrong"), "{at}: half an item: {files}");
}

#[test]
fn an_item_that_is_stuck_comes_to_the_same_end_wherever_the_driver_died() {
    let calm = test_env!();
    let trace = calm.root().join("points");
    dies(&calm, &format!("trace:{}", trace.display()));
    assert_stuck(&calm, "nothing");
    let points = read_points(&trace);
    let here = |point: &&String| NEW.iter().any(|name| point.contains(name));
    let points: Vec<String> = points.iter().filter(here).cloned().collect();
    assert!(points.len() >= 15, "{points:?}");
    in_parallel(4, points.iter().collect(), |point| {
        let env = test_env!();
        assert!(dies(&env, point), "{point} is not reached");
        env.windlass(&["resume"]).assert_code(3);
        assert_stuck(&env, point);
        env.shared("mended", "");
        env.windlass(&["retry-reset", "stories/S1/second"]).assert_code(0);
        env.windlass(&["resume"]).assert_code(0);
        let files = files(&env);
        assert!(files.contains("first-S1") && files.contains("second-S1"), "{point}: {files}");
        env.assert_audit();
    });
}
