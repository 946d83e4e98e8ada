//! A draft pull request of what is done, without the stories that are blocked.

use serde_json::json;

use crate::publish::World;

const STORIES: &str = r#"
workflow: stories
defaults: {retries: 1}
steps:
  - id: plan
    agent: planner
    task: Split the goal.
    publishes: {items: array}
    done: {file: plan.md}
  - id: stories
    foreach: items
    max: 4
    steps:
      - id: code
        agent: developer
        exhausted: block
        done: {run: "grep -q right \"src/$ITEM.txt\"", env: {ITEM: .item.id}}
  - id: publish
    builtin: pull-request
    gate: approval
"#;

const AGENT: &str = r#"
set -e
case $WINDLASS_STEP in
  plan)
    echo plan > plan.md
    windlass item add First --id S1
    windlass item add Second --id S2 ;;
  stories/S1/code) mkdir -p src; echo right > src/S1.txt ;;
  stories/S2/code) mkdir -p src; echo wrong > src/S2.txt ;;
esac
"#;

/// A run with one story that is done and one that is blocked.
fn with_a_blocked_story() -> World {
    let world = World::new();
    let ended = world.start(STORIES, AGENT, &["--issue", "42"]);
    ended.assert_code(3);
    let (_, block) = ended.stdout.split_once("ESCALATION_REQUIRED\n").expect("a block");
    assert!(block.contains("needed: blocked S2:"), "{block}");
    assert!(block.contains("command: windlass publish --draft"), "{block}");
    world
}

#[test]
fn a_blocked_story_waits_for_a_person_and_nothing_is_published() {
    let world = with_a_blocked_story();
    assert_eq!(world.env.status(), "awaiting_user");
    assert!(world.gh.pull_requests().is_empty());
    let listed = world.env.json(&["blocker", "list", "--json"]);
    assert_eq!(listed["blocked"][0]["item"], "S2");
    assert_eq!(listed["blocked"][0]["step"], "stories/S2/code");
    let shown = world.windlass(&["status"]).stdout;
    assert!(shown.contains("blocked: `S2` Second"), "{shown}");
    assert!(shown.contains("windlass fixed S2"), "{shown}");
}

#[test]
fn a_person_asks_for_a_draft_without_the_blocked_story() {
    let world = with_a_blocked_story();
    world.windlass(&["publish"]).assert_code(2);
    world.windlass(&["publish", "--draft"]).assert_code(3);
    // Publishing has its own gate: the wish for a draft answers none.
    assert_eq!(world.env.status(), "awaiting_approval");
    world.windlass(&["approve"]).assert_code(0);
    world.windlass(&["resume"]).assert_code(0);
    let opened = world.pull_request();
    assert_eq!(opened["isDraft"], json!(true));
    let body = opened["body"].as_str().expect("a text");
    assert!(body.starts_with("> **Draft.**"), "{body}");
    assert!(body.contains("> - `S2` Second: `stories/S2/code` failed:"), "{body}");
    assert!(!body.lines().any(|line| line.starts_with("> - `S1`")), "{body}");
    world.env.assert_audit();
}

#[test]
fn a_blocked_story_is_tried_again_with_what_the_person_says() {
    let world = with_a_blocked_story();
    let agent = AGENT.replace(
        "echo wrong > src/S2.txt",
        "cp \"$WINDLASS_PROMPT_FILE\" .windlass/run/seen.md; echo right > src/S2.txt",
    );
    world.env.agent(&agent);
    world.windlass(&["fixed", "S2", "--notes", "Write the word right."]).assert_code(3);
    assert_eq!(world.env.status(), "awaiting_approval");
    let prompt = fs_err::read_to_string(world.env.place().join(".windlass/run/seen.md")).unwrap();
    assert!(prompt.contains("Write the word right."), "{prompt}");
    let nothing = world.windlass(&["publish", "--draft"]);
    nothing.assert_code(2);
}
