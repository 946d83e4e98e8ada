//! Test first, and what else a loop of stories is made of: proofs that nobody works on, tries that are
//! taken back, commands that go first.

use windlass_testkit::{TestEnv, test_env};

/// Runs `tests/test_*.sh`.
const RUNNER: &str = "
for t in tests/test_*.sh; do test -e \"$t\" || continue; sh \"$t\" || exit 1; done
";

fn world() -> TestEnv {
    let env = test_env!();
    env.repository.write("run-tests.sh", RUNNER);
    env.repository.write("src/hello.sh", "echo hello\n");
    env.repository.commit("a project");
    env
}

fn published(env: &TestEnv, path: &str) -> String {
    let branch = env.status_json()["run"]["branch"].as_str().expect("a branch").to_owned();
    env.repository.git(&["show", &format!("{branch}:{path}")])
}

/// What the checks of the last proof of a step say.
fn proofs(env: &TestEnv, step: &str) -> Vec<serde_json::Value> {
    let log = env.log_json();
    let proven = log.of("step_proven").into_iter().rfind(|proven| proven["step"] == step);
    proven.expect("a proof")["report"]["proofs"].as_array().expect("proofs").clone()
}

const BYE: &str = "mkdir -p tests; echo 'test \"$(sh src/bye.sh)\" = bye' > tests/test_bye.sh";

#[test]
fn a_project_without_tests_can_begin_with_one() {
    let env = world();
    let workflow = "
workflow: first
steps:
  - {id: red, agent: tester, done: {red: sh run-tests.sh, tests: 'tests/**'}}
  - {id: green, agent: developer, done: {green: sh run-tests.sh}}
  - {id: final, builtin: verify, done: {run: sh run-tests.sh}}
";
    let agent =
        format!("case $WINDLASS_STEP in red) {BYE};; *) echo 'echo bye' > src/bye.sh;; esac");
    let finished = env.run(workflow, &agent, &["--yes"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    assert_eq!(proofs(&env, "final")[0]["cached"], true, "green ran it on the same code");
    let red = &proofs(&env, "red")[0];
    assert!(red["summary"].as_str().unwrap_or_default().contains("exited with 1"), "{red}");
    assert!(red["evidence"].is_object(), "{red}");
}

#[test]
fn a_green_that_fails_says_which_tests_and_why() {
    let env = world();
    // Talks a lot before and after what matters, as package managers do.
    let runner = r#"
mkdir -p out; seq -f 'compiling part %g' 300; bad=0; cases=
for t in tests/test_*.sh; do
  test -e "$t" || continue
  how=; sh "$t" || { how='<failure message="wanted bye, got nothing"/>'; bad=1; }
  cases="$cases<testcase classname=\"words\" name=\"$(basename "$t" .sh)\" file=\"$t\">$how</testcase>"
done
echo "<testsuite>$cases</testsuite>" > out/junit.xml
seq -f 'npm notice %g' 300; exit $bad
"#;
    env.repository.write(".gitignore", "out/\n");
    env.repository.write("run-tests.sh", runner);
    env.repository.write("tests/test_old.sh", "true\n");
    env.repository.commit("a project that reports");
    let workflow = "
workflow: told
defaults: {retries: 2, backoff: {initial: 1ms}}
steps:
  - {id: red, agent: tester, done: {red: sh run-tests.sh, tests: 'tests/**', report: out/junit.xml}}
  - {id: green, agent: developer, done: {green: sh run-tests.sh, report: out/junit.xml}}
";
    let agent = format!(
        "case $WINDLASS_STEP in red) {BYE};; *) cp \"$WINDLASS_PROMPT_FILE\" src/told.md; \
         echo 'echo by' > src/bye.sh; \
         case $WINDLASS_ATTEMPT in *2) echo 'echo bye' > src/bye.sh;; esac;; esac"
    );
    let finished = env.run(workflow, &agent, &["--yes"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let failed = &env.log_json().of("step_not_proven")[0]["failure"]["checks"][0].clone();
    let (summary, excerpt) = (failed["summary"].to_string(), failed["excerpt"].to_string());
    assert!(summary.contains("1 test failed: words.test_bye"), "{summary}");
    let told = "failed: words.test_bye (tests/test_bye.sh): wanted bye, got nothing";
    assert!(excerpt.starts_with(&format!("\"{told}")), "{excerpt}");
    let prompt = published(&env, "src/told.md");
    assert!(prompt.contains(told), "{prompt}");
}

#[test]
fn a_pass_with_the_network_of_the_machine_is_not_used_again() {
    let env = world();
    let workflow = "
workflow: reaches
steps:
  - {id: build, agent: developer, done: {all: [{run: 'true'}, {run: 'test 1', network: host}]}}
  - {id: final, builtin: verify, done: {all: [{run: 'true'}, {run: 'test 1', network: host}]}}
";
    let finished = env.run(workflow, "echo 'echo bye' > src/bye.sh", &["--yes"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let cached: Vec<bool> =
        proofs(&env, "final").iter().map(|proof| proof["cached"] == true).collect();
    assert_eq!(cached, [true, false], "what a network answers changes");
}

#[test]
fn a_red_that_is_opened_again_is_proven_without_the_implementation() {
    let env = world();
    let workflow = "
workflow: again
steps:
  - {id: red, agent: tester, done: {red: sh run-tests.sh, tests: 'tests/**'}}
  - {id: green, agent: developer, done: {green: sh run-tests.sh}}
  - id: review
    agent: reviewer
    publishes: {review.status: string}
    done: {verdict: .context.review.status, accept: [OK]}
    on: {TEST: {rollback: red, max: 1}}
";
    // The second time red only adds to its test; what makes it pass is there by then.
    let agent = format!(
        "case $WINDLASS_ATTEMPT in
          red#1) {BYE};;
          red#2) echo 'test -e src/bye.sh' >> tests/test_bye.sh;;
          green#1) echo 'echo bye' > src/bye.sh;;
          review#1) windlass context set review.status=TEST;;
          review#*) windlass context set review.status=OK;;
        esac"
    );
    let finished = env.run(workflow, &agent, &["--yes"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let log = env.log_json();
    assert_eq!(log.count_of_step("step_proven", "red"), 2, "{finished}");
    env.assert_audit();
}

#[test]
fn one_suite_of_several_fails_and_the_others_still_pass() {
    let env = test_env!();
    for root in ["a", "b"] {
        env.repository.write(&format!("{root}/run-tests.sh"), RUNNER);
        env.repository.write(&format!("{root}/tests/test_one.sh"), "true\n");
    }
    env.repository.commit("two projects");
    let workflow = "
workflow: several
defaults: {retries: 1}
steps:
  - id: red
    agent: tester
    done:
      - {red: sh run-tests.sh, in: a, tests: 'a/tests/**'}
      - {red: sh run-tests.sh, in: b, tests: 'b/tests/**'}
  - {id: green, agent: x, done: [{green: sh run-tests.sh, in: a}, {green: sh run-tests.sh, in: b}]}
";
    let agent = "case $WINDLASS_STEP in
      red) echo 'test -e made' > b/tests/test_two.sh;;
      green) touch b/made;;
    esac";
    let finished = env.run(workflow, agent, &["--yes"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let proofs = proofs(&env, "red");
    let said = |at: usize| proofs[at]["summary"].as_str().unwrap_or_default().to_owned();
    assert!(said(0).contains("still passes, and another suite of the step fails"), "{}", said(0));
    assert!(said(1).contains("passed before"), "{}", said(1));
}

#[test]
fn a_fix_goes_first_and_a_try_that_breaks_the_tests_is_taken_back() {
    let env = world();
    env.repository.write("tests/test_hello.sh", "test \"$(sh src/hello.sh)\" = hello\n");
    env.repository.write("src/style.txt", "bad\nbad\n");
    env.repository.commit("a style");
    let workflow = "
workflow: lint
defaults: {retries: 3}
steps:
  - id: lint
    agent: developer
    satisfied: ok
    fix: sed -i '1s/bad/good/' src/style.txt; rm src/hello.sh
    keeps: {all: [{run: sh run-tests.sh}, {diff: {max_lines: 9, empty: ok}}]}
    done: {run: '! grep -q bad src/style.txt'}
";
    // The second try breaks them in its own way, the third one finds everything as it was.
    let agent = "case $WINDLASS_ATTEMPT in
      lint#2) grep -c bad src/style.txt > .windlass/run/specs/seen; echo 'echo no' > src/hello.sh;;
      *) test -e src/hello.sh && sed -i 's/bad/good/' src/style.txt;;
    esac";
    let finished = env.run(workflow, agent, &["--yes"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let log = env.log_json();
    assert_eq!(log.count("work_reverted"), 2, "{finished}");
    assert_eq!(log.count("attempt_started"), 3, "the command, then the agent: {finished}");
    assert_eq!(published(&env, "src/hello.sh"), "echo hello", "what the command broke is back");
    assert_eq!(published(&env, "src/style.txt"), "good\ngood");
    let first = log.of("attempt_ended")[0].clone();
    assert_eq!(first["report"]["usage"]["cost_usd"], 0.0, "no model was asked: {first}");
    env.assert_audit();
}

#[test]
fn a_proof_that_does_not_hold_goes_back_into_the_item_that_was_finished_last() {
    let env = world();
    let workflow = "
workflow: stories
defaults: {retries: 2}
steps:
  - {id: plan, agent: planner, publishes: {items: array}, done: {file: plan.md}}
  - id: stories
    foreach: items
    max: 3
    steps:
      - {id: red, agent: tester, done: {red: sh run-tests.sh, tests: 'tests/**'}}
      - {id: green, agent: developer, done: {green: sh run-tests.sh}}
  - {id: whole, builtin: verify, done: {run: test -e whole}, failed: {rollback: stories/green, max: 2}}
";
    let agent = r#"
set -e
case $WINDLASS_STEP in
  plan) echo x > plan.md; windlass item add One --id S1; windlass item add Two --id S2 ;;
  stories/*/red) mkdir -p tests
    echo "test -e src/$WINDLASS_ITEM_ID" > "tests/test_$WINDLASS_ITEM_ID.sh" ;;
  stories/*/green) touch "src/$WINDLASS_ITEM_ID"
    if grep -q '` failed' "$WINDLASS_PROMPT_FILE"; then touch whole; fi ;;
esac"#;
    let finished = env.run(workflow, agent, &["--yes"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let log = env.log_json();
    assert_eq!(log.last("route_taken").expect("a route")["target"], "stories/S2/green");
    assert_eq!(log.count_of_step("step_proven", "stories/S2/green"), 2, "{finished}");
    assert_eq!(log.count_of_step("step_proven", "stories/S1/green"), 1, "{finished}");
    env.assert_audit();
    env.assert_no_orphans();
}

#[test]
fn a_workflow_with_all_of_it_is_simulated_whole() {
    let env = world();
    let workflow = env.workflow(
        "
workflow: stories
defaults: {retries: 2}
steps:
  - {id: plan, agent: planner, publishes: {items: array}, done: {file: plan.md}}
  - id: stories
    foreach: items
    max: 3
    steps:
      - {id: red, agent: tester, done: {red: sh run-tests.sh, tests: 'tests/**'}}
      - {id: green, agent: developer, done: {green: sh run-tests.sh}}
      - {id: final, builtin: verify, done: {run: make}, failed: {rollback: green, max: 1}, exhausted: block}
  - {id: lint, agent: developer, fix: make fix, keeps: {run: make}, done: {run: make lint}, exhausted: waive}
  - {id: whole, builtin: verify, done: {run: make}, failed: {rollback: stories/green, max: 2}}
  - {id: publish, builtin: pull-request, before: {run: make}, failed: {rollback: lint, max: 1}}
",
    );
    let finished = env.windlass(&["simulate", &workflow, "--json"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    let finished = env.windlass(&["simulate", &workflow]);
    assert!(finished.stdout.contains("routes"), "{finished}");
    env.windlass(&["graph", &workflow]).assert_code(0);
}
