//! `windlass story` and `windlass review`: stories added, ordered, shown, built alone; files reviewed.

use serde_json::{Value, json};
use windlass_testkit::{Finished, TestEnv, test_env};

/// A plan by whose gate people add stories, and one step per story.
const STORIES: &str = r#"
workflow: stories
steps:
  - {id: plan, agent: planner, publishes: {items: array}, done: {file: plan.md}, gate: approval}
  - id: stories
    foreach: items
    steps:
      - {id: red, agent: developer, done: {file: "tests/{item.id}.txt"}}
      - {id: green, agent: developer, done: {run: "test -s src/$ITEM.txt", env: {ITEM: .item.id}}}
"#;

const AGENT: &str = r#"
set -e
case $WINDLASS_STEP in
  plan)
    echo x > plan.md
    windlass story add 'Log in' --id S1 --size s --criterion 'POST /login answers 200 for a right password' --file src/login.rs
    windlass story update S1 --security --design 'One handler beside the others, a session in a cookie'
    windlass story show S1 > .windlass/run/s1.json
    if windlass story add 'Bad' --id bad --size huge --criterion 'It is fast' 2> .windlass/run/refused; then exit 9; fi ;;
  stories/*/red) mkdir -p tests; echo x > "tests/$WINDLASS_ITEM_ID.txt" ;;
  stories/*/green) mkdir -p src; echo x > "src/$WINDLASS_ITEM_ID.txt"; echo "$WINDLASS_ITEM_ID" >> order.txt ;;
esac
"#;

/// A run at whose gate a person adds three more stories.
fn planned() -> TestEnv {
    let env = test_env!();
    env.run(STORIES, AGENT, &[]).assert_code(3);
    for (id, needs) in [("S2", "S1"), ("S3", "none"), ("S4", "S2,S1")] {
        let title = format!("Story {id}");
        let criterion = format!("GET /{id} answers 200");
        let words = ["story", "add", &title, "--id", id, "--criterion", &criterion];
        let words = [&words[..], &["--depends-on", needs, "--body", "What it is."]].concat();
        env.windlass(&words).assert_code(0);
    }
    env
}

/// A gate at which people name stories, then the design that completes them.
const DESIGNED: &str = r#"
workflow: designed
steps:
  - {id: plan, agent: planner, done: {file: plan.md}, gate: approval}
  - {id: design, agent: architect, done: {stories: "{specs}/stories.yaml"}}
  - id: stories
    foreach: items
    stories: "{specs}/stories.yaml"
    steps: [{id: red, agent: developer, done: {file: "tests/{item.id}.txt"}}]
"#;

const DESIGNER: &str = r#"
set -e
mkdir -p .windlass/run/specs tests
case $WINDLASS_ATTEMPT in
  plan#*) echo x > plan.md ;;
  design#1) echo 'stories: [{id: S1, title: Log in, size: S, criteria: [POST /login answers 200]}]' > .windlass/run/specs/stories.yaml ;;
  design#*) echo 'stories: [{id: S1, title: Log in, size: S, criteria: [POST /login answers 200]}, {id: S101, title: Links expire, size: S, criteria: [an old link answers 410]}]' > .windlass/run/specs/stories.yaml ;;
  stories/*) echo x > "tests/$WINDLASS_ITEM_ID.txt" ;;
esac
"#;

#[test]
fn a_title_is_enough_for_a_story_that_is_still_to_be_designed() {
    let env = test_env!();
    env.run(DESIGNED, DESIGNER, &[]).assert_code(3);
    let added = env.windlass(&["story", "add", "Links expire"]);
    added.assert_code(0);
    assert!(added.stdout.contains("S101") || added.stderr.contains("S101"), "{added}");
    env.windlass(&["approve", "--resume"]).assert_code(0);
    let log = env.log_json();
    let refused = log.of("step_not_proven");
    let why = refused[0]["failure"]["summary"].as_str().unwrap();
    assert!(why.contains("S101 (Links expire), which a person added"), "{why}");
    assert_eq!(column(&env, "id"), json!(["S101", "S1"]));
    let shown = env.json(&["story", "show", "S101", "--json"]);
    assert!(shown.to_string().contains("an old link answers 410"), "{shown}");
}

fn column(env: &TestEnv, key: &str) -> Value {
    let list = env.json(&["story", "list", "--json"]);
    list.as_array().expect("a list").iter().map(|story| story[key].clone()).collect()
}

#[test]
fn agents_and_people_add_stories_by_the_same_rules() {
    let env = planned();
    assert_eq!(column(&env, "id"), json!(["S1", "S2", "S3", "S4"]));
    assert_eq!(column(&env, "size"), json!(["S", "M", "M", "M"]));
    assert_eq!(column(&env, "depends_on"), json!([[], ["S1"], [], ["S2", "S1"]]));
    let shown = env.json(&["story", "show", "S1", "--json"]);
    assert_eq!(shown["security"], true);
    assert_eq!(shown["files"], json!(["src/login.rs"]));
    let seen = fs_err::read(env.place().join(".windlass/run/s1.json")).unwrap();
    let seen: Value = serde_json::from_slice(&seen).unwrap();
    assert_eq!(seen["story"]["design"], "One handler beside the others, a session in a cookie");
    let refused = fs_err::read_to_string(env.place().join(".windlass/run/refused")).unwrap();
    for words in ["3 mistakes", "`--id`: ", "`--size`: ", "`--criterion`: "] {
        assert!(refused.contains(words), "{words}: {refused}");
    }
    let none = env.windlass(&["story", "add", "No criterion", "--id", "S9"]);
    none.assert_code(2);
    assert!(none.stderr.contains("a story has 1 to 30 criteria, this one 0"), "{none}");
    let criterion = "GET /x answers 200";
    let unknown = env.windlass(&[
        "story",
        "add",
        "x",
        "--id",
        "S9",
        "--criterion",
        criterion,
        "--depends-on",
        "S8",
    ]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("there is no item `S8`"), "{unknown}");
    let circle = env.windlass(&["story", "update", "S1", "--depends-on", "S4"]);
    circle.assert_code(2);
    assert!(circle.stderr.contains("would depend on itself"), "{circle}");
    env.assert_audit();
}

#[test]
fn stories_are_changed_dropped_moved_and_come_up_in_that_order() {
    let env = planned();
    env.windlass(&["story", "update", "S3", "--size", "xl", "--title", "Third"]).assert_code(0);
    let shown = env.json(&["story", "show", "S3", "--json"]);
    assert_eq!((&shown["size"], &shown["title"]), (&json!("XL"), &json!("Third")));
    assert_eq!(shown["criteria"][0]["text"], "GET /S3 answers 200", "the rest stays");
    env.windlass(&["story", "update", "S4", "--skip", "later"]).assert_code(0);
    env.windlass(&["story", "update", "S4", "--reopen"]).assert_code(0);
    env.windlass(&["story", "move", "S4", "--first"]).assert_code(0);
    env.windlass(&["story", "move", "S3", "--before", "S1"]).assert_code(0);
    env.windlass(&["story", "move", "S1", "--last"]).assert_code(0);
    assert_eq!(column(&env, "id"), json!(["S4", "S3", "S2", "S1"]));
    env.windlass(&["story", "move", "S1", "--before", "S1"]).assert_code(2);
    env.windlass(&["story", "move", "S1"]).assert_code(2);
    let listed = env.windlass(&["story", "list"]).stdout;
    insta::assert_snapshot!(listed, @r"
    S4     pending     M  RED      Story S4  (after S2, S1)
    S3     pending     XL RED      Third
    S2     pending     M  RED      Story S2  (after S1)
    S1     pending     S  RED      Log in
    ");
    env.windlass(&["approve"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    let order = fs_err::read_to_string(env.place().join("order.txt")).unwrap();
    assert_eq!(order, "S3\nS1\nS2\nS4\n", "what others depend on comes first");
    assert_eq!(column(&env, "status"), json!(["completed", "completed", "completed", "completed"]));
    let begun = env.windlass(&["story", "update", "S1", "--size", "L"]);
    begun.assert_code(2);
    env.assert_audit();
}

#[test]
fn progress_is_written_reported_and_told() {
    let env = test_env!();
    let told = env.root().join("tmp/told");
    let workflow = STORIES.replace("foreach: items", "foreach: items\n    report: {items: 1}");
    // It leaves something each time: a program that does nothing at all is a blocker.
    let fails = "if test \"$WINDLASS_ITEM_ID\" = S2; then mkdir -p src; \
                 echo \"$WINDLASS_ATTEMPT\" > src/S2.part; exit 1; fi; mkdir -p src;";
    let gated = AGENT.replace("mkdir -p src;", fails);
    env.run(&workflow, &gated, &[]).assert_code(3);
    let words = ["story", "add", "Second", "--id", "S2", "--criterion", "GET /2 answers 200"];
    env.windlass(&words).assert_code(0);
    env.windlass(&["approve"]).assert_code(0);
    let notify = format!("echo \"$WINDLASS_EVENT $WINDLASS_MESSAGE\" >> '{}'", told.display());
    env.windlass(&["resume", "--notify", &notify]).assert_code(4);
    let written = fs_err::read_to_string(env.place().join(".windlass/run/progress.md")).unwrap();
    assert!(written.contains("1 of 2 stories completed, 1 in progress"), "{written}");
    assert!(written.contains("- S1 (1 iteration): Log in"), "{written}");
    let told = fs_err::read_to_string(told).unwrap();
    assert!(told.contains("progress 1 of 2 stories completed"), "{told}");
    let report = env.windlass(&["report"]).stdout;
    assert!(report.contains("## Progress\n\n1 of 2 stories completed, 1 in progress"), "{report}");
    let json = env.json(&["report", "--json"]);
    assert_eq!(json["progress"]["current"]["id"], "S2");
    env.assert_audit();
}

/// Runs `tests/test_*.sh` and writes a report, as test runners do.
const RUNNER: &str = r#"
cases=; bad=0
for t in tests/test_*.sh; do
  test -e "$t" || continue
  name=$(basename "$t" .sh)
  if sh "$t"; then cases="$cases<testcase name=\"$name\"/>"
  else cases="$cases<testcase name=\"$name\"><failure/></testcase>"; bad=1; fi
done
mkdir -p out
echo "ran: $cases"
echo "<testsuite>$cases</testsuite>" > out/junit.xml
exit $bad
"#;

const PLATFORM: &str = r#"{
  "name": "shell", "displayName": "Shell", "version": "1", "markers": ["run-tests.sh"], "priority": 90,
  "commands": {"build": "true", "test": {"run": "sh run-tests.sh", "report": "out/junit.xml"}},
  "testFiles": ["tests/**"],
  "qualityGates": {"coverage": {"S": 50, "M": 60, "L": 70, "XL": 80}, "required": ["build", "test"]}
}"#;

const STORY_FILE: &str = "
stories:
  - {id: S1, title: Say hello, size: S, criteria: [\"`hello.sh` prints hello\"]}
  - {id: S2, title: Say bye, size: M, security: true, depends_on: [S1], criteria: [\"`bye.sh` prints bye\"]}
  - {id: S3, title: Say more, size: M, criteria: [\"`more.sh` prints more\", \"It sounds friendly to 3 people\"]}
";

/// Builds a story as it should be; the review sends it back once.
const BUILDER: &str = r##"
set -e
id=$WINDLASS_ITEM_ID
case $id in S1) word=hello;; S2) word=bye;; *) word=more;; esac
specs=.windlass/run/specs
mkdir -p $specs tests src
case $WINDLASS_STEP in
  */red) echo "test \"\$(sh src/$word.sh)\" = $word" > tests/test_$word.sh ;;
  */green) echo "echo $word" > src/$word.sh; echo "# $WINDLASS_ATTEMPT" >> src/$word.sh ;;
  */verify)
    printf '# Tests\n\nAC1: PASS tests/test_%s.sh\n' $word > $specs/$id-tests.md
    if test $id = S3; then printf 'AC2: MANUAL_VERIFICATION_REQUIRED ask three people\n' >> $specs/$id-tests.md; fi
    printf '\nPASSED\n' >> $specs/$id-tests.md ;;
  */review)
    if test "${WINDLASS_ATTEMPT##*#}" = 1; then
      printf '[BLOCKING] no comment src/%s.sh:1\n\nCHANGES_REQUESTED\n' $word > $specs/$id-review.md
    else
      printf '[SUGGESTION] a shorter name src/%s.sh:1\n\nAPPROVED\n' $word > $specs/$id-review.md
    fi ;;
  */security) printf '# Security\n\nCLEARED\n' > $specs/$id-security.md ;;
esac
"##;

fn project() -> TestEnv {
    let env = test_env!();
    env.repository.write(".gitignore", "out/\n");
    env.repository.write("run-tests.sh", RUNNER);
    env.repository.write("tests/test_old.sh", "true\n");
    env.repository.write(".windlass/platforms/shell/platform.json", PLATFORM);
    env.repository.write("stories.yaml", STORY_FILE);
    env.repository.commit("a project");
    env
}

fn implement(env: &TestEnv, id: &str, more: &[&str]) -> Finished {
    let agent = env.agent(BUILDER);
    let words = ["story", "implement", id, "--agent-command", &agent];
    env.windlass(&[&words[..], more].concat())
}

#[test]
fn one_story_is_built_alone_with_everything_that_stands_behind_it() {
    let env = project();
    let unknown = implement(&env, "S1", &[]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("no run of this repository has a story `S1`"), "{unknown}");
    let elsewhere = implement(&env, "S7", &["--file", "stories.yaml"]);
    elsewhere.assert_code(2);
    assert!(elsewhere.stderr.contains("it has S1, S2, S3"), "{elsewhere}");
    let unmet = implement(&env, "S2", &["--file", "stories.yaml"]);
    unmet.assert_code(2);
    assert!(unmet.stderr.contains("depends on what is not built yet: S1"), "{unmet}");

    let built = implement(&env, "S1", &["--file", "stories.yaml"]);
    built.assert_code(0);
    let (_, block) = built.stdout.split_once("WORKFLOW_COMPLETE\n").expect("the block");
    assert!(block.starts_with("goal: S1: Say hello\nstatus: completed\npull request: none\nid: "));
    assert!(block.ends_with("stories: 1/1\n"), "{built}");
    let report = env.json(&["report", "--json"]);
    assert_eq!(report["workflow_complete"]["stories_completed"], 1);
    let gates: Value = report["gates"]
        .as_array()
        .expect("gates")
        .iter()
        .map(|gate| json!([gate["gate"], gate["holds"]]))
        .collect();
    assert_eq!(
        gates,
        json!([["G2", true], ["G3", true], ["G5", true], ["red", true], ["review", true]])
    );
    assert!(report["saved_ms"].as_u64().is_some());
    env.assert_audit();
    let shown = env.json(&["story", "show", "S1", "--json"]);
    assert_eq!(shown["status"], "completed");
    assert_eq!(shown["iterations"], 2, "the review sent it back once");
    assert_eq!(
        shown["checks"],
        json!({"testsPass": true, "coverageMet": false, "reviewApproved": true, "securityCleared": false})
    );
    let criterion = &shown["criteria"][0];
    assert_eq!((&criterion["id"], &criterion["verdict"]), (&json!("AC1"), &json!("PASS")));
    assert_eq!(criterion["tests"], json!(["tests/test_hello.sh"]));
    let proofs: Vec<&str> = criterion["proofs"]
        .as_array()
        .expect("proofs")
        .iter()
        .filter_map(|proof| proof["step"].as_str())
        .collect();
    assert_eq!(
        proofs,
        [
            "stories/S1/green",
            "stories/S1/coverage",
            "stories/S1/verify",
            "stories/S1/review",
            "stories/S1/final"
        ]
    );
    assert!(criterion["proofs"][0]["evidence"].is_string(), "{criterion}");
    assert!(criterion["commit"].is_string(), "{criterion}");
    assert_eq!(
        shown["remarks"][0]["level"], "SUGGESTION",
        "what was mended is no finding any more"
    );

    let done = implement(&env, "S1", &[]);
    done.assert_code(2);
    assert!(done.stderr.contains("`S1` is completed: run `"), "{done}");
    let next = implement(&env, "S2", &["--file", "stories.yaml"]);
    next.assert_code(0);
    assert!(next.stderr.contains("`S1` was built by run `"), "{next}");
    let shown = env.json(&["story", "show", "S2", "--json"]);
    assert_eq!(shown["checks"]["securityCleared"], true);
    let told = env.windlass(&["story", "show", "S2"]).stdout;
    assert!(told.contains("AC1  `bye.sh` prints bye (PASS)"), "{told}");
    assert!(
        told.contains("[SUGGESTION] a shorter name src/bye.sh:1  (stories/S2/review)"),
        "{told}"
    );
    implement(&env, "S1", &["--again"]).assert_code(0);
}

#[test]
fn the_pull_request_of_a_story_says_what_a_person_still_has_to_check() {
    let env = project();
    let remote = env.root().join("tmp/remote.git");
    let made = env.shell(&format!(
        "git init -q --bare '{0}' && git remote add origin '{0}' && git push -q origin HEAD",
        remote.display()
    ));
    made.assert_code(0);
    let more = ["--file", "stories.yaml", "--input", "publish=true", "--yes"];
    let built = implement(&env, "S3", &more);
    built.assert_code(0);
    let file = env.status_json()["run"]["publication"]["body_file"].clone();
    let body = fs_err::read_to_string(file.as_str().expect("a file")).unwrap();
    for words in [
        "| S3 | Say more | M | completed | 2 | tests pass, review approved |",
        "- src: 1 file, +2 −0",
        "- [x] G3 test: the tests of every story pass",
        "- [x] G7 before the pull request: build, tests and lint",
        "- S3 AC1: `more.sh` prints more (PASS, tests/test_more.sh)",
        "## To be checked by a person\n\n- [ ] S3 AC2: It sounds friendly to 3 people",
        "- a shorter name src/more.sh:1\u{200b} (`stories/S3/review`)",
        "## Not checked\n\n- shell has no `coverage` command",
        "- Time saved: ",
    ] {
        assert!(body.contains(words), "{words}: {body}");
    }
    env.assert_audit();
}

#[test]
fn a_story_comes_from_the_newest_run_that_has_it() {
    let env = project();
    env.repository.write("order.txt", "");
    env.run(STORIES, AGENT, &[]).assert_code(3);
    let words =
        ["story", "add", "Say hello", "--id", "S5", "--criterion", "`hello.sh` prints hello"];
    env.windlass(&words).assert_code(0);
    let mut script = BUILDER.replace("S1) word=hello", "S5) word=hello");
    script.insert_str(0, "cp \"$WINDLASS_PROMPT_FILE\" .windlass/run/seen.md\n");
    let agent = env.agent(&script);
    env.windlass(&["story", "implement", "S5", "--agent-command", &agent]).assert_code(0);
    let runs = env.json(&["status", "--all", "--json"]);
    assert_eq!(runs.as_array().map(Vec::len), Some(2), "{runs}");
}

#[test]
fn files_are_reviewed_alone_and_the_exit_code_tells_the_verdict() {
    let env = project();
    let review = |script: &str, more: &[&str]| {
        let agent = env.agent(script);
        let words = ["review", "run-tests.sh", "--agent-command", &agent];
        env.windlass(&[&words[..], more].concat())
    };
    let specs = "mkdir -p .windlass/run/specs; cat > .windlass/run/specs/review.md";
    let good = review(&format!("{specs} <<E\n[INFO] short run-tests.sh:2\n\nAPPROVED\nE"), &[]);
    good.assert_code(0);
    assert_eq!(good.stdout, "[INFO] short run-tests.sh:2\nAPPROVED\n");
    let bad = format!("{specs} <<E\n[BLOCKING] wrong run-tests.sh:4\n\nCHANGES_REQUESTED\nE");
    let bad = review(&bad, &["--json"]);
    bad.assert_code(4);
    let said: Value = serde_json::from_str(&bad.stdout).unwrap();
    assert_eq!(said["verdict"], "CHANGES_REQUESTED");
    assert_eq!(said["files"], json!(["run-tests.sh"]));
    assert_eq!(said["findings"][0]["line"], 4);
    assert_eq!(env.status(), "completed", "either verdict ends the run");
    env.assert_audit();
    let meddling = review(&format!("echo x >> run-tests.sh; {specs} <<E\nAPPROVED\nE"), &[]);
    assert_ne!(meddling.code, Some(0), "a reviewer changes nothing: {meddling}");
    env.windlass(&["abort"]).assert_code(0);
    env.windlass(&["review", "nowhere.rs"]).assert_code(2);
    env.repository.write("run-tests.sh", "exit 0\n");
    let dirty = env.windlass(&["review", "run-tests.sh", "--agent-command", "true"]);
    dirty.assert_code(2);
    assert!(dirty.stderr.contains("not committed as they are: run-tests.sh"), "{dirty}");
}
