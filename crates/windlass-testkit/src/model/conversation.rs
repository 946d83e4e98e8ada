//! What a request says, whatever its protocol.

use regex::Regex;
use serde_json::Value;

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call it answers; Gemini has names only.
    pub call: String,
    /// What the model reads.
    pub text: String,
    /// Whether the CLI said that it failed; only Claude Code says so.
    pub failed: bool,
}

/// One thing in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    System(String),
    User(String),
    Assistant,
    Result(ToolResult),
}

/// A conversation, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Conversation {
    pub(super) model: String,
    pub(super) tools: Vec<String>,
    pub(super) entries: Vec<Entry>,
}

impl Conversation {
    /// The number of assistant turns: neighbouring assistant entries are one turn.
    pub(super) fn turns(&self) -> usize {
        turns(&self.entries)
    }

    /// The number of assistant turns since the user side last said this; none when it never did.
    pub(super) fn turns_since(&self, told: &Regex) -> Option<usize> {
        let said = |entry: &Entry| matches!(entry, Entry::User(text) if told.is_match(text));
        let index = self.entries.iter().rposition(said)?;
        Some(turns(&self.entries[index..]))
    }

    fn after_last_turn(&self) -> &[Entry] {
        let last = self.entries.iter().rposition(|entry| *entry == Entry::Assistant);
        &self.entries[last.map_or(0, |index| index + 1)..]
    }

    fn before_first_turn(&self) -> &[Entry] {
        let first = self.entries.iter().position(|entry| *entry == Entry::Assistant);
        &self.entries[..first.unwrap_or(self.entries.len())]
    }

    pub(super) fn first_user(&self) -> String {
        users(self.before_first_turn()).join("\n")
    }

    pub(super) fn last_user(&self) -> String {
        users(self.after_last_turn()).join("\n")
    }

    pub(super) fn last_said(&self) -> String {
        let texts = self.after_last_turn().iter().filter_map(|entry| match entry {
            Entry::System(text) | Entry::User(text) => Some(text.as_str()),
            Entry::Assistant | Entry::Result(_) => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    pub(super) fn user_texts(&self) -> Vec<String> {
        users(&self.entries)
    }

    pub(super) fn system(&self) -> String {
        let texts = self.entries.iter().filter_map(|entry| match entry {
            Entry::System(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    pub(super) fn results(&self) -> Vec<ToolResult> {
        results(&self.entries)
    }

    pub(super) fn last_results(&self) -> Vec<ToolResult> {
        results(self.after_last_turn())
    }

    /// The agent's working directory, as the CLIs state it; the last statement counts, because an
    /// agent can move into another one.
    pub(super) fn folder(&self) -> Option<String> {
        // Claude Code, also with --bare; Codex; Gemini CLI; Qwen Code; opencode.
        const SAID: &str = concat!(
            r"(?m)(?:^ ?- Primary working directory: (?<claude>/.*)$",
            r"|^CWD: (?<bare>/.*)$",
            r"|<cwd>(?<codex>/[^<]*)</cwd>",
            r"|Workspace Directories:\*\*\s*- (?<gemini>/.*)$",
            r"|working in the directory: (?<qwen>/.*)$",
            r"|^\s*Working directory: (?<opencode>/.*)$)"
        );
        let said = Regex::new(SAID).expect("a pattern");
        let texts = self.entries.iter().filter_map(|entry| match entry {
            Entry::System(text) | Entry::User(text) => Some(text.as_str()),
            _ => None,
        });
        let found = texts.flat_map(|text| said.captures_iter(text)).last()?;
        let group = found.iter().skip(1).flatten().next()?;
        Some(group.as_str().trim_end().to_owned())
    }
}

fn turns(entries: &[Entry]) -> usize {
    let mut turns = 0;
    let mut inside = false;
    for entry in entries {
        match entry {
            Entry::Assistant => {
                turns += usize::from(!inside);
                inside = true;
            }
            Entry::User(_) | Entry::Result(_) => inside = false,
            // Claude Code puts environment texts anywhere.
            Entry::System(_) => {}
        }
    }
    turns
}

fn users(entries: &[Entry]) -> Vec<String> {
    let texts = entries.iter().filter_map(|entry| match entry {
        Entry::User(text) => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}

fn results(entries: &[Entry]) -> Vec<ToolResult> {
    let found = entries.iter().filter_map(|entry| match entry {
        Entry::Result(result) => Some(result.clone()),
        _ => None,
    });
    found.collect()
}

/// The text of a string, of an object with `text`, or of a list of those.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(object) => match object.get("text").or_else(|| object.get("content")) {
            Some(inner) => text_of(inner),
            None => value.to_string(),
        },
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A list, or nothing.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A string, or an empty one.
pub(super) fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
