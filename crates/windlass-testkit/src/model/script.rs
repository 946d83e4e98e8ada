//! What a test writes down.

use std::path::PathBuf;

use regex::Regex;

use super::turn::Turn;

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
    /// What anybody said after the last assistant turn, the CLI and its hooks included; without tool
    /// results.
    Last,
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
