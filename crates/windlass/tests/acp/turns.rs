//! Turns that go well, and calls that are refused.

use windlass_testkit::model::{Lane, say};

use super::support::{Agent, GEMINI, OPENCODE, QWEN};

fn writes_and_is_verified(agent: Agent) {
    let lane = Lane::when_first_user_has("MAIN-TASK")
        .turn(say("I will write it.").write("notes/answer.txt", "right\n"))
        .turn(say("And a command.").shell("printf ran > ran.txt"))
        .turn(say("Done."));
    let Some(played) = agent.plays(lane, &[]) else { return };
    played.print();
    played.finished.assert_code(0);
    let report = played.report();
    assert_eq!(report["outcome"]["how"], "exited");
    assert_eq!(report["outcome"]["code"], 0);
    assert_eq!(report["left_behind"], 0);
    assert_eq!(played.decisions(), ["allowed", "allowed"]);
    assert!(played.env.place().join("ran.txt").exists());
    played.env.assert_audit();
    played.env.assert_no_orphans();
    played.server.finish();
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn gemini_writes_and_its_work_is_verified() {
    writes_and_is_verified(GEMINI);
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn opencode_writes_and_its_work_is_verified() {
    writes_and_is_verified(OPENCODE);
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn qwen_writes_and_its_work_is_verified() {
    writes_and_is_verified(QWEN);
}

fn is_denied_a_push(agent: Agent) {
    let lane = Lane::when_first_user_has("MAIN-TASK")
        .turn(say("I push it.").shell("touch pushed.txt; git push origin HEAD"))
        .then_always(say("Done."));
    // The step is not proven: nothing was written. What counts is that the push did not happen.
    let Some(played) = agent.plays(lane, &["--no-wait"]) else { return };
    played.print();
    assert_eq!(played.decisions(), ["denied"]);
    assert!(!played.env.place().join("pushed.txt").exists());
    played.server.finish();
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn gemini_is_denied_a_push() {
    is_denied_a_push(GEMINI);
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn opencode_is_denied_a_push() {
    is_denied_a_push(OPENCODE);
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn qwen_is_denied_a_push() {
    is_denied_a_push(QWEN);
}
