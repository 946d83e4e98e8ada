//! Turns that a provider stops.

use windlass_testkit::model::{Lane, http};

use super::support::{Agent, GEMINI, OPENCODE, QWEN};

fn told(agent: Agent, status: u16, message: &str) -> Option<serde_json::Value> {
    let lane = Lane::when_first_user_has("MAIN-TASK").then_always(http(status).message(message));
    let played = agent.plays(lane, &["--no-wait"])?;
    played.print();
    let report = played.report();
    played.env.assert_no_orphans();
    played.server.finish();
    Some(report["outcome"].clone())
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn gemini_at_its_limit_waits_for_the_provider() {
    let Some(outcome) = told(GEMINI, 429, "Quota exceeded") else { return };
    assert_eq!(outcome["how"], "provider_limit", "{outcome}");
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn gemini_with_a_wrong_key_says_how_to_sign_in() {
    let Some(outcome) = told(GEMINI, 401, "API key not valid") else { return };
    assert_eq!(outcome["how"], "agent_failed", "{outcome}");
    assert_eq!(outcome["category"], "external", "{outcome}");
    assert!(outcome["message"].as_str().unwrap().contains("GEMINI_API_KEY"), "{outcome}");
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn opencode_with_a_wrong_key_says_how_to_sign_in() {
    let Some(outcome) = told(OPENCODE, 401, "Incorrect API key provided") else { return };
    assert_eq!(outcome["how"], "agent_failed", "{outcome}");
    assert_eq!(outcome["category"], "external", "{outcome}");
}

/// They say nothing to the client and try again until their time is up. When that changes, this
/// fails, and `docs/acp.md` needs a new line.
fn keeps_trying_at_its_limit(agent: Agent) {
    let Some(outcome) = told(agent, 429, "Rate limit reached") else { return };
    assert_eq!(outcome["how"], "timed_out", "{outcome}");
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn opencode_at_its_limit_keeps_trying_until_its_time_is_up() {
    keeps_trying_at_its_limit(OPENCODE);
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn qwen_at_its_limit_keeps_trying_until_its_time_is_up() {
    keeps_trying_at_its_limit(QWEN);
}

#[test]
#[ignore = "a target of its own: .ci/agents acp"]
fn qwen_with_a_wrong_key_says_how_to_sign_in() {
    let Some(outcome) = told(QWEN, 401, "Incorrect API key provided") else { return };
    assert_eq!(outcome["category"], "external", "{outcome}");
}
