//! `POST /v1/chat/completions`.

use serde_json::{Value, json};

use super::conversation::{Conversation, Entry, ToolResult, list, string, text_of};
use super::reply::{Block, Reply, plain_frame};

pub(super) fn conversation(body: &Value) -> Conversation {
    let entry = |message: &Value| match message["role"].as_str() {
        Some("assistant") => Entry::Assistant,
        Some("system" | "developer") => Entry::System(text_of(&message["content"])),
        Some("tool") => Entry::Result(ToolResult {
            call: string(&message["tool_call_id"]),
            text: text_of(&message["content"]),
            failed: false,
        }),
        _ => Entry::User(text_of(&message["content"])),
    };
    let tools = list(&body["tools"]).iter().map(|tool| string(&tool["function"]["name"]));
    Conversation {
        model: string(&body["model"]),
        tools: tools.collect(),
        entries: list(&body["messages"]).iter().map(entry).collect(),
    }
}

fn text(reply: &Reply) -> Option<String> {
    let texts = reply.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        Block::Call { .. } => None,
    });
    let texts: Vec<&str> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn calls(reply: &Reply) -> Vec<Value> {
    let calls = reply.blocks.iter().enumerate().filter_map(|(index, block)| match block {
        Block::Text(_) => None,
        Block::Call { name, input, .. } => Some(json!({
            "id": reply.id("call", index), "type": "function",
            "function": {"name": name, "arguments": input.to_string()},
        })),
    });
    let numbered = calls.enumerate().map(|(index, mut call)| {
        call["index"] = json!(index);
        call
    });
    numbered.collect()
}

fn finish_reason(reply: &Reply) -> &'static str {
    if reply.calls() { "tool_calls" } else { "stop" }
}

fn usage(reply: &Reply) -> Value {
    json!({
        "prompt_tokens": reply.input_tokens, "completion_tokens": reply.output_tokens,
        "total_tokens": reply.total_tokens(),
    })
}

fn chunk(reply: &Reply, choices: &Value) -> Value {
    json!({
        "id": reply.id("chatcmpl", 0), "object": "chat.completion.chunk", "created": 0,
        "model": reply.model, "choices": choices,
    })
}

pub(super) fn whole(reply: &Reply) -> Value {
    let mut message = json!({"role": "assistant", "content": text(reply)});
    if reply.calls() {
        message["tool_calls"] = json!(calls(reply));
    }
    json!({
        "id": reply.id("chatcmpl", 0), "object": "chat.completion", "created": 0,
        "model": reply.model, "usage": usage(reply),
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason(reply)}],
    })
}

pub(super) fn frames(reply: &Reply) -> Vec<String> {
    let delta =
        |delta: Value| chunk(reply, &json!([{"index": 0, "delta": delta, "finish_reason": null}]));
    let mut events = vec![delta(json!({"role": "assistant", "content": ""}))];
    if let Some(text) = text(reply) {
        events.push(delta(json!({"content": text})));
    }
    events.extend(calls(reply).into_iter().map(|call| delta(json!({"tool_calls": [call]}))));
    let end = json!([{"index": 0, "delta": {}, "finish_reason": finish_reason(reply)}]);
    let mut last = chunk(reply, &end);
    last["usage"] = usage(reply);
    events.push(last);
    let mut frames: Vec<String> = events.iter().map(plain_frame).collect();
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

pub(super) fn failure(status: u16, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        429 => "rate_limit_exceeded",
        _ => "server_error",
    };
    json!({"error": {"message": message, "type": kind, "code": kind, "param": null}})
}

pub(super) fn failing_frames(kind: &str, message: &str) -> Vec<String> {
    vec![plain_frame(&json!({"error": {"message": message, "type": kind, "code": kind}}))]
}
