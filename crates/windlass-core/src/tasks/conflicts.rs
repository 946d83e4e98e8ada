//! Tasks that may run side by side and name the same file.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::TaskList;
use crate::id::ItemId;

/// How many tasks of one file are compared each with each; of more, neighbours in the graph are.
const MAX_COMPARED: usize = 200;

/// What would collide, and what would not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Conflicts {
    /// Whether anything would.
    pub has_conflicts: bool,
    /// The files, in the order in which tasks name them.
    pub conflicts: Vec<FileConflict>,
    /// Of each group that may run side by side, the tasks without a conflict.
    pub safe_groups: Vec<SafeGroup>,
}

/// A file that several tasks name, none of which waits for the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileConflict {
    /// The file.
    pub file: String,
    /// The tasks, in the order of the list.
    pub tasks: Vec<ItemId>,
}

/// Tasks that may run side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SafeGroup {
    /// The tasks, in the order of the list.
    pub tasks: Vec<ItemId>,
}

impl TaskList {
    /// Says which open tasks would collide if all that may run side by side did.
    pub fn conflicts(&self) -> Conflicts {
        let mut by_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut named: Vec<&str> = Vec::new();
        for (at, task) in self.tasks.iter().enumerate().filter(|(_, task)| !task.done) {
            for file in &task.files {
                let tasks = by_file.entry(file).or_default();
                if tasks.is_empty() {
                    named.push(file);
                }
                tasks.push(at);
            }
        }
        let mut colliding: BTreeSet<usize> = BTreeSet::new();
        let mut conflicts = Vec::new();
        for file in named {
            let tasks = self.side_by_side(&by_file[file]);
            if tasks.is_empty() {
                continue;
            }
            colliding.extend(&tasks);
            let tasks = tasks.iter().map(|at| self.tasks[*at].id.clone()).collect();
            conflicts.push(FileConflict { file: file.to_owned(), tasks });
        }
        let safe = |at: &usize| !self.tasks[*at].done && !colliding.contains(at);
        let groups = self.graph.groups().into_iter().map(|group| {
            let tasks = group.iter().filter(|at| safe(at)).map(|at| self.tasks[*at].id.clone());
            SafeGroup { tasks: tasks.collect() }
        });
        Conflicts {
            has_conflicts: !conflicts.is_empty(),
            conflicts,
            safe_groups: groups.filter(|group| !group.tasks.is_empty()).collect(),
        }
    }

    /// Returns those of the tasks that may run beside another one of them.
    fn side_by_side(&self, tasks: &[usize]) -> Vec<usize> {
        let ordered = |one: usize, other: usize| {
            let (low, high) = match self.graph.level(one) < self.graph.level(other) {
                true => (one, other),
                false => (other, one),
            };
            self.graph.level(low) < self.graph.level(high) && self.graph.waits_for(high, low)
        };
        let mut by_level = tasks.to_vec();
        by_level.sort_by_key(|task| (self.graph.level(*task), *task));
        let breaks = |pair: &&[usize]| !ordered(pair[0], pair[1]);
        // If each waits for the one before it, each waits for all before it. Most files are like that, and
        // comparing all pairs of a file that thousands of tasks name would take minutes.
        let loose: BTreeSet<usize> =
            by_level.windows(2).filter(breaks).flatten().copied().collect();
        if loose.is_empty() || tasks.len() > MAX_COMPARED {
            return tasks.iter().copied().filter(|task| loose.contains(task)).collect();
        }
        let any = |one: &usize| tasks.iter().any(|other| one != other && !ordered(*one, *other));
        tasks.iter().copied().filter(any).collect()
    }
}
