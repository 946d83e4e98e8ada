//! Lines that name something found: `[BLOCKING] text file:line`.

use serde::{Deserialize, Serialize};

use super::MAX_REMARKS;
use super::lines::{Line, bare, cells};
use crate::glob;

/// How much of a finding is kept.
const MAX_TEXT: usize = 500;

/// The longest path.
const MAX_PATH: usize = 300;

/// The longest word between brackets that is looked at.
const MAX_TAG: usize = 30;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Level {
    /// The work goes back because of it.
    Blocking,
    /// It would be better otherwise.
    Suggestion,
    /// It is good to know.
    Info,
}

impl Level {
    /// Every level, the heaviest first.
    pub const ALL: [Self; 3] = [Self::Blocking, Self::Suggestion, Self::Info];

    /// Returns the level as it stands in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blocking => "BLOCKING",
            Self::Suggestion => "SUGGESTION",
            Self::Info => "INFO",
        }
    }
}

/// Something that a judge found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    /// How much it weighs.
    pub level: Level,
    /// What it is, in one line.
    pub text: String,
    /// The file, relative to the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl Remark {
    /// Returns it in one line, with its place where the words do not have it.
    pub fn words(&self) -> String {
        let place = self.file.as_ref().map(|file| match self.line {
            Some(line) => format!("{file}:{line}"),
            None => file.clone(),
        });
        let place = place.filter(|place| !self.text.contains(place.as_str()));
        let place = place.map(|place| format!(" {place}")).unwrap_or_default();
        format!("[{}] {}{place}", self.level.as_str(), self.text)
    }
}

/// What the lines of a report name.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) remarks: Vec<Remark>,
    /// How many of them block, also of those that are not kept.
    pub(super) blocking: usize,
    /// Why a line could not be read.
    pub(super) unknown: Option<String>,
}

pub(super) fn read(lines: &[Line<'_>]) -> Found {
    let mut found = Found::default();
    for line in lines {
        match read_line(line.text) {
            Tagged::Finding(remark) => {
                found.blocking += usize::from(remark.level == Level::Blocking);
                // Blocking ones push others out: they are what has to be fixed.
                if found.remarks.len() < MAX_REMARKS {
                    found.remarks.push(remark);
                } else if remark.level == Level::Blocking
                    && let Some(last) =
                        found.remarks.iter().rposition(|other| other.level != Level::Blocking)
                {
                    found.remarks[last] = remark;
                }
            }
            Tagged::Unknown(tag) => {
                let number = line.number;
                found.unknown.get_or_insert_with(|| {
                    format!(
                        "line {number} has the tag [{tag}], which is none of BLOCKING, SUGGESTION, INFO"
                    )
                });
            }
            Tagged::No => {}
        }
    }
    found.remarks.sort_by_key(|remark| remark.level);
    found
}

enum Tagged {
    Finding(Remark),
    Unknown(String),
    No,
}

fn read_line(line: &str) -> Tagged {
    let Some(cells) = cells(line) else { return read_tagged(line) };
    for (number, cell) in cells.iter().enumerate() {
        let word = bare(cell);
        let level = Level::ALL.into_iter().find(|level| level.as_str() == word);
        let rest = || cells[number + 1..].join(" ");
        if let Some(level) = level {
            return remark(level, &rest());
        }
        if let Tagged::Finding(found) = read_tagged(&format!("{cell} {}", rest())) {
            return Tagged::Finding(found);
        }
    }
    Tagged::No
}

fn read_tagged(line: &str) -> Tagged {
    let line = line.trim_start_matches(['*', '_', '`']);
    let Some((tag, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) else {
        return read_later(line);
    };
    // `[text](link)`, `[text][name]` and `[name]: link` are links.
    let is_link = rest.starts_with(['(', '[']) || is_definition(rest);
    let word = bare(tag);
    let is_word = !word.is_empty()
        && word.len() <= MAX_TAG
        && word.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '-' | ' '));
    let level = Level::ALL.into_iter().find(|level| level.as_str().eq_ignore_ascii_case(word));
    match level {
        Some(level) => remark(level, rest),
        None if is_word && !is_link && !word.eq_ignore_ascii_case("x") && says_something(rest) => {
            Tagged::Unknown(word.to_owned())
        }
        None => Tagged::No,
    }
}

/// Reads `Finding 1: [BLOCKING] text` and `src/a.rs:3 [BLOCKING] text`. Prose that speaks of findings,
/// such as "no [BLOCKING] findings", names none.
fn read_later(line: &str) -> Tagged {
    const TAG: &str = "[BLOCKING]";
    let Some((before, rest)) = line.split_once(TAG) else { return Tagged::No };
    let in_code = !before.matches('`').count().is_multiple_of(2);
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_'));
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let introduces = before.ends_with([':', '-', '–', '—', '.', ')', '|', ',', ';']);
    if in_code || !(introduces || split_line(trim(word)).is_some()) {
        return Tagged::No;
    }
    match remark(Level::Blocking, rest) {
        // What stands before it says where.
        Tagged::Finding(found) if found.file.is_none() => {
            let (file, line) = place(before);
            Tagged::Finding(Remark { file, line, ..found })
        }
        other @ (Tagged::Finding(_) | Tagged::Unknown(_) | Tagged::No) => other,
    }
}

fn is_definition(rest: &str) -> bool {
    rest.strip_prefix(':').is_some_and(|target| target.contains("://") || target.contains('#'))
}

fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Makes a finding of what stands behind its tag; "none" is none.
fn remark(level: Level, rest: &str) -> Tagged {
    let rest = rest.trim_start_matches(['*', '_', '`', ':', '-', ' ', '\t', '—', '–']).trim();
    let plain = rest.trim_end_matches(['.', '*', '_', ' ']).to_ascii_lowercase();
    let nothing = ["", "none", "none found", "no findings", "nothing", "n/a", "0"];
    if nothing.contains(&plain.as_str()) {
        return Tagged::No;
    }
    let (file, line) = place(rest);
    Tagged::Finding(Remark { level, text: one_line(rest), file, line })
}

/// The last `file:line` of a text, else the last thing that is certainly a path.
fn place(text: &str) -> (Option<String>, Option<u32>) {
    let words =
        || text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | ','));
    let with_line = words().rev().find_map(|word| {
        let (path, line) = split_line(trim(word))?;
        Some((inside(path)?, line))
    });
    if let Some((path, line)) = with_line {
        return (Some(path), Some(line));
    }
    let is_path = |word: &&str| {
        let name = word.rsplit('/').next().unwrap_or_default();
        word.contains('/') && name.contains('.') && !word.contains("://")
    };
    let path = words().rev().map(trim).filter(is_path).find_map(inside);
    (path, None)
}

fn trim(word: &str) -> &str {
    let around = |c: char| matches!(c, '`' | '*' | '"' | '\'' | '<' | '>');
    let word = word.trim_start_matches(around);
    let word = word.trim_end_matches(|c: char| around(c) || matches!(c, ';' | '.' | ':'));
    word.trim_start_matches("./")
}

/// Splits `src/a.rs:3`, `src/a.rs:3:9`, `src/a.rs:3-7` and `src/a.rs#L3`.
fn split_line(word: &str) -> Option<(&str, u32)> {
    let (path, rest) = word.split_once("#L").or_else(|| word.split_once(':'))?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let tail = &rest[digits..];
    let is_tail = tail.is_empty() || tail.starts_with([':', '-', '–']);
    let is_path = path.contains(['.', '/']) || path.starts_with(|c: char| c.is_ascii_uppercase());
    let line = rest[..digits].parse().ok()?;
    (is_tail && is_path && !rest.starts_with("//")).then_some((path, line))
}

/// Returns a path that stays in the repository.
fn inside(path: &str) -> Option<String> {
    let fits = path.len() <= MAX_PATH && glob::stays_inside(path).is_ok();
    fits.then(|| path.to_owned())
}

pub(super) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for (count, letter) in text.split_whitespace().flat_map(|w| w.chars().chain([' '])).enumerate()
    {
        if count >= MAX_TEXT {
            line.push('…');
            return line;
        }
        if !letter.is_control() {
            line.push(letter);
        }
    }
    line.truncate(line.trim_end().len());
    line
}
