//! One session owns a run; others are left alone, or take over.

use serde_json::json;
use windlass_testkit::{Host, test_env};

use crate::support::{at_the_gate, count};

#[test]
fn a_session_below_the_owner_is_guarded_and_not_heard() {
    let env = test_env!();
    at_the_gate(&env, "s1");
    // In this test every session is a child of the owner's process: as one that its model starts.
    let other = Host::start(&env, "s2");
    assert!(other.tool("Bash", json!({"command": "git push"})).denial().is_some());
    other.says("approve");
    assert!(other.stops().json.is_none());
    assert_eq!(count(&env, "gate_approved"), 0);
}

#[test]
fn compaction_brings_the_rules_again_and_restarts_nothing() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    let told = host.says("approve");
    host.starts(told.context().unwrap(), "a2");
    host.call("pre-compact", json!({"trigger": "auto"}));
    let worker = json!({"agent_id": "compactor", "agent_type": "", "stop_hook_active": false});
    assert!(host.call("subagent-stop", worker).json.is_none());
    let again = host.call("session-start", json!({"source": "compact"}));
    assert!(again.context().unwrap().starts_with("You are the transport"), "{again:?}");
    assert_eq!(count(&env, "session_noted"), 1);
    assert_eq!(count(&env, "attempt_lost"), 0);
    assert_eq!(count(&env, "driver_took_over"), 1);
}

#[test]
fn a_session_that_ends_leaves_the_run_and_its_guards() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    host.call("session-end", json!({"reason": "other"}));
    assert_eq!(count(&env, "driver_left"), 1);
    assert!(host.tool("Bash", json!({"command": "git push"})).denial().is_some());
}

#[test]
fn a_local_run_does_not_take_a_living_sessions_run() {
    let env = test_env!();
    at_the_gate(&env, "s1");
    let refused = env.windlass_elsewhere(&["resume"]);
    assert!(refused.stdout.contains("driven by a session of Claude Code"), "{refused}");
    let status = env.windlass_elsewhere(&["status"]);
    status.assert_code(0);
}
