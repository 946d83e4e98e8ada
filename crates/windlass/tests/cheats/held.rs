//! Agents that undo, after every judge, what an earlier step proved.

use windlass_testkit::{Finished, TestEnv, test_env};

use crate::support::published;

/// Red, green, and a step whose agent has no reason to touch a test.
fn workflow(report: &str, last: &str) -> String {
    format!(
        "
workflow: held
defaults: {{retries: 1, timeout: 20s, idle_timeout: 10s}}
protect: [run-tests.sh]
steps:
  - {{id: red, agent: tester, done: {{red: sh run-tests.sh, tests: 'tests/**'{report}}}}}
  - {{id: green, agent: developer, done: {{green: sh run-tests.sh{report}}}}}
  - {{id: tidy, agent: developer, {last}}}
"
    )
}

const PASSES: &str = "done: {all: [{diff: any}, {run: sh run-tests.sh}]}";
const REPORT: &str = ", report: out/junit.xml";

const RUNNER: &str = r#"
cases=; bad=0
for t in tests/test_*.sh; do
  if sh "$t"; then how=; else how='<failure/>'; bad=1; fi
  cases="$cases<testcase name=\"$(basename "$t" .sh)\">$how</testcase>"
done
mkdir -p out; echo "<testsuite>$cases</testsuite>" > out/junit.xml
exit $bad
"#;

fn world() -> TestEnv {
    let env = test_env!();
    env.repository.write(".gitignore", "out/\n");
    env.repository.write("run-tests.sh", RUNNER);
    env.repository.write("tests/test_old.sh", "true\n");
    env.repository.commit("a project");
    env
}

fn agent(tidy: &str) -> String {
    format!(
        "case $WINDLASS_STEP in red) echo 'test \"$(sh bye.sh)\" = bye' > tests/test_bye.sh;; \
         green) echo 'echo bye' > bye.sh;; tidy) {tidy};; esac"
    )
}

#[track_caller]
fn stops_at_a_gate(env: &TestEnv, workflow: &str, tidy: &str) -> Finished {
    let finished = env.run(workflow, &agent(tidy), &["--yes"]);
    assert_eq!(finished.code, Some(3), "{tidy}: {finished}");
    let status = env.status_json();
    assert_eq!(status["gate"]["kind"], "protected", "{status:#}");
    assert_eq!(status["gate"]["protected"][0], "tests/test_bye.sh", "{status:#}");
    assert!(published(env, "tests/test_bye.sh").contains("bye.sh"), "{finished}");
    finished
}

#[test]
fn a_test_that_was_proven_to_fail_is_neither_removed_nor_weakened_nor_moved_later() {
    let taking_back = [
        "rm tests/test_bye.sh; echo 'echo hacked' > bye.sh",
        "echo true > tests/test_bye.sh; echo 'echo hacked' > bye.sh",
        "mv tests/test_bye.sh tests/test_other.sh",
        "echo true > ok; ln -sf ../ok tests/test_bye.sh",
        "chmod +x tests/test_bye.sh",
    ];
    for (number, tidy) in taking_back.into_iter().enumerate() {
        let report = if number % 2 == 0 { "" } else { REPORT };
        let env = world();
        let finished = stops_at_a_gate(&env, &workflow(report, PASSES), tidy);
        let told = "tests/test_bye.sh (a test that `red` proved)";
        assert!(finished.stdout.contains(told), "{finished}");
    }
}

#[test]
fn a_person_may_accept_another_test() {
    let env = world();
    stops_at_a_gate(&env, &workflow(REPORT, PASSES), "rm tests/test_bye.sh");
    let approved = env.windlass(&["approve"]);
    assert_eq!(approved.code, Some(0), "{approved}");
    let resumed = env.windlass(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    assert_eq!(env.status(), "completed");
    env.assert_audit();
}

#[test]
fn accepting_one_changed_test_frees_no_other() {
    let env = world();
    // A runner that leaves out what a file of the work lists.
    let leaves_out = RUNNER
        .replace("  if sh \"$t\"", "  grep -qs \"$t\" left-out.txt && continue\n  if sh \"$t\"");
    env.repository.write("run-tests.sh", &leaves_out);
    env.repository.commit("leaves out");
    let agent = "case $WINDLASS_STEP in \
                 red) for w in bye hey; do echo \"test \\\"\\$(sh $w.sh)\\\" = $w\" > tests/test_$w.sh; done;; \
                 green) for w in bye hey; do echo \"echo $w\" > $w.sh; done;; \
                 tidy) rm tests/test_bye.sh; echo tests/test_hey.sh > left-out.txt; rm hey.sh;; esac";
    let finished = env.run(&workflow(REPORT, PASSES), agent, &["--yes"]);
    assert_eq!(finished.code, Some(3), "{finished}");
    assert_eq!(env.status_json()["gate"]["protected"][0], "tests/test_bye.sh");
    env.windlass(&["approve"]).assert_code(0);
    let resumed = env.windlass(&["resume"]);
    assert_ne!(resumed.code, Some(0), "{resumed}");
    let failed = env.log_json().of("cold_proof_failed")[0].to_string();
    let why = "1 tests ran, fewer than the 2 of red that a person accepted";
    assert!(failed.contains(why), "{failed}");
    env.assert_audit();
}

#[test]
fn an_accepted_test_still_has_to_run() {
    // The person accepts another text of the only test, and not that nobody runs it any more.
    for (report, why) in [
        (REPORT, "1 tests ran, fewer than the 2 of red that a person accepted"),
        ("", "passes as well with nonsense in tests/test_bye.sh"),
    ] {
        let env = world();
        let leaves_out = RUNNER.replace(
            "  if sh \"$t\"",
            "  grep -qs \"$t\" left-out.txt && continue\n  if sh \"$t\"",
        );
        env.repository.write("run-tests.sh", &leaves_out);
        env.repository.commit("leaves out");
        let tidy = "echo '# said better' >> tests/test_bye.sh; echo tests/test_bye.sh > left-out.txt; rm bye.sh";
        stops_at_a_gate(&env, &workflow(report, PASSES), tidy);
        env.windlass(&["approve"]).assert_code(0);
        let resumed = env.windlass(&["resume"]);
        assert_ne!(resumed.code, Some(0), "{resumed}");
        let failed = env.log_json().of("cold_proof_failed")[0].to_string();
        assert!(failed.contains(why), "{failed}");
        env.assert_audit();
    }
}

#[test]
fn new_tests_and_other_files_ask_nobody() {
    let env = world();
    let tidy = "echo true > tests/test_more.sh; echo '# tidy' >> bye.sh";
    let finished = env.run(&workflow(REPORT, PASSES), &agent(tidy), &["--yes"]);
    assert_eq!(finished.code, Some(0), "{finished}");
}

#[test]
fn every_green_is_looked_at_once_more_before_the_end() {
    // Nothing that the last step proves is about the code of the story.
    let env = world();
    let workflow = workflow(REPORT, "done: {file: notes.md}");
    let agent = agent("echo x > notes.md; echo 'echo hacked' > bye.sh");
    let finished = env.run(&workflow, &agent, &["--yes"]);
    assert_ne!(finished.code, Some(0), "{finished}");
    let log = env.log_json();
    assert_eq!(log.count("cold_proof_held"), 0, "{finished}");
    assert!(log.count("cold_proof_failed") > 0, "{finished}");
    env.assert_audit();
}
