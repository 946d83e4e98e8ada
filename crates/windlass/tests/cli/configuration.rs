//! What is set in files, and what comes first.

use insta::assert_snapshot;
use windlass_testkit::test_env;

use crate::support::{GATED, HONEST};

#[test]
fn a_run_takes_its_workflow_and_agent_from_the_repository_and_says_so() {
    let env = test_env!();
    // Words of the repository open no file of the user's, so its agent lies where attempts reach it.
    let agent = format!("sh {}", env.shared("agent.sh", HONEST).display());
    env.repository.write(".windlass/workflows/gated.yaml", GATED);
    env.repository.write(
        ".windlass/config.yaml",
        format!("workflow: gated\nagent_command: {agent}\nnotify: off\n"),
    );
    let finished = env.windlass(&["run", "Do it", "--yes"]);
    finished.assert_code(0);
    let said = env.normalise(&finished.stderr);
    assert!(said.contains("workflow `gated` (`workflow` in .windlass/config.yaml)"), "{said}");
    assert!(said.contains("(`agent_command` in .windlass/config.yaml)"), "{said}");
}

#[test]
fn a_flag_comes_before_the_repository_and_that_before_the_user() {
    let env = test_env!();
    let agent = env.agent(HONEST);
    let workflow = env.workflow(GATED);
    env.file(".config/windlass/config.yaml", "workflow: nowhere\nagent_command: 'false'\n");
    env.repository.write(".windlass/config.yaml", "agent_command: exit 3\n");
    let missing = env.windlass(&["run", "Do it"]);
    missing.assert_code(2);
    assert!(missing.stderr.contains("there is no workflow `nowhere`"), "{missing}");
    assert!(missing.stderr.contains("home/.config/windlass/config.yaml"), "{missing}");
    let flags = ["run", "Do it", "--yes", "--workflow", &workflow, "--agent-command", &agent];
    let finished = env.windlass(&flags);
    finished.assert_code(0);
    assert!(!finished.stderr.contains("agent_command"), "a flag needs no words: {finished}");
}

#[test]
fn a_broken_configuration_stops_before_anything_is_started() {
    let env = test_env!();
    env.repository.write(".windlass/config.yaml", "workfow: change\nagent_command: 7\n");
    let finished = env.run(GATED, HONEST, &[]);
    finished.assert_code(2);
    assert_snapshot!(env.normalise(&finished.stderr));
    assert_eq!(env.windlass(&["status", "--all", "--json"]).stdout.matches("\"id\"").count(), 0);
    env.repository.write(".windlass/config.yaml", b"\xff\xfe");
    env.run(GATED, HONEST, &[]).assert_code(2);
    env.repository.write(".windlass/config.yaml", "x".repeat(2 << 20));
    env.run(GATED, HONEST, &[]).assert_code(2);
}

#[test]
fn without_a_workflow_anywhere_it_is_said_how_to_get_one() {
    let env = test_env!();
    let finished = env.windlass(&["run", "Do it", "--agent-command", "true"]);
    finished.assert_code(2);
    assert_snapshot!(env.normalise(&finished.stderr));
}

#[test]
fn the_configuration_in_the_documentation_is_one() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    let text = fs_err::read_to_string(page).unwrap();
    let blocks = text.split("```yaml\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let parse = |(example, _): (&str, &str)| {
        let zone = |zone: &str| zone == "Europe/Berlin";
        windlass_core::config::Config::parse(example.as_bytes(), "example", &zone)
            .unwrap_or_else(|found| panic!("{example}\n{found:?}"))
    };
    let configs: Vec<_> = blocks.map(parse).collect();
    let [first, confined, publishing, times, rules] = configs.as_slice() else {
        panic!("{configs:?}")
    };
    assert!(first.workflow.is_some() && first.agent.is_some() && first.notify.is_some());
    let confined = &confined.confinement;
    assert!(confined.sandbox.is_some() && confined.copy_limit.is_some());
    assert!(confined.disk_limit.is_some());
    assert_eq!((confined.expose.len(), confined.registries.len()), (2, 2));
    let publishing = &publishing.confinement.publishing;
    assert_eq!((publishing.publishes.len(), publishing.may_publish.len()), (2, 1));
    assert!(times.quiet_hours.len() == 2 && times.day_budget_usd == Some(20.0));
    assert_eq!(rules.failures.len(), 4);
}
