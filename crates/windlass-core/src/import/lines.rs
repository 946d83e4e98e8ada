//! The entries of a legacy file: plain lines, or the words of a bash array.

use super::account::Problem;

/// One entry as it was written, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) line: u32,
    pub(super) text: String,
    /// Whether a shell would have expanded something in it while reading the file.
    pub(super) expanded: bool,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Entry(Entry),
    /// A line that is no phase, and why.
    Other {
        line: u32,
        text: String,
        why: &'static str,
    },
}

const NOT_EVALUATED: &str = "shell code, which is never evaluated";

/// Words that may stand before the array's name.
const DECLARATIONS: [&str; 5] = ["declare", "typeset", "readonly", "export", "local"];

pub(super) fn read(text: &str, problems: &mut Vec<Problem>) -> Vec<Item> {
    if text.lines().any(|line| array_start(line).is_some()) {
        read_arrays(text, problems)
    } else {
        read_plain(text)
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

fn is_silent(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

fn read_plain(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        if is_silent(line) {
            continue;
        }
        let mut whole = line.trim().to_owned();
        while whole.ends_with('\\') {
            whole.pop();
            match lines.next() {
                Some((_, next)) => whole.push_str(next.trim()),
                None => break,
            }
        }
        let (line, text) = (number(index), unquoted(&whole).trim().to_owned());
        items.push(if is_assignment(&text) {
            Item::Other { line, text, why: NOT_EVALUATED }
        } else {
            Item::Entry(Entry { line, text, expanded: false })
        });
    }
    items
}

/// Takes off quotes around a whole line, and a comma after them.
fn unquoted(line: &str) -> &str {
    let inner = line.strip_suffix(',').unwrap_or(line);
    ['"', '\'']
        .iter()
        .find_map(|quote| inner.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(line)
}

/// Whether a line is `NAME=value` and no phase.
fn is_assignment(line: &str) -> bool {
    let Some((name, _)) = line.split_once('=') else { return false };
    !line.contains('|') && crate::source::name::is_name(name.trim_end_matches('+'))
}

/// Returns the bytes before the first word of the array, if it begins on this line.
fn array_start(line: &str) -> Option<usize> {
    let begin = line.find("PHASES")?;
    let before = line[..begin].trim();
    let declared = before
        .split_whitespace()
        .all(|word| DECLARATIONS.contains(&word) || (word.starts_with('-') && word.len() > 1));
    let rest = &line[begin + "PHASES".len()..];
    let opening = rest.strip_prefix("+=(").or_else(|| rest.strip_prefix("=("))?;
    declared.then(|| line.len() - opening.len())
}

fn read_arrays(text: &str, problems: &mut Vec<Problem>) -> Vec<Item> {
    let mut items = Vec::new();
    let mut offset = 0;
    let mut index = 0;
    while offset < text.len() {
        let end = text[offset..].find('\n').map_or(text.len(), |newline| offset + newline + 1);
        let line = text[offset..end].trim_end_matches(['\n', '\r']);
        if let Some(begin) = array_start(line) {
            let mut words = Words { text, at: offset + begin, index, entries: Vec::new() };
            let closed = words.read();
            items.extend(words.entries.into_iter().map(Item::Entry));
            if let Err(problem) = closed {
                problems.push(problem);
                return items;
            }
            // Whatever follows the array's end on its line is no phase either.
            let rest_end = text[words.at..].find('\n').map_or(text.len(), |n| words.at + n + 1);
            let rest = text[words.at..rest_end].trim();
            if !is_silent(rest) {
                let (line, text) = (number(words.index), rest.to_owned());
                items.push(Item::Other { line, text, why: NOT_EVALUATED });
            }
            (offset, index) = (rest_end, words.index + 1);
            continue;
        }
        if !is_silent(line) {
            let (line, text) = (number(index), line.trim().to_owned());
            items.push(Item::Other { line, text, why: NOT_EVALUATED });
        }
        (offset, index) = (end, index + 1);
    }
    items
}

/// Reads the words of an array as bash splits them, expanding nothing.
struct Words<'t> {
    text: &'t str,
    at: usize,
    /// The line of `at`, from 0.
    index: usize,
    entries: Vec<Entry>,
}

impl Words<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.index += 1;
        }
        Some(c)
    }

    /// Reads until the closing bracket.
    fn read(&mut self) -> Result<(), Problem> {
        let opened = number(self.index);
        loop {
            match self.peek() {
                None => {
                    return Err(Problem::new(
                        opened,
                        "the array that begins here has no end",
                        "close it with `)`",
                    ));
                }
                Some(')') => {
                    self.next();
                    return Ok(());
                }
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.next();
                    }
                }
                Some(c) if c.is_whitespace() => {
                    self.next();
                }
                Some(_) => self.word()?,
            }
        }
    }

    fn word(&mut self) -> Result<(), Problem> {
        let line = number(self.index);
        let mut text = String::new();
        let mut expanded = false;
        while let Some(c) = self.peek() {
            if c.is_whitespace() || c == ')' {
                break;
            }
            self.next();
            match c {
                '\'' => self.quoted(line, &mut text)?,
                '"' => self.double_quoted(line, &mut text, &mut expanded)?,
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some('\r') if self.peek() == Some('\n') => {
                        self.next();
                    }
                    Some(escaped) => text.push(escaped),
                },
                _ => {
                    expanded |= c == '$' || c == '`';
                    text.push(c);
                }
            }
        }
        let text = text.trim().to_owned();
        self.entries.push(Entry { line, text, expanded });
        Ok(())
    }

    fn quoted(&mut self, line: u32, text: &mut String) -> Result<(), Problem> {
        loop {
            match self.next() {
                Some('\'') => return Ok(()),
                Some(c) => text.push(c),
                None => return Err(no_end(line)),
            }
        }
    }

    fn double_quoted(
        &mut self,
        line: u32,
        text: &mut String,
        expanded: &mut bool,
    ) -> Result<(), Problem> {
        loop {
            match self.next() {
                Some('"') => return Ok(()),
                Some('\\') => match self.next() {
                    Some(c @ ('"' | '\\' | '$' | '`')) => text.push(c),
                    Some('\n') => {}
                    Some(c) => text.extend(['\\', c]),
                    None => return Err(no_end(line)),
                },
                Some(c) => {
                    *expanded |= c == '$' || c == '`';
                    text.push(c);
                }
                None => return Err(no_end(line)),
            }
        }
    }
}

fn no_end(line: u32) -> Problem {
    Problem::new(line, "a quote that is opened here is never closed", "close it on the same line")
}
