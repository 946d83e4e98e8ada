//! A reply before it is put into a protocol's words.

use serde_json::Value;

use super::conversation::Conversation;
use super::{anthropic, chat, gemini, responses};

/// What a CLI speaks to its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// `POST /v1/messages`: Claude Code.
    Anthropic,
    /// `POST /v1/responses`: Codex.
    Responses,
    /// `POST /v1beta/models/M:streamGenerateContent`: Gemini CLI.
    Gemini,
    /// `POST /v1/chat/completions`: opencode and Qwen Code.
    Chat,
}

/// A piece of a reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    Text(String),
    Call { name: String, namespace: Option<String>, input: Value },
}

/// What the model answers.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    /// Which request of the server it answers: ids are made of it, so no two replies share one.
    pub(super) number: usize,
    pub(super) model: String,
    pub(super) blocks: Vec<Block>,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
}

impl Reply {
    pub(super) fn calls(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Call { .. }))
    }

    pub(super) fn total_tokens(&self) -> u64 {
        self.input_tokens + self.output_tokens
    }

    /// The id of the block at this index.
    pub(super) fn id(&self, prefix: &str, index: usize) -> String {
        format!("{prefix}_{}_{index}", self.number)
    }
}

impl Protocol {
    /// The protocol of a path, and whether the path asks for a stream.
    pub(super) fn of(path: &str) -> Option<(Self, Option<bool>)> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        match path {
            "/v1/messages" => Some((Self::Anthropic, None)),
            "/v1/responses" => Some((Self::Responses, None)),
            "/v1/chat/completions" => Some((Self::Chat, None)),
            _ if !path.starts_with("/v1beta/models/") => None,
            _ if path.ends_with(":streamGenerateContent") => {
                Some((Self::Gemini, Some(query.contains("alt=sse"))))
            }
            _ if path.ends_with(":generateContent") => Some((Self::Gemini, Some(false))),
            _ => None,
        }
    }

    pub(super) fn conversation(self, path: &str, body: &Value) -> Conversation {
        match self {
            Self::Anthropic => anthropic::conversation(body),
            Self::Responses => responses::conversation(body),
            Self::Gemini => gemini::conversation(path, body),
            Self::Chat => chat::conversation(body),
        }
    }

    /// The events of a stream, each a whole frame.
    pub(super) fn frames(self, reply: &Reply) -> Vec<String> {
        match self {
            Self::Anthropic => anthropic::frames(reply),
            Self::Responses => responses::frames(reply),
            Self::Gemini => gemini::frames(reply),
            Self::Chat => chat::frames(reply),
        }
    }

    /// The reply to a request that asks for no stream.
    pub(super) fn whole(self, reply: &Reply) -> Value {
        match self {
            Self::Anthropic => anthropic::whole(reply),
            Self::Responses => responses::whole(reply, "completed"),
            Self::Gemini => gemini::whole(reply),
            Self::Chat => chat::whole(reply),
        }
    }

    /// The body of an HTTP failure.
    pub(super) fn failure(self, status: u16, message: &str) -> Value {
        match self {
            Self::Anthropic => anthropic::failure(status, message),
            Self::Responses | Self::Chat => chat::failure(status, message),
            Self::Gemini => gemini::failure(status, message),
        }
    }

    /// An error inside a stream.
    pub(super) fn failing_frames(self, reply: &Reply, kind: &str, message: &str) -> Vec<String> {
        match self {
            Self::Anthropic => anthropic::failing_frames(kind, message),
            Self::Responses => responses::failing_frames(reply, kind, message),
            Self::Gemini => gemini::failing_frames(kind, message),
            Self::Chat => chat::failing_frames(kind, message),
        }
    }
}

/// A frame whose event has the name that its data says.
pub(super) fn typed_frame(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}

/// A frame without a name.
pub(super) fn plain_frame(data: &Value) -> String {
    format!("data: {data}\n\n")
}
