//! Spokes side by side, each in a place of its own, then the hub.

use windlass_testkit::{TestEnv, test_env, wait};

const TEAM: &str = r#"
workflow: team
defaults: {retries: 2}
steps:
  - id: plan
    title: Planning
    team:
      spokes:
        - {agent: backend, task: Think., writes: "{specs}/backend.md"}
        - {agent: designer, task: Draw., writes: [docs/ui.md, "{specs}/ui.md"]}
      hub: {agent: planner, task: Join.}
    done: {file: "{specs}/plan.md"}
    gate: approval
  - id: build
    agent: developer
    task: Build.
    may_write: ["answer.txt"]
    done: {all: [{file: answer.txt}, {run: test -s docs/ui.md}]}
"#;

const HONEST: &str = r#"
specs=.windlass/run/specs
case $WINDLASS_STEP in
  plan/backend) echo "backend $WINDLASS_ATTEMPT" > $specs/backend.md ;;
  plan/designer) mkdir -p docs; echo "ui $WINDLASS_ATTEMPT" | tee $specs/ui.md > docs/ui.md ;;
  plan/hub) cat $specs/backend.md $specs/ui.md docs/ui.md > $specs/plan.md ;;
  build) echo right > answer.txt ;;
esac
"#;

fn places(env: &TestEnv) -> usize {
    let place = env.place();
    fs_err::read_dir(place.parent().expect("a folder")).expect("places").count()
}

#[test]
fn spokes_run_at_the_same_time_and_the_hub_has_all_they_wrote() {
    let env = test_env!();
    let meeting = env.root().join("tmp");
    // Neither spoke goes on before it has seen the other one.
    let agent = format!(
        r#"
meet() {{ touch "{dir}/$1"; until test -e "{dir}/$2"; do sleep 0.05; done; }}
case $WINDLASS_STEP in
  plan/backend) meet one two ;;
  plan/designer) meet two one ;;
esac
{HONEST}"#,
        dir = meeting.display()
    );
    env.run(TEAM, &agent, &["--yes"]).assert_code(0);
    let plan = fs_err::read_to_string(env.place().join(".windlass/run/specs/plan.md")).unwrap();
    assert_eq!(plan, "backend plan/backend#1\nui plan/designer#1\nui plan/designer#1\n");
    assert_eq!(places(&env), 1, "the places of the spokes are gone");
    let branch = env.status_json()["run"]["branch"].as_str().unwrap().to_owned();
    let files = env.repository.git(&["ls-tree", "-r", "--name-only", &branch]);
    assert!(files.contains("docs/ui.md") && files.contains("answer.txt"), "{files}");
    env.assert_audit();
}

#[test]
fn a_spoke_that_writes_anything_else_is_not_accepted() {
    let env = test_env!();
    let agent = format!(
        "{HONEST}
case $WINDLASS_ATTEMPT in
  plan/backend#1) echo sly > .windlass/run/specs/ui.md; echo more > code.txt ;;
  plan/backend#2) rm .windlass/run/specs/ui.md code.txt ;;
esac"
    );
    env.run(TEAM, &agent, &["--yes"]).assert_code(0);
    let log = env.log_json();
    let failure = &log.of("step_not_proven")[0]["failure"]["summary"];
    let failure = failure.as_str().unwrap();
    assert!(failure.contains("outside `writes`"), "{failure}");
    assert!(failure.contains("code.txt") && failure.contains("specs/ui.md"), "{failure}");
    assert!(!env.place().join("code.txt").exists(), "what it wrote elsewhere is not brought over");
    let plan = fs_err::read_to_string(env.place().join(".windlass/run/specs/plan.md")).unwrap();
    assert!(!plan.contains("sly"), "{plan}");
}

#[test]
fn a_file_that_git_ignores_cannot_be_brought_over() {
    let env = test_env!();
    env.repository.write(".gitignore", "docs/\n");
    env.repository.commit("ignore docs");
    let agent = HONEST.to_owned();
    env.run(TEAM, &agent, &["--yes"]).assert_code(4);
    let status = env.windlass(&["status"]);
    assert!(status.stdout.contains("git ignores it"), "{status}");
    assert_eq!(env.step("plan/backend"), "done", "the other spoke is not held up");
}

#[test]
fn a_killed_driver_loses_no_spoke() {
    let env = test_env!();
    let ready = env.root().join("tmp/ready");
    let agent = format!(
        "case $WINDLASS_ATTEMPT in plan/backend#1) until test -e {dir}/ui; do sleep 0.05; done; \
         touch {ready}; exec sleep 600;; esac\n{HONEST}\n\
         case $WINDLASS_STEP in plan/designer) touch {dir}/ui;; esac",
        dir = env.root().join("tmp").display(),
        ready = ready.display()
    );
    let mut driver = env.start(env.run_command(TEAM, &agent, &["--yes"]));
    wait::for_fact("the spoke", || ready.exists());
    wait::for_fact("the other spoke", || env.step("plan/designer") == "done");
    driver.kill();
    env.windlass(&["resume"]).assert_code(0);
    assert_eq!(env.log_json().count_of_step("step_adopted", "plan/designer"), 1);
    assert_eq!(env.log_json().count("attempt_lost"), 1);
    env.assert_audit();
    env.assert_no_orphans();
}

#[test]
fn a_rollback_to_the_team_opens_all_of_it_again() {
    let env = test_env!();
    env.run(TEAM, HONEST, &[]).assert_code(3);
    env.windlass(&["rollback", "plan", "think again"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(3);
    let plan = fs_err::read_to_string(env.place().join(".windlass/run/specs/plan.md")).unwrap();
    assert_eq!(plan, "backend plan/backend#2\nui plan/designer#2\nui plan/designer#2\n");
    env.windlass(&["feedback", "shorter"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(3);
    let log = env.log_json();
    assert_eq!(log.count_of_step("step_proven", "plan/hub"), 3);
    assert_eq!(log.count_of_step("step_proven", "plan/backend"), 2, "the spokes' work is kept");
}

#[test]
fn the_places_of_spokes_go_with_the_run() {
    let env = test_env!();
    env.run(TEAM, "true", &["--yes"]).assert_code(4);
    assert_eq!(places(&env), 3, "a failed spoke keeps its place");
    env.windlass(&["abort"]).assert_code(0);
    let place = env.place();
    env.windlass(&["place", "prune"]).assert_code(0);
    assert_eq!(fs_err::read_dir(place.parent().expect("a folder")).expect("places").count(), 0);
}

#[test]
fn check_and_graph_show_what_a_team_stands_for() {
    let env = test_env!();
    env.repository.write("team.yaml", TEAM);
    let checked = env.windlass(&["check", "team.yaml"]);
    checked.assert_code(0);
    for line in ["plan/backend", "side by side", "plan/hub", "at most 12 attempts"] {
        assert!(checked.stdout.contains(line), "{line}: {checked}");
    }
}

#[test]
fn a_team_works_on_each_item_with_files_of_its_own() {
    let env = test_env!();
    env.repository.write("TASKS.md", "- [ ] T1: One\n- [ ] T2: Two\n");
    env.repository.commit("tasks");
    let workflow = r#"
workflow: teams
defaults: {retries: 1}
steps:
  - id: stories
    foreach: items
    tasks: TASKS.md
    max: 3
    steps:
      - id: plan
        team:
          spokes:
            - {agent: backend, task: "Plan {item.id}.", writes: "{specs}/{item.id}-backend.md"}
            - {agent: designer, when: '.item.id == "T1"', task: Draw., writes: "ui-{item.id}.md"}
          hub: {agent: planner, task: Join.}
        done: {file: "{specs}/{item.id}-plan.md"}
"#;
    let agent = r#"
specs=.windlass/run/specs
case $WINDLASS_STEP in
  */backend) echo "backend $WINDLASS_ITEM_ID" > $specs/$WINDLASS_ITEM_ID-backend.md ;;
  */designer) echo "ui $WINDLASS_ITEM_ID" > ui-$WINDLASS_ITEM_ID.md ;;
  */hub) grep -F "$specs/$WINDLASS_ITEM_ID-backend.md" "$WINDLASS_PROMPT_FILE" &&
    cat $specs/$WINDLASS_ITEM_ID-backend.md ui-*.md > $specs/$WINDLASS_ITEM_ID-plan.md ;;
esac
"#;
    env.run(workflow, agent, &[]).assert_code(0);
    let plan = |item: &str| {
        let file = format!(".windlass/run/specs/{item}-plan.md");
        fs_err::read_to_string(env.place().join(file)).unwrap()
    };
    assert_eq!(plan("T1"), "backend T1\nui T1\n");
    assert_eq!(plan("T2"), "backend T2\nui T1\n", "what the first item left is there");
    assert_eq!(env.step("stories/T2/plan/designer"), "skipped");
    env.assert_audit();
}
