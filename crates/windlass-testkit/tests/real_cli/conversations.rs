//! Conversations that are more than one prompt: resumed, and with an agent below.

use serde_json::json;
use windlass_testkit::model::{Lane, ModelServer, Part, Script, say, tool};

use crate::agents::{Agent, world};

/// Kills the CLI while the model works and goes on with the same conversation.
fn resumes_after_a_kill(agent: Agent) {
    let env = world();
    let first = Lane::when_first_user_has("MAIN-TASK")
        .turn(say("I write.").write("one.txt", "1"))
        .turn(say("Stuck.").until_file(env.root().join("never")));
    let resumed =
        Lane::when_told("Go on.").turn(say("I write on.").write("two.txt", "2")).turn(say("Done."));
    let server = ModelServer::start(Script::new().lane(resumed).lane(first));
    let Some(command) = agent.command(&env, &server, "MAIN-TASK") else { return };
    let mut background = env.start(command);
    server.wait_for("the second turn", |request| request.turn == 1);
    let conversation = agent.conversation(&background.stdout());
    background.kill();
    let finished = env.finish(agent.resume(&env, &server, &conversation, "Go on."));
    finished.assert_code(0);
    assert_eq!(agent.last_words(&finished), "Done.");
    assert!(env.repository.root().join("two.txt").is_file());
    let last = server.requests().pop().unwrap();
    assert!(last.user_texts().iter().any(|text| text == "MAIN-TASK"), "{:#}", last.body);
    assert_eq!((last.lane.as_deref(), last.turn), (Some("Go on."), 1));
    server.finish();
}

#[test]
fn claude_resumes_a_conversation_that_was_killed() {
    resumes_after_a_kill(Agent::Claude);
}

#[test]
fn codex_resumes_a_conversation_that_was_killed() {
    resumes_after_a_kill(Agent::Codex);
}

#[test]
fn an_agent_below_gets_its_own_lane_and_its_answer_comes_back() {
    let input = json!({
        "description": "count", "prompt": "SUB-TASK id=<<id>>", "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    let main = Lane::when(Part::FirstUser, r"MAIN-TASK (?<id>\w+)")
        .turn(tool("Agent", input))
        .turn(say("It said <<answer>>."))
        .capture(Part::LastResults, r"answer=(?<answer>\w+)");
    let below = Lane::when_first_user_has("SUB-TASK id=x42")
        .turn(say("I write.").write("below.txt", "by the agent below"))
        .turn(say("answer=seven"));
    let (env, server) = (world(), ModelServer::start(Script::new().lane(below).lane(main)));
    let Some(finished) = Agent::Claude.run(&env, &server, "MAIN-TASK x42") else { return };
    finished.assert_code(0);
    assert_eq!(Agent::Claude.last_words(&finished), "It said seven.");
    let written = fs_err::read_to_string(env.repository.root().join("below.txt")).unwrap();
    assert_eq!(written, "by the agent below");
    assert_eq!(server.requests_of("SUB-TASK id=x42").len(), 2);
    server.finish();
}
