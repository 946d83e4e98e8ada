//! A prompt stays short whatever happens.

use proptest::prelude::*;
use windlass_core::prompt::MAX_BYTES;
use windlass_core::run::InputKind;

use crate::story::{Story, fails};

const WORKFLOW: &str = r#"
workflow: w
title: T
steps:
  - id: implement
    agent: a
    task: "TASK"
    publishes: {notes: object}
    done: {all: [{run: make test}, {run: make lint}, {diff: any}]}
"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_goal_task_context_failure_or_feedback_makes_a_prompt_long(
        goal in "[a-zA-Zé \n]{1,6000}",
        task in "[a-z][a-z é]{0,6000}",
        notes in prop::collection::btree_map("[a-z]{1,40}", "[ -~é]{0,400}", 0..60),
        summary in "[ -~é]{0,3000}",
        excerpt in "[ -~é\n]{0,4000}",
        feedback in "[a-zé]{1,6000}",
    ) {
        prop_assume!(!goal.trim().is_empty() && !task.trim().is_empty());
        let mut story = Story::with(&goal, &WORKFLOW.replace("TASK", &task));
        prop_assert!(story.prompt("implement").len() <= MAX_BYTES);
        let attempt = story.state().running_attempts().next().unwrap();
        let value = serde_json::to_value(&notes).unwrap();
        story.feed(InputKind::ContextSet { attempt, key: "notes".to_owned(), value });
        story.attempt("c1");
        story.verified(fails(&summary, &excerpt));
        let prompt = story.prompt("implement");
        prop_assert!(prompt.len() <= MAX_BYTES, "{}", prompt.len());
        prop_assert!(prompt.contains("Advice: try again") && prompt.contains("- failed: "));
        prop_assert!(prompt.contains("Try 2 of 3") && prompt.trim_end().ends_with("nothing."));
        story.attempt("c2");
        story.verified(fails(&summary, "other"));
        story.attempt("c3");
        story.verified(fails("again", "third"));
        story.feedback(&feedback, "c3");
        story.begin_step("implement", "c3");
        let prompt = story.prompt("implement");
        prop_assert!(prompt.len() <= MAX_BYTES, "{}", prompt.len());
        prop_assert!(prompt.contains("## Hotfix") && prompt.trim_end().ends_with("nothing."));
    }
}
