//! Spokes that cheat: each has a place of its own, and only what it is there to write counts.

use windlass_testkit::{Layout, TestEnv, test_env, wait};

use crate::support::env;

/// Two spokes and a hub; `code.sh` is code, the rest are papers.
const TEAM: &str = r#"
workflow: team
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
steps:
  - id: plan
    team:
      spokes:
        - {agent: one, task: Think., writes: "{specs}/one.md"}
        - {agent: two, task: Draw., writes: [tools/two.sh, "{specs}/two.md"]}
      hub: {agent: planner, task: Join.}
    done: {file: "{specs}/plan.md"}
"#;

const HONEST: &str = r#"
specs=.windlass/run/specs
case $WINDLASS_STEP in
  plan/one) echo one > $specs/one.md ;;
  plan/two) mkdir -p tools; echo two | tee $specs/two.md > tools/two.sh ;;
  plan/hub) cat $specs/one.md $specs/two.md > $specs/plan.md ;;
esac
"#;

/// Plays a first spoke that does `sly` besides or instead of its work; it must not count as done.
#[track_caller]
fn caught(env: &TestEnv, sly: &str) -> String {
    let agent = format!("{HONEST}\ncase $WINDLASS_STEP in plan/one) {sly} ;; esac");
    let finished = env.run(TEAM, &agent, &["--yes"]);
    assert_eq!(finished.code, Some(4), "{sly}: {finished}");
    let log = env.log_json();
    assert_eq!(log.count_of_step("step_proven", "plan/one"), 0, "{sly}: {finished}");
    assert_eq!(log.count_of_step("step_adopted", "plan/one"), 0, "{sly}: {finished}");
    assert_eq!(env.step("plan/two"), "done", "{sly}: the other spoke is not held up: {finished}");
    assert!(!env.place().join(".windlass/run/specs/one.md").exists(), "{sly}");
    env.assert_audit();
    env.assert_no_orphans();
    let failed = log.last("step_not_proven").expect("a failure");
    failed["failure"]["summary"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_paper_that_is_no_plain_file() {
    for sly in [
        "rm $specs/one.md; ln -s /etc/passwd $specs/one.md",
        "rm $specs/one.md; ln -s ../../../answer.txt $specs/one.md",
        "rm $specs/one.md; mkfifo $specs/one.md",
        "rm $specs/one.md; mkdir $specs/one.md; echo x > $specs/one.md/one.md",
        ": > $specs/one.md",
        "head -c 9000000 /dev/zero > $specs/one.md",
        "mv $specs elsewhere; ln -s ../../elsewhere $specs",
        "mv .windlass/run run; ln -s ../run .windlass/run",
    ] {
        caught(&env(), sly);
    }
}

#[test]
fn work_that_is_hidden_from_git_or_done_elsewhere() {
    for sly in [
        "echo hidden > .gitignore; echo x > hidden",
        "echo 'answer.txt -diff' > .gitattributes",
        "git checkout -q -b mine",
        "git checkout -q --detach",
        "rm -rf .git",
        "echo sly > answer.txt; git update-index --assume-unchanged answer.txt",
        "rm answer.txt",
        "git rm -q --cached answer.txt; rm answer.txt; git commit -qm gone",
        "echo sly > $specs/two.md",
        "echo sly > .windlass/run/reports/other.md",
    ] {
        caught(&env(), sly);
    }
}

#[test]
fn a_spoke_may_not_speak_for_the_run() {
    for sly in ["windlass context set a.b 1", "windlass item add 'More work'", "windlass approve"] {
        let env = env();
        let agent = format!(
            "{HONEST}\ncase $WINDLASS_STEP in plan/one) {sly} && echo got > $specs/got.md ;; esac; true"
        );
        env.run(TEAM, &agent, &["--yes"]).assert_code(0);
        assert!(!env.place().join(".windlass/run/specs/got.md").exists(), "{sly}");
    }
}

#[test]
fn a_process_that_is_left_behind_writes_nothing_later() {
    let env = env();
    let agent = format!(
        "case $WINDLASS_STEP in plan/one) \
         (setsid sh -c 'sleep 1; echo late > .windlass/run/specs/one.md' &) ;; esac\n{HONEST}"
    );
    env.run(TEAM, &agent, &["--yes"]).assert_code(0);
    let plan = fs_err::read_to_string(env.place().join(".windlass/run/specs/plan.md")).unwrap();
    assert_eq!(plan, "one\ntwo\n");
    env.assert_no_orphans();
}

#[test]
fn the_places_of_the_run_and_of_other_spokes_are_out_of_reach() {
    for layout in [Layout::Home, Layout::SystemTemp] {
        let env = test_env!(layout);
        let sly = r#"
case $WINDLASS_STEP in
  plan/one)
    here=$(pwd -P); run=${here%.plan.one}
    until test -d $run.plan.two; do sleep 0.05; done
    for place in $run $run.plan.two; do
      mkdir -p $place/.windlass/run/specs; echo sly > $place/.windlass/run/specs/two.md
      echo sly > $place/sly.txt
    done
    ;;
  plan/two) exit 1 ;;
esac; true"#;
        let agent = format!("{}\n{sly}", HONEST.replace("plan/two)", "plan/nobody)"));
        env.run(TEAM, &agent, &["--yes"]).assert_code(4);
        assert!(!env.place().join("sly.txt").exists());
        assert!(!env.place().join(".windlass/run/specs/two.md").exists());
        let other = format!("{}.plan.two", env.place().display());
        let other = std::path::Path::new(&other);
        assert!(other.is_dir(), "the spoke that failed keeps its place");
        assert!(!other.join("sly.txt").exists());
        assert_eq!(env.log_json().count_of_step("step_proven", "plan/two"), 0);
    }
}

#[test]
fn what_a_spoke_wrote_keeps_its_mode() {
    let env = env();
    let agent = format!("{HONEST}\ncase $WINDLASS_STEP in plan/two) chmod +x tools/two.sh ;; esac");
    env.run(TEAM, &agent, &["--yes"]).assert_code(0);
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs_err::metadata(env.place().join("tools/two.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
}

/// Holds the first spoke until a file is there, so that a person can do something meanwhile.
fn held(env: &TestEnv) -> (String, std::path::PathBuf, std::path::PathBuf) {
    let (ready, go) = (env.root().join("tmp/ready"), env.root().join("tmp/go"));
    let agent = format!(
        "{HONEST}\ncase $WINDLASS_STEP in plan/one) touch {}; \
         until test -e {}; do sleep 0.05; done ;; esac",
        ready.display(),
        go.display()
    );
    (agent, ready, go)
}

#[test]
fn what_a_person_wrote_where_a_spoke_writes_is_kept() {
    let env = env();
    let (agent, ready, go) = held(&env);
    let mut driver = env.start(env.run_command(TEAM, &agent, &["--yes"]));
    wait::for_fact("the spoke", || ready.exists());
    let paper = env.place().join(".windlass/run/specs/one.md");
    fs_err::create_dir_all(paper.parent().unwrap()).unwrap();
    fs_err::write(&paper, "an hour of a person's work\n").unwrap();
    fs_err::write(&go, "").unwrap();
    let finished = driver.wait(std::time::Duration::from_secs(60)).expect("an end");
    assert_eq!(finished.code, Some(0), "{finished}");
    assert_eq!(fs_err::read_to_string(&paper).unwrap(), "one\n");
    assert!(is_set_aside(&env), "{finished}");
}

/// Whether the place has what a person wrote there.
fn is_set_aside(env: &TestEnv) -> bool {
    let files = walk(&env.place().join(".windlass/run/aside"));
    files.iter().any(|path| fs_err::read_to_string(path).is_ok_and(|text| text.contains("an hour")))
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = fs_err::read_dir(folder) else { return Vec::new() };
    entries
        .flatten()
        .flat_map(|entry| match entry.path().is_dir() {
            true => walk(&entry.path()),
            false => vec![entry.path()],
        })
        .collect()
}

#[test]
fn a_folder_where_a_spoke_writes_is_set_aside() {
    let env = env();
    let (agent, ready, go) = held(&env);
    let mut driver = env.start(env.run_command(TEAM, &agent, &["--yes"]));
    wait::for_fact("the spoke", || ready.exists());
    let paper = env.place().join(".windlass/run/specs/one.md");
    fs_err::create_dir_all(&paper).unwrap();
    fs_err::write(paper.join("note"), "an hour of a person's work\n").unwrap();
    fs_err::write(&go, "").unwrap();
    let finished = driver.wait(std::time::Duration::from_secs(60)).expect("an end");
    assert_eq!(finished.code, Some(0), "{finished}");
    assert_eq!(fs_err::read_to_string(&paper).unwrap(), "one\n");
    assert!(is_set_aside(&env), "{finished}");
}

#[test]
fn a_file_where_a_spoke_has_a_folder_stops_the_run_until_it_is_gone() {
    let env = env();
    let (agent, ready, go) = held(&env);
    let agent = agent.replace("plan/one) touch", "plan/two) touch");
    let mut driver = env.start(env.run_command(TEAM, &agent, &["--yes"]));
    wait::for_fact("the spoke", || ready.exists());
    fs_err::write(env.place().join("tools"), "in the way").unwrap();
    fs_err::write(&go, "").unwrap();
    let finished = driver.wait(std::time::Duration::from_secs(60)).expect("an end");
    assert_eq!(finished.code, Some(1), "{finished}");
    assert!(finished.stderr.contains("tools` is not a plain folder"), "{finished}");
    env.windlass(&["resume"]).assert_code(1);
    fs_err::remove_file(env.place().join("tools")).unwrap();
    env.windlass(&["resume"]).assert_code(0);
    assert_eq!(env.log_json().count_of_step("step_adopted", "plan/two"), 1);
    env.assert_audit();
}

#[test]
fn names_that_git_does_not_like_do_not_stop_a_team() {
    let env = env();
    let first = "steps:\n  - {id: first, agent: a, task: x, done: {file: '{specs}/first.md'}}\n";
    let team = TEAM.replace("steps:\n", first);
    let agent = format!(
        "{HONEST}\ncase $WINDLASS_STEP in first) echo x > $specs/first.md; \
         for name in 'git~1' '.git ' .GIT .gitmodules 'a\\\\b' '.git::$INDEX_ALLOCATION'; do \
         mkdir -p \"$specs/$name\"; echo x > \"$specs/$name/x\"; done ;; esac"
    );
    env.run(&team, &agent, &["--yes"]).assert_code(0);
    env.windlass(&["trash", "restore", "first#1", "--to", "restored"]).assert_code(0);
    assert_eq!(env.repository.read("restored/.windlass/run/specs/git~1/x"), "x\n");
    // A link with this name is in no tree that git takes, so it is the agent's to remove.
    let env = crate::support::env();
    let agent = format!(
        "{HONEST}\ncase $WINDLASS_ATTEMPT in first#1) ln -s x $specs/.gitmodules ;; \
         first#2) rm $specs/.gitmodules ;; esac; \
         case $WINDLASS_STEP in first) echo $WINDLASS_ATTEMPT > $specs/first.md ;; esac"
    );
    env.run(&team.replace("retries: 1", "retries: 2"), &agent, &["--yes"]).assert_code(0);
    assert_eq!(env.log_json().count_of_step("step_not_proven", "first"), 1);
}
