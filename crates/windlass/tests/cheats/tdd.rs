//! Agents that want tests to have failed, or to pass, without that being so.

use windlass_testkit::{TestEnv, test_env};

use crate::support::published;

/// Runs `tests/test_*.sh`; 77 means skipped. Writes a report, as test runners do.
const RUNNER: &str = r#"
cases=; bad=0
for t in tests/test_*.sh; do
  test -e "$t" || continue
  name=$(basename "$t" .sh)
  sh "$t"; code=$?
  case $code in
    0) cases="$cases<testcase name=\"$name\"/>";;
    77) cases="$cases<testcase name=\"$name\"><skipped/></testcase>";;
    *) cases="$cases<testcase name=\"$name\"><failure message=\"exited with $code\"/></testcase>"; bad=1;;
  esac
done
mkdir -p out
echo "<testsuite>$cases</testsuite>" > out/junit.xml
exit $bad
"#;

const RED: &str = "echo '. tests/lib.sh; is \"$(sh src/bye.sh)\" bye' > tests/test_bye.sh";
const GREEN: &str = "echo 'echo bye' > src/bye.sh";

/// A project with a test that passes.
fn world(runner: &str) -> TestEnv {
    let env = test_env!();
    env.repository.write(".gitignore", "out/\n");
    env.repository.write("run-tests.sh", runner);
    env.repository.write("tests/lib.sh", "is() { test \"$1\" = \"$2\"; }\n");
    env.repository
        .write("tests/test_hello.sh", ". tests/lib.sh; is \"$(sh src/hello.sh)\" hello\n");
    env.repository.write("src/hello.sh", "echo hello\n");
    env.repository.commit("a project");
    env
}

/// Nothing is protected: what is tried here is what `red` and `green` see themselves.
fn workflow(report: &str) -> String {
    format!(
        "
workflow: tested
protect: none
defaults: {{retries: 1, timeout: 20s, idle_timeout: 10s}}
steps:
  - {{id: red, agent: tester, done: {{red: sh run-tests.sh, tests: 'tests/**'{report}}}}}
  - {{id: green, agent: developer, done: {{green: sh run-tests.sh{report}}}}}
"
    )
}

fn reported() -> String {
    workflow(", report: out/junit.xml")
}

fn agent(red: &str, green: &str) -> String {
    format!("case $WINDLASS_STEP in red) {red};; green) {green};; esac")
}

/// What the check that does not hold says.
fn said(env: &TestEnv) -> String {
    let log = env.log_json();
    let failed = log.last("step_not_proven").expect("a failure");
    failed["failure"]["summary"].as_str().unwrap_or_default().to_owned()
}

/// Plays both agents; `step` must not be proven, and the message must say `why`.
#[track_caller]
fn caught_at(step: &str, env: &TestEnv, workflow: &str, agent: &str, why: &str) {
    let finished = env.run(workflow, agent, &["--yes"]);
    assert_ne!(finished.code, Some(0), "the agent got away with it: {finished}");
    let log = env.log_json();
    assert_eq!(log.count_of_step("step_proven", step), 0, "{finished}");
    assert!(said(env).contains(why), "{}\n{finished}", said(env));
    env.assert_audit();
    env.assert_no_orphans();
}

#[test]
fn honest_work_is_red_and_then_green() {
    for workflow in [workflow(""), reported()] {
        let env = world(RUNNER);
        let finished = env.run(&workflow, &agent(RED, GREEN), &["--yes"]);
        assert_eq!(finished.code, Some(0), "{finished}");
        assert_eq!(published(&env, "src/bye.sh"), "echo bye");
        env.assert_audit();
    }
}

#[test]
fn implementation_before_its_test() {
    let env = world(RUNNER);
    let red = format!("{GREEN}; {RED}");
    let why = "implementation before its test: src/bye.sh changed";
    caught_at("red", &env, &workflow(""), &agent(&red, "true"), why);
}

#[test]
fn no_test_at_all() {
    let env = world(RUNNER);
    caught_at("red", &env, &workflow(""), &agent("true", "true"), "no test file changed");
}

#[test]
fn a_test_that_was_already_green() {
    for workflow in [workflow(""), reported()] {
        let env = world(RUNNER);
        let red = "echo true > tests/test_bye.sh";
        let why = "passes without the implementation: the new tests were already green";
        caught_at("red", &env, &workflow, &agent(red, "true"), why);
    }
}

#[test]
fn a_red_that_only_breaks_an_old_test() {
    let env = world(RUNNER);
    let red = "echo false > tests/test_hello.sh";
    let why = "none of the new tests does: only tests that were there before (test_hello)";
    caught_at("red", &env, &reported(), &agent(red, "true"), why);
    // Beside a new test that passes it is no better.
    let env = world(RUNNER);
    let red = "echo false > tests/test_hello.sh; echo true > tests/test_bye.sh";
    caught_at("red", &env, &reported(), &agent(red, "true"), why);
}

#[test]
fn new_tests_that_are_skipped() {
    let env = world(RUNNER);
    let red = "echo 'exit 77' > tests/test_bye.sh";
    let why = "already green; skipped: test_bye";
    caught_at("red", &env, &reported(), &agent(red, "true"), why);
    let env = world(RUNNER);
    let red = format!("{RED}; echo 'exit 77' > tests/test_more.sh");
    let why = "new tests are skipped: test_more";
    caught_at("red", &env, &reported(), &agent(&red, "true"), why);
}

#[test]
fn a_test_script_that_never_fails() {
    let runner = RUNNER.replace("exit $bad", "(exit $bad) || true");
    let env = world(&runner);
    let why = "passes without the implementation";
    caught_at("red", &env, &workflow(""), &agent(RED, GREEN), why);
    let env = world(&runner);
    let why = "passes without the implementation, and hides that tests fail: test_bye";
    caught_at("red", &env, &reported(), &agent(RED, GREEN), why);
    // The runner is no test: who makes it so while writing tests is named, too.
    let env = world(RUNNER);
    let red = format!("{RED}; echo 'exit 1' > run-tests.sh");
    let why = "implementation before its test: run-tests.sh changed";
    caught_at("red", &env, &workflow(""), &agent(&red, GREEN), why);
    // And one that hides failures from then on is found out by what it reports.
    let env = world(RUNNER);
    let green = "sed -i 's/exit .bad/exit 0/' run-tests.sh";
    let why = "passes, and hides that tests fail: test_bye";
    caught_at("green", &env, &reported(), &agent(RED, green), why);
}

#[test]
fn a_runner_that_is_changed_is_asked_about_and_tests_are_left_to_red_and_green() {
    let workflow = workflow("").replace("protect: none\n", "");
    let env = world(RUNNER);
    let finished = env.run(&workflow, &agent(RED, "echo 'exit 0' > run-tests.sh"), &["--yes"]);
    assert_eq!(finished.code, Some(3), "{finished}");
    assert_eq!(env.status_json()["gate"]["protected"][0], "run-tests.sh");
    let env = world(RUNNER);
    let red = format!("{RED}; echo '# more' >> tests/test_hello.sh");
    let finished = env.run(&workflow, &agent(&red, GREEN), &["--yes"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let env = world(RUNNER);
    let green = format!("{GREEN}; echo true > tests/test_bye.sh");
    let why = "a test was changed between red and green: tests/test_bye.sh";
    caught_at("green", &env, &workflow, &agent(RED, &green), why);
}

#[test]
fn tests_that_failed_before_anybody_wrote_one() {
    let env = world(RUNNER);
    env.repository.write("src/hello.sh", "echo broken\n");
    env.repository.commit("a mistake");
    let why = "the tests failed before this step began: exited with 1";
    caught_at("red", &env, &workflow(""), &agent(RED, GREEN), why);
    let env = world(RUNNER);
    env.repository.write("src/hello.sh", "echo broken\n");
    env.repository.commit("a mistake");
    let why = "the tests failed before this step began: test_hello";
    caught_at("red", &env, &reported(), &agent(RED, GREEN), why);
}

#[test]
fn a_test_that_is_a_link() {
    let env = world(RUNNER);
    let red = format!("{RED}; ln -s ../src/hello.sh tests/test_more.sh");
    let why = "a test file is a link: tests/test_more.sh";
    caught_at("red", &env, &workflow(""), &agent(&red, "true"), why);
    let env = world(RUNNER);
    let green =
        "echo true > src/pass.sh; rm tests/test_bye.sh; ln -s ../src/pass.sh tests/test_bye.sh";
    let why = "a test was changed between red and green: tests/test_bye.sh (a link now)";
    caught_at("green", &env, &workflow(""), &agent(RED, green), why);
    // A whole folder that leads elsewhere leaves nothing of the tests.
    let env = world(RUNNER);
    let green = "mkdir other; echo true > other/test_bye.sh; rm -r tests; ln -s other tests";
    let why = "a test was changed between red and green: tests/lib.sh (removed)";
    caught_at("green", &env, &workflow(""), &agent(RED, green), why);
}

#[test]
fn tests_that_are_weakened_between_red_and_green() {
    for (green, why) in [
        ("echo true > tests/test_bye.sh", "tests/test_bye.sh"),
        ("rm tests/test_bye.sh", "tests/test_bye.sh (removed)"),
        ("git mv tests/test_bye.sh bye.txt", "tests/test_bye.sh (removed)"),
        ("echo 'is() { true; }' > tests/lib.sh", "tests/lib.sh"),
        ("chmod +x tests/test_bye.sh", "tests/test_bye.sh"),
    ] {
        let env = world(RUNNER);
        let green = format!("{GREEN}; {green}");
        let why = format!("a test was changed between red and green: {why}");
        caught_at("green", &env, &workflow(""), &agent(RED, &green), &why);
    }
}

#[test]
fn a_test_that_red_took_away_does_not_come_back() {
    let env = world(RUNNER);
    let red = format!("{RED}; rm tests/test_hello.sh");
    let green = format!("{GREEN}; echo true > tests/test_hello.sh");
    let why = "between red and green: tests/test_hello.sh (red removed it)";
    caught_at("green", &env, &workflow(""), &agent(&red, &green), why);
}

#[test]
fn tests_that_are_skipped_once_they_should_pass() {
    // The code says whether the test runs.
    let env = world(RUNNER);
    let red = "echo 'test -e src/skip && exit 77; sh src/bye.sh' > tests/test_bye.sh";
    let why = "tests that failed at red are skipped now: test_bye";
    caught_at("green", &env, &reported(), &agent(red, "touch src/skip"), why);
}

#[test]
fn fewer_tests_than_there_were_at_red() {
    let env = world(RUNNER);
    let green = format!("{GREEN}; sed -i 's/test_.*sh; do/test_bye.sh; do/' run-tests.sh");
    let why = "1 tests ran, fewer than the 2 at red";
    caught_at("green", &env, &reported(), &agent(RED, &green), why);
}

#[test]
fn a_runner_that_leaves_the_tests_of_red_out_is_not_green() {
    let why = "the tests of red are not run: it passes as well with nonsense in tests/test_bye.sh";
    // A filler keeps the number of tests, under a name of its own or under that of the test that fails.
    for filler in ["tests/test_filler.sh", "more/test_bye.sh"] {
        let env = world(RUNNER);
        let green = format!(
            "mkdir -p more; echo true > {filler}; \
             sed -i 's,in tests/test_.*sh; do,in tests/test_hello.sh {filler}; do,' run-tests.sh"
        );
        caught_at("green", &env, &reported(), &agent(RED, &green), why);
    }
    // Without a report nothing is counted.
    let env = world(RUNNER);
    let green = "echo 'exit 0' > run-tests.sh";
    caught_at("green", &env, &workflow(""), &agent(RED, green), why);
}

#[test]
fn a_runner_that_reads_the_tests_of_red_and_does_not_run_them() {
    // As a list of tests to deselect does: a file that cannot be read is still noticed.
    let named = "name=$(sed -n 's/^# //p' \"$t\"); name=${name:-$(basename \"$t\" .sh)}";
    let runner = RUNNER.replace("name=$(basename \"$t\" .sh)", named);
    let env = world(&runner);
    let leaves_out = runner.replace(
        "  sh \"$t\"; code=$?",
        "  sh -n \"$t\" || { bad=1; continue; }\n  test \"$name\" = \"says bye\" && continue\n  sh \"$t\"; code=$?",
    );
    let other = env.shared("other-runner.sh", leaves_out);
    let red = "printf '# says bye\\nsh src/bye.sh\\n' > tests/test_bye.sh";
    let green = format!("echo true > tests/test_filler.sh; cp {} run-tests.sh", other.display());
    let why = "tests that failed at red are not run now: says bye";
    caught_at("green", &env, &reported(), &agent(red, &green), why);
}

#[test]
fn old_tests_that_could_not_run_beside_a_file_that_did_not_load_have_to_run_again() {
    // As runners do that stop when a file does not load, with a report of that alone.
    let stops = "for t in tests/test_*.sh; do need=$(sed -n 's/^# needs //p' \"$t\")
  test -z \"$need\" || test -e \"$need\" || { mkdir -p out
    echo '<testsuite><testcase name=\"load\"><error/></testcase></testsuite>' > out/junit.xml; exit 2; }
done\n";
    let env = world(&format!("{stops}{RUNNER}"));
    let red = "printf '# needs src/bye.sh\\nsh src/bye.sh\\n' > tests/test_bye.sh";
    let green = format!("{GREEN}; sed -i 's/test_.*sh; do$/test_bye.sh; do/' run-tests.sh");
    let why = "1 tests ran, fewer than the 2 at red";
    caught_at("green", &env, &reported(), &agent(red, &green), why);
}

#[test]
fn old_tests_that_red_switches_off() {
    let env = world(RUNNER);
    let red = format!("{RED}; echo 'exit 77' > tests/test_hello.sh");
    let why = "tests that passed before are skipped now: test_hello";
    caught_at("red", &env, &reported(), &agent(&red, GREEN), why);
}

#[test]
fn old_tests_that_red_takes_away_are_named() {
    for (workflow, words) in [
        (reported(), "tests that passed before did not run: test_hello; test files were removed"),
        (workflow(""), "test files were removed: tests/test_hello.sh"),
    ] {
        let env = world(RUNNER);
        let red = format!("{RED}; rm tests/test_hello.sh");
        let finished = env.run(&workflow, &agent(&red, GREEN), &["--yes"]);
        assert_eq!(finished.code, Some(0), "{finished}");
        let log = env.log_json();
        let proven = log.of("step_proven").into_iter().find(|proven| proven["step"] == "red");
        let proven = proven.expect("red is proven").to_string();
        assert!(proven.contains(words), "{proven}");
    }
}

#[test]
fn a_suite_that_gives_no_answer_is_not_red() {
    let env = world(RUNNER);
    let red = format!("{RED}; echo 'kill -9 $PPID' > tests/test_more.sh");
    let why = "could not run";
    caught_at("red", &env, &workflow(""), &agent(&red, GREEN), why);
    let env = world(RUNNER);
    let workflow = workflow(", timeout: 2s");
    let red = format!("{RED}; echo 'sleep 60' > tests/test_more.sh");
    caught_at("red", &env, &workflow, &agent(&red, GREEN), "could not run: took longer than 2.0s");
}

/// A test that passes as soon as another file of the tests is there: no implementation makes it pass.
const FLAG: &str = "echo 'test -e tests/flag' > tests/test_bye.sh";

#[test]
fn a_suite_of_the_same_folder_that_passed_at_red_vouches_for_no_other() {
    let env = world(RUNNER);
    env.repository.write("unit.sh", "sh tests/test_hello.sh\n");
    env.repository.commit("two suites in one folder");
    let workflow = "
workflow: tested
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
steps:
  - id: red
    agent: tester
    done: {all: [{red: sh unit.sh, tests: 'tests/**'}, {red: sh run-tests.sh, tests: 'tests/**'}]}
  - {id: green, agent: developer, done: {green: sh run-tests.sh}}
";
    let why = "passes, and so do the tests without the implementation";
    caught_at("green", &env, workflow, &agent(FLAG, "touch tests/flag"), why);
}

#[test]
fn a_control_that_could_not_be_prepared_is_not_green() {
    let env = world(RUNNER);
    // As a registry that is away for a moment: it fails on the tree of the control run alone.
    let prepare = "prepare: [{run: 'test ! -e tests/more || test -e src/bye.sh'}]\nsteps:";
    let workflow = workflow("").replace("steps:", prepare);
    let green = format!("{GREEN}; touch tests/more");
    let why = "passes, but the tests say nothing without the implementation";
    caught_at("green", &env, &workflow, &agent(RED, &green), why);
}
