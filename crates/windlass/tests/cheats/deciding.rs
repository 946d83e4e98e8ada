//! Agents and checks that decide about their own run.

use crate::support::{ANSWER, caught, env, env_in_temp};

const GATED: &str = r#"
workflow: gated
defaults: {retries: 1, timeout: 30s}
steps:
  - id: build
    agent: developer
    task: Build.
    publishes: {build.note: string}
    done: {file: answer.txt}
    gate: approval
    commit: wip
  - id: after
    agent: developer
    task: After.
    done: {file: after.txt}
"#;

const DECISIONS: &str = "for words in 'approve' 'resume' 'skip build --reason x' 'abort' 'rollback build x' 'feedback x' 'retry-reset' 'pause' 'context set build.note=x'; do";

/// Runs a gated workflow without `--yes`: only the gate may be what it waits for.
fn waits_for_a_person(env: &windlass_testkit::TestEnv, workflow: &str, agent: &str) {
    let finished = env.run(workflow, agent, &[]);
    assert_eq!(finished.code, Some(3), "{finished}");
    assert_eq!(env.status(), "awaiting_approval");
    let log = env.log_json();
    for kind in ["gate_approved", "step_skipped", "run_aborted", "rolled_back", "feedback_given"] {
        assert_eq!(log.count(kind), 0, "{kind}");
    }
    env.assert_audit();
    env.assert_no_orphans();
}

#[test]
fn an_agent_decides() {
    for env in [env(), env_in_temp()] {
        let home = format!("WINDLASS_HOME={}", env.state().display());
        let exe = env.exe().display();
        let agent = format!(
            "echo new > answer.txt; export HOME=\"$USERS_HOME\"; cd \"$HOME/project\"; {DECISIONS} env {home} {exe} $words; windlass $words; done; exit 0"
        );
        waits_for_a_person(&env, GATED, &agent);
    }
}

#[test]
fn an_agent_that_has_forgotten_who_it_is_decides() {
    let env = env();
    let exe = env.exe().display();
    let home = env.home().display().to_string();
    let keep = format!(
        "HOME={home} WINDLASS_HOME={} XDG_CACHE_HOME={home}/.cache XDG_DATA_HOME={home}/.local/share PATH=$PATH",
        env.state().display()
    );
    let agent = format!(
        "echo new > answer.txt; export HOME=\"$USERS_HOME\"; cd \"$HOME/project\"; {DECISIONS} env -i {keep} {exe} $words; env -i {keep} nohup setsid {exe} $words; env -i {keep} setsid -f {exe} $words; done; exit 0"
    );
    waits_for_a_person(&env, GATED, &agent);
}

#[test]
fn a_process_that_waits_for_the_gate_is_gone_before_it_opens() {
    let env = env();
    let exe = env.exe().display();
    let home = env.home().display().to_string();
    let keep = format!(
        "HOME={home} WINDLASS_HOME={} XDG_CACHE_HOME={home}/.cache XDG_DATA_HOME={home}/.local/share PATH=$PATH",
        env.state().display()
    );
    let agent = format!(
        "echo new > answer.txt; export HOME=\"$USERS_HOME\"; cd \"$HOME/project\"; env -i {keep} setsid -f sh -c 'while :; do {exe} approve; done' >/dev/null 2>&1; exit 0"
    );
    waits_for_a_person(&env, GATED, &agent);
}

#[test]
fn a_check_decides() {
    let env = env();
    let exe = env.exe().display().to_string();
    let state = env.state().display().to_string();
    let workflow = GATED.replace("done: {file: answer.txt}", "done: {run: sh test.sh}");
    let agent = format!(
        "cat > test.sh <<'E'\ncd \"$HOME/project\"; {DECISIONS} WINDLASS_HOME={state} {exe} $words; WINDLASS_HOME={state} setsid -f {exe} $words; done; exit 0\nE"
    );
    waits_for_a_person(&env, &workflow, &agent);
}

#[test]
fn an_agent_starts_a_run_of_its_own() {
    let env = env();
    let exe = env.exe().display();
    let agent = format!(
        "export HOME=\"$USERS_HOME\"; cd \"$HOME/project\"; WINDLASS_HOME={} {exe} run x --workflow \"$HOME/workflow.yaml\" --agent-command true --yes && touch \"$TMPDIR/../started\"; exit 0",
        env.state().display()
    );
    caught(&env, ANSWER, &agent);
    assert_eq!(env.windlass(&["status", "--all", "--json"]).stdout.matches("\"id\"").count(), 1);
}

#[test]
fn keys_that_the_step_does_not_publish() {
    let env = env();
    let agent = "windlass context set other.key=1 && touch accepted; windlass context set build=x && touch accepted; windlass context set build.note.deeper=1 && touch accepted; echo new > answer.txt; exit 0";
    env.run(GATED, agent, &[]).assert_code(3);
    assert_eq!(env.log_json().count("context_set"), 0);
    assert!(!env.place().join("accepted").exists());
}

#[test]
fn a_token_of_another_attempt() {
    let env = env();
    let agent = "WINDLASS_TOKEN=guess windlass context set build.note=x && touch accepted; WINDLASS_ATTEMPT=build#9 windlass context set build.note=x && touch accepted; echo new > answer.txt; exit 0";
    env.run(GATED, agent, &[]).assert_code(3);
    assert_eq!(env.log_json().count("context_set"), 0);
}

#[test]
fn a_verdict_on_its_own_work_does_not_even_start() {
    let workflow = r#"
workflow: vain
steps:
  - id: build
    agent: developer
    task: Build.
    publishes: {build.verdict: string}
    done: {verdict: .context.build.verdict, accept: [GREAT]}
"#;
    let env = env();
    let finished = env.run(workflow, "windlass context set build.verdict=GREAT", &["--yes"]);
    assert_eq!(finished.code, Some(2), "{finished}");
}
