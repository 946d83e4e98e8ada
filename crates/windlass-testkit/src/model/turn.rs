//! One answer of the model, as a test writes it down.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

/// One answer of the model.
#[derive(Clone, Debug)]
pub struct Turn {
    pub(super) answer: Answer,
    pub(super) usage: (u64, u64),
    pub(super) first: Vec<Turn>,
    pub(super) before: Option<Pause>,
    pub(super) midway: Option<Pause>,
    pub(super) cut: Option<Cut>,
}

#[derive(Clone, Debug)]
pub(super) enum Answer {
    Acts(Vec<Act>),
    Status { status: u16, headers: Vec<(String, String)>, message: String, body: Option<Value> },
    StreamError { kind: String, message: String },
    Drop,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
    Say(String),
    Tool { name: String, namespace: Option<String>, input: Value },
    Write { path: String, text: String },
    Shell(String),
}

#[derive(Clone, Debug)]
pub(super) enum Pause {
    For(Duration),
    UntilFile(PathBuf),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The connection breaks.
    Broken,
    /// The reply ends properly, without the events that should end it.
    Short,
}

/// A turn that says something.
pub fn say(text: &str) -> Turn {
    Turn::new(Answer::Acts(Vec::new())).say(text)
}

/// A turn that writes a file.
pub fn write(path: &str, text: &str) -> Turn {
    Turn::new(Answer::Acts(Vec::new())).write(path, text)
}

/// A turn that runs a command.
pub fn shell(command: &str) -> Turn {
    Turn::new(Answer::Acts(Vec::new())).shell(command)
}

/// A turn that calls a tool by the CLI's own name for it.
pub fn tool(name: &str, input: Value) -> Turn {
    Turn::new(Answer::Acts(Vec::new())).tool(name, input)
}

/// A turn that fails with this HTTP status and a body as the provider words it.
pub fn http(status: u16) -> Turn {
    let message = format!("scripted status {status}");
    Turn::new(Answer::Status { status, headers: Vec::new(), message, body: None })
}

/// A turn that begins a stream and sends an error in it: `overloaded_error`, say, or for Codex
/// `context_length_exceeded`.
pub fn stream_error(kind: &str, message: &str) -> Turn {
    Turn::new(Answer::StreamError { kind: kind.to_owned(), message: message.to_owned() })
}

/// A turn that breaks the connection before a byte is sent.
pub fn drop_connection() -> Turn {
    Turn::new(Answer::Drop)
}

impl Turn {
    fn new(answer: Answer) -> Self {
        Self { answer, usage: (100, 10), first: Vec::new(), before: None, midway: None, cut: None }
    }

    fn act(mut self, act: Act) -> Self {
        match &mut self.answer {
            Answer::Acts(acts) => acts.push(act),
            other => panic!("a turn that fails cannot act as well: {other:?}"),
        }
        self
    }

    /// Says something.
    #[must_use]
    pub fn say(self, text: &str) -> Self {
        self.act(Act::Say(text.to_owned()))
    }

    /// Writes a file by the tool that this CLI has for it; relative to the working directory.
    #[must_use]
    pub fn write(self, path: &str, text: &str) -> Self {
        self.act(Act::Write { path: path.to_owned(), text: text.to_owned() })
    }

    /// Runs a command by the tool that this CLI has for it.
    #[must_use]
    pub fn shell(self, command: &str) -> Self {
        self.act(Act::Shell(command.to_owned()))
    }

    /// Calls a tool by the CLI's own name for it.
    #[must_use]
    pub fn tool(self, name: &str, input: Value) -> Self {
        self.act(Act::Tool { name: name.to_owned(), namespace: None, input })
    }

    /// Calls a tool of a namespace, as Codex has them.
    #[must_use]
    pub fn tool_of(self, namespace: &str, name: &str, input: Value) -> Self {
        let namespace = Some(namespace.to_owned());
        self.act(Act::Tool { name: name.to_owned(), namespace, input })
    }

    /// The tokens that this turn is said to have used; 100 and 10 unless given.
    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = (input, output);
        self
    }

    /// Answers the first requests at this turn with `turn`, so many times, and then goes on.
    #[must_use]
    pub fn failing_first(mut self, times: usize, turn: &Turn) -> Self {
        self.first.extend(std::iter::repeat_n(turn.clone(), times));
        self
    }

    /// Sends nothing until this file exists. Ends without an answer when the CLI goes away.
    #[must_use]
    pub fn until_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.before = Some(Pause::UntilFile(path.into()));
        self
    }

    /// Sends half of the stream, and the rest when this file exists.
    #[must_use]
    pub fn midway_until_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.midway = Some(Pause::UntilFile(path.into()));
        self
    }

    /// Sends nothing for this long; where a test can, it waits for a file instead.
    #[must_use]
    pub fn delay(mut self, time: Duration) -> Self {
        self.before = Some(Pause::For(time));
        self
    }

    /// Breaks the connection in the middle of the stream. Whether the CLI has read the first half by
    /// then is chance, unless [`Turn::midway_until_file`] waits for a sign of it. Claude Code keeps a
    /// half that it has read as a turn and asks for the rest in the next one; all else is retried.
    #[must_use]
    pub fn broken_midway(mut self) -> Self {
        self.cut = Some(Cut::Broken);
        self
    }

    /// Ends the stream in its middle without an error.
    #[must_use]
    pub fn short(mut self) -> Self {
        self.cut = Some(Cut::Short);
        self
    }

    /// Adds a header to an HTTP failure.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        match &mut self.answer {
            Answer::Status { headers, .. } => headers.push((name.to_owned(), value.to_owned())),
            other => panic!("only a turn with a status has headers: {other:?}"),
        }
        self
    }

    /// The message of an HTTP failure, in the body that the provider would send.
    #[must_use]
    pub fn message(mut self, text: &str) -> Self {
        match &mut self.answer {
            Answer::Status { message, .. } => text.clone_into(message),
            other => panic!("only a turn with a status has a message of its own: {other:?}"),
        }
        self
    }

    /// The whole body of an HTTP failure.
    #[must_use]
    pub fn body(mut self, value: Value) -> Self {
        match &mut self.answer {
            Answer::Status { body, .. } => *body = Some(value),
            other => panic!("only a turn with a status has a body: {other:?}"),
        }
        self
    }
}
