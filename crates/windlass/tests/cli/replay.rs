//! The state at any event, and why a step is where it is.

use insta::assert_snapshot;
use windlass_testkit::test_env;

use crate::support::{eventful, shown};

#[test]
fn the_whole_way_of_a_step_is_told_with_event_numbers() {
    let env = eventful();
    let why = env.windlass(&["replay", "--why", "build"]);
    why.assert_code(0);
    assert_snapshot!(shown(&env, &why.stdout));
    let json = env.json(&["replay", "--why", "build", "--json"]);
    assert_eq!(json["status"], "done");
    let seqs: Vec<u64> =
        json["sentences"].as_array().unwrap().iter().map(|s| s["seq"].as_u64().unwrap()).collect();
    assert!(seqs.is_sorted() && seqs.len() > 8, "{seqs:?}");
}

#[test]
fn an_earlier_event_shows_the_screen_of_that_moment() {
    let env = eventful();
    let log = env.log_json();
    let opened = log.lines.iter().find(|line| line["kind"] == "gate_opened").unwrap();
    let seq = opened["seq"].to_string();
    let then = env.windlass(&["replay", "--to", &seq]);
    then.assert_code(0);
    assert_snapshot!(shown(&env, &then.stdout));
    let json = env.json(&["replay", "--to", &seq, "--json"]);
    assert_eq!(json["state"]["run"]["status"], "awaiting_approval");
    assert_eq!(json["state"]["gate"]["step"], "plan");
    assert_eq!(json["says"], "`plan` waits for a person");
}

#[test]
fn the_state_after_the_last_event_is_the_status() {
    let env = eventful();
    let last = env.json(&["replay", "--json"]);
    let mut status = env.status_json();
    // Who drives the run is no part of its journal.
    assert_eq!(status.as_object_mut().unwrap().remove("driver").unwrap()["driven"], false);
    assert_eq!(last["state"], status);
    assert_eq!(last["seq"], last["of"]);
}

#[test]
fn an_event_that_is_not_there_names_the_range_and_an_unknown_step_the_nearest() {
    let env = eventful();
    let last = env.log_json().lines.len();
    for bad in ["0", "1", "100000"] {
        let refused = env.windlass(&["replay", "--to", bad]);
        refused.assert_code(2);
        assert!(refused.stderr.contains(&format!("2 to {last}")), "{refused}");
    }
    let unknown = env.windlass(&["replay", "--why", "biuld"]);
    unknown.assert_code(2);
    assert_snapshot!(shown(&env, &unknown.stderr), @r"
    error: there is no step `biuld` in run `[RUN]`

    hint: did you mean `build`?
    ");
    env.windlass(&["replay", "--to", "x"]).assert_code(2);
}

#[test]
fn without_a_run_there_is_nothing_to_replay() {
    let env = test_env!();
    for arguments in [&["replay"][..], &["diff"], &["trash", "list"], &["report"]] {
        let refused = env.windlass(arguments);
        refused.assert_code(2);
        assert!(refused.stderr.contains("windlass run GOAL"), "{refused}");
    }
}
