//! Who caused an input.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::AttemptId;

/// Who caused an input. Stored as `engine`, `agent:<attempt>` or `person:<name>`.
///
/// Only [`Actor::Person`] carries authority: whoever makes one has to know that a person decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Actor {
    /// The engine itself reports.
    Engine,
    /// An agent speaks, during the attempt of this name.
    Agent(String),
    /// A person of this name decided.
    Person(String),
}

/// A text that names no actor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither `engine` nor `agent:ATTEMPT` nor `person:NAME`")]
pub struct UnknownActor(pub String);

impl Actor {
    /// Returns the engine, which reports what it observed.
    pub fn engine() -> Self {
        Self::Engine
    }

    /// Returns the agent of an attempt.
    pub fn agent(attempt: &AttemptId) -> Self {
        Self::Agent(attempt.to_string())
    }

    /// Returns a person, who decided.
    pub fn person(name: &str) -> Self {
        Self::Person(name.to_owned())
    }

    /// Returns the person's name, if it is a person.
    pub fn as_person(&self) -> Option<&str> {
        match self {
            Self::Person(name) => Some(name),
            Self::Engine | Self::Agent(_) => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine => f.write_str("engine"),
            Self::Agent(attempt) => write!(f, "agent:{attempt}"),
            Self::Person(name) => write!(f, "person:{name}"),
        }
    }
}

impl FromStr for Actor {
    type Err = UnknownActor;

    fn from_str(text: &str) -> Result<Self, UnknownActor> {
        match text.split_once(':') {
            None if text == "engine" => Ok(Self::Engine),
            Some(("agent", attempt)) => Ok(Self::Agent(attempt.to_owned())),
            Some(("person", name)) => Ok(Self::Person(name.to_owned())),
            None | Some(_) => Err(UnknownActor(text.to_owned())),
        }
    }
}

impl From<Actor> for String {
    fn from(actor: Actor) -> Self {
        actor.to_string()
    }
}

impl TryFrom<String> for Actor {
    type Error = UnknownActor;

    fn try_from(text: String) -> Result<Self, UnknownActor> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_is_read_back_as_it_was_written() {
        for actor in [Actor::Engine, Actor::Agent("plan#1".into()), Actor::Person("a: b".into())] {
            assert_eq!(actor.to_string().parse(), Ok(actor));
        }
    }

    #[test]
    fn a_text_that_only_looks_like_a_person_is_none() {
        for text in ["", "engine:", "Person:ann", "person", " person:ann", "agents:plan#1"] {
            assert_eq!(text.parse::<Actor>(), Err(UnknownActor(text.to_owned())));
        }
    }
}
