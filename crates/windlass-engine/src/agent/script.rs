//! Scripts for the rehearsal agent.
//!
//! ```text
//! [implement]            what the agent does in every attempt of the step `implement`
//! say Working on it.
//! write src/answer.txt
//! | forty-two
//!
//! [implement#1]          what it does in its first attempt instead
//! lie
//! ```
//!
//! Lines that begin with `#` are comments. A command that is not known is refused, so that a
//! misspelt script fails loudly and is never taken for an agent that does nothing.

use std::collections::BTreeMap;

/// What a rehearsal agent does, by section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    sections: BTreeMap<String, Vec<Act>>,
}

/// One thing that a rehearsal agent does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Prints a line.
    Say(String),
    /// Writes a file.
    Write { path: String, text: String },
    /// Adds to a file.
    Append { path: String, text: String },
    /// Removes a file.
    Remove(String),
    /// Runs a shell command and goes on whatever its exit code is.
    Run(String),
    /// Publishes a context key.
    Context(String),
    /// Claims to be done without doing anything.
    Lie,
    /// Changes a file that judges the work.
    Cheat { path: String, text: String },
    /// Does nothing for ever.
    Stall,
    /// Computes for ever without a word.
    Spin,
    /// Dies by SIGKILL.
    Crash,
    /// Leaves a process behind that has left its session.
    ForkAndLinger,
    /// Ignores SIGTERM from here on.
    IgnoreTerm,
    /// Takes this many milliseconds.
    Think(u64),
    /// Waits until a file is there.
    WaitFor(String),
    /// Prints this many bytes.
    Chatter(u64),
    /// Exits with this code.
    Exit(u8),
}

/// What is wrong with a script.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ScriptError {
    /// Where.
    pub line: usize,
    /// What.
    pub message: String,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// A command is not known or incomplete.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut sections: BTreeMap<String, Vec<Act>> = BTreeMap::new();
        let mut current: Option<String> = None;
        for (index, line) in text.lines().enumerate() {
            let error = |message: String| ScriptError { line: index + 1, message };
            if let Some(more) = line.strip_prefix('|') {
                let acts = current.as_ref().and_then(|name| sections.get_mut(name));
                let last = acts.and_then(|acts| acts.last_mut());
                continue_text(last, more.strip_prefix(' ').unwrap_or(more)).map_err(error)?;
                continue;
            }
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                sections.entry(name.to_owned()).or_default();
                current = Some(name.to_owned());
                continue;
            }
            let act = parse_act(line).map_err(error)?;
            let Some(name) = &current else {
                return Err(error("a command stands before the first `[step]`".to_owned()));
            };
            sections.entry(name.clone()).or_default().push(act);
        }
        Ok(Self { sections })
    }

    /// Returns what the agent does in an attempt: its own section, else its step's.
    pub(super) fn acts(&self, step: &str, number: u32) -> Option<&[Act]> {
        let exact = self.sections.get(&format!("{step}#{number}"));
        exact.or_else(|| self.sections.get(step)).map(Vec::as_slice)
    }
}

fn continue_text(last: Option<&mut Act>, line: &str) -> Result<(), String> {
    match last {
        Some(Act::Write { text, .. } | Act::Append { text, .. } | Act::Cheat { text, .. }) => {
            text.push_str(line);
            text.push('\n');
            Ok(())
        }
        _ => Err("`|` continues `write`, `append` or `cheat`, and nothing else".to_owned()),
    }
}

fn parse_act(line: &str) -> Result<Act, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let needs = |what: &str| {
        if rest.is_empty() { Err(format!("`{word}` needs {what}")) } else { Ok(rest.to_owned()) }
    };
    let file = || -> Result<(String, String), String> {
        let rest = needs("a path")?;
        let (path, text) = rest.split_once(' ').unwrap_or((&rest, ""));
        let text = if text.is_empty() { String::new() } else { format!("{}\n", text.trim()) };
        Ok((path.to_owned(), text))
    };
    Ok(match word {
        "say" => Act::Say(rest.to_owned()),
        "write" => file().map(|(path, text)| Act::Write { path, text })?,
        "append" => file().map(|(path, text)| Act::Append { path, text })?,
        "cheat" => file().map(|(path, text)| Act::Cheat { path, text })?,
        "remove" => Act::Remove(needs("a path")?),
        "run" => Act::Run(needs("a command")?),
        "context" => Act::Context(needs("KEY=VALUE")?),
        "wait-for" => Act::WaitFor(needs("a path")?),
        "think" => Act::Think(rest.parse().map_err(|_| "`think` needs milliseconds")?),
        "chatter" => Act::Chatter(rest.parse().map_err(|_| "`chatter` needs a number")?),
        "exit" => Act::Exit(rest.parse().map_err(|_| "`exit` needs a code from 0 to 255")?),
        "lie" => Act::Lie,
        "stall" => Act::Stall,
        "spin" => Act::Spin,
        "crash" => Act::Crash,
        "fork-and-linger" => Act::ForkAndLinger,
        "ignore-term" => Act::IgnoreTerm,
        _ => return Err(format!("`{word}` is not a command of the rehearsal agent")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_has_its_own_section_or_its_steps() {
        let script =
            Script::parse("[a]\nlie\n[a#2]\nwrite x.txt\n| one\n|  two\nexit 3\n").unwrap();
        assert_eq!(script.acts("a", 1), Some(&[Act::Lie][..]));
        let written = Act::Write { path: "x.txt".to_owned(), text: "one\n two\n".to_owned() };
        assert_eq!(script.acts("a", 2), Some(&[written, Act::Exit(3)][..]));
        assert_eq!(script.acts("b", 1), None);
    }

    #[test]
    fn what_is_not_known_is_refused_with_its_line() {
        for (text, line) in [
            ("[a]\nlei", 2),
            ("lie", 1),
            ("[a]\n| text", 2),
            ("[a]\nexit x", 2),
            ("[a]\nthink hard", 2),
            ("[a]\n\nrun", 3),
        ] {
            assert_eq!(Script::parse(text).unwrap_err().line, line, "{text}");
        }
    }
}
