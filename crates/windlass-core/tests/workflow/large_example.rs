//! A workflow that uses most of the grammar: what it refuses is only what nothing runs yet.

use insta::assert_snapshot;

use super::{parsed, refused};

const LARGE: &str = include_str!("large_example.yaml");

#[test]
fn only_what_nothing_runs_yet_is_refused() {
    assert_snapshot!(refused(LARGE), @r#"
    w.yaml:64:5: `builtin` is not supported by this version of windlass yet
    w.yaml:65:5: `before` is not supported by this version of windlass yet
    "#);
}

#[test]
fn without_those_the_workflow_is_good() {
    let mut source = String::new();
    for line in LARGE.lines() {
        let indented = line.trim_start();
        if indented.starts_with("before:") {
            continue;
        }
        source.push_str(&line.replace("builtin: pull-request", "agent: publisher"));
        source.push('\n');
    }
    let source = format!("{source}    done: {{diff: any}}\n");
    let workflow = parsed(&source);
    assert_eq!(workflow.warnings(), []);
    // Nine steps of three tries, and three times everything from the earliest target on.
    assert_eq!(workflow.worst_case_attempts(), 9 * 3 + 3 * 6 * 3);
}
