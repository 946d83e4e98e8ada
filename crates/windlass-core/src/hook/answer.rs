//! The answer to a hook call, in the words of each host.
//!
//! Codex refuses an answer with a key that it does not know, as if there were none, so each host gets
//! its own JSON.

use serde_json::{Value, json};

use super::HookEvent;
use crate::run::HostKind;

/// What a hook call is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Nothing: the host goes on as it would.
    Nothing,
    /// The tool is not called, and why.
    Deny(String),
    /// The tool is called, with this input where there is one, and nobody is asked.
    Allow(Option<Value>),
    /// The tool is called with this input, if the host's own rules let it.
    Rewrite(Value),
    /// The session or subagent does not stop, and what it does instead.
    SendOn(String),
    /// It does not stop, and what it does instead; people are told the second text.
    SendOnTelling(String, String),
    /// It stops; people are told this.
    LetGo(String),
    /// The model is told this besides.
    Context(String),
    /// The person's message does not reach the model, and why.
    Refuse(String),
}

impl Answer {
    /// Returns what is printed; none for no answer.
    pub fn render(&self, host: HostKind, event: HookEvent) -> Option<Value> {
        let specific = |key: &str, value: Value| json!({"hookSpecificOutput": {"hookEventName": event.name(), key: value}});
        match self {
            Self::Nothing => None,
            Self::Deny(reason) => {
                let mut output = specific("permissionDecision", "deny".into());
                output["hookSpecificOutput"]["permissionDecisionReason"] = json!(reason);
                Some(output)
            }
            Self::Allow(input) => {
                let mut output = specific("permissionDecision", "allow".into());
                if let Some(input) = input {
                    output["hookSpecificOutput"]["updatedInput"] = input.clone();
                }
                Some(output)
            }
            // Codex takes a new input only together with a decision.
            Self::Rewrite(input) if host == HostKind::Codex => {
                Self::Allow(Some(input.clone())).render(host, event)
            }
            Self::Rewrite(input) => Some(specific("updatedInput", input.clone())),
            Self::SendOn(reason) => Some(json!({"decision": "block", "reason": reason})),
            Self::SendOnTelling(reason, told) => {
                Some(json!({"decision": "block", "reason": reason, "systemMessage": told}))
            }
            Self::LetGo(message) => {
                (!message.is_empty()).then(|| json!({"systemMessage": message}))
            }
            Self::Context(text) => Some(specific("additionalContext", text.as_str().into())),
            Self::Refuse(reason) => Some(json!({"decision": "block", "reason": reason})),
        }
    }

    /// Returns the decision in one word, for the hook log.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Deny(_) => "deny",
            Self::Allow(_) => "allow",
            Self::Rewrite(_) => "rewrite",
            Self::SendOn(_) | Self::SendOnTelling(..) => "send_on",
            Self::LetGo(_) => "let_go",
            Self::Context(_) => "context",
            Self::Refuse(_) => "refuse",
        }
    }

    /// Returns why, for the hook log.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Deny(text)
            | Self::SendOn(text)
            | Self::SendOnTelling(text, _)
            | Self::LetGo(text)
            | Self::Context(text)
            | Self::Refuse(text) => Some(text),
            Self::Nothing | Self::Allow(_) | Self::Rewrite(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_is_answered_with_keys_that_it_knows() {
        let deny = Answer::Deny("no".to_owned()).render(HostKind::Codex, HookEvent::PreToolUse);
        assert_eq!(
            deny.unwrap(),
            json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
                "permissionDecision": "deny", "permissionDecisionReason": "no"}})
        );
        let gone = Answer::LetGo("bye".to_owned());
        for host in [HostKind::Claude, HostKind::Codex] {
            let told = gone.render(host, HookEvent::Stop).unwrap();
            assert_eq!(told, json!({"systemMessage": "bye"}));
        }
        let input = json!({"command": "true"});
        let codex = Answer::Rewrite(input.clone()).render(HostKind::Codex, HookEvent::PreToolUse);
        assert_eq!(codex.unwrap()["hookSpecificOutput"]["permissionDecision"], "allow");
        let claude = Answer::Rewrite(input).render(HostKind::Claude, HookEvent::PreToolUse);
        assert_eq!(claude.unwrap()["hookSpecificOutput"].get("permissionDecision"), None);
    }
}
