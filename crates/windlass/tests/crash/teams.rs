//! Dying while a team is at work.

use windlass_testkit::{TestEnv, in_parallel, test_env, wait};

use super::scenario::read_points;

const WORKFLOW: &str = r#"
workflow: team
steps:
  - id: plan
    team:
      spokes:
        - {agent: one, task: Write., writes: "{specs}/one.md"}
        - {agent: two, task: Write., writes: two.md}
      hub: {agent: hub, task: Join.}
    done: {file: both.md}
"#;

/// Writes whole or not at all: a half-written file would satisfy the check.
const AGENT: &str = r#"
put() { cat > .windlass/run/new && mv .windlass/run/new "$1"; }
case $WINDLASS_STEP in
  plan/one) echo one | put .windlass/run/specs/one.md ;;
  plan/two) echo two | put two.md ;;
  plan/hub) cat .windlass/run/specs/one.md two.md | put both.md ;;
esac
"#;

/// Runs until the end or the fault, and returns whether it died.
fn dies(env: &TestEnv, fault: &str) -> bool {
    let mut command = env.run_command(WORKFLOW, AGENT, &["--yes"]);
    command.env("WINDLASS_FAULT", fault);
    env.start(command).wait(wait::DEADLINE).expect("the run hangs").code.is_none()
}

/// The files on the run's branch, after a look at everything that must hold.
fn look(env: &TestEnv) -> String {
    env.assert_no_orphans();
    env.assert_audit();
    let log = env.log_json();
    for step in ["plan/one", "plan/two"] {
        assert_eq!(log.count_of_step("step_adopted", step), 1, "{step}");
    }
    let places = fs_err::read_dir(env.place().parent().expect("a folder")).expect("places");
    let names =
        places.map(|entry| entry.expect("a place").file_name().to_string_lossy().into_owned());
    // A clone that was being made when the other thread died: nobody takes it for a place.
    let names: Vec<String> = names.filter(|name| !name.starts_with(".making-")).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let branch = env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned();
    env.repository.git(&["ls-tree", "-r", &branch])
}

#[test]
fn a_team_that_is_killed_anywhere_comes_to_the_same_end() {
    let whole = test_env!();
    let trace = whole.root().join("trace");
    assert!(!dies(&whole, &format!("trace:{}", trace.display())));
    let wanted = look(&whole);
    let points = read_points(&trace);
    let created = points.iter().position(|point| point.starts_with("run-created")).expect("a run");
    in_parallel(4, points[created..].iter().collect(), |point| {
        let env = test_env!();
        assert!(dies(&env, point), "{point}: nobody died there");
        let mut resumed = env.start(env.windlass_command(&["resume"]));
        let resumed = resumed.wait(wait::DEADLINE).expect("the run hangs");
        assert_eq!(resumed.code, Some(0), "died at {point}: {resumed}");
        assert_eq!(look(&env), wanted, "died at {point}");
    });
}
