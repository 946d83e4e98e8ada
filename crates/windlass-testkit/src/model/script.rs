//! What a test writes down.

use std::path::PathBuf;
use std::time::Duration;

use regex::Regex;
use serde_json::Value;

/// How many requests a server answers unless the script says otherwise: an agent that goes round in
/// circles ends.
const MOST_REQUESTS: usize = 300;

/// A part of a request that a pattern is looked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What the user side said before the first assistant turn.
    FirstUser,
    /// What the user side said after the last assistant turn; without tool results.
    LastUser,
    /// System and developer texts, wherever they stand.
    System,
    /// The tool results after the last assistant turn.
    LastResults,
    /// The names of the tools that are offered, one a line: `^$` finds a request that offers none, as
    /// those that only ask for a title.
    Tools,
    /// The model's name.
    Model,
}

/// What the model says to whom.
#[derive(Clone, Debug)]
pub struct Script {
    pub(super) lanes: Vec<Lane>,
    pub(super) most_requests: usize,
    pub(super) outside_may_be_tried: bool,
}

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}

impl Script {
    /// A script that answers nothing.
    pub fn new() -> Self {
        Self { lanes: Vec::new(), most_requests: MOST_REQUESTS, outside_may_be_tried: false }
    }

    /// Adds a lane; the first lane that takes a request answers it.
    #[must_use]
    pub fn lane(mut self, lane: Lane) -> Self {
        self.lanes.push(lane);
        self
    }

    /// A try to get out through the proxy is refused and remembered, and does not fail the test.
    #[must_use]
    pub fn outside_may_be_tried(mut self) -> Self {
        self.outside_may_be_tried = true;
        self
    }

    /// Answers at most so many requests; one more is an error.
    #[must_use]
    pub fn at_most(mut self, requests: usize) -> Self {
        self.most_requests = requests;
        self
    }
}

/// The turns of one conversation.
#[derive(Clone, Debug)]
pub struct Lane {
    pub(super) name: String,
    pub(super) conditions: Vec<(Part, Regex)>,
    pub(super) told: Option<Regex>,
    pub(super) captures: Vec<(Part, Regex)>,
    pub(super) turns: Vec<Turn>,
    pub(super) otherwise: Option<Turn>,
    pub(super) first: Vec<Turn>,
    pub(super) counted: bool,
    pub(super) place: Option<PathBuf>,
}

impl Lane {
    /// A lane for the requests whose first user message has this text.
    pub fn when_first_user_has(text: &str) -> Self {
        Self::all().named(text).and_has(Part::FirstUser, text)
    }

    /// A lane for the requests whose last user message has this text.
    pub fn when_last_user_has(text: &str) -> Self {
        Self::all().named(text).and_has(Part::LastUser, text)
    }

    /// A lane for the requests whose system text has this text.
    pub fn when_system_has(text: &str) -> Self {
        Self::all().named(text).and_has(Part::System, text)
    }

    /// A lane for the requests in which the user side has said this text anywhere, and whose turns are
    /// numbered from there. It is the lane for a prompt that resumes a conversation: a killed Claude
    /// Code adds an assistant turn of its own, and may have lost the last tool result. Put it before
    /// the lane of the first prompt.
    pub fn when_told(text: &str) -> Self {
        let told = Some(compiled(&regex::escape(text)));
        Self { told, ..Self::all().named(text) }
    }

    /// A lane for the requests where this pattern is found in that part.
    pub fn when(part: Part, pattern: &str) -> Self {
        Self::all().named(pattern).and(part, pattern)
    }

    /// A lane that takes every request.
    pub fn all() -> Self {
        Self {
            name: "all".to_owned(),
            conditions: Vec::new(),
            told: None,
            captures: Vec::new(),
            turns: Vec::new(),
            otherwise: None,
            first: Vec::new(),
            counted: false,
            place: None,
        }
    }

    /// A name for the log; the first pattern unless it is given.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Takes only requests where this pattern, too, is found in that part.
    #[must_use]
    pub fn and(mut self, part: Part, pattern: &str) -> Self {
        self.conditions.push((part, compiled(pattern)));
        self
    }

    /// Takes only requests where this text, too, stands in that part.
    #[must_use]
    pub fn and_has(self, part: Part, text: &str) -> Self {
        self.and(part, &regex::escape(text))
    }

    /// Finds words for replies without choosing requests by them. A later pattern's group replaces an
    /// earlier one's of the same name or number.
    #[must_use]
    pub fn capture(mut self, part: Part, pattern: &str) -> Self {
        self.captures.push((part, compiled(pattern)));
        self
    }

    /// Adds the next turn.
    #[must_use]
    pub fn turn(mut self, turn: Turn) -> Self {
        self.turns.push(turn);
        self
    }

    /// Answers every turn behind the last one with this.
    #[must_use]
    pub fn then_always(mut self, turn: Turn) -> Self {
        self.otherwise = Some(turn);
        self
    }

    /// Answers the first requests of this lane with `turn`, so many times, whatever turn they are at.
    #[must_use]
    pub fn failing_first(mut self, times: usize, turn: &Turn) -> Self {
        self.first.extend(std::iter::repeat_n(turn.clone(), times));
        self
    }

    /// Numbers turns by the requests this lane has answered. Only for conversations whose history is
    /// rewritten, as by a compaction: a retry gets the next turn.
    #[must_use]
    pub fn counted(mut self) -> Self {
        self.counted = true;
        self
    }

    /// The agent's working directory, where its requests do not state it.
    #[must_use]
    pub fn place(mut self, folder: impl Into<PathBuf>) -> Self {
        self.place = Some(folder.into());
        self
    }
}

fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| panic!("a script's pattern: {error}"))
}

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
