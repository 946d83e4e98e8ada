//! Which task waits for which.
//!
//! A task without `depends` waits for every task of the phase before. Written out, two phases of a thousand
//! tasks would be a million edges; a node per phase between them keeps it linear.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Tasks by their position in the list, and what each waits for.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    tasks: usize,
    /// What each node waits for; nodes behind the tasks are the ends of phases.
    needs: Vec<Vec<usize>>,
    /// How many tasks in a row lie before each node, at least.
    level: Vec<usize>,
}

/// What one task waits for.
#[derive(Clone, Debug)]
pub(super) enum Waits {
    /// These, as it is written.
    For(Vec<usize>),
    /// The phase before it and, unless it may run beside it, the task above.
    Above {
        /// Whether it may run beside its neighbours.
        parallel: bool,
    },
}

/// One task, as the graph sees it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The position of its phase among the phases of the list.
    pub(super) phase: usize,
    pub(super) waits: Waits,
}

impl Graph {
    /// Joins tasks to a graph.
    ///
    /// # Errors
    /// The tasks of a circle, each waiting for the next, the first again at the end.
    pub(super) fn new(places: &[Place]) -> Result<Self, Vec<usize>> {
        let tasks = places.len();
        let mut needs: Vec<Vec<usize>> = Vec::with_capacity(tasks);
        // The node that ends the phase before, and what belongs to the phase at hand.
        let (mut before, mut current): (Option<usize>, Vec<usize>) = (None, Vec::new());
        let mut ends: Vec<Vec<usize>> = Vec::new();
        for (at, place) in places.iter().enumerate() {
            let above = at.checked_sub(1).filter(|above| places[*above].phase == place.phase);
            if above.is_none() && at > 0 {
                before = Some(tasks + ends.len());
                ends.push(std::mem::take(&mut current));
            }
            needs.push(match &place.waits {
                Waits::For(needed) => needed.clone(),
                Waits::Above { parallel } => {
                    let above = above.filter(|_| !parallel);
                    before.into_iter().chain(above).collect()
                }
            });
            current.push(at);
        }
        needs.extend(ends);
        let order = sorted(&needs).map_err(|stuck| circle(&needs, &stuck, tasks))?;
        let mut level = vec![0; needs.len()];
        for node in order {
            // The end of a phase is no task: what waits for it is one further than its last task.
            let far = |need: &usize| level[*need] + usize::from(*need < tasks);
            level[node] = needs[node].iter().map(far).max().unwrap_or(0);
        }
        Ok(Self { tasks, needs, level })
    }

    /// Returns groups of tasks: each waits for groups before it and for nothing within itself.
    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        let count = self.level[..self.tasks].iter().max().map_or(0, |most| most + 1);
        let mut groups = vec![Vec::new(); count];
        for task in 0..self.tasks {
            groups[self.level[task]].push(task);
        }
        groups
    }

    /// Returns the open tasks that wait for nothing open, in the order of the list.
    pub(super) fn next(&self, done: impl Fn(usize) -> bool) -> Vec<usize> {
        let over = |need: &usize| match *need < self.tasks {
            true => done(*need),
            false => self.needs[*need].iter().all(|task| done(*task)),
        };
        // Each end of a phase is looked at once, not once for every task that waits for it.
        let ends: Vec<bool> = (self.tasks..self.needs.len()).map(|end| over(&end)).collect();
        let free = |task: &usize| {
            self.needs[*task].iter().all(|need| match need.checked_sub(self.tasks) {
                Some(end) => ends[end],
                None => done(*need),
            })
        };
        (0..self.tasks).filter(|task| !done(*task)).filter(free).collect()
    }

    /// Returns the tasks in an order in which each comes after what it waits for, and else in that of the list.
    pub(super) fn in_order(&self) -> Vec<usize> {
        let order = sorted(&self.needs).unwrap_or_default();
        order.into_iter().filter(|node| *node < self.tasks).collect()
    }

    /// Whether one task waits for the other, directly or through others.
    pub(super) fn waits_for(&self, task: usize, other: usize) -> bool {
        // Who waits is further down than what it waits for, or as far where the end of a phase is between.
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        let mut open = vec![task];
        while let Some(node) = open.pop() {
            for need in &self.needs[node] {
                if *need == other {
                    return true;
                }
                if self.level[*need] >= self.level[other] && seen.insert(*need) {
                    open.push(*need);
                }
            }
        }
        false
    }

    pub(super) fn level(&self, task: usize) -> usize {
        self.level[task]
    }
}

/// Sorts nodes so that each comes after what it needs, else by their number.
///
/// # Errors
/// For each node whether it could be placed: not those of a circle and what waits for them.
fn sorted(needs: &[Vec<usize>]) -> Result<Vec<usize>, Vec<bool>> {
    let mut waiting: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    for (node, needs) in needs.iter().enumerate() {
        for need in needs {
            needed_by[*need].push(node);
        }
    }
    let ready = |waiting: &[usize], node: &usize| waiting[*node] == 0;
    let mut heap: BinaryHeap<Reverse<usize>> =
        (0..needs.len()).filter(|node| ready(&waiting, node)).map(Reverse).collect();
    let mut order = Vec::with_capacity(needs.len());
    while let Some(Reverse(node)) = heap.pop() {
        order.push(node);
        for next in &needed_by[node] {
            waiting[*next] -= 1;
            if ready(&waiting, next) {
                heap.push(Reverse(*next));
            }
        }
    }
    match order.len() == needs.len() {
        true => Ok(order),
        false => Err(waiting.iter().map(|count| *count == 0).collect()),
    }
}

/// Returns the tasks of a circle among the nodes that could not be placed.
fn circle(needs: &[Vec<usize>], placed: &[bool], tasks: usize) -> Vec<usize> {
    // Every node that is left needs another one that is left: following them leads into a circle.
    let mut path: Vec<usize> = Vec::new();
    let mut at_step: Vec<Option<usize>> = vec![None; needs.len()];
    let mut node = placed.iter().position(|placed| !placed).unwrap_or_default();
    while at_step[node].is_none() {
        at_step[node] = Some(path.len());
        path.push(node);
        let next = needs[node].iter().find(|need| !placed[**need]);
        let Some(next) = next else { break };
        node = *next;
    }
    let from = at_step[node].unwrap_or_default();
    let mut circle: Vec<usize> =
        path[from..].iter().copied().filter(|node| *node < tasks).collect();
    circle.extend(circle.first().copied());
    circle
}
