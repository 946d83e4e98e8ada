//! What other programs rely on.

use insta::assert_snapshot;
use serde_json::json;
use windlass_testkit::test_env;

use crate::support::{GATED, HONEST, at_the_gate};

#[test]
fn a_completed_run_exits_with_0_and_a_waiting_one_with_3() {
    let env = at_the_gate();
    env.windlass(&["approve", "-m", "good"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    assert_eq!(env.status(), "completed");
    assert_eq!(env.log_json().last("gate_approved").unwrap()["message"], "good");
}

#[test]
fn tries_used_up_exit_with_4_and_an_abort_with_5() {
    let env = test_env!();
    env.run(GATED, "true", &["--yes"]).assert_code(4);
    let status = env.status_json();
    assert_eq!(status["run"]["status"], "paused");
    assert_eq!(status["run"]["reason"], "retries_exhausted");
    env.windlass(&["abort", "--reason", "enough"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(5);
    assert_eq!(env.status(), "aborted");
}

#[test]
fn status_has_its_documented_shape() {
    let env = at_the_gate();
    let status = env.status_json();
    for key in ["id", "workflow", "goal", "status", "reason"] {
        assert!(status["run"].get(key).is_some(), "{key}: {status:#}");
    }
    assert_eq!(status["run"]["goal"], "Do it");
    assert_eq!(status["run"]["workflow"], "gated");
    let step = &status["steps"][0];
    assert_eq!((&step["id"], &step["title"]), (&json!("plan"), &json!("Planning")));
    assert_eq!(step["attempts"], 1);
    assert_eq!(status["gate"]["step"], "plan");
}

#[test]
fn audit_and_log_have_their_documented_shape_and_agree() {
    let env = at_the_gate();
    let audit = env.audit_json();
    assert_eq!(audit["ok"], true);
    assert_eq!(audit["problems"], json!([]));
    let log = env.log_json();
    log.assert_linked();
    for line in &log.lines {
        for key in ["seq", "time", "actor", "kind", "payload", "prev", "hash"] {
            assert!(line.get(key).is_some(), "{key}: {line}");
        }
    }
    assert_eq!(audit["events"], log.lines.len());
    assert_eq!(audit["head"], log.lines.last().unwrap()["hash"]);
    assert_eq!(log.lines[0]["seq"], 1);
    // The head that a commit names is in the journal.
    env.windlass(&["approve"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    let branch = env.status_json()["run"]["branch"].as_str().unwrap().to_owned();
    let message = env.repository.git(&["log", "--format=%B", &branch]);
    let named: Vec<&str> =
        message.lines().filter_map(|line| line.strip_prefix("Windlass-Journal: ")).collect();
    let log = env.log_json();
    assert_eq!(named.len(), 2, "{message}");
    assert!(named.iter().all(|named| log.lines.iter().any(|line| line["hash"] == *named)));
}

#[test]
fn context_is_json_where_it_parses_and_text_otherwise() {
    let env = test_env!();
    let agent = "windlass context set plan.size=3 plan.note=3x 'plan.parts=[1, \"a\"]' && windlass context get plan.size > size; windlass context set plan.size=many && touch accepted; echo plan > plan.md";
    env.run(GATED, agent, &[]).assert_code(3);
    let log = env.log_json();
    let set: Vec<_> = log
        .of("context_set")
        .iter()
        .map(|set| (set["key"].clone(), set["value"].clone()))
        .collect();
    assert_eq!(
        set,
        [
            (json!("plan.size"), json!(3)),
            (json!("plan.note"), json!("3x")),
            (json!("plan.parts"), json!([1, "a"]))
        ]
    );
    assert_eq!(fs_err::read_to_string(env.place().join("size")).unwrap().trim(), "3");
    assert!(!env.place().join("accepted").exists());
}

#[test]
fn a_person_sees_where_the_run_stands() {
    let env = at_the_gate();
    let shown = env.windlass(&["status"]);
    let shown = env.normalise(&shown.stdout);
    assert!(shown.contains("windlass approve"), "{shown}");
    let commit =
        env.repository.git(&["for-each-ref", "--format=%(subject)", "refs/heads/windlass"]);
    assert_snapshot!(commit, @"Do it (planning)");
}

#[test]
fn everything_works_below_the_folder_for_temporary_files() {
    let env = test_env!(windlass_testkit::Layout::SystemTemp);
    env.run(GATED, HONEST, &["--yes"]).assert_code(0);
    env.assert_audit();
    env.assert_no_orphans();
}

#[test]
fn place_of_another_checkout_is_not_touched() {
    let env = test_env!();
    env.repository.write("uncommitted.txt", "mine\n");
    env.run(GATED, HONEST, &["--yes"]).assert_code(0);
    assert_eq!(env.repository.git(&["status", "--porcelain"]), "?? uncommitted.txt");
    assert_eq!(env.repository.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
}

#[test]
fn an_agent_that_publishes_many_facts_at_once_loses_none() {
    let env = test_env!();
    let agent = "for n in $(seq 60); do (windlass context set plan.size=$n || echo $n >> lost) & done; \
                 wait; echo plan > plan.md";
    env.run(GATED, agent, &[]).assert_code(3);
    let lost = fs_err::read_to_string(env.place().join("lost")).unwrap_or_default();
    assert_eq!(lost, "");
    assert_eq!(env.log_json().count("context_set"), 60);
}
