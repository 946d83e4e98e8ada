//! How much is said: --quiet and --verbose.

use windlass_testkit::test_env;

use crate::support::{GATED, HONEST, eventful};

#[test]
fn quiet_leaves_the_last_line_and_errors() {
    let env = test_env!();
    let run = env.run(GATED, HONEST, &["--quiet"]);
    run.assert_code(3);
    assert!(run.stderr.is_empty(), "{run}");
    assert_eq!(run.stdout.lines().count(), 1, "{run}");
    assert!(run.stdout.contains("awaiting approval: `plan` is proven"), "{run}");
    assert_eq!(env.windlass(&["-q", "status"]).stdout.lines().count(), 1);
    let wrong = env.windlass(&["-q", "skip", "biuld", "--reason", "x"]);
    wrong.assert_code(2);
    assert!(wrong.stderr.contains("did you mean `build`?"), "{wrong}");
    env.windlass(&["-q", "-v", "status"]).assert_code(2);
}

#[test]
fn verbose_says_what_usually_only_the_machine_needs() {
    let env = test_env!();
    let run = env.run(GATED, HONEST, &["--verbose"]);
    run.assert_code(3);
    for words in ["took over", "`plan` is next", "confinement:", "file `plan.md`"] {
        assert!(run.stderr.contains(words), "{words}: {run}");
    }
    let status = env.windlass(&["status", "-v"]).stdout;
    assert!(status.contains("`plan` by planner") && status.contains("place: "), "{status}");
}

#[test]
fn unknown_steps_get_a_did_you_mean_everywhere() {
    let env = eventful();
    let commands: &[&[&str]] = &[
        &["proofs", "biuld"],
        &["rollback", "biuld", "x"],
        &["skip", "biuld", "--reason", "x"],
        &["retry-reset", "biuld"],
        &["diff", "biuld"],
        &["replay", "--why", "biuld"],
    ];
    for arguments in commands {
        let refused = env.windlass(arguments);
        refused.assert_code(2);
        assert!(refused.stderr.contains("did you mean `build`?"), "{arguments:?}: {refused}");
    }
    let attempt = env.windlass(&["log", "--attempt", "biuld#1"]);
    attempt.assert_code(2);
    assert!(attempt.stderr.contains("did you mean `build#1`?"), "{attempt}");
}
