//! Dying while tests are proven to fail, and while a try is taken back.

use windlass_testkit::{TestEnv, in_parallel, test_env, wait};

use super::scenario::read_points;

const WORKFLOW: &str = r#"
workflow: tested
steps:
  - {id: red, agent: tester, done: {red: sh run-tests.sh, tests: "tests/**"}}
  - {id: green, agent: developer, done: {green: sh run-tests.sh}}
  - id: lint
    agent: developer
    fix: "rm -f src/bye.sh; echo fixed > style.txt"
    keeps: {run: sh run-tests.sh}
    done: {run: grep -q styled style.txt}
"#;

/// Writes whole or not at all.
const AGENT: &str = r#"
put() { cat > .windlass/run/new && mv .windlass/run/new "$1"; }
case $WINDLASS_STEP in
  red) mkdir -p tests; echo 'sh src/bye.sh' | put tests/test_bye.sh ;;
  green) mkdir -p src; echo true | put src/bye.sh ;;
  lint) echo styled | put style.txt ;;
esac
"#;

/// Where what is new here happens: tests on other trees, and files that are set back.
const NEW: [&str; 4] = ["suite-ran", "take-baseline", "place-ready", "baseline-kept"];

fn world() -> TestEnv {
    let env = test_env!();
    env.repository.write("run-tests.sh", "for t in tests/*.sh; do sh \"$t\" || exit 1; done\n");
    env.repository.write("tests/test_old.sh", "true\n");
    env.repository.commit("tests");
    env
}

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
    for step in ["red", "green", "lint"] {
        assert_eq!(log.count_of_step("step_done", step), 1, "{step}");
    }
    assert_eq!(log.count("work_reverted"), 1, "{:?}", log.kinds());
    let branch = env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned();
    env.repository.git(&["ls-tree", "-r", &branch])
}

#[test]
fn tests_and_taken_back_tries_come_to_the_same_end_wherever_the_driver_died() {
    let whole = world();
    let trace = whole.root().join("trace");
    assert!(!dies(&whole, &format!("trace:{}", trace.display())));
    let wanted = look(&whole);
    let mut points = read_points(&trace);
    points.retain(|point| NEW.iter().any(|new| point.contains(new)));
    assert!(points.len() > 10, "{points:?}");
    in_parallel(4, points.iter().collect(), |point| {
        let env = world();
        assert!(dies(&env, point), "{point}: nobody died there");
        let mut resumed = env.start(env.windlass_command(&["resume"]));
        let resumed = resumed.wait(wait::DEADLINE).expect("the run hangs");
        assert_eq!(resumed.code, Some(0), "died at {point}: {resumed}");
        assert_eq!(look(&env), wanted, "died at {point}");
    });
}
