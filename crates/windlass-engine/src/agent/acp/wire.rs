//! JSON-RPC as the Agent Client Protocol uses it: one message per line, both sides may ask.
//!
//! The types are our own. The crates of the protocol turn on `serde_json/preserve_order`, for every
//! crate of the program: the journal's objects would then be written in the order in which an agent
//! happened to name their keys.

use serde::Serialize;
use serde_json::{Value, json};

/// The version of the protocol that the client speaks.
pub(super) const PROTOCOL_VERSION: u64 = 1;

/// The error for a method that the other side does not have.
const METHOD_NOT_FOUND: i64 = -32601;

/// The methods that are called or answered; anything else is unknown here.
pub(super) mod method {
    pub(in super::super) const INITIALIZE: &str = "initialize";
    pub(in super::super) const NEW_SESSION: &str = "session/new";
    pub(in super::super) const LOAD_SESSION: &str = "session/load";
    pub(in super::super) const SET_OPTION: &str = "session/set_config_option";
    pub(in super::super) const PROMPT: &str = "session/prompt";
    pub(in super::super) const UPDATE: &str = "session/update";
    pub(in super::super) const REQUEST_PERMISSION: &str = "session/request_permission";
}

/// A message from the agent.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    Response { id: Value, result: Result<Value, RpcError> },
    Request { id: Value, method: String, params: Value },
    Notification { method: String, params: Value },
}

/// An error of the other side.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Value,
}

impl Incoming {
    /// Reads a line; none when it is not a message of the protocol.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let Ok(Value::Object(mut message)) = serde_json::from_slice::<Value>(line) else {
            return None;
        };
        let params = message.remove("params").unwrap_or_default();
        match (message.remove("method"), message.remove("id")) {
            (Some(Value::String(method)), None) => Some(Self::Notification { method, params }),
            (Some(Value::String(method)), Some(id)) => Some(Self::Request { id, method, params }),
            (None, Some(id)) => {
                let result = match (message.remove("error"), message.remove("result")) {
                    (Some(error), _) => Err(RpcError::read(&error)),
                    (None, Some(result)) => Ok(result),
                    (None, None) => return None,
                };
                Some(Self::Response { id, result })
            }
            _ => None,
        }
    }
}

impl RpcError {
    fn read(error: &Value) -> Self {
        Self {
            code: error["code"].as_i64().unwrap_or_default(),
            message: error["message"].as_str().unwrap_or("an error without a message").to_owned(),
            data: error["data"].clone(),
        }
    }
}

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'a str,
    id: u64,
    method: &'a str,
    params: &'a Value,
}

/// A request as a line.
pub(super) fn request(id: u64, method: &str, params: &Value) -> String {
    line(&Request { jsonrpc: "2.0", id, method, params })
}

/// The answer to a request as a line.
pub(super) fn answer(id: &Value, result: &Value) -> String {
    line(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

/// The refusal of a request that the client does not know, as a line.
pub(super) fn method_not_found(id: &Value, method: &str) -> String {
    let message = format!("windlass has no method `{method}`");
    let error = json!({"code": METHOD_NOT_FOUND, "message": message});
    line(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
}

fn line(message: &impl Serialize) -> String {
    let mut text = serde_json::to_string(message).expect("values and strings are always JSON");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_by_its_method_and_id() {
        let request = Incoming::parse(br#"{"jsonrpc":"2.0","id":"a","method":"m","params":[1]}"#);
        let params = json!([1]);
        assert_eq!(
            request,
            Some(Incoming::Request { id: json!("a"), method: "m".to_owned(), params })
        );
        let update = Incoming::parse(br#"{"method":"m"}"#);
        assert_eq!(
            update,
            Some(Incoming::Notification { method: "m".to_owned(), params: Value::Null })
        );
        let done = Incoming::parse(br#"{"id":1,"result":null}"#);
        assert_eq!(done, Some(Incoming::Response { id: json!(1), result: Ok(Value::Null) }));
        let failed = Incoming::parse(br#"{"id":1,"error":{"code":429,"message":"slow"}}"#);
        let error = RpcError { code: 429, message: "slow".to_owned(), data: Value::Null };
        assert_eq!(failed, Some(Incoming::Response { id: json!(1), result: Err(error) }));
    }

    #[test]
    fn what_is_not_a_message_is_none() {
        for line in ["", "Loading…", "[1]", "{}", r#"{"id":1}"#, r#"{"method":7}"#, "{\"id\":"] {
            assert_eq!(Incoming::parse(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_text_with_every_hostile_character_stays_on_one_line() {
        let text = "a\nb\r\"\\\u{2028}\u{0}'$(x)`";
        let line = request(3, "m", &json!({"text": text}));
        assert_eq!(line.matches('\n').count(), 1);
        let back: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(back["params"]["text"], text);
    }
}
