//! From where a person decided, and how long they had what they decided about before them.
//!
//! The edge finds it out and the journal keeps it. Nothing follows from it: an answer at once may be
//! honest. It is for whoever asks later how closely somebody looked.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::time::Span;

/// From where a person decided, and how long after it was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Presence {
    /// From where.
    pub from: DecidedFrom,
    /// How long the gate or question had been on that screen; none where a command answered that did
    /// not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Span>,
    /// How long the gate had been open; none where no gate was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<Span>,
}

/// From where a person decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedFrom {
    /// The terminal that the command was called at, by the path of its device.
    Terminal(String),
    /// The session that hosts the run: its hook heard the person.
    Session,
    /// A process without a terminal: a script, a service, a job.
    NoTerminal,
}

impl Presence {
    /// Nothing is known but from where.
    pub fn from(from: DecidedFrom) -> Self {
        Self { from, shown: None, open: None }
    }

    /// Says it to people, to go on after the name: ` on pts/3, 41s after it was shown`.
    pub fn words(&self) -> String {
        let after = match (self.shown, self.open) {
            (Some(shown), _) => format!(", {shown} after it was shown"),
            (None, Some(open)) => format!(", {open} after the gate opened"),
            (None, None) => String::new(),
        };
        format!(" {}{after}", self.from)
    }
}

impl fmt::Display for DecidedFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Terminal(device) => {
                write!(f, "on {}", device.strip_prefix("/dev/").unwrap_or(device))
            }
            Self::Session => f.write_str("in the session"),
            Self::NoTerminal => f.write_str("without a terminal"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_in_a_few_words() {
        let mut at = Presence::from(DecidedFrom::Terminal("/dev/pts/3".to_owned()));
        assert_eq!(at.words(), " on pts/3");
        at.open = Some(Span::minutes(3));
        assert_eq!(at.words(), " on pts/3, 3m00s after the gate opened");
        at.shown = Some(Span::seconds(41));
        assert_eq!(at.words(), " on pts/3, 41s after it was shown");
        assert_eq!(Presence::from(DecidedFrom::NoTerminal).words(), " without a terminal");
        assert_eq!(Presence::from(DecidedFrom::Session).words(), " in the session");
    }
}
