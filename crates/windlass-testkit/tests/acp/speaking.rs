//! A turn that goes well.

use serde_json::json;

use super::support::{in_a_turn, play, play_with};

#[test]
fn a_turn_is_told_from_start_to_end_and_its_end_means_verify() {
    let said = |text: &str| {
        json!({"send": {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1",
            "update": {"sessionUpdate": "agent_message_chunk",
                "content": {"type": "text", "text": text}}}}})
    };
    let turn = play(&in_a_turn(&[
        json!({"has": "Do it."}),
        said("I will "),
        said("write it."),
        json!({"send": {"jsonrpc": "2.0", "method": "session/update", "params": {"update":
            {"sessionUpdate": "tool_call", "toolCallId": "1", "title": "Write a", "kind": "edit",
                "status": "pending"}}}}),
        json!({"send": {"jsonrpc": "2.0", "method": "of/a/later/version", "params": {}}}),
        json!({"answer": {"stopReason": "end_turn",
            "usage": {"inputTokens": 100, "outputTokens": 10, "totalTokens": 110}}}),
        json!({"end": true}),
    ]));
    turn.assert_ended();
    assert_eq!(
        *turn.one("started"),
        json!({"event": "started", "agent": "fake", "version": "7", "session": "s1",
            "resumed": false})
    );
    assert_eq!(turn.one("text")["text"], "I will write it.");
    assert_eq!(turn.one("tool")["title"], "Write a");
    let usage = &turn.result.usage;
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(100), Some(10)));
    assert_eq!((usage.session.as_deref(), usage.cost_usd), (Some("s1"), None));
}

#[test]
fn a_role_stands_before_the_prompt_in_a_section_of_its_own() {
    let acts = in_a_turn(&[
        json!({"has": r#"<role name=\"developer\">\nBe brief.\n</role>\n\nDo it."#}),
        json!({"answer": {"stopReason": "end_turn"}}),
        json!({"end": true}),
    ]);
    play_with(&acts, |job| job.role = Some("Be brief.\n".to_owned())).assert_ended();
}

#[test]
fn an_agent_that_does_not_end_with_its_input_is_ended() {
    let turn = play(&in_a_turn(&[
        json!({"answer": {"stopReason": "max_tokens"}}),
        json!({"linger": true}),
    ]));
    assert_eq!(turn.one("ended")["stop_reason"], "max_tokens");
}

#[test]
fn an_earlier_conversation_goes_on_where_the_agent_can_and_its_history_is_no_news() {
    let acts = [
        json!({"expect": "initialize"}),
        json!({"answer": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}}),
        json!({"expect": "session/load"}),
        json!({"has": r#""sessionId":"s0""#}),
        json!({"send": {"jsonrpc": "2.0", "method": "session/update", "params": {"update":
            {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "old"}}}}}),
        json!({"answer": null}),
        json!({"expect": "session/prompt"}),
        json!({"has": r#""sessionId":"s0""#}),
        json!({"answer": {"stopReason": "end_turn"}}),
        json!({"end": true}),
    ];
    let turn = play_with(&acts, |job| job.resumes = Some("s0".to_owned()));
    turn.assert_ended();
    assert_eq!(turn.one("started")["resumed"], true);
    assert!(turn.of("text").is_empty());
}

#[test]
fn a_conversation_that_is_gone_begins_anew() {
    let mut acts = vec![
        json!({"expect": "initialize"}),
        json!({"answer": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}}),
        json!({"expect": "session/load"}),
        json!({"error": {"code": -32602, "message": "no such session"}}),
        json!({"expect": "session/new"}),
        json!({"answer": {"sessionId": "s1"}}),
    ];
    acts.extend([
        json!({"expect": "session/prompt"}),
        json!({"answer": {"stopReason": "end_turn"}}),
        json!({"end": true}),
    ]);
    let turn = play_with(&acts, |job| job.resumes = Some("s0".to_owned()));
    turn.assert_ended();
    assert_eq!(turn.one("started")["session"], "s1");
    assert!(turn.one("ignored")["what"].as_str().unwrap().contains("no such session"));
}

#[test]
fn the_model_is_chosen_where_the_agent_offers_it_and_told_where_it_does_not() {
    let choice = json!([{"id": "m", "category": "model", "currentValue": "small",
        "options": [{"value": "small"}, {"group": "g", "options": [{"value": "large"}]}]}]);
    let begin = [
        json!({"expect": "initialize"}),
        json!({"answer": {"protocolVersion": 1}}),
        json!({"expect": "session/new"}),
        json!({"answer": {"sessionId": "s1", "configOptions": choice}}),
    ];
    let chosen = [
        json!({"expect": "session/set_config_option"}),
        json!({"has": r#""configId":"m""#}),
        json!({"has": r#""value":"large""#}),
        json!({"answer": {"configOptions": []}}),
    ];
    let end = [
        json!({"expect": "session/prompt"}),
        json!({"answer": {"stopReason": "end_turn"}}),
        json!({"end": true}),
    ];
    let acts = [&begin[..], &chosen, &end].concat();
    let turn = play_with(&acts, |job| job.model = Some("large".to_owned()));
    assert_eq!(turn.assert_ended().result.usage.model.as_deref(), Some("large"));

    let acts = [&begin[..], &end].concat();
    let turn = play_with(&acts, |job| job.model = Some("opus".to_owned()));
    assert_eq!(turn.assert_ended().result.usage.model.as_deref(), Some("small"));
    assert!(turn.one("ignored")["what"].as_str().unwrap().contains("`opus` is not offered"));
}
