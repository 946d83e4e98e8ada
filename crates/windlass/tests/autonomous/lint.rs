//! The lint loop before the pull request, and what happens when the end does not hold.

use crate::project::{Project, stories};
use crate::toolchains::{SUBTRACT, node_project, node_test};

/// A project with a linter: no file may say `var`. Its fix is a script.
fn linted(fix: &str) -> Option<Project> {
    let project = node_project()?;
    let package = format!(
        r#"{{"name": "sums", "version": "1.0.0", "type": "module", "scripts": {{"test": "node --test", "lint": "! grep -n var src/*.js", "lint:fix": "{fix}"}}}}"#
    );
    project.env.repository.write("package.json", package);
    project.env.repository.commit("a linter");
    project
        .plans(&stories(&[("Subtract", "five minus three gives two")]))
        .writes(
            "stories/S1/red",
            "test/sub.test.js",
            &node_test("sub(5, 3)", "2", "five minus three"),
        )
        .writes(
            "stories/S1/green",
            "src/sums.js",
            &SUBTRACT.replace("export const sub", "export var sub"),
        )
        .accepts("S1", "test/sub.test.js::five minus three");
    Some(project)
}

fn source(project: &Project) -> String {
    let state = project.env.status_json();
    let branch = state["run"]["branch"].as_str().expect("a branch").to_owned();
    project.env.repository.git(&["show", &format!("{branch}:src/sums.js")])
}

#[test]
fn what_the_platform_can_put_right_needs_no_agent() {
    let Some(project) = linted("sed -i 's/var/const/' src/sums.js") else { return };
    project.does("lint", "echo an agent was asked >&2; exit 1\n");
    let run = project.run();
    assert_eq!(run.code, Some(0), "{run}");
    assert_eq!(project.env.log_json().count_of_step("step_proven", "lint"), 1, "{run}");
    assert!(!source(&project).contains("var"), "{}", source(&project));
}

#[test]
fn a_fix_that_breaks_a_test_is_taken_back() {
    let Some(project) = linted("echo 'export const add = 1;' > src/sums.js") else { return };
    project.writes("lint#2", "src/sums.js", SUBTRACT);
    let run = project.run();
    assert_eq!(run.code, Some(0), "{run}");
    let log = project.env.log_json();
    assert_eq!(log.count("work_reverted"), 1, "{run}");
    assert_eq!(source(&project), SUBTRACT.trim_end(), "the agent's fix is on the branch");
}

#[test]
fn lint_that_nobody_puts_right_is_waived_and_the_report_says_so() {
    let Some(project) = linted("true") else { return };
    let run = project.run();
    assert_eq!(run.code, Some(0), "{run}");
    assert_eq!(project.env.log_json().count_of_step("step_waived", "lint"), 1, "{run}");
    let report = project.env.windlass(&["report"]).stdout;
    assert!(report.contains("waived"), "{report}");
}
