//! A task list, read as items.
//!
//! Tasks become items here, in an order in which each comes after what it
//! waits for. An item has a title of one line and a body of some KiB, because every fold of the journal has them.

use super::{ListedTask, TaskList};
use crate::item::{MAX_BODY_BYTES, MAX_TITLE_BYTES, Task, name};

/// The largest task list that is read.
pub const MAX_TASKS_BYTES: u64 = 1 << 20;

/// Why a file is no task list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TasksError {
    /// The line.
    pub line: u32,
    /// What is wrong there.
    pub message: String,
}

/// Reads the entries of a task list.
///
/// # Errors
/// An entry cannot be an item, two carry the same id, or they wait for each other.
pub fn read_tasks(text: &str) -> Result<Vec<Task>, TasksError> {
    let list = TaskList::parse(text, "").map_err(|mistakes| {
        let first = mistakes.into_iter().next();
        first.map_or_else(
            || TasksError { line: 1, message: "it is no task list".to_owned() },
            |mistake| TasksError { line: mistake.line, message: mistake.message },
        )
    })?;
    list.in_order().into_iter().map(task).collect()
}

fn task(listed: ListedTask) -> Result<Task, TasksError> {
    let ListedTask { id, title, body, done, line, .. } = listed;
    let refused = |message: String| TasksError { line, message };
    name::check_title(&title)
        .map_err(|_| refused(format!("the text of a task is 1 to {MAX_TITLE_BYTES} bytes long")))?;
    name::check_body(&body).map_err(|_| {
        refused(format!("what is below a task is at most {} KiB long", MAX_BODY_BYTES >> 10))
    })?;
    Ok(Task { id, title, body, story: None, ticked: done })
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
        assert_eq!(
            error("- [ ] T1: a (depends: T2)\n- [ ] T2: b"),
            "line 1: tasks wait for each other: T1 → T2 → T1"
        );
    }

    #[test]
    fn items_come_after_what_they_wait_for() {
        let text = "- [ ] T1 [P] a (depends: T3)\n- [ ] T2 b\n- [ ] T3 [P] c\n";
        assert_eq!(ids(text), ["T3", "T1", "T2"]);
        assert_eq!(read_tasks(text).unwrap()[1].title, "a");
    }

    #[test]
    fn a_list_may_be_long() {
        assert_eq!(ids(&"- [ ] a\n".repeat(5000)).len(), 5000);
    }
}
