//! Why checks failed: what is waited for, what a person is asked for, and what stays the work's.

use windlass_testkit::{TestEnv, test_env};

/// One step whose check is a script of the repository.
const ONE: &str = r#"
workflow: one
baseline: BASELINE
defaults: {retries: 2, backoff: {initial: 1h, max: 1h}}
steps:
  - id: build
    agent: developer
    task: Build.
    done: {all: [{file: work.md}, {run: sh check.sh}]}
"#;

fn one(baseline: &str) -> String {
    ONE.replace("BASELINE", baseline)
}

fn with_check(script: &str) -> TestEnv {
    let env = test_env!();
    env.repository.write("check.sh", script);
    env.repository.commit("a check");
    env
}

fn category(env: &TestEnv) -> String {
    let list = env.json(&["failure", "list", "--json"]);
    let last = list.as_array().and_then(|list| list.last()).cloned().unwrap_or_default();
    last["category"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_program_that_is_missing_for_everybody_becomes_a_blocker_that_names_it() {
    let env = with_check("frobnicate --all\n");
    let finished = env.run(&one("off"), "date +%N > work.md", &["--no-wait"]);
    finished.assert_code(3);
    let journal = env.log_json();
    assert_eq!((journal.count("attempt_started"), journal.count("step_not_proven")), (1, 0));
    let opened = journal.last("blocker_opened").expect("a blocker").to_string();
    assert!(opened.contains("the program `frobnicate` is missing"), "{opened}");
    assert!(opened.contains("command -v frobnicate"), "{opened}");
    assert_eq!(category(&env), "environment");
    env.assert_audit();
}

#[test]
fn trouble_that_is_there_without_the_work_is_waited_for() {
    let env = with_check("echo 'cp: error writing: No space left on device'; exit 1\n");
    env.run(&one("off"), "date +%N > work.md", &["--no-wait"]).assert_code(4);
    assert_eq!(env.status(), "waiting");
    let journal = env.log_json();
    assert_eq!(journal.count("verification_hindered"), 1, "{:?}", journal.kinds());
    assert_eq!(journal.count("step_not_proven"), 0);
    assert_eq!(category(&env), "disk");
    let advice = env.json(&["failure", "advice", "build", "--json"]);
    assert_eq!(advice["should_retry"], true, "{advice:#}");
    assert!(advice["reason"].as_str().unwrap().contains("No space left"), "{advice:#}");
    env.assert_audit();
}

#[test]
fn an_agent_whose_code_only_says_that_the_disk_is_full_gains_nothing() {
    // It passes without the work; the work makes it fail, and print what sounds like an excuse.
    let env = with_check("test ! -e excuse.sh || sh excuse.sh\n");
    let agent = "date +%N > work.md\n\
                 echo 'echo No space left on device; echo sh: 1: npm: not found; exit 1' > excuse.sh";
    let finished = env.run(&one("strict"), agent, &["--no-wait"]);
    finished.assert_code(4);
    assert_eq!(env.status_json()["run"]["reason"], "retries_exhausted");
    let journal = env.log_json();
    assert_eq!(journal.count("verification_hindered"), 0);
    assert_eq!(journal.count("step_not_proven"), 2, "both tries are used");
}

#[test]
fn without_a_network_nothing_that_is_said_about_one_is_believed() {
    let env = with_check("echo 'Error: connect ECONNREFUSED 10.0.0.1:80'; exit 1\n");
    env.run(&one("off"), "date +%N > work.md", &["--no-wait"]).assert_code(4);
    assert_eq!(env.log_json().count("verification_hindered"), 0);
    assert_eq!(category(&env), "test");
}

#[test]
fn what_was_so_on_the_base_commit_is_a_matter_for_a_person() {
    let env = with_check("echo 'write: No space left on device'; exit 1\n");
    env.run(&one("strict"), "date +%N > work.md", &["--no-wait"]).assert_code(3);
    let opened = env.log_json().last("blocker_opened").expect("a blocker").to_string();
    assert!(opened.contains("on the base commit already"), "{opened}");
    assert_eq!(env.log_json().count("step_not_proven"), 0, "no try is used");
}

#[test]
fn a_check_that_ran_out_of_time_is_no_failed_test_and_a_linter_is_one_by_name() {
    let slow = one("off").replace("{run: sh check.sh}", "{run: sh check.sh, timeout: 1s}");
    let env = with_check("sleep 30\n");
    env.run(
        &slow.replace("initial: 1h, max: 1h", "initial: 1ms, max: 2ms"),
        "date +%N > work.md",
        &[],
    )
    .assert_code(4);
    assert_eq!(category(&env), "timeout");

    let env = with_check("echo 'a.js: 1 problem'; echo '✖ 1 problem (1 error)'; exit 1\n");
    env.run(&one("off"), "date +%N > work.md", &["--no-wait"]).assert_code(4);
    assert_eq!(category(&env), "lint");
}

#[test]
fn a_failure_is_noted_without_a_category_where_a_rule_fits() {
    let env = with_check("exit 1\n");
    env.file(
        ".config/windlass/config.yaml",
        "failures: [{match: 'GRID', of: check, category: infra}]\n",
    );
    env.run(&one("off"), "date +%N > work.md", &["--no-wait"]).assert_code(4);
    env.windlass(&["failure", "add", "build", "fetch failed: ECONNRESET"]).assert_code(0);
    assert_eq!(category(&env), "network");
    env.windlass(&["failure", "add", "build", "GRID: no browser"]).assert_code(0);
    assert_eq!(category(&env), "infra");
    let unknown = env.windlass(&["failure", "add", "build", "it is odd"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("--category"), "{unknown}");
}

#[test]
fn a_failure_that_another_run_met_is_told_with_what_solved_it_there() {
    let env = with_check("grep -q good work.md\n");
    let two = one("off").replace("initial: 1h, max: 1h", "initial: 1ms, max: 2ms");
    // The first run fails once, and then finds out.
    let learns =
        "case $WINDLASS_ATTEMPT in *#1) echo bad > work.md;; *) echo good > work.md;; esac";
    env.run(&two, learns, &[]).assert_code(0);
    let keeps = format!("cp \"$WINDLASS_PROMPT_FILE\" .windlass/run/seen.md; {learns}");
    env.run(&two, &keeps, &[]).assert_code(0);
    let prompt = fs_err::read_to_string(env.place().join(".windlass/run/seen.md")).unwrap();
    assert!(prompt.contains("Other runs of this repository failed in the same way:"), "{prompt}");
    assert!(prompt.contains("solved there with changes in `work.md`"), "{prompt}");
    let journal = env.log_json();
    let failed = journal.last("step_not_proven").expect("the first try failed").to_string();
    assert!(failed.contains("\"elsewhere\""), "what was told stands in the journal: {failed}");
    env.assert_audit();
}

#[test]
fn an_agents_program_that_ends_at_once_with_an_error_is_told_and_uses_up_no_tries() {
    let env = with_check("test -e work.md\n");
    let three = one("off").replace("retries: 2", "retries: 3");
    let stopped = env.run(&three, "echo 'error: not signed in' >&2; exit 2", &[]);
    stopped.assert_code(3);
    let status = env.status_json();
    assert_eq!(status["run"]["status"], "awaiting_user", "{status:#}");
    assert_eq!(category(&env), "environment");
    let journal = env.log_json();
    let raised = journal.last("blocker_raised").expect("a blocker").to_string();
    assert!(raised.contains("ended at once, again, with exit code 2"), "{raised}");
    assert!(raised.contains("error: not signed in"), "{raised}");
    assert_eq!(journal.count("attempt_started"), 2, "the second one is enough");
    // Asked again it is told again at once, and no try is used for it.
    env.windlass(&["resume"]).assert_code(3);
    assert_eq!(env.log_json().count("attempt_started"), 3);
    env.assert_audit();
}

#[test]
fn a_person_goes_on_with_another_agent_program() {
    let env = with_check("test -e work.md\n");
    let gone = "exec /no/such/agent --print";
    let stopped = env.run(&one("off"), gone, &[]);
    stopped.assert_code(3);
    assert_eq!(env.log_json().count("attempt_started"), 1, "a missing program is known at once");
    let missing = env.windlass(&["resume", "--agent-command", "no-such-agent"]);
    missing.assert_code(2);
    let other = env.file("other.sh", "echo done > work.md\n");
    let other = format!("sh {}", other.display());
    env.windlass(&["resume", "--agent-command", &other]).assert_code(0);
    assert_eq!(env.status(), "completed");
    let changed = env.log_json().last("agent_changed").expect("a decision").to_string();
    assert!(changed.contains("other.sh"), "{changed}");
    env.assert_audit();
}
