//! Processes that outlive their agent, and agents that do not end.

use crate::support::{ANSWER, caught, env, honest, published};

#[test]
fn a_process_left_behind_edits_nothing_later() {
    let env = env();
    let agent = r#"
        echo right > answer.txt
        for start in 'setsid -f' 'nohup' 'env -i setsid -f'; do
          $start sh -c 'while :; do echo wrong > answer.txt; echo x >> late.txt; done' >/dev/null 2>&1 &
        done
        (trap '' TERM HUP INT; while :; do echo wrong > answer.txt; done) >/dev/null 2>&1 &
        echo right > answer.txt"#;
    let finished = env.run(ANSWER, agent, &["--yes"]);
    env.assert_no_orphans();
    env.assert_audit();
    // Who won the race is nobody's business; what is accepted must be right.
    if finished.code == Some(0) {
        assert_eq!(published(&env, "answer.txt"), "right");
    }
}

#[test]
fn an_agent_that_stalls_is_ended() {
    let idle = ANSWER.replace("idle_timeout: 10s", "idle_timeout: 1s");
    caught(
        &env(),
        &format!("{idle}    backoff: {{initial: 10ms, max: 20ms}}\n"),
        "trap '' TERM; exec sleep 600",
    );
}

#[test]
fn an_agent_that_crashes_has_done_nothing() {
    caught(&env(), ANSWER, "kill -9 $$");
    caught(&env(), ANSWER, "echo wrong > answer.txt; kill -SEGV $$");
}

#[test]
fn an_agent_that_kills_its_launcher() {
    caught(&env(), ANSWER, "kill -9 $PPID; echo wrong > answer.txt");
}

#[test]
fn an_agent_that_talks_without_end() {
    let env = env();
    honest(&env, ANSWER, "head -c 200000000 /dev/zero | tr '\\0' 'x'; echo right > answer.txt");
    let ended = env.log_json().last("attempt_ended").unwrap().clone();
    let kept = ended["report"]["output"]["bytes"].as_u64().unwrap();
    assert!(kept < 16 << 20, "{kept} bytes were kept");
}

#[test]
fn a_check_that_talks_without_end() {
    let env = env();
    let workflow = ANSWER.replace(
        "grep -qx right answer.txt",
        "head -c 50000000 /dev/zero; grep -qx right answer.txt",
    );
    honest(&env, &workflow, "echo right > answer.txt");
}

#[test]
fn many_processes_end_with_their_agent() {
    let env = env();
    caught(
        &env,
        ANSWER,
        "i=0; while [ $i -lt 200 ]; do setsid -f sleep 600; i=$((i+1)); done; echo wrong > answer.txt",
    );
}
