//! Help from a person: blockers, what shows that they are solved, and how the run continues.

use rustix::process::Signal;
use serde_json::{Value, json};
use windlass_testkit::{TestEnv, test_env, wait};

/// One step that needs something from outside, and one after it.
const WORKFLOW: &str = r#"
workflow: needs-help
defaults: {retries: 2}
steps:
  - id: code
    agent: developer
    task: Use the key.
    done: {file: answer.txt}
  - id: last
    agent: writer
    done: {file: last.md}
"#;

/// Asks for help until `KEY` is there. What it is told is kept.
const AGENT: &str = r#"
set -e
case $WINDLASS_STEP in
  code)
    cp "$WINDLASS_PROMPT_FILE" .windlass/run/seen.md
    if test -e KEY; then echo key > answer.txt; exit 0; fi
    echo half > half.txt
    windlass block 'The key is missing' CHECK --severity high --json > .windlass/run/blocked.json ;;
  last) echo "$WINDLASS_ATTEMPT" > last.md ;;
esac
"#;

fn key(env: &TestEnv) -> std::path::PathBuf {
    env.root().join("tmp/key")
}

fn agent(env: &TestEnv, check: bool) -> String {
    let key = key(env).display().to_string();
    let check = if check { format!("--check 'test -e {key}'") } else { String::new() };
    AGENT.replace("CHECK", &check).replace("KEY", &key)
}

/// A run that waits for the key, with nobody driving it.
fn blocked(check: bool) -> TestEnv {
    blocked_with(WORKFLOW, check)
}

fn blocked_with(workflow: &str, check: bool) -> TestEnv {
    let env = world();
    env.run(workflow, &agent(&env, check), &["--no-wait"]).assert_code(3);
    env
}

/// A world whose user lets checks see where the key is to be.
fn world() -> TestEnv {
    let env = test_env!();
    let shown = env.root().join("tmp");
    env.file(".config/windlass/config.yaml", format!("expose: [\"{}\"]\n", shown.display()));
    env
}

fn blockers(env: &TestEnv) -> Vec<Value> {
    env.json(&["blocker", "list", "--json"])["blockers"].as_array().expect("a list").clone()
}

#[test]
fn an_agent_asks_for_help_and_the_run_waits_for_a_person() {
    let env = blocked(true);
    assert_eq!(env.status(), "awaiting_user");
    let said = env.place().join(".windlass/run/blocked.json");
    let said: Value = serde_json::from_slice(&fs_err::read(said).unwrap()).unwrap();
    assert_eq!(said["status"], "awaiting_user");
    assert_eq!(said["description"], "The key is missing");
    assert!(said["check_command"].as_str().unwrap().contains("test -e"), "{said}");
    assert!(!said["instructions"].as_array().unwrap().is_empty(), "{said}");
    let open = blockers(&env);
    assert_eq!(open.len(), 1);
    assert_eq!((&open[0]["severity"], &open[0]["step"]), (&json!("high"), &json!("code")));
    assert_eq!((&open[0]["status"], &open[0]["by"]), (&json!("open"), &json!("agent:code#1")));
    let shown = env.windlass(&["status"]).stdout;
    for words in ["The key is missing", "high", "windlass fixed 1", "windlass blocker check 1"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let document = env.place().join(".windlass/run/state.json");
    let document: Value = serde_json::from_slice(&fs_err::read(document).unwrap()).unwrap();
    assert_eq!(document["blockers"][0]["description"], "The key is missing");
    // Nobody judged what could not be finished, and no try is used.
    assert_eq!(env.log_json().count("step_not_proven"), 0);
    env.assert_audit();
}

#[test]
fn the_end_of_a_blocked_run_can_be_found_by_its_marker() {
    let env = test_env!();
    let ended = env.run(WORKFLOW, &agent(&env, true), &["--no-wait"]);
    let (_, block) = ended.stdout.split_once("HUMAN_INTERVENTION_NEEDED\n").expect("a block");
    for line in ["status: awaiting_user", "needed: blocker 1 (high): The key is missing"] {
        assert!(block.contains(line), "{line}: {block}");
    }
    assert!(block.contains("command: windlass fixed 1"), "{block}");
}

#[test]
fn looking_at_a_blocker_says_whether_the_run_could_go_on_and_changes_nothing() {
    let env = blocked(true);
    let before = env.log_json().kinds().len();
    let looked = env.windlass(&["blocker", "check", "--json"]);
    looked.assert_code(3);
    let said: Value = serde_json::from_str(&looked.stdout).unwrap();
    assert_eq!((&said["is_fixed"], &said["can_resume"]), (&json!(false), &json!(false)), "{said}");
    assert!(said["why"].as_str().unwrap().contains("exited with 1"), "{said}");
    fs_err::write(key(&env), "").unwrap();
    let said = env.json(&["blocker", "check", "1", "--json"]);
    assert_eq!((&said["is_fixed"], &said["can_resume"]), (&json!(true), &json!(true)), "{said}");
    assert_eq!(env.log_json().kinds().len(), before, "nothing was written");
    assert_eq!(env.status(), "awaiting_user");
    env.windlass(&["blocker", "check", "7"]).assert_code(2);
}

#[test]
fn a_blocker_stays_while_its_check_fails_and_says_why() {
    let env = blocked(true);
    env.windlass(&["fixed", "--no-wait"]).assert_code(3);
    let open = blockers(&env);
    assert_eq!(open[0]["status"], "open");
    assert!(open[0]["stays"].as_str().unwrap().contains("exited with 1"), "{open:?}");
    let shown = env.windlass(&["status"]).stdout;
    assert!(shown.contains("it stays: "), "{shown}");
    assert_eq!(env.log_json().count("attempt_started"), 1);
}

#[test]
fn a_fixed_blocker_lets_the_step_go_on_with_the_notes_in_its_prompt() {
    let env = blocked(true);
    fs_err::write(key(&env), "").unwrap();
    env.windlass(&["fixed", "1", "--notes", "It is in the vault now."]).assert_code(0);
    assert_eq!(env.status(), "completed");
    let prompt = fs_err::read_to_string(env.place().join(".windlass/run/seen.md")).unwrap();
    for words in ["## Resolved", "The key is missing", "It is in the vault now."] {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
    // The same step went on, from the files that were there.
    assert_eq!(env.log_json().count_of_step("step_done", "code"), 1);
    assert!(env.place().join("half.txt").exists());
    let resolved = blockers(&env);
    assert_eq!(resolved[0]["resolved"]["notes"], "It is in the vault now.");
    let report = env.windlass(&["report"]).stdout;
    assert!(
        report.contains("## Blockers") && report.contains("It is in the vault now."),
        "{report}"
    );
    let page = env.windlass(&["report", "--html"]).stdout;
    assert!(page.contains("Blockers") && page.contains("The key is missing"), "{page}");
    env.assert_audit();
}

#[test]
fn what_has_to_hold_before_the_run_goes_on_is_looked_at_too() {
    let gate = "recheck: [{run: \"test ! -e BROKEN\"}]\nsteps:";
    let env = world();
    let broken = env.root().join("tmp/broken");
    let gate = gate.replace("BROKEN", &broken.display().to_string());
    let workflow = WORKFLOW.replace("steps:", &gate);
    env.run(&workflow, &agent(&env, true), &["--no-wait"]).assert_code(3);
    fs_err::write(key(&env), "").unwrap();
    fs_err::write(&broken, "").unwrap();
    let looked = env.windlass(&["blocker", "check", "--json"]);
    let said: Value = serde_json::from_str(&looked.stdout).unwrap();
    assert_eq!((&said["is_fixed"], &said["verified"]), (&json!(true), &json!(false)), "{said}");
    env.windlass(&["fixed", "--no-wait"]).assert_code(3);
    assert_eq!(blockers(&env)[0]["status"], "open");
    fs_err::remove_file(&broken).unwrap();
    env.windlass(&["fixed"]).assert_code(0);
    env.assert_audit();
}

#[test]
fn a_living_driver_looks_and_tells_what_it_found() {
    let env = test_env!();
    let mut driver = env.start(env.run_command(WORKFLOW, &agent(&env, true), &[]));
    wait::for_fact("the blocker", || {
        !driver.has_ended() && env.windlass(&["status"]).stdout.contains("The key is missing")
    });
    let stays = env.windlass(&["fixed", "--notes", "done"]);
    stays.assert_code(3);
    assert!(stays.stdout.contains("blocker 1 stays"), "{stays}");
    fs_err::write(key(&env), "").unwrap();
    let resolved = env.json(&["fixed", "1", "--notes", "now it is", "--json"]);
    assert_eq!(resolved["resolved"], true);
    driver.wait(wait::DEADLINE).expect("the run continues").assert_code(0);
    assert_eq!(blockers(&env)[0]["resolved"]["notes"], "now it is");
}

#[test]
fn a_driver_that_only_looks_at_a_blocker_can_be_sent_away() {
    let env = test_env!();
    let mut driver = env.start(env.run_command(WORKFLOW, &agent(&env, true), &[]));
    wait::for_fact("the blocker", || {
        !driver.has_ended() && env.windlass(&["status"]).stdout.contains("The key is missing")
    });
    driver.signal(Signal::TERM);
    let left = driver.wait(wait::DEADLINE).expect("it goes");
    assert_eq!(left.code, Some(3), "{left}");
    assert_eq!(env.status(), "awaiting_user");
    env.assert_no_orphans();
}

#[test]
fn without_anything_to_look_at_the_persons_word_counts() {
    let env = blocked(false);
    let said = env.json(&["blocker", "check", "--json"]);
    assert_eq!((&said["is_fixed"], &said["verified"]), (&Value::Null, &Value::Null));
    assert_eq!(said["can_resume"], true);
    fs_err::write(key(&env), "").unwrap();
    env.windlass(&["fixed"]).assert_code(0);
    assert_eq!(env.status(), "completed");
}

#[test]
fn a_person_can_stop_the_run_for_something_too() {
    let env = test_env!();
    let workflow = WORKFLOW
        .replace("done: {file: answer.txt}", "gate: approval\n    done: {file: answer.txt}");
    fs_err::write(key(&env), "").unwrap();
    env.run(&workflow, &agent(&env, false), &[]).assert_code(3);
    let said = env.json(&["block", "The review meeting is tomorrow", "--json"]);
    assert_eq!((&said["status"], &said["check_command"]), (&json!("awaiting_user"), &Value::Null));
    assert_eq!(env.status(), "awaiting_user");
    env.windlass(&["block", ""]).assert_code(2);
    env.windlass(&["block", "x", "--severity", "huge"]).assert_code(2);
    env.windlass(&["fixed", "9"]).assert_code(2);
    env.windlass(&["fixed"]).assert_code(3);
    assert_eq!(env.status(), "awaiting_approval");
}

#[test]
fn an_agent_cannot_say_that_its_own_blocker_is_put_right() {
    let env = test_env!();
    let script = "set +e; windlass block 'No key'; windlass fixed 1 > .windlass/run/said.txt 2>&1; \
                  windlass blocker check 1 >> .windlass/run/said.txt 2>&1; true";
    env.run(WORKFLOW, script, &["--no-wait"]).assert_code(3);
    let said = fs_err::read_to_string(env.place().join(".windlass/run/said.txt")).unwrap();
    assert!(said.contains("an agent or a check cannot"), "{said}");
    assert_eq!(blockers(&env)[0]["status"], "open");
}

#[test]
fn a_checkpoint_is_a_state_of_the_code_to_come_back_to() {
    let env = test_env!();
    let workflow =
        WORKFLOW.replace("done: {file: last.md}", "gate: approval\n    done: {file: last.md}");
    let agent = "case $WINDLASS_STEP in code) echo \"$WINDLASS_ATTEMPT\" > answer.txt;; last) echo \"$WINDLASS_ATTEMPT\" > last.md;; esac";
    env.run(&workflow, agent, &[]).assert_code(3);
    env.windlass(&["checkpoint", "good"]).assert_code(0);
    env.windlass(&["checkpoint", "good"]).assert_code(2);
    env.windlass(&["checkpoint"]).assert_code(0);
    let listed = env.json(&["checkpoint", "list", "--json"]);
    assert_eq!((&listed[0]["name"], &listed[1]["name"]), (&json!("good"), &json!("C2")));
    let unknown = env.windlass(&["rollback", "last", "again", "--code", "--checkpoint", "bad"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("checkpoint list"), "{unknown}");
    env.windlass(&["rollback", "last", "again", "--code", "--checkpoint", "good"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(3);
    env.assert_audit();
}

#[test]
fn last_words_that_ask_for_a_person_raise_a_blocker() {
    let env = test_env!();
    let script = format!(
        "if test -e {key}; then echo \"$WINDLASS_ATTEMPT\" | tee answer.txt last.md; else echo working; \
         echo 'ESCALATION_REQUIRED: the sandbox of the bank is closed'; fi",
        key = key(&env).display()
    );
    env.run(WORKFLOW, &script, &["--no-wait"]).assert_code(3);
    let open = blockers(&env);
    assert_eq!(open[0]["description"], "the sandbox of the bank is closed");
    assert_eq!((&open[0]["by"], &open[0]["step"]), (&json!("agent:code#1"), &json!("code")));
    assert_eq!(env.log_json().count("step_not_proven"), 0, "nobody judges");
    fs_err::write(key(&env), "").unwrap();
    env.windlass(&["fixed", "--notes", "it is open"]).assert_code(0);
}

#[test]
fn a_check_that_turns_green_lets_a_living_driver_go_on_by_itself() {
    let env = test_env!();
    let mut driver = env.start(env.run_command(WORKFLOW, &agent(&env, true), &[]));
    wait::for_fact("the blocker", || {
        !driver.has_ended() && env.windlass(&["status"]).stdout.contains("The key is missing")
    });
    fs_err::write(key(&env), "").expect("a key");
    driver.wait(wait::DEADLINE).expect("the run continues").assert_code(0);
    let resolved = &blockers(&env)[0]["resolved"];
    assert_eq!((&resolved["by"], &resolved["notes"]), (&Value::Null, &Value::Null), "{resolved}");
    let prompt = fs_err::read_to_string(env.place().join(".windlass/run/seen.md")).unwrap();
    assert!(prompt.contains("its check holds now"), "{prompt}");
    env.assert_audit();
}

#[test]
fn the_check_of_an_agent_has_the_rights_of_an_attempt() {
    let env = world();
    let findings = env.json(&["doctor", "--json"]);
    let says = findings.as_array().expect("findings").iter().filter_map(|one| one["says"].as_str());
    if !says.into_iter().any(|says| says.starts_with("namespaces: ")) {
        // Without a view, root has all its rights everywhere.
        return;
    }
    // A check of the workflow keeps some rights of root in its room; whoever has none cannot tell.
    let rights = "grep -q CapEff:.0000000000000000 /proc/self/status";
    let check = format!("--check '{rights} && test -e {}'", key(&env).display());
    let agent = AGENT.replace("CHECK", &check).replace("KEY", &key(&env).display().to_string());
    env.run(WORKFLOW, &agent, &["--no-wait"]).assert_code(3);
    fs_err::write(key(&env), "").unwrap();
    let said = env.json(&["blocker", "check", "1", "--json"]);
    assert_eq!((&said["is_fixed"], &said["can_resume"]), (&json!(true), &json!(true)), "{said}");
}

#[test]
fn the_check_of_a_blocker_reaches_what_its_step_reaches() {
    // A service of the machine: only a step with the machine's network gets to it.
    let service = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = service.local_addr().expect("an address").port();
    let check = format!("bash -c ': < /dev/tcp/127.0.0.1/{port}'");
    let agent = format!("windlass block 'The service is down' --check \"{check}\"");
    let last = "  - {id: last, agent: writer, done: {file: last.md}}\n";
    for (network, code) in [("on", 0), ("provider, hosts: listed.example.org", 3), ("off", 3)] {
        let env = test_env!();
        let step = format!("{{id: code, agent: developer, done: {{file: a}}, network: {network}}}");
        let workflow = format!("workflow: needs-help\nsteps:\n  - {step}\n{last}");
        env.run(&workflow, &agent, &["--no-wait"]).assert_code(3);
        let looked = env.windlass(&["blocker", "check", "1"]);
        assert_eq!(looked.code, Some(code), "{network}: {looked}");
    }
}
