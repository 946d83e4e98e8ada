//! Dying while it is looked at whether a blocker is solved, and while a question waits.

use windlass_testkit::{TestEnv, in_parallel, test_env, wait};

use super::scenario::read_points;

const WORKFLOW: &str = r#"
workflow: helped
recheck: [{run: "true"}]
steps:
  - {id: code, agent: developer, done: {file: answer.txt}}
"#;

/// Cannot work without a key, and says so.
const AGENT: &str = r#"
if [ -e "$SHARED/key" ]; then echo right > answer.txt; else
  windlass block "no key" --check "test -e $SHARED/key"
fi
"#;

/// A run that waits for a key which is there by now.
fn waiting() -> TestEnv {
    let env = test_env!();
    let agent = format!("SHARED='{}'\n{AGENT}", env.root().join("tmp").display());
    env.run(WORKFLOW, &agent, &["--yes", "--no-wait"]).assert_code(3);
    env.shared("key", "");
    env
}

/// Says that it is there, until the end or the fault; returns whether it died.
fn dies(env: &TestEnv, fault: &str) -> bool {
    let mut command = env.windlass_command(&["fixed", "--notes", "it is there"]);
    command.env("WINDLASS_FAULT", fault);
    env.start(command).wait(wait::DEADLINE).expect("the run hangs").code.is_none()
}

fn assert_done(env: &TestEnv, at: &str) {
    env.assert_no_orphans();
    env.assert_audit();
    assert_eq!(env.status(), "completed", "{at}");
    let log = env.log_json();
    assert_eq!(log.count("blocker_opened"), 1, "{at}");
    assert_eq!(log.count("blocker_resolved"), 1, "{at}");
    let resolved = log.last("blocker_resolved").expect("a resolution");
    assert_eq!(resolved["resolution"]["notes"], "it is there", "{at}");
}

#[test]
fn a_blocker_that_is_put_right_comes_to_the_same_end_wherever_the_driver_died() {
    let calm = waiting();
    let trace = calm.root().join("points");
    assert!(!dies(&calm, &format!("trace:{}", trace.display())));
    assert_done(&calm, "nothing");
    let points = read_points(&trace);
    assert!(points.iter().any(|point| point.contains("look-at-blocker")), "{points:?}");
    in_parallel(4, points.iter().collect(), |point| {
        let env = waiting();
        assert!(dies(&env, point), "{point} is not reached");
        // Whoever comes next says the same again, and it goes on from where it was.
        let again = env.windlass(&["fixed", "--notes", "it is there"]);
        if again.stderr.contains("nothing is blocked") {
            // It was solved before the driver died: the run only has to go on.
            env.windlass(&["resume"]).assert_code(0);
        }
        assert_done(&env, point);
    });
}
