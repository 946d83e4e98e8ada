//! One session owns a run; others are left alone, or take over.

use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use serde_json::json;
use windlass_testkit::{Host, test_env};

use crate::support::{at_the_gate, count};

#[test]
fn a_session_below_the_owner_is_guarded_and_not_heard() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    // As one that its model starts: a process between the owner and the hook.
    let below = |event: &str, body| {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let other = Host::silent(&env, "s2");
        ours.write_all(other.input(event, body).to_string().as_bytes()).unwrap();
        drop(ours);
        let hook = other.command(event);
        let mut shell = env.command("sh");
        let line = format!("{} hook claude {event}; true", env.exe().display());
        shell.args(["-c", &line]).envs(hook.get_envs().filter_map(|(k, v)| Some((k, v?))));
        shell.stdin(Stdio::from(OwnedFd::from(theirs)));
        env.finish(shell).stdout
    };
    let push =
        json!({"tool_name": "Bash", "tool_input": {"command": "git push"}, "tool_use_id": "t"});
    assert!(below("pre-tool-use", push).contains("deny"));
    below("session-start", json!({"source": "startup"}));
    below("user-prompt-submit", json!({"prompt": "approve"}));
    below("user-prompt-submit", json!({"prompt": "/windlass:resume"}));
    assert_eq!(below("stop", json!({})), "");
    assert_eq!(count(&env, "gate_approved"), 0);
    assert_eq!(count(&env, "driver_took_over"), 1);
    assert!(host.stops().message().is_some(), "the owner is unaffected");
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

#[test]
fn a_new_conversation_in_the_owners_window_goes_on_with_the_run() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    host.call("session-end", json!({"reason": "clear"}));
    let cleared = Host::silent(&env, "s2");
    let told = cleared.call("session-start", json!({"source": "clear"}));
    assert!(told.context().unwrap().contains("awaiting approval"), "{told:?}");
    cleared.says("approve");
    assert_eq!(count(&env, "gate_approved"), 1);
}
