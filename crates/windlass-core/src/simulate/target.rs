//! What there is to cover in a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::sample;
use crate::id::{StepId, StepIndex};
use crate::plan::{Criterion, Exhausted, Plan, PlanStep, Publish, Skip, StepKind, ValueType};
use crate::run::SAME_FAILURE;

/// Tries and turns of a route that are walked one by one; nobody reads more.
const MOST_TURNS: u32 = 100;

/// Why a target is not tried.
#[derive(Clone, Debug)]
pub(super) struct NotTried {
    pub(super) why: String,
    /// Whether it can never happen, as opposed to taking too long to walk.
    pub(super) never: bool,
}

/// When all gates together could go back to more steps than this, each goes back to fewer.
const MOST_ROLLBACKS: usize = 400;

/// Something that can happen in a run of a plan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "target")]
#[expect(missing_docs, reason = "the fields are the words of the glossary")]
pub enum Target {
    /// The step is worked on, or done where nobody works on it.
    Step { step: StepId },
    /// Its `when` is true, or is not.
    When { step: StepId, holds: bool },
    /// Its work is there before the first attempt.
    Satisfied { step: StepId },
    /// It fails, and then passes.
    Retried { step: StepId },
    /// It fails in the same way so often that the run pauses early.
    Repeated { step: StepId },
    /// It fails until its tries are used up.
    Exhausted { step: StepId },
    /// An earlier step asks to skip it.
    Skip { step: StepId },
    /// A verdict leads back, by the glob that a file matches or otherwise.
    Route { step: StepId, verdict: String, glob: Option<String>, to: StepId },
    /// A verdict is given more often than its route may be taken.
    RouteLimit { step: StepId, verdict: String },
    /// A person answers its gate.
    Gate { step: StepId, answer: Answer },
    /// A person answers about a changed protected file.
    Protected { answer: Answer },
    /// The budget is used up.
    Budget,
}

/// What a person answers at a gate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Approve.
    Approve,
    /// Feedback.
    Feedback,
    /// Back to this step.
    Rollback(StepId),
}

/// What a line of the coverage counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the targets")]
pub enum TargetKind {
    Steps,
    Conditions,
    Retries,
    Exhaustions,
    Skips,
    Routes,
    RouteLimits,
    GateAnswers,
    ProtectedChanges,
    Budget,
}

/// How much of one kind was covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Covered {
    /// What is counted.
    pub kind: TargetKind,
    /// How many were reached.
    pub reached: usize,
    /// How many there are.
    pub total: usize,
}

impl Target {
    /// Returns what it counts as.
    pub fn kind(&self) -> TargetKind {
        match self {
            Self::Step { .. } => TargetKind::Steps,
            Self::When { .. } | Self::Satisfied { .. } => TargetKind::Conditions,
            Self::Retried { .. } => TargetKind::Retries,
            Self::Repeated { .. } | Self::Exhausted { .. } => TargetKind::Exhaustions,
            Self::Skip { .. } => TargetKind::Skips,
            Self::Route { .. } => TargetKind::Routes,
            Self::RouteLimit { .. } => TargetKind::RouteLimits,
            Self::Gate { .. } => TargetKind::GateAnswers,
            Self::Protected { .. } => TargetKind::ProtectedChanges,
            Self::Budget => TargetKind::Budget,
        }
    }

    /// Returns whether a workflow in which it cannot happen is wrong.
    pub fn must_happen(&self) -> bool {
        matches!(self, Self::Step { .. } | Self::Route { .. })
    }

    /// Returns whether it makes a path shorter, so that a small budget leads further.
    pub(super) fn saves_attempts(&self) -> bool {
        match self {
            Self::When { holds, .. } => !holds,
            Self::Satisfied { .. } | Self::Skip { .. } => true,
            Self::Step { .. }
            | Self::Retried { .. }
            | Self::Repeated { .. }
            | Self::Exhausted { .. }
            | Self::Route { .. }
            | Self::RouteLimit { .. }
            | Self::Gate { .. }
            | Self::Protected { .. }
            | Self::Budget => false,
        }
    }

    /// Returns whether the run stops there.
    pub(super) fn stops(&self, plan: &Plan) -> bool {
        match self {
            Self::Exhausted { step } => {
                plan.find(step).is_none_or(|index| plan.step(index).exhausted != Exhausted::Waive)
            }
            Self::Repeated { .. } | Self::RouteLimit { .. } | Self::Budget => true,
            Self::Step { .. }
            | Self::When { .. }
            | Self::Satisfied { .. }
            | Self::Retried { .. }
            | Self::Skip { .. }
            | Self::Route { .. }
            | Self::Gate { .. }
            | Self::Protected { .. } => false,
        }
    }
}

impl fmt::Display for TargetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steps => "steps",
            Self::Conditions => "conditions",
            Self::Retries => "retries",
            Self::Exhaustions => "exhaustions",
            Self::Skips => "skips",
            Self::Routes => "routes",
            Self::RouteLimits => "route limits",
            Self::GateAnswers => "gate answers",
            Self::ProtectedChanges => "protected changes",
            Self::Budget => "budget",
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step { step } => write!(f, "the step `{step}`"),
            Self::When { step, holds } => write!(f, "`when` of `{step}` being {holds}"),
            Self::Satisfied { step } => write!(f, "the work of `{step}` being there already"),
            Self::Retried { step } => write!(f, "`{step}` failing and then passing"),
            Self::Repeated { step } => write!(f, "`{step}` failing in the same way over and over"),
            Self::Exhausted { step } => write!(f, "`{step}` using up its tries"),
            Self::Skip { step } => write!(f, "an earlier step asking to skip `{step}`"),
            Self::Route { step, verdict, glob: Some(glob), to } => {
                write!(f, "the route of `{step}` on {verdict} to `{to}` by `{glob}`")
            }
            Self::Route { step, verdict, glob: None, to } => {
                write!(f, "the route of `{step}` on {verdict} to `{to}`")
            }
            Self::RouteLimit { step, verdict } => {
                write!(f, "`{step}` saying {verdict} once too often")
            }
            Self::Gate { step, answer } => write!(f, "{answer} at the gate of `{step}`"),
            Self::Protected { answer } => write!(f, "{answer} to a changed protected file"),
            Self::Budget => f.write_str("a budget that is used up"),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approve => f.write_str("approval"),
            Self::Feedback => f.write_str("feedback"),
            Self::Rollback(step) => write!(f, "a rollback to `{step}`"),
        }
    }
}

/// The targets of a plan, and why some of them are not tried.
pub(super) fn all(plan: &Plan) -> (BTreeSet<Target>, BTreeMap<Target, NotTried>) {
    let mut targets = BTreeSet::from([Target::Budget]);
    let mut impossible = BTreeMap::new();
    for index in plan.indexes() {
        of_step(plan, index, &mut targets, &mut impossible);
    }
    let earlier: BTreeMap<_, _> = plan
        .indexes()
        .filter(|index| plan.step(*index).gate.is_some())
        .map(|index| (index, needed(plan, index)))
        .collect();
    let many = earlier.values().map(BTreeSet::len).sum::<usize>() > MOST_ROLLBACKS;
    for (gated, earlier) in &earlier {
        let step = &plan.step(*gated).id;
        let mut answer = |answer| targets.insert(Target::Gate { step: step.clone(), answer });
        answer(Answer::Approve);
        answer(Answer::Feedback);
        for (position, target) in earlier.iter().enumerate() {
            // The first one and the two nearest ones stand for all.
            if !many || position == 0 || position + 2 >= earlier.len() {
                answer(Answer::Rollback(plan.step(*target).id.clone()));
            }
        }
    }
    if !plan.protect.is_empty() {
        targets.insert(Target::Protected { answer: Answer::Approve });
        targets.insert(Target::Protected { answer: Answer::Feedback });
    }
    (targets, impossible)
}

fn of_step(
    plan: &Plan,
    index: StepIndex,
    targets: &mut BTreeSet<Target>,
    impossible: &mut BTreeMap<Target, NotTried>,
) {
    let planned = plan.step(index);
    let step = || planned.id.clone();
    targets.insert(Target::Step { step: step() });
    if planned.when.is_some() {
        targets.insert(Target::When { step: step(), holds: true });
        targets.insert(Target::When { step: step(), holds: false });
    }
    if planned.done.is_some() {
        let exhausted = Target::Exhausted { step: step() };
        if is_worked_on(planned) && planned.retries > MOST_TURNS {
            impossible.insert(exhausted.clone(), too_many("retries", planned.retries));
        }
        targets.insert(exhausted);
    }
    if is_worked_on(planned) {
        if planned.retries > 1 {
            targets.insert(Target::Retried { step: step() });
        }
        if planned.retries > SAME_FAILURE {
            targets.insert(Target::Repeated { step: step() });
        }
        if planned.satisfied_ok {
            targets.insert(Target::Satisfied { step: step() });
        }
    }
    if planned.skip == Skip::Allowed {
        let target = Target::Skip { step: step() };
        if !needed(plan, index).iter().any(|earlier| skip_key(plan.step(*earlier)).is_some()) {
            let why = "no step before it publishes an object whose `skip` could name it";
            impossible.insert(target.clone(), NotTried { why: why.to_owned(), never: true });
        }
        targets.insert(target);
    }
    for (verdict, route) in &planned.on {
        let limit = Target::RouteLimit { step: step(), verdict: verdict.clone() };
        if route.max > MOST_TURNS {
            impossible.insert(limit.clone(), too_many("max", route.max));
        }
        targets.insert(limit);
        for (target, files) in routes(plan, planned, verdict) {
            if files.is_none() {
                let why = "no file was found that matches it and none of the globs before it";
                impossible.insert(target.clone(), NotTried { why: why.to_owned(), never: true });
            }
            targets.insert(target);
        }
    }
}

fn too_many(key: &str, number: u32) -> NotTried {
    let why = format!("`{key}` is {number}, and no more than {MOST_TURNS} are walked");
    NotTried { why, never: false }
}

pub(super) fn is_worked_on(step: &PlanStep) -> bool {
    match step.kind {
        StepKind::Agent { .. } => true,
        StepKind::Group | StepKind::Foreach(_) => false,
    }
}

/// The ways of one route, each with the files that lead there.
pub(super) fn routes(
    plan: &Plan,
    step: &PlanStep,
    verdict: &str,
) -> Vec<(Target, Option<Vec<String>>)> {
    let Some(route) = step.on.get(verdict) else { return Vec::new() };
    let target = |glob: Option<&str>, to: StepIndex| Target::Route {
        step: step.id.clone(),
        verdict: verdict.to_owned(),
        glob: glob.map(str::to_owned),
        to: plan.step(to).id.clone(),
    };
    let patterns: Vec<&str> = route.rollback.by_path.iter().map(|(glob, _)| &**glob).collect();
    let mut ways: Vec<_> = route
        .rollback
        .by_path
        .iter()
        .enumerate()
        .map(|(position, (glob, to))| {
            let file = sample::file_for(&patterns, position);
            (target(Some(glob), *to), file.map(|file| vec![file]))
        })
        .collect();
    ways.push((target(None, route.rollback.otherwise), Some(Vec::new())));
    ways
}

/// The key through which a step could ask to skip another one.
pub(super) fn skip_key(step: &PlanStep) -> Option<String> {
    step.publishes.iter().find_map(|(key, publish)| {
        let Publish::Value(ValueType::Object | ValueType::Any) = publish else { return None };
        match key.split_once('.') {
            None => Some(format!("{key}.skip")),
            Some((_, "skip")) => Some(key.clone()),
            Some(_) => None,
        }
    })
}

/// The steps that a step needs, directly or not.
fn needed(plan: &Plan, index: StepIndex) -> BTreeSet<StepIndex> {
    let mut needed = BTreeSet::new();
    let mut open = plan.step(index).needs.clone();
    while let Some(next) = open.pop() {
        if needed.insert(next) {
            open.extend(&plan.step(next).needs);
        }
    }
    needed
}

/// The checks of a step, in the order of the file.
pub(super) fn checks(step: &PlanStep) -> Vec<&crate::plan::Check> {
    step.done.as_ref().map(Criterion::checks).unwrap_or_default()
}
