//! People are told at gates, pauses and the end, and a notification changes nothing.

use windlass_engine::launcher::confine::{ConfinementLevel, level};
use windlass_testkit::{TestEnv, test_env, wait};

use crate::support::{GATED, HONEST, json, waiting};

/// A script that keeps what it was told, one line each.
fn script(env: &TestEnv) -> (String, std::path::PathBuf) {
    let told = env.root().join("tmp/told");
    let text = format!(
        "echo \"$WINDLASS_EVENT|$WINDLASS_STEP|$WINDLASS_STATUS|$WINDLASS_GOAL|$WINDLASS_MESSAGE\" >> '{}'\n\
         test -d \"$WINDLASS_PLACE\" && test -n \"$WINDLASS_RUN\"\n",
        told.display()
    );
    // A command of the repository reads neither the home nor keys.
    let path = env.shared("notify.sh", text);
    (format!("sh {}", path.display()), told)
}

fn lines(path: &std::path::Path) -> Vec<String> {
    let text = fs_err::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_gate_and_the_end_are_told_with_what_happened_in_the_environment() {
    let env = test_env!();
    let (command, told) = script(&env);
    env.run(GATED, HONEST, &["--notify", &command]).assert_code(3);
    assert_eq!(lines(&told), ["gate|plan|awaiting_approval|Do it|`plan` waits for a person"]);
    env.windlass(&["approve"]).assert_code(0);
    env.file(".config/windlass/config.yaml", format!("notify: {command}\n"));
    let resumed = env.windlass(&["resume"]);
    resumed.assert_code(0);
    assert!(!resumed.stderr.contains("warning"), "{resumed}");
    assert_eq!(lines(&told)[1..], ["completed||completed|Do it|the run is complete"]);
    env.assert_no_orphans();
}

#[test]
fn a_pause_is_told_and_off_is_off() {
    // In a box a command of the repository writes nothing that stays.
    let env = test_env!().without_namespaces();
    let (command, told) = script(&env);
    env.repository.write(".windlass/config.yaml", format!("notify: {command}\n"));
    let quiet = env.run(GATED, "true", &["--notify", "off"]);
    quiet.assert_code(4);
    assert!(!told.exists() && !quiet.stderr.contains('\u{7}'), "{quiet}");
    env.windlass(&["abort"]).assert_code(0);
    let finished = env.run(GATED, "true", &[]);
    finished.assert_code(4);
    assert!(finished.stderr.contains("(`notify` in .windlass/config.yaml)"), "{finished}");
    let told = lines(&told);
    assert_eq!(told.len(), 1, "{finished}");
    assert!(told[0].starts_with("paused|plan|paused|Do it|paused (retries_exhausted)"), "{told:?}");
}

#[test]
fn a_command_that_fails_is_a_warning_and_no_more() {
    let env = test_env!();
    let finished = env.run(GATED, HONEST, &["--yes", "--notify", "echo no network >&2; exit 7"]);
    finished.assert_code(0);
    let warning = "warning: the notify command failed: it exited with 7: no network";
    assert!(finished.stderr.contains(warning), "{finished}");
    env.assert_audit();
}

#[test]
fn a_command_that_does_not_end_is_killed_with_all_it_started() {
    let env = test_env!();
    let command = "trap '' TERM; (trap '' TERM; while :; do sleep 600; done) & wait; sleep 600";
    let finished = env.run(GATED, HONEST, &["--yes", "--notify", command]);
    finished.assert_code(0);
    assert!(finished.stderr.contains("it took longer than 10s"), "{finished}");
    env.assert_no_orphans();
}

#[test]
fn a_notification_cannot_approve() {
    let env = test_env!();
    let answer = env.root().join("tmp/answer");
    let command = format!("'{}' approve > '{}' 2>&1", env.exe().display(), answer.display());
    let finished = env.run(GATED, HONEST, &["--notify", &command]);
    finished.assert_code(3);
    assert_eq!(env.status(), "awaiting_approval");
    let said = fs_err::read_to_string(answer).unwrap();
    assert!(said.contains("only people decide"), "{said}");
}

#[test]
fn words_of_a_goal_are_never_part_of_the_command() {
    let env = test_env!();
    let (command, told) = script(&env);
    let workflow = env.workflow(GATED);
    let agent = env.agent(HONEST);
    let goal = "a'; touch \"$HOME/owned\"; $(touch ~/owned) `touch ~/owned`\nsecond line";
    env.windlass(&[
        "run",
        goal,
        "--workflow",
        &workflow,
        "--agent-command",
        &agent,
        "--notify",
        &command,
    ])
    .assert_code(3);
    assert!(!env.home().join("owned").exists());
    assert_eq!(lines(&told).len(), 1);
    assert!(lines(&told)[0].contains("`touch ~/owned` second line"), "{:?}", lines(&told));
}

#[test]
fn a_command_of_the_repository_writes_where_an_agent_may_and_nowhere_else() {
    // Where nothing can confine, there is nothing to be tested.
    let ConfinementLevel::Landlock { .. } = level() else { return };
    // In a box it writes nothing that stays.
    let env = test_env!().without_namespaces();
    let (owned, fine) = (env.home().join("owned"), env.root().join("tmp/fine"));
    let command =
        format!("touch '{}' || touch '{}'; test -z \"$GH_TOKEN\"", owned.display(), fine.display());
    env.repository
        .write(".windlass/config.yaml", format!("notify: \"{}\"\n", command.replace('"', "\\\"")));
    let (workflow, agent) = (env.workflow(GATED), env.agent(HONEST));
    let arguments = ["run", "Do it", "--yes", "--workflow", &workflow, "--agent-command", &agent];
    let finished = env.windlass_with(&[("GH_TOKEN", "secret")], &arguments);
    finished.assert_code(0);
    assert!(!finished.stderr.contains("warning"), "{finished}");
    assert!(fine.exists() && !owned.exists(), "{finished}");
}

#[test]
fn an_abort_from_elsewhere_and_a_blocked_step_are_told() {
    let env = test_env!();
    let (command, told) = script(&env);
    let mut driver = env.start(env.run_command(GATED, &waiting(&env), &["--notify", &command]));
    wait::for_fact("the agent", || env.root().join("tmp/ready").exists());
    env.windlass(&["abort"]).assert_code(0);
    driver.wait(wait::DEADLINE).expect("the driver ends").assert_code(5);
    assert_eq!(lines(&told).len(), 1, "{:?}", lines(&told));
    assert!(lines(&told)[0].starts_with("aborted||aborted|Do it|"), "{:?}", lines(&told));

    let blocking = GATED.replace("    gate: approval", "    exhausted: block");
    env.run(&blocking, "true", &["--notify", &command]).assert_code(3);
    assert!(lines(&told)[1].starts_with("blocked|plan|awaiting_user|"), "{:?}", lines(&told));
    env.assert_no_orphans();
}

#[test]
fn a_pause_that_a_person_asked_for_is_not_told() {
    let env = test_env!();
    let (command, told) = script(&env);
    let mut driver = env.start(env.run_command(GATED, &waiting(&env), &["--notify", &command]));
    wait::for_fact("the agent", || env.root().join("tmp/ready").exists());
    env.windlass(&["pause", "--now"]).assert_code(0);
    driver.wait(wait::DEADLINE).expect("the driver ends").assert_code(4);
    assert!(!told.exists(), "{:?}", lines(&told));
}

/// One step whose gate is the last thing of the run.
const LAST_GATE: &str = r#"
workflow: last
steps:
  - id: plan
    agent: planner
    task: Plan.
    done: {file: plan.md}
    gate: approval
"#;

#[test]
fn a_run_that_an_approval_completes_is_told_although_nobody_drives_it() {
    let env = test_env!();
    let (command, told) = script(&env);
    env.run(LAST_GATE, HONEST, &["--notify", "off"]).assert_code(3);
    env.file(".config/windlass/config.yaml", format!("notify: {command}\n"));
    env.windlass(&["approve"]).assert_code(0);
    assert_eq!(lines(&told), ["completed||completed|Do it|the run is complete"]);
}

#[test]
fn a_test_tells_as_a_run_would_and_says_when_it_cannot() {
    let env = test_env!();
    let told = env.root().join("tmp/told");
    let command = format!("echo $WINDLASS_EVENT > '{}'", told.display());
    let tested = env.windlass(&["notify", "test", "--notify", &command]);
    tested.assert_code(0);
    assert_eq!(lines(&told), ["gate"], "{tested}");
    let failed = env.windlass(&["notify", "test", "--notify", "exit 3"]);
    failed.assert_code(1);
    assert!(failed.stderr.contains("the notification failed: it exited with 3"), "{failed}");
    env.file(".config/windlass/config.yaml", "notify: off\n");
    let off = env.windlass(&["notify", "test", "--json"]);
    assert_eq!(json(&off)["by"], "off", "{off}");
}

#[test]
fn a_desktop_notice_has_no_words_of_others_in_its_command() {
    let env = test_env!();
    let told = env.root().join("tmp/told");
    let program = format!("#!/bin/sh\nprintf '%s|' \"$@\" > '{}'\n", told.display());
    let file = env.file("bin/notify-send", program);
    fs_err::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = env.windlass_command(&["notify", "test", "--notify", "desktop"]);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", file.parent().unwrap().display()));
    env.finish(command).assert_code(0);
    let words = fs_err::read_to_string(&told).unwrap();
    assert!(
        words.starts_with("--app-name=windlass|--|windlass: gate|this is only a test"),
        "{words}"
    );
}
