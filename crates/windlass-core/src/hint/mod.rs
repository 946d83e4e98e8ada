//! What a command reached for outside its room: found in its output, told to people, and what would open
//! it, as data.
//!
//! [`reach`] reads an output; the edge looks which of the [`Reached`] are really there and makes a [`Hint`]
//! of each. [`Opening`] is the line that a workflow needs, and what speaks against taking it unasked.

mod opening;
mod reach;

pub use opening::Opening;
pub use reach::{Reached, lacks_network, reach};

use serde::{Deserialize, Serialize};

/// One thing that a failing command seems to have reached for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Form", into = "Form")]
pub enum Hint {
    /// A service on loopback that refused: that of the room is empty.
    Service {
        /// Its port.
        port: u16,
        /// Whether the machine has one there.
        listens: bool,
    },
    /// A host of the network.
    Host {
        /// Its name, where the output has it.
        name: Option<String>,
    },
    /// A file or folder of the machine, as a workflow writes it: absolute, or below `~/`.
    File {
        /// The path.
        path: String,
        /// Whether it is a socket, so that a program answers behind it.
        socket: bool,
    },
    /// A file of the checkout that git ignores, relative to the repository.
    Ignored {
        /// The path.
        path: String,
    },
    /// What a windlass before this one wrote: words alone.
    Told(String),
}

/// How a hint is stored: an older windlass stored its words.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Told(String),
    Kind(Kind),
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Kind {
    Service {
        port: u16,
        listens: bool,
    },
    Host {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    File {
        path: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        socket: bool,
    },
    Ignored {
        path: String,
    },
}

impl From<Form> for Hint {
    fn from(form: Form) -> Self {
        match form {
            Form::Told(words) => Self::Told(words),
            Form::Kind(Kind::Service { port, listens }) => Self::Service { port, listens },
            Form::Kind(Kind::Host { name }) => Self::Host { name },
            Form::Kind(Kind::File { path, socket }) => Self::File { path, socket },
            Form::Kind(Kind::Ignored { path }) => Self::Ignored { path },
        }
    }
}

impl From<Hint> for Form {
    fn from(hint: Hint) -> Self {
        match hint {
            Hint::Told(words) => Self::Told(words),
            Hint::Service { port, listens } => Self::Kind(Kind::Service { port, listens }),
            Hint::Host { name } => Self::Kind(Kind::Host { name }),
            Hint::File { path, socket } => Self::Kind(Kind::File { path, socket }),
            Hint::Ignored { path } => Self::Kind(Kind::Ignored { path }),
        }
    }
}

impl Hint {
    /// Returns what would open it; nothing where no line would help.
    pub fn opening(&self) -> Option<Opening> {
        match self {
            Self::Service { listens: true, .. } => Some(Opening::HostNetwork),
            Self::File { path, socket } => {
                Some(Opening::Expose { path: path.clone(), socket: *socket })
            }
            Self::Ignored { path } => Some(Opening::Carry { path: path.clone() }),
            Self::Service { listens: false, .. } | Self::Host { .. } | Self::Told(_) => None,
        }
    }

    /// Says what it reached for, without what would help.
    pub fn what(&self) -> String {
        match self {
            Self::Service { port, .. } => {
                format!("it looked for a service on port {port}, which is outside the room")
            }
            Self::Host { name: Some(name) } => {
                format!("it looked for the host `{name}`, and checks have no network")
            }
            Self::Host { name: None } => {
                "it looked for a host of the network, and checks have none".to_owned()
            }
            Self::File { path, socket: true } => {
                format!("it looked for the program behind `{path}`, which is outside the room")
            }
            Self::File { path, socket: false } => {
                format!("it looked for `{path}`, which is outside the room")
            }
            Self::Ignored { path } => {
                format!("it looked for `{path}`, which git ignores, so that no room has it")
            }
            Self::Told(words) => words.clone(),
        }
    }

    /// Says what it reached for, and the line that helps.
    pub fn words(&self) -> String {
        let help = match self {
            Self::Service { listens: false, .. } => {
                "nothing listens there on this machine either: start it, and put `network: host` on \
                 the check"
                    .to_owned()
            }
            Self::Host { .. } => "let `prepare` fetch what is needed, or put `network: host` on the \
                                  check"
                .to_owned(),
            Self::Told(words) => return words.clone(),
            Self::Service { .. } | Self::File { .. } | Self::Ignored { .. } => match self.opening() {
                Some(opening) => format!("`{}` {}", opening.line(), opening.does()),
                None => return self.what(),
            },
        };
        format!("{}: {help}", self.what())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_data_and_words_of_an_older_windlass_are_still_read() {
        let hints = vec![
            Hint::Service { port: 5432, listens: true },
            Hint::Host { name: None },
            Hint::File { path: "/opt/data".to_owned(), socket: false },
            Hint::Ignored { path: ".env.test".to_owned() },
            Hint::Told("it looked for something".to_owned()),
        ];
        let text = serde_json::to_string(&hints).unwrap();
        assert_eq!(
            text,
            r#"[{"kind":"service","port":5432,"listens":true},{"kind":"host"},{"kind":"file","path":"/opt/data"},{"kind":"ignored","path":".env.test"},"it looked for something"]"#
        );
        assert_eq!(serde_json::from_str::<Vec<Hint>>(&text).unwrap(), hints);
    }

    #[test]
    fn a_hint_says_the_line_that_helps_and_none_where_none_would() {
        let words = |hint: Hint| hint.words();
        assert!(words(Hint::Service { port: 5432, listens: true }).contains("`network: host`"));
        let nobody = Hint::Service { port: 5432, listens: false };
        assert!(nobody.opening().is_none() && nobody.words().contains("start it"));
        let file = Hint::File { path: "/opt/data".to_owned(), socket: false };
        assert!(file.words().contains("`room: {expose: [/opt/data]}`"), "{}", file.words());
        let ignored = Hint::Ignored { path: "a.cfg".to_owned() };
        assert!(ignored.words().contains("`carry: [a.cfg]`"), "{}", ignored.words());
    }
}
