//! `POST /v1/messages`.

use serde_json::{Value, json};

use super::conversation::{Conversation, Entry, ToolResult, list, string, text_of};
use super::reply::{Block, Reply, typed_frame};

pub(super) fn conversation(body: &Value) -> Conversation {
    let mut entries = Vec::new();
    match &body["system"] {
        Value::Null => {}
        Value::Array(blocks) => {
            entries.extend(blocks.iter().map(|block| Entry::System(text_of(block))));
        }
        other => entries.push(Entry::System(text_of(other))),
    }
    for message in list(&body["messages"]) {
        match message["role"].as_str() {
            Some("assistant") => entries.push(Entry::Assistant),
            Some("system") => entries.push(Entry::System(text_of(&message["content"]))),
            _ => user(&message["content"], &mut entries),
        }
    }
    let tools = list(&body["tools"]).iter().map(|tool| string(&tool["name"])).collect();
    Conversation { model: string(&body["model"]), tools, entries }
}

fn user(content: &Value, entries: &mut Vec<Entry>) {
    let Value::Array(blocks) = content else {
        entries.push(Entry::User(text_of(content)));
        return;
    };
    for block in blocks {
        entries.push(match block["type"].as_str() {
            Some("tool_result") => Entry::Result(ToolResult {
                call: string(&block["tool_use_id"]),
                text: text_of(&block["content"]),
                failed: block["is_error"] == true,
            }),
            _ => Entry::User(text_of(block)),
        });
    }
}

fn usage(reply: &Reply, output: u64) -> Value {
    json!({
        "input_tokens": reply.input_tokens, "output_tokens": output,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    })
}

fn stop_reason(reply: &Reply) -> &'static str {
    if reply.calls() { "tool_use" } else { "end_turn" }
}

fn message(reply: &Reply, content: &[Value], stop: Option<&str>, output: u64) -> Value {
    json!({
        "id": reply.id("msg", 0), "type": "message", "role": "assistant", "model": reply.model,
        "content": content, "stop_reason": stop, "stop_sequence": null, "usage": usage(reply, output),
    })
}

fn block(reply: &Reply, index: usize, block: &Block, whole: bool) -> Value {
    match block {
        Block::Text(text) => json!({"type": "text", "text": if whole { text } else { "" }}),
        Block::Call { name, input, .. } => json!({
            "type": "tool_use", "id": reply.id("toolu", index), "name": name,
            "input": if whole { input.clone() } else { json!({}) },
        }),
    }
}

pub(super) fn whole(reply: &Reply) -> Value {
    let blocks = reply.blocks.iter().enumerate();
    let content: Vec<Value> = blocks.map(|(index, each)| block(reply, index, each, true)).collect();
    message(reply, &content, Some(stop_reason(reply)), reply.output_tokens)
}

pub(super) fn frames(reply: &Reply) -> Vec<String> {
    let mut events =
        vec![json!({"type": "message_start", "message": message(reply, &[], None, 1)})];
    for (index, each) in reply.blocks.iter().enumerate() {
        let delta = match each {
            Block::Text(text) => json!({"type": "text_delta", "text": text}),
            Block::Call { input, .. } => {
                json!({"type": "input_json_delta", "partial_json": input.to_string()})
            }
        };
        let begin = block(reply, index, each, false);
        events.extend([
            json!({"type": "content_block_start", "index": index, "content_block": begin}),
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
            json!({"type": "content_block_stop", "index": index}),
        ]);
    }
    events.extend([
        json!({
            "type": "message_delta", "usage": usage(reply, reply.output_tokens),
            "delta": {"stop_reason": stop_reason(reply), "stop_sequence": null},
        }),
        json!({"type": "message_stop"}),
    ]);
    events.iter().map(typed_frame).collect()
}

pub(super) fn failure(status: u16, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

pub(super) fn failing_frames(kind: &str, message: &str) -> Vec<String> {
    vec![typed_frame(&json!({"type": "error", "error": {"type": kind, "message": message}}))]
}
