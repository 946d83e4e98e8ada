//! A configuration and a workflow for a repository.

use insta::assert_snapshot;
use windlass_testkit::{TestEnv, test_env};

const MAKEFILE: &str = "test:\n\ttest -f answer.txt\n";

fn made() -> TestEnv {
    let env = test_env!();
    env.repository.write("Makefile", MAKEFILE);
    env.repository.write(".github/workflows/ci.yml", "on: push\n");
    env.repository.commit("build");
    env
}

#[test]
fn init_writes_what_fits_the_repository_and_says_what_to_do_next() {
    let env = made();
    let finished = env.windlass(&["init"]);
    finished.assert_code(0);
    assert_snapshot!(env.normalise(&format!("{}---\n{}", finished.stdout, finished.stderr)));
    assert!(env.repository.read(".windlass/workflows/change.yaml").contains("make test"));
    for next in ["check", "graph"] {
        env.windlass(&[next, "change"]).assert_code(0);
    }
    assert_eq!(env.repository.git(&["status", "--porcelain"]), "?? .windlass/");
}

#[test]
fn what_init_wrote_carries_a_run_to_its_gate() {
    let env = made();
    env.windlass(&["init", "--workflow", "change"]).assert_code(0);
    let agent = env.agent(
        r#"
case $WINDLASS_STEP in
  plan) seq 200 > .windlass/run/specs/plan.md ;;
  implement) echo 42 > answer.txt ;;
  test) echo all of it > .windlass/run/specs/tests.md ;;
  review) echo fine > .windlass/run/specs/review.md; windlass context set review.status=APPROVED ;;
esac
"#,
    );
    let arguments = ["--agent-command", &agent, "--notify", "off", "--input", "publish=false"];
    let finished = env.windlass(&[&["run", "Answer"], &arguments[..]].concat());
    finished.assert_code(3);
    assert_eq!(env.status_json()["gate"]["step"], "review", "{finished}");
    env.windlass(&["approve"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    assert_eq!(env.status(), "completed");
}

#[test]
fn init_twice_changes_nothing_and_force_keeps_what_was_there() {
    let env = made();
    env.windlass(&["init"]).assert_code(0);
    let again = env.windlass(&["init"]);
    again.assert_code(0);
    assert_eq!(again.stdout.matches("there already, the same").count(), 2, "{again}");
    env.repository.write(".windlass/workflows/change.yaml", "# mine\n");
    let kept = env.windlass(&["init", "--json"]);
    let files: serde_json::Value = serde_json::from_str(&kept.stdout).unwrap();
    assert_eq!(files["files"][1]["action"], "kept", "{kept}");
    assert_eq!(env.repository.read(".windlass/workflows/change.yaml"), "# mine\n");
    for (number, backup) in [(1, "change.yaml.bak"), (2, "change.yaml.bak2")] {
        let forced = env.windlass(&["init", "--force"]);
        forced.assert_code(0);
        assert!(forced.stdout.contains(backup), "{number}: {forced}");
        assert_eq!(env.repository.read(&format!(".windlass/workflows/{backup}")), "# mine\n");
        assert!(env.repository.read(".windlass/workflows/change.yaml").contains("make test"));
        env.repository.write(".windlass/workflows/change.yaml", "# mine\n");
    }
}

#[test]
fn a_dry_run_writes_nothing() {
    let env = made();
    for more in [&[][..], &["--json"], &["--force"]] {
        let arguments: Vec<&str> = ["init", "--dry-run"].iter().chain(more).copied().collect();
        let finished = env.windlass(&arguments);
        finished.assert_code(0);
        assert!(finished.stdout.contains("would"), "{finished}");
    }
    assert_eq!(env.repository.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_unknown_workflow_and_a_folder_that_is_no_repository_are_refused() {
    let env = made();
    let unknown = env.windlass(&["init", "--workflow", "chnage"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("did you mean `change`?"), "{unknown}");
    assert_eq!(env.repository.git(&["status", "--porcelain"]), "");
    let outside = tempfile::tempdir().unwrap();
    env.windlass(&["-C", &outside.path().to_string_lossy(), "init"]).assert_code(2);
}

#[test]
fn a_repository_without_a_commit_can_be_set_up_and_a_bare_one_cannot() {
    let env = test_env!();
    env.repository.git(&["init", "-q", "../new"]);
    env.repository.git(&["init", "-q", "--bare", "../bare"]);
    let folder = |name: &str| env.home().join(name).to_string_lossy().into_owned();
    fs_err::create_dir_all(env.home().join("new/part")).unwrap();
    env.windlass(&["-C", &folder("new/part"), "init"]).assert_code(0);
    assert!(env.home().join("new/.windlass/config.yaml").is_file());
    env.windlass(&["-C", &folder("new/part"), "workflow", "eject", "fix"]).assert_code(0);
    let checked = env.windlass(&["-C", &folder("new/part"), "check", "fix"]);
    assert!(checked.stdout.contains("new/.windlass/workflows/fix.yaml: ok"), "{checked}");
    env.windlass(&["-C", &folder("bare"), "init"]).assert_code(2);
}

#[test]
fn a_file_in_the_way_is_said() {
    let env = made();
    env.repository.write(".windlass", "a file\n");
    let finished = env.windlass(&["init"]);
    finished.assert_code(2);
    assert!(finished.stderr.contains(".windlass"), "{finished}");
}

#[test]
fn links_out_of_the_repository_are_not_followed() {
    let env = made();
    let elsewhere = env.file("elsewhere/package.json", r#"{"scripts": {"test": "x"}}"#);
    let folder = elsewhere.parent().unwrap();
    fs_err::os::unix::fs::symlink(folder, env.repository.root().join("web")).unwrap();
    fs_err::os::unix::fs::symlink(&elsewhere, env.repository.root().join("package.json")).unwrap();
    let finished = env.windlass(&["init", "--dry-run"]);
    assert!(!finished.stdout.contains("npm"), "{finished}");
}
