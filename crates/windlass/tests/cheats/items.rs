//! Items that agents name, and task lists that they write.

use windlass_testkit::{TestEnv, test_env};

/// One step finds the items, another does them.
const ITEMS: &str = r#"
workflow: items
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
steps:
  - id: find
    agent: planner
    task: Find the items.
    publishes: {items: array}
    done: {file: "{specs}/found.md"}
  - id: work
    foreach: items
    max: 4
    steps:
      - id: code
        agent: developer
        task: "Do {item.title}"
        done:
          all:
            - {file: "out/{item.id}.txt"}
            - {run: 'echo "$TITLE"; eval "test -s out/$ITEM.txt"', env: {TITLE: .item.title, ITEM: .item.id}}
"#;

fn items(env: &TestEnv) -> Vec<(String, String)> {
    let listed = env.json(&["item", "list", "--json"]);
    let text = |item: &serde_json::Value, key: &str| item[key].as_str().expect("a text").to_owned();
    let listed = listed.as_array().expect("a list").iter();
    listed.map(|item| (text(item, "id"), text(item, "status"))).collect()
}

#[test]
fn an_item_is_not_called_what_leads_elsewhere() {
    let env = test_env!();
    let agent = r#"
case $WINDLASS_STEP in
  find)
    for id in ../../up a/b .. -x 'a b' '*' '{specs}' "$(printf 'a\033[2Jb')" "$(head -c 65 /dev/zero | tr '\0' x)"; do
      windlass item add --id="$id" Title && echo "took $id"
    done
    windlass item add "$(printf 'two\nlines')" && echo took
    windlass item add "$(printf 'bell\007')" && echo took
    windlass item add "$(head -c 201 /dev/zero | tr '\0' x)" && echo took
    windlass item add --id sly '$(touch pwned); `touch pwned`; {context.secret} {goal} {item.id} ; touch pwned'
    echo x > .windlass/run/specs/found.md ;;
  work/*) mkdir -p out; echo "$WINDLASS_ITEM_TITLE" > "out/$WINDLASS_ITEM_ID.txt" ;;
esac"#;
    env.run(ITEMS, agent, &["--yes"]).assert_code(0);
    let printed = env.windlass(&["log", "--attempt", "find#1"]).stdout;
    assert!(!printed.contains("took"), "{printed}");
    assert_eq!(items(&env), [("sly".to_owned(), "done".to_owned())]);
    assert!(!env.place().join("pwned").exists());
    let written = fs_err::read_to_string(env.place().join("out/sly.txt")).unwrap();
    assert!(written.starts_with("$(touch pwned)") && written.contains("{context.secret} {goal}"));
    for command in ["status", "item list", "report", "log"] {
        let words: Vec<&str> = command.split(' ').collect();
        env.windlass(&words).assert_code(0);
    }
    env.assert_audit();
}

#[test]
fn one_item_does_not_do_the_work_of_another() {
    let env = test_env!();
    let agent = r#"
case $WINDLASS_STEP in
  find) windlass item add --id a A; windlass item add --id b B; echo x > .windlass/run/specs/found.md ;;
  work/a/*) mkdir -p out; echo a | tee out/b.txt > out/a.txt ;;
esac"#;
    env.run(ITEMS, agent, &["--yes"]).assert_code(4);
    assert_eq!(env.step("work/a/code"), "done");
    assert_eq!(env.log_json().count_of_step("step_proven", "work/b/code"), 0);
}

#[test]
fn a_token_of_an_attempt_that_is_over_adds_nothing() {
    let env = test_env!();
    let agent = r#"
case $WINDLASS_STEP in
  find)
    windlass item add --id a A
    echo "$WINDLASS_TOKEN $WINDLASS_ATTEMPT" > out.token
    echo x > .windlass/run/specs/found.md ;;
  work/a/*)
    read token attempt < out.token
    WINDLASS_TOKEN=$token WINDLASS_ATTEMPT=$attempt windlass item add --id more More && echo took
    WINDLASS_ATTEMPT=$attempt windlass item add --id more More && echo took
    WINDLASS_ATTEMPT=find#1 WINDLASS_STEP=find windlass item update a --skip 'done already' && echo took
    mkdir -p out; echo a > out/a.txt ;;
esac"#;
    env.run(ITEMS, agent, &["--yes"]).assert_code(0);
    assert_eq!(items(&env), [("a".to_owned(), "done".to_owned())]);
    let printed = env.windlass(&["log", "--attempt", "work/a/code#1"]).stdout;
    assert!(!printed.contains("took"), "{printed}");
}

#[test]
fn a_task_list_that_is_no_plain_text_stops_the_run_and_blocks_nobody() {
    let tasks = r#"
workflow: tasks
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
steps:
  - {id: find, agent: planner, task: x, done: {file: found.txt}}
  - id: work
    foreach: items
    tasks: TASKS.md
    steps: [{id: code, agent: developer, done: {diff: any}}]
"#;
    for sly in [
        "mkfifo TASKS.md",
        "ln -s /dev/zero TASKS.md",
        "mkdir TASKS.md; echo x > TASKS.md/x",
        "yes -- '- [ ] more' | head -c 2000000 > TASKS.md",
        "yes -- '- [ ] more' | head -n 2000 > TASKS.md",
        r"printf '\377\376- [ ] a' > TASKS.md",
        r"printf -- '- [ ] a\033[2Jb\n' > TASKS.md",
        r"printf -- '- [ ] ../../a: b\n- [ ] ../../a: b\n- [ ] T1: a\n- [ ] T1: b\n' > TASKS.md",
    ] {
        let env = test_env!();
        let agent = format!("case $WINDLASS_STEP in find) echo x > found.txt; {sly} ;; esac");
        let finished = env.run(tasks, &agent, &["--yes"]);
        assert!(matches!(finished.code, Some(3 | 4)), "{sly}: {finished}");
        assert_eq!(env.log_json().count("item_added"), 0, "{sly}: {finished}");
        env.assert_audit();
    }
}
