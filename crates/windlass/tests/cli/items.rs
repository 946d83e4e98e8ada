//! Steps that are repeated for every item, with agents and people who add them.

use serde_json::json;
use windlass_testkit::{TestEnv, test_env};

/// A plan that adds items, two steps per item, and a step after them.
const STORIES: &str = r#"
workflow: stories
defaults: {retries: 2}
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
        task: "Do {item.id}: {item.title}"
        may_write: ["src/{item.id}.txt"]
        exhausted: POLICY
        done:
          all:
            - {file: "src/{item.id}.txt"}
            - {run: "grep -qF \"$TITLE\" \"src/$ITEM.txt\"", env: {TITLE: .item.title, ITEM: .item.id}}
      - id: review
        agent: reviewer
        publishes: {review.status: string}
        done: {verdict: .context.review.status, accept: [OK]}
        on:
          AGAIN: {rollback: code, max: 1}
  - id: last
    agent: writer
    done: {file: last.md}
"#;

/// Adds two items; `S1` is sent back once, and `S2` is done only where `WORKS` says so.
const AGENT: &str = r#"
set -e
case $WINDLASS_STEP in
  plan)
    echo "$WINDLASS_ATTEMPT" > plan.md
    windlass item add 'Quote "this" $(and that)' --id S1 --body 'The body of one.'
    windlass item add 'Second' --id S2 ;;
  stories/*/code)
    mkdir -p src
    cp "$WINDLASS_PROMPT_FILE" .windlass/run/seen.md
    case $WINDLASS_ITEM_ID in
      S2) if test -e WORKS; then echo Second "$WINDLASS_ATTEMPT" > src/S2.txt; fi ;;
      *) echo "$WINDLASS_ITEM_TITLE $WINDLASS_ATTEMPT" > "src/$WINDLASS_ITEM_ID.txt" ;;
    esac ;;
  stories/S1/review)
    case $WINDLASS_ATTEMPT in
      *#1) windlass context set review.status=AGAIN ;;
      *) windlass context set review.status=OK ;;
    esac ;;
  stories/*/review) windlass context set review.status=OK ;;
  last) echo "$WINDLASS_ATTEMPT" > last.md ;;
esac
"#;

fn workflow(policy: &str) -> String {
    STORIES.replace("POLICY", policy)
}

fn agent(env: &TestEnv) -> String {
    AGENT.replace("WORKS", &env.root().join("tmp/works").display().to_string())
}

fn works(env: &TestEnv) {
    fs_err::write(env.root().join("tmp/works"), "").expect("a file");
}

/// A run whose first item is done and whose second one could not be.
fn stuck(policy: &str, code: i32) -> TestEnv {
    let env = test_env!();
    env.run(&workflow(policy), &agent(&env), &[]).assert_code(code);
    env
}

/// The ids and statuses of all items.
fn items(env: &TestEnv) -> serde_json::Value {
    let listed = env.json(&["item", "list", "--json"]);
    let pairs =
        listed.as_array().expect("a list").iter().map(|item| json!([item["id"], item["status"]]));
    pairs.collect()
}

#[test]
fn an_agent_adds_items_and_each_is_done_reviewed_and_committed() {
    let env = test_env!();
    works(&env);
    env.run(&workflow("pause"), &agent(&env), &[]).assert_code(0);
    assert_eq!(items(&env), json!([["S1", "done"], ["S2", "done"]]));
    let log = env.log_json();
    assert_eq!(log.count("item_opened"), 2);
    assert_eq!(log.count_of_step("step_done", "stories/S1/code"), 2, "it was sent back once");
    assert_eq!(log.count_of_step("step_done", "stories/S2/code"), 1, "and nobody else was");
    let report = env.windlass(&["report"]).stdout;
    assert!(report.contains("| `S2` | Second | done | plan#\u{200b}1 |"), "{report}");
    assert!(report.contains("(`stories/S1/review`)"), "{report}");
    env.assert_audit();
    let branch = env.status_json()["run"]["branch"].as_str().unwrap().to_owned();
    let files = env.repository.git(&["ls-tree", "-r", "--name-only", &branch]);
    assert!(files.contains("src/S1.txt") && files.contains("src/S2.txt"), "{files}");
}

#[test]
fn a_prompt_names_the_item_and_the_file_with_its_words() {
    let env = stuck("pause", 4);
    env.windlass(&["skip", "stories/S2", "--reason", "no"]).assert_code(0);
    env.windlass(&["item", "add", "Third", "--body", "The body of three."]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    let prompt = fs_err::read_to_string(env.place().join(".windlass/run/seen.md")).unwrap();
    assert!(prompt.contains("Item: `third` Third"), "{prompt}");
    assert!(prompt.contains("`.windlass/run/items/third.md`"), "{prompt}");
    assert!(!prompt.contains("The body of three."), "paths, never contents: {prompt}");
    let file = env.place().join(".windlass/run/items/third.md");
    assert!(fs_err::read_to_string(file).unwrap().contains("The body of three."));
}

#[test]
fn why_a_step_of_an_item_is_where_it_is() {
    let env = stuck("pause", 4);
    let why = env.windlass(&["replay", "--why", "stories/S2/code"]);
    why.assert_code(0);
    for line in ["its item `S2` started", "attempt 2 started", "it failed: its tries are used up"] {
        assert!(why.stdout.contains(line), "{line}: {why}");
    }
    env.windlass(&["replay", "--why", "stories/S1"]).assert_code(0);
}

#[test]
fn a_blocked_item_waits_for_a_person_and_can_be_tried_again() {
    let env = stuck("block", 3);
    assert_eq!(items(&env), json!([["S1", "done"], ["S2", "blocked"]]));
    assert_eq!(env.status_json()["run"]["status"], "awaiting_user");
    let status = env.windlass(&["status"]).stdout;
    assert!(status.contains("items: 1 done, 1 blocked"), "{status}");
    assert!(status.contains("`stories/S2/code` is blocked"), "{status}");
    works(&env);
    env.windlass(&["retry-reset", "stories/S2/code"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    assert_eq!(items(&env), json!([["S1", "done"], ["S2", "done"]]));
}

#[test]
fn a_waived_item_counts_and_every_report_shows_it() {
    let env = stuck("waive", 0);
    let listed = env.windlass(&["item", "list"]).stdout;
    assert!(listed.contains("Second (waived: not proven)"), "{listed}");
    let report = env.windlass(&["report"]).stdout;
    assert!(report.contains("done, **with a waived step**"), "{report}");
}

#[test]
fn a_paused_item_is_skipped_or_sent_back_by_a_person() {
    let env = stuck("pause", 4);
    assert_eq!(items(&env), json!([["S1", "done"], ["S2", "active"]]));
    env.windlass(&["item", "update", "S2", "--skip", "not now"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    assert_eq!(items(&env), json!([["S1", "done"], ["S2", "skipped"]]));
    assert!(env.windlass(&["report"]).stdout.contains("skipped: not now"));

    let env = stuck("pause", 4);
    works(&env);
    env.windlass(&["rollback", "stories/S1/code", "once more"]).assert_code(0);
    env.windlass(&["retry-reset", "stories/S2/code"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    assert_eq!(env.log_json().count_of_step("step_done", "stories/S1/code"), 3);
    assert_eq!(items(&env), json!([["S1", "done"], ["S2", "done"]]));
}

#[test]
fn what_people_get_wrong_about_items_is_said() {
    let env = stuck("pause", 4);
    let wrong: [(&[&str], &str, &str); 6] = [
        (&["item", "update", "S3", "--skip", "x"], "no item `S3`", "did you mean `S"),
        (&["item", "add", "Again", "--id", "S1"], "an item `S1` already", "--id"),
        (&["item", "add", "Bad", "--id", "a/b"], "`a/b` cannot be the id", "letters"),
        (&["item", "add", ""], "the title of an item", "body"),
        (&["item", "update", "S1", "--title", "x"], "has come up already", "rollback"),
        (&["item", "add", "X", "--step", "plan"], "does not repeat over items", "foreach"),
    ];
    for (arguments, message, hint) in wrong {
        let refused = env.windlass(arguments);
        refused.assert_code(2);
        assert!(refused.stderr.contains(message), "{arguments:?}: {refused}");
        assert!(refused.stderr.contains(hint), "{arguments:?}: {refused}");
    }
    env.windlass(&["item", "update", "S1"]).assert_code(2);
    env.windlass(&["item", "add", "Three"]).assert_code(0);
    env.windlass(&["item", "add", "Four"]).assert_code(0);
    let many = env.windlass(&["item", "add", "Five"]);
    many.assert_code(2);
    assert!(many.stderr.contains("`max: 4`"), "{many}");
}

#[test]
fn an_agent_without_the_right_adds_nothing_and_none_decides_as_a_person() {
    let env = test_env!();
    works(&env);
    let as_person = format!(
        "(export HOME=\"$USERS_HOME\"; cd \"$HOME/project\" && env -u WINDLASS_TOKEN WINDLASS_HOME={} windlass item add More)",
        env.state().display()
    );
    let greedy = format!("windlass item add More; {as_person}; mkdir -p src");
    let greedy = agent(&env).replace("mkdir -p src", &greedy).replace("set -e", "");
    env.run(&workflow("pause"), &greedy, &[]).assert_code(0);
    assert_eq!(items(&env), json!([["S1", "done"], ["S2", "done"]]));
    let printed = env.windlass(&["log", "--attempt", "stories/S2/code#1"]).stdout;
    assert!(printed.contains("may not add items"), "{printed}");
    assert!(printed.contains("cannot decide about the run"), "{printed}");
}

/// Steps for every entry of a task list.
const TASKS: &str = r#"
workflow: tasks
steps:
  - id: work
    foreach: items
    max: 3
    tasks: TASKS.md
    steps:
      - id: code
        agent: developer
        done: {file: "{item.id}.txt"}
"#;

const DO: &str = r#"echo "$WINDLASS_ITEM_TITLE" > "$WINDLASS_ITEM_ID.txt""#;

#[test]
fn the_entries_of_a_task_list_are_items() {
    let env = test_env!();
    env.repository.write("TASKS.md", "# Tasks\n\n- [ ] T1: First\n- [x] T2: Old\n- [ ] Write it\n");
    env.repository.commit("tasks");
    env.run(TASKS, DO, &[]).assert_code(0);
    let wanted = json!([["T1", "done"], ["T2", "skipped"], ["write-it", "done"]]);
    assert_eq!(items(&env), wanted);
    let listed = env.windlass(&["item", "list"]).stdout;
    assert!(listed.contains("ticked in `TASKS.md`"), "{listed}");
    assert_eq!(env.log_json().count("attempt_started"), 2);
}

#[test]
fn a_task_list_that_is_not_there_or_no_list_stops_with_its_reason() {
    let env = test_env!();
    env.run(TASKS, DO, &[]).assert_code(3);
    let status = env.windlass(&["status"]).stdout;
    assert!(
        status.contains("its tasks in `TASKS.md` cannot be taken: there is no such file"),
        "{status}"
    );
    fs_err::write(env.place().join("TASKS.md"), "- [ ] T1: a\n- [ ] T1: b\n").unwrap();
    env.windlass(&["retry-reset", "work"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(3);
    let status = env.windlass(&["status"]).stdout;
    assert!(status.contains("line 2: the id `T1` stands there a second time"), "{status}");
    fs_err::remove_file(env.place().join("TASKS.md")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", env.place().join("TASKS.md")).unwrap();
    env.windlass(&["retry-reset", "work"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(3);
    let status = env.windlass(&["status"]).stdout;
    assert!(status.contains("cannot be taken"), "{status}");
    fs_err::remove_file(env.place().join("TASKS.md")).unwrap();
    fs_err::write(env.place().join("TASKS.md"), "- [ ] T1: a\n").unwrap();
    env.windlass(&["retry-reset", "work"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    assert_eq!(items(&env), json!([["T1", "done"]]));
}

#[test]
fn a_task_list_without_open_entries_asks_a_person() {
    let env = test_env!();
    env.repository.write("TASKS.md", "Nothing yet.\n");
    env.repository.commit("tasks");
    env.run(TASKS, DO, &[]).assert_code(3);
    assert_eq!(env.step("work"), "blocked");
    assert!(env.windlass(&["status"]).stdout.contains("no task in it is open"));
    env.windlass(&["skip", "work", "--reason", "there is nothing to do"]).assert_code(0);
}

#[test]
fn a_run_with_many_items_is_read_back_from_what_was_folded_in_between() {
    let env = test_env!();
    let tasks: String =
        (1..=24).map(|number| format!("- [ ] T{number}: Task {number}\n")).collect();
    env.repository.write("TASKS.md", tasks);
    env.repository.commit("tasks");
    let workflow = TASKS.replace("max: 3", "max: 24\n    gate: approval");
    env.run(&workflow, DO, &[]).assert_code(3);
    // More records than pass between two folds.
    assert!(env.log_json().kinds().len() > 256);
    let wanted: Vec<_> = (1..=24).map(|number| json!([format!("T{number}"), "done"])).collect();
    assert_eq!(items(&env), json!(wanted));
    env.windlass(&["rollback", "work/T7/code", "once more"]).assert_code(0);
    assert_eq!(items(&env)[6], json!(["T7", "active"]));
    env.windlass(&["resume"]).assert_code(4);
    assert_eq!(items(&env)[6], json!(["T7", "active"]), "the same words again are no change");
    env.windlass(&["skip", "work/T7", "--reason", "it was right"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(3);
    env.windlass(&["approve"]).assert_code(0);
    // The last proof, of the files of all items, needs a driver.
    env.windlass(&["resume"]).assert_code(0);
    assert_eq!(env.status(), "completed");
    env.assert_audit();
}
