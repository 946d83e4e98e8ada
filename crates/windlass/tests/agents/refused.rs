//! CLIs that cannot be used: nothing is started, and it is said what to do.

use windlass_testkit::model::{Lane, Script, http};
use windlass_testkit::{TestEnv, test_env};

use crate::support::{Agent, ONE_STEP, World};

fn program(env: &TestEnv, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let file = env.file(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    fs_err::set_permissions(file, std::fs::Permissions::from_mode(0o755)).expect("a program");
}

/// Runs with nothing on `PATH` but what the test put there, git and a shell.
fn run(env: &TestEnv, variables: &[(&str, &str)], more: &[&str]) -> windlass_testkit::Finished {
    let workflow = env.workflow(ONE_STEP);
    let mut command = env.windlass_command(&["run", "Do it", "--workflow", &workflow]);
    command.args(more).env("PATH", format!("{}:/usr/bin:/bin", env.home().join("bin").display()));
    command.envs(variables.iter().copied());
    env.finish(command)
}

fn has_no_run(env: &TestEnv) {
    let runs = env.windlass(&["status", "--all"]);
    assert!(!runs.stdout.contains("Do it"), "{runs}");
}

#[test]
fn a_cli_that_is_missing_is_refused_with_how_to_get_it() {
    let env = test_env!();
    let finished = run(&env, &[("WINDLASS_CLAUDE", "/nowhere/claude")], &["--agent", "claude"]);
    finished.assert_code(2);
    assert!(
        finished.stderr.contains("`/nowhere/claude` (WINDLASS_CLAUDE) is not a program"),
        "{finished}"
    );
    has_no_run(&env);
}

#[test]
fn a_cli_that_is_too_old_is_refused_with_what_is_needed() {
    let env = test_env!();
    program(&env, "claude", "echo '1.0.17 (Claude Code)'");
    let finished = run(&env, &[("ANTHROPIC_API_KEY", "test-key")], &["--agent", "claude"]);
    finished.assert_code(2);
    assert!(finished.stderr.contains("1.0.17 is too old"), "{finished}");
    has_no_run(&env);
}

#[test]
fn a_cli_that_is_not_signed_in_is_refused_with_how_to_sign_in() {
    let env = test_env!();
    program(&env, "claude", "echo '2.1.325 (Claude Code)'");
    let finished = run(&env, &[], &["--agent", "claude"]);
    finished.assert_code(2);
    assert!(finished.stderr.contains("not signed in"), "{finished}");
    assert!(finished.stderr.contains("ANTHROPIC_API_KEY"), "{finished}");
    has_no_run(&env);
}

#[test]
fn with_nobody_to_play_agents_it_is_said_who_was_looked_for() {
    let env = test_env!();
    program(&env, "claude", "echo '2.1.325 (Claude Code)'");
    // Whatever is installed on this machine.
    let git = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .find(|folder| folder.join("git").is_file())
        .expect("git");
    for name in ["git", "sh", "grep"] {
        let _ = fs_err::os::unix::fs::symlink(git.join(name), env.home().join("bin").join(name));
    }
    let bin = env.home().join("bin").to_string_lossy().into_owned();
    for more in [&[][..], &["--agent", "auto"]] {
        let finished = run(&env, &[("PATH", &bin)], more);
        finished.assert_code(2);
        assert!(
            finished.stderr.contains("none of claude, codex, gemini, opencode, qwen can be used"),
            "{finished}"
        );
        assert!(finished.stderr.contains("claude: it is not signed in"), "{finished}");
        assert!(finished.stderr.contains("--agent-command"), "{finished}");
    }
    has_no_run(&env);
}

#[test]
fn the_first_that_can_be_used_is_taken_and_told() {
    let env = test_env!();
    program(&env, "codex", "case $1 in --version) echo 'codex-cli 0.166.0';; *) exit 1;; esac");
    let variables = [("WINDLASS_CLAUDE", "/nowhere/claude"), ("CODEX_API_KEY", "test-key")];
    let finished = run(&env, &variables, &["--no-wait"]);
    let told = "agents run with codex 0.166.0 (`--agent` chooses another)";
    assert!(finished.stderr.contains(told), "{finished}");
}

#[test]
fn a_name_that_is_no_backend_is_refused_with_those_that_are() {
    let env = test_env!();
    let finished = run(&env, &[], &["--agent", "cluade"]);
    finished.assert_code(2);
    assert!(finished.stderr.contains("`auto`, `claude`, `codex`, "), "{finished}");
}

#[test]
fn a_backend_may_be_configured_and_its_file_is_told() {
    let env = test_env!();
    program(&env, "codex", "case $1 in --version) echo 'codex-cli 0.166.0';; *) exit 1;; esac");
    env.repository.write(".windlass/config.yaml", "agent: codex\n");
    env.repository.commit("configure");
    let finished = run(&env, &[("CODEX_API_KEY", "test-key")], &["--no-wait"]);
    let told = "agents run with codex 0.166.0 (`agent` in .windlass/config.yaml)";
    assert!(finished.stderr.contains(told), "{finished}");
}

#[test]
fn a_key_that_claude_s_provider_refuses_blocks_the_run_with_how_to_sign_in() {
    let lane = Lane::all().then_always(http(401).message("invalid x-api-key"));
    let Some(world) = World::new(Agent::Claude, Script::new().lane(lane)) else { return };
    let finished = world.run(ONE_STEP, &[]);
    assert_ne!(finished.code, Some(0));
    let outcomes = world.outcomes();
    assert_eq!(outcomes.len(), 1, "it is not tried again: {outcomes:#?}");
    assert_eq!(outcomes[0]["category"], "external", "{outcomes:#?}");
    let journal = world.env.log_json();
    let blocker = journal.last("blocker_raised").expect("a blocker").to_string();
    assert!(blocker.contains("ANTHROPIC_API_KEY"), "{blocker}");
    world.assert_clean();
}

#[test]
fn a_backend_that_only_a_step_names_is_looked_at_before_anything_starts() {
    for (name, said) in [
        ("cluade", "`work` asks for the backend `cluade`, which is not a backend"),
        ("claude", "`claude`, which plays `work`: `/nowhere/claude` (WINDLASS_CLAUDE) is not"),
    ] {
        let env = test_env!();
        let workflow = env.workflow(&format!(
            "workflow: one\nsteps: [{{id: work, agent: dev, backend: {name}, done: {{diff: any}}}}]\n"
        ));
        let arguments = ["run", "Do it", "--workflow", &workflow, "--agent-command", "touch x"];
        let mut command = env.windlass_command(&arguments);
        command.env("WINDLASS_CLAUDE", "/nowhere/claude");
        let finished = env.finish(command);
        finished.assert_code(2);
        assert!(finished.stderr.contains(said), "{finished}");
        has_no_run(&env);
    }
}
