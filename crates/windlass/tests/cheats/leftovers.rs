//! Agents whose checks leave something behind, or look at what is not part of the work.

use crate::support::{caught, env, honest};

fn two_commands(first: &str, second: &str) -> String {
    format!(
        r#"
workflow: cheated
defaults: {{retries: 1, timeout: 20s, idle_timeout: 10s}}
steps:
  - id: build
    agent: developer
    task: Do it.
    done: {{all: [{{run: {first}}}, {{run: {second}}}]}}
"#
    )
}

#[test]
fn a_check_that_writes_ignore_rules_for_what_it_leaves_behind() {
    let agent = "echo 'echo result.txt > .gitignore; echo ok > result.txt' > t.sh";
    caught(&env(), &two_commands("sh t.sh", "test -f result.txt"), agent);
    let agent = "echo result.txt > .gitignore; echo 'echo ok > result.txt' > t.sh";
    caught(&env(), &two_commands("sh t.sh", "test -f result.txt"), agent);
}

#[test]
fn what_one_check_leaves_no_other_sees_also_not_in_an_ignored_folder() {
    let env = env();
    env.repository.write(".gitignore", "target/\n");
    env.repository.commit("ignore the target");
    let agent = "echo 'mkdir -p target; echo built > target/out' > build.sh";
    caught(&env, &two_commands("sh build.sh", "grep -q built target/out"), agent);
}

#[test]
fn a_dependency_that_is_changed_in_place_in_the_checkout() {
    let env = env();
    env.repository.write(".gitignore", "node_modules/\n");
    env.repository.commit("ignore dependencies");
    env.repository.write("node_modules/judge/judge.sh", "grep -qx right answer.txt\n");
    let workflow = r#"
workflow: cheated
cold: false
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
steps:
  - id: build
    agent: developer
    task: Write `right` into answer.txt.
    done: {run: sh node_modules/judge/judge.sh}
"#;
    let agent = "echo wrong > answer.txt; echo true > node_modules/judge/judge.sh";
    let finished = env.run(workflow, agent, &["--yes", "--here"]);
    assert_ne!(finished.code, Some(0), "the agent got away with it: {finished}");
    assert_eq!(env.log_json().count("step_proven"), 0, "{finished}");
}

#[test]
fn a_link_to_something_outside_the_work() {
    let workflow = r#"
workflow: cheated
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
steps:
  - id: build
    agent: developer
    task: Do it.
    done: {run: "grep -q 42 found.txt"}
"#;
    let outside = r#"echo 42 > "$TMPDIR/found"; ln -s "$TMPDIR/found" found.txt"#;
    caught(&env(), workflow, outside);
    caught(&env(), workflow, "mkdir -p a; ln -s .. a/up; ln -s a/up/../../x found.txt");
    honest(&env(), workflow, "echo 42 > real.txt; ln -s real.txt found.txt");
}

#[test]
fn a_folder_of_a_check_that_is_a_link() {
    let workflow = r#"
workflow: cheated
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
steps:
  - id: build
    agent: developer
    task: Do it.
    done: {run: sh t.sh, in: app}
"#;
    caught(&env(), workflow, r#"echo true > "$TMPDIR/t.sh"; ln -s "$TMPDIR" app"#);
}

#[test]
fn feedback_does_not_make_earlier_changes_outside_the_bounds_invisible() {
    let env = env();
    let workflow = r#"
workflow: bounded
defaults: {retries: 1}
steps:
  - id: build
    agent: developer
    task: Do it.
    may_write: ["src/**"]
    done: {diff: {only: ["src/**"]}}
"#;
    let agent = "echo evil > evil.txt; mkdir -p src; echo $WINDLASS_ATTEMPT > src/a.txt; \
                 case $WINDLASS_ATTEMPT in *#3) rm evil.txt;; esac";
    env.run(workflow, agent, &[]).assert_code(4);
    env.windlass(&["feedback", "only touch src"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(4);
    assert_eq!(env.log_json().count("step_proven"), 0);
    env.windlass(&["feedback", "really"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
}

#[test]
fn a_file_that_an_earlier_steps_rules_keep_out_of_the_work() {
    let env = env();
    let workflow = r#"
workflow: two
defaults: {retries: 1}
steps:
  - id: rules
    agent: developer
    task: Rules.
    done: {file: .gitignore}
  - id: build
    agent: developer
    task: Build.
    done: {file: hidden.txt}
"#;
    let agent = "case $WINDLASS_STEP in rules) echo hidden.txt > .gitignore;; \
                 *) echo x > hidden.txt;; esac";
    env.run(workflow, agent, &["--yes"]).assert_code(4);
    assert_eq!(env.log_json().count_of_step("step_proven", "build"), 0);
}

#[test]
fn a_check_that_puts_a_pipe_in_the_place_of_its_output() {
    let agent = r#"echo 'rm -f "$TMPDIR/../output"; mkfifo "$TMPDIR/../output"; exit 1' > t.sh"#;
    caught(&env(), &two_commands("sh t.sh", "test 1 = 1"), agent);
}

#[test]
fn a_broken_git_directory_does_not_keep_proven_work_from_its_branch() {
    for breaks in ["mkdir .git/index.lock", "rm -rf .git/objects; ln -s /tmp .git/objects"] {
        honest(&env(), crate::support::ANSWER, &format!("echo right > answer.txt; {breaks}"));
    }
}

#[test]
fn papers_that_cannot_be_set_aside_stop_nothing() {
    let env = env();
    let workflow = r#"
workflow: paper
steps:
  - id: plan
    agent: planner
    task: Plan.
    done: {file: "{specs}/plan.md"}
    gate: approval
"#;
    let agent = "touch .windlass/run/aside; echo $WINDLASS_ATTEMPT > .windlass/run/specs/plan.md";
    env.run(workflow, agent, &[]).assert_code(3);
    env.windlass(&["feedback", "again"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(3);
    assert_eq!(env.log_json().count("step_proven"), 2);
}
