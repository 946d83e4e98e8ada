//! A patch for people: what counts as text, how much a line counts, and what an excerpt leaves out.
//!
//! Git's own answer to "is this text" is one NUL byte or a line in `.gitattributes`, and both are in
//! an agent's hand: either would turn a rigged judge into "Binary files differ". So patches are made
//! with `--text`, and what is not text is decided here.

use std::fmt::Write as _;

use super::printable::{Lines, printable_bytes};

/// A changed line counts once for every started piece of this many bytes. It is wider than what
/// people write in one line, so ordinary files count as git counts them, and a file that is one line
/// of megabytes counts as the thousands of lines that it would fill.
pub const LINE_BYTES: usize = 160;

/// From how many bytes in a hundred that are no text a file cannot be read by people.
const MOST_ODD_PERCENT: usize = 30;

/// How many files the words about what is not shown name.
const MOST_NAMED: usize = 3;

/// How the line begins that stands for a file that cannot be shown.
const BINARY: &str = "Binary file:";

/// Says whether a changed file is shown as text: unless none of its versions can be read.
///
/// A file that turns from text into something else is shown, too.
pub fn is_shown_as_text(old: Option<&[u8]>, new: Option<&[u8]>) -> bool {
    let mut versions = old.into_iter().chain(new);
    versions.any(is_text)
}

fn is_text(bytes: &[u8]) -> bool {
    let zeros = bytes.iter().filter(|&&byte| byte == 0).count();
    // Without a NUL byte git takes everything for text, old encodings included. What a shell would
    // start is read by people whatever follows.
    if zeros == 0 || bytes.starts_with(b"#!") {
        return true;
    }
    let odd: usize = bytes.utf8_chunks().map(odd_bytes).sum();
    // NUL bytes say nothing: two-byte encodings are half of them.
    odd * 100 < (bytes.len() - zeros) * MOST_ODD_PERCENT
}

fn odd_bytes(chunk: std::str::Utf8Chunk<'_>) -> usize {
    let ordinary = |c: char| !c.is_control() || matches!(c, '\0' | '\t' | '\n' | '\r' | '\u{c}');
    chunk.invalid().len() + chunk.valid().chars().filter(|c| !ordinary(*c)).count()
}

/// Writes the part of a patch that stands for a file that cannot be shown.
pub fn binary_part(path: &str, old: Option<u64>, new: Option<u64>) -> String {
    let words = match (old, new) {
        (Some(old), Some(new)) => format!("{} bytes, were {}", grouped(new), grouped(old)),
        (None, Some(new)) => format!("new, {} bytes", grouped(new)),
        (Some(old), None) => format!("deleted, {} bytes", grouped(old)),
        (None, None) => "no bytes".to_owned(),
    };
    format!("diff --git a/{path} b/{path}\n{BINARY} {words}\n")
}

/// What changed in one file of a patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLines {
    /// Added lines.
    pub added: u64,
    /// Deleted lines.
    pub deleted: u64,
    /// Added and deleted lines, the long ones counted by their bytes.
    pub weight: u64,
}

/// Counts the changed lines of each file of a patch, in its order.
pub fn changed_lines(patch: &[u8]) -> Vec<FileLines> {
    parts(patch)
        .map(|part| {
            let mut lines = FileLines::default();
            for (kind, line) in part {
                match kind {
                    Kind::Added => lines.added += 1,
                    Kind::Deleted => lines.deleted += 1,
                    Kind::About | Kind::Around => continue,
                }
                // Its sign is not part of it.
                let bytes = line.len().saturating_sub(1);
                lines.weight += bytes.div_ceil(LINE_BYTES).max(1) as u64;
            }
            lines
        })
        .collect()
}

/// Says which files that were there a patch only adds lines to, in words for people. A patch that was cut
/// says nothing.
pub fn only_added(patch: &[u8]) -> Vec<String> {
    let mut said = Vec::new();
    for part in parts(patch) {
        let name = part.name();
        let (mut added, mut otherwise) = (0_u64, false);
        for (kind, line) in part {
            let other = ["new file", "deleted file", "old mode", BINARY];
            otherwise |= kind == Kind::Deleted
                || (kind == Kind::About && other.iter().any(|o| line.starts_with(o.as_bytes())));
            added += u64::from(kind == Kind::Added);
        }
        if added > 0 && !otherwise {
            let lines = if added == 1 { "line" } else { "lines" };
            said.push(format!("`{name}` only adds {} {lines}", grouped(added)));
        }
    }
    said
}

/// A patch as far as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines, fit for a terminal.
    pub lines: Vec<String>,
    /// What they leave out.
    pub left_out: LeftOut,
}

/// What an excerpt leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The files of which something is not shown.
    pub files: Vec<String>,
    /// How many changed lines are not shown, or not to their end.
    pub lines: u64,
    /// Whether there is more than was counted.
    pub more: bool,
    /// Files that cannot be shown as text.
    pub binary: Vec<String>,
}

/// How much of a patch is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The most lines.
    pub lines: usize,
    /// The most characters of a line.
    pub characters: usize,
}

impl Room {
    /// Room for everything.
    pub const ENDLESS: Self = Self { lines: usize::MAX, characters: usize::MAX };
}

/// Shows as much of a patch as there is room for, and counts the rest.
pub fn excerpt(patch: &[u8], room: Room) -> Excerpt {
    let mut shown = Excerpt::default();
    for part in parts(patch) {
        let mut hidden = 0;
        let mut is_cut = false;
        let name = part.name();
        for (kind, line) in part {
            let changes = matches!(kind, Kind::Added | Kind::Deleted);
            if kind == Kind::About && line.starts_with(BINARY.as_bytes()) {
                shown.left_out.binary.push(name.clone());
            }
            if shown.lines.len() >= room.lines {
                is_cut = true;
                hidden += u64::from(changes);
                continue;
            }
            let (text, more) = cut(printable_bytes(line, Lines::Many), room.characters);
            is_cut |= more;
            hidden += u64::from(changes && more);
            shown.lines.push(text);
        }
        if is_cut {
            shown.left_out.files.push(name);
            shown.left_out.lines += hidden;
        }
    }
    shown
}

/// Cuts a line, and says in its place how much is cut.
fn cut(line: String, most: usize) -> (String, bool) {
    let Some((end, _)) = line.char_indices().nth(most) else { return (line, false) };
    let more = line[end..].chars().count() as u64;
    (format!("{}… {} more characters of this line", &line[..end], grouped(more)), true)
}

impl LeftOut {
    /// Adds what another excerpt leaves out.
    pub fn add(&mut self, other: Self) {
        self.files.extend(other.files);
        self.lines += other.lines;
        self.more |= other.more;
        self.binary.extend(other.binary);
    }

    /// Returns what is not shown in words, and where all of it is; none if nothing is left out.
    pub fn words(&self, all: &str) -> Option<String> {
        let mut words = String::new();
        let least = if self.more { "at least " } else { "" };
        // Writing to a string cannot fail.
        if !self.files.is_empty() {
            let (files, lines) = (count(&self.files, "file"), grouped(self.lines));
            let unit = if self.lines == 1 { "line" } else { "lines" };
            let _ = write!(words, "{least}{files}, {lines} {unit} not shown: {all}");
        } else if self.more {
            let _ = write!(words, "not all is shown: {all}");
        }
        if !self.binary.is_empty() {
            let gap = if words.is_empty() { "" } else { "; " };
            let _ = write!(words, "{gap}{} not shown, being no text", count(&self.binary, "file"));
        }
        (!words.is_empty()).then_some(words)
    }
}

/// A number of files, and the first of them.
fn count(files: &[String], what: &str) -> String {
    let named: Vec<String> =
        files.iter().take(MOST_NAMED).map(|file| format!("`{file}`")).collect();
    let dots = if files.len() > MOST_NAMED { ", …" } else { "" };
    let plural = if files.len() == 1 { "" } else { "s" };
    format!("{} {what}{plural} ({}{dots})", grouped(files.len() as u64), named.join(", "))
}

/// Writes a number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What a line of a patch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// About the file or the place in it.
    About,
    /// Unchanged, and there to find one's way.
    Around,
    Added,
    Deleted,
}

/// The part of a patch that is about one file.
#[derive(Clone)]
struct Part<'a> {
    rest: &'a [u8],
    in_hunk: bool,
}

const HEAD: &[u8] = b"diff --git ";

/// Splits a patch where files begin. Every line of a file's content has a sign before it, so none
/// can be taken for such a beginning.
fn parts(patch: &[u8]) -> impl Iterator<Item = Part<'_>> {
    let mut rest = patch;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = next_line(rest);
        while end < rest.len() && !rest[end..].starts_with(HEAD) {
            end += next_line(&rest[end..]);
        }
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(Part { rest: part, in_hunk: false })
    })
}

/// Where the line after the first begins.
fn next_line(bytes: &[u8]) -> usize {
    bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| end + 1)
}

impl Part<'_> {
    /// The path of the file, as the patch writes it.
    fn name(&self) -> String {
        let lines: Vec<&[u8]> = self
            .clone()
            .take_while(|(kind, line)| *kind == Kind::About && !line.starts_with(b"@@"))
            .map(|(_, line)| line)
            .collect();
        let after = |sign: &[u8]| lines.iter().find_map(|line| line.strip_prefix(sign));
        let written = after(b"+++ b/").or_else(|| after(b"--- a/"));
        // Git ends a name that has spaces with a tab.
        let written = written.map(|name| name.strip_suffix(b"\t").unwrap_or(name).to_vec());
        let name = written.or_else(|| {
            // `a/PATH b/PATH`: both halves are the same path.
            let both = after(HEAD)?;
            both.get(both.len() / 2 + 1..)
                .map(|half| half.strip_prefix(b"b/").unwrap_or(half).to_vec())
        });
        printable_bytes(&name.unwrap_or_default(), Lines::One)
    }
}

impl<'a> Iterator for Part<'a> {
    type Item = (Kind, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_at(next_line(self.rest));
        self.rest = rest;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let kind = match line.first() {
            Some(b'@') => {
                self.in_hunk = true;
                Kind::About
            }
            Some(b'+') if self.in_hunk => Kind::Added,
            Some(b'-') if self.in_hunk => Kind::Deleted,
            _ if self.in_hunk => Kind::Around,
            _ => Kind::About,
        };
        Some((kind, line))
    }
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
