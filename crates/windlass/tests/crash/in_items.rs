//! Dying while items come up: a task list, an item that an agent adds, one that is sent back.

use serde_json::{Value, json};
use windlass_testkit::{Finished, TestEnv, in_parallel, test_env, wait};

use super::scenario::read_points;

const WORKFLOW: &str = r#"
workflow: items
steps:
  - id: plan
    agent: planner
    publishes: {items: array}
    done: {file: plan.md}
  - id: work
    foreach: items
    tasks: TASKS.md
    steps:
      - id: code
        agent: developer
        done: [{file: "{item.id}.txt"}, {run: "grep -q right \"$ITEM.txt\"", env: {ITEM: .item.id}}]
      - id: review
        agent: reviewer
        publishes: {review.status: string}
        done: {verdict: .context.review.status, accept: [OK]}
        on:
          AGAIN: {rollback: code, max: 1}
"#;

/// Looks at what is there and does the next thing, whole or not at all.
const AGENT: &str = r#"
set -e
prompt=$(cat)
sent_back() { case "$prompt" in *Hotfix*) ;; *) return 1 ;; esac; }
put() { cat > .windlass/run/new && mv .windlass/run/new "$1"; }
case $WINDLASS_STEP in
  plan)
    windlass item add Extra --id X --body "One more."
    echo planned | put plan.md ;;
  work/*/code)
    case "$(cat "$WINDLASS_ITEM_ID.txt" 2>/dev/null)" in
      "") echo right 1 | put "$WINDLASS_ITEM_ID.txt" ;;
      "right 1") if sent_back; then echo right 2 | put "$WINDLASS_ITEM_ID.txt"; fi ;;
    esac ;;
  work/T1/review)
    case "$(cat T1.txt)" in
      "right 1") windlass context set review.status=AGAIN ;;
      *) windlass context set review.status=OK ;;
    esac ;;
  work/*/review) windlass context set review.status=OK ;;
esac
"#;

/// How many of the points are tried: the others are those of every run, tried elsewhere.
const EVERY: usize = 9;

fn world() -> TestEnv {
    let env = test_env!();
    env.repository.write("TASKS.md", "- [ ] T1: First\n- [x] T2: Old\n");
    env.repository.commit("tasks");
    env
}

fn run(env: &TestEnv, fault: Option<&str>) -> Finished {
    let mut command = env.run_command(WORKFLOW, AGENT, &[]);
    command.envs(fault.map(|fault| ("WINDLASS_FAULT", fault)));
    let finished = env.start(command).wait(wait::DEADLINE);
    finished.unwrap_or_else(|| panic!("{fault:?}: the run hangs"))
}

/// What the run came to; the same however often it was killed.
fn look(env: &TestEnv) -> Value {
    env.assert_no_orphans();
    env.assert_audit();
    let (log, status) = (env.log_json(), env.status_json());
    log.assert_linked();
    assert_eq!(log.count("item_added"), 3, "{:#?}", log.kinds());
    assert_eq!(log.count("item_opened"), 2);
    assert_eq!(log.count("tasks_read"), 1);
    assert_eq!(log.count("rolled_back"), 1);
    assert_eq!(log.count_of_step("step_done", "work/T1/code"), 2);
    assert_eq!(log.count_of_step("step_done", "work/X/code"), 1);
    let branch = status["run"]["branch"].as_str().expect("a branch").to_owned();
    let steps = status["steps"].as_array().expect("steps").iter();
    let steps: Vec<Value> = steps.map(|step| json!([step["id"], step["status"]])).collect();
    // An attempt after a lost one may be the one that asked.
    let items = status["items"].as_array().expect("items").iter();
    let items: Vec<Value> = items
        .map(|item| json!([item["id"], item["title"], item["body"], item["status"]]))
        .collect();
    json!({
        "status": status["run"]["status"],
        "steps": steps,
        "items": items,
        "files": env.repository.git(&["ls-tree", "-r", &branch]),
    })
}

#[test]
fn the_same_items_come_to_the_same_end_wherever_the_driver_died() {
    let whole = world();
    let trace = whole.root().join("trace");
    run(&whole, Some(&format!("trace:{}", trace.display()))).assert_code(0);
    let wanted = look(&whole);
    assert_eq!(wanted["status"], "completed");
    let points = read_points(&trace);
    let reading = points.iter().filter(|point| point.contains("read-tasks"));
    let sampled = points.iter().step_by(EVERY);
    let points: Vec<&String> = reading.chain(sampled).collect();
    assert!(points.len() > 10, "{points:?}");
    in_parallel(4, points, |point| {
        let env = world();
        let died = run(&env, Some(point));
        assert_eq!(died.code, None, "{point}: nobody died there: {died}");
        let exists = env.windlass(&["status", "--json"]).code == Some(0);
        let ended = if exists { env.windlass(&["resume"]) } else { run(&env, None) };
        assert_eq!(ended.code, Some(0), "died at {point}: {ended}");
        assert_eq!(look(&env), wanted, "died at {point}");
    });
}
