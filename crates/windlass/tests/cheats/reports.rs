//! Agents that write the report instead of the work.

use windlass_testkit::TestEnv;

use crate::support::{caught, env, honest};

const PASSING: &str =
    r#"<testsuite tests="9"><testcase name="a"/><testcase name="b"/></testsuite>"#;

const COVERED: &str = "SF:answer.txt\nDA:1,1\nend_of_record\n";

/// A world whose tests are a script of the repository, and whose reports git ignores.
fn world(script: &str) -> TestEnv {
    let env = env();
    env.repository.write(".gitignore", "out/\n");
    env.repository.write("test.sh", script);
    env.repository.commit("tests");
    env
}

fn workflow(check: &str) -> String {
    format!(
        "
workflow: reported
defaults: {{retries: 1, timeout: 20s, idle_timeout: 10s}}
protect: [test.sh]
steps:
  - id: build
    agent: developer
    task: Do it.
    done: {check}
"
    )
}

fn junit() -> String {
    workflow("{junit: 'out/*.xml', run: sh test.sh}")
}

fn coverage() -> String {
    workflow("{coverage: out/lcov.info, run: sh test.sh, min: 50}")
}

/// What the check that does not hold says.
fn said(env: &TestEnv) -> String {
    let log = env.log_json();
    let failed = log.last("step_not_proven").expect("a failure");
    failed["failure"]["summary"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_report_that_the_agent_wrote_and_the_command_did_not() {
    let env = world("true");
    caught(&env, &junit(), &format!("mkdir -p out; echo '{PASSING}' > out/r.xml; echo x > y"));
    assert!(said(&env).contains("the command wrote no report"), "{}", said(&env));
}

#[test]
fn a_report_that_the_agent_committed() {
    let env = world("true");
    let agent = format!(
        "mkdir -p out; echo '{PASSING}' > out/r.xml; git add -f out; git commit -qm report"
    );
    caught(&env, &junit(), &agent);
    let agent = format!("rm .gitignore; mkdir -p out; printf '{COVERED}' > out/lcov.info");
    caught(&world("true"), &coverage(), &agent.replace('\n', "\\n"));
}

#[test]
fn a_report_of_an_earlier_verification_in_a_cache() {
    // The first step's command writes the report; that of the second one does not.
    let env = world("test -f fresh && mkdir -p out && cp r.txt out/r.xml; true");
    env.repository.write("r.txt", PASSING);
    env.repository.commit("a report");
    let workflow = "
workflow: reported
defaults: {retries: 1, timeout: 20s}
steps:
  - {id: one, agent: a, task: x, done: {junit: 'out/*.xml', run: sh test.sh}}
  - {id: two, agent: a, task: x, done: {junit: 'out/*.xml', run: sh test.sh}}
";
    let agent = "case $WINDLASS_STEP in one) echo > fresh;; two) rm fresh;; esac";
    env.run(workflow, agent, &["--yes"]).assert_code(4);
    assert_eq!(env.step("one"), "done");
    assert_eq!(env.log_json().count_of_step("step_proven", "two"), 0);
    assert!(said(&env).contains("the command wrote no report"), "{}", said(&env));
}

#[test]
fn a_report_that_is_a_link_a_pipe_or_a_folder() {
    for (makes, why) in [
        ("ln -s ../passing.xml out/r.xml", "`out/r.xml` is not a plain file"),
        ("mkfifo out/r.xml", "`out/r.xml` is not a plain file"),
        ("mkdir out/r.xml", "the command wrote no report"),
        ("rmdir out; mkdir real; cp passing.xml real/r.xml; ln -s real out", "wrote no report"),
        ("ln -s /dev/zero out/r.xml", "`out/r.xml` is not a plain file"),
    ] {
        let env = world("mkdir -p out; . ./make.sh");
        let agent = format!("echo '{PASSING}' > passing.xml; echo '{makes}' > make.sh");
        caught(&env, &junit(), &agent);
        assert!(said(&env).contains(why), "{makes}: {}", said(&env));
    }
}

#[test]
fn a_report_that_is_broken_or_a_bomb() {
    let bomb = r#"<!DOCTYPE a [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>"#;
    for (report, why) in [
        ("<testsuite><testcase/>", "is cut off"),
        ("<html><body>ok</body></html>", "is not a JUnit report"),
        (bomb, "declares entities"),
        ("", "is empty"),
    ] {
        let env = world("mkdir -p out; cp report.txt out/r.xml");
        caught(&env, &junit(), &format!("printf '%s' '{report}' > report.txt"));
        assert!(said(&env).contains(why), "{report}: {}", said(&env));
    }
}

#[test]
fn tests_that_were_skipped_or_did_not_pass() {
    let skipped = "<testsuite tests=\"3\"><testcase><skipped/></testcase></testsuite>";
    let failed = "<testsuite tests=\"3\" failures=\"0\"><testcase/><testcase><failure/></testcase></testsuite>";
    for (report, why) in [(skipped, "at least 1 must run"), (failed, "at most 0 may fail")] {
        let env = world("mkdir -p out; cp report.txt out/r.xml");
        caught(&env, &junit(), &format!("echo '{report}' > report.txt"));
        assert!(said(&env).contains(why), "{}", said(&env));
    }
}

#[test]
fn a_good_report_of_a_command_that_failed_or_was_ended() {
    for script in ["exit 3", "kill -9 $$", "sleep 600"] {
        let env = world("mkdir -p out; cp report.txt out/r.xml; . ./end.sh");
        let check = "{junit: 'out/*.xml', run: sh test.sh, failures: 5, timeout: 2s}";
        let agent = format!("echo '{PASSING}' > report.txt; echo '{script}' > end.sh");
        caught(&env, &workflow(check), &agent);
    }
}

#[test]
fn coverage_of_another_tree() {
    for (path, why) in [
        ("/home/x/other/answer.txt", "`/home/x/other/answer.txt` lies outside"),
        ("missing.txt", "`missing.txt` is not a file"),
        ("../../answer.txt", "lies outside"),
    ] {
        let env = world("mkdir -p out; cp report.txt out/lcov.info");
        let agent = format!("printf 'SF:{path}\\nDA:1,1\\nend_of_record\\n' > report.txt");
        caught(&env, &coverage(), &agent);
        assert!(said(&env).contains(why), "{}", said(&env));
    }
}

#[test]
fn coverage_that_is_too_low_or_of_nothing() {
    for (lines, why) in [
        ("DA:1,1\\nDA:2,0\\nDA:3,0\\nLF:3\\nLH:3", "33.3 % of 3 lines in 1 file (min 50)"),
        ("LF:100\\nLH:100", "no line that could run"),
    ] {
        let env = world("mkdir -p out; cp report.txt out/lcov.info");
        let agent = format!("printf 'SF:answer.txt\\n{lines}\\nend_of_record\\n' > report.txt");
        caught(&env, &coverage(), &agent);
        assert!(said(&env).contains(why), "{}", said(&env));
    }
}

#[test]
fn reports_that_the_command_wrote_in_the_tree_that_is_verified() {
    let env = world("mkdir -p out; cp report.txt out/r.xml");
    honest(
        &env,
        &junit(),
        &format!("mkdir -p out; touch out/r.xml; echo '{PASSING}' > report.txt"),
    );
    let script =
        "mkdir -p out; printf \"SF:$PWD/answer.txt\\nDA:1,1\\nend_of_record\\n\" > out/lcov.info";
    honest(&world(script), &coverage(), "echo x > y");
}
