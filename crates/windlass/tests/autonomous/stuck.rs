//! Stories that cannot be proven: they are set aside, others go on, and nobody calls the run complete.

use crate::project::{Project, stories};
use crate::toolchains::{ADD, SUBTRACT, node_project, node_test};

/// Three stories: the second is never built right, the third depends on nothing, and the first is.
fn with_a_stuck_story() -> Option<Project> {
    let project = node_project()?;
    let text = stories(&[
        ("Subtract", "five minus three gives two"),
        ("Divide", "six by three gives two"),
        ("Negate", "negating two gives minus two"),
    ]);
    let text = text.replace("depends_on: [S2]", "depends_on: [S1]");
    let negate = format!("{SUBTRACT}export const neg = (a) => sub(0, a);\n");
    project
        .plans(&text)
        .writes(
            "stories/S1/red",
            "test/sub.test.js",
            &node_test("sub(5, 3)", "2", "five minus three"),
        )
        .writes("stories/S1/green", "src/sums.js", SUBTRACT)
        .accepts("S1", "test/sub.test.js::five minus three")
        .writes("stories/S2/red", "test/div.test.js", &node_test("div(6, 3)", "2", "six by three"))
        .writes("stories/S2/green", "src/half.js", "export const half = 1;\n")
        .accepts("S2", "test/div.test.js::six by three")
        .writes("stories/S3/red", "test/neg.test.js", &node_test("neg(2)", "-2", "negates two"))
        .writes("stories/S3/green", "src/sums.js", &negate)
        .accepts("S3", "test/neg.test.js::negates two");
    Some(project)
}

#[test]
fn a_story_that_cannot_be_proven_is_set_aside_and_the_others_go_on() {
    let Some(project) = with_a_stuck_story() else { return };
    let run = project.run();
    assert_eq!(run.code, Some(3), "{run}");
    assert_eq!(project.env.status(), "awaiting_user", "{run}");
    let log = project.env.log_json();
    assert_eq!(log.count("item_taken_back"), 1, "{run}");
    assert_eq!(log.count_of_step("step_done", "stories/S3/final"), 1, "{run}");
    let state = project.env.status_json();
    let branch = state["run"]["branch"].as_str().expect("a branch").to_owned();
    let files = project.env.repository.git(&["ls-tree", "-r", "--name-only", &branch]);
    assert!(files.contains("test/neg.test.js"), "{files}");
    assert!(!files.contains("test/div.test.js"), "half a story is on the branch: {files}");
    assert!(!files.contains("src/half.js"), "half a story is on the branch: {files}");
    project.env.assert_audit();

    // A person has found out what was wrong; the story begins anew on what was done since.
    let negate = format!("{SUBTRACT}export const neg = (a) => sub(0, a);\n");
    let divide = format!("{negate}export const div = (a, b) => a / b;\n");
    project.writes("stories/S2/green", "src/sums.js", &divide);
    project.windlass(&["retry-reset", "stories/S2/green"]).assert_code(0);
    let resumed = project.windlass(&["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    let files = project.env.repository.git(&["ls-tree", "-r", "--name-only", &branch]);
    assert!(files.contains("test/div.test.js"), "{files}");
    project.env.assert_audit();
}

#[test]
fn a_story_waits_for_the_one_that_it_depends_on() {
    let Some(project) = node_project() else { return };
    let text = stories(&[
        ("Subtract", "five minus three gives two"),
        ("Negate", "negating two gives minus two"),
    ]);
    project.plans(&text).writes("stories/S1/red", "src/sums.js", ADD);
    let run = project.run();
    assert_eq!(run.code, Some(3), "{run}");
    let log = project.env.log_json();
    assert_eq!(log.count("item_opened"), 1, "the second story has begun: {run}");
}
