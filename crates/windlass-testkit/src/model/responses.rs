//! `POST /v1/responses`.

use serde_json::{Value, json};

use super::conversation::{Conversation, Entry, ToolResult, list, string, text_of};
use super::reply::{Block, Reply, typed_frame};

pub(super) fn conversation(body: &Value) -> Conversation {
    let mut entries = Vec::new();
    if let Some(text) = body["instructions"].as_str() {
        entries.push(Entry::System(text.to_owned()));
    }
    for item in list(&body["input"]) {
        let kind = item["type"].as_str().unwrap_or("message");
        entries.push(match (kind, item["role"].as_str()) {
            ("message", Some("user")) => Entry::User(text_of(&item["content"])),
            ("message", Some("developer" | "system")) => Entry::System(text_of(&item["content"])),
            (kind, _) if kind.ends_with("_output") => Entry::Result(ToolResult {
                call: string(&item["call_id"]),
                text: text_of(&item["output"]),
                failed: false,
            }),
            _ => Entry::Assistant,
        });
    }
    let tools = list(&body["tools"]).iter().map(|tool| {
        let name = if tool["name"].is_string() { &tool["name"] } else { &tool["type"] };
        string(name)
    });
    Conversation { model: string(&body["model"]), tools: tools.collect(), entries }
}

fn item(reply: &Reply, index: usize, block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({
            "type": "message", "id": reply.id("msg", index), "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Block::Call { name, namespace, input } => {
            let mut call = json!({
                "type": "function_call", "id": reply.id("fc", index), "status": "completed",
                "call_id": reply.id("call", index), "name": name, "arguments": input.to_string(),
            });
            if let Some(namespace) = namespace {
                call["namespace"] = json!(namespace);
            }
            call
        }
    }
}

pub(super) fn whole(reply: &Reply, status: &str) -> Value {
    let done = status == "completed";
    let blocks = reply.blocks.iter().enumerate().filter(|_| done);
    let output: Vec<Value> = blocks.map(|(index, each)| item(reply, index, each)).collect();
    json!({
        "id": reply.id("resp", 0), "object": "response", "status": status, "model": reply.model,
        "output": output,
        "usage": done.then(|| json!({
            "input_tokens": reply.input_tokens, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": reply.output_tokens, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": reply.total_tokens(),
        })),
    })
}

pub(super) fn frames(reply: &Reply) -> Vec<String> {
    let mut events = vec![json!({
        "type": "response.created", "response": whole(reply, "in_progress"),
    })];
    for (index, each) in reply.blocks.iter().enumerate() {
        let done = item(reply, index, each);
        let mut begun = done.clone();
        begun["status"] = json!("in_progress");
        if let Block::Text(_) = each {
            begun["content"] = json!([]);
        }
        events.push(json!({
            "type": "response.output_item.added", "output_index": index, "item": begun,
        }));
        if let Block::Text(text) = each {
            events.push(json!({
                "type": "response.output_text.delta", "output_index": index, "content_index": 0,
                "item_id": reply.id("msg", index), "delta": text,
            }));
        }
        events.push(json!({
            "type": "response.output_item.done", "output_index": index, "item": done,
        }));
    }
    events.push(json!({"type": "response.completed", "response": whole(reply, "completed")}));
    events.iter().map(typed_frame).collect()
}

pub(super) fn failing_frames(reply: &Reply, kind: &str, message: &str) -> Vec<String> {
    let mut failed = whole(reply, "failed");
    failed["error"] = json!({"code": kind, "message": message});
    let events = [
        json!({"type": "response.created", "response": whole(reply, "in_progress")}),
        json!({"type": "response.failed", "response": failed}),
    ];
    events.iter().map(typed_frame).collect()
}
