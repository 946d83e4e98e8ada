//! Everything that is printed is printed here: data on standard output, the rest on standard error.
//!
//! A reader that goes away (`windlass log | head`) ends the output and nothing else.

use std::borrow::Cow;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_core::view::{Lines, printable, printable_json};

use crate::error::{CommandError, EXIT_USAGE};
use crate::lines;
use crate::pager::Pager;

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Colour {
    /// At a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`; with `CLICOLOR_FORCE` always.
    #[default]
    Auto,
    /// Whatever the environment says.
    Always,
    /// Not at all.
    Never,
}

impl Colour {
    /// What the environment says, in the order of who outranks whom: the command line, `NO_COLOR`,
    /// `CLICOLOR_FORCE`, `TERM`, and whether somebody looks.
    fn is_on(self, variable: impl Fn(&str) -> Option<String>, terminal: bool) -> bool {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if set("NO_COLOR").is_some() => false,
            Self::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            Self::Auto => terminal && set("TERM").is_none_or(|term| term != "dumb"),
        }
    }
}

/// How much is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Errors, what was asked for, and the last line.
    Quiet,
    #[default]
    Normal,
    /// Also what usually only the machine needs to know.
    Verbose,
}

/// Where output goes.
#[derive(Clone)]
pub(crate) struct Output {
    json: bool,
    colour: bool,
    terminal: bool,
    verbosity: Verbosity,
    pager: Option<Arc<Mutex<Pager>>>,
}

impl Output {
    pub(crate) fn new(json: bool, colour: Colour, verbosity: Verbosity) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let colour = colour.is_on(|name| std::env::var(name).ok(), terminal);
        Self { json, colour, terminal, verbosity, pager: None }
    }

    /// Sends all further data through a pager, where somebody reads at a terminal.
    pub(crate) fn page(&mut self) {
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        if self.terminal && !self.json && !dumb {
            self.pager = Pager::start().map(|pager| Arc::new(Mutex::new(pager)));
        }
    }

    /// Waits until the person has read what the pager shows.
    pub(crate) fn end_paging(&mut self) {
        self.pager = None;
    }

    /// How much is to be said.
    pub(crate) fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// Says something about the way, on standard error, unless only the end is wanted.
    pub(crate) fn remark(&self, text: &str) {
        if self.verbosity != Verbosity::Quiet {
            note(text);
        }
    }

    /// Text of others as it may be printed: exact into files and pipes, harmless at a terminal.
    pub(crate) fn foreign<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.terminal { Cow::Owned(printable(text, Lines::Many)) } else { Cow::Borrowed(text) }
    }

    /// Whether somebody looks at standard output.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Whether machine-readable output is wanted.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether colours may be used.
    pub(crate) fn has_colour(&self) -> bool {
        self.colour
    }

    /// Prints a line of data; lines that are drawn anew stay below it.
    pub(crate) fn data(&mut self, text: &str) {
        if let Some(pager) = &self.pager {
            pager.lock().unwrap_or_else(PoisonError::into_inner).line(text);
            return;
        }
        let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        let below = |sequence: String| {
            if !live.is_empty() {
                let mut out = std::io::stderr().lock();
                let _ = write!(out, "{sequence}").and_then(|()| out.flush());
            }
        };
        below(erased(&live));
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        below(drawn(&live));
    }

    /// Prints a screen for people: at a terminal no word is broken in two.
    pub(crate) fn screen(&mut self, text: &str) {
        let width = if self.terminal { stdout_width() } else { None };
        match width {
            Some(width) => self.data(&lines::fitted(text, width)),
            None => self.data(text),
        }
    }

    /// Prints a line of data, and says whether anybody still reads.
    pub(crate) fn try_data(&mut self, text: &str) -> bool {
        if let Some(pager) = &self.pager {
            return pager.lock().unwrap_or_else(PoisonError::into_inner).line(text);
        }
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}").and_then(|()| out.flush()).is_ok()
    }

    /// Prints data as JSON.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => self.data(&printable_json(&text)),
            Err(error) => note(&format!("the output cannot be put into JSON: {error}")),
        }
    }

    /// Prints an error with its causes and hints, and returns its exit code.
    pub(crate) fn error(&mut self, error: &CommandError) -> ExitCode {
        let mut text = format!("error: {}", error.error);
        let mut causes = Vec::new();
        let mut cause = error.error.source();
        while let Some(source) = cause {
            let words = source.to_string();
            // A transparent wrapper says the same as its cause.
            if !text.ends_with(&words) && causes.last() != Some(&words) {
                causes.push(words);
            }
            cause = source.source();
        }
        for cause in &causes {
            text.push_str("\n  because: ");
            text.push_str(cause);
        }
        for hint in &error.hints {
            text.push_str("\n\nhint: ");
            text.push_str(hint);
        }
        note(&text);
        if self.json {
            let value = serde_json::json!({
                "error": error.error.to_string(), "because": causes, "hints": error.hints,
            });
            self.json(&value);
        }
        ExitCode::from(error.exit_code())
    }
}

/// Lines at the bottom of the terminal that are drawn anew; whatever is said goes above them.
static LIVE: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Prints a line for people; at a terminal no word is broken in two.
pub(crate) fn note(text: &str) {
    let text = match live_size() {
        Some((width, _)) => Cow::Owned(lines::fitted(text, width)),
        None => Cow::Borrowed(text),
    };
    exact_note(&text);
}

/// Prints a line for people as it is: of a diff, where an indented rest would look like another line.
pub(crate) fn exact_note(text: &str) {
    let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "{}{text}\n{}", erased(&live), drawn(&live)).and_then(|()| out.flush());
}

/// Prints the answer to a hook call.
pub(crate) fn hook_answer(answer: &serde_json::Value) {
    let mut out = std::io::stdout().lock();
    let answer = printable_json(&answer.to_string());
    let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
}

/// Draws these lines below all that was said, in place of the ones that were there.
///
/// Nothing is asked of the terminal and nothing is set in it, so there is nothing to restore: the
/// cursor goes up over what was drawn last, and what is there is replaced.
pub(crate) fn show_live(lines: Vec<String>) {
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    let erase = erased(&live);
    *live = lines;
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "{erase}{}", drawn(&live)).and_then(|()| out.flush());
}

/// Goes up by the line that the terminal itself began when somebody pressed Enter.
pub(crate) fn line_up() {
    let _live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "\r\x1b[2K\x1b[1A").and_then(|()| out.flush());
}

/// The terminal's width and height, where standard error is one that can be drawn on.
pub(crate) fn live_size() -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then(|| (size.ws_col.into(), size.ws_row.into()))
}

fn stdout_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then(|| size.ws_col.into())
}

/// Goes up over the lines and empties each.
///
/// A terminal that became narrower may have broken a line into two; then a part of it stays. To go
/// up further could empty a line that has to stay. Each line by itself, because some terminals keep
/// what is on the screen when all of it is cleared at once.
fn erased(live: &[String]) -> String {
    if live.is_empty() {
        return String::new();
    }
    format!("\r\x1b[2K{}", "\x1b[1A\x1b[2K".repeat(live.len()))
}

fn drawn(live: &[String]) -> String {
    live.iter().map(|line| format!("{line}\n")).collect()
}

/// Rings the terminal's bell.
pub(crate) fn bell() {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(b"\x07").and_then(|()| out.flush());
}

/// Prints without ending the line, for questions.
pub(crate) fn prompt(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// Asks the terminal to mark what is pasted, or not to any more.
pub(crate) fn bracket_pastes(on: bool) {
    let plain = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    if std::io::stderr().is_terminal() && !plain {
        prompt(if on { "\x1b[?2004h" } else { "\x1b[?2004l" });
    }
}

/// Prints what is wrong with the command line, or the help that was asked for.
///
/// Whoever asked for JSON gets JSON, also where the rest of the command line is not understood.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    let mut arguments = std::env::args_os().skip(1).take_while(|argument| argument != "--");
    if arguments.any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let (message, hints) = text.split_once("\n\n").unwrap_or((&text, ""));
        let message = message.strip_prefix("error: ").unwrap_or(message).trim();
        let hints: Vec<&str> =
            hints.split("\n\n").map(str::trim).filter(|hint| !hint.is_empty()).collect();
        let value = serde_json::json!({ "error": message, "because": [], "hints": hints });
        let mut out = std::io::stdout().lock();
        let value = printable_json(&value.to_string());
        let _ = writeln!(out, "{value}").and_then(|()| out.flush());
    }
    ExitCode::from(EXIT_USAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_on(colour: Colour, set: &[(&str, &str)], terminal: bool) -> bool {
        let variable = |name: &str| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        colour.is_on(variable, terminal)
    }

    #[test]
    fn colours_follow_the_command_line_then_the_environment_then_the_terminal() {
        assert!(is_on(Colour::Auto, &[], true));
        assert!(!is_on(Colour::Auto, &[], false));
        assert!(!is_on(Colour::Auto, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], true));
        assert!(is_on(Colour::Auto, &[("NO_COLOR", "")], true));
        assert!(is_on(Colour::Auto, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], false));
        assert!(!is_on(Colour::Auto, &[("CLICOLOR_FORCE", "0")], false));
        assert!(!is_on(Colour::Auto, &[("TERM", "dumb")], true));
        assert!(is_on(Colour::Always, &[("NO_COLOR", "1")], false));
        assert!(!is_on(Colour::Never, &[("CLICOLOR_FORCE", "1")], true));
    }
}
