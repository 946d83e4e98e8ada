//! Stories: what they need from outside, what failed, how far they have come.

use serde_json::json;
use windlass_testkit::{TestEnv, test_env};

/// Two steps per story; `green` is done only where `WORKS` says so.
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
    steps:
      - {id: red, agent: developer, task: Test it., done: {file: "tests/{item.id}.txt"}}
      - id: green
        agent: developer
        task: Build it.
        done:
          all: [{file: "src/{item.id}.txt"}, {run: "test -s src/S1.txt || { echo 'src/S1.txt:3: is empty'; exit 1; }"}]
"#;

const AGENT: &str = r#"
set -e
case $WINDLASS_STEP in
  plan)
    echo x > plan.md
    windlass item add 'Pay with Stripe' --id S1 --body 'Receipts go by SendGrid.'
    windlass item add 'A page' --id S2 ;;
  stories/*/red) mkdir -p tests; echo x > "tests/$WINDLASS_ITEM_ID.txt" ;;
  stories/*/green)
    cp "$WINDLASS_PROMPT_FILE" .windlass/run/seen.md
    mkdir -p src
    if test -e WORKS; then echo x > "src/$WINDLASS_ITEM_ID.txt"; exit 0; fi
    : > src/S1.txt
    windlass failure add S1 --category external 'the sandbox is down'
    windlass failure add S1 --category external 'the sandbox is down'
    if windlass failure add S2 --category code 'not mine'; then echo yes > src/cheat.txt; fi ;;
esac
"#;

fn agent(env: &TestEnv) -> String {
    AGENT.replace("WORKS", &env.root().join("tmp/works").display().to_string())
}

/// A run whose first story could not be built.
fn stuck() -> TestEnv {
    let env = test_env!();
    env.run(STORIES, &agent(&env), &[]).assert_code(4);
    env
}

fn keywords(finds: &serde_json::Value) -> serde_json::Value {
    let finds = finds.as_array().expect("a list").iter();
    finds.map(|find| json!([find["keyword"], find["source"]])).collect()
}

#[test]
fn services_are_found_in_a_story_in_a_text_and_in_manifests() {
    let env = stuck();
    let found = env.json(&["deps", "scan", "S1", "--json"]);
    assert_eq!(keywords(&found), json!([["sendgrid", "story"], ["stripe", "story"]]));
    assert_eq!(found[1]["type"], "payment");
    assert_eq!(found[1]["needs_secrets"], true);
    assert_eq!(found[1]["secrets"][0], "STRIPE_SECRET_KEY");
    assert_eq!(keywords(&env.json(&["deps", "scan", "S2", "--json"])), json!([]));
    let unknown = env.windlass(&["deps", "scan", "S7"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("there is no story `S7`"), "{unknown}");
}

#[test]
fn without_a_run_texts_files_manifests_and_own_services_are_looked_at() {
    let env = test_env!();
    env.repository.write("web/package.json", r#"{"dependencies": {"@aws-sdk/client-s3": "3"}}"#);
    env.repository.write("node_modules/x/package.json", r#"{"dependencies": {"twilio": "3"}}"#);
    env.repository.write("broken/Cargo.toml", "[");
    env.repository.write(
        ".windlass/config.yaml",
        "services: [{type: crm, keywords: [acme hub], mock_strategy: the fake, secrets: [ACME]}]\n",
    );
    env.repository.write("story.md", "An atlas of maps, and AcmeHub.");
    let scanned = env.windlass(&["deps", "scan", "--file", "story.md", "--json"]);
    scanned.assert_code(0);
    let found: serde_json::Value = serde_json::from_str(&scanned.stdout).unwrap();
    assert_eq!(keywords(&found), json!([["acme hub", "story"], ["s3", "web/package.json"]]));
    assert!(scanned.stderr.contains("`broken/Cargo.toml` cannot be read"), "{scanned}");
    let told = env.windlass(&["deps", "scan", "--text", "Kafka", "--no-manifests"]);
    insta::assert_snapshot!(told.stdout, @r"
    kafka (messaging), in story
      stand-in: a local container of the same kind
      secrets: none
    ");
    env.windlass(&["deps", "scan"]).assert_code(2);
    env.windlass(&["deps", "scan", "--file", "nowhere.md"]).assert_code(2);
}

#[test]
fn failures_are_listed_noted_and_advised_about() {
    let env = stuck();
    let list = env.json(&["failure", "list", "S1", "--json"]);
    let rows: serde_json::Value = list
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| json!([row["attempt"], row["category"], row["by"]]))
        .collect();
    let (first, second) = ("stories/S1/green#1", "stories/S1/green#2");
    assert_eq!(
        rows,
        json!([
            [null, "external", first],
            [first, "test", null],
            [null, "external", second],
            [second, "test", null]
        ])
    );
    assert_eq!(list[1]["item"], "S1");
    assert!(!env.place().join("src/cheat.txt").exists(), "an agent notes only its own failures");
    let advice = env.json(&["failure", "advice", "S1", "--json"]);
    assert_eq!((&advice["should_retry"], &advice["escalate"]), (&json!(false), &json!(true)));
    assert_eq!(advice["reason"], format!("{second} noted: the sandbox is down"));
    let prompt = fs_err::read_to_string(env.place().join(".windlass/run/seen.md")).unwrap();
    for words in [
        "## Try 2 of 2",
        "Story: `S1` Pay with Stripe",
        "Where: `src/S1.txt:3`",
        "Changed so far: `src/S1.txt`",
        "- failed: `test -s",
        "Noted by stories/S1/green#1 (external): the sandbox is down",
        "- stripe (payment)",
    ] {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
    fs_err::write(env.root().join("tmp/works"), "").unwrap();
    env.windlass(&["retry-reset", "stories/S1/green"]).assert_code(0);
    let advice = env.json(&["failure", "advice", "S1", "--json"]);
    assert_eq!(advice["should_retry"], true, "a person opened it again: {advice}");
    let words = ["failure", "add", "S2", "--category", "infra", "the disk is full"];
    env.windlass(&words).assert_code(0);
    let told = env.windlass(&["failure", "list", "S2"]).stdout;
    assert!(told.contains("S2  infra: the disk is full (noted by "), "{told}");
    env.windlass(&["resume"]).assert_code(0);
    env.assert_audit();
    let over = env.windlass(&words);
    over.assert_code(2);
    let unknown = env.windlass(&["failure", "advice", "S11"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("did you mean `S1`?"), "{unknown}");
    env.windlass(&["failure", "add", "S1", "--category", "bad", "x"]).assert_code(2);
}

#[test]
fn the_phase_of_a_story_is_shown_and_checked() {
    let env = stuck();
    let status = env.json(&["tdd", "status", "S1", "--json"]);
    assert_eq!(status["tdd_phase"], "GREEN");
    assert_eq!(status["status"], "in_progress");
    assert_eq!(status["attempts"], 3);
    assert_eq!(status["checks"]["testsPass"], false);
    let all = env.windlass(&["tdd", "status"]).stdout;
    insta::assert_snapshot!(all, @r"
    S1     GREEN    in_progress 3 attempts  Pay with Stripe
    S2     RED      pending     0 attempts  A page
    ");
    let valid = env.windlass(&["tdd", "validate", "S1", "green", "--json"]);
    valid.assert_code(0);
    insta::assert_snapshot!(valid.stdout, @r#"{"expected":"GREEN","valid":true}"#);
    let wrong = env.windlass(&["tdd", "validate", "S1", "RED", "--json"]);
    wrong.assert_code(4);
    insta::assert_snapshot!(wrong.stdout, @r#"{"expected":"GREEN","valid":false}"#);
    env.windlass(&["tdd", "validate", "S2", "RED"]).assert_code(0);
    env.windlass(&["tdd", "validate", "S1", "BLUE"]).assert_code(2);
    fs_err::write(env.root().join("tmp/works"), "").unwrap();
    env.windlass(&["retry-reset", "stories/S1/green"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    let status = env.json(&["tdd", "status", "S1", "--json"]);
    assert_eq!((&status["tdd_phase"], &status["status"]), (&json!(null), &json!("completed")));
    assert_eq!(status["checks"]["testsPass"], true);
    env.windlass(&["tdd", "validate", "S1", "VERIFY"]).assert_code(4);
}

#[test]
fn what_is_needed_to_go_on_fits_into_four_kibibytes() {
    let env = stuck();
    let printed = env.windlass(&["compact", "--json"]);
    printed.assert_code(0);
    assert!(printed.stdout.len() <= 4096, "{}", printed.stdout.len());
    let view: serde_json::Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(view["current_story"]["id"], "S1");
    assert_eq!(view["current_story"]["tdd_phase"], "GREEN");
    assert_eq!(view["current_phase"], "stories/S1/green (paused)");
    assert_eq!(view["recently_resolved_blockers"], json!([]));
    assert!(view["resume_instructions"].as_array().unwrap().len() > 2, "{view}");
    let told = env.windlass(&["compact"]).stdout;
    assert!(told.contains("story S1: Pay with Stripe (in_progress, GREEN, 3 attempts)"), "{told}");
}

#[test]
fn the_last_lines_of_a_log_are_those_at_its_end() {
    let env = stuck();
    let all = env.windlass(&["log"]).stdout;
    let lines: Vec<&str> = all.lines().collect();
    let last = env.windlass(&["log", "--lines", "3"]).stdout;
    assert_eq!(last.lines().collect::<Vec<_>>(), lines[lines.len() - 3..]);
    assert_eq!(env.windlass(&["log", "--lines", "0"]).stdout, "");
    assert_eq!(env.windlass(&["log", "--lines", "100000"]).stdout, all);
    let json = env.windlass(&["log", "--lines", "2", "--json"]).stdout;
    assert_eq!(json.lines().count(), 2);
    env.windlass(&["abort"]).assert_code(0);
    let followed = env.windlass(&["log", "-f", "--lines", "1"]).stdout;
    assert!(followed.ends_with("the run was aborted\n"), "{followed}");
    assert_eq!(followed.lines().count(), 1);
}
