//! Dying while a person answers.

use windlass_testkit::{TestEnv, in_parallel, wait};

use super::scenario::{End, Scenario, read_points};

fn approve(env: &TestEnv, fault: &str) -> Option<i32> {
    let mut command = env.windlass_command(&["approve"]);
    command.env("WINDLASS_FAULT", fault);
    env.start(command).wait(wait::DEADLINE).expect("an end").code
}

/// A run at its gate: the first asks where a verdict leads, the second whether the work is accepted.
fn at_gate(number: usize) -> Scenario {
    let scenario = Scenario::with_a_person();
    assert_eq!(scenario.run(None).code, Some(3));
    for _ in 1..number {
        scenario.env.windlass(&["approve"]).assert_code(0);
        let mut resumed = scenario.resume(None);
        assert_eq!(resumed.wait(wait::DEADLINE).expect("an end").code, Some(3));
    }
    scenario
}

/// Drives to the end; whoever drives takes up what was asked, otherwise the person asks again.
fn answered(scenario: &Scenario, told: &str) -> End {
    for _ in 0..4 {
        let mut resumed = scenario.resume(None);
        let code = resumed.wait(wait::DEADLINE).expect("an end").code;
        if code == Some(0) {
            return scenario.look();
        }
        assert_eq!(code, Some(3), "{told}: {}", resumed.stderr());
        scenario.env.windlass(&["approve"]).assert_code(0);
    }
    panic!("{told}: the gates do not end");
}

fn counts_once_or_not_at_all(gate: usize) {
    let whole = at_gate(gate);
    let trace = whole.env.root().join("trace");
    assert_eq!(approve(&whole.env, &format!("trace:{}", trace.display())), Some(0));
    let wanted = answered(&whole, "nobody died");
    in_parallel(4, read_points(&trace), |point| {
        let scenario = at_gate(gate);
        assert_eq!(approve(&scenario.env, &point), None, "{point}");
        assert_eq!(answered(&scenario, &point), wanted, "died at {point}");
    });
}

#[test]
fn an_approval_that_was_cut_off_counts_once_or_not_at_all() {
    counts_once_or_not_at_all(2);
}

#[test]
fn a_verdict_whose_confirmation_was_cut_off_leads_back_once_or_not_at_all() {
    counts_once_or_not_at_all(1);
}
