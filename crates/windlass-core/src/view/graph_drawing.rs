//! A plan drawn with characters: steps from top to bottom, and lanes on the left that lead back.
//!
//! ```text
//!    ● plan       planner, 3 tries
//!    │
//! ╭─▶● implement  developer, 3 tries
//! │  │
//! ╰──◆ review     reviewer, 3 tries
//!                 CHANGES_REQUESTED: back to implement, at most 3 times
//!                 a person decides
//! ```

use std::collections::BTreeMap;

/// Lines are broken at words beyond this; a name alone may be longer.
const WIDTH: usize = 80;

/// Room for words that is kept, however wide the lanes and the names are.
const LEAST_WORDS: usize = 24;

/// A step as it is drawn.
pub(super) struct Row {
    pub(super) name: String,
    /// Who works on it; on the line of the name.
    pub(super) who: String,
    /// What else is to be known, a line each.
    pub(super) details: Vec<String>,
    /// Whether a person decides at its end.
    pub(super) gate: bool,
    /// Whether it works beside the steps around it, and not after the one above.
    pub(super) beside: bool,
    /// Whether the line from the step above leads to it.
    pub(super) follows: bool,
    /// The rows that it can lead back to.
    pub(super) back_to: Vec<usize>,
}

/// The way back to one row, from all that lead there.
struct Lane {
    to: usize,
    from: Vec<usize>,
    column: usize,
}

impl Lane {
    fn last(&self) -> usize {
        self.from.iter().copied().max().unwrap_or(self.to)
    }

    fn covers(&self, row: usize) -> bool {
        (self.to..=self.last()).contains(&row)
    }
}

/// Draws the rows.
pub(super) fn draw(rows: &[Row]) -> String {
    let lanes = lanes(rows);
    let columns = lanes.iter().map(|lane| lane.column + 1).max().unwrap_or(0);
    let names = rows.iter().map(|row| row.name.chars().count() + 2 * usize::from(row.beside));
    let width = names.max().unwrap_or(0);
    let room = WIDTH.saturating_sub(4 + 2 * columns + width + 2).max(LEAST_WORDS);
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let mut words = wrapped(&row.who, room);
        words.extend(row.details.iter().flat_map(|detail| wrapped(detail, room)));
        let more = rows.get(index + 1);
        for (number, line) in words.iter().enumerate() {
            let (before, name) = if number == 0 {
                (at_node(&lanes, columns, index, row), row.name.as_str())
            } else {
                (beside_node(&lanes, columns, index, more), "")
            };
            let width = width - 2 * usize::from(row.beside && number == 0);
            push(&mut text, &format!("{before} {name:width$}  {line}"));
        }
        // Steps side by side stand close together; a line of its own parts the others.
        let close = more.is_none_or(|next| row.beside && next.beside);
        if !close {
            push(&mut text, &beside_node(&lanes, columns, index, more));
        }
    }
    text
}

fn push(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

/// Gives each way back a column of its own where it meets others: short ones close to the steps.
fn lanes(rows: &[Row]) -> Vec<Lane> {
    let mut ways: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        // A step that is only done again itself needs no way: its words say so.
        for to in row.back_to.iter().filter(|to| **to < index) {
            ways.entry(*to).or_default().push(index);
        }
    }
    let mut lanes: Vec<Lane> =
        ways.into_iter().map(|(to, from)| Lane { to, from, column: 0 }).collect();
    lanes.sort_by_key(|lane| (lane.last() - lane.to, lane.to));
    for index in 0..lanes.len() {
        let (done, rest) = lanes.split_at_mut(index);
        let Some(lane) = rest.first_mut() else { continue };
        let meets = |other: &&Lane| other.to <= lane.last() && lane.to <= other.last();
        let taken: Vec<usize> = done.iter().filter(meets).map(|other| other.column).collect();
        lane.column = (0..).find(|column| !taken.contains(column)).unwrap_or(0);
    }
    lanes
}

/// What stands left of a step's name.
fn at_node(lanes: &[Lane], columns: usize, index: usize, row: &Row) -> String {
    let mut text = String::new();
    // Whether a line that came from further left goes on to the step.
    let mut line = false;
    for column in (0..columns).rev() {
        let lane = lanes.iter().find(|lane| lane.column == column && lane.covers(index));
        let sign = match lane {
            Some(lane) if lane.to == index => {
                if line {
                    '┬'
                } else {
                    '╭'
                }
            }
            Some(lane) if lane.last() == index => {
                if line {
                    '┴'
                } else {
                    '╰'
                }
            }
            Some(lane) if lane.from.contains(&index) && !line => '├',
            Some(_) if line => '┼',
            Some(_) => '│',
            None if line => '─',
            None => ' ',
        };
        line |= matches!(sign, '╭' | '╰' | '├');
        text.push(sign);
        text.push(if line { '─' } else { ' ' });
    }
    let arrives = lanes.iter().any(|lane| lane.to == index);
    text.push_str(match (arrives, line) {
        (true, _) => "▶",
        (false, true) => "─",
        (false, false) => " ",
    });
    let node = if row.gate { '◆' } else { '●' };
    if row.beside {
        text.push_str("├─");
    }
    text.push(node);
    text
}

/// What stands left of a line below a step's name.
fn beside_node(lanes: &[Lane], columns: usize, index: usize, next: Option<&Row>) -> String {
    let mut text = String::new();
    for column in (0..columns).rev() {
        let passes =
            |lane: &&Lane| lane.column == column && lane.covers(index) && lane.last() > index;
        text.push(if lanes.iter().any(|lane| passes(&lane)) { '│' } else { ' ' });
        text.push(' ');
    }
    text.push_str(if next.is_some_and(|next| next.follows || next.beside) { " │" } else { "  " });
    text
}

/// Breaks a text into lines of at most `room` characters, at blanks where there are any.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let long = word.chars().count() > room;
        let word = if long {
            word.chars().take(room - 1).chain(['…']).collect()
        } else {
            word.to_owned()
        };
        let last = lines.last_mut().expect("there is always a line");
        if last.is_empty() {
            *last = word;
        } else if last.chars().count() + 1 + word.chars().count() <= room {
            last.push(' ');
            last.push_str(&word);
        } else {
            lines.push(format!("  {word}"));
        }
    }
    lines
}
