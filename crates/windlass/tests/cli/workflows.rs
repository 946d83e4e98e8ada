//! Workflows by name: built-in ones, the user's, the repository's.

use insta::assert_snapshot;
use windlass_testkit::test_env;

use crate::support::GATED;

#[test]
fn the_list_says_where_each_is_from_which_is_hidden_and_which_is_broken() {
    let env = test_env!();
    env.repository.write(".windlass/workflows/change.yaml", GATED);
    env.repository.write(".windlass/workflows/broken.yaml", "workflow: broken\nstep: []\n");
    env.file(".config/windlass/workflows/mine.yml", GATED.replace("gated", "mine"));
    let finished = env.windlass(&["workflow", "list"]);
    finished.assert_code(0);
    assert_snapshot!(env.normalise(&finished.stdout));
    let json = env.windlass(&["workflow", "list", "--json"]);
    let lines: Vec<serde_json::Value> =
        json.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 10);
    let hidden = lines.iter().find(|line| !line["shadowed_by"].is_null()).unwrap();
    assert_eq!((&hidden["name"], &hidden["from"]), (&"change".into(), &"built-in".into()));
    assert_eq!(lines[0]["ok"], false, "{}", lines[0]);
}

#[test]
fn a_built_in_workflow_is_found_by_its_name_everywhere_and_ejected_once() {
    let env = test_env!();
    // A folder of that name is no workflow.
    env.repository.write("docs/a.md", "text\n");
    for command in [&["check", "docs"][..], &["graph", "change"], &["workflow", "show", "fix"]] {
        let finished = env.windlass(command);
        finished.assert_code(0);
        assert_eq!(finished.stderr, "", "{finished}");
    }
    let shown = env.json(&["workflow", "show", "change", "--json"]);
    assert_eq!(shown["steps"][0]["id"], "plan");
    assert_eq!(shown["inputs"][0]["name"], "test");

    env.windlass(&["workflow", "eject", "change"]).assert_code(0);
    let text = env.repository.read(".windlass/workflows/change.yaml");
    // A schema is not written unasked; where there is one, editors are told.
    assert!(!env.repository.root().join(".windlass/workflow.schema.json").exists());
    assert!(!text.contains("yaml-language-server"), "{text}");
    env.repository.write(".windlass/workflow.schema.json", "{}\n");
    env.windlass(&["workflow", "eject", "fix"]).assert_code(0);
    let fix = env.repository.read(".windlass/workflows/fix.yaml");
    assert!(fix.starts_with("# yaml-language-server: $schema="), "{fix}");
    let checked = env.windlass(&["check", "change"]);
    assert!(checked.stdout.contains(".windlass/workflows/change.yaml: ok"), "{checked}");
    let again = env.windlass(&["workflow", "eject", "change"]);
    again.assert_code(2);
    assert!(again.stderr.contains("is there already"), "{again}");
    assert_eq!(env.repository.read(".windlass/workflows/change.yaml"), text);
}

#[test]
fn unknown_names_get_the_nearest_one() {
    let env = test_env!();
    for command in [
        &["workflow", "show", "chnage"][..],
        &["workflow", "eject", "chnage"],
        &["check", "chnage"],
    ] {
        let finished = env.windlass(command);
        finished.assert_code(2);
        assert!(finished.stderr.contains("did you mean `change`?"), "{finished}");
    }
    let far = env.windlass(&["check", "zzz"]);
    assert_snapshot!(env.normalise(&far.stderr));
}

#[test]
fn a_built_in_workflow_asks_for_its_test_command_and_runs_with_it() {
    let env = test_env!();
    let missing = env.windlass(&["run", "x", "--workflow", "change", "--agent-command", "true"]);
    missing.assert_code(2);
    assert!(missing.stderr.contains("--input test="), "{missing}");
    let agent = env.agent(
        r#"
bug=.windlass/run/specs/bug.md
case $WINDLASS_STEP in
  reproduce) mkdir -p tests; echo 'grep -qx right answer.txt' > tests/answer.sh; echo wrong > $bug ;;
  fix) echo right > answer.txt ;;
  regression) echo fine > .windlass/run/specs/regression.md; windlass context set regression.status=APPROVED ;;
esac
"#,
    );
    let test = "test=! test -e tests/answer.sh || sh tests/answer.sh";
    env.windlass(&[
        "run",
        "It is wrong",
        "--workflow",
        "fix",
        "--input",
        test,
        "--agent-command",
        &agent,
        "--yes",
    ])
    .assert_code(0);
    assert_eq!(env.status(), "completed");
}

#[test]
fn every_command_has_help_with_an_example() {
    let env = test_env!();
    let mut all = String::new();
    for command in [
        &["init"][..],
        &["import"],
        &["workflow"],
        &["workflow", "list"],
        &["workflow", "show"],
        &["workflow", "eject"],
    ] {
        let arguments: Vec<&str> = command.iter().chain(&["--help"]).copied().collect();
        let finished = env.windlass(&arguments);
        finished.assert_code(0);
        assert!(finished.stdout.contains("Example: windlass"), "{finished}");
        // Options that all commands have are not this test's business.
        all.push_str(finished.stdout.split("Options:").next().unwrap_or_default());
        all.push_str("---\n");
    }
    assert_snapshot!(all);
}
