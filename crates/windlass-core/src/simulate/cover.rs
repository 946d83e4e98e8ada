//! What there is to cover in a plan.

use std::collections::{BTreeMap, BTreeSet};

use super::items;
use super::sample;
use super::target::{Answer, Target};
use crate::id::{StepId, StepIndex};
use crate::plan::{
    Criterion, Exhausted, FailedRoute, FailedTo, Plan, PlanStep, Publish, Skip, StepKind, ValueType,
};
use crate::proof::Finding;
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

/// The targets of a plan, and why some of them are not tried.
pub(super) fn all(plan: &Plan) -> (BTreeSet<Target>, BTreeMap<Target, NotTried>) {
    let mut targets = BTreeSet::from([Target::Budget]);
    let mut impossible = BTreeMap::new();
    for index in plan.indexes() {
        of_step(plan, index, &mut targets, &mut impossible);
    }
    for index in plan.foreaches() {
        of_items(plan, index, &mut targets, &mut impossible);
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
        if !matches!(plan.step(*gated).kind, StepKind::PullRequest(_)) {
            answer(Answer::Feedback);
        }
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
        // Elsewhere the same failure over and over is the end of the tries, as any other is.
        if planned.retries > SAME_FAILURE && planned.exhausted == Exhausted::Pause {
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
    if let (Some(route), Some(target)) = (&planned.failed, failed_route(plan, planned)) {
        if route.max > MOST_TURNS {
            let exhausted = Target::Exhausted { step: step() };
            impossible.insert(exhausted, too_many("max", route.max));
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

fn of_items(
    plan: &Plan,
    index: StepIndex,
    targets: &mut BTreeSet<Target>,
    impossible: &mut BTreeMap<Target, NotTried>,
) {
    let (step, Some(foreach)) = (|| plan.step(index).id.clone(), plan.foreach(index)) else {
        return;
    };
    // A list without an open task cannot be taken either.
    let none = match foreach.list() {
        Some(_) => Target::BadTasks { step: step() },
        None => Target::NoItems { step: step() },
    };
    targets.insert(none);
    if foreach.max < 2 {
        return;
    }
    targets.insert(Target::NextItem { step: step() });
    let blocks = |step: &&PlanStep| step.exhausted == Exhausted::Block && step.done.is_some();
    let turns = |step: &PlanStep| if is_worked_on(step) { step.retries } else { 1 };
    if let Some(fewest) = foreach.steps.iter().filter(blocks).map(turns).min() {
        let target = Target::ItemAfterBlocked { step: step() };
        if fewest > MOST_TURNS {
            impossible.insert(target.clone(), too_many("retries", fewest));
        }
        targets.insert(target);
    }
}

fn too_many(key: &str, number: u32) -> NotTried {
    let why = format!("`{key}` is {number}, and no more than {MOST_TURNS} are walked");
    NotTried { why, never: false }
}

pub(super) fn is_worked_on(step: &PlanStep) -> bool {
    match step.kind {
        StepKind::Agent { .. } => true,
        StepKind::Group | StepKind::Foreach(_) | StepKind::PullRequest(_) => false,
    }
}

/// The ways of one route, each with the findings that lead there.
pub(super) fn routes(
    plan: &Plan,
    step: &PlanStep,
    verdict: &str,
) -> Vec<(Target, Option<Vec<Finding>>)> {
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
            let found = file.map(|file| vec![Finding { file: Some(file), kind: None }]);
            (target(Some(glob), *to), found)
        })
        .collect();
    ways.extend(route.rollback.by_type.iter().map(|(kind, to)| {
        let found = vec![Finding { file: None, kind: Some(kind.clone()) }];
        (target(Some(kind), *to), Some(found))
    }));
    ways.push((target(None, route.rollback.otherwise), Some(Vec::new())));
    ways
}

/// Where a step that windlass does itself goes back to; the first item stands for all.
pub(super) fn failed_route(plan: &Plan, step: &PlanStep) -> Option<Target> {
    let to = match step.failed.as_ref()?.to {
        FailedTo::Step(to) => plan.step(to).id.clone(),
        FailedTo::InItem { foreach, step } => {
            let item = items::of(plan, foreach).into_iter().next()?;
            let (around, inside) = (&plan.step(foreach).id, plan.foreach(foreach)?);
            let inside = inside.steps.get(step.get())?.id.as_str();
            let name = inside.strip_prefix(&format!("{around}/")).unwrap_or(inside);
            StepId::new(format!("{around}/{}/{name}", item.id))
        }
    };
    let verdict = FailedRoute::NAME.to_owned();
    Some(Target::Route { step: step.id.clone(), verdict, glob: None, to })
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

/// The steps that a step needs, directly or not. A step of an item comes after what the step that
/// repeats over it needs, and after that one has begun.
pub(super) fn needed(plan: &Plan, index: StepIndex) -> BTreeSet<StepIndex> {
    let mut needed = BTreeSet::new();
    let mut open = plan.step(index).needs.clone();
    open.extend(plan.repeated_by(index));
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
