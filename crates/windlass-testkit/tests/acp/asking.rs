//! What the agent asks, and what it is answered.

use serde_json::{Value, json};

use super::support::{in_a_turn, play};

fn permission(call: &Value) -> Value {
    json!({"send": {"jsonrpc": "2.0", "id": 7, "method": "session/request_permission",
    "params": {"sessionId": "s1", "toolCall": call, "options": [
        {"optionId": "always", "name": "Always", "kind": "allow_always"},
        {"optionId": "once", "name": "Yes", "kind": "allow_once"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]}}})
}

fn answered_with(option: &str) -> [Value; 4] {
    [
        json!({"reply": 7}),
        json!({"has": format!(r#""optionId":"{option}""#)}),
        // It goes on after the answer to its own question, so the prompt's id is asked for again.
        json!({"send": {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn"}}}),
        json!({"end": true}),
    ]
}

#[test]
fn a_push_is_denied_and_the_turn_goes_on() {
    let call = json!({"toolCallId": "1", "kind": "execute", "title": "git push origin HEAD",
        "rawInput": {"command": "git push origin HEAD"}});
    let mut acts = vec![permission(&call)];
    acts.extend(answered_with("no"));
    let turn = play(&in_a_turn(&acts));
    turn.assert_ended();
    let told = turn.one("permission");
    assert_eq!((&told["decision"], &told["tool"]), (&json!("denied"), &call["title"]));
    assert!(told["why"].as_str().unwrap().contains("push"), "{told}");
}

#[test]
fn a_write_in_the_place_is_allowed_this_once() {
    let call = json!({"toolCallId": "1", "kind": "edit", "title": "Write",
        "content": [{"type": "diff", "path": "a.txt", "newText": "x"}]});
    let mut acts = vec![permission(&call)];
    acts.extend(answered_with("once"));
    let turn = play(&in_a_turn(&acts));
    assert_eq!(turn.assert_ended().one("permission")["decision"], "allowed");
}

#[test]
fn a_write_outside_the_place_is_denied() {
    let call = json!({"toolCallId": "1", "kind": "edit", "title": "Write",
        "locations": [{"path": "/etc/hosts"}]});
    let mut acts = vec![permission(&call)];
    acts.extend(answered_with("no"));
    let turn = play(&in_a_turn(&acts));
    assert_eq!(turn.assert_ended().one("permission")["decision"], "denied");
}

#[test]
fn a_request_that_is_not_offered_is_refused_and_the_turn_goes_on() {
    let turn = play(&in_a_turn(&[
        json!({"send": {"jsonrpc": "2.0", "id": "q", "method": "fs/read_text_file",
            "params": {"path": "/etc/passwd"}}}),
        json!({"reply": "q"}),
        json!({"has": "-32601"}),
        json!({"send": {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn"}}}),
        json!({"end": true}),
    ]));
    turn.assert_ended();
    assert!(turn.one("ignored")["what"].as_str().unwrap().contains("fs/read_text_file"));
}
