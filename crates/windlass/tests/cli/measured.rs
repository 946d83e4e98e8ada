//! Checks that look at what a tool measured, as a user sees them.

use insta::assert_snapshot;
use windlass_testkit::{TestEnv, test_env};

/// Two tries; tests, coverage and a list of tasks.
const MEASURED: &str = r#"
workflow: measured
inputs:
  coverage: {type: integer, default: 70}
defaults: {retries: 2, timeout: 20s}
steps:
  - id: build
    agent: developer
    task: Build it.
    done:
      all:
        - {checklist: tasks.md}
        - {junit: "out/**/*.xml", run: sh test.sh, min: 2}
        - {coverage: out/lcov.info, run: sh test.sh, min: "{inputs.coverage}"}
"#;

/// Writes the reports that its neighbours say.
const TESTS: &str = "mkdir -p out/deep; cp first.txt out/first.xml; cp second.txt out/deep/s.xml; \
    cp lines.txt out/lcov.info; cat said.txt; exit $(cat code.txt)\n";

fn env() -> TestEnv {
    let env = test_env!();
    let second =
        "<testsuite><testcase name='c'/><testcase name='d'><skipped/></testcase></testsuite>";
    for (path, text) in [
        ("test.sh", TESTS),
        (".gitignore", "out/\n"),
        (
            "first.txt",
            "<testsuite><testcase classname='Sum' name='a'><failure message='3 is not 4'/></testcase></testsuite>",
        ),
        ("second.txt", second),
        ("lines.txt", "SF:src/sum.ts\nDA:1,1\nDA:2,0\nend_of_record\n"),
        ("said.txt", "the output\n"),
        ("code.txt", "1\n"),
        ("src/sum.ts", "1\n2\n"),
        ("tasks.md", "- [x] plan\n- [ ] write *it*\n"),
    ] {
        env.repository.write(path, text);
    }
    env.repository.commit("tests");
    env
}

/// Ticks the boxes at once; mends the test and covers the line at the second try.
const AGENT: &str = r#"
echo "- [x] plan" > tasks.md
case $WINDLASS_ATTEMPT in *2)
  echo "<testsuite><testcase name='a'/></testsuite>" > first.txt
  echo 0 > code.txt
  printf 'SF:src/sum.ts\nDA:1,1\nDA:2,9\nend_of_record\n' > lines.txt ;;
esac
"#;

/// The summaries of all proofs, without times and trees.
fn proofs(env: &TestEnv) -> String {
    let rows = env.json(&["proofs", "--all", "--json"]);
    let rows = rows.as_array().expect("proofs").iter().map(|row| {
        let cached = if row["cached"] == true { ", cached" } else { "" };
        let text = |key: &str| row[key].as_str().expect("text");
        format!("{} {} ({}{cached})", text("holds"), text("summary"), text("strength"))
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_proof_says_what_was_measured() {
    let env = env();
    env.run(MEASURED, AGENT, &[]).assert_code(0);
    assert_snapshot!(proofs(&env), @r#"
    yes checklist `tasks.md`: 1 of 1 box ticked, 100.0 % (min 100) (claimed)
    no junit `out/**/*.xml`: 2 tests ran, 1 failed, 1 skipped; at most 0 may fail; `sh test.sh` exited with 1 (observed)
    yes checklist `tasks.md`: 1 of 1 box ticked, 100.0 % (min 100) (claimed)
    yes junit `out/**/*.xml`: 2 tests ran, 0 failed, 1 skipped (observed)
    yes coverage `out/lcov.info`: line coverage 100.0 % of 2 lines in 1 file (min 70) (observed)
    yes junit `out/**/*.xml`: 2 tests ran, 0 failed, 1 skipped (observed)
    yes coverage `out/lcov.info`: line coverage 100.0 % of 2 lines in 1 file (min 70) (observed)
    "#);
    let log = env.log_json();
    let failure = log.last("step_not_proven").expect("a failure");
    assert_eq!(failure["failure"]["category"], "test");
    assert_snapshot!(failure["failure"]["checks"][0]["excerpt"].as_str().unwrap(), @r#"
    2 reports: 2 tests ran, 1 failed, 1 skipped
    failed: Sum.a: 3 is not 4
    the output
    "#);
    env.assert_audit();
}

#[test]
fn the_agent_is_told_what_will_be_measured_and_what_was() {
    let env = env();
    let agent = format!("cp \"$WINDLASS_PROMPT_FILE\" prompt.md; {AGENT}");
    env.run(MEASURED, &agent, &[]).assert_code(0);
    let prompt = fs_err::read_to_string(env.place().join("prompt.md")).unwrap();
    let told = prompt.split("\n").filter(|line| line.contains("out/") || line.contains("tasks.md"));
    assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r#"
    - at least 100 % of the boxes in `tasks.md` are ticked (`- [x]`)
    - `sh test.sh` in a clean checkout exits with 0 and writes test reports `out/**/*.xml`: at least 2 tests really run, at most 0 fail; neither skipped tests count nor reports that were there before
    - `sh test.sh` in a clean checkout exits with 0 and writes coverage reports `out/lcov.info`: at least 70 % of the lines ran; reports that were there before do not count
    The last try was not accepted: junit `out/**/*.xml`: 2 tests ran, 1 failed, 1 skipped; at most 0 may fail; `sh test.sh` exited with 1
    Changed so far: `prompt.md`, `tasks.md`
    - passed: at least 100 % of the boxes in `tasks.md` are ticked (`- [x]`)
    - failed: `sh test.sh` in a clean checkout exits with 0 and writes test reports `out/**/*.xml`: a…
    - not run: `sh test.sh` in a clean checkout exits with 0 and writes coverage reports `out/lcov.inf…
    "#);
    assert!(prompt.contains("failed: Sum.a: 3 is not 4"), "{prompt}");
}

#[test]
fn allowed_failures_excuse_the_exit_code_of_the_runner() {
    let env = env();
    let workflow = "
workflow: w
defaults: {retries: 1}
steps:
  - {id: a, agent: x, task: t, done: {junit: 'out/**/*.xml', run: sh test.sh, failures: 1}}
";
    env.run(workflow, "echo x > y", &[]).assert_code(0);
    assert_snapshot!(proofs(&env), @r"
    yes junit `out/**/*.xml`: 2 tests ran, 1 failed, 1 skipped; `sh test.sh` exited with 1 (observed)
    yes junit `out/**/*.xml`: 2 tests ran, 1 failed, 1 skipped; `sh test.sh` exited with 1 (observed)
    ");
}

#[test]
fn a_pass_of_the_command_is_no_pass_of_its_reports() {
    let env = env();
    env.repository.write("code.txt", "0\n");
    env.repository.commit("the runner says that all is well");
    let workflow = "
workflow: w
defaults: {retries: 1}
steps:
  - id: a
    agent: x
    task: t
    done: [{run: sh test.sh}, {junit: 'out/**/*.xml', run: sh test.sh, failures: 1}]
  - id: b
    agent: x
    task: t
    done:
      - {run: sh test.sh}
      - {junit: 'out/**/*.xml', run: sh test.sh, failures: 1}
      - {junit: 'out/**/*.xml', run: sh test.sh}
";
    let agent = "case $WINDLASS_STEP in a) echo x > y;; esac";
    env.run(workflow, agent, &[]).assert_code(4);
    assert_snapshot!(proofs(&env), @r#"
    yes run `sh test.sh` exited with 0 (observed)
    yes junit `out/**/*.xml`: 2 tests ran, 1 failed, 1 skipped (observed)
    yes run `sh test.sh` exited with 0 (observed, cached)
    yes junit `out/**/*.xml`: 2 tests ran, 1 failed, 1 skipped (observed, cached)
    no junit `out/**/*.xml`: 2 tests ran, 1 failed, 1 skipped; at most 0 may fail (observed)
    "#);
}

#[test]
fn a_checklist_without_a_box_or_a_file_does_not_hold() {
    let env = env();
    let workflow = "
workflow: w
defaults: {retries: 4}
steps:
  - {id: a, agent: x, task: t, done: [{checklist: '{specs}/tasks.md', min: 50}, {diff: any}]}
";
    let agent = r#"
echo $WINDLASS_ATTEMPT > y
list=.windlass/run/specs/tasks.md
case $WINDLASS_ATTEMPT in
  *#2) echo "nothing to do" > $list ;;
  *#3) printf -- '- [x] a\n- [ ] b\n- [ ] c\n' > $list ;;
  *#4) printf -- '- [x] a\n- [ ] b\n' > $list ;;
esac
"#;
    env.run(workflow, agent, &[]).assert_code(0);
    let all = proofs(&env);
    let lines = all.lines().filter(|line| line.contains("checklist"));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r#"
    no checklist `.windlass/run/specs/tasks.md`: no such file (claimed)
    no checklist `.windlass/run/specs/tasks.md`: has no box, such as `- [ ] write the tests` (claimed)
    no checklist `.windlass/run/specs/tasks.md`: 1 of 3 boxes ticked, 33.3 % (min 50) (claimed)
    yes checklist `.windlass/run/specs/tasks.md`: 1 of 2 boxes ticked, 50.0 % (min 50) (claimed)
    "#);
}

#[test]
fn a_program_that_is_not_there_stops_before_anything_is_spent() {
    let env = env();
    for check in [
        "{junit: a.xml, run: no-such-runner --all}",
        "{coverage: a.info, run: no-such-runner, min: 1}",
    ] {
        let workflow =
            format!("workflow: w\nsteps:\n  - {{id: a, agent: x, task: t, done: {check}}}\n");
        let finished = env.run(&workflow, "true", &[]);
        assert_ne!(finished.code, Some(0));
        assert!(finished.stderr.contains("no-such-runner"), "{finished}");
    }
}

#[test]
fn an_input_that_is_no_percentage_is_refused() {
    let env = env();
    let finished = env.run(MEASURED, AGENT, &["--input", "coverage=170"]);
    finished.assert_code(2);
    assert!(finished.stderr.contains("`170` at"), "{finished}");
}

#[test]
fn caches_that_resist_are_thrown_away_before_reports_are_looked_for() {
    let env = env();
    let workflow = "
workflow: w
defaults: {retries: 1}
steps:
  - id: a
    agent: x
    task: t
    done:
      - {run: 'mkdir -p out/deep; cd out; seq 10001 | sed s/$/.xml/ | xargs touch'}
      - {junit: 'out/**/*.xml', run: sh test.sh, failures: 1}
";
    env.run(workflow, "echo x > y", &[]).assert_code(0);
    assert!(proofs(&env).contains("2 tests ran, 1 failed"), "{}", proofs(&env));
}

#[test]
fn a_glob_that_takes_away_what_the_command_needs_is_named() {
    let env = env();
    let workflow = "
workflow: w
defaults: {retries: 1}
steps:
  - {id: a, agent: x, task: t, done: {junit: '**/*.txt', run: sh test.sh}}
";
    env.run(workflow, "echo x > y", &[]).assert_code(4);
    let log = env.log_json();
    let check = &log.last("step_not_proven").expect("a failure")["failure"]["checks"][0];
    let excerpt = check["excerpt"].as_str().unwrap_or_default();
    let removed = "removed before the command ran: code.txt, first.txt, lines.txt and 2 more";
    assert!(excerpt.contains(removed), "{excerpt}");
}

#[test]
fn a_hundred_thousand_cases_are_counted() {
    let env = env();
    let script = "mkdir -p out; { echo '<testsuite>'; seq 100000 | \
        sed 's|.*|<testcase classname=\"a.b.C\" name=\"t&\" time=\"0.001\"/>|'; echo '</testsuite>'; \
        } > out/r.xml\n";
    env.repository.write("test.sh", script);
    env.repository.commit("many tests");
    let workflow = "
workflow: w
defaults: {retries: 1}
steps:
  - {id: a, agent: x, task: t, done: {junit: 'out/*.xml', run: sh test.sh, min: 100000}}
";
    env.run(workflow, "echo x > y", &[]).assert_code(0);
    assert!(proofs(&env).contains("100,000 tests ran, 0 failed"), "{}", proofs(&env));
}
