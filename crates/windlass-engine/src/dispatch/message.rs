//! What reaches the driver.

use std::sync::mpsc::SyncSender;

use windlass_core::id::AttemptId;
use windlass_core::run::{Effect, InputKind, Presence};
use windlass_core::snapshot::Snapshot;

use crate::store::{InboxId, NewPass};

use super::request::Request;
use super::socket::AgentAnswer;
use super::worker::WorkerError;

/// What reaches the driver.
pub(super) enum Message {
    /// An effect came to its end.
    Performed(Effect, Box<Result<Report, WorkerError>>),
    /// The files were looked at for a person's decision.
    Observed(Looked, Result<(Snapshot, Vec<String>), WorkerError>),
    /// Something is in the inbox.
    Ring,
    /// An agent wants to set a context key; its call waits for the answer.
    Context {
        attempt: AttemptId,
        key: String,
        value: serde_json::Value,
        answer: SyncSender<AgentAnswer>,
    },
    /// A running agent wants to read the context; its call waits for the answer.
    ContextRead(AttemptId, SyncSender<serde_json::Value>),
    /// An agent adds or changes an item; its call waits for the answer.
    Item { attempt: AttemptId, input: InputKind, answer: SyncSender<AgentAnswer> },
    /// A running agent wants to read the items; its call waits for the answer.
    ItemsRead(SyncSender<serde_json::Value>),
    /// A person pressed Ctrl-C.
    Interrupt,
    /// A worker's thread ended in the middle of something: what it had in hand is never reported.
    WorkerDied,
}

/// What an effect reports.
pub(super) struct Report {
    pub(super) input: InputKind,
    pub(super) passes: Vec<NewPass>,
}

impl From<InputKind> for Report {
    fn from(input: InputKind) -> Self {
        Self { input, passes: Vec::new() }
    }
}

/// The request for which the files were looked at.
pub(super) struct Looked {
    pub(super) item: InboxId,
    pub(super) actor: String,
    pub(super) request: Request,
    pub(super) presence: Option<Presence>,
}
