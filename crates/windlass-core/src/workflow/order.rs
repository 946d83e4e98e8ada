//! Nested steps laid out in one line, every step after the steps it needs.

use std::collections::{BTreeMap, BTreeSet};

use super::route::Route;
use super::step::{MAX_STEPS, Step};
use crate::id::StepId;
use crate::source::diagnostic::{Findings, Located, unknown_name};
use crate::source::suggest::shown;

/// The steps of a workflow in the order of its plans.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    pub(crate) steps: Vec<Ordered>,
    positions: BTreeMap<String, usize>,
    places: Vec<Place>,
}

/// Where a step stands in plans.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The step that repeats it for every item.
    repeated_by: Option<usize>,
    /// Its position among the steps of the plan, or of its item.
    position: usize,
}

/// A step in its place.
#[derive(Clone, Debug)]
pub(crate) struct Ordered {
    pub(crate) id: StepId,
    pub(crate) step: Step,
    pub(crate) parent: Option<usize>,
    /// Steps that must be done first.
    pub(crate) needs: Vec<usize>,
    /// Those, and the ones that they need in turn.
    pub(crate) needed: BTreeSet<usize>,
    pub(crate) routes: Vec<Route>,
    /// Where a step that windlass does itself goes back to, and how often at most.
    pub(crate) failed: Option<(usize, u32)>,
}

/// A step in the order of the file, a parent before the steps nested in it.
struct Filed {
    id: String,
    step: Step,
    parent: Option<usize>,
    /// The step above, on the same level.
    above: Option<usize>,
    /// What must be done before anything of this step begins.
    before: Vec<usize>,
    /// What must be done before the step itself counts; differs from `before` for a group.
    needs: Vec<usize>,
    /// The position in the file, a parent after the steps nested in it.
    rank: usize,
}

/// Lays the steps out; `None` when their order has no answer.
pub(super) fn order(steps: Vec<Step>, findings: &mut Findings) -> Option<Order> {
    let mut filed = Vec::new();
    let mut rank = 0;
    file(steps, None, &mut filed, &mut rank);
    if filed.len() > MAX_STEPS {
        let at = filed[MAX_STEPS].step.id.at;
        findings.error(at, format!("there are {} steps, more than {MAX_STEPS}", filed.len()));
        return None;
    }
    let mut positions = BTreeMap::new();
    for (index, entry) in filed.iter().enumerate() {
        if positions.insert(entry.id.clone(), index).is_some() {
            let message = format!("a second step is called {}", shown(&entry.id));
            findings.error_with_help(entry.step.id.at, message, "give each step its own id");
        }
    }
    let filed_order = find_needs(filed, positions, findings)?;
    sort(filed_order, findings)
}

fn file(steps: Vec<Step>, parent: Option<usize>, filed: &mut Vec<Filed>, rank: &mut usize) {
    let mut above = None;
    for mut step in steps {
        let nested = step.steps.replace(Vec::new());
        let is_group = nested.is_some();
        if !is_group {
            step.steps = None;
        }
        let id = match parent {
            Some(parent) => format!("{}/{}", filed[parent].id, step.id.value),
            None => step.id.value.clone(),
        };
        let index = filed.len();
        let (before, needs) = (Vec::new(), Vec::new());
        filed.push(Filed { id, step, parent, above, before, needs, rank: 0 });
        file(nested.unwrap_or_default(), Some(index), filed, rank);
        filed[index].rank = *rank;
        *rank += 1;
        above = Some(index);
    }
}

/// Looks up `needs`, and fills in what steps need without saying so.
fn find_needs(
    mut filed: Vec<Filed>,
    positions: BTreeMap<String, usize>,
    findings: &mut Findings,
) -> Option<Vec<Filed>> {
    let mut failed = false;
    for index in 0..filed.len() {
        let entry = &filed[index];
        let mut before: Vec<usize> = Vec::new();
        for name in entry.step.needs.iter().flatten() {
            let scope = entry.parent.map(|parent| filed[parent].id.as_str());
            match look_up(&positions, scope, name, findings) {
                Some(found) if found == index => {
                    let message = format!("step {} needs itself", shown(&entry.id));
                    findings.error_with_help(name.at, message, "remove it from `needs`");
                    failed = true;
                }
                Some(found) if !before.contains(&found) => before.push(found),
                Some(_) => {}
                None => failed = true,
            }
        }
        if entry.step.needs.is_none() {
            before.extend(entry.above);
        }
        if let Some(parent) = entry.parent {
            // What a group waits for holds for every step inside it; steps that wait for a
            // sibling have it through that one.
            let waits_inside = before.iter().any(|&need| is_inside(&filed, need, parent));
            if !waits_inside {
                before.extend(filed[parent].before.clone());
            }
        }
        filed[index].before = before.clone();
        filed[index].needs = before;
    }
    for group in 0..filed.len() {
        if filed[group].step.steps.is_some() {
            filed[group].needs = last_inside(&filed, group);
        }
    }
    (!failed).then_some(filed)
}

fn is_inside(filed: &[Filed], step: usize, group: usize) -> bool {
    let mut at = filed[step].parent;
    while let Some(parent) = at {
        if parent == group {
            return true;
        }
        at = filed[parent].parent;
    }
    false
}

/// Returns the steps directly inside `group` that no other one inside it waits for.
fn last_inside(filed: &[Filed], group: usize) -> Vec<usize> {
    let inside: Vec<usize> =
        (0..filed.len()).filter(|&step| filed[step].parent == Some(group)).collect();
    let waited_for = |step: usize| inside.iter().any(|&other| filed[other].before.contains(&step));
    let last: Vec<usize> = inside.iter().copied().filter(|&step| !waited_for(step)).collect();
    // Steps that wait for each other have no last one; the cycle is reported when sorting.
    if last.is_empty() { inside } else { last }
}

/// Finds a step by its id among siblings, else by its full id.
fn look_up(
    positions: &BTreeMap<String, usize>,
    scope: Option<&str>,
    name: &Located<String>,
    findings: &mut Findings,
) -> Option<usize> {
    let near = scope.and_then(|scope| positions.get(&format!("{scope}/{}", name.value)));
    let found = near.or_else(|| positions.get(&name.value)).copied();
    if found.is_none() {
        let siblings = positions.keys().filter_map(|id| id.strip_prefix(scope?)?.strip_prefix('/'));
        let known = siblings.chain(positions.keys().map(String::as_str));
        unknown_name(findings, name.at, "step", &name.value, known);
    }
    found
}

/// Sorts so that every step stands after those it needs, else as in the file.
fn sort(filed: Vec<Filed>, findings: &mut Findings) -> Option<Order> {
    let mut sorted: Vec<usize> = Vec::new();
    let mut position = vec![None; filed.len()];
    let mut waiting: BTreeSet<(usize, usize)> =
        filed.iter().enumerate().map(|(index, entry)| (entry.rank, index)).collect();
    loop {
        let ready = waiting
            .iter()
            .copied()
            .find(|&(_, index)| filed[index].needs.iter().all(|&need| position[need].is_some()));
        let Some(ready) = ready else { break };
        waiting.remove(&ready);
        position[ready.1] = Some(sorted.len());
        sorted.push(ready.1);
    }
    if let Some(&(_, stuck)) = waiting.first() {
        report_cycle(&filed, stuck, &position, findings);
        return None;
    }
    let place = |index: usize| position[index].unwrap_or_default();
    let mut filed: Vec<Option<Filed>> = filed.into_iter().map(Some).collect();
    let mut order = Order::default();
    for (index, from) in sorted.into_iter().enumerate() {
        let Some(entry) = filed[from].take() else { continue };
        let mut needs: Vec<usize> = entry.needs.iter().map(|&need| place(need)).collect();
        needs.sort_unstable();
        needs.dedup();
        let mut needed: BTreeSet<usize> = needs.iter().copied().collect();
        for &need in &needs {
            needed.extend(&order.steps[need].needed);
        }
        order.positions.insert(entry.id.clone(), index);
        order.steps.push(Ordered {
            id: StepId::new(entry.id),
            step: entry.step,
            parent: entry.parent.map(place),
            needs,
            needed,
            routes: Vec::new(),
            failed: None,
        });
    }
    order.places = places(&order.steps);
    Some(order)
}

fn places(steps: &[Ordered]) -> Vec<Place> {
    let mut counts: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    let place = |step: &Ordered| {
        let mut repeated_by = None;
        let mut at = step.parent;
        while let Some(parent) = at {
            if steps[parent].step.foreach.is_some() {
                repeated_by = Some(parent);
            }
            at = steps[parent].parent;
        }
        let count = counts.entry(repeated_by).or_default();
        *count += 1;
        Place { repeated_by, position: *count - 1 }
    };
    steps.iter().map(place).collect()
}

/// Reports the cycle that keeps the step `stuck` from ever beginning.
fn report_cycle(
    filed: &[Filed],
    stuck: usize,
    position: &[Option<usize>],
    findings: &mut Findings,
) {
    let mut path = vec![stuck];
    // Whoever is stuck needs somebody stuck, so the walk comes back to where it has been.
    let start = loop {
        let here = path[path.len() - 1];
        let next = filed[here].needs.iter().copied().find(|&need| position[need].is_none());
        let Some(next) = next else { return };
        if let Some(start) = path.iter().position(|&seen| seen == next) {
            break start;
        }
        path.push(next);
    };
    let cycle = &path[start..];
    let first = cycle.iter().copied().min_by_key(|&step| filed[step].rank).unwrap_or(stuck);
    let turn = cycle.iter().position(|&step| step == first).unwrap_or(0);
    let mut names: Vec<String> = Vec::new();
    for offset in 0..=cycle.len() {
        names.push(shown(&filed[cycle[(turn + offset) % cycle.len()]].id));
    }
    findings.error_with_help(
        filed[first].step.id.at,
        format!("no step of this cycle can ever begin: {}", names.join(" needs ")),
        "remove one of these from `needs`",
    );
}

impl Order {
    /// Finds the step that the step at `from` calls `name`.
    pub(super) fn find(
        &self,
        from: usize,
        name: &Located<String>,
        findings: &mut Findings,
    ) -> Option<usize> {
        let scope = self.steps[from].parent.map(|parent| self.steps[parent].id.as_str());
        look_up(&self.positions, scope, name, findings)
    }

    /// Returns the steps of the plan: all but those that are repeated for items.
    pub(crate) fn written(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.steps.len()).filter(|&step| self.repeated_by(step).is_none())
    }

    /// Returns the steps that the step at `foreach` repeats, in order.
    pub(crate) fn repeated(&self, foreach: usize) -> Vec<usize> {
        let inside = |&step: &usize| self.repeated_by(step) == Some(foreach);
        (0..self.steps.len()).filter(inside).collect()
    }

    /// Returns the step around `step` that repeats it.
    pub(crate) fn repeated_by(&self, step: usize) -> Option<usize> {
        self.places[step].repeated_by
    }

    /// Returns where a step stands among the steps of the plan, or of its item.
    pub(crate) fn position(&self, step: usize) -> usize {
        self.places[step].position
    }

    /// Returns the parent of a step as the plan counts; the item itself has no place there.
    pub(crate) fn parent(&self, step: usize) -> Option<usize> {
        let parent = self.steps[step].parent?;
        (self.repeated_by(step) != Some(parent)).then(|| self.position(parent))
    }

    /// Returns what a step needs as the plan counts. What is inside of a step that repeats over
    /// items waits for it, so that one waits for all that those inside would.
    pub(crate) fn needs(&self, step: usize) -> Vec<usize> {
        let around = self.repeated_by(step);
        let repeats = self.steps[step].step.foreach.is_some();
        let inside = if repeats { self.repeated(step) } else { Vec::new() };
        let own = if repeats { &[] } else { self.steps[step].needs.as_slice() };
        let of_inside = inside.iter().flat_map(|&inside| &self.steps[inside].needs);
        let needs: BTreeSet<usize> = own
            .iter()
            .chain(of_inside)
            .copied()
            .filter(|&need| self.repeated_by(need) == around)
            .map(|need| self.position(need))
            .collect();
        needs.into_iter().collect()
    }

    /// Returns the steps that directly or indirectly need `step`, and itself.
    pub(crate) fn depending_on(&self, step: usize) -> BTreeSet<usize> {
        let depends = |&index: &usize| index == step || self.steps[index].needed.contains(&step);
        (0..self.steps.len()).filter(depends).collect()
    }
}
