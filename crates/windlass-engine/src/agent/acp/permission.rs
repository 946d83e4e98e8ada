//! What an agent is told when it asks whether it may do something.

use std::collections::VecDeque;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::event::Decision;
use super::failure::shortened;
use super::guard::{self, Bounds};

/// How many tool calls are remembered: an agent asks about one that it has just announced.
const MAX_REMEMBERED: usize = 64;

/// How much of a command is looked at. One that is longer is refused.
const MAX_COMMAND_BYTES: usize = 256 * 1024;

/// How many paths of one call are looked at, and how long each may be.
const MAX_PATHS: usize = 1000;
const MAX_PATH_BYTES: usize = 4096;

/// What an agent says about one of its tool calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolCall {
    id: String,
    pub(super) kind: String,
    pub(super) title: String,
    pub(super) status: String,
    pub(super) commands: Vec<String>,
    /// By where they were named: the tool's input, changes of files, locations.
    paths: [Vec<PathBuf>; 3],
    changes_files: bool,
    /// Whether it said more than is looked at.
    pub(super) says_too_much: bool,
}

impl ToolCall {
    /// Takes over what an update says; what it leaves out stays.
    fn update(&mut self, call: &Value) {
        let take = |field: &mut String, key: &str| {
            if let Some(text) = call[key].as_str() {
                *field = shortened(text);
            }
        };
        take(&mut self.kind, "kind");
        take(&mut self.title, "title");
        take(&mut self.status, "status");
        let input = &call["rawInput"];
        let said = ["command", "cmd", "script"].into_iter().filter_map(|key| command(&input[key]));
        let said: Vec<String> = said.collect();
        if said.iter().any(|command| command.len() > MAX_COMMAND_BYTES) {
            self.says_too_much = true;
        } else if !said.is_empty() {
            self.commands = said;
        }
        let diffs = call["content"].as_array().into_iter().flatten();
        let diffs: Vec<&Value> = diffs.filter(|content| content["type"] == "diff").collect();
        self.changes_files |= !diffs.is_empty();
        let keys = ["file_path", "filePath", "filepath", "path", "absolute_path", "notebook_path"];
        self.take_paths(0, keys.into_iter().map(|key| &input[key]));
        self.take_paths(1, diffs.into_iter().map(|diff| &diff["path"]));
        let locations = call["locations"].as_array().into_iter().flatten();
        self.take_paths(2, locations.map(|at| &at["path"]));
    }

    fn take_paths<'a>(&mut self, from: usize, named: impl Iterator<Item = &'a Value>) {
        let named: Vec<&str> = named.filter_map(Value::as_str).take(MAX_PATHS + 1).collect();
        if named.len() > MAX_PATHS || named.iter().any(|path| path.len() > MAX_PATH_BYTES) {
            self.says_too_much = true;
        } else if !named.is_empty() {
            self.paths[from] = named.into_iter().map(PathBuf::from).collect();
        }
    }

    /// The files that it is about.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.paths.iter().flatten()
    }

    /// Whether it runs a command.
    pub(super) fn runs(&self) -> bool {
        self.kind == "execute" || !self.commands.is_empty()
    }

    /// Whether it changes files.
    pub(super) fn writes(&self) -> bool {
        self.changes_files || matches!(self.kind.as_str(), "edit" | "delete" | "move")
    }
}

fn command(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(words.join(" "))
        }
        _ => None,
    }
}

/// The tool calls that the agent has told of last.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    calls: VecDeque<ToolCall>,
}

impl ToolCalls {
    /// Takes in what the agent says about a call, and returns what is known of it.
    pub(super) fn update(&mut self, call: &Value) -> &ToolCall {
        let id = call["toolCallId"].as_str().unwrap_or_default();
        let known = self.calls.iter().position(|known| known.id == id);
        let mut entry = known.and_then(|at| self.calls.remove(at)).unwrap_or_default();
        shortened(id).clone_into(&mut entry.id);
        entry.update(call);
        if self.calls.len() == MAX_REMEMBERED {
            self.calls.pop_front();
        }
        self.calls.push_back(entry);
        self.calls.back().expect("one was just put there")
    }
}

/// The answer to a question, and what is told about it.
pub(super) struct Answer {
    pub(super) outcome: Value,
    pub(super) tool: String,
    pub(super) decision: Decision,
    pub(super) why: Option<String>,
}

/// Decides about a `session/request_permission`.
pub(super) fn decide(calls: &mut ToolCalls, params: &Value, bounds: &Bounds<'_>) -> Answer {
    let mut call = calls.update(&params["toolCall"]).clone();
    if call.kind == "execute" && call.commands.is_empty() && !call.title.is_empty() {
        // Gemini CLI names the command in the title and nowhere else. A title is cut when it is
        // long, so it is read from the message.
        let said = params["toolCall"]["title"].as_str().unwrap_or(&call.title);
        call.commands.push(said.to_owned());
    }
    let why = guard::refusal(&call, bounds);
    let tool = if call.title.is_empty() { call.kind } else { call.title };
    let option = |kind: &str| {
        let options = params["options"].as_array()?;
        options.iter().find(|option| option["kind"] == kind)?["optionId"].as_str()
    };
    // Never a lasting permission: the agent could keep it beyond the session.
    let (choice, decision, why) = match (why, option("allow_once")) {
        (None, Some(id)) => (Some(id), Decision::Allowed, None),
        (None, None) => {
            let why = "the agent offers no permission for this one time".to_owned();
            (option("reject_once"), Decision::Denied, Some(why))
        }
        (Some(why), _) => (option("reject_once"), Decision::Denied, Some(why)),
    };
    let outcome = match choice {
        Some(id) => json!({"outcome": {"outcome": "selected", "optionId": id}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
    };
    Answer { outcome, tool, decision, why }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use windlass_core::guard::PublishRules;

    use super::*;

    fn options() -> Value {
        json!([
            {"optionId": "always", "kind": "allow_always"},
            {"optionId": "once", "kind": "allow_once"},
            {"optionId": "no", "kind": "reject_once"},
        ])
    }

    fn ask(calls: &mut ToolCalls, call: &Value, options: &Value) -> Answer {
        let publishing = PublishRules::default();
        let bounds =
            Bounds { place: Path::new("/srv/place"), may_write: &[], publishing: &publishing };
        decide(calls, &json!({"toolCall": call, "options": options}), &bounds)
    }

    #[test]
    fn what_is_allowed_is_allowed_once_and_never_for_good() {
        let call = json!({"toolCallId": "1", "kind": "edit", "title": "Write a.txt",
            "locations": [{"path": "/srv/place/a.txt"}]});
        let answer = ask(&mut ToolCalls::default(), &call, &options());
        assert_eq!(answer.outcome["outcome"]["optionId"], "once");
        let only_always = json!([{"optionId": "always", "kind": "allow_always"}]);
        let answer = ask(&mut ToolCalls::default(), &call, &only_always);
        assert_eq!(answer.outcome["outcome"]["outcome"], "cancelled");
        assert_eq!(answer.decision, Decision::Denied);
    }

    #[test]
    fn a_push_is_refused_also_when_only_the_title_or_an_earlier_update_names_it() {
        let by_title = json!({"toolCallId": "1", "kind": "execute", "title": "git push origin x"});
        let answer = ask(&mut ToolCalls::default(), &by_title, &options());
        assert_eq!(answer.outcome["outcome"]["optionId"], "no");

        let mut calls = ToolCalls::default();
        calls.update(&json!({"toolCallId": "2", "kind": "execute", "title": "bash",
            "rawInput": {"command": "git push"}}));
        let answer = ask(&mut calls, &json!({"toolCallId": "2"}), &options());
        assert_eq!(answer.decision, Decision::Denied);
        assert!(answer.why.unwrap().contains("push"));
    }

    #[test]
    fn a_write_outside_is_refused_by_its_diff_and_a_read_outside_is_not() {
        let diff = json!({"toolCallId": "1", "kind": "other",
            "content": [{"type": "diff", "path": "/etc/hosts", "newText": "x"}]});
        assert_eq!(ask(&mut ToolCalls::default(), &diff, &options()).decision, Decision::Denied);
        let read = json!({"toolCallId": "1", "kind": "read", "rawInput": {"path": "/etc/hosts"}});
        assert_eq!(ask(&mut ToolCalls::default(), &read, &options()).decision, Decision::Allowed);
    }

    #[test]
    fn a_command_that_is_not_named_is_refused() {
        let call = json!({"toolCallId": "1", "kind": "execute"});
        assert_eq!(ask(&mut ToolCalls::default(), &call, &options()).decision, Decision::Denied);
    }

    #[test]
    fn only_the_last_calls_are_remembered() {
        let mut calls = ToolCalls::default();
        for id in 0..1000 {
            calls.update(&json!({"toolCallId": id.to_string(), "title": "x"}));
        }
        assert_eq!(calls.calls.len(), MAX_REMEMBERED);
    }
}
