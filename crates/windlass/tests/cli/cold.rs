//! The last proof is cold: what holds only with what the user had built before is no proof.

use windlass_testkit::{TestEnv, test_env};

/// The second check needs what lies in a folder that git ignores.
const WORKFLOW: &str = r#"
workflow: warm
defaults: {retries: 3}
steps:
  - id: plan
    agent: planner
    task: Plan.
    done: {run: test -f plan.md}
  - id: build
    agent: developer
    task: Build.
    done: {all: [{run: sh build.sh}, {run: sh check.sh}]}
  - id: docs
    agent: writer
    task: Write it down.
    done: {file: docs.md}
"#;

/// Its check needs what the user built before the run; when it is told so, it makes it itself.
const AGENT: &str = r#"
case $WINDLASS_ATTEMPT in
  plan*) echo plan > plan.md ;;
  build#1)
    echo 'mkdir -p target; echo built > target/out' > build.sh
    echo 'cat target/out' > check.sh ;;
  build*) echo 'sh build.sh; cat target/out' > check.sh ;;
  docs*) echo "$WINDLASS_ATTEMPT" > docs.md ;;
esac
"#;

fn world() -> TestEnv {
    let env = test_env!();
    env.repository.write(".gitignore", "target/\n");
    env.repository.commit("ignore the target");
    // What the user built before the run began is copied for warm rooms.
    env.repository.write("target/out", "true\n");
    let out = env.repository.root().join("target/out");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs_err::set_permissions(out, executable).expect("a program");
    env
}

#[test]
fn what_holds_only_in_a_warm_tree_opens_its_step_again() {
    let env = world();
    env.run(WORKFLOW, AGENT, &[]).assert_code(0);
    let log = env.log_json();
    let count = |kind: &str| log.count(kind);
    assert_eq!((count("cold_proof_failed"), count("cold_proof_held")), (1, 1));
    assert_eq!(log.last("cold_proof_failed").expect("a failed proof")["step"], "build");
    assert_eq!(log.last("rolled_back").expect("a rollback")["target"], "build");
    let attempts = |step| log.count_of_step("step_proven", step);
    assert_eq!((attempts("plan"), attempts("build"), attempts("docs")), (1, 2, 2));
    let held = log.last("cold_proof_held").expect("a proof");
    let proofs = held["report"]["proofs"].as_array().expect("proofs");
    assert_eq!(proofs.len(), 3, "each command once: {held}");
    assert!(proofs.iter().all(|proof| proof["cached"] == false), "{held}");
    env.assert_audit();
    env.assert_no_orphans();
    let report = env.windlass(&["report"]).assert_code(0).stdout.clone();
    assert!(report.contains("proven once more on a fresh clone: 3 checks"), "{report}");
    let proofs = env.windlass(&["proofs"]).assert_code(0).stdout.clone();
    let last = proofs.split("On a fresh clone").nth(1).expect("the last proof");
    assert_eq!(last.matches("holds  run").count(), 3, "{proofs}");
    let why = env.windlass(&["replay", "--why", "build"]).assert_code(0).stdout.clone();
    assert!(
        why.contains("does not hold on a fresh clone: run `sh check.sh` exited with 1"),
        "{why}"
    );
}

#[test]
fn an_agent_that_never_mends_it_stops_for_a_person() {
    let env = world();
    let never = AGENT.replace("build#1", "build*");
    env.run(WORKFLOW, &never, &[]).assert_code(4);
    let status = env.status_json();
    assert_eq!(status["run"]["reason"], "retries_exhausted", "{status}");
    let detail = status["run"]["detail"].as_str().unwrap_or_default();
    assert!(detail.contains("on a fresh clone"), "{detail}");
    assert_eq!(env.log_json().count("cold_proof_failed"), 3);
    // Whoever resumes has it proven once more, and nothing is worked on for that.
    env.windlass(&["resume"]).assert_code(4);
    let log = env.log_json();
    assert_eq!((log.count("cold_proof_failed"), log.count_of_step("step_proven", "build")), (4, 3));
    env.assert_audit();
    env.assert_no_orphans();
}

#[test]
fn a_person_ends_a_run_without_the_proof_and_the_report_says_why() {
    let env = world();
    env.run(WORKFLOW, &AGENT.replace("build#1", "build*"), &[]).assert_code(4);
    let status = env.windlass(&["status"]).assert_code(0).stdout.clone();
    assert!(status.contains("windlass resume --no-cold"), "{status}");
    let silent = env.windlass(&["resume", "--no-cold", " "]);
    silent.assert_code(2);
    assert!(silent.stderr.contains("a reason is needed"), "{silent}");
    env.windlass(&["resume", "--no-cold", "target/ comes from the vendor"]).assert_code(0);
    assert_eq!(env.status(), "completed");
    let report = env.windlass(&["report"]).assert_code(0).stdout.clone();
    let words =
        "left out by a person (target/ comes from the vendor); before that it did not hold on";
    assert!(report.contains(words), "{report}");
    env.assert_audit();
    env.assert_no_orphans();
}

#[test]
fn a_check_that_cannot_run_on_a_fresh_clone_asks_a_person_and_is_no_failure() {
    let env = world();
    let workflow = r#"
workflow: warm
steps:
  - id: build
    agent: developer
    task: Build.
    done: {all: [{run: sh build.sh}, {run: target/out}]}
"#;
    let agent = "echo true > build.sh";
    env.run(workflow, agent, &[]).assert_code(4);
    let status = env.status_json();
    assert_eq!(status["run"]["reason"], "repeated_failure", "{status}");
    let log = env.log_json();
    assert_eq!((log.count("cold_proof_broken"), log.count("cold_proof_failed")), (1, 0));
    env.assert_audit();
}

/// Python's environments ignore themselves, and often nothing else ignores them. What an attempt installs
/// into the one of the checkout is no part of the work: half of one would be in the clone.
#[test]
fn an_environment_that_only_ignores_itself_is_no_part_of_the_work() {
    let env = test_env!();
    env.repository.write(".venv/.gitignore", "*\n");
    env.repository.write(".venv/pyvenv.cfg", "home = /usr\n");
    let workflow = r#"
workflow: environment
prepare:
  - {run: "sh -c 'if test -e .venv; then test -f .venv/pyvenv.cfg; else mkdir .venv && touch .venv/pyvenv.cfg; fi'"}
steps:
  - {id: build, agent: developer, done: [{diff: any}, {run: test -f .venv/pyvenv.cfg}]}
"#;
    let agent = "test -f .venv/pyvenv.cfg && mkdir -p .venv/lib && echo x > .venv/lib/x; echo 42 > answer.txt";
    let finished = env.run(workflow, agent, &[]);
    finished.assert_code(0);
    assert_eq!(env.log_json().count("cold_proof_held"), 1, "{finished}");
    let changed = env.windlass(&["diff", "--name-only"]).stdout;
    assert_eq!(changed.trim(), "answer.txt");
}
