//! `windlass tasks`: TASKS.md and stories for people and programs.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::json;
use windlass_testkit::{TestEnv, test_env};

const LIST: &str = "\
## Phase 1: Setup
- [x] T001 [P] Create the schema in db/schema.sql
- [ ] T002 [P] [US1] Add src/form.ts
  DoD:
  - the form shows errors
## Phase 2: Work
- [ ] T003 Wire src/app.ts
- [ ] T004 [P] Document README.md (depends: T001)
";

fn listed() -> TestEnv {
    let env = test_env!();
    env.repository.write("TASKS.md", LIST);
    env
}

#[test]
fn a_list_is_shown_to_people_and_to_programs() {
    let env = listed();
    let parsed = env.json(&["tasks", "parse", "--json"]);
    assert_eq!(
        parsed["tasks"][1],
        json!({"id": "T002", "phase": 1, "parallel": true, "userStory": "US1", "filePath": "src/form.ts", "dependsOn": [], "done": false})
    );
    assert_eq!(parsed["parallelGroups"], json!([["T001", "T002"], ["T003", "T004"]]));
    assert_eq!(parsed["stats"], json!({"total": 4, "completed": 1, "pending": 3}));
    assert_eq!(env.json(&["tasks", "groups", "TASKS.md", "--json"]), parsed);
    assert_eq!(env.json(&["tasks", "next", "--json"]), json!({"next": ["T002", "T004"]}));
    let shown = [&["tasks", "parse"][..], &["tasks", "groups"], &["tasks", "next"]]
        .map(|words| env.windlass(words).stdout)
        .join("--\n");
    insta::assert_snapshot!("tasks", shown);
}

#[test]
fn conflicts_are_read_from_a_file_and_from_standard_input() {
    let env = test_env!();
    let list = "- [ ] T001 [P] src/user.ts\n- [ ] T002 [P] src/user.ts\n- [ ] T003 [P] a.ts\n- [ ] T004 [P] b.ts\n";
    env.repository.write("list.md", list);
    let expected = json!({
        "hasConflicts": true,
        "conflicts": [{"file": "src/user.ts", "tasks": ["T001", "T002"]}],
        "safeGroups": [{"tasks": ["T003", "T004"]}],
    });
    assert_eq!(env.json(&["tasks", "conflicts", "list.md", "--json"]), expected);
    let given = r#"{"tasks": [{"id": "T001", "filePath": "src/user.ts"}, {"id": "T002", "filePath": "src/user.ts"},
        {"id": "T003", "filePath": "a.ts"}, {"id": "T004", "filePath": "b.ts"}]}"#;
    for words in [&["tasks", "conflicts", "--json"][..], &["tasks", "conflicts", "-", "--json"]] {
        let mut command = env.windlass_command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(given.as_bytes()).unwrap();
        let answered = child.wait_with_output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&answered.stdout).unwrap();
        assert_eq!(answer, expected);
    }
    let told = env.windlass(&["tasks", "conflicts", "list.md"]).stdout;
    assert_eq!(told, "src/user.ts: T001, T002\nsafe together: T003, T004\n");
}

#[test]
fn stories_are_tasks_too() {
    let env = test_env!();
    let stories = "stories:\n- {id: S1, title: A, size: S, criteria: [GET /a answers 200], files: [src/a.ts]}\n\
                   - {id: S2, title: B, size: S, criteria: [GET /b answers 200], depends_on: [S1]}\n";
    env.repository.write("stories.yaml", stories);
    let parsed = env.json(&["tasks", "groups", "stories.yaml", "--json"]);
    assert_eq!(parsed["parallelGroups"], json!([["S1"], ["S2"]]));
    assert_eq!(parsed["tasks"][0]["filePath"], "src/a.ts");
}

#[test]
fn mistakes_are_told_with_file_and_line() {
    let env = test_env!();
    let circle = "- [ ] T1 a (depends: T2)\n- [ ] T2 b (depends: T1)\n- [ ] T3 c\n";
    env.repository.write("TASKS.md", circle);
    let refused = env.windlass(&["tasks", "groups"]);
    refused.assert_code(2);
    assert!(
        refused.stderr.contains("TASKS.md:1:1: tasks wait for each other: T1 → T2 → T1"),
        "{refused}"
    );
    env.repository.write("TASKS.md", b"- [ ] T1 a\n\xff\n");
    let refused = env.windlass(&["tasks", "parse"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("TASKS.md:2: byte 11 of the file is not UTF-8"), "{refused}");
    let missing = env.windlass(&["tasks", "parse", "no.md"]);
    missing.assert_code(2);
    assert!(missing.stderr.contains("there is no such file"), "{missing}");
    fs_err::remove_file(env.repository.root().join("TASKS.md")).unwrap();
    let nowhere = env.windlass(&["tasks", "next"]);
    nowhere.assert_code(2);
    assert!(nowhere.stderr.contains("there is no TASKS.md here"), "{nowhere}");
    for requirement in ["REQ-1", "REQ-2"] {
        env.repository
            .write(&format!("devflow/requirements/{requirement}/TASKS.md"), "- [ ] T1 a\n");
        let answered = env.windlass(&["tasks", "next"]);
        answered.assert_code(if requirement == "REQ-1" { 0 } else { 2 });
    }
}

#[test]
fn a_list_of_ten_thousand_tasks_is_read() {
    let env = test_env!();
    let list: String = (0..10_000)
        .map(|n| format!("- [ ] T{n} [P] Task (depends: T{})\n", (n + 1).min(9_999)))
        .collect();
    env.repository
        .write("TASKS.md", list.replace("T9999 [P] Task (depends: T9999)", "T9999 [P] Task"));
    assert_eq!(env.json(&["tasks", "next", "--json"]), json!({"next": ["T9999"]}));
}
