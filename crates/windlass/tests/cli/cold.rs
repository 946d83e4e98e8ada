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
    assert_eq!(proofs.len(), 4, "each check once: {held}");
    assert!(proofs.iter().all(|proof| proof["cached"] == false), "{held}");
    env.assert_audit();
    env.assert_no_orphans();
    let report = env.windlass(&["report"]).assert_code(0).stdout.clone();
    assert!(report.contains("all checks passed once more on a fresh clone: 4 checks"), "{report}");
    let proofs = env.windlass(&["proofs"]).assert_code(0).stdout.clone();
    let last = proofs.split("On a fresh clone").nth(1).expect("the last proof");
    assert_eq!(last.matches("passed  run").count(), 3, "{proofs}");
    let why = env.windlass(&["replay", "--why", "build"]).assert_code(0).stdout.clone();
    assert!(why.contains("failed on a fresh clone: run `sh check.sh` exited with 1"), "{why}");
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
    let words = "left out by a person (target/ comes from the vendor); before that it failed on";
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

#[test]
fn a_file_that_a_later_step_removes_is_missing_in_the_clone() {
    let env = test_env!();
    let workflow = r#"
workflow: files
defaults: {retries: 2}
steps:
  - {id: plan, agent: planner, done: {file: plan.md, contains: plan}}
  - {id: build, agent: developer, done: {file: built.txt}}
"#;
    let agent = "case $WINDLASS_ATTEMPT in plan#*) echo \"plan $WINDLASS_ATTEMPT\" > plan.md ;; \
                 build#1) rm plan.md; echo x > built.txt ;; *) echo $WINDLASS_ATTEMPT > built.txt ;; esac";
    env.run(workflow, agent, &[]).assert_code(0);
    let log = env.log_json();
    assert_eq!((log.count("cold_proof_failed"), log.count("cold_proof_held")), (1, 1));
    let failed = log.last("cold_proof_failed").expect("a failed proof").to_string();
    assert!(failed.contains("neither the commit nor the papers"), "{failed}");
    env.assert_audit();
}

#[test]
fn a_not_that_holds_on_a_fresh_clone_only_because_something_is_missing_proves_nothing() {
    // `check.sh` fails with 1 if it finds a TODO, and with 2 if what it searches with is not there.
    for (not, missing) in [
        ("{not: {run: sh find.sh}}", "elsewhere it exited with 1"),
        ("{run: '! sh find.sh'}", "elsewhere it exited with 1"),
    ] {
        let env = world();
        env.repository.write("find.sh", "test -f target/out || exit 2\ngrep -q TODO src.txt\n");
        env.repository.write("src.txt", "clean\n");
        env.repository.commit("a look for what must not be there");
        let workflow = format!(
            "workflow: clean\nsteps:\n  - {{id: code, agent: developer, done: [{{diff: any}}, {not}]}}\n"
        );
        let finished = env.run(&workflow, "echo more >> src.txt", &["--no-baseline"]);
        assert_eq!(finished.code, Some(4), "{finished}");
        let log = env.log_json();
        let counts = (log.count("cold_proof_broken"), log.count("cold_proof_failed"));
        assert_eq!(counts, (1, 0), "{finished}");
        assert!(finished.stdout.contains(missing), "{finished}");
        env.assert_audit();
    }
}

#[test]
fn what_must_not_be_there_is_looked_for_on_the_fresh_clone_too() {
    let env = test_env!();
    env.repository.write("src.txt", "clean\n");
    env.repository.commit("a source");
    let workflow = r#"
workflow: clean
defaults: {retries: 3}
steps:
  - {id: code, agent: developer, done: [{diff: any}, {not: {run: grep -q TODO src.txt}}, {run: '! grep -q FIXME src.txt'}]}
  - {id: docs, agent: writer, done: {file: docs.md}}
"#;
    // The second step brings back what the first one had to keep out.
    let agent = "case $WINDLASS_ATTEMPT in code#*) echo \"clean $WINDLASS_ATTEMPT\" > src.txt ;; \
                 docs#1) echo TODO >> src.txt; echo a > docs.md ;; \
                 docs#2) echo FIXME >> src.txt; echo b > docs.md ;; \
                 *) echo c > docs.md ;; esac";
    env.run(workflow, agent, &[]).assert_code(0);
    let log = env.log_json();
    assert_eq!((log.count("cold_proof_failed"), log.count("cold_proof_held")), (2, 1));
    assert_eq!(log.last("cold_proof_failed").expect("a failed proof")["step"], "code");
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

#[test]
fn a_full_disk_on_a_fresh_clone_is_the_machines_and_opens_no_step() {
    let env = world();
    let workflow = r#"
workflow: warm
defaults: {retries: 3}
steps:
  - id: build
    agent: developer
    task: Build.
    done: {all: [{file: work.md}, {run: sh check.sh}]}
"#;
    // It passes where the user's folder is there, and meets a full disk where it is not.
    let agent = "date +%N > work.md\n\
        echo 'test -e target/out || { echo cp: No space left on device; exit 1; }' > check.sh";
    env.run(workflow, agent, &[]).assert_code(4);
    let log = env.log_json();
    assert_eq!((log.count("cold_proof_broken"), log.count("cold_proof_failed")), (1, 0));
    assert_eq!(log.count("attempt_started"), 1, "nobody's work can mend that");
    let detail = env.status_json()["run"]["detail"].to_string();
    assert!(detail.contains("No space left on device"), "{detail}");
    env.assert_audit();
}
