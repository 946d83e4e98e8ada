//! The other side of the control protocol: what is sent, and what follows from each message.
//!
//! Measured: a call whose question gets no answer is refused by the program, and so is one when
//! this side is gone; but an answer that is an error or of the wrong shape *lets it through*. So
//! there is no such answer here: whatever cannot be looked at is denied in the right shape.

use std::path::PathBuf;

use serde_json::{Value, json};
use windlass_core::guard::{self, Grounds, ToolCall};

/// The question about a tool call that is registered.
const QUESTION: &str = "windlass";

/// What follows from a message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
    /// Pass the line on.
    Pass,
    /// Send an answer, and record it where a call was refused.
    Answer {
        /// What is sent.
        line: Value,
        /// What is recorded.
        record: Option<Value>,
    },
    /// Nothing of it is for others.
    Drop,
}

/// A conversation with the program.
#[derive(Debug)]
pub(super) struct Conversation {
    grounds: Grounds,
    /// Whether a turn has ended and no other has begun.
    pub(super) idle: bool,
    /// Tasks that go on in the background.
    tasks: usize,
    /// Whether the last turn is over.
    pub(super) over: bool,
}

impl Conversation {
    pub(super) fn new(grounds: Grounds) -> Self {
        Self { grounds, idle: false, tasks: 0, over: false }
    }

    /// Whether nothing goes on in the background.
    pub(super) fn has_no_tasks(&self) -> bool {
        self.tasks == 0
    }

    /// What is sent first: the wish to be asked about every tool call, and the prompt.
    ///
    /// Only the last part of a message is searched for commands (`/clear`) and files to include
    /// (`@path`), so the prompt is not the last part. It arrives as it is.
    pub(super) fn opening(prompt: &str) -> [Value; 2] {
        let hooks = json!({"PreToolUse": [{"matcher": "*", "hookCallbackIds": [QUESTION]}]});
        let parts = json!([
            {"type": "text", "text": prompt},
            {"type": "text", "text": "Do this now."},
        ]);
        [
            json!({
                "type": "control_request",
                "request_id": "windlass-1",
                "request": {"subtype": "initialize", "hooks": hooks},
            }),
            json!({
                "type": "user",
                "message": {"role": "user", "content": parts},
                "parent_tool_use_id": null,
                "session_id": "",
            }),
        ]
    }

    /// Takes a line in.
    pub(super) fn take(&mut self, line: &[u8]) -> Act {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { return Act::Pass };
        let of = |key: &str| message.get(key).and_then(Value::as_str);
        match (of("type"), of("subtype")) {
            (Some("control_request"), _) => return self.asked(&message),
            // Long, and of no interest to anyone but us.
            (Some("control_response" | "control_cancel_request"), _) => return Act::Drop,
            (Some("system"), Some("init")) => self.idle = false,
            (Some("system"), Some("background_tasks_changed")) => {
                self.tasks = message["tasks"].as_array().map_or(0, Vec::len);
            }
            (Some("result"), _) => {
                self.idle = true;
                let queued = message["queued_turn_count"].as_u64().unwrap_or(0);
                self.over = self.tasks == 0 && queued == 0;
            }
            _ => {}
        }
        Act::Pass
    }

    /// A line that is longer than is looked at. If it asks something, the answer is no.
    pub(super) fn take_cut(beginning: &[u8]) -> Act {
        let beginning = String::from_utf8_lossy(beginning);
        if !beginning.starts_with("{\"type\":\"control_request\"") {
            return Act::Pass;
        }
        let id =
            beginning.split_once("\"request_id\":\"").and_then(|(_, rest)| rest.split_once('"'));
        match id {
            Some((id, _)) => deny(id, "", "the call is too long to be looked at: make it smaller"),
            None => Act::Drop,
        }
    }

    fn asked(&self, message: &Value) -> Act {
        let id = message["request_id"].as_str().unwrap_or_default();
        let request = &message["request"];
        let input = &request["input"];
        let tool = input["tool_name"].as_str().unwrap_or_default();
        if request["subtype"] != "hook_callback" || input["hook_event_name"] != "PreToolUse" {
            return deny(id, tool, "windlass was asked something that it does not know");
        }
        let folder =
            input["cwd"].as_str().map_or_else(|| self.grounds.place.clone(), PathBuf::from);
        let call = ToolCall { tool, input: &input["tool_input"], folder: &folder };
        match guard::look(&call, &self.grounds).refusal() {
            Some(why) => deny(id, tool, why),
            // No word: the permissions decide.
            None => Act::Answer { line: answer(id, &json!({})), record: None },
        }
    }
}

fn deny(id: &str, tool: &str, why: &str) -> Act {
    let output = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": why,
    }});
    let record = json!({"type": "windlass", "subtype": "refused", "tool": tool, "why": why});
    Act::Answer { line: answer(id, &output), record: Some(record) }
}

fn answer(id: &str, output: &Value) -> Value {
    json!({
        "type": "control_response",
        "response": {"subtype": "success", "request_id": id, "response": output},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation() -> Conversation {
        Conversation::new(Grounds::of_attempt("/srv/place".into(), vec![]))
    }

    fn take(conversation: &mut Conversation, message: &Value) -> Act {
        conversation.take(message.to_string().as_bytes())
    }

    fn question(tool: &str, input: &Value) -> Value {
        json!({"type": "control_request", "request_id": "q1", "request": {
            "subtype": "hook_callback", "callback_id": QUESTION, "input": {
                "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
                "cwd": "/srv/place"}}})
    }

    #[test]
    fn a_push_is_denied_and_recorded_and_a_test_is_not() {
        let mut conversation = conversation();
        let push = question("Bash", &json!({"command": "git push"}));
        let Act::Answer { line, record } = take(&mut conversation, &push) else { panic!() };
        let decision = &line["response"]["response"]["hookSpecificOutput"];
        assert_eq!(decision["permissionDecision"], "deny");
        assert_eq!(line["response"]["request_id"], "q1");
        assert_eq!(line["response"]["subtype"], "success", "an error would let it through");
        assert_eq!(record.unwrap()["tool"], "Bash");
        let test = question("Bash", &json!({"command": "cargo test"}));
        let Act::Answer { line, record } = take(&mut conversation, &test) else { panic!() };
        assert_eq!((&line["response"]["response"], record), (&json!({}), None));
    }

    #[test]
    fn what_cannot_be_looked_at_is_denied() {
        let mut conversation = conversation();
        let odd =
            json!({"type": "control_request", "request_id": "q2", "request": {"subtype": "new"}});
        for message in [odd, question("Write", &json!(null))] {
            let Act::Answer { line, .. } = take(&mut conversation, &message) else { panic!() };
            let decision = &line["response"]["response"]["hookSpecificOutput"];
            assert_eq!(decision["permissionDecision"], "deny", "{message}");
        }
        let long = br#"{"type":"control_request","request_id":"q3","request":{"subtype":"hook"#;
        let Act::Answer { line, .. } = Conversation::take_cut(long) else { panic!() };
        assert_eq!(line["response"]["request_id"], "q3");
        assert_eq!(Conversation::take_cut(b"{\"type\":\"user\""), Act::Pass);
    }

    #[test]
    fn it_is_over_when_no_task_and_no_turn_is_left() {
        let mut conversation = conversation();
        let tasks = |ids: &[&str]| json!({"type": "system", "subtype": "background_tasks_changed", "tasks": ids});
        let result = json!({"type": "result", "queued_turn_count": 0});
        take(&mut conversation, &tasks(&["a"]));
        take(&mut conversation, &result);
        assert!(!conversation.over && conversation.idle, "a task still works");
        take(&mut conversation, &tasks(&[]));
        take(&mut conversation, &json!({"type": "system", "subtype": "init"}));
        assert!(!conversation.idle);
        take(&mut conversation, &json!({"type": "result", "queued_turn_count": 1}));
        assert!(!conversation.over, "a turn is still to come");
        take(&mut conversation, &result);
        assert!(conversation.over);
    }

    #[test]
    fn garbage_is_passed_on_and_ends_nothing() {
        let mut conversation = conversation();
        for line in
            [&b"garbage"[..], b"", b"\xff\xfe", b"[]", b"{\"type\":7}", b"{\"type\":\"result\""]
        {
            assert_eq!(conversation.take(line), Act::Pass);
        }
        assert!(!conversation.over && !conversation.idle);
    }
}
