//! Everything that is printed is printed here: data on standard output, the rest on standard error.
//!
//! A reader that goes away (`windlass log | head`) ends the output and nothing else.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use crate::error::{CommandError, EXIT_USAGE};

/// Where output goes.
#[derive(Clone)]
pub(crate) struct Output {
    json: bool,
    colour: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { json, colour: !plain && std::io::stdout().is_terminal() }
    }

    /// Whether machine-readable output is wanted.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether colours may be used.
    pub(crate) fn has_colour(&self) -> bool {
        self.colour
    }

    /// Prints a line of data.
    pub(crate) fn data(&mut self, text: &str) {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }

    /// Prints a line of data, and says whether anybody still reads.
    pub(crate) fn try_data(&mut self, text: &str) -> bool {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}").and_then(|()| out.flush()).is_ok()
    }

    /// Prints data as JSON.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => self.data(&text),
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

/// Prints a line for people.
pub(crate) fn note(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
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

/// Prints what is wrong with the command line, or the help that was asked for.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(EXIT_USAGE) } else { ExitCode::SUCCESS }
}
