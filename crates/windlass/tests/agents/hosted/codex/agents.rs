//! How Codex's agents begin and end.

use serde_json::{Value, json};
use windlass_testkit::model::{Lane, Part, Turn, http, say};
use windlass_testkit::wait;

use super::super::support::attempt;
use super::support::{AGENTS, Session, obeying};

const PROMPT: &str = "/windlass:run --workflow two -- Write something";

/// So many steps, each with a file of its own.
fn steps(count: usize) -> String {
    let step = |number| {
        format!(
            "  - {{id: s{number}, agent: coder, task: Write it., done: {{file: s{number}.txt}}}}\n"
        )
    };
    let steps: String = (1..=count).map(step).collect();
    format!("workflow: two\ndefaults: {{retries: 2}}\nsteps:\n{steps}")
}

fn tool_of(namespace: &str, name: &str, input: Value) -> Turn {
    say("I try this.").tool_of(namespace, name, input)
}

fn writes(number: usize, attempts: usize) -> Lane {
    let file = format!("s{number}.txt");
    attempt(&format!("s{number}#{attempts}"), [say("I write.").write(&file, "x\n")])
}

#[test]
fn a_run_has_more_attempts_than_codex_has_agents_at_a_time() {
    let script = obeying((1..=8).map(|number| writes(number, 1)), []);
    let Some(mut session) = Session::of(script, &steps(8)) else { return };
    // Codex's own sandbox is no hindrance: hooks are outside of it.
    session.sandbox = "workspace-write";
    session.begins(PROMPT);
    session.assert_status("completed");
    assert_eq!(session.env.log_json().count("attempt_started"), 8);
    session.assert_clean();
}

#[test]
fn an_agent_of_codex_that_breaks_off_is_replaced() {
    let broken = Lane::when_first_user_has("attempt `s1#1`")
        .named("s1#1")
        .then_always(http(400).message("no such model"));
    let Some(session) = Session::of(obeying([broken, writes(1, 2)], []), &steps(1)) else { return };
    session.begins(PROMPT);
    session.assert_status("completed");
    let journal = session.env.log_json();
    assert_eq!(journal.count("attempt_lost"), 1, "{:?}", journal.kinds());
    assert_eq!(journal.count("attempt_started"), 2, "{:?}", journal.kinds());
    session.assert_clean();
}

#[test]
fn a_session_of_codex_that_stops_while_its_agent_works_is_told_to_wait() {
    let folder = tempfile::tempdir().expect("a folder");
    let go_on = folder.path().join("go-on");
    let slow = say("I write.").write("s1.txt", "x\n").until_file(&go_on);
    let stops = Lane::when(Part::LastResults, r#""agent_id":""#)
        .named("stops")
        .then_always(say("I am done."));
    let closes = Lane::when(Part::Last, r"an agent is still at work \(`(?<agent>[^`]+)`\)")
        .named("closes early")
        .then_always(tool_of(AGENTS, "close_agent", json!({"target": "<<agent>>"})));
    let waits = Lane::when(Part::LastResults, "agent (?<agent>[^ ]+) is at work: wait for its end")
        .named("waits then")
        .then_always(tool_of(AGENTS, "wait_agent", json!({"targets": ["<<agent>>"]})));
    let script = obeying([attempt("s1#1", [slow])], [stops, closes, waits]);
    let Some(session) = Session::of(script, &steps(1)) else { return };
    let mut running = session.env.start(session.command(&[PROMPT]));
    session.server.wait_for("a refusal", |each| each.lane.as_deref() == Some("waits then"));
    fs_err::write(&go_on, "").expect("a file");
    running.wait(wait::DEADLINE).expect("an end").assert_code(0);
    session.assert_status("completed");
    assert_eq!(session.server.requests_of("closes early").len(), 1, "{}", session.story());
    let journal = session.env.log_json();
    assert_eq!(journal.count("attempt_lost"), 0, "{:?}", journal.kinds());
    assert_eq!(journal.count("attempt_started"), 1, "{:?}", journal.kinds());
    session.assert_clean();
}
