//! The table in the document: rows of cells, to Markdown and back.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::hosted;
use crate::probe::Group;
use crate::world::{Level, Who};

/// What came of an attack, the better first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cell {
    /// It had no effect.
    Refused,
    /// It had one, and the run did not take it for work.
    Detected,
    /// It got through.
    Open,
}

impl Cell {
    fn word(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Detected => "detected",
            Self::Open => "open",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Refused, Self::Detected, Self::Open].into_iter().find(|cell| cell.word() == word)
    }
}

/// Cells by attack, level and user.
pub(crate) type Cells = BTreeMap<(String, Level, Who), Cell>;

/// One row, without its cells.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    pub(crate) tries: &'static str,
    /// Why it is open in a box, where it is.
    pub(crate) open: &'static str,
}

/// Writes the tables of all groups, and the notes below them.
pub(crate) fn render(rows: &[Row], cells: &Cells) -> String {
    let mut text = String::new();
    let columns = Level::ALL;
    for group in Group::ALL {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.group == group).collect();
        let titles: Vec<&str> = columns.iter().map(|column| column.title()).collect();
        let _ = write!(
            text,
            "### {}\n\n| attack | tries to | {} |\n",
            group.title(),
            titles.join(" | ")
        );
        text.push_str(&format!("|---|---|{}\n", "---|".repeat(columns.len())));
        for row in rows {
            let shown: Vec<String> =
                columns.iter().map(|column| shown(cells, row.name, *column)).collect();
            let _ = writeln!(text, "| `{}` | {} | {} |", row.name, row.tries, shown.join(" | "));
        }
        text.push('\n');
    }
    text.push_str("### Open in a box, and why\n\n");
    for row in rows.iter().filter(|row| is_open_in_a_box(cells, row.name)) {
        let _ = writeln!(text, "- `{}`: {}.", row.name, row.open);
    }
    text.push_str("\n### Worse in a hosted session than without confinement, and why\n\n");
    for reason in hosted::REASONS {
        let _ = writeln!(text, "- `{}`: {}.", reason.name, reason.why);
    }
    text.push_str("\n### Played otherwise in a hosted session\n\n");
    for reason in hosted::OTHERWISE {
        let _ = writeln!(text, "- `{}`: {}.", reason.name, reason.why);
    }
    text
}

/// Whether an attack gets through at a level that claims to box it.
pub(crate) fn is_open_in_a_box(cells: &Cells, name: &str) -> bool {
    let boxed = [Level::Box, Level::Provider];
    let users = [Who::User, Who::Root];
    let mut all = boxed.iter().flat_map(|column| users.map(|who| (name.to_owned(), *column, who)));
    all.any(|key| cells.get(&key) == Some(&Cell::Open))
}

/// Whether an attack gets further in a session than where nothing is confined.
pub(crate) fn is_worse_hosted(cells: &Cells, name: &str) -> bool {
    let get = |level, who| cells.get(&(name.to_owned(), level, who));
    [Who::User, Who::Root].into_iter().any(|who| get(Level::Hosted, who) > get(Level::None, who))
}

fn shown(cells: &Cells, name: &str, column: Level) -> String {
    let get = |who| cells.get(&(name.to_owned(), column, who)).copied();
    match (get(Who::User), get(Who::Root)) {
        (Some(user), Some(root)) if user == root => user.word().to_owned(),
        (Some(user), Some(root)) => format!("user {}, root {}", user.word(), root.word()),
        (Some(user), None) => format!("user {}", user.word()),
        (None, _) => "not tried".to_owned(),
    }
}

/// Reads the cells of a document back.
pub(crate) fn parse(text: &str) -> Cells {
    let mut cells = Cells::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let parts: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = parts[0].trim_matches('`');
        for (column, shown) in Level::ALL.into_iter().zip(parts.iter().skip(2)) {
            let (user, root) = match shown.split_once(", ") {
                Some((user, root)) => (user, root),
                None => (*shown, *shown),
            };
            let word = |text: &str| Cell::parse(text.rsplit(' ').next().unwrap_or_default());
            for (who, cell) in [(Who::User, word(user)), (Who::Root, word(root))] {
                cells.extend(cell.map(|cell| ((name.to_owned(), column, who), cell)));
            }
        }
    }
    cells
}
