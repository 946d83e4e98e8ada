//! Agents: which role counts, what is wrong with one, and ones to change.

use std::collections::BTreeSet;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;
use windlass_core::role::Role;
use windlass_core::workflow::Workflow;
use windlass_testkit::{TestEnv, test_env};

use crate::support::{GATED, HONEST};

/// The ten of the `feature` workflow.
const OF_FEATURE: [&str; 10] = [
    "architect-planner",
    "ui-designer",
    "api-architect",
    "postgresql-architect",
    "spring-boot-developer",
    "angular-frontend-developer",
    "test-engineer",
    "security-auditor",
    "code-reviewer",
    "architect-reviewer",
];

fn role(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Of the test.\n---\n\n{body}\n")
}

fn listed(env: &TestEnv) -> Vec<Value> {
    let finished = env.windlass(&["agent", "list", "--json"]);
    finished.assert_code(0);
    finished.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The files that come with windlass, by name.
fn shipped(folder: &str, ending: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries =
        fs_err::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files = entries.filter(|path| path.extension().is_some_and(|e| e == ending));
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    files
        .map(|path| (stem(&path).expect("a name"), fs_err::read_to_string(path).expect("text")))
        .collect()
}

#[test]
fn every_shipped_role_can_be_read_and_says_what_to_hand_over_and_how_to_end() {
    let roles = shipped("agents", "md");
    let names: BTreeSet<&str> = roles.iter().map(|(name, _)| name.as_str()).collect();
    assert!(OF_FEATURE.iter().all(|name| names.contains(name)), "{names:?}");
    for (name, text) in &roles {
        let (role, warnings) = Role::parse_with_warnings(text.as_bytes(), name)
            .unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        assert_eq!(warnings, [], "{name}");
        assert_eq!(&role.name, name);
        assert!(!role.description.is_empty() && role.tools.is_some(), "{name}");
        // They inherit unless they name one.
        assert_eq!(role.model(), None, "{name}");
        let lines = role.body.lines().count();
        assert!((40..=120).contains(&lines), "{name} has {lines} lines");
        for part in ["\n## First\n", "Read these first", "\n## Hand over\n", "\n## Limits\n"] {
            assert!(role.body.contains(part), "{name}: {part}");
        }
        let (_, hand_over) = role.body.split_once("\n## Hand over\n").unwrap();
        assert!(hand_over.contains("windlass context set "), "{name} does not say how to publish");
        assert!(role.body.contains("Never commit, push, switch branches or approve"), "{name}");
        assert!(role.body.ends_with("\nEnd with `Done.` and nothing else."), "{name}");
    }
    let publishes = |name: &str, key: &str| {
        let (_, text) = roles.iter().find(|(known, _)| known == name).unwrap();
        assert!(text.contains(key), "{name} does not name `{key}`");
    };
    publishes("architect-planner", "technicalSpec.specFile");
    publishes("architect-planner", "technicalSpec.skip=");
    publishes("postgresql-architect", "migrations.databaseFile");
    publishes("spring-boot-developer", "backendImpl.specFile");
    publishes("angular-frontend-developer", "frontendImpl.specFile");
    publishes("test-engineer", "testResults.allPassed=");
    publishes("security-auditor", "securityAudit={");
    publishes("code-reviewer", "reviewFeedback={");
    publishes("architect-reviewer", "architectureReview={");
}

#[test]
fn every_agent_that_a_shipped_workflow_names_has_a_role() {
    let roles = shipped("agents", "md");
    let workflows = shipped("workflows", "yaml");
    assert!(workflows.len() >= 3);
    for (workflow, text) in workflows {
        let mut count = 0;
        for (_, rest) in
            text.match_indices("agent: ").map(|(at, found)| text.split_at(at + found.len()))
        {
            let name: String =
                rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            assert!(roles.iter().any(|(known, _)| *known == name), "{workflow}: {name}");
            count += 1;
        }
        assert!(count > 0, "{workflow} names nobody");
    }
}

/// `feature` is not a built-in workflow until a pull request can be a step: what is wrong with it today are
/// the words that belong to that, and nothing else.
#[test]
fn the_feature_workflow_waits_for_nothing_but_what_is_announced() {
    const ANNOUNCED: [&str; 5] =
        ["`builtin`", "`before`", "`pull_request`", "`types`", "`by_type`"];
    let workflows = shipped("workflows", "yaml");
    let (_, text) = workflows.iter().find(|(name, _)| name == "feature").unwrap();
    let found = Workflow::parse(text, "feature.yaml").err().unwrap_or_default();
    for finding in found {
        let announced = ANNOUNCED.iter().any(|word| finding.message.contains(word));
        assert!(announced, "{finding}");
    }
}

#[test]
fn the_published_objects_that_roles_show_are_objects_of_the_promised_shape() {
    for (name, text) in shipped("agents", "md") {
        for (_, rest) in
            text.match_indices("windlass context set '").map(|(at, m)| text.split_at(at + m.len()))
        {
            let (pair, _) = rest.split_once('\'').unwrap();
            let (key, value) = pair.split_once('=').unwrap();
            let value: Value = serde_json::from_str(value)
                .unwrap_or_else(|error| panic!("{name}: {key}: {error}"));
            assert!(value.is_object(), "{name}: {key}");
            let status = value["status"].as_str();
            assert!(matches!(status, None | Some("APPROVED" | "CHANGES_REQUESTED")), "{name}");
            for fix in value["fixes"].as_array().into_iter().flatten() {
                let kind = fix["type"].as_str().unwrap();
                assert!(["database", "backend", "frontend", "test"].contains(&kind), "{name}");
                assert!(fix["file"].is_string() && fix["issue"].is_string(), "{name}");
            }
        }
    }
}

#[test]
fn a_file_of_the_repository_counts_before_one_for_claude_code_and_that_before_a_built_in_one() {
    let env = test_env!();
    env.repository.write(".claude/agents/any-name.md", role("developer", "For Claude Code."));
    env.repository.write(".claude/agents/README.md", "About these files.\n");
    let of = |env: &TestEnv, name: &str| -> Vec<(Value, Value)> {
        let all = listed(env).into_iter().filter(|line| line["name"] == name);
        all.map(|line| (line["file"].clone(), line["hidden_by"].clone())).collect()
    };
    let claude: Value = ".claude/agents/any-name.md".into();
    assert_eq!(
        of(&env, "developer"),
        [(claude.clone(), Value::Null), (Value::Null, claude.clone())]
    );
    assert_eq!(of(&env, "planner"), [(Value::Null, Value::Null)]);

    env.repository.write(".windlass/agents/developer.md", role("developer", "Ours."));
    let ours: Value = ".windlass/agents/developer.md".into();
    assert_eq!(
        of(&env, "developer"),
        [(ours.clone(), Value::Null), (claude, ours.clone()), (Value::Null, ours)]
    );
    let shown = env.json(&["agent", "show", "developer", "--json"]);
    assert_eq!(shown["body"], "Ours.");
    let text = env.windlass(&["agent", "show", "developer"]);
    assert!(text.stdout.ends_with("Ours.\n"), "{text}");
    assert!(text.stderr.contains("from: .windlass/agents/developer.md"), "{text}");
}

#[test]
fn a_run_pins_the_roles_that_its_steps_name_and_says_whose_they_are() {
    let env = test_env!();
    env.repository.write(".windlass/agents/developer.md", role("developer", "Ours."));
    env.repository.write(".windlass/agents/unused.md", role("unused", "Not needed."));
    let finished = env.run(GATED, HONEST, &[]);
    finished.assert_code(3);
    let said = "roles of this repository: developer (.windlass/agents/developer.md)";
    assert!(finished.stderr.contains(said), "{finished}");
    let started = env.windlass(&["log", "--json"]).stdout;
    assert!(started.contains("\"Ours.\""), "the body is in the journal");
    assert!(!started.contains("Not needed."), "and nothing else is");
    // What is written later changes nothing.
    env.repository.write(".windlass/agents/developer.md", "broken");
    env.windlass(&["approve"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    env.assert_audit();
}

#[test]
fn a_broken_role_stops_a_workflow_that_names_it_and_is_a_warning_to_others() {
    let env = test_env!();
    env.repository.write(".windlass/agents/ours.md", "---\nname: developer\nname: x\n---\nHi\n");
    let file = env.workflow(GATED);
    let run = env.run(GATED, HONEST, &[]);
    run.assert_code(2);
    let check = env.windlass(&["check", &file]);
    check.assert_code(2);
    assert_snapshot!(env.normalise(&check.stderr));
    assert_eq!(check.stderr, run.stderr, "both say the same");
    assert!(env.windlass(&["status"]).stderr.contains("no run"), "nothing was started");

    let others = env.windlass(&["check", "docs"]);
    others.assert_code(0);
    assert!(others.stderr.contains("warning: .windlass/agents/ours.md:3:1"), "{others}");
    assert!(others.stderr.contains("no step of this workflow names it"), "{others}");
    let shown = env.windlass(&["agent", "show", "developer"]);
    shown.assert_code(2);
    assert!(shown.stdout.contains("name: x"), "{shown}");
    let list = env.windlass(&["agent", "list"]);
    list.assert_code(0);
    assert!(list.stdout.contains("cannot be used: .windlass/agents/ours.md:3:1"), "{list}");
}

#[test]
fn a_link_out_of_the_repository_is_refused_and_one_inside_is_followed() {
    let env = test_env!();
    let outside = env.file("outside.md", role("developer", "A secret of the machine."));
    env.repository.write("roles/planner.md", role("planner", "Ours."));
    env.repository.write(".windlass/agents/keep", "");
    let agents = env.repository.root().join(".windlass/agents");
    std::os::unix::fs::symlink(&outside, agents.join("developer.md")).unwrap();
    std::os::unix::fs::symlink("../../roles/planner.md", agents.join("planner.md")).unwrap();
    let finished = env.run(GATED, HONEST, &[]);
    finished.assert_code(2);
    let said = "`.windlass/agents/developer.md` leads out of the repository, so it is not read";
    assert!(finished.stderr.contains(said), "{finished}");
    assert!(!finished.stderr.contains("secret"), "{finished}");
    assert_eq!(env.json(&["agent", "show", "planner", "--json"])["body"], "Ours.");
    env.windlass(&["agent", "show", "developer"]).assert_code(2);
}

#[test]
fn an_agent_without_a_role_is_a_note_and_one_that_is_nearly_a_role_a_warning() {
    let env = test_env!();
    let workflow =
        GATED.replace("agent: planner", "agent: oracle").replace("developer", "develper");
    let finished = env.windlass(&["check", &env.workflow(&workflow)]);
    finished.assert_code(0);
    assert!(
        finished.stdout.contains("\nnote: no role file for `develper`, `oracle`: "),
        "{finished}"
    );
    assert!(!finished.stderr.contains("oracle"), "{finished}");
    assert!(
        finished.stderr.contains("warning: ")
            && finished.stderr.contains("did you mean `developer`?")
    );
    let json = env.json(&["check", &env.workflow(&workflow), "--json"]);
    assert_eq!(json["agents"][1], serde_json::json!({"name": "oracle", "role": null}));
    assert_eq!(json["warnings"].as_array().unwrap().len(), 1, "{json:#}");
    let run = env.run(&workflow, HONEST, &[]);
    run.assert_code(3);
    assert!(!run.stderr.contains("oracle` has no role"), "{run}");
    assert!(run.stderr.contains("did you mean `developer`?"), "{run}");
}

#[test]
fn built_in_roles_are_ejected_whole_or_not_at_all() {
    let env = test_env!();
    let developer = ".windlass/agents/developer.md";
    env.windlass(&["agent", "eject", "developer", "reviewer"]).assert_code(0);
    let text = env.repository.read(developer);
    assert!(shipped("agents", "md").contains(&("developer".to_owned(), text.clone())));
    let again = env.windlass(&["agent", "eject", "writer", "developer"]);
    again.assert_code(2);
    assert!(again.stderr.contains("is there already"), "{again}");
    assert!(!env.repository.root().join(".windlass/agents/writer.md").exists());
    let slip = env.windlass(&["agent", "eject", "develper"]);
    slip.assert_code(2);
    assert!(slip.stderr.contains("did you mean `developer`?"), "{slip}");
    env.windlass(&["agent", "eject"]).assert_code(2);

    env.repository.write(developer, role("developer", "Mine."));
    let all = env.windlass(&["agent", "eject", "--all"]);
    all.assert_code(0);
    assert!(all.stderr.contains("left alone: developer, reviewer"), "{all}");
    assert!(env.repository.read(developer).contains("Mine."));
    assert_eq!(all.stdout.lines().count(), shipped("agents", "md").len() - 2, "{all}");
    let unknown = env.windlass(&["agent", "show", "zzz"]);
    unknown.assert_code(2);
    assert!(unknown.stderr.contains("known roles: "), "{unknown}");
}

#[test]
fn the_list_shows_each_role_with_its_model_and_where_it_comes_from() {
    let env = test_env!();
    let text =
        "---\nname: judge\ndescription: Judges.\nmodel: opus\npermissionMode: plan\n---\nJudge.\n";
    env.repository.write(".claude/agents/judge.md", text);
    env.repository.write(".windlass/agents/writer.md", role("writer", "Ours."));
    let finished = env.windlass(&["agent", "list"]);
    finished.assert_code(0);
    // What is installed on this machine is another matter.
    let between = finished.stdout.find("\n\nrole ").expect("two tables");
    let (backends, roles) = finished.stdout.split_at(between + 2);
    assert_snapshot!(roles);
    for name in ["claude", "codex"] {
        assert!(backends.lines().any(|line| line.starts_with(name)), "{finished}");
    }
    let ejected = env.windlass(&["workflow", "eject", "docs"]);
    assert!(ejected.stderr.contains("windlass agent eject reviewer writer"), "{ejected}");
}
