//! What the CLIs asked.

use serde_json::Value;

use super::conversation::{Conversation, ToolResult};
use super::reply::Protocol;
use super::script::Part;

/// One request to the model.
#[derive(Clone, Debug)]
pub struct Request {
    /// What it speaks.
    pub protocol: Protocol,
    /// The name of the lane that took it; none when no lane did.
    pub lane: Option<String>,
    /// The turn of that lane.
    pub turn: usize,
    /// The path with its query.
    pub path: String,
    /// All headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Value,
    pub(super) conversation: Conversation,
}

impl Request {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(each, _)| each.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The model that was asked.
    pub fn model(&self) -> &str {
        &self.conversation.model
    }

    /// The names of the tools that the model may call.
    pub fn tools(&self) -> &[String] {
        &self.conversation.tools
    }

    /// What the user side said, in order, with what the CLI adds; without tool results.
    pub fn user_texts(&self) -> Vec<String> {
        self.conversation.user_texts()
    }

    /// System and developer texts.
    pub fn system_text(&self) -> String {
        self.conversation.system()
    }

    /// What tools answered, in order.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        self.conversation.results()
    }

    /// What anybody said after the last assistant turn; without tool results.
    pub fn last_said(&self) -> String {
        self.conversation.last_said()
    }

    /// What tools answered after the last assistant turn.
    pub fn last_results(&self) -> Vec<String> {
        let results = self.conversation.last_results().into_iter();
        results.map(|result| result.text).collect()
    }

    /// The working directory that the CLI states.
    pub fn folder(&self) -> Option<String> {
        self.conversation.folder()
    }

    /// The number of assistant turns that it carries.
    pub fn assistant_turns(&self) -> usize {
        self.conversation.turns()
    }

    pub(super) fn part(&self, part: Part) -> String {
        match part {
            Part::FirstUser => self.conversation.first_user(),
            Part::LastUser => self.conversation.last_user(),
            Part::Last => self.conversation.last_said(),
            Part::System => self.conversation.system(),
            Part::Tools => self.conversation.tools.join("\n"),
            Part::Model => self.conversation.model.clone(),
            Part::LastResults => {
                let results = self.conversation.last_results();
                results.into_iter().map(|result| result.text).collect::<Vec<_>>().join("\n")
            }
        }
    }
}
