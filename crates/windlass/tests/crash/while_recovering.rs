//! Dying again while taking over what an earlier death left.

use super::scenario::{Scenario, read_points};
use windlass_testkit::{in_parallel, wait};

/// Kills the run at `first`, then its successor at each of the points it passes early.
fn die_again_after(first: &str) {
    let whole = Scenario::new();
    whole.run(Some(first));
    let trace = whole.env.root().join("trace");
    let mut resumed = whole.resume(Some(&format!("trace:{}", trace.display())));
    assert_eq!(resumed.wait(wait::DEADLINE).expect("an end").code, Some(0));
    let wanted = whole.look();
    // What comes later is passed by an undisturbed run as well.
    in_parallel(4, read_points(&trace).into_iter().take(12).collect(), |point| {
        let scenario = Scenario::new();
        scenario.run(Some(first));
        let mut resumed = scenario.resume(Some(&point));
        assert_eq!(resumed.wait(wait::DEADLINE).expect("an end").code, None, "{point}");
        assert_eq!(scenario.finish(), wanted, "died at {first}, then at {point}");
    });
}

#[test]
fn a_running_attempt_is_lost_twice() {
    die_again_after("attempt-running:2");
}

#[test]
fn a_commit_is_cut_off_twice() {
    die_again_after("branch-moved:2");
}
