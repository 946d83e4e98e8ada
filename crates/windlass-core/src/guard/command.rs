//! A shell command, taken apart far enough to see which programs it starts and what it writes.
//!
//! Not a shell: operators, quotes, substitutions, here-documents and comments are known, and
//! whatever else a shell can do is not.

use std::path::Path;

use super::{Found, Grounds, path, program};

/// How deep commands may lie in commands.
const MAX_DEPTH: usize = 8;

/// Words that make an unreadable command worth refusing.
const GUARDED: [&str; 5] = ["push", "send-pack", "gh ", "hub ", ".git/"];

pub(super) fn look(text: &str, folder: &Path, grounds: &Grounds) -> Found {
    look_within(text, folder, grounds, 0)
}

pub(super) fn look_within(text: &str, folder: &Path, grounds: &Grounds, depth: usize) -> Found {
    if depth > MAX_DEPTH {
        return unreadable(text);
    }
    let mut pieces = Pieces::default();
    if !pieces.read(text) {
        return unreadable(text);
    }
    for nested in &pieces.nested {
        let found = look_within(nested, folder, grounds, depth + 1);
        if found != Found::Nothing {
            return found;
        }
    }
    for piece in &pieces.plain {
        let found = simple(piece, folder, grounds, depth);
        if found != Found::Nothing {
            return found;
        }
    }
    Found::Nothing
}

/// A text that cannot be read matters only if it speaks of something guarded.
pub(super) fn unreadable(text: &str) -> Found {
    if GUARDED.iter().any(|word| text.contains(word)) {
        return Found::CannotTell(
            "this command cannot be read, and it speaks of something that windlass does itself \
             (pushing, or writing in `.git`). If it does neither, write it more plainly"
                .to_owned(),
        );
    }
    Found::Nothing
}

/// One command without operators, and the text that it reads from a here-document.
#[derive(Debug, Default)]
struct Piece {
    text: String,
    here: Option<String>,
}

fn simple(piece: &Piece, folder: &Path, grounds: &Grounds, depth: usize) -> Found {
    let Some(words) = shlex::split(&piece.text) else { return unreadable(&piece.text) };
    let (words, targets) = redirections(words);
    for target in targets.iter().filter(|target| !target.contains('$')) {
        let found = path::look(target, folder, grounds);
        if found != Found::Nothing {
            return found;
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    program::look(&words, piece.here.as_deref(), &program::Around { folder, grounds, depth })
}

/// Takes the redirections out of the words and returns the files that are written by them.
fn redirections(words: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut rest, mut targets) = (Vec::new(), Vec::new());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        let Some(after) = digits.strip_prefix('>') else {
            if !digits.starts_with('<') {
                rest.push(word);
            }
            continue;
        };
        let after = after.trim_start_matches(['>', '|']);
        if after.starts_with('&') {
            continue;
        }
        let target = if after.is_empty() { words.next() } else { Some(after.to_owned()) };
        targets.extend(target);
    }
    (rest, targets)
}

/// The commands of a text, and the texts of commands within commands.
#[derive(Debug, Default)]
struct Pieces {
    plain: Vec<Piece>,
    nested: Vec<String>,
}

impl Pieces {
    /// Reads a text; says whether it made sense.
    fn read(&mut self, text: &str) -> bool {
        let mut now = Piece::default();
        let mut waiting: Vec<String> = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            rest = match c {
                '\\' => {
                    let taken = after.chars().next().map_or(0, char::len_utf8);
                    // A line that goes on in the next one is one line.
                    if after.starts_with('\n') {
                        now.text.push(' ');
                    } else {
                        now.text.push_str(&rest[..1 + taken]);
                    }
                    &after[taken..]
                }
                '\'' => {
                    let Some(end) = after.find('\'') else { return false };
                    now.text.push_str(&rest[..end + 2]);
                    &after[end + 1..]
                }
                '"' => {
                    let Some(end) = self.quoted(after) else { return false };
                    now.text.push_str(&rest[..end + 2]);
                    &after[end + 1..]
                }
                '#' if now.text.is_empty() || now.text.ends_with(char::is_whitespace) => {
                    &after[after.find('\n').unwrap_or(after.len())..]
                }
                '<' if after.starts_with("<<") => {
                    now.text.push_str("<<< ");
                    &after[2..]
                }
                '<' if after.starts_with('<') => {
                    let Some((end_word, after)) = here_word(&after[1..]) else { return false };
                    waiting.push(end_word);
                    now.here.get_or_insert_default();
                    after
                }
                // `>|`, `>&` and `&>` belong to a redirection.
                '>' => {
                    now.text.push_str(" >");
                    let more = after.len() - after.trim_start_matches(['>', '|', '&']).len();
                    now.text.push_str(&after[..more]);
                    &after[more..]
                }
                '&' if after.starts_with('>') => {
                    now.text.push(' ');
                    after
                }
                '\n' => {
                    let mut after = after;
                    for end_word in waiting.drain(..) {
                        let (body, left) = here_body(after, &end_word);
                        now.here.get_or_insert_default().push_str(body);
                        self.substitutions(body);
                        after = left;
                    }
                    self.plain.push(std::mem::take(&mut now));
                    after
                }
                ';' | '&' | '|' | '(' | ')' | '`' => {
                    // A here-document that is still to come belongs to the command before.
                    if waiting.is_empty() {
                        self.plain.push(std::mem::take(&mut now));
                    } else {
                        now.text.push(' ');
                    }
                    after
                }
                _ => {
                    now.text.push(c);
                    after
                }
            };
        }
        self.plain.push(now);
        true
    }

    /// Finds the end of a text in double quotes and keeps the commands within it.
    fn quoted(&mut self, text: &str) -> Option<usize> {
        let mut at = 0;
        loop {
            let c = text[at..].chars().next()?;
            match c {
                '"' => break,
                '\\' => at += 1 + text[at + 1..].chars().next()?.len_utf8(),
                '$' if text[at..].starts_with("$(") => at += 2 + closing(&text[at + 2..])? + 1,
                _ => at += c.len_utf8(),
            }
        }
        self.substitutions(&text[..at]);
        Some(at)
    }

    /// Keeps the commands that stand in `$(…)` or backticks.
    fn substitutions(&mut self, text: &str) {
        let mut rest = text;
        while let Some(start) = rest.find("$(") {
            let inside = &rest[start + 2..];
            let end = closing(inside).unwrap_or(inside.len());
            self.nested.push(inside[..end].to_owned());
            rest = &inside[end..];
        }
        self.nested.extend(text.split('`').skip(1).step_by(2).map(str::to_owned));
    }
}

/// Finds the parenthesis that closes one that is open.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Reads the word that ends a here-document.
fn here_word(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('-').unwrap_or(text).trim_start_matches([' ', '\t']);
    let end = text.find(|c: char| c.is_whitespace() || ";&|()<>".contains(c)).unwrap_or(text.len());
    let word: String = text[..end].chars().filter(|c| !"'\"\\".contains(*c)).collect();
    (!word.is_empty()).then_some((word, &text[end..]))
}

/// Splits off the text of a here-document.
fn here_body<'a>(text: &'a str, end_word: &str) -> (&'a str, &'a str) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if line.trim_end_matches('\n').trim_start_matches('\t') == end_word {
            return (&text[..at], &text[end..]);
        }
        at = end;
    }
    (text, "")
}
