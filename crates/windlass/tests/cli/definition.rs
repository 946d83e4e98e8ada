//! Tools around a workflow file: `schema` and `simulate`.

use insta::assert_snapshot;
use serde_json::Value;
use windlass_testkit::{TestEnv, test_env};

const REVIEWED: &str = r#"
workflow: reviewed
protect: ["judge/**"]
steps:
  - id: plan
    agent: planner
    publishes: {plan: object}
    done: {file: plan.md}
    gate: approval
  - id: build
    agent: developer
    skip: allowed
    retries: 2
    exhausted: waive
    done: {run: make}
  - id: review
    agent: reviewer
    retries: 1
    done: {verdict: .context.review.status, accept: [APPROVED]}
    on:
      CHANGES:
        rollback: {files: ".context.review.files[]", by_path: {"docs/**": plan}, otherwise: build}
        max: 1
"#;

fn simulated(env: &TestEnv, workflow: &str, code: i32) -> String {
    let path = env.workflow(workflow);
    let finished = env.windlass(&["simulate", &path]);
    finished.assert_code(code);
    assert_eq!(finished.stderr, "");
    env.normalise(&finished.stdout)
}

#[test]
fn every_way_is_walked_and_told() {
    let env = test_env!();
    assert_snapshot!(simulated(&env, REVIEWED, 0));
    let path = env.workflow(REVIEWED);
    let json = env.json(&["simulate", &path, "--json"]);
    assert_eq!(json["ok"], true);
    assert_eq!(json["missed"], serde_json::json!([]));
    assert!(json["covered"].as_array().unwrap().iter().all(|c| c["reached"] == c["total"]));
    // What `check` promises is printed beside what was walked.
    let check = env.json(&["check", &path, "--json"]);
    assert_eq!(json["worst_case_attempts"], check["worst_case_attempts"]);
    let said = env.windlass(&["check", &path]);
    assert!(said.stdout.contains("windlass simulate"), "{said}");
}

#[test]
fn a_route_and_a_step_that_nothing_leads_to_are_named() {
    let env = test_env!();
    let shadowed = REVIEWED.replace("{\"docs/**\": plan}", "{\"**\": plan, \"docs/**\": build}");
    assert_snapshot!(simulated(&env, &format!("{shadowed}limits: {{attempts: 4}}\n"), 2));
    let path = env.workflow(&format!("{REVIEWED}limits: {{attempts: 1}}\n"));
    let spent = env.json(&["simulate", &path, "--json"]);
    assert_eq!(spent["ok"], false);
    let missed = spent["missed"].as_array().unwrap();
    let never = |step: &str| {
        missed.iter().any(|one| one["target"]["target"] == "step" && one["target"]["step"] == step)
    };
    assert!(never("build") && never("review") && !never("plan"), "{spent:#}");
}

#[test]
fn inputs_are_asked_for_and_filled_in() {
    let env = test_env!();
    let asking = format!("{REVIEWED}inputs: {{part: {{type: string}}}}\n");
    let path = env.workflow(&asking.replace("docs/**", "{inputs.part}/**"));
    let missing = env.windlass(&["simulate", &path]);
    missing.assert_code(2);
    assert!(missing.stderr.contains("--input part="), "{missing}");
    env.windlass(&["simulate", &path, "--input", "part"]).assert_code(2);
    env.windlass(&["simulate", &path, "--input", "part=manual"]).assert_code(0);
    let json = env.json(&["simulate", &path, "--input", "part=manual", "--json"]);
    assert!(json["paths"].to_string().contains("manual/**"), "{json:#}");
}

#[test]
fn a_file_that_is_missing_or_broken_is_refused() {
    let env = test_env!();
    let missing = env.windlass(&["simulate", "nowhere.yaml"]);
    missing.assert_code(2);
    assert_snapshot!(missing.stderr.trim_end());
    let path = env.workflow(&REVIEWED.replace("rollback:", "rolback:"));
    let broken = env.windlass(&["simulate", &path]);
    broken.assert_code(2);
    assert_snapshot!(env.normalise(&broken.stderr));
}

#[test]
fn the_schema_is_printed_for_editors_and_for_people() {
    let env = test_env!();
    let printed = env.windlass(&["schema"]);
    printed.assert_code(0);
    let schema: Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(printed.stdout, env.windlass(&["schema", "--json"]).stdout);
    let modeline = env.windlass(&["schema", "--modeline"]);
    assert_snapshot!(modeline.stdout.trim_end(), @"# yaml-language-server: $schema=../workflow.schema.json");
    let elsewhere = env.windlass(&["schema", "--modeline", "w.json"]);
    assert_snapshot!(elsewhere.stdout.trim_end(), @"# yaml-language-server: $schema=w.json");
    // A file with the line in it is a workflow all the same.
    let path = env.workflow(&format!("{}{REVIEWED}", modeline.stdout));
    env.windlass(&["check", &path]).assert_code(0);
    env.windlass(&["schema", "--markdown", "--modeline"]).assert_code(2);
}

#[test]
fn a_check_names_every_protected_file_and_one_file_once() {
    let env = test_env!();
    let names: Vec<String> = (0..30).map(|n| format!("judge{n}.txt")).collect();
    let keyed =
        ["scripts", "jest", "type"].map(|key| format!("{{file: package.json, keys: [{key}]}}"));
    let all = names.iter().chain(&keyed).cloned().collect::<Vec<_>>().join(", ");
    let steps = "steps:\n  - {id: a, agent: coder, task: Work., done: {run: 'true'}}\n";
    env.repository.write(
        ".windlass/workflows/long.yaml",
        format!("workflow: long\nprotect: [{all}]\n{steps}"),
    );
    let said = env.windlass(&["check", "long"]).assert_code(0).stdout.clone();
    assert!(names.iter().all(|name| said.contains(&format!("`{name}`"))), "{said}");
    assert_eq!(said.matches("package.json").count(), 1, "{said}");
    assert!(said.contains("`package.json (scripts, jest, type)`"), "{said}");
}

#[test]
fn a_check_without_a_name_takes_the_one_that_is_set_or_lists_them() {
    let env = test_env!();
    let listed = env.windlass(&["check"]);
    listed.assert_code(2);
    assert!(
        listed.stderr.contains("known workflows: ") && listed.stderr.contains("change"),
        "{listed}"
    );
    env.repository.write(".windlass/config.yaml", "workflow: fix\n");
    let said = env.windlass(&["check"]);
    assert!(said.assert_code(0).stdout.starts_with("fix (built-in): ok"), "{said}");
    assert!(said.stdout.contains("windlass simulate fix"), "{said}");
}
