//! Dying while a person answers.

use windlass_testkit::{TestEnv, in_parallel, wait};

use super::scenario::{Scenario, read_points};

fn approve(env: &TestEnv, fault: &str) -> Option<i32> {
    let mut command = env.windlass_command(&["approve"]);
    command.env("WINDLASS_FAULT", fault);
    env.start(command).wait(wait::DEADLINE).expect("an end").code
}

#[test]
fn an_approval_that_was_cut_off_counts_once_or_not_at_all() {
    let whole = Scenario::with_a_person();
    assert_eq!(whole.run(None).code, Some(3));
    let trace = whole.env.root().join("trace");
    assert_eq!(approve(&whole.env, &format!("trace:{}", trace.display())), Some(0));
    let wanted = whole.finish();
    in_parallel(4, read_points(&trace), |point| {
        let scenario = Scenario::with_a_person();
        assert_eq!(scenario.run(None).code, Some(3));
        assert_eq!(approve(&scenario.env, &point), None, "{point}");
        // Whoever drives next takes up what was asked; otherwise the person asks again.
        let mut resumed = scenario.resume(None);
        let code = resumed.wait(wait::DEADLINE).expect("an end").code;
        if code == Some(3) {
            scenario.env.windlass(&["approve"]).assert_code(0);
            assert_eq!(scenario.finish(), wanted, "died at {point}");
        } else {
            assert_eq!(code, Some(0), "died at {point}: {}", resumed.stderr());
            assert_eq!(scenario.look(), wanted, "died at {point}");
        }
    });
}
