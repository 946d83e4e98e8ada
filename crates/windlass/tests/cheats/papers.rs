//! Agents that hand in bad stories and questions, and judges that do not judge.

use windlass_testkit::{TestEnv, test_env};

use crate::support::{caught, honest};

const SPECS: &str = ".windlass/run/specs";

const GOOD_STORY: &str =
    "stories: [{id: S1, title: Sum, size: S, criteria: [one and one give two]}]";

/// What the check that does not hold says.
fn said(env: &TestEnv) -> String {
    let log = env.log_json();
    let failed = log.last("step_not_proven").expect("a failure");
    failed["failure"]["summary"].as_str().unwrap_or_default().to_owned()
}

fn one_step(retries: u32, check: &str) -> String {
    format!(
        "
workflow: papers
defaults: {{retries: {retries}, timeout: 20s, idle_timeout: 10s}}
steps:
  - {{id: write, agent: analyst, task: Write it., done: {check}}}
"
    )
}

#[test]
fn bad_stories_go_back_with_their_mistakes_and_good_ones_are_proven() {
    let env = test_env!();
    let bad = "stories: [{id: one, title: Sum, size: XS, criteria: [It works well], files: [/etc/x], depends_on: [S9]}]";
    let agent = format!(
        "mkdir -p {SPECS}; case $WINDLASS_ATTEMPT in *#1) echo '{bad}' > {SPECS}/stories.yaml ;; \
         *) cp \"$WINDLASS_PROMPT_FILE\" {SPECS}/seen.md; echo '{GOOD_STORY}' > {SPECS}/stories.yaml ;; esac"
    );
    honest(&env, &one_step(2, "{stories: '{specs}/stories.yaml'}"), &agent);
    let prompt = fs_err::read_to_string(env.place().join(SPECS).join("seen.md")).unwrap();
    assert!(prompt.contains("line 1: `one` is not an id of a story"), "{prompt}");
    // A prompt has room for little; the rest lies beside it.
    let whole = prompt.split("Whole output: `").nth(1).and_then(|rest| rest.split('`').next());
    let whole = fs_err::read_to_string(env.place().join(whole.expect("a path"))).unwrap();
    for mistake in [
        "`one` is not an id of a story",
        "found `XS`",
        "no test can show",
        "`/etc/x`",
        "no story `S9`",
    ] {
        assert!(whole.contains(mistake), "{mistake}: {whole}");
    }
    let proven = env.log_json().last("step_proven").unwrap().to_string();
    assert!(proven.contains("1 story"), "{proven}");
}

#[test]
fn stories_without_a_design_are_not_designed() {
    let env = test_env!();
    let agent = format!("mkdir -p {SPECS}; echo '{GOOD_STORY}' > {SPECS}/stories.yaml");
    caught(&env, &one_step(1, "{stories: '{specs}/stories.yaml', designed: true}"), &agent);
    assert!(said(&env).contains("S1 has no `design`"), "{}", said(&env));
}

#[test]
fn stories_are_a_plain_file_of_the_place() {
    for (agent, why) in [
        ("true", "no such file"),
        ("mkdir -p .windlass/run/specs/stories.yaml", "stories.yaml"),
        (
            "echo 'stories: []' > s.yaml; mkdir -p .windlass/run/specs; ln -s ../../../s.yaml .windlass/run/specs/stories.yaml",
            "stories.yaml",
        ),
        (
            "mkdir -p .windlass/run/specs; printf '\\377' > .windlass/run/specs/stories.yaml",
            "is not UTF-8",
        ),
    ] {
        let env = test_env!();
        caught(&env, &one_step(1, "{stories: '{specs}/stories.yaml'}"), agent);
        assert!(said(&env).contains(why), "{agent}: {}", said(&env));
    }
}

#[test]
fn questions_are_checked_for_their_phase() {
    let questions = "questions: [{id: Q1, category: order, question: Which first?, options: [a one, a two], recommended: a}]";
    let agent = format!("mkdir -p {SPECS}; echo '{questions}' > {SPECS}/q.yaml");
    honest(&test_env!(), &one_step(1, "{questions: '{specs}/q.yaml', phase: planning}"), &agent);
    let env = test_env!();
    caught(&env, &one_step(1, "{questions: '{specs}/q.yaml'}"), &agent);
    assert!(
        said(&env).contains("`order` is not a category of analysis questions"),
        "{}",
        said(&env)
    );
    let none = format!("mkdir -p {SPECS}; echo 'questions: []' > {SPECS}/q.yaml");
    honest(&test_env!(), &one_step(1, "{questions: '{specs}/q.yaml'}"), &none);
}

const REVIEWED: &str = r#"
workflow: reviewed
defaults: {retries: 2, timeout: 20s, idle_timeout: 10s}
steps:
  - {id: tests, agent: developer, task: Test it., done: {file: tests/a.sh}}
  - {id: code, agent: developer, task: Do it., done: {file: answer.txt}}
  - id: review
    agent: reviewer
    task: Review it.
    done: {verdict_in: REPORT, kind: review, accept: [APPROVED]}
    on:
      CHANGES_REQUESTED:
        rollback: {files: findings, by_path: {"tests/**": tests}, otherwise: code}
        max: 1
"#;

/// Plays a reviewer whose first report is this, and whose second approves.
fn reviewed(env: &TestEnv, first: &str) {
    env.repository.write("first.md", first);
    env.repository.commit("a report");
    let agent = format!(
        "mkdir -p {SPECS} tests
         case $WINDLASS_ATTEMPT in
           tests#*) echo $WINDLASS_ATTEMPT > tests/a.sh ;;
           code#*) cp \"$WINDLASS_PROMPT_FILE\" {SPECS}/seen.md; echo $WINDLASS_ATTEMPT > answer.txt ;;
           review#1) cp first.md {SPECS}/review.md ;;
           *) printf '[SUGGESTION] shorter names answer.txt:1\\n\\n**APPROVED** \\n' > {SPECS}/review.md ;;
         esac"
    );
    honest(env, &REVIEWED.replace("REPORT", "'{specs}/review.md'"), &agent);
}

fn sent_back_to(env: &TestEnv) -> serde_json::Value {
    env.log_json().last("rolled_back").expect("a way back").clone()
}

#[test]
fn a_reviewer_that_approves_with_blocking_findings_sends_the_work_back() {
    let env = test_env!();
    reviewed(&env, "APPROVED\n\n- [BLOCKING] no answer at all answer.txt:1\n- [INFO] nice\n");
    let back = sent_back_to(&env);
    assert_eq!(back["target"], "code", "{back:#}");
    assert_eq!(back["files"], serde_json::json!(["answer.txt"]), "{back:#}");
    let prompt = fs_err::read_to_string(env.place().join(SPECS).join("seen.md")).unwrap();
    assert!(prompt.contains("approves with 1 blocking finding"), "{prompt}");
    assert!(prompt.contains("no answer at all answer.txt:1"), "{prompt}");
    let proven = env.log_json();
    let proven = proven.of("step_proven").into_iter().find(|event| event["step"] == "review");
    assert_eq!(proven.unwrap()["report"]["remarks"][0]["level"], "SUGGESTION");
}

#[test]
fn findings_in_tests_lead_back_to_the_tests() {
    let env = test_env!();
    reviewed(&env, "CHANGES_REQUESTED\n\n[BLOCKING] tests nothing tests/a.sh:1\n");
    assert_eq!(sent_back_to(&env)["target"], "tests");
}

#[test]
fn a_verdict_that_nobody_can_read_is_written_again_by_the_judge() {
    for (report, why) in [
        ("Fine.\n\n```\nAPPROVED\n```\n", "has no verdict"),
        ("> APPROVED\n", "has no verdict"),
        ("APPROVED\n\nCHANGES_REQUESTED\n", "gives two verdicts"),
        ("APPROVED\n\n[CRITICAL] a hole\n", "has the tag [CRITICAL]"),
        ("", "the report is empty"),
    ] {
        let env = test_env!();
        reviewed(&env, report);
        assert_rewritten(&env, "review", why);
    }
}

/// The judge's first report is refused for this reason, and nobody else has to do anything.
fn assert_rewritten(env: &TestEnv, step: &str, why: &str) {
    let log = env.log_json();
    let refused = log.of("step_not_proven").into_iter().find(|event| event["step"] == step);
    let refused = refused.unwrap_or_else(|| panic!("`{step}` was never refused"));
    assert!(refused["failure"].to_string().contains(why), "{why}: {refused:#}");
    assert_eq!(log.count("rolled_back"), 0, "{why}");
}

#[test]
fn yesterdays_report_is_no_review() {
    let workflow = REVIEWED.replace("REPORT", "reports/review.md");
    let env = test_env!();
    env.repository.write("reports/review.md", "APPROVED\n");
    env.repository.commit("yesterday's report");
    let agent = "mkdir -p tests; case $WINDLASS_STEP in tests) echo x > tests/a.sh ;; code) echo x > answer.txt ;; \
                 *) touch reports/review.md ;; esac";
    let finished = env.run(&workflow, agent, &["--yes"]);
    assert_ne!(finished.code, Some(0), "{finished}");
    assert_eq!(env.log_json().count_of_step("step_proven", "review"), 0);
    assert_eq!(env.log_json().count("route_taken"), 0, "nobody has judged anything");
    assert!(said(&env).contains("unchanged since the step began"), "{}", said(&env));
}

const TESTED: &str = r#"
workflow: tested
defaults: {retries: 2, timeout: 20s, idle_timeout: 10s}
steps:
  - {id: plan, agent: planner, task: Plan., publishes: {items: array}, done: {file: plan.md}}
  - id: stories
    foreach: items
    steps:
      - {id: code, agent: developer, task: Do it., done: {file: answer.txt}}
      - id: verify
        agent: tester
        task: Test it.
        done: {verdict_in: "{specs}/{item.id}-tests.md", kind: tests, accept: [PASSED]}
        on: {FAILED: {rollback: code, max: 1}}
"#;

/// Adds a story with two criteria, as the engine will do with those of a file.
const ADD_STORY: &str = r#"
import json, os, socket
path = os.environ["WINDLASS_SOCKET"]
folder = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY)
caller = socket.socket(socket.AF_UNIX)
caller.connect(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
criteria = [{"id": "AC1", "text": "one and one give two"}, {"id": "AC2", "text": "it is printed"}]
item = {"id": "S1", "title": "Sum", "story": {"size": "S", "criteria": criteria}}
call = {"token": os.environ["WINDLASS_TOKEN"], "attempt": os.environ["WINDLASS_ATTEMPT"],
        "call": {"add": {"item": item}}}
caller.sendall((json.dumps({"item": call}) + "\n").encode())
print(caller.makefile().readline())
"#;

const HONEST_REPORT: &str =
    "AC1: PASS tests/sum.sh::sums\n| AC2 | MANUAL_VERIFICATION_REQUIRED | needs a printer |\n";

/// Plays a tester whose first report is this, and whose second is honest.
fn tested(env: &TestEnv, first: &str) {
    env.repository.write("add.py", ADD_STORY);
    env.repository.write("tests/sum.sh", "sums() { test $((1 + 1)) = 2; }\n");
    env.repository.write("first.md", first);
    env.repository.write("second.md", HONEST_REPORT);
    env.repository.commit("a tester");
    let agent = format!(
        "mkdir -p {SPECS}
         case $WINDLASS_ATTEMPT in
           plan#*) echo x > plan.md; python3 add.py ;;
           stories/S1/code#*) echo $WINDLASS_ATTEMPT > answer.txt ;;
           *#1) cp first.md {SPECS}/S1-tests.md ;;
           *) cp second.md {SPECS}/S1-tests.md ;;
         esac"
    );
    honest(env, TESTED, &agent);
    assert_eq!(env.log_json().count("item_opened"), 1);
}

#[test]
fn a_tester_is_believed_only_with_tests_that_exist() {
    for (report, why) in [
        ("AC1: PASS\nAC2: PASS tests/sum.sh::sums\n", "AC1 passes without a test"),
        ("AC1: PASS tests/sum.sh::sums\n", "AC2 has no result"),
        (
            "AC1: PASS tests/sum.sh::sums\nAC2: PASS tests/print.sh::prints\n",
            "names no test that exists: AC2 → tests/print.sh::prints",
        ),
        (
            "AC1: PASS tests/sum.sh::adds\nAC2: PASS sums\n",
            "names no test that exists: AC1 → tests/sum.sh::adds",
        ),
        ("AC1: PASS sums\nAC2: PASS prints\n", "names no test that exists: AC2 → prints"),
    ] {
        let env = test_env!();
        tested(&env, report);
        assert_rewritten(&env, "stories/S1/verify", why);
    }
    // A criterion that fails is the developer's, whatever else is wrong with the report.
    let env = test_env!();
    tested(&env, "AC1: PASS ../../etc/passwd\nAC2: FAIL\n");
    let back = sent_back_to(&env);
    assert!(
        back["message"].as_str().unwrap().contains("names no test that exists: AC1"),
        "{back:#}"
    );
    assert_eq!(back["target"], "stories/S1/code");
}

#[test]
fn what_an_honest_tester_says_is_kept() {
    let env = test_env!();
    tested(&env, HONEST_REPORT);
    let log = env.log_json();
    assert_eq!(log.count("rolled_back"), 0);
    let proven = log.of("step_proven").into_iter().find(|e| e["step"] == "stories/S1/verify");
    let criteria = &proven.unwrap()["report"]["criteria"];
    assert_eq!(criteria[0]["tests"][0], "tests/sum.sh::sums", "{criteria:#}");
    assert_eq!(criteria[1]["verdict"], "MANUAL_VERIFICATION_REQUIRED", "{criteria:#}");
}
