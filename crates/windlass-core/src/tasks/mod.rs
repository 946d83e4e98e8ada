//! TASKS.md: what is to be done, in which order, and what may be done side by side.
//!
//! ```markdown
//! ## Phase 1: Setup
//! - [x] T001 Create the schema in db/schema.sql
//! - [ ] T002 [P] [US1] Add the form in src/form.ts (depends: T001)
//!   DoD:
//!   - the form shows errors
//! ```
//!
//! - `read` finds the tasks of a text; a box at the left margin is a task, and what is indented below it is
//!   its body. Tasks without an id get one from their words.
//! - `path` finds the files that a task names.
//! - `graph` says which task waits for which: `depends` where it is written, else the phase before and,
//!   without `[P]`, the task above.
//! - `conflicts` says which tasks that may run side by side name the same file.
//! - `json` reads tasks that another program names; `items` makes items of tasks.
//!
//! The order of the file decides wherever two answers would do. Everything is linear in tasks and
//! dependencies, up to a logarithm for looking up ids.

mod conflicts;
mod graph;
mod items;
mod json;
mod path;
mod read;

use serde::Serialize;

use crate::id::ItemId;

pub use conflicts::{Conflicts, FileConflict, SafeGroup};
pub use graph::Graph;
pub use items::{MAX_TASKS_BYTES, TasksError, read_tasks};
pub use json::{ListedError, listed_json};

/// The number of a phase: `2`, or `2.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Phase {
    /// Before the dot.
    pub major: u32,
    /// After it.
    pub minor: Option<u32>,
}

impl Serialize for Phase {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.minor {
            None => serializer.serialize_u32(self.major),
            // `2.10` is another phase than `2.1`, and as a number it would not be.
            Some(_) => serializer.collect_str(self),
        }
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.minor {
            None => write!(f, "{}", self.major),
            Some(minor) => write!(f, "{}.{minor}", self.major),
        }
    }
}

/// One task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedTask {
    /// Its name, its own or made from its words.
    pub id: ItemId,
    /// What is to be done, in one line, without marks.
    pub title: String,
    /// What is indented below it.
    pub body: String,
    /// The phase that it stands in.
    pub phase: Option<Phase>,
    /// Whether it may run beside its neighbours.
    pub parallel: bool,
    /// The user story that it belongs to.
    pub user_story: Option<String>,
    /// The files that it names, in the order of its text.
    pub files: Vec<String>,
    /// What it waits for, where that is written.
    pub depends_on: Option<Vec<ItemId>>,
    /// What has to hold when it is done.
    pub done_when: Vec<String>,
    /// Whether its box is ticked.
    pub done: bool,
    /// Its line, from 1.
    pub line: u32,
}

/// The tasks of a file, in its order, and what each waits for.
#[derive(Clone, Debug)]
pub struct TaskList {
    /// The tasks.
    pub tasks: Vec<ListedTask>,
    /// What each waits for.
    pub graph: Graph,
}

/// A list of tasks as programs read it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskListView<'l> {
    tasks: Vec<TaskView<'l>>,
    parallel_groups: Vec<Vec<&'l ItemId>>,
    stats: Stats,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskView<'l> {
    id: &'l ItemId,
    phase: Option<Phase>,
    parallel: bool,
    user_story: Option<&'l str>,
    file_path: Option<&'l str>,
    depends_on: &'l [ItemId],
    done: bool,
}

/// How many tasks there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// All of them.
    pub total: usize,
    /// Those whose box is ticked.
    pub completed: usize,
    /// The others.
    pub pending: usize,
}

impl TaskList {
    /// Counts the tasks.
    pub fn stats(&self) -> Stats {
        let (total, completed) =
            (self.tasks.len(), self.tasks.iter().filter(|task| task.done).count());
        Stats { total, completed, pending: total - completed }
    }

    /// Returns the tasks in groups: each group waits for those before it and for nothing within itself.
    pub fn groups(&self) -> Vec<Vec<&ItemId>> {
        let groups = self.graph.groups();
        groups.into_iter().map(|group| self.named(&group)).collect()
    }

    /// Returns the tasks that can begin now: open ones that wait for nothing open.
    pub fn next(&self) -> Vec<&ItemId> {
        self.named(&self.graph.next(|at| self.tasks[at].done))
    }

    /// Returns what programs read.
    pub fn view(&self) -> TaskListView<'_> {
        let tasks = self.tasks.iter().map(|task| TaskView {
            id: &task.id,
            phase: task.phase,
            parallel: task.parallel,
            user_story: task.user_story.as_deref(),
            file_path: task.files.first().map(String::as_str),
            depends_on: task.depends_on.as_deref().unwrap_or_default(),
            done: task.done,
        });
        TaskListView { tasks: tasks.collect(), parallel_groups: self.groups(), stats: self.stats() }
    }

    /// Returns the tasks in an order in which each comes after what it waits for, and else in that of the file.
    pub fn in_order(self) -> Vec<ListedTask> {
        let order = self.graph.in_order();
        let mut tasks: Vec<Option<ListedTask>> = self.tasks.into_iter().map(Some).collect();
        order.into_iter().filter_map(|at| tasks[at].take()).collect()
    }

    fn named(&self, indexes: &[usize]) -> Vec<&ItemId> {
        indexes.iter().map(|at| &self.tasks[*at].id).collect()
    }
}

#[cfg(test)]
mod tests;
