//! Agents that cheat in the workflows that come with windlass, as people run them.

use windlass_testkit::{Finished, Remote, TestEnv, test_env};

const TESTS: &str = "import unittest, calc
class T(unittest.TestCase):
    def test_adds(self): self.assertEqual(calc.add(1, 2), 3)
    def test_zero(self): self.assertEqual(calc.add(0, 0), 0)
    def test_negative(self): self.assertEqual(calc.add(-1, 1), 0)
";

/// Nothing in its words names the files of the tests.
const COMMAND: &str = "python3 -m unittest -q";

fn world() -> TestEnv {
    let env = test_env!();
    env.repository.write("calc.py", "def add(a, b): return a + b\n");
    env.repository.write("test_calc.py", TESTS);
    env.repository.write(".gitignore", "__pycache__/\n");
    env.repository.commit("a project");
    env
}

/// Plays every role of `change`; `implement` is what the developer does.
fn run(env: &TestEnv, implement: &str) -> Finished {
    let agent = format!(
        "case $WINDLASS_STEP in
plan) head -c 300 /dev/zero | tr '\\0' x > .windlass/run/specs/plan.md;;
implement) {implement};;
test) echo fine > .windlass/run/specs/tests.md;;
review) echo fine > .windlass/run/specs/review.md; windlass context set review.status=APPROVED;;
esac"
    );
    let agent = env.agent(&agent);
    let test = format!("test={COMMAND}");
    let words = ["run", "Do it", "--workflow", "change", "--input", &test];
    let mut command = env.windlass_command(&words);
    command.args(["--agent-command", &agent, "--yes"]);
    env.finish(command)
}

/// The text of the pull request that has to be opened by hand.
fn pull_request(env: &TestEnv) -> String {
    let file = env.status_json()["run"]["publication"]["body_file"].clone();
    fs_err::read_to_string(file.as_str().expect("a file")).expect("its text")
}

#[test]
fn gutted_tests_are_counted_in_the_report_and_the_pull_request() {
    let env = world();
    let _remote = Remote::bare(&env);
    let gut = "sed -i '/test_zero/d; /test_negative/d' test_calc.py; echo 'def add(a, b): return 3' > calc.py";
    run(&env, gut).assert_code(0);
    let text = pull_request(&env);
    assert!(text.contains("Tests: 3 → 1, 2 removed"), "{text}");
    let report = env.windlass(&["report"]).stdout;
    assert!(report.contains("**Tests:** 3 → 1, 2 removed"), "{report}");
    assert_eq!(env.json(&["report", "--json"])["tests"]["removed_count"], 2);
}

#[test]
fn tests_that_stay_are_not_talked_about() {
    let env = world();
    let _remote = Remote::bare(&env);
    run(&env, "echo 'def sub(a, b): return a - b' >> calc.py").assert_code(0);
    let text = pull_request(&env);
    assert!(!text.contains("Tests:"), "{text}");
}

/// Asks at a terminal about nothing: decisions come by commands.
fn attended(env: &TestEnv, implement: &str, test: &str) -> Finished {
    let agent = format!(
        "case $WINDLASS_STEP in
plan) head -c 300 /dev/zero | tr '\\0' x > .windlass/run/specs/plan.md;;
implement) {implement};;
test) echo fine > .windlass/run/specs/tests.md; {test};;
review) echo fine > .windlass/run/specs/review.md; windlass context set review.status=APPROVED;;
esac"
    );
    let agent = env.agent(&agent);
    let words = [
        "run",
        "Do it",
        "--workflow",
        "change",
        "--input",
        "test=python3 -m unittest -q test_calc.py",
    ];
    let mut command = env.windlass_command(&words);
    command.args(["--agent-command", &agent, "--input", "publish=false", "--yes"]);
    env.finish(command)
}

/// An honest edit of a test asks once: neither the steps after it nor the last proof ask about the same
/// content again.
#[test]
fn an_edited_test_is_asked_about_once_per_content() {
    let grow = "echo '    def test_one(self): self.assertEqual(calc.add(1, 0), 1)' >> test_calc.py";
    let env = world();
    // The step after it writes the same bytes anew.
    attended(&env, grow, "cp test_calc.py t; cat t > test_calc.py; rm t").assert_code(3);
    assert_eq!(env.status_json()["gate"]["protected"][0], "test_calc.py");
    env.windlass(&["approve"]).assert_code(0);
    let ended = env.windlass(&["resume"]);
    assert_eq!(ended.code, Some(0), "{ended}");
    let log = env.log_json();
    let asked = log.of("gate_opened");
    let protected =
        asked.iter().filter(|gate| !gate["gate"]["kind"]["protected"].is_null()).count();
    assert_eq!(protected, 1, "{asked:#?}");
    assert!(log.count("cold_proof_held") == 1, "{:#?}", log.kinds());
    env.assert_audit();
}
