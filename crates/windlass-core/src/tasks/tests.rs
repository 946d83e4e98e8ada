//! TASKS.md as people write it.

use serde_json::json;

use super::TaskList;

const LIST: &str = "\
# Tasks: Login

## Phase 1: Setup
- [x] T001 [P] Create the schema in db/schema.sql
- [ ] T002 [P] [US1] Add `src/form.ts`
  DoD:
  - the form shows errors
    in red
  - tests pass

## Phase 2: Work
- [ ] T003 [US2] Wire src/app.ts and src/form.ts
- [ ] T004 [P] Document README.md (depends: T001)
- [ ] T005 Ship
";

fn parsed(text: &str) -> TaskList {
    TaskList::parse(text, "TASKS.md").unwrap()
}

fn mistakes(text: &str) -> Vec<String> {
    let mistakes = TaskList::parse(text, "TASKS.md").unwrap_err();
    mistakes.iter().map(ToString::to_string).collect()
}

fn view(text: &str) -> serde_json::Value {
    serde_json::to_value(parsed(text).view()).unwrap()
}

#[test]
fn the_json_is_the_one_that_programs_know() {
    let expected = json!({
        "tasks": [
            {"id": "T001", "phase": 1, "parallel": true, "userStory": null, "filePath": "db/schema.sql", "dependsOn": [], "done": true},
            {"id": "T002", "phase": 1, "parallel": true, "userStory": "US1", "filePath": "src/form.ts", "dependsOn": [], "done": false},
            {"id": "T003", "phase": 2, "parallel": false, "userStory": "US2", "filePath": "src/app.ts", "dependsOn": [], "done": false},
            {"id": "T004", "phase": 2, "parallel": true, "userStory": null, "filePath": "README.md", "dependsOn": ["T001"], "done": false},
            {"id": "T005", "phase": 2, "parallel": false, "userStory": null, "filePath": null, "dependsOn": [], "done": false},
        ],
        "parallelGroups": [["T001", "T002"], ["T003", "T004"], ["T005"]],
        "stats": {"total": 5, "completed": 1, "pending": 4},
    });
    assert_eq!(view(LIST), expected);
    let crlf = format!("\u{feff}{}", LIST.replace('\n', "\r\n"));
    assert_eq!(view(&crlf), expected, "line ends and a byte order mark change nothing");
    assert_eq!(view(&LIST.replace("- [", "-\t[")), expected, "a tab behind the mark");
}

#[test]
fn title_body_and_definition_of_done_are_apart() {
    let list = parsed(LIST);
    assert_eq!(list.tasks[1].title, "Add `src/form.ts`");
    assert_eq!(list.tasks[1].done_when, ["the form shows errors in red", "tests pass"]);
    assert!(list.tasks[1].body.starts_with("DoD:\n- the form"), "{}", list.tasks[1].body);
    assert_eq!(list.tasks[3].title, "Document README.md");
    let one = parsed("- [ ] T1 a\n  - **DoD**: it works\n  - note\n");
    assert_eq!(one.tasks[0].done_when, ["it works", "note"]);
}

#[test]
fn next_is_what_waits_for_nothing_open() {
    let names =
        |text: &str| parsed(text).next().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(LIST), ["T002", "T004"]);
    let second = LIST.replace("[ ] T002", "[x] T002");
    assert_eq!(names(&second), ["T003", "T004"], "T005 waits for T004, the task above");
    assert_eq!(names(&second.replace("[ ] T004", "[x] T004")), ["T003", "T005"]);
    assert!(names(&LIST.replace("[ ]", "[x]")).is_empty());
}

#[test]
fn a_task_waits_for_the_phase_before_it_in_the_file() {
    let text = "## Phase 2: b\n- [ ] T1 a\n- [ ] T2 [P] a\n## Notes\n- [ ] T3 a\n## Phase 2.1: c\n- [ ] T4 [P] a\n";
    let groups = view(text)["parallelGroups"].clone();
    assert_eq!(groups, json!([["T1", "T2"], ["T3"], ["T4"]]));
    assert_eq!(view(text)["tasks"][3]["phase"], "2.1");
    assert_eq!(view(text)["tasks"][2]["phase"], json!(null));
}

#[test]
fn lists_without_ids_have_ids_from_their_words() {
    let text = "- [ ] fix tests\n- [ ] fix tests\n- [x] [P] other\n";
    let ids: Vec<String> = parsed(text).tasks.iter().map(|task| task.id.to_string()).collect();
    assert_eq!(ids, ["fix-tests", "fix-tests-2", "p-other"]);
    assert_eq!(parsed(text).tasks[2].title, "[P] other");
}

#[test]
fn code_and_comments_hold_no_tasks() {
    let text =
        "```\n- [ ] T1 code\n```\n<!--\n- [ ] T2 comment\n## Phase 1: x\n-->\n- [ ] T3 real\n";
    let list = parsed(text);
    assert_eq!(list.tasks.len(), 1);
    assert_eq!((list.tasks[0].id.as_str(), list.tasks[0].phase), ("T3", None));
}

#[test]
fn mistakes_have_their_line() {
    for (text, expected) in [
        ("- [ ] T1 a\n- [ ] T1 b\n", "TASKS.md:2:1: the id `T1` stands there a second time"),
        ("- [ ] T1 a (depends: T9)\n", "TASKS.md:1:1: there is no task `T9` to wait for"),
        ("\n- [ ] T1 a (depends: )\n", "TASKS.md:2:1: `(depends:)` names no task"),
        ("- [ ] T1 a (depends: T2\n- [ ] T2 b\n", "TASKS.md:1:1: `(depends: …` has no end"),
        ("- [ ] T1 a (depends: ../x)\n", "TASKS.md:1:1: `../x` is no id of a task"),
        (
            "- [ ] T1 edit ../other/a.ts\n",
            "TASKS.md:1:1: `../other/a.ts` leads out of the repository",
        ),
        ("### Phase 1: a\n- [ ] T1 a\n", "TASKS.md:1:1: the heading of phase 1 has level 3"),
        ("## Phase 1: a\n## Phase 1: b\n", "TASKS.md:2:1: phase 1 begins a second time"),
    ] {
        assert_eq!(mistakes(text)[0], expected, "{text:?}");
    }
}

#[test]
fn a_circle_is_a_path() {
    let direct = "- [ ] T1 a (depends: T3)\n- [ ] T2 b (depends: T1)\n- [ ] T3 c (depends: T2)\n";
    assert_eq!(mistakes(direct), ["TASKS.md:1:1: tasks wait for each other: T1 → T3 → T2 → T1"]);
    assert_eq!(
        mistakes("x\n\n- [ ] T1 a (depends: T1)\n"),
        ["TASKS.md:3:1: tasks wait for each other: T1 → T1"]
    );
    let phases = "## Phase 1: a\n- [ ] T1 a (depends: T2)\n## Phase 2: b\n- [ ] T2 b\n";
    assert_eq!(mistakes(phases), ["TASKS.md:2:1: tasks wait for each other: T1 → T2 → T1"]);
}

#[test]
fn tasks_that_may_run_together_collide_over_a_file() {
    let text = "- [ ] T001 [P] Edit src/user.ts\n- [ ] T002 [P] Test src/user.ts\n\
                - [ ] T003 [P] Edit src/a.ts\n- [ ] T004 [P] Edit src/b.ts\n";
    let expected = json!({
        "hasConflicts": true,
        "conflicts": [{"file": "src/user.ts", "tasks": ["T001", "T002"]}],
        "safeGroups": [{"tasks": ["T003", "T004"]}],
    });
    assert_eq!(serde_json::to_value(parsed(text).conflicts()).unwrap(), expected);
    let after = text.replace("Test src/user.ts", "Test src/user.ts (depends: T001)");
    let after = serde_json::to_value(parsed(&after).conflicts()).unwrap();
    assert_eq!(after["hasConflicts"], false, "one waits for the other");
    let far = "- [ ] T1 [P] a.ts\n- [ ] T2 [P] x\n- [ ] T3 a.ts (depends: T2)\n- [x] T4 [P] a.ts\n";
    let far = parsed(far).conflicts();
    assert_eq!(
        far.conflicts.len(),
        1,
        "T3 is in a later group, and nothing keeps it from T1: {far:?}"
    );
    assert_eq!(far.conflicts[0].tasks.len(), 2, "what is done collides with nothing");
}

#[test]
fn a_file_that_every_task_names_is_looked_at_in_linear_time() {
    let chain: String = (0..20_000).map(|n| format!("- [ ] T{n} edit README.md\n")).collect();
    assert!(!parsed(&chain).conflicts().has_conflicts);
    let beside: String = (0..20_000).map(|n| format!("- [ ] T{n} [P] edit README.md\n")).collect();
    assert_eq!(parsed(&beside).conflicts().conflicts[0].tasks.len(), 20_000);
}

#[test]
fn tasks_of_other_programs_are_read_in_the_same_shape() {
    let text = r#"{"tasks": [
        {"id": "T001", "filePath": "src/user.ts"}, {"id": "T002", "filePath": "src/user.ts", "phase": 1},
        {"id": "T003", "filePath": "src/a.ts"}, {"id": "T004", "filePath": null, "extra": 1}
    ]}"#;
    let list = TaskList::of_tasks(super::listed_json(text).unwrap(), "standard input").unwrap();
    let conflicts = serde_json::to_value(list.conflicts()).unwrap();
    assert_eq!(conflicts["conflicts"], json!([{"file": "src/user.ts", "tasks": ["T001", "T002"]}]));
    assert_eq!(conflicts["safeGroups"], json!([{"tasks": ["T003", "T004"]}]));
    let own = serde_json::to_string(&parsed(LIST).view()).unwrap();
    assert_eq!(super::listed_json(&own).unwrap().len(), 5);
    for (text, expected) in [
        ("{", "line 1: this is not JSON"),
        ("{}", "there is no list `tasks`"),
        (r#"{"tasks": [1]}"#, "task 1: it is no object"),
        (r#"{"tasks": [{"id": "T1"}, {}]}"#, "task 2: it has no `id`"),
        (r#"{"tasks": [{"id": "../x"}]}"#, "task 1: its `id` is no id of a task"),
        (r#"{"tasks": [{"id": "T1", "filePath": 3}]}"#, "task 1: `filePath` is no text"),
    ] {
        assert_eq!(super::listed_json(text).unwrap_err().to_string(), expected);
    }
}
