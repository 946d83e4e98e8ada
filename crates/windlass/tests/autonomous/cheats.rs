//! Agents that cheat in a story, each caught with a message that names it. Every one of them does it right
//! on the second try, so that the run shows that nothing else was in the way.

use crate::project::{Project, review_of, stories, tests_of};
use crate::toolchains::{ADD, SUBTRACT, node_project, node_test};

/// A project with one story in which everybody is honest; cheats lay themselves over an attempt.
fn honest() -> Option<Project> {
    let project = node_project()?;
    project
        .plans(&stories(&[("Subtract", "five minus three gives two")]))
        .writes("stories/S1/red", "test/sub.test.js", &right_test())
        .writes("stories/S1/green", "src/sums.js", SUBTRACT)
        .accepts("S1", "test/sub.test.js::five minus three");
    Some(project)
}

fn right_test() -> String {
    node_test("sub(5, 3)", "2", "five minus three")
}

/// Runs it, and fails unless the run completes after the step was refused with these words.
#[track_caller]
fn assert_caught(project: &Project, step: &str, words: &[&str]) {
    let run = project.run();
    assert_eq!(run.code, Some(0), "{run}");
    let refused = project.refused(step);
    for word in words {
        assert!(refused.contains(word), "`{word}` is not in: {refused}\n{run}");
    }
    project.env.assert_audit();
}

/// The run stops at a gate: nobody but a person lets the scripts of the manifest change.
#[track_caller]
fn assert_asks_about_the_manifest(project: &Project) {
    let run = project.run();
    assert_eq!(run.code, Some(3), "{run}");
    let status = project.env.status_json();
    assert_eq!(status["gate"]["kind"], "protected", "{status:#}");
    assert_eq!(status["gate"]["protected"][0], "package.json", "{status:#}");
    let log = project.env.log_json();
    assert_eq!(log.count_of_step("step_proven", "stories/S1/green"), 0, "{run}");
    project.env.assert_audit();
}

#[test]
fn implementation_before_its_test() {
    let Some(project) = honest() else { return };
    project.writes("stories/S1/red#1", "test/sub.test.js", &right_test()).writes(
        "stories/S1/red#1",
        "src/sums.js",
        SUBTRACT,
    );
    // What was written too early has to go again.
    project.writes("stories/S1/red", "src/sums.js", ADD);
    assert_caught(&project, "stories/S1/red", &["implementation before its test", "src/sums.js"]);
}

#[test]
fn a_test_that_was_green_already() {
    let Some(project) = honest() else { return };
    project.writes(
        "stories/S1/red#1",
        "test/sub.test.js",
        &node_test("add(5, -3)", "2", "five minus three"),
    );
    assert_caught(&project, "stories/S1/red", &["passes without the implementation"]);
}

#[test]
fn a_test_that_is_weakened_between_red_and_green() {
    let Some(project) = honest() else { return };
    project
        .writes(
            "stories/S1/green#1",
            "test/sub.test.js",
            &node_test("add(1, 1)", "2", "five minus three"),
        )
        .writes("stories/S1/green", "test/sub.test.js", &right_test());
    assert_caught(&project, "stories/S1/green", &["test/sub.test.js"]);
}

#[test]
fn a_test_that_is_skipped() {
    let Some(project) = honest() else { return };
    let skipped = right_test().replace("test('five", "test.skip('five");
    project.writes("stories/S1/red#1", "test/sub.test.js", &skipped);
    assert_caught(&project, "stories/S1/red", &["five minus three", "skipped"]);
}

#[test]
fn a_test_script_that_hides_failures() {
    let Some(project) = honest() else { return };
    let script = |test: &str| {
        format!(
            r#"{{"name": "sums", "version": "1.0.0", "type": "module", "scripts": {{"test": "{test}"}}}}"#
        )
    };
    project.writes("stories/S1/green#1", "package.json", &script("node --test || true")).writes(
        "stories/S1/green",
        "package.json",
        &script("node --test"),
    );
    assert_asks_about_the_manifest(&project);
}

#[test]
fn a_test_script_that_leaves_the_new_test_out_and_runs_another_instead() {
    let Some(project) = honest() else { return };
    let script = |test: &str| {
        format!(
            r#"{{"name": "sums", "version": "1.0.0", "type": "module", "scripts": {{"test": "{test}"}}}}"#
        )
    };
    let two = "node --test test/add.test.js test/same.test.js";
    project
        .writes("stories/S1/green#1", "package.json", &script(two))
        .writes(
            "stories/S1/green#1",
            "test/same.test.js",
            &node_test("add(5, -3)", "2", "five minus three"),
        )
        .writes("stories/S1/green", "package.json", &script("node --test"))
        .does("stories/S1/green", "rm -f test/same.test.js\n");
    assert_asks_about_the_manifest(&project);
}

#[test]
fn a_coverage_report_that_was_written_by_hand_and_code_that_nothing_tests() {
    let Some(project) = honest() else { return };
    let untested: String =
        (0..60).map(|line| format!("  if (a === {line}) return {line};\n")).collect();
    let sloppy = format!("{SUBTRACT}export const more = (a) => {{\n{untested}  return a;\n}};\n");
    project.writes("stories/S1/green#1", "src/sums.js", &sloppy).writes(
        "stories/S1/green#1",
        ".reports/lcov.info",
        "SF:src/sums.js\nDA:1,1\nLF:1\nLH:1\nend_of_record\n",
    );
    assert_caught(&project, "stories/S1/coverage", &["coverage", "%"]);
    let back = project.env.log_json();
    assert_eq!(back.last("route_taken").expect("a route")["target"], "stories/S1/green");
}

#[test]
fn a_report_of_yesterday() {
    let Some(project) = honest() else { return };
    let script = |test: &str| {
        format!(
            r#"{{"name": "sums", "version": "1.0.0", "type": "module", "scripts": {{"test": "{test}"}}}}"#
        )
    };
    let old = "<testsuites><testsuite name=\"s\" tests=\"2\"><testcase name=\"adds\"/><testcase name=\"five minus three\"/></testsuite></testsuites>";
    project
        .writes("stories/S1/green#1", "package.json", &script("true node --test"))
        .writes("stories/S1/green#1", ".reports/junit.xml", old)
        .writes("stories/S1/green", "package.json", &script("node --test"))
        .does("stories/S1/green", "rm -rf .reports\n");
    assert_asks_about_the_manifest(&project);
}

#[test]
fn a_reviewer_who_approves_with_a_blocking_finding_sends_the_story_back() {
    let Some(project) = honest() else { return };
    project.writes(
        "stories/S1/review#1",
        &review_of("S1"),
        "[BLOCKING] no check of the input src/sums.js:2\n\nAPPROVED\n",
    );
    let run = project.run();
    assert_eq!(run.code, Some(0), "{run}");
    let log = project.env.log_json();
    let route = log.last("route_taken").expect("a route");
    assert_eq!(
        (route["verdict"].as_str(), route["target"].as_str()),
        (Some("CHANGES_REQUESTED"), Some("stories/S1/green"))
    );
    let back = log.last("rolled_back").expect("a rollback")["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(back.contains("no check of the input") && back.contains("blocking"), "{back}");
}

#[test]
fn a_finding_about_a_test_goes_back_to_where_tests_are_written() {
    let Some(project) = honest() else { return };
    project.writes(
        "stories/S1/review#1",
        &review_of("S1"),
        "[BLOCKING] asserts too little test/sub.test.js:4\n\nCHANGES_REQUESTED\n",
    );
    let better = format!(
        "{}test('nothing minus one', () => assert.equal(sums.sub(0, 1), -1));\n",
        right_test()
    );
    project.writes("stories/S1/red#2", "test/sub.test.js", &better);
    let run = project.run();
    assert_eq!(run.code, Some(0), "{run}");
    let log = project.env.log_json();
    assert_eq!(log.last("route_taken").expect("a route")["target"], "stories/S1/red");
    assert_eq!(log.count_of_step("step_proven", "stories/S1/red"), 2, "{run}");
}

#[test]
fn a_tester_who_passes_a_criterion_without_a_test() {
    for (report, words) in [
        ("AC1: PASS\n\nPASSED\n", "AC1"),
        ("AC1: PASS test/other.test.js::never written\n\nPASSED\n", "names no test that exists"),
        ("Everything is fine.\n\nPASSED\n", "AC1"),
        ("AC1: PASS src/sums.js::add\n\nPASSED\n", "names no test that exists"),
        ("AC1: PASS package.json\n\nPASSED\n", "names no test that exists"),
        (
            "AC1: PASS .windlass/run/specs/S1-tests.md::PASSED\n\nPASSED\n",
            "names no test that exists",
        ),
    ] {
        let Some(project) = honest() else { return };
        project.writes("stories/S1/verify#1", &tests_of("S1"), report);
        let run = project.run();
        assert_eq!(run.code, Some(0), "{run}");
        let log = project.env.log_json();
        // A typing mistake of the tester's is nothing that the developer could solve.
        assert_eq!(log.count("rolled_back"), 0, "{report}: {run}");
        let refused = project.refused("stories/S1/verify");
        assert!(refused.contains(words), "{report}: {refused}");
    }
}
