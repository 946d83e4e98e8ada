//! An agent that dies in its turn, and the conversation that goes on.

use windlass_testkit::model::{Lane, say};

use super::support::{Agent, GEMINI, OPENCODE, QWEN};

/// The agent's own shell kills it, the first time.
const KILL: &str = "if [ -e killed ]; then echo again; else touch killed; kill -9 $PPID; fi";

fn dies_and_goes_on(agent: Agent, resumed: bool) {
    let lane = Lane::when_first_user_has("MAIN-TASK")
        .turn(say("I begin.").shell(KILL))
        .turn(say("I will write it.").write("notes/answer.txt", "right\n"))
        .then_always(say("Done."));
    let Some(played) = agent.plays(lane, &[]) else { return };
    let reports = played.reports();
    played.print();
    played.finished.assert_code(0);
    assert_eq!(reports.len(), 2, "{}", played.finished);
    assert_eq!(reports[0]["outcome"]["how"], "interrupted");
    let second = played.events_of(&reports[1]);
    let started = second.iter().find(|event| event["event"] == "started").expect("a start");
    assert_eq!(started["resumed"], resumed, "{started}");
    assert_eq!(started["session"] == reports[0]["usage"]["session"], resumed);
    played.env.assert_audit();
    played.env.assert_no_orphans();
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn gemini_dies_and_begins_anew() {
    // It says that it can load a session, and fails to when it was killed.
    dies_and_goes_on(GEMINI, false);
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn opencode_dies_and_its_conversation_goes_on() {
    dies_and_goes_on(OPENCODE, true);
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn qwen_dies_and_its_conversation_goes_on() {
    dies_and_goes_on(QWEN, true);
}
