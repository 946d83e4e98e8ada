//! How much is said: --quiet and --verbose.

use windlass_testkit::test_env;

use crate::support::{GATED, HONEST, SECOND_TIME, eventful, json};

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

/// One step, whose check says something before it fails.
const FAILING: &str = r#"
workflow: failing
defaults: {retries: 1}
steps:
  - id: build
    agent: developer
    task: Build.
    done: {run: "echo expected right, got wrong; exit 1"}
"#;

#[test]
fn a_step_that_passed_is_one_line_with_its_checks_and_commit() {
    let env = test_env!();
    let run = env.run(GATED, HONEST, &["--yes"]);
    run.assert_code(0);
    let passed: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with('✓')).collect();
    let [plan, build, cold] = passed.as_slice() else { panic!("{run}") };
    let commit = env
        .repository
        .git(&["rev-parse", &env.status_json()["run"]["head"].as_str().unwrap()[..40]]);
    assert!(plan.starts_with("✓ plan ") && plan.contains("1 check  "), "{run}");
    assert!(build.starts_with("✓ build ") && build.ends_with(&commit[..7]), "{run}");
    assert!(cold.starts_with("✓ on a fresh clone ") && cold.ends_with("2 checks"), "{run}");
    for noise in ["began", "started", "is being verified", "is ready"] {
        assert!(!run.stderr.contains(noise), "{noise}: {run}");
    }
}

#[test]
fn what_a_failing_check_printed_is_shown_at_once_and_again_at_the_end() {
    let env = test_env!();
    let run = env.run(FAILING, "true", &["--no-baseline"]);
    run.assert_code(4);
    for text in [&run.stderr, &run.stdout] {
        assert!(
            text.contains("✗ build") && text.contains("    │ expected right, got wrong"),
            "{run}"
        );
    }
    assert!(run.stderr.contains("try 1 of 1"), "{run}");
}

#[test]
fn an_agent_that_ends_with_an_error_is_told_with_its_words() {
    let env = test_env!();
    let run = env.run(GATED, "echo my key is missing >&2; exit 7", &[]);
    // The second time it is no try any more, and a person is asked.
    run.assert_code(3);
    assert!(run.stderr.contains("attempt plan#1 exited with 7\n    │ my key is missing"), "{run}");
}

#[test]
fn an_agent_command_that_is_not_there_is_refused_and_a_tilde_is_the_users_home() {
    let env = test_env!();
    let workflow = env.workflow(GATED);
    let run = |agent: &str| {
        env.windlass(&["run", "Do it", "--workflow", &workflow, "--agent-command", agent])
    };
    let refused = run("no-such-agent --yes");
    refused.assert_code(2);
    assert!(refused.stderr.contains("needs `no-such-agent`, which is not there"), "{refused}");
    let script = run("sh ~/no-such-agent.sh");
    script.assert_code(2);
    assert!(script.stderr.contains("/no-such-agent.sh`, which is not there"), "{script}");
    env.file("tilde.sh", HONEST);
    let home = env.home().display().to_string();
    run("sh ~/tilde.sh").assert_code(3);
    assert!(!home.is_empty());
}

#[test]
fn a_command_line_that_is_not_understood_is_json_where_json_was_asked_for() {
    let env = test_env!();
    let wrong = env.windlass(&["bogus", "--json"]);
    wrong.assert_code(2);
    assert!(json(&wrong)["error"].as_str().unwrap().contains("bogus"), "{wrong}");
    assert!(env.windlass(&["bogus"]).stdout.is_empty());
}

#[test]
fn json_says_whether_anybody_drives_the_run() {
    let env = test_env!();
    env.run(GATED, SECOND_TIME, &[]).assert_code(3);
    let driver = env.status_json()["driver"].clone();
    assert_eq!(driver["driven"], false, "{driver}");
    let status = env.status_json();
    assert_eq!(status["run"]["status"], "awaiting_approval");
}
