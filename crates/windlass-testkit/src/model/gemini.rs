//! `POST /v1beta/models/M:streamGenerateContent`.

use serde_json::{Value, json};

use super::conversation::{Conversation, Entry, ToolResult, list, string, text_of};
use super::reply::{Block, Reply, plain_frame};

pub(super) fn conversation(path: &str, body: &Value) -> Conversation {
    let mut entries = Vec::new();
    if !body["systemInstruction"].is_null() {
        entries.push(Entry::System(text_of(&body["systemInstruction"]["parts"])));
    }
    for content in list(&body["contents"]) {
        if content["role"] == "model" {
            entries.push(Entry::Assistant);
            continue;
        }
        for part in list(&content["parts"]) {
            let result = &part["functionResponse"];
            entries.push(if result.is_null() {
                Entry::User(text_of(part))
            } else {
                Entry::Result(ToolResult {
                    call: string(&result["name"]),
                    text: text_of(&result["response"]["output"]),
                    failed: !result["response"]["error"].is_null(),
                })
            });
        }
    }
    let declared = list(&body["tools"]).iter().flat_map(|tool| list(&tool["functionDeclarations"]));
    let after = path.rsplit_once("/models/").map_or("", |(_, after)| after);
    let model = after.split(':').next().unwrap_or_default().to_owned();
    let tools = declared.map(|function| string(&function["name"])).collect();
    Conversation { model, tools, entries }
}

pub(super) fn whole(reply: &Reply) -> Value {
    let part = |block: &Block| match block {
        Block::Text(text) => json!({"text": text}),
        Block::Call { name, input, .. } => json!({"functionCall": {"name": name, "args": input}}),
    };
    let parts: Vec<Value> = reply.blocks.iter().map(part).collect();
    json!({
        "candidates": [{
            "content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0,
        }],
        "usageMetadata": {
            "promptTokenCount": reply.input_tokens, "candidatesTokenCount": reply.output_tokens,
            "totalTokenCount": reply.total_tokens(),
        },
        "modelVersion": reply.model, "responseId": reply.id("resp", 0),
    })
}

/// Two frames, so that a stream has a middle: the content, and the end with the figures.
pub(super) fn frames(reply: &Reply) -> Vec<String> {
    let end = whole(reply);
    let mut begin = end.clone();
    if let Some(candidate) = begin["candidates"][0].as_object_mut() {
        candidate.remove("finishReason");
    }
    let mut last = end;
    last["candidates"][0]["content"]["parts"] = json!([{"text": ""}]);
    vec![plain_frame(&begin), plain_frame(&last)]
}

pub(super) fn failure(status: u16, message: &str) -> Value {
    let name = match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        _ => "INTERNAL",
    };
    json!({"error": {"code": status, "message": message, "status": name}})
}

pub(super) fn failing_frames(kind: &str, message: &str) -> Vec<String> {
    vec![plain_frame(&json!({"error": {"code": 500, "message": message, "status": kind}}))]
}
