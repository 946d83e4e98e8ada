//! What the checks say before anybody did anything, and what follows from it.

use windlass_testkit::{TestEnv, test_env};

/// Two tests of which the second fails on the base commit; the work may break the first.
const SUITE: &str = r#"
one=; test -e broken && one='<failure message="broken"/>'
mkdir -p out
cat > out/r.xml <<X
<testsuite name="s"><testcase classname="s" name="one">$one</testcase><testcase classname="s" name="old"><failure message="since ever"/></testcase></testsuite>
X
exit 1
"#;

const MEASURED: &str = r#"
workflow: measured
baseline: POLICY
defaults: {retries: 1}
steps:
  - id: work
    agent: developer
    task: Work.
    done: {all: [{file: work.md}, {junit: "out/*.xml", run: sh suite.sh}]}
"#;

fn suite() -> TestEnv {
    let env = test_env!();
    env.repository.write("suite.sh", SUITE);
    env.repository.write(".gitignore", "out/\n");
    env.repository.commit("a suite with a failing test");
    env
}

fn measured(policy: &str) -> String {
    MEASURED.replace("POLICY", policy)
}

#[test]
fn a_test_that_failed_before_counts_unless_only_new_failures_do() {
    let env = suite();
    let strict = env.run(&measured("strict"), "echo done > work.md", &[]);
    strict.assert_code(4);
    assert!(strict.stderr.contains("1 test fails before anyone did anything: s.old"), "{strict}");

    let env = suite();
    env.run(&measured("no_new_failures"), "echo done > work.md", &[]).assert_code(0);
    let report = env.windlass(&["report"]).assert_code(0).stdout.clone();
    assert!(report.contains("1 test fails before anyone did anything: s.old"), "{report}");
    let proofs = env.windlass(&["proofs"]).assert_code(0).stdout.clone();
    assert_eq!(
        proofs.matches("1 of them before the run already").count(),
        2,
        "warm, cold: {proofs}"
    );
    env.assert_audit();
}

#[test]
fn a_new_failure_counts_where_only_new_failures_do() {
    let env = suite();
    let agent = "echo done > work.md; touch broken";
    let finished = env.run(&measured("no_new_failures"), agent, &[]);
    finished.assert_code(4);
    let proofs = env.windlass(&["proofs"]).assert_code(0).stdout.clone();
    assert!(proofs.contains("2 failed") && proofs.contains("at most 0 may fail"), "{proofs}");
}

#[test]
fn a_command_that_fails_at_once_is_told_and_the_run_goes_on() {
    let env = test_env!();
    let workflow = r#"
workflow: quick
steps:
  - id: work
    agent: developer
    task: Work.
    done: {run: test -e work.md}
"#;
    let finished = env.run(workflow, "echo done > work.md", &[]);
    finished.assert_code(0);
    assert!(finished.stderr.contains("baseline: `test -e work.md` failed"), "{finished}");
    let report = env.windlass(&["report"]).assert_code(0).stdout.clone();
    assert!(report.contains("fails on the base commit already: `test -e work.md`"), "{report}");

    let env = test_env!();
    env.run(workflow, "echo done > work.md", &["--no-baseline"]).assert_code(0);
    let report = env.windlass(&["report"]).assert_code(0).stdout.clone();
    assert!(report.contains("no check was run on the base commit: switched off"), "{report}");
}

#[test]
fn a_command_whose_program_is_missing_stops_before_anything_is_spent() {
    let env = test_env!();
    let workflow = r#"
workflow: lacks
steps:
  - id: work
    agent: developer
    task: Work.
    done: {run: "true && no-such-program --version"}
"#;
    let finished = env.run(workflow, "touch ran", &[]);
    finished.assert_code(2);
    assert!(finished.stderr.contains("needs `no-such-program`, which is not there"), "{finished}");
    assert!(finished.stderr.contains("nothing was started"), "{finished}");
    assert!(env.windlass(&["status"]).stderr.contains("no run"), "it left a run");
}

/// Its check needs a folder that somebody installed.
const INSTALLED: &str = r#"
workflow: installed
steps:
  - id: work
    agent: developer
    task: Work.
    done: {run: test -e node_modules/tool/index.js}
"#;

fn with_dependencies() -> TestEnv {
    let env = test_env!();
    env.repository.write(".gitignore", "node_modules/\n");
    env.repository.commit("ignore what is installed");
    env.repository.write("node_modules/tool/index.js", "1\n");
    env
}

#[test]
fn what_a_fresh_clone_cannot_pass_stops_before_anything_is_spent_with_the_ways_on() {
    let env = with_dependencies();
    let finished = env.run(INSTALLED, "echo done > work.md", &[]);
    finished.assert_code(2);
    for words in
        ["node_modules", "not on a fresh clone", "prepare", "--no-cold", "nothing was started"]
    {
        assert!(finished.stderr.contains(words), "`{words}` is not in {finished}");
    }

    let env = with_dependencies();
    env.run(INSTALLED, "echo done > work.md", &["--no-cold", " "]).assert_code(2);
    env.run(INSTALLED, "echo done > work.md", &["--no-cold", "no registry here"]).assert_code(0);
    let report = env.windlass(&["report"]).assert_code(0).stdout.clone();
    assert!(report.contains("left out by a person: no registry here"), "{report}");
    env.assert_audit();

    // Where the workflow says how it is made, a clone has it.
    let env = with_dependencies();
    let prepare =
        "prepare: [{run: mkdir -p node_modules/tool && touch node_modules/tool/index.js}]\n";
    let workflow = INSTALLED.replace("steps:", &format!("{prepare}steps:"));
    let said = env.run(&workflow, "echo done > work.md", &[]).assert_code(0).stderr.clone();
    let begins = said.find("prepare: `mkdir -p node_modules/tool").expect("that it begins is said");
    let ends = said.find("prepare: done, ").expect("that it ended is said");
    assert!(begins < ends && ends < said.find("baseline:").unwrap_or(said.len()), "{said}");
}
