//! Who is calling: only the host is heard.

use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Stdio;

use serde_json::json;
use windlass_testkit::test_env;

use crate::support::{at_the_gate, count};

#[test]
fn a_call_from_a_shell_decides_nothing_and_is_guarded_all_the_same() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    let told = host.call_from_shell("user-prompt-submit", json!({"prompt": "approve"}));
    assert!(told.context().unwrap().contains("it was ignored"), "{told:?}");
    let denied = host.call_from_shell(
        "pre-tool-use",
        json!({"tool_name": "Bash", "tool_input": {"command": "git push"}, "tool_use_id": "t"}),
    );
    assert!(denied.denial().is_some());
    assert!(host.call_from_shell("stop", json!({})).sent_on().is_none());
    assert_eq!(count(&env, "gate_approved"), 0);
}

#[test]
fn a_socket_with_a_name_is_not_the_hosts() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    // The host itself listens on sockets that anybody can connect to: its pid is at the other end then.
    let path = env.root().join("sock");
    let listener = UnixListener::bind(&path).unwrap();
    let theirs = UnixStream::connect(&path).unwrap();
    let (mut ours, _) = listener.accept().unwrap();
    let input = host.input("user-prompt-submit", json!({"prompt": "approve"})).to_string();
    ours.write_all(input.as_bytes()).unwrap();
    drop(ours);
    let mut command = host.command("user-prompt-submit");
    command.stdin(Stdio::from(OwnedFd::from(theirs)));
    env.finish(command).assert_code(0);
    assert_eq!(count(&env, "gate_approved"), 0);
}

#[test]
fn a_process_between_host_and_hook_is_not_the_host() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let input = host.input("user-prompt-submit", json!({"prompt": "approve"})).to_string();
    ours.write_all(input.as_bytes()).unwrap();
    drop(ours);
    let hook = host.command("user-prompt-submit");
    let mut shell = env.command("sh");
    let line = format!("{} hook claude user-prompt-submit; true", env.exe().display());
    shell.args(["-c", &line]).envs(hook.get_envs().filter_map(|(k, v)| Some((k, v?))));
    shell.stdin(Stdio::from(OwnedFd::from(theirs)));
    env.finish(shell).assert_code(0);
    assert_eq!(count(&env, "gate_approved"), 0);
}

#[test]
fn a_call_about_another_event_is_refused() {
    let env = test_env!();
    let host = at_the_gate(&env, "s1");
    let answer = host.call("pre-tool-use", json!({"hook_event_name": "Stop", "tool_name": "Bash"}));
    assert!(answer.denial().unwrap().contains("another event"), "{answer:?}");
}
