//! Ctrl-C, once and twice, and machines on which a run may not go on.

use rustix::process::Signal;
use windlass_testkit::{test_env, wait};

use crate::support::{GATED, at_the_gate, waiting};

#[test]
fn ctrl_c_stops_cleanly_and_the_run_can_go_on() {
    let env = test_env!();
    let mut driver = env.start(env.run_command(GATED, &waiting(&env), &[]));
    wait::for_fact("the agent", || env.root().join("tmp/ready").exists());
    driver.signal(Signal::INT);
    driver.wait(wait::DEADLINE).expect("the driver stops").assert_code(4);
    assert_eq!(env.status(), "paused");
    env.assert_no_orphans();
    env.assert_audit();
    env.agent("echo plan > plan.md");
    env.windlass(&["resume"]).assert_code(3);
}

#[test]
fn ctrl_c_twice_stops_at_once_and_leaves_nobody_behind() {
    let env = test_env!();
    let agent = format!(
        "trap '' TERM INT; touch '{}'; while :; do sleep 600 & wait; done",
        env.root().join("tmp/ready").display()
    );
    let mut driver = env.start(env.run_command(GATED, &agent, &[]));
    wait::for_fact("the agent", || env.root().join("tmp/ready").exists());
    driver.signal(Signal::INT);
    wait::for_fact("the first answer", || {
        driver.stderr().contains("press Ctrl-C again") || driver.has_ended()
    });
    driver.signal(Signal::INT);
    let code = driver.wait(wait::DEADLINE).expect("the driver stops").code;
    assert!(matches!(code, Some(4 | 130)), "{code:?}");
    env.assert_no_orphans();
    env.assert_audit();
    env.agent("echo plan > plan.md");
    env.windlass(&["resume"]).assert_code(3);
}

#[test]
fn boxes_that_are_required_are_required_at_every_resume() {
    let env = at_the_gate();
    env.windlass(&["approve"]).assert_code(0);
    env.file(".config/windlass/config.yaml", "sandbox: require\n");
    let refused = env.windlass_with(&[("WINDLASS_NO_NAMESPACES", "1")], &["resume"]);
    assert_ne!(refused.code, Some(0), "{refused}");
    assert!(refused.stderr.contains("`sandbox: require` is set"), "{refused}");
    assert_eq!(env.log_json().count_of_step("attempt_started", "build"), 0, "{refused}");
}
