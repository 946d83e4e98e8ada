//! What the client prints: one JSON object per line.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use windlass_core::time::Timestamp;

/// Something that happened in the turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event {
    /// The agent is there and has a session.
    Started {
        agent: Option<String>,
        version: Option<String>,
        session: String,
        /// Whether an earlier conversation goes on.
        resumed: bool,
    },
    /// The session uses this model.
    Model { model: String },
    /// The agent said something.
    Text { text: String },
    /// The agent began or ended a tool call.
    Tool { title: String, kind: String, status: String },
    /// The agent asked, and this was the answer.
    Permission { tool: String, decision: Decision, why: Option<String> },
    /// Something from the agent had no effect.
    Ignored { what: String },
    /// What the turn used.
    Usage { input_tokens: Option<u64>, output_tokens: Option<u64> },
    /// The turn is over.
    Ended { stop_reason: String },
    /// There was no turn, or it broke off.
    Failed(Failure),
}

impl Event {
    /// Prints it as one line.
    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        out.write_all(&line)?;
        out.flush()
    }
}

/// What the answer to a question of the agent was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decision {
    Allowed,
    Denied,
}

/// Why there was no turn, or why it broke off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    /// The code of the protocol's error.
    pub(super) code: Option<i64>,
    pub(super) message: String,
    /// When the provider said that its limit ends.
    pub(super) resets_at: Option<Timestamp>,
}

impl Failure {
    pub(super) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, code: None, message: message.into(), resets_at: None }
    }
}

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FailureKind {
    /// The program could not be started.
    Start,
    /// It speaks another version of the protocol.
    Version,
    /// It does not keep to the protocol.
    Protocol,
    /// It ended before its turn was over.
    Died,
    /// It is not signed in.
    Auth,
    /// A provider's limit.
    Limit,
    /// It said that something else went wrong.
    Other,
}
