//! What Codex told, collected from its events.

use serde_json::Value;

use super::super::kept::words;

/// What was told in an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// The conversation.
    pub(super) thread: Option<String>,
    /// Tokens read and written, over the whole conversation: a part that ended without a turn's end
    /// was not counted before, so nothing is counted twice.
    pub(super) read: Option<u64>,
    pub(super) written: Option<u64>,
    /// Turns that ended.
    pub(super) turns: Option<u64>,
    /// How the last turn ended.
    pub(super) ended: Option<Ended>,
    /// What was said last.
    pub(super) last_words: Option<String>,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Completed,
    Failed(String),
}

/// Collects what events tell.
///
/// Items of the kind `error` are warnings, and an `error` may be followed by another try: only
/// `turn.failed` is a failure.
pub(super) fn read(events: &[Value]) -> Told {
    let mut told = Told::default();
    for event in events {
        let text = |value: &Value| value.as_str().map(words).filter(|text| !text.is_empty());
        match event["type"].as_str() {
            Some("thread.started") if told.thread.is_none() => {
                told.thread = event["thread_id"].as_str().map(str::to_owned);
            }
            Some("turn.started") => told.ended = None,
            Some("turn.completed") => {
                let usage = &event["usage"];
                told.read = usage["input_tokens"].as_u64().or(told.read);
                told.written = usage["output_tokens"].as_u64().or(told.written);
                told.turns = Some(told.turns.unwrap_or(0) + 1);
                told.ended = Some(Ended::Completed);
            }
            Some("turn.failed") => {
                told.turns = Some(told.turns.unwrap_or(0) + 1);
                let message = text(&event["error"]["message"]);
                let message = message.unwrap_or_else(|| "it did not say why".to_owned());
                told.ended = Some(Ended::Failed(message));
            }
            Some("error") => told.last_words = text(&event["message"]).or(told.last_words),
            Some("item.completed") if event["item"]["type"] == "agent_message" => {
                told.last_words = text(&event["item"]["text"]).or(told.last_words);
            }
            _ => {}
        }
    }
    told
}
