//! Commands that publish other than by git: packages, images, deployments.
//!
//! One table (`publishes.txt`), which people extend in their configuration in the same words. What is
//! in it is refused for every seat; what only looks (`--dry-run`) is not.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::program::name_of;
use super::shell::Walk;
use super::word::{COMPUTED, is_known};

/// The table that everybody has.
const TABLE: &str = include_str!("publishes.txt");

/// What an option says that is switched off.
const OFF: [&str; 4] = ["false", "none", "0", "no"];

/// One row of the table: a program, the words that make it publish, and those by which it only looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublishRule(String);

/// Why a text is no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPublishRule(&'static str);

impl fmt::Display for BadPublishRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for BadPublishRule {}

impl PublishRule {
    /// Reads a row: `our-tool ship unless --dry-run`.
    pub fn parse(text: &str) -> Result<Self, BadPublishRule> {
        let row = Row::of(text);
        if text.chars().any(|c| c.is_control() && c != ' ') || text.len() > 500 {
            return Err(BadPublishRule("this is one line of at most 500 bytes"));
        }
        if row.program.is_empty() || row.program.starts_with('-') || row.program.contains('/') {
            return Err(BadPublishRule("it begins with the name of a program, without its folder"));
        }
        if row.program.split('|').any(|name| name.trim_matches('*').is_empty()) {
            return Err(BadPublishRule("it would be about every program"));
        }
        let ends = |word: &str| word.split_whitespace().last() == Some("unless");
        if ends(text) {
            return Err(BadPublishRule("nothing stands behind `unless`"));
        }
        Ok(Self(text.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    /// Returns the row as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PublishRule {
    type Error = BadPublishRule;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<PublishRule> for String {
    fn from(rule: PublishRule) -> Self {
        rule.0
    }
}

/// What people have added to the table, and what they let agents do nevertheless.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishRules {
    /// Rows besides those of the table.
    #[serde(default)]
    pub publishes: Vec<PublishRule>,
    /// What agents may do although a row speaks of it: the user's own word only.
    #[serde(default)]
    pub may_publish: Vec<PublishRule>,
}

impl PublishRules {
    fn rows<'a>(&'a self) -> impl Iterator<Item = Row<'a>> {
        built_in().chain(self.publishes.iter().map(|rule| Row::of(&rule.0)))
    }

    /// Returns the row that a call falls under.
    fn found(&self, name: &str, arguments: &[String]) -> Option<Publishes> {
        let row = self.rows_about(name).find(|row| row.fits(name, arguments))?;
        let allowed = self.may_publish.iter().map(|rule| Row::of(&rule.0));
        if allowed.into_iter().any(|row| row.fits(name, arguments)) {
            return None;
        }
        Some(Publishes { said: row.said(name), unseen: row.may_be_unseen(name, arguments) })
    }

    /// Whether a program is one that publishes.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.rows_about(name).next().is_some()
    }

    /// Most programs have no row: lines of others are not looked into, for every call comes by here.
    fn rows_about<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Row<'a>> {
        let lines = TABLE.lines().chain(self.publishes.iter().map(|rule| rule.0.as_str()));
        let is_about = |line: &&str| {
            !line.starts_with('#') && alternatives(line.split(' ').next().unwrap_or_default(), name)
        };
        lines.filter(is_about).map(Row::of)
    }

    /// Whether a text that is not read holds all words of a row.
    pub(super) fn are_spoken_of(&self, text: &str) -> bool {
        // Each once: a long text has few different words.
        let words: BTreeSet<&str> = text
            .split(|c: char| !c.is_ascii_alphanumeric() && !"-_:.*/".contains(c))
            .filter(|word| !word.is_empty())
            .collect();
        self.rows().any(|row| {
            let has = |pattern: &str| words.iter().any(|word| alternatives(pattern, word));
            let mut words = row.words().filter(|word| !matches!(*word, "..." | "end" | "*"));
            has(row.program) && words.next().is_some_and(has) && words.all(has)
        })
    }
}

/// A call that publishes.
struct Publishes {
    said: String,
    /// Whether a word of the call is not known.
    unseen: bool,
}

pub(super) fn look(walk: &mut Walk<'_>, name: &str, arguments: &[String]) {
    let rules = &walk.grounds.publishing;
    let Some(found) = rules.found(name, arguments) else { return };
    let why = format!(
        "an agent publishes and deploys nothing (`{}`): windlass publishes what is proven, and people \
         release it. Leave your work in the files of the place and go on; what only looks, such as \
         `--dry-run`, is allowed",
        found.said
    );
    if found.unseen { walk.cannot_tell(&why) } else { walk.forbid(&why) }
}

fn built_in<'a>() -> impl Iterator<Item = Row<'a>> {
    TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(Row::of)
}

/// A row, as it is read.
#[derive(Clone, Copy)]
struct Row<'a> {
    program: &'a str,
    words: &'a str,
    unless: &'a str,
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Self {
        let text = text.trim();
        let (row, unless) = text.split_once(" unless ").unwrap_or((text, ""));
        let (program, words) = row.split_once(' ').unwrap_or((row, ""));
        Self { program, words, unless }
    }

    fn words(self) -> impl Iterator<Item = &'a str> {
        self.words.split_whitespace()
    }

    fn is_about(self, name: &str) -> bool {
        alternatives(self.program, name)
    }

    /// Whether a call is one of these, or may be by a word that is not known.
    fn fits(self, name: &str, arguments: &[String]) -> bool {
        if !self.is_about(name) {
            return false;
        }
        let wanted: Vec<&str> = self.words().filter(|word| !word.starts_with('-')).collect();
        let mut options = self.words().filter(|word| word.starts_with('-'));
        let has = |pattern: &str| {
            arguments.iter().any(|word| {
                let option = word.split('=').next().unwrap_or(word);
                alternatives(pattern, option) && !is_off(word)
            })
        };
        options.all(has) && !self.only_looks(arguments) && follows(&wanted, arguments)
    }

    fn only_looks(self, arguments: &[String]) -> bool {
        let before = arguments.iter().take_while(|word| *word != "--");
        let looks = |word: &String| {
            self.unless.split_whitespace().any(|flag| {
                let value = word.strip_prefix(flag);
                value == Some("")
                    || value.and_then(|rest| rest.strip_prefix('=')).is_some_and(|_| !is_off(word))
            })
        };
        // A later word switches it off again.
        let taken_back = |word: &String| {
            self.unless.split_whitespace().any(|flag| {
                let name = flag.trim_start_matches('-');
                *word == format!("--no-{name}")
                    || (word.starts_with(&format!("{flag}=")) && is_off(word))
            })
        };
        asks_for_help(arguments) || (before.clone().any(looks) && !before.clone().any(taken_back))
    }

    fn may_be_unseen(self, name: &str, arguments: &[String]) -> bool {
        let seen: Vec<String> = arguments.iter().filter(|word| is_known(word)).cloned().collect();
        seen.len() < arguments.len() && !self.fits(name, &seen)
    }

    /// What the row is about, in the words of a call.
    fn said(self, name: &str) -> String {
        let words = self.words().filter(|word| !matches!(*word, "..." | "end" | "*"));
        let first = words.map(|word| word.split('|').next().unwrap_or(word));
        std::iter::once(name).chain(first).collect::<Vec<_>>().join(" ")
    }
}

/// `--help` shows a manual wherever these programs find it; `-h` is an option of many.
fn asks_for_help(arguments: &[String]) -> bool {
    let last = arguments.last().is_some_and(|word| matches!(word.as_str(), "--help" | "-h"));
    last || arguments.first().is_some_and(|word| matches!(word.as_str(), "--help" | "help"))
}

fn is_off(word: &str) -> bool {
    word.split_once('=').is_some_and(|(_, value)| OFF.contains(&value))
}

/// Whether words follow one another in a call, options and their values passed over. Which options take
/// values is not known, so each is tried with one and without.
fn follows(wanted: &[&str], arguments: &[String]) -> bool {
    let any = wanted.contains(&"...");
    let mut here = vec![false; wanted.len() + 1];
    // Where the word is perhaps the value of the option before it.
    let mut behind_option = here.clone();
    here[0] = true;
    for (at, word) in arguments.iter().enumerate() {
        pass_any(wanted, &mut here);
        let mut next = behind_option.clone();
        behind_option.fill(false);
        let is_option = word.starts_with(['-', '+']) && word.len() > 1;
        for state in (0..wanted.len()).filter(|state| here[*state]) {
            if is_option {
                next[state] = true;
                // `cargo +stable` has no value.
                behind_option[state] = word.starts_with('-') && !word.contains('=');
            } else if wanted[state] == "..." {
                next[state] = true;
            } else if wanted[state] != "end" && !is_known(word) {
                // In the middle of a call it may as well be options.
                let last = at + 1 == arguments.len();
                next[state + 1] |= !any && (last || word.contains(COMPUTED));
                next[state] = true;
            } else if wanted[state] != "end" && alternatives(wanted[state], word) {
                next[state + 1] = true;
            }
        }
        here = next;
        if here[wanted.len()] {
            return true;
        }
    }
    pass_any(wanted, &mut here);
    for (state, _) in wanted.iter().enumerate().filter(|(_, word)| **word == "end") {
        here[state + 1] |= here[state] || behind_option[state];
    }
    here[wanted.len()]
}

/// `...` stands for no word as well.
fn pass_any(wanted: &[&str], here: &mut [bool]) {
    for (state, _) in wanted.iter().enumerate().filter(|(_, word)| **word == "...") {
        here[state + 1] |= here[state];
    }
}

/// Whether a word is one of `a|b*`.
fn alternatives(pattern: &str, word: &str) -> bool {
    pattern.split('|').any(|pattern| like(pattern, word))
}

/// Whether a word is like a pattern, in which `*` stands for any letters.
fn like(pattern: &str, word: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == word };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut left) = word.strip_prefix(first).and_then(|left| left.strip_suffix(last)) else {
        return false;
    };
    middle.split('*').filter(|part| !part.is_empty()).all(|part| match left.split_once(part) {
        Some((_, after)) => {
            left = after;
            true
        }
        None => false,
    })
}

/// `python -m twine upload` is `twine upload`.
pub(super) fn of_module(name: &str, arguments: &[String]) -> Option<Vec<String>> {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !matches!(plain, "python" | "pypy" | "py") {
        return None;
    }
    let at = arguments.iter().position(|word| word == "-m")?;
    let flags = |word: &String| word.starts_with('-');
    let module = arguments.get(at + 1).filter(|_| arguments[..at].iter().all(flags))?;
    let program = name_of(module);
    Some(std::iter::once(program).chain(arguments[at + 2..].iter().cloned()).collect())
}

#[cfg(test)]
#[path = "publishes_tests.rs"]
mod tests;
