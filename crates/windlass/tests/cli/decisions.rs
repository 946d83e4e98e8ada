//! What people decide, with and without a driver.

use windlass_testkit::{Finished, TestEnv, test_env, wait};

use crate::support::{GATED, HONEST, at_the_gate, waiting};

#[test]
fn an_approval_of_something_else_is_refused() {
    let env = at_the_gate();
    fs_err::write(env.place().join("plan.md"), "another plan\n").unwrap();
    let refused = env.windlass(&["approve"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("plan.md"), "{refused}");
    assert_eq!(env.log_json().count("gate_approved"), 0);
    env.windlass(&["resume"]).assert_code(3);
    env.windlass(&["approve"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
}

#[test]
fn decisions_are_recorded_under_the_name_that_git_has() {
    let env = at_the_gate();
    env.repository.git(&["config", "user.name", "Ada Lovelace"]);
    env.repository.git(&["config", "user.email", "ada@example.org"]);
    env.windlass(&["feedback", "first line\nsecond line"]).assert_code(0);
    let log = env.windlass(&["log"]).stdout;
    let told = log.lines().find(|line| line.contains("Ada Lovelace sent `plan` back"));
    assert!(told.is_some_and(|line| line.ends_with(": first line second line")), "{log}");
    // Without git's name it is the account.
    env.repository.git(&["config", "--unset", "user.name"]);
    env.windlass(&["abort"]).assert_code(0);
    let journal = env.log_json();
    let mut actors = journal.lines.iter().filter_map(|record| record["actor"].as_str());
    let last = actors.rfind(|actor| actor.starts_with("person:"));
    assert_eq!(last, Some("person:ada"));
}

#[test]
fn times_are_local_for_people_and_exact_for_programs() {
    let env = at_the_gate();
    let listed = env.windlass(&["status", "--all"]).stdout;
    assert!(listed.contains(" just now ") || listed.contains(" ago "), "{listed}");
    let started =
        env.json(&["status", "--all", "--json"])[0]["started"].as_str().unwrap().to_owned();
    assert!(started.ends_with('Z'), "{started}");
    let at = |zone: &str| {
        let log = env.windlass_with(&[("TZ", zone)], &["log"]).stdout;
        log.lines().next().unwrap().to_owned()
    };
    // A zone that is half an hour away has another time on the clock, whatever the hour is.
    let (here, there) = (at("UTC0"), at("TST-0:30"));
    assert_ne!(here, there);
    let seq: u64 = here.split_whitespace().next().unwrap().parse().unwrap();
    let journal = env.log_json();
    let record = journal.lines.iter().find(|record| record["seq"] == seq).unwrap();
    let exact = record["time"].as_str().unwrap();
    assert!(exact.ends_with('Z') && here.contains(&exact[11..19]), "{here}: {exact}");
}

#[test]
fn feedback_has_the_step_done_again_with_the_words_in_its_prompt() {
    let env = test_env!();
    let agent = format!("cp \"$WINDLASS_PROMPT_FILE\" prompt.md; {HONEST}");
    env.run(GATED, &agent, &[]).assert_code(3);
    env.windlass(&["feedback", "use the existing helper"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(3);
    let prompt = fs_err::read_to_string(env.place().join("prompt.md")).unwrap();
    assert!(prompt.contains("use the existing helper"), "{prompt}");
    assert_eq!(env.log_json().count_of_step("step_proven", "plan"), 2);
}

#[test]
fn a_rollback_opens_the_step_again_and_with_code_sets_the_files_back() {
    let env = at_the_gate();
    env.windlass(&["approve"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    let env = at_the_gate();
    let unknown = env.windlass(&["rollback", "plam", "x"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("plan"), "{unknown}");
    env.windlass(&["rollback", "plan", "start over", "--code"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(3);
    let log = env.log_json();
    assert_eq!(log.last("rolled_back").unwrap()["reset_code"], true);
    assert_eq!(fs_err::read_to_string(env.place().join("plan.md")).unwrap(), "plan plan#2\n");
}

#[test]
fn a_skipped_step_counts_and_says_why() {
    let env = at_the_gate();
    env.windlass(&["approve"]).assert_code(0);
    env.windlass(&["skip", "build", "--reason", "done by hand"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    assert_eq!(env.step("build"), "skipped");
    assert!(env.windlass(&["report"]).stdout.contains("done by hand"));
}

#[test]
fn new_tries_are_given_by_a_person() {
    let env = test_env!();
    env.run(GATED, "true", &[]).assert_code(4);
    env.windlass(&["retry-reset"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(4);
    assert_eq!(env.log_json().count("attempt_started"), 4);
}

#[test]
fn an_answer_without_a_question_is_refused() {
    let env = test_env!();
    env.run(GATED, "true", &[]).assert_code(4);
    env.windlass(&["approve"]).assert_code(2);
    env.windlass(&["resume", "--more", "attempts=x"]).assert_code(2);
}

#[test]
fn a_budget_is_raised_by_resume() {
    let env = test_env!();
    let workflow = format!("{GATED}limits: {{attempts: 1}}\n");
    env.run(&workflow, HONEST, &["--yes"]).assert_code(4);
    assert_eq!(env.status_json()["run"]["reason"], "budget");
    env.windlass(&["resume", "--more", "attempts=5"]).assert_code(0);
}

#[test]
fn a_living_driver_hears_a_decision_at_once() {
    let env = test_env!();
    let agent = waiting(&env);
    let mut driver = env.start(env.run_command(GATED, &agent, &[]));
    wait::for_fact("the agent", || env.root().join("tmp/ready").exists());
    let second = env.windlass(&["resume"]);
    second.assert_code(1);
    assert!(second.stderr.contains("another windlass is driving"), "{second}");
    let paused = env.json(&["pause", "--now", "--json"]);
    assert_eq!(paused["driven"], true);
    let ended = driver.wait(wait::DEADLINE).expect("the driver stops");
    ended.assert_code(4);
    assert_eq!(env.status_json()["run"]["reason"], "user");
    env.assert_no_orphans();
}

#[test]
fn a_decision_about_an_ended_run_is_refused() {
    let env = test_env!();
    env.run(GATED, HONEST, &["--yes"]).assert_code(0);
    let refused = env.windlass(&["abort"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("ended"), "{refused}");
}

#[test]
fn a_run_whose_place_is_gone_can_be_aborted() {
    let env = at_the_gate();
    fs_err::remove_dir_all(env.place()).unwrap();
    env.windlass(&["abort"]).assert_code(0);
    assert_eq!(env.status_json()["run"]["status"], "aborted");
}

#[test]
fn beside_another_unfinished_run_the_commands_to_paste_name_theirs() {
    let env = at_the_gate();
    let first = env.status_json()["run"]["id"].as_str().unwrap().to_owned();
    let second = env.run(GATED, HONEST, &[]);
    second.assert_code(3);
    let refused = env.windlass(&["approve"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains(&first) && refused.stderr.contains("--run"), "{refused}");
    let shown = env.windlass(&["status", "--run", &first]);
    let paste = format!("windlass approve --run {first}");
    assert!(shown.stdout.contains(&paste), "{shown}");
    assert!(second.stdout.contains("windlass approve --run "), "{second}");
    let said = env.windlass(&["approve", "--run", &first]).assert_code(0).stdout.clone();
    assert!(said.contains(&format!("`windlass resume --run {first}`")), "{said}");
}

#[test]
fn an_approval_can_go_on_at_once() {
    let env = at_the_gate();
    let ended = env.windlass(&["approve", "--resume"]);
    assert_eq!((ended.code, env.status().as_str()), (Some(0), "completed"), "{ended}");
    env.assert_audit();
}

/// A decision from where no person sits: a job, a service, a process that has left its terminal.
fn from_nowhere(env: &TestEnv, arguments: &[&str]) -> Finished {
    let mut command = env.command("setsid");
    command.arg("--wait").arg(env.exe()).args(arguments);
    env.finish(command)
}

#[test]
fn where_an_attempt_was_not_boxed_decisions_need_a_terminal() {
    let env = test_env!();
    env.run(GATED, HONEST, &["--sandbox", "off"]).assert_code(3);
    let decisions: [&[&str]; 6] = [
        &["approve"],
        &["feedback", "again"],
        &["rollback", "plan", "again"],
        &["skip", "plan", "--reason", "by hand"],
        &["retry-reset", "plan"],
        &["resume", "--no-cold", "no time"],
    ];
    for words in decisions {
        let refused = from_nowhere(&env, words);
        refused.assert_code(2);
        assert!(refused.stderr.contains("was not boxed"), "{words:?}: {refused}");
        assert!(refused.stderr.contains("in a terminal of your own"), "{words:?}: {refused}");
    }
    assert_eq!(env.status(), "awaiting_approval");
    // To stop a run accepts nothing.
    from_nowhere(&env, &["pause"]).assert_code(0);
    from_nowhere(&env, &["resume"]).assert_code(3);
    env.windlass_elsewhere(&["approve"]).assert_code(0);
    let log = env.log_json();
    let presence = &log.last("gate_approved").unwrap()["presence"];
    assert!(presence["from"]["terminal"].as_str().unwrap().starts_with("/dev/pts/"), "{presence}");
    assert!(presence["open"].is_u64() && presence["shown"].is_null(), "{presence}");
    let report = env.windlass(&["report"]).stdout;
    assert!(report.contains(" on pts/") && report.contains(" after the gate opened"), "{report}");
    env.assert_audit();
}

/// The first attempt is still at work: whatever it started may already be somewhere else.
#[test]
fn decisions_need_a_terminal_from_the_first_moment_of_an_attempt_that_is_not_boxed() {
    let env = test_env!();
    let _run = env.start(env.run_command(GATED, "sleep 600", &["--sandbox", "off"]));
    let there = || env.windlass(&["status", "--json"]).code == Some(0);
    wait::for_fact("an attempt", || there() && env.log_json().count("attempt_started") == 1);
    let refused = from_nowhere(&env, &["skip", "plan", "--reason", "by hand"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("was not boxed"), "{refused}");
    env.windlass_elsewhere(&["abort"]).assert_code(0);
}

#[test]
fn where_all_attempts_were_boxed_a_script_may_decide_and_the_journal_says_so() {
    let env = at_the_gate();
    let log = env.log_json();
    let confinement = &log.last("attempt_ended").unwrap()["report"]["confinement"];
    if !confinement.as_str().unwrap().starts_with("namespaces:") {
        return windlass_testkit::skip("no boxes on this machine");
    }
    from_nowhere(&env, &["approve"]).assert_code(0);
    let log = env.log_json();
    assert_eq!(log.last("gate_approved").unwrap()["presence"]["from"], "no_terminal");
    let report = env.windlass(&["report"]).stdout;
    assert!(report.contains(" without a terminal, "), "{report}");
    env.assert_audit();
}

#[test]
fn a_pipe_that_was_filled_before_the_gate_answers_nothing() {
    let env = test_env!();
    let (workflow, agent) = (env.workflow(GATED), env.agent(HONEST));
    let line =
        format!("yes a | windlass run 'Do it' --workflow '{workflow}' --agent-command '{agent}'");
    env.shell(&line).assert_code(3);
    assert_eq!(
        (env.status().as_str(), env.log_json().count("gate_approved")),
        ("awaiting_approval", 0)
    );
}
