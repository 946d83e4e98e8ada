//! What agents ask before they go on: answered by people, or by silence.

use serde_json::{Value, json};
use windlass_testkit::{Terminal, TestEnv, test_env, wait};

/// A step that asks, and one that is told.
pub(super) const WORKFLOW: &str = r#"
workflow: asks
defaults: {retries: 2}
steps:
  - id: clarify
    agent: analyst
    task: Ask what is not clear.
    done: {questions: ".windlass/run/specs/questions-analysis.yaml"}
  - id: code
    agent: developer
    done: {file: answer.txt}
"#;

const AGENT: &str = r#"
set -e
case $WINDLASS_STEP in
  clarify)
    mkdir -p .windlass/run/specs
    cat > .windlass/run/specs/questions-analysis.yaml <<'END'
questions:
  - id: Q1
    category: scope
    question: Shall guests see it?
    options:
      - {id: a, text: Only members}
      - {id: b, text: Everybody}
    recommended: a
  - id: Q2
    category: SECOND
    question: ASKED
    options:
      - {id: a, text: First}
      - {id: b, text: Second}
    recommended: b
END
    ;;
  code) cp "$WINDLASS_PROMPT_FILE" .windlass/run/seen.md; echo x > answer.txt ;;
esac
"#;

pub(super) fn agent() -> String {
    AGENT.replace("SECOND", "errors").replace("ASKED", "What happens when it fails?")
}

fn secret() -> String {
    AGENT.replace("SECOND", "integration").replace("ASKED", "Which API key shall be used?")
}

fn waits(env: &TestEnv, time: &str) {
    env.file(".config/windlass/config.yaml", format!("questions_wait: {time}\n"));
}

fn questions(env: &TestEnv) -> Vec<Value> {
    env.json(&["clarify", "list", "--json"]).as_array().expect("a list").clone()
}

/// A run that was started at a terminal, and left there with its questions open.
fn asked() -> Option<TestEnv> {
    if !Terminal::is_there() {
        return None;
    }
    let env = test_env!();
    waits(&env, "2h");
    let (workflow, agent) = (env.workflow(WORKFLOW), env.agent(&agent()));
    let arguments = ["run", "A goal", "--workflow", &workflow, "--agent-command", &agent];
    let terminal = Terminal::windlass(&env, (110, 40), &arguments);
    terminal.wait_for("Enter for the recommendation");
    terminal.text("q\n");
    wait::for_fact("the driver to leave", || env.status() == "awaiting_user");
    Some(env)
}

#[test]
fn where_nobody_is_there_the_recommendations_are_taken_and_recorded_as_assumed() {
    let env = test_env!();
    env.run(WORKFLOW, &agent(), &[]).assert_code(0);
    let all = questions(&env);
    assert_eq!(all.len(), 2);
    for (question, words) in all.iter().zip(["Only members", "Second"]) {
        assert_eq!(question["status"], "assumed", "{question}");
        assert_eq!(
            (&question["answer"]["assumed"], &question["answer"]["by"]),
            (&json!(true), &Value::Null)
        );
        assert_eq!(question["answer"]["words"], words);
    }
    let text = fs_err::read_to_string(env.place().join(".windlass/run/clarifications.md")).unwrap();
    assert!(text.contains("Shall guests see it?") && text.contains("(assumed)"), "{text}");
    let prompt = fs_err::read_to_string(env.place().join(".windlass/run/seen.md")).unwrap();
    assert!(prompt.contains("`.windlass/run/clarifications.md`"), "{prompt}");
    assert!(!prompt.contains("Shall guests"), "paths, never contents: {prompt}");
    let document = env.place().join(".windlass/run/state.json");
    let document: Value = serde_json::from_slice(&fs_err::read(document).unwrap()).unwrap();
    assert_eq!(document["clarifications"][0]["answer"]["words"], "Only members");
    env.assert_audit();
}

#[test]
fn what_is_about_a_secret_is_never_assumed() {
    let env = test_env!();
    env.run(WORKFLOW, &secret(), &[]).assert_code(3);
    assert_eq!(env.status(), "awaiting_user");
    let all = questions(&env);
    assert_eq!((&all[0]["status"], &all[1]["status"]), (&json!("assumed"), &json!("open")));
    let shown = env.windlass(&["status"]).stdout;
    assert!(shown.contains("Which API key") && shown.contains("windlass answer Q2=b"), "{shown}");
    // Going on changes nothing about it.
    env.windlass(&["resume"]).assert_code(3);
    env.windlass(&["answer", "Q2=the one of the sandbox"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    let all = questions(&env);
    assert_eq!(all[1]["answer"]["words"], "the one of the sandbox");
    assert_eq!(all[1]["status"], "answered");
}

#[test]
fn questions_are_asked_at_the_terminal_and_enter_takes_the_recommendation() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    waits(&env, "2h");
    let (workflow, agent) = (env.workflow(WORKFLOW), env.agent(&agent()));
    let arguments = ["run", "A goal", "--workflow", &workflow, "--agent-command", &agent];
    let terminal = Terminal::windlass(&env, (110, 40), &arguments);
    let screen = terminal.wait_for("[1 of 2]");
    assert!(screen.contains("recommended"), "{screen}");
    terminal.wait_for("Enter for the recommendation");
    terminal.text("\n");
    terminal.wait_until("the second question", |screen| {
        screen.matches("Enter for the recommendation").count() == 2
    });
    terminal.text("? it says so\n");
    wait::for_fact("the end", || env.status() == "completed");
    let all = questions(&env);
    assert_eq!(
        (&all[0]["status"], &all[0]["answer"]["words"]),
        (&json!("answered"), &json!("Only members"))
    );
    assert_eq!(all[1]["answer"]["words"], "it says so");
}

#[test]
fn a_restart_between_question_and_answer_changes_nothing() {
    let Some(env) = asked() else { return };
    let before = questions(&env);
    assert!(before.iter().all(|question| question["status"] == "open"), "{before:?}");
    // All or nothing: one that is not asked takes none of them.
    let wrong = env.windlass(&["answer", "Q1=a", "Q9=b"]);
    wrong.assert_code(2);
    assert!(wrong.stderr.contains("open are: Q1, Q2"), "{wrong}");
    assert_eq!(questions(&env), before);
    env.windlass(&["answer", "Q1=b", "--recommended"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    let all = questions(&env);
    assert_eq!(
        (&all[0]["answer"]["choice"], &all[0]["answer"]["assumed"]),
        (&json!("b"), &json!(false))
    );
    assert_eq!((&all[1]["answer"]["choice"], &all[1]["status"]), (&json!("b"), &json!("answered")));
    env.assert_audit();
}

#[test]
fn people_say_something_unasked() {
    let Some(env) = asked() else { return };
    let add = ["clarify", "add", "--phase", "planning", "--category"];
    let said = [&add[..], &["careful", "What must not break?", "The billing job"]].concat();
    env.windlass(&said).assert_code(0);
    let wrong = env.windlass(&[&add[..], &["weather", "Q", "A"]].concat());
    wrong.assert_code(2);
    env.windlass(&["answer", "--recommended"]).assert_code(0);
    env.windlass(&["resume"]).assert_code(0);
    let text = fs_err::read_to_string(env.place().join(".windlass/run/clarifications.md")).unwrap();
    assert!(text.contains("The billing job"), "{text}");
}

#[test]
fn a_question_that_nobody_answers_in_time_is_not_waited_for() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    waits(&env, "2s");
    let (workflow, agent) = (env.workflow(WORKFLOW), env.agent(&agent()));
    let arguments = ["run", "A goal", "--workflow", &workflow, "--agent-command", &agent];
    let terminal = Terminal::windlass(&env, (110, 40), &arguments);
    terminal.wait_for("nobody answered in time");
    wait::for_fact("the end", || env.status() == "completed");
    assert!(questions(&env).iter().all(|question| question["status"] == "assumed"));
}
