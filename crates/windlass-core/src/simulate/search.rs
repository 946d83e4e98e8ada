//! A small set of paths that covers all that can happen.
//!
//! The first path is the one on which all goes well. Every point of a path at which something
//! else could happen is kept, once per target that it could lead to, and later paths set out from
//! there; on their way they take what is not covered yet where that does not stop the run. So
//! there are about as many paths as there are ways to stop. Every number here has a bound, and
//! what was left out because of one is said.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use serde::Serialize;

use super::choice::{Choice, choices};
use super::cover::{self, NotTried};
use super::items;
use super::moves::Move;
use super::target::{Answer, Covered, Target, TargetKind};
use super::walk::Walk;
use crate::plan::Plan;
use crate::run::{Control, PauseReason, Rejected, RunStatus};

/// What a path takes besides the target that it set out for; more would be hard to read.
const MOST_DETOURS: usize = 6;

/// Decisions on one path; a rollback at the end of a long workflow walks it all again.
const MOST_ON_A_PATH: usize = 8_000;

/// Decisions in all, which bounds the time for any workflow.
const MOST_DECISIONS: usize = 100_000;

/// Paths that are listed.
const MOST_PATHS: usize = 2_000;

/// What a simulation found.
#[derive(Clone, Debug, Serialize)]
pub struct Simulation {
    /// The paths; on the first one all goes well.
    pub paths: Vec<Path>,
    /// How much was covered, by kind.
    pub covered: Vec<Covered>,
    /// What was not reached.
    pub missed: Vec<Missed>,
    /// The most attempts of a path.
    pub most_attempts: u64,
    /// The most attempts that the plan can use, not counting human feedback.
    pub worst_case_attempts: u64,
}

/// One way that a run can go.
#[derive(Clone, Debug, Serialize)]
pub struct Path {
    /// What happens, in order.
    pub moves: Vec<Move>,
    /// How many moves from the first on are those of the first path.
    pub shared: usize,
    /// The attempts that it uses.
    pub attempts: u64,
    /// Where the run stands in the end.
    pub end: RunStatus,
    /// What no path before it covers.
    pub covers: Vec<Target>,
}

/// Something that was not reached.
#[derive(Clone, Debug, Serialize)]
pub struct Missed {
    /// What.
    pub target: Target,
    /// Why.
    pub why: String,
    /// Whether it can never be reached, as opposed to not having been looked for long enough.
    pub never: bool,
}

impl Simulation {
    /// Returns the steps and routes that can never be reached.
    pub fn unreachable(&self) -> impl Iterator<Item = &Missed> {
        self.missed.iter().filter(|missed| missed.never && missed.target.must_happen())
    }
}

/// Walks a plan.
///
/// # Errors
/// The machine refuses what it asked for; a plan of a checked workflow does not lead there.
pub fn simulate(plan: &Plan) -> Result<Simulation, Rejected> {
    let known = Arc::new(items::with_first_items(plan));
    let (targets, impossible) = cover::all(&known);
    let mut search = Search {
        plan,
        known,
        targets,
        impossible,
        covered: BTreeSet::new(),
        tried: BTreeMap::new(),
        open: [const { VecDeque::new() }; 3],
        decisions: 0,
        paths: Vec::new(),
        first: Vec::new(),
        budget_ends_it: false,
        lean: false,
    };
    search.round(MOST_DETOURS)?;
    if search.lacks_what_must_happen() {
        // Detours use attempts too. Before anything is called unreachable, every way is taken
        // once more without them, and with what saves attempts.
        search.lean = true;
        search.tried.clear();
        search.round(0)?;
    }
    Ok(search.finish())
}

struct Search<'p> {
    plan: &'p Plan,
    /// The plan with the steps of the first items, which targets are about.
    known: Arc<Plan>,
    targets: BTreeSet<Target>,
    impossible: BTreeMap<Target, NotTried>,
    covered: BTreeSet<Target>,
    /// Targets that a path set out for, and whether it was cut short.
    tried: BTreeMap<Target, Tried>,
    /// Where paths can set out from: those that go on, those that stop, and those back from gates.
    open: [VecDeque<(Target, Box<Walk>, Choice)>; 3],
    decisions: usize,
    paths: Vec<Path>,
    first: Vec<Move>,
    budget_ends_it: bool,
    /// Whether this is the round without detours.
    lean: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tried {
    No,
    Yes,
    CutShort,
}

impl Search<'_> {
    /// Walks paths from the start until there is nothing left to try.
    fn round(&mut self, detours: usize) -> Result<(), Rejected> {
        let walk = Walk::begin(self.plan.clone(), Arc::clone(&self.known))?;
        self.follow(walk, None, 0)?;
        while let Some((aim, walk, choice)) = self.next() {
            if detours > 0 {
                self.follow(Walk::clone(&walk), Some(choice.clone()), detours)?;
            }
            // What happened on the way may have kept the path from its aim.
            if detours == 0 || !self.covered.contains(&aim) {
                self.follow(*walk, Some(choice), 0)?;
            }
        }
        Ok(())
    }

    fn lacks_what_must_happen(&self) -> bool {
        let mut missing = self.targets.difference(&self.covered);
        missing.any(|target| target.must_happen() && !self.impossible.contains_key(target))
    }

    /// Returns whether a path should still set out for a target.
    fn wants(&self, target: &Target) -> bool {
        self.targets.contains(target)
            && !self.impossible.contains_key(target)
            && (!self.covered.contains(target) || (self.lean && target.saves_attempts()))
    }

    /// Returns where the next path sets out from.
    fn next(&mut self) -> Option<(Target, Box<Walk>, Choice)> {
        while self.decisions < MOST_DECISIONS && self.paths.len() < MOST_PATHS {
            let queue = self.open.iter_mut().find(|queue| !queue.is_empty())?;
            let (target, walk, choice) = queue.pop_front()?;
            if self.wants(&target) {
                self.tried.insert(target.clone(), Tried::Yes);
                return Some((target, walk, choice));
            }
        }
        None
    }

    /// Walks one path to its end.
    fn follow(
        &mut self,
        mut walk: Walk,
        first: Option<Choice>,
        mut detours: usize,
    ) -> Result<(), Rejected> {
        let aim = first.as_ref().and_then(|choice| choice.target.clone());
        let mut covers = BTreeSet::new();
        // A detour that does not lead where it should is not taken again on the same path.
        let mut on_the_way = BTreeSet::new();
        let mut next = first;
        let mut count = 0;
        let cut_short = loop {
            let choice = match next.take() {
                Some(choice) => choice,
                None => match self.choose(&walk, &mut detours, &mut on_the_way) {
                    Some(choice) => choice,
                    None => break false,
                },
            };
            walk.take(&choice)?;
            for target in std::mem::take(&mut walk.reached) {
                if self.targets.contains(&target) && self.covered.insert(target.clone()) {
                    covers.insert(target);
                }
            }
            count += 1;
            self.decisions += 1;
            if matches!(walk.state.control, Control::Paused { .. }) && walk.outstanding().is_empty()
            {
                break false;
            }
            if count >= MOST_ON_A_PATH || self.decisions >= MOST_DECISIONS {
                break true;
            }
        };
        if let (true, Some(aim)) = (cut_short, aim) {
            self.tried.insert(aim, Tried::CutShort);
        }
        if !cut_short && (!covers.is_empty() || self.paths.is_empty()) {
            self.keep(&walk, covers.into_iter().collect());
        } else {
            // A path that is not listed proves nothing to the reader.
            for target in covers {
                self.covered.remove(&target);
            }
        }
        Ok(())
    }

    /// Chooses what happens next, and keeps what else could.
    fn choose(
        &mut self,
        walk: &Walk,
        detours: &mut usize,
        on_the_way: &mut BTreeSet<Target>,
    ) -> Option<Choice> {
        let mut choices = choices(walk).into_iter();
        let usual = choices.next()?;
        if walk.is_bound() {
            return Some(usual);
        }
        let mut taken = None;
        for choice in choices {
            let Some(target) = choice.target.clone() else { continue };
            if !self.wants(&target) {
                continue;
            }
            let stops = target.stops(&self.known);
            let tried = self.tried.get(&target).copied();
            if tried.is_none() {
                self.tried.insert(target.clone(), Tried::No);
                let back = matches!(target, Target::Gate { answer: Answer::Rollback(_), .. });
                let queue = if back { 2 } else { usize::from(stops) };
                let from = Box::new(walk.clone());
                self.open[queue].push_back((target.clone(), from, choice.clone()));
            }
            let fresh = tried.is_none_or(|tried| tried == Tried::No);
            if taken.is_none() && *detours > 0 && !stops && fresh && !on_the_way.contains(&target) {
                *detours -= 1;
                on_the_way.insert(target);
                taken = Some(choice);
            }
        }
        Some(taken.unwrap_or(usual))
    }

    fn keep(&mut self, walk: &Walk, covers: Vec<Target>) {
        let moves = walk.moves();
        if self.paths.is_empty() {
            self.first.clone_from(&moves);
            self.budget_ends_it =
                matches!(walk.state.control, Control::Paused { reason: PauseReason::Budget, .. });
        }
        let same = moves.iter().zip(&self.first).take_while(|(one, other)| one == other);
        let shared = if self.paths.is_empty() { 0 } else { same.count() };
        let (attempts, end) = (walk.state.spent.attempts, walk.state.status());
        self.paths.push(Path { moves, shared, attempts, end, covers });
    }

    fn finish(self) -> Simulation {
        let bounded = self.decisions >= MOST_DECISIONS || self.paths.len() >= MOST_PATHS;
        let missed = self
            .targets
            .iter()
            .filter(|target| !self.covered.contains(*target))
            .map(|target| self.missed(target, bounded))
            .collect();
        let kinds: BTreeSet<TargetKind> = self.targets.iter().map(Target::kind).collect();
        let count = |set: &BTreeSet<Target>, kind| {
            set.iter().filter(|target| target.kind() == kind).count()
        };
        let covered = kinds
            .into_iter()
            .map(|kind| Covered {
                kind,
                reached: count(&self.covered, kind),
                total: count(&self.targets, kind),
            })
            .collect();
        Simulation {
            covered,
            missed,
            most_attempts: self.paths.iter().map(|path| path.attempts).max().unwrap_or(0),
            worst_case_attempts: self.plan.worst_case_attempts,
            paths: self.paths,
        }
    }

    fn missed(&self, target: &Target, bounded: bool) -> Missed {
        let limit = self.plan.limits.attempts;
        let (why, never) = if let Some(not_tried) = self.impossible.get(target) {
            (not_tried.why.clone(), not_tried.never)
        } else if self.tried.get(target) == Some(&Tried::CutShort) {
            (format!("the path has more than {MOST_ON_A_PATH} decisions"), false)
        } else if bounded {
            (format!("the search ends after {MOST_DECISIONS} decisions"), false)
        } else if self.budget_ends_it {
            (format!("`limits.attempts` is {limit}, which is used up before"), true)
        } else if self.tried.contains_key(target) {
            ("the paths that set out for it led elsewhere".to_owned(), true)
        } else {
            ("no path leads there".to_owned(), true)
        };
        Missed { target: target.clone(), why, never }
    }
}
