//! `phases.conf` at the command line.

use insta::assert_snapshot;
use windlass_testkit::test_env;

const PHASES: &str = r#"PHASES=(
  "0|planner|APPROVAL|GLOB:specs/issue-${ISSUE}-plan.md"
  "1|tester|AUTO|STATE:tests.passed==true+VERIFY:make test"
  "2|reviewer|AUTO|STATE:.review.status == \"APPROVED\""
  "3|ORCHESTRATOR|APPROVAL|STATE:publish.prUrl"
)
"#;

#[test]
fn an_import_prints_the_workflow_and_an_account_of_every_line() {
    let env = test_env!();
    let file = env.file("phases.conf", PHASES);
    let finished = env.windlass(&["import", &file.to_string_lossy()]);
    finished.assert_code(0);
    assert_snapshot!("account", env.normalise(&finished.stderr));
    assert_snapshot!("workflow", env.normalise(&finished.stdout));
}

#[test]
fn an_import_into_a_file_can_be_checked_by_its_name() {
    let env = test_env!();
    let file = env.file("phases.conf", PHASES);
    let file = file.to_string_lossy();
    let out = ".windlass/workflows/legacy.yaml";
    let json = env.json(&["import", &file, "-o", out, "--json"]);
    assert_eq!(json["lines"].as_array().unwrap().len(), 4);
    assert_eq!(json["lines"][2]["became"]["step"], "phase-2");
    env.windlass(&["check", "legacy"]).assert_code(0);
    let text = env.repository.read(out);
    assert!(text.contains("\nworkflow: legacy\n"), "{text}");
    env.windlass(&["import", &file, "-o", out]).assert_code(2);
    assert_eq!(env.repository.read(out), text);
}

#[test]
fn what_cannot_be_imported_is_refused_with_its_lines() {
    let env = test_env!();
    let file =
        env.file("bad.conf", "1|a|AUTO|x.md\n2|b|ATUO|x.md\n3|c|AUTO|STATE:.a | nonsense(\n4|d\n");
    let finished = env.windlass(&["import", &file.to_string_lossy()]);
    finished.assert_code(2);
    assert_eq!(finished.stdout, "");
    assert_snapshot!(env.normalise(&finished.stderr));
    // What only the compiler of expressions can tell.
    let file = env.file("jq.conf", "1|a|AUTO|x.md\n2|c|AUTO|STATE:.a | nonsense(+VERIFY:true\n");
    let finished = env.windlass(&["import", &file.to_string_lossy(), "--json"]);
    finished.assert_code(2);
    let first = finished.stdout.lines().next().unwrap();
    let json: serde_json::Value = serde_json::from_str(first).unwrap();
    assert_eq!(json["problems"][0]["line"], 2, "{finished}");
    env.windlass(&["import", "/nonexistent"]).assert_code(2);
    env.windlass(&["import", "."]).assert_code(2);
    let good = env.file("good.conf", PHASES);
    env.windlass(&["import", &good.to_string_lossy(), "--name", "Not An Id"]).assert_code(2);
}
