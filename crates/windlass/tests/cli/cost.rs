//! `windlass cost`: every attempt once, and what is unknown as unknown.

use windlass_testkit::{TestEnv, test_env};

use crate::support::{GATED, HONEST, SECOND_TIME};

fn total(env: &TestEnv) -> serde_json::Value {
    env.json(&["cost", "--json"])["total"].clone()
}

#[test]
fn before_the_first_attempt_it_says_so() {
    let env = test_env!();
    let said = env.windlass(&["cost"]);
    said.assert_code(0);
    assert_eq!(
        said.stdout.trim(),
        "no attempt in this repository has ended yet; `windlass run` starts one"
    );
    assert_eq!(env.json(&["cost", "--json"])["total"]["attempts"], 0);
}

#[test]
fn attempts_are_added_up_by_step_agent_model_and_day() {
    let env = test_env!();
    env.run(GATED, SECOND_TIME, &["--yes"]).assert_code(0);
    let said = env.windlass(&["cost"]);
    said.assert_code(0);
    for line in [
        "3 attempts of unknown cost, 3 attempts",
        "by step\n  build     2 ×  2 attempts of unknown cost\n  plan      1 ×  1 attempt of unknown cost",
        "by agent\n  developer     2 ×",
        "by model\n  model unknown (command)     3 ×",
        "by day\n  20",
    ] {
        assert!(said.stdout.contains(line), "{line:?} is not in\n{said}");
    }
    assert!(!said.stdout.contains("USD"), "what is unknown is no money: {said}");
    let by_run = env.json(&["cost", "--by", "run", "--json"]);
    let run = env.status_json()["run"]["id"].clone();
    assert_eq!(by_run["groups"][0]["by"], "run");
    assert_eq!(by_run["groups"][0]["rows"][0]["key"], run);
    assert_eq!(by_run["groups"][0]["rows"][0]["unknown_cost"], 3);
}

#[test]
fn money_tokens_and_turns_are_named_as_far_as_they_are_known() {
    let env = test_env!();
    env.run(GATED, SECOND_TIME, &["--yes"]).assert_code(0);
    let database = rusqlite::Connection::open(env.state().join("machine.db")).unwrap();
    let priced = "UPDATE spend SET cost_usd = 1.234, input_tokens = 900, output_tokens = 70, \
                  turns = 4, model = 'small' WHERE step = 'plan'";
    assert_eq!(database.execute(priced, []).unwrap(), 1);
    drop(database);
    let said = env.windlass(&["cost", "--by", "model"]);
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "1.23 USD + 2 attempts of unknown cost, 3 attempts, 900 tokens read, 70 written + 2 × unknown, 4 turns",
            "",
            "by model",
            "  model unknown (command)     2 ×  2 attempts of unknown cost",
            "  small (command)             1 ×  1.23 USD, 900 tokens read, 70 written, 4 turns",
        ]
    );
}

#[test]
fn sums_are_the_same_whatever_died_and_whatever_was_lost() {
    let env = test_env!();
    let mut command = env.run_command(GATED, HONEST, &["--yes"]);
    command.env("WINDLASS_FAULT", "before-ledger:1");
    let killed = env.finish(command);
    assert_eq!(killed.code, None, "{killed}");
    env.windlass(&["resume"]).assert_code(0);
    let before = total(&env);
    let journal = env.log_json();
    let ended = journal.count("attempt_ended") + journal.count("attempt_lost");
    assert_eq!(before["attempts"], ended);
    assert_eq!(ended, 2);
    for file in ["machine.db", "machine.db-wal", "machine.db-shm"] {
        let _ = fs_err::remove_file(env.state().join(file));
    }
    assert_eq!(total(&env), before);
    assert_eq!(total(&env), before, "looking changes nothing");
}

#[test]
fn a_run_a_day_or_all_repositories_can_be_asked_for() {
    let env = test_env!();
    env.run(GATED, HONEST, &["--yes"]).assert_code(0);
    env.run(GATED, HONEST, &[]).assert_code(3);
    let run = env.status_json()["run"]["id"].as_str().expect("a run").to_owned();
    assert_eq!(env.json(&["cost", "--run", &run, "--json"])["total"]["attempts"], 1);
    assert_eq!(total(&env)["attempts"], 3);
    let future = env.windlass(&["cost", "--since", "2999-01-01"]);
    assert_eq!(future.stdout.trim(), "no attempt in this repository has ended since 2999-01-01");
    let wrong = env.windlass(&["cost", "--since", "yesterday"]);
    wrong.assert_code(2);
    assert!(wrong.stderr.contains("`--since yesterday` is not a date"), "{wrong}");
    env.windlass(&["cost", "--run", "nosuch"]).assert_code(2);
    env.windlass(&["cost", "--all", "--run", &run]).assert_code(2);
    // From anywhere, also where no repository is.
    let mut command = env.windlass_command(&["cost", "--all", "--json"]);
    command.current_dir(env.root().join("tmp"));
    let all: serde_json::Value = serde_json::from_str(&env.finish(command).stdout).unwrap();
    assert_eq!(all["total"]["attempts"], 3);
}
