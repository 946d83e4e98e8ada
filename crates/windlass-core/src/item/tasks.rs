//! A Markdown task list, read as items.
//!
//! Every `- [ ] text` that stands at the left margin is an item, and so is `- [x] text`, which is
//! known to be ticked; what is indented below it is its body. An id that the entry carries itself
//! (`T12: text`, `(T12) text`, `**T12** text`) is kept; otherwise it is made from the words, so
//! that reading the same list again gives the same ids. Code blocks are no tasks.

use std::collections::BTreeMap;

use super::name::{self, MAX_BODY_BYTES, MAX_TITLE_BYTES};
use crate::id::ItemId;

/// The largest task list that is read.
pub const MAX_TASKS_BYTES: u64 = 1 << 20;

/// More entries than anybody ticks off.
const MAX_TASKS: usize = 1000;

/// The longest id that an entry can carry: letters, at most one `-`, digits.
const MAX_CARRIED_BYTES: usize = 20;

/// One entry of a task list.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its name.
    pub id: ItemId,
    /// Its first line.
    pub title: String,
    /// What is indented below it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// What makes it a story.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<crate::story::Story>,
    /// Whether its box is ticked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ticked: bool,
}

/// Why a file is no task list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum TasksError {
    #[error("line {line}: the id `{id}` stands there a second time")]
    Twice { id: String, line: usize },
    #[error("line {line}: the text of a task is 1 to {MAX_TITLE_BYTES} bytes long")]
    Title { line: usize },
    #[error("line {line}: what is below a task is at most {} KiB long", MAX_BODY_BYTES >> 10)]
    Body { line: usize },
    #[error("it has more than {MAX_TASKS} tasks")]
    TooMany,
}

/// Reads the entries of a task list.
///
/// # Errors
/// An entry cannot be an item, or two carry the same id.
pub fn read_tasks(text: &str) -> Result<Vec<Task>, TasksError> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut open = false;
    for (number, line) in (1..).zip(text.lines()) {
        let content = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|marker| content.starts_with(marker));
        let at_margin = content.len() == line.len();
        if fence.is_none() && at_margin {
            if let Some((ticked, words)) = task(line) {
                entries.push(Entry { line: number, ticked, words, body: Vec::new() });
                open = true;
                continue;
            }
            // A heading, a paragraph or another list ends the entry; an empty line does not.
            open &= line.trim().is_empty();
        }
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(opened), Some(marker)) if opened == marker => fence = None,
            (Some(_) | None, _) => {}
        }
        if let (true, Some(entry)) = (open, entries.last_mut()) {
            entry.body.push(line);
        }
    }
    if entries.len() > MAX_TASKS {
        return Err(TasksError::TooMany);
    }
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    entries.into_iter().map(|entry| entry.read(&mut taken)).collect()
}

struct Entry<'t> {
    line: usize,
    ticked: bool,
    words: &'t str,
    body: Vec<&'t str>,
}

impl Entry<'_> {
    fn read(self, taken: &mut BTreeMap<String, u32>) -> Result<Task, TasksError> {
        let (carried, title) = carried_id(self.words);
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if name::check_title(&title).is_err() {
            return Err(TasksError::Title { line: self.line });
        }
        let made = carried.is_none();
        let mut id = carried.map_or_else(|| name::id_of(&title), ItemId::new);
        let times = taken.entry(id.as_str().to_owned()).or_default();
        *times += 1;
        if *times > 1 && !made {
            return Err(TasksError::Twice { id: id.to_string(), line: self.line });
        }
        if *times > 1 {
            // Equal words in the same order give equal ids, whatever else the list holds.
            id = ItemId::new(format!("{id}-{times}"));
            if taken.insert(id.as_str().to_owned(), 1).is_some() {
                return Err(TasksError::Twice { id: id.to_string(), line: self.line });
            }
        }
        let body = body(&self.body);
        if name::check_body(&body).is_err() {
            return Err(TasksError::Body { line: self.line });
        }
        Ok(Task { id, title, body, story: None, ticked: self.ticked })
    }
}

/// Returns whether the box is ticked, and what stands after it.
fn task(line: &str) -> Option<(bool, &str)> {
    let rest = line.strip_prefix(['-', '*', '+'])?.strip_prefix(' ')?.trim_start();
    let inside = rest.strip_prefix('[')?;
    let mut letters = inside.chars();
    let ticked = match letters.next()? {
        ' ' => false,
        'x' | 'X' => true,
        _ => return None,
    };
    let words = letters.as_str().strip_prefix(']')?;
    // `[x](link)` is a link.
    (words.is_empty() || words.starts_with(char::is_whitespace)).then(|| (ticked, words.trim()))
}

/// Returns the id that an entry carries in front, such as `T12` or `US-3`, and what follows it.
fn carried_id(words: &str) -> (Option<&str>, &str) {
    let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let bare = first
        .trim_end_matches([':', '.'])
        .trim_matches(['(', ')', '[', ']', '*', '`'])
        .trim_end_matches([':', '.']);
    let letters = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
    let digits = bare[letters..].strip_prefix('-').unwrap_or(&bare[letters..]);
    let is_id = (1..=10).contains(&letters)
        && bare.starts_with(|c: char| c.is_ascii_uppercase())
        && !digits.is_empty()
        && digits.chars().all(|c| c.is_ascii_digit())
        && bare.len() <= MAX_CARRIED_BYTES
        && !rest.trim().is_empty();
    if is_id { (Some(bare), rest.trim_start()) } else { (None, words) }
}

/// Returns lines without the indentation that all of them have.
fn body(lines: &[&str]) -> String {
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let indent = filled.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or("")).collect();
    lines.join("\n").trim_matches('\n').trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        read_tasks(text).unwrap().into_iter().map(|task| task.id.to_string()).collect()
    }

    #[test]
    fn entries_at_the_margin_are_items_and_what_is_below_is_their_body() {
        let text = "# Tasks\n\nWords.\n\n- [ ] T12: Add login\n  - [ ] the form\n  more\n\n- [x] \
                    (US-3) Old\n* [ ] Write the docs\n\nA paragraph\n  - [ ] of nobody\n";
        let tasks = read_tasks(text).unwrap();
        let seen: Vec<_> = tasks
            .iter()
            .map(|task| (task.id.as_str(), task.title.as_str(), task.body.as_str(), task.ticked))
            .collect();
        assert_eq!(
            seen,
            [
                ("T12", "Add login", "- [ ] the form\nmore", false),
                ("US-3", "Old", "", true),
                ("write-the-docs", "Write the docs", "", false),
            ]
        );
    }

    #[test]
    fn an_id_in_front_is_found_however_it_is_written() {
        for entry in
            ["T1: a", "T1 a", "(T1) a", "[T1] a", "**T1** a", "**T1:** a", "`T1`: a", "T1. a"]
        {
            assert_eq!(ids(&format!("- [ ] {entry}")), ["T1"], "{entry}");
        }
        assert_eq!(ids("- [ ] T1"), ["t1"], "a lone word is the title");
        assert_eq!(ids("- [ ] 2026 is over"), ["2026-is-over"]);
        assert_eq!(ids("- [ ] utf8 support"), ["utf8-support"]);
    }

    #[test]
    fn reading_again_gives_the_same_ids_also_for_equal_words() {
        let text = "- [ ] fix tests\n- [ ] fix tests\n- [x] fix tests\n";
        assert_eq!(ids(text), ["fix-tests", "fix-tests-2", "fix-tests-3"]);
        assert_eq!(ids(text), ids(text));
    }

    #[test]
    fn what_only_looks_like_a_task_is_none() {
        for text in [
            "```\n- [ ] code\n```\n",
            "~~~\n- [ ] code\n```\n- [ ] still code\n~~~\n",
            "- [link](x)\n- [x](y)\n",
            "- plain\n1. [ ] numbered\n",
            "  - [ ] indented\n",
            "",
        ] {
            assert!(ids(text).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn a_list_that_cannot_be_items_says_where() {
        let error = |text: &str| read_tasks(text).unwrap_err().to_string();
        assert_eq!(
            error("- [ ] T1: a\n- [ ] T1: b"),
            "line 2: the id `T1` stands there a second time"
        );
        assert_eq!(error("- [ ]"), "line 1: the text of a task is 1 to 200 bytes long");
        let long = format!("- [ ] a\n  {}", "x".repeat(9000));
        assert_eq!(error(&long), "line 1: what is below a task is at most 8 KiB long");
        assert_eq!(error(&"- [ ] a\n".repeat(1001)), "it has more than 1000 tasks");
    }
}
