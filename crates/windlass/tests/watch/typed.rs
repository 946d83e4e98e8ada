//! Keys that are no answer: typed ahead, pasted, several at once, and those of a second client.

use windlass_testkit::{Terminal, TestEnv, test_env};

use crate::support::{asks, at_the_gate, go, run_arguments};

/// A run at a terminal that asks about its first gate.
fn asking() -> Option<(TestEnv, Terminal)> {
    if !Terminal::is_there() {
        return None;
    }
    let env = test_env!();
    let arguments = run_arguments(&env, &[]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let terminal = Terminal::windlass(&env, (80, 24), &arguments);
    terminal.wait_until("the question", asks);
    Some((env, terminal))
}

fn approvals(env: &TestEnv) -> usize {
    env.log_json().count("gate_approved")
}

#[test]
fn what_was_typed_before_a_gate_was_shown_does_not_answer_it() {
    let Some((env, terminal)) = asking() else { return };
    terminal.keys(&["a", "Enter"]);
    terminal.wait_for("waiting for the word");
    // More than a terminal's queue holds; what does not fit comes when there is room again.
    for _ in 0..6 {
        terminal.text(&"a\n".repeat(400));
    }
    fs_err::write(go(&env), "").unwrap();
    terminal.wait_until("the question", asks);
    let screen = terminal.with_history();
    assert!(screen.contains("keys typed before the question were ignored"), "{screen}");
    assert_eq!((env.status().as_str(), approvals(&env)), ("awaiting_approval", 1));
    terminal.keys(&["a", "Enter"]);
    terminal.wait_for("[exit 0]");
    assert_eq!(approvals(&env), 2);
    let log = env.log_json();
    let presence = &log.last("gate_approved").unwrap()["presence"];
    assert!(presence["from"]["terminal"].as_str().unwrap().starts_with("/dev/pts/"), "{presence}");
    assert!(presence["shown"].is_u64(), "{presence}");
}

#[test]
fn what_is_pasted_and_several_lines_at_once_answer_nothing() {
    let Some((env, terminal)) = asking() else { return };
    terminal.paste("a\n");
    terminal.wait_for("what is pasted decides nothing");
    terminal.wait_until("the question", asks);
    terminal.text("a\na\na\n");
    terminal.wait_for("several lines came at once");
    terminal.wait_until("the question", asks);
    assert_eq!((env.status().as_str(), approvals(&env)), ("awaiting_approval", 0));
    // Words may be pasted into an answer that is typed.
    terminal.text("f ");
    terminal.paste("name it better");
    terminal.keys(&["Enter"]);
    windlass_testkit::wait::for_fact("the feedback", || {
        env.log_json()
            .last("feedback_given")
            .is_some_and(|given| given["message"] == "name it better")
    });
}

#[test]
fn a_second_client_is_the_person_too_and_a_gate_is_answered_once() {
    let Some((env, terminal)) = asking() else { return };
    let mut second = terminal.client();
    second.types("a\r");
    terminal.wait_for("waiting for the word");
    assert_eq!(approvals(&env), 1);
    // Both type on, and none of it is about a gate that anybody has seen.
    second.types("a\ra\r");
    terminal.keys(&["a", "Enter"]);
    fs_err::write(go(&env), "").unwrap();
    terminal.wait_until("the question", asks);
    assert_eq!((env.status().as_str(), approvals(&env)), ("awaiting_approval", 1));
    second.types("q\r");
    terminal.wait_for("[exit 3]");
}

#[test]
fn a_view_takes_no_key_that_came_before_what_it_answers() {
    if !Terminal::is_there() {
        return;
    }
    let env = at_the_gate();
    let view = Terminal::windlass(&env, (80, 24), &["watch"]);
    view.keys(&["a", "y", "a", "y"]);
    view.wait_for("a approve");
    view.keys(&["a", "y", "y"]);
    view.wait_for("that key came too early");
    view.paste("y");
    view.wait_for("y yes");
    assert_eq!((env.status().as_str(), approvals(&env)), ("awaiting_approval", 0));
    view.keys(&["y"]);
    view.wait_for("`plan` is approved");
    assert_eq!(approvals(&env), 1);
}

/// A test that fails on the base, so that a person is asked before anything starts.
const FAILS_BEFORE: &str = r#"
workflow: before
steps:
  - {id: work, agent: coder, task: Work., done: {junit: "r.xml", run: "cp tests/report.xml r.xml; false"}}
"#;

#[test]
fn the_question_after_the_baseline_is_answered_by_keys_that_were_typed_after_it() {
    if !Terminal::is_there() {
        return;
    }
    let env = test_env!();
    let report =
        "<testsuite><testcase name='a'><failure/></testcase><testcase name='b'/></testsuite>";
    env.repository.write("tests/report.xml", report);
    env.repository.commit("a report");
    let agent = format!("rehearsal:{}", env.file("script", "[work]\nrun true\n").display());
    let workflow = env.workflow(FAILS_BEFORE);
    let arguments = ["run", "Do it", "--workflow", &workflow, "--agent", &agent];
    let terminal = Terminal::windlass(&env, (100, 24), &arguments);
    let asked = |screen: &str| screen.trim_end().ends_with("or [s]top:");
    terminal.wait_until("the question", asked);
    terminal.paste("c\n");
    terminal.wait_for("what is pasted decides nothing");
    terminal.wait_until("the question", asked);
    terminal.text("c\nc\n");
    terminal.wait_for("several lines came at once");
    terminal.wait_until("the question", asked);
    terminal.keys(&["s", "Enter"]);
    terminal.wait_for("[exit ");
}
