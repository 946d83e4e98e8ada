//! The one door to the shell parser.
//!
//! What is read here was written by a model. The parser is recursive, takes ever more time the deeper
//! texts nest, and unwraps in places; so a text is measured before it is handed over, and a panic ends
//! here as "cannot be read". Nothing is left half-changed by one: the parser only returns values.

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::ast::Program;
use brush_parser::word::{WordPieceWithSource, parse as parse_word, parse_heredoc};
use brush_parser::{Parser, ParserOptions};

/// A longer text is not read. No command that a person could check is that long.
pub(super) const MAX_BYTES: usize = 64 << 10;

/// How deep brackets and compound commands may nest in one text.
const MAX_NESTING: usize = 16;

/// Each `case` within a `case` doubles the time: 16 of them take a second.
const CASE_WEIGHT: usize = 3;

/// How deep substitutions may lie in one another: the time to read a word doubles with each.
const MAX_SUBSTITUTIONS: usize = 6;

/// A text that the parser could not read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unreadable;

pub(super) fn program(text: &str) -> Result<Program, Unreadable> {
    if !is_bounded(text) {
        return Err(Unreadable);
    }
    guarded(|| Parser::new(text.as_bytes(), &ParserOptions::default()).parse_program().ok())
}

pub(super) fn word(text: &str) -> Result<Vec<WordPieceWithSource>, Unreadable> {
    if !is_bounded(text) {
        return Err(Unreadable);
    }
    guarded(|| parse_word(text, &ParserOptions::default()).ok())
}

/// The text of a here-document, where quotes are plain characters.
pub(super) fn here_document(text: &str) -> Result<Vec<WordPieceWithSource>, Unreadable> {
    if !is_bounded(text) {
        return Err(Unreadable);
    }
    guarded(|| parse_heredoc(text, &ParserOptions::default()).ok())
}

fn guarded<T>(read: impl FnOnce() -> Option<T>) -> Result<T, Unreadable> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Some(value)) => Ok(value),
        Ok(None) | Err(_) => Err(Unreadable),
    }
}

/// Counts without knowing quotes: that errs on the side of too deep.
fn is_bounded(text: &str) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    let (mut brackets, mut substitutions, mut before) = (0usize, 0usize, ' ');
    for c in text.chars() {
        match c {
            '(' | '{' => {
                brackets += 1;
                substitutions += usize::from(matches!(before, '$' | '<' | '>'));
            }
            ')' | '}' => {
                brackets = brackets.saturating_sub(1);
                substitutions = substitutions.min(brackets);
            }
            _ => {}
        }
        if brackets > MAX_NESTING || substitutions > MAX_SUBSTITUTIONS {
            return false;
        }
        before = c;
    }
    compound_depth(text) <= MAX_NESTING
}

/// How deep `if`, `for` and their like nest, seen by the words that begin commands.
fn compound_depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0usize);
    let mut begins = true;
    for token in text.split_inclusive([' ', '\t', '\n', ';', '&', '|', '(', ')', '{']) {
        let word = token.trim_end_matches([' ', '\t', '\n', ';', '&', '|', '(', ')', '{']);
        if begins {
            match word {
                "if" | "for" | "while" | "until" | "select" => depth += 1,
                "case" => depth += CASE_WEIGHT,
                "fi" | "done" => depth = depth.saturating_sub(1),
                "esac" => depth = depth.saturating_sub(CASE_WEIGHT),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        let separates = token.ends_with(['\n', ';', '&', '|', '(', ')', '{']);
        let goes_on = word.is_empty() && begins;
        let leads = matches!(
            word,
            "then" | "do" | "else" | "!" | "time" | "if" | "while" | "until" | "elif"
        );
        begins = separates || goes_on || (begins && leads);
    }
    deepest
}

/// Words that are grammar where a command begins, or whose arguments are.
const NOT_PLAIN: [&str; 28] = [
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "select", "in", "function", "time", "coproc", "export", "declare", "typeset", "local",
    "readonly", "alias", "let", "eval", "source", ".", "!",
];

/// Whether a command of a list runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// It does.
    Always,
    /// It depends on the one before.
    Perhaps,
}

/// Returns the commands of a list that has nothing but words, `&&`, `||` and `;`: no quote, other operator,
/// expansion, assignment or comment.
pub(super) fn plain_commands(text: &str) -> Option<Vec<(Runs, Vec<String>)>> {
    if text.len() > 1024 || !text.is_ascii() {
        return None;
    }
    let mut commands = Vec::new();
    for list in text.split("; ") {
        let mut runs = Runs::Always;
        for command in list.split(" && ").flat_map(|part| part.split(" || ")) {
            commands.push((runs, plain_words(command)?));
            runs = Runs::Perhaps;
        }
    }
    Some(commands)
}

fn plain_words(text: &str) -> Option<Vec<String>> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _.,:@%+/-=".contains(&byte);
    let words: Vec<String> =
        text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let first = words.first().filter(|_| text.bytes().all(plain))?;
    (!first.contains('=') && !NOT_PLAIN.contains(&first.as_str())).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_beyond_the_bounds_are_not_handed_to_the_parser() {
        assert!(program("if a; then b; fi").is_ok());
        assert!(program(&"(".repeat(100_000)).is_err());
        assert!(program(&"a ".repeat(MAX_BYTES)).is_err());
        assert!(program(&"if true; then ".repeat(400)).is_err());
        assert!(program(&"while if ".repeat(400)).is_err());
        assert!(program(&"case x in x) ".repeat(6)).is_err());
        assert!(program(&"\"$(".repeat(50)).is_err());
    }

    #[test]
    fn the_deepest_text_that_is_read_fits_the_stack() {
        let deep = |open: &str, inside: &str, close: &str, times: usize| {
            format!("{}{inside}{}", open.repeat(times), close.repeat(times))
        };
        assert!(program(&deep("( ", "true", " )", MAX_NESTING)).is_ok());
        assert!(program(&deep("{ ", "true;", " };", MAX_NESTING)).is_ok());
        assert!(program(&deep("if true; then ", "true", "; fi", MAX_NESTING)).is_ok());
        let words = deep("\"$(echo ", "x", ")\"", MAX_SUBSTITUTIONS);
        assert!(word(&words).is_ok());
    }

    #[test]
    fn a_panic_of_the_parser_stays_inside() {
        // A number that no i64 holds; the parser unwraps.
        let _ = word("{1..99999999999999999999999}");
        assert!(guarded::<()>(|| panic!("as the parser might")).is_err());
    }
}
