//! Questions of agents, asked by the session's own tool and answered by its person.

use serde_json::{Value, json};
use windlass_testkit::{Host, TestEnv, test_env};

use crate::support::with_workflow;

const ASKS: &str = r#"
workflow: two
defaults: {retries: 2}
steps:
  - id: clarify
    agent: planner
    task: Ask.
    done: {questions: "{specs}/questions-analysis.yaml"}
  - id: code
    agent: coder
    task: Write the code.
    done: {file: src/code.txt}
"#;

const QUESTIONS: &str = "questions:\n\
  - {id: Q1, category: scope, question: Shall guests see it?, options: [{id: a, text: Only members}, {id: b, text: Everybody}], recommended: a}\n\
  - {id: Q2, category: integration, question: How does it fail?, options: [{id: a, text: Loudly}, {id: b, text: Silently}], recommended: a}\n";

/// A run whose agent has asked two questions.
fn asked(env: &TestEnv) -> Host<'_> {
    with_workflow(env, ASKS);
    let host = Host::silent(env, "s1").with("CLAUDE_CODE_SESSION_ATTENDED", "1");
    host.call("session-start", json!({"source": "startup"}));
    let told = host.says("/windlass:two Write something");
    let first = told.context().expect("an instruction").to_owned();
    assert!(host.starts(&first, "a1").allows());
    env.repository.write(".windlass/run/specs/questions-analysis.yaml", QUESTIONS);
    let stopped = host.agent_stops("a1");
    assert!(stopped.json.is_none(), "{stopped:?}");
    host
}

/// The input of the tool that an instruction asks for.
fn input(instruction: &str) -> Value {
    let start = instruction.find('{').expect("a beginning");
    let end = instruction.rfind('}').expect("an end");
    serde_json::from_str(&instruction[start..=end]).expect("the input of the tool")
}

fn answers(host: &Host<'_>, input: &Value, answers: Value) {
    let body = json!({
        "tool_name": "AskUserQuestion",
        "tool_use_id": "toolu_q",
        "tool_input": input,
        "tool_response": {"questions": input["questions"], "answers": answers},
    });
    host.call("post-tool-use", body);
}

fn statuses(env: &TestEnv) -> Vec<String> {
    let all = env.json(&["clarify", "list", "--json"]);
    let all = all.as_array().expect("a list").iter();
    all.map(|one| format!("{} {}", one["status"], one["answer"]["words"])).collect()
}

#[test]
fn the_session_is_told_to_ask_and_the_persons_answers_are_taken() {
    let env = test_env!();
    let host = asked(&env);
    let stop = host.stops();
    let told = stop.sent_on().expect("it is sent on").to_owned();
    assert!(told.contains("AskUserQuestion"), "{told}");
    let input = input(&told);
    assert_eq!(input["questions"].as_array().unwrap().len(), 2);
    assert_eq!(input["questions"][0]["options"][0]["label"], "Only members");
    assert!(input["questions"][1]["header"].as_str().unwrap().len() <= 12);
    // The call itself is let through; with made-up answers it is not.
    assert!(host.tool("AskUserQuestion", input.clone()).denial().is_none());
    let mut made_up = input.clone();
    made_up["answers"] = json!({"Shall guests see it?": "Everybody"});
    assert!(host.tool("AskUserQuestion", made_up).denial().is_some());
    answers(
        &host,
        &input,
        json!({"Shall guests see it?": "Everybody", "How does it fail?": "As it does today"}),
    );
    assert_eq!(statuses(&env), [r#""answered" "Everybody""#, r#""answered" "As it does today""#]);
    let next = host.stops();
    assert!(next.sent_on().unwrap().contains("code#1"), "{next:?}");
    env.assert_audit();
}

#[test]
fn what_was_asked_in_other_words_answers_nothing() {
    let env = test_env!();
    let host = asked(&env);
    let asked = input(host.stops().sent_on().unwrap());
    let mut others = asked.clone();
    others["questions"][0]["question"] = json!("May guests see it?");
    answers(&host, &others, json!({"May guests see it?": "Everybody"}));
    // A choice that windlass does not offer would look like the person's own words.
    let mut more = asked.clone();
    more["questions"][0]["options"][1]["label"] = json!("Whoever pays");
    answers(&host, &more, json!({"Shall guests see it?": "Whoever pays"}));
    assert_eq!(statuses(&env), [r#""open" null"#, r#""open" null"#]);
    // Nor does what did not come from the host.
    let body = json!({
        "tool_name": "AskUserQuestion", "tool_use_id": "toolu_q", "tool_input": asked,
        "tool_response": {"answers": {"Shall guests see it?": "Everybody"}},
    });
    host.call_from_shell("post-tool-use", body);
    assert_eq!(statuses(&env)[0], r#""open" null"#);
    assert!(host.stops().sent_on().unwrap().contains("AskUserQuestion"));
}

/// A session whose agent has said that it waits for something, by this command.
fn blocked<'e>(env: &'e TestEnv, command: &str) -> Host<'e> {
    let host = asked(env);
    let asked = input(host.stops().sent_on().expect("questions"));
    answers(
        &host,
        &asked,
        json!({"Shall guests see it?": "Everybody", "How does it fail?": "Loudly"}),
    );
    let next = host.stops();
    assert!(host.starts(next.sent_on().expect("an offer"), "a2").allows());
    let badge = host.tool_of(Some("a2"), "Bash", json!({"command": command}));
    let command = badge.updated_input().expect("a token")["command"].as_str().expect("a command");
    env.shell(command).assert_code(0);
    host.agent_stops("a2");
    host
}

#[test]
fn a_blocker_lets_the_session_stop_and_fixed_goes_on() {
    let env = test_env!();
    let host = blocked(&env, "windlass block 'The key is missing'");
    let stopped = host.stops();
    assert!(stopped.message().unwrap().contains("The key is missing"), "{stopped:?}");
    let denied = host.tool("Bash", json!({"command": "windlass fixed 1"}));
    assert!(denied.denial().is_some(), "{denied:?}");
    assert!(host.tool("Bash", json!({"command": "windlass blocker list"})).denial().is_none());
    let told = host.says("fixed");
    assert!(told.context().unwrap().contains("code#2"), "{told:?}");
}

/// Its next look is a timer of the run, for which a person's word does not wait.
#[test]
fn a_blocker_with_a_check_is_looked_at_when_the_person_says_fixed() {
    let env = test_env!();
    let host = blocked(&env, "windlass block 'The key is missing' --check true");
    assert!(host.stops().message().unwrap().contains("The key is missing"));
    let told = host.says("fixed");
    assert!(told.context().unwrap().contains("code#2"), "{told:?}");
}

#[test]
fn a_session_without_a_person_goes_on_with_the_recommendations() {
    let env = test_env!();
    with_workflow(&env, ASKS);
    let host = Host::start(&env, "s1");
    let told = host.says("/windlass:two Write something");
    assert!(host.starts(told.context().unwrap(), "a1").allows());
    env.repository.write(".windlass/run/specs/questions-analysis.yaml", QUESTIONS);
    host.agent_stops("a1");
    assert!(host.stops().sent_on().unwrap().contains("code#1"));
    assert_eq!(statuses(&env), [r#""assumed" "Only members""#, r#""assumed" "Loudly""#]);
}
