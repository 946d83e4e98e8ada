//! What doctor finds, and what a bundle says.

use windlass_engine::launcher::confine::{ConfinementLevel, level};
use windlass_testkit::{Finished, Gh, Remote, TestEnv, test_env, wait};

use crate::support::{GATED, HONEST, at_the_gate};

fn program(env: &TestEnv, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let file = env.file(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    fs_err::set_permissions(file, std::fs::Permissions::from_mode(0o755)).expect("a program");
}

fn path_with_bin(env: &TestEnv) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}", env.home().join("bin").display())
}

fn finding<'v>(findings: &'v serde_json::Value, what: &str) -> &'v serde_json::Value {
    let all = findings.as_array().expect("a list");
    all.iter().find(|finding| finding["what"] == what).unwrap_or_else(|| panic!("{what}: {all:#?}"))
}

#[test]
fn every_line_has_a_state_and_every_warning_a_fix() {
    let env = at_the_gate();
    let findings = env.json(&["doctor", "--json"]);
    for what in
        ["windlass", "git", "repository", "confinement", "open files", "processes", "cgroups"]
    {
        finding(&findings, what);
    }
    for finding in findings.as_array().unwrap() {
        let state = finding["state"].as_str().unwrap();
        assert!(["ok", "open", "warning", "problem"].contains(&state), "{finding}");
        assert_eq!(["ok", "open"].contains(&state), finding["fix"].is_null(), "{finding}");
    }
    assert!(finding(&findings, "journal")["says"].as_str().unwrap().contains("1 run, "));
    let shown = env.windlass(&["doctor"]);
    shown.assert_code(0);
    assert!(shown.stdout.lines().any(|line| line.starts_with("ok       git")), "{shown}");
}

#[test]
fn what_keeps_no_key_from_an_agent_is_told_and_a_key_in_the_settings_of_git() {
    let env = test_env!();
    let keys = |env: &windlass_testkit::TestEnv, state: &str| {
        let landlock = [("WINDLASS_NO_NAMESPACES", "1")];
        let findings: serde_json::Value =
            serde_json::from_str(&env.windlass_with(&landlock, &["doctor", "--json"]).stdout)
                .unwrap();
        let all = findings.as_array().unwrap().clone();
        let found = all.iter().filter(|one| one["what"] == "keys" && one["state"] == state);
        found.map(|one| one["says"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&env, "ok").len(), 1);
    let open = keys(&env, "open").join("\n");
    for what in ["the network", "--here", "a check runs", "sockets"] {
        assert!(open.contains(what), "{what}: {open}");
    }
    // Landlock keeps attempts from reading what is not listed; without it nothing does.
    let reads_by_list = matches!(level(), ConfinementLevel::Landlock { abi } if abi >= 3);
    assert_eq!(open.contains("~/.ssh"), !reads_by_list, "{open}");
    assert_eq!(keys(&env, "warning"), Vec::<String>::new());
    env.repository.git(&["remote", "add", "origin", "https://me:hush@example.org/x.git"]);
    let warned = keys(&env, "warning").join("\n");
    assert!(warned.contains("a password or token") && !warned.contains("hush"), "{warned}");
}

#[test]
fn programs_that_play_agents_are_found_and_asked_with_nothing_of_the_users() {
    let env = test_env!();
    program(&env, "claude", "echo \"2.1.32${SECRET_TOKEN:-5} (Claude $#)\"");
    program(&env, "codex", "sleep 600");
    let variables = [
        ("PATH", path_with_bin(&env)),
        ("SECRET_TOKEN", "9".to_owned()),
        ("ANTHROPIC_API_KEY", "hush".to_owned()),
    ];
    let variables: Vec<(&str, &str)> = variables.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let finished = env.windlass_with(&variables, &["doctor", "--json"]);
    assert!(!finished.stdout.contains("hush"), "{finished}");
    let findings = serde_json::from_str(&finished.stdout).unwrap();
    let claude = finding(&findings, "claude");
    let says = claude["says"].as_str().unwrap();
    assert!(says.starts_with("2.1.325 at ") && says.contains("by ANTHROPIC_API_KEY"), "{says}");
    assert_eq!(claude["state"], "ok");
    let codex = finding(&findings, "codex");
    assert_eq!(codex["state"], "warning");
    assert!(codex["fix"].as_str().unwrap().contains("did not say its version"), "{codex}");
    // What was too slow is gone.
    env.assert_no_orphans();
}

#[test]
fn places_of_no_run_and_a_damaged_journal_are_found() {
    let env = at_the_gate();
    let places = env.place().parent().unwrap().to_owned();
    fs_err::create_dir(places.join("zzzzzzzz")).unwrap();
    let findings = env.json(&["doctor", "--json"]);
    assert_eq!(finding(&findings, "places")["state"], "warning");
    assert!(finding(&findings, "places")["fix"].as_str().unwrap().contains("zzzzzzzz"));
    fs_err::write(env.repository_state().join("journal.db"), "no database").unwrap();
    let finished = env.windlass(&["doctor", "--json"]);
    finished.assert_code(1);
    let findings = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(finding(&findings, "journal")["state"], "problem");
}

#[test]
fn outside_a_repository_doctor_says_so_and_looks_at_the_rest() {
    let env = test_env!();
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().to_string_lossy().into_owned();
    let finished = env.windlass(&["-C", &folder, "doctor", "--json"]);
    finished.assert_code(1);
    let findings = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(finding(&findings, "repository")["state"], "problem");
    assert_eq!(finding(&findings, "git")["state"], "ok");
    let file = env.root().join("outside.md").to_string_lossy().into_owned();
    env.windlass(&["-C", &folder, "doctor", "--bundle", &file]).assert_code(0);
}

/// What must not leave the machine, each planted where a run writes it down.
const PLANTED: &[&str] = &[
    "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
    "sk-ant-REDACTED",
    "hunter2hunter2",
    "grace.hopper@navy.example",
    "internal.example",
    "AKIAABCDEFGHIJKLMNOP",
];

#[test]
fn a_bundle_has_the_journal_and_none_of_the_planted_secrets() {
    let env = test_env!();
    let goal = format!("Rotate {} for {}", PLANTED[0], PLANTED[3]);
    let workflow = env.workflow(GATED);
    let agent = env.agent(&format!(
        "{HONEST}\nwindlass context set 'plan.note=DB_PASSWORD={} {}'\n",
        PLANTED[2], PLANTED[1]
    ));
    let command = format!("AWS_KEY={} {agent}", PLANTED[5]);
    env.windlass(&["run", &goal, "--workflow", &workflow, "--agent-command", &command])
        .assert_code(3);
    let message = format!("see https://user:pass@{}/x", PLANTED[4]);
    env.windlass(&["feedback", &message]).assert_code(0);
    // The journal does hold them, so their absence from the bundle means something.
    let log = env.windlass(&["log", "--inputs", "--json"]).stdout;
    for secret in PLANTED {
        assert!(log.contains(secret), "{secret} was not planted");
    }
    let file = env.root().join("bundle.md");
    let told = env.windlass(&["doctor", "--bundle", &file.to_string_lossy()]);
    told.assert_code(0);
    assert!(told.stdout.contains("read it before you send it"), "{told}");
    let text = fs_err::read_to_string(&file).unwrap();
    for secret in PLANTED {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let home = env.home().to_string_lossy().into_owned();
    assert!(!text.contains(&home), "{text}");
    assert!(!text.contains("person:ada") && !text.contains("\"ada\""), "{text}");
    for kept in ["attempt_started", "step_proven", "feedback_given", "grep -qx right", "## Doctor"]
    {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    let again = env.windlass(&["doctor", "--bundle", &file.to_string_lossy()]);
    again.assert_code(2);
    assert_eq!(fs_err::read_to_string(&file).unwrap(), text);
    env.windlass(&["doctor", "--bundle", "x.md", "--run", "nosuch"]).assert_code(2);
}

#[test]
fn where_a_run_would_publish_and_who_is_signed_in() {
    let env = test_env!();
    let gh = Gh::new(&env);
    let look = || -> Finished {
        let mut command = env.windlass_command(&["doctor", "--json"]);
        command.env_clear().envs(gh.variables(&env));
        env.finish(command)
    };
    let findings = |finished: &Finished| -> serde_json::Value {
        serde_json::from_str(&finished.stdout).expect("a list")
    };
    let without = look();
    let all = findings(&without);
    let publishing = finding(&all, "publishing");
    assert_eq!(publishing["state"], "warning");
    assert!(publishing["fix"].as_str().unwrap().contains("git remote add origin URL"));
    assert!(finding(&all, "gh")["says"].as_str().unwrap().ends_with(", signed in"));
    Remote::bare(&env);
    env.repository.git(&[
        "config",
        "remote.origin.pushurl",
        "https://me:hush@forge.example/a/b.git",
    ]);
    gh.fail("*", "not-signed-in");
    let finished = look();
    assert!(!finished.stdout.contains("hush"), "{finished}");
    let all = findings(&finished);
    let publishing = finding(&all, "publishing");
    assert_eq!(publishing["says"], "to `origin` at https://forge.example/a/b.git");
    let gh = finding(&all, "gh");
    assert_eq!(gh["state"], "warning");
    assert_eq!(gh["fix"], "sign in with `gh auth login --hostname forge.example`");
}

#[test]
fn the_level_is_found_by_trying_and_what_is_missing_is_told() {
    let env = test_env!();
    let without = env.windlass_with(&[("WINDLASS_NO_NAMESPACES", "1")], &["doctor", "--json"]);
    let findings = serde_json::from_str(&without.stdout).unwrap();
    let confinement = finding(&findings, "confinement");
    assert_eq!(confinement["state"], "warning");
    assert!(confinement["says"].as_str().unwrap().contains("WINDLASS_NO_NAMESPACES is set"));
    assert_eq!(confinement["fix"], "unset WINDLASS_NO_NAMESPACES");
    let network = finding(&findings, "network")["says"].as_str().unwrap();
    assert!(network.contains("`network: provider`") && network.contains("cannot be kept"));
    let findings = env.json(&["doctor", "--json"]);
    let confinement = finding(&findings, "confinement");
    let says = confinement["says"].as_str().unwrap();
    match confinement["state"].as_str() {
        Some("ok") => assert!(says.starts_with("namespaces: "), "{says}"),
        // A machine without them says why, and what would help.
        _ => assert!(says.contains("(") && !confinement["fix"].is_null(), "{confinement}"),
    }
    // Trying leaves nothing behind.
    let left = fs_err::read_dir(env.home().join(".cache/windlass")).map(|left| left.count());
    assert_eq!(left.unwrap_or(0), 0);
}

#[test]
fn what_boxes_show_of_the_home_is_listed_and_how_much_disk_the_layers_use() {
    let env = at_the_gate();
    env.file(".cargo/bin/tool", "");
    env.file(".ssh/id_ed25519", "a key");
    let findings = env.json(&["doctor", "--json"]);
    let home = finding(&findings, "home");
    let programs = home["detail"]["programs"].as_array().unwrap();
    let cargo = env.home().canonicalize().unwrap().join(".cargo/bin");
    assert!(programs.iter().any(|path| path == &*cargo.to_string_lossy()), "{home}");
    assert!(!home.to_string().contains(".ssh"), "{home}");
    assert!(home["says"].as_str().unwrap().contains("~/.cargo/bin"), "{home}");
    let layers = finding(&findings, "layers");
    assert!(layers["detail"]["bytes"].as_u64().unwrap() > 0, "{layers}");
    assert!(layers["says"].as_str().unwrap().contains("(`disk_limit`)"), "{layers}");
}

/// Two checks that hold on the base, one that does not, and two that say nothing about it.
const CHECKED: &str = "workflow: checked
inputs: {word: {type: string, default: fine}}
steps:
  - id: build
    agent: developer
    task: Build.
    done: {all: [{run: test -f README.md}, {run: 'echo {inputs.word} && touch built'}, {not: {run: 'false'}}]}
  - id: look
    agent: reviewer
    task: Look.
    done: {all: [{run: test -f README.md}, {run: test -f missing.txt}]}
";

#[test]
fn the_checks_alone_run_once_each_and_leave_nothing() {
    let env = test_env!();
    env.repository.write("README.md", "here\n");
    env.repository.commit("a file");
    let workflow = env.workflow(CHECKED);
    let told = env.windlass(&["doctor", "--checks", &workflow]);
    told.assert_code(3);
    let lines: Vec<&str> = told.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert!(lines[0].contains("`test -f README.md` passed"), "{told}");
    assert!(lines[1].contains("`echo fine && touch built` passed"), "{told}");
    assert!(lines[2].contains("`test -f missing.txt` failed (exited with 1)"), "{told}");
    let record = env.windlass(&["doctor", "--checks", &workflow, "--json"]);
    record.assert_code(3);
    let record: serde_json::Value = serde_json::from_str(&record.stdout).unwrap();
    assert_eq!(record["commands"].as_array().unwrap().len(), 3, "{record}");
    let state = env.repository_state();
    for folder in [
        state.join("runs"),
        env.home().join(".cache/windlass"),
        env.home().join(".local/share/windlass"),
    ] {
        let mut left = Vec::new();
        files(&folder, &mut left);
        assert_eq!(left, Vec::<std::path::PathBuf>::new());
    }
    env.windlass(&["status"]).assert_code(2);
    assert!(!env.repository.root().join("built").exists());
    env.repository.write("missing.txt", "there\n");
    env.repository.commit("another");
    env.windlass(&["doctor", "--checks", &workflow]).assert_code(0);
    env.windlass(&["doctor", "--checks", "no-such-workflow"]).assert_code(2);
    env.windlass(&["doctor", "--input", "word=x"]).assert_code(2);
    env.windlass(&["doctor", "--platform", "rust"]).assert_code(2);
    env.assert_no_orphans();
}

fn files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries.map(Result::unwrap) {
        match entry.file_type().expect("a kind of file").is_dir() {
            true => files(&entry.path(), found),
            false => found.push(entry.path()),
        }
    }
}

#[test]
fn a_home_that_is_not_there_is_a_problem_and_what_is_used_is_counted() {
    let env = at_the_gate();
    let used = finding(&env.json(&["doctor", "--json"]), "used").clone();
    assert!(used["detail"]["bytes"].as_u64().unwrap() > 0, "{used}");
    let mut command = env.windlass_command(&["doctor", "--json"]);
    for name in ["WINDLASS_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
        command.env_remove(name);
    }
    command.env("HOME", env.root().join("no-such-home"));
    let finished = env.finish(command);
    finished.assert_code(1);
    let findings = serde_json::from_str(&finished.stdout).unwrap();
    let state = finding(&findings, "state");
    assert_eq!(state["state"], "problem", "{state}");
    assert!(state["says"].as_str().unwrap().contains("no-such-home` is not there"), "{state}");
}

#[test]
fn what_windlass_does_is_written_down_where_that_is_asked_for() {
    let env = test_env!();
    let log = env.state().join("log/windlass.log");
    env.run(GATED, HONEST, &["--yes"]).assert_code(0);
    assert!(!log.exists(), "nobody asked");

    let mut command = env.run_command(GATED, HONEST, &["--yes"]);
    command.env("WINDLASS_LOG", "debug");
    let run = env.start(command).wait(wait::DEADLINE).expect("the run hangs");
    run.assert_code(0);
    let text = fs_err::read_to_string(&log).unwrap();
    for span in [
        "INFO decision run=",
        "INFO effect run=",
        "INFO effect: attempt attempt=plan#1",
        "INFO effect: check command=",
        "DEBUG effect: attempt: git command=git add -A",
    ] {
        assert!(text.contains(span), "no `{span}` in\n{text}");
    }
    let file = env.root().join("with-log.md");
    let told = env.windlass(&["doctor", "--bundle", &file.to_string_lossy()]);
    assert!(told.stdout.contains("WINDLASS_LOG"), "{told}");
    let bundle = fs_err::read_to_string(&file).unwrap();
    let (_, shown) = bundle.split_once("## The last of the log").unwrap();
    assert!(shown.contains("decision run="), "{shown}");
    assert!(!shown.contains(&*env.home().to_string_lossy()), "{shown}");
}
