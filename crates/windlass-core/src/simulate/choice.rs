//! What could happen next on a path; the first choice is what goes well.

use super::cover::{failed_route, is_worked_on, routes, skip_key};
use super::items::{self, Given};
use super::target::{Answer, Target};
use super::walk::Walk;
use crate::id::{StepId, StepIndex};
use crate::plan::{Exhausted, FailedRoute, Skip, StepKind};
use crate::proof::Finding;
use crate::run::{Effect, GateKind, Phase, SAME_FAILURE, VerifyReason};

/// Something that could happen next, and what that would cover.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) target: Option<Target>,
    pub(super) act: Act,
}

/// What the world does.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// What there is only one answer to.
    Perform(Effect),
    /// A `when` has this value.
    When { effect: Effect, holds: bool },
    /// A person adds items, or does not.
    AddItems { step: StepId, given: Given },
    /// A task list is read.
    ReadTasks { effect: Effect, given: Given },
    /// An agent ends.
    End { effect: Effect, ending: Ending },
    /// The verifier sees this.
    Verify { effect: Effect, sees: Sees },
    /// A person answers the gate.
    Answer(Answer),
    /// A person says that this blocker is solved.
    Fixed(u32),
}

/// What an agent has done besides its work.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    Usual,
    /// It asked to skip a step.
    Skips(StepId),
    /// It added no items for a step that repeats.
    AddsNothing(StepId),
    /// It used up the budget.
    CostsAll,
}

/// What the verifier sees, now and when the step is tried again.
#[derive(Clone, Debug)]
pub(super) enum Sees {
    Proof,
    OneFailure,
    /// Failures of different kinds until the tries are used up.
    Failures,
    /// The same failure again and again.
    OneFailureForEver,
    Verdict {
        verdict: String,
        findings: Vec<Finding>,
    },
    /// The same verdict until its route is used up.
    VerdictForEver {
        verdict: String,
    },
    /// A changed protected file, which a person then answers like this.
    ProtectedChange(Answer),
}

/// Returns what could happen next; nothing when the run has stopped.
pub(super) fn choices(walk: &Walk) -> Vec<Choice> {
    if let Some(step) = walk.next_for_people() {
        return [Given::Items, Given::Nothing]
            .map(|given| Choice {
                target: of_items(step, given),
                act: Act::AddItems { step: step.clone(), given },
            })
            .into();
    }
    let effects = walk.outstanding();
    let is_timer = |effect: &&Effect| matches!(effect, Effect::Wake { .. });
    if effects.iter().all(|effect| is_timer(&effect))
        && let Some(open) = walk.state.open_blockers().next()
    {
        return vec![Choice { target: None, act: Act::Fixed(open.id) }];
    }
    // A timer is waited for when nothing else is left to do.
    let Some(effect) = effects.iter().find(|effect| !is_timer(effect)).or(effects.first()) else {
        return at_gate(walk);
    };
    match effect {
        Effect::EvaluateWhen { step, .. } => when(walk, step, effect),
        Effect::ReadTasks { step, .. } => read_tasks(walk, step, effect),
        Effect::EnsureAttempt { attempt } => end(walk, &attempt.step, effect),
        Effect::Verify { step, .. } => verify(walk, step, effect),
        Effect::TakeBaseline(_)
        | Effect::StopAttempt { .. }
        | Effect::EnsureCommit { .. }
        | Effect::Adopt { .. }
        | Effect::Publish { .. }
        | Effect::LookAtBlocker { .. }
        | Effect::ProveCold { .. }
        | Effect::Wake { .. } => {
            vec![Choice { target: None, act: Act::Perform(effect.clone()) }]
        }
    }
}

fn when(walk: &Walk, step: &StepId, effect: &Effect) -> Vec<Choice> {
    let choice = |holds| Choice {
        target: Some(Target::When { step: step.clone(), holds }),
        act: Act::When { effect: effect.clone(), holds },
    };
    match walk.when(step) {
        Some(before) => vec![choice(before)],
        None => vec![choice(true), choice(false)],
    }
}

fn of_items(step: &StepId, given: Given) -> Option<Target> {
    match given {
        Given::Items => None,
        Given::Nothing => Some(Target::NoItems { step: step.clone() }),
        Given::BadTasks => Some(Target::BadTasks { step: step.clone() }),
    }
}

fn read_tasks(walk: &Walk, step: &StepId, effect: &Effect) -> Vec<Choice> {
    let choice = |given| Choice {
        target: of_items(step, given),
        act: Act::ReadTasks { effect: effect.clone(), given },
    };
    match walk.given(step) {
        Some(before) => vec![choice(before)],
        None => [Given::Items, Given::BadTasks].map(choice).into(),
    }
}

fn end(walk: &Walk, step: &StepId, effect: &Effect) -> Vec<Choice> {
    let choice =
        |target, ending| Choice { target, act: Act::End { effect: effect.clone(), ending } };
    let mut choices = vec![choice(None, Ending::Usual)];
    let plan = &walk.state.plan;
    let Some(index) = plan.find(step) else { return choices };
    for asked in skippable(walk, index) {
        let target = Target::Skip { step: asked.clone() };
        choices.push(choice(Some(target), Ending::Skips(asked)));
    }
    for foreach in items::added_by(plan, index) {
        let foreach = &plan.step(foreach).id;
        if walk.given(foreach).is_none() {
            let target = of_items(foreach, Given::Nothing);
            choices.push(choice(target, Ending::AddsNothing(foreach.clone())));
        }
    }
    choices.push(choice(Some(Target::Budget), Ending::CostsAll));
    choices
}

/// The steps that the step at `index` could ask to skip. What a step of an item publishes is seen by
/// that item alone.
fn skippable(walk: &Walk, index: StepIndex) -> Vec<StepId> {
    let (plan, known) = (&walk.state.plan, &walk.known);
    if skip_key(plan.step(index)).is_none() {
        return Vec::new();
    }
    let (asks, item) = (&plan.step(index).id, plan.item_of(index));
    let is_pending = |step: &StepId| {
        plan.find(step).is_none_or(|index| walk.state.step(index).phase == Phase::Pending)
    };
    known
        .indexes()
        .filter(|other| known.step(*other).skip == Skip::Allowed)
        .filter(|other| item.is_none() || item == known.item_of(*other))
        .map(|other| known.step(other).id.clone())
        .filter(|other| other != asks && is_pending(other))
        .collect()
}

fn verify(walk: &Walk, step: &StepId, effect: &Effect) -> Vec<Choice> {
    let plan = &walk.state.plan;
    let Some(index) = plan.find(step) else { return Vec::new() };
    let choice =
        |target, sees| Choice { target, act: Act::Verify { effect: effect.clone(), sees } };
    if let Some(sees) = walk.expected(step) {
        return vec![choice(None, sees)];
    }
    let reason = walk.reason(step);
    let step = || step.clone();
    match reason {
        VerifyReason::AttemptEnded => judged(walk, index, choice),
        VerifyReason::MayBeDone if plan.step(index).satisfied_ok => vec![
            choice(None, Sees::OneFailure),
            choice(Some(Target::Satisfied { step: step() }), Sees::Proof),
        ],
        VerifyReason::GroupDone | VerifyReason::BeforePublishing => {
            let mut choices = vec![choice(None, Sees::Proof)];
            choices.extend(goes_back(walk, index).map(|to| choice(Some(to), Sees::OneFailure)));
            choices.push(choice(Some(Target::Exhausted { step: step() }), Sees::Failures));
            choices
        }
        VerifyReason::MayBeDone
        | VerifyReason::ChangedAtGate
        | VerifyReason::Pinned
        | VerifyReason::MovedOn => vec![choice(None, Sees::Proof)],
    }
}

/// Where a step that windlass does itself goes back to from here.
fn goes_back(walk: &Walk, index: StepIndex) -> Option<Target> {
    let (state, planned) = (&walk.state, walk.state.plan.step(index));
    let taken = state.step(index).routes.get(FailedRoute::NAME).copied().unwrap_or(0);
    let may = planned.failed.as_ref().is_some_and(|route| taken < route.max);
    state.failed_target(index).filter(|_| may)?;
    failed_route(&state.plan, planned)
}

fn judged(
    walk: &Walk,
    index: StepIndex,
    choice: impl Fn(Option<Target>, Sees) -> Choice,
) -> Vec<Choice> {
    let plan = &walk.state.plan;
    let (planned, state) = (plan.step(index), walk.state.step(index));
    let step = || planned.id.clone();
    let mut choices = vec![choice(None, Sees::Proof)];
    if is_worked_on(planned) && state.tries + 1 < planned.retries {
        choices.push(choice(Some(Target::Retried { step: step() }), Sees::OneFailure));
    }
    for (verdict, route) in &planned.on {
        if state.routes.get(verdict).copied().unwrap_or(0) >= route.max {
            continue;
        }
        for (target, findings) in routes(plan, planned, verdict) {
            if let Some(findings) = findings {
                let verdict = verdict.clone();
                choices.push(choice(Some(target), Sees::Verdict { verdict, findings }));
            }
        }
    }
    let asks = !planned.is_spoke() && !plan.protect.is_empty();
    if asks && !walk.has_changed_protected() {
        for answer in [Answer::Approve, Answer::Feedback] {
            let target = Target::Protected { answer: answer.clone() };
            choices.push(choice(Some(target), Sees::ProtectedChange(answer)));
        }
    }
    choices.push(choice(Some(Target::Exhausted { step: step() }), Sees::Failures));
    let pauses = planned.exhausted == Exhausted::Pause;
    if planned.retries > SAME_FAILURE && state.tries == 0 && pauses {
        choices.push(choice(Some(Target::Repeated { step: step() }), Sees::OneFailureForEver));
    }
    for verdict in planned.on.keys() {
        let target = Target::RouteLimit { step: step(), verdict: verdict.clone() };
        choices.push(choice(Some(target), Sees::VerdictForEver { verdict: verdict.clone() }));
    }
    choices
}

fn at_gate(walk: &Walk) -> Vec<Choice> {
    let Some(gate) = walk.state.gate() else { return Vec::new() };
    match gate.kind {
        GateKind::Protected { .. } => {
            let answer = walk.answer_to_protected().unwrap_or(Answer::Approve);
            vec![Choice { target: None, act: Act::Answer(answer) }]
        }
        // Where it leads is what counts, and that is told when it is confirmed.
        GateKind::Route { .. } => {
            vec![Choice { target: None, act: Act::Answer(Answer::Approve) }]
        }
        GateKind::Approval => {
            let choice = |answer: Answer| Choice {
                target: Some(Target::Gate { step: gate.step.clone(), answer: answer.clone() }),
                act: Act::Answer(answer),
            };
            let plan = &walk.state.plan;
            let begun = plan.indexes().filter(|index| {
                let state = walk.state.step(*index);
                plan.step(*index).id != gate.step
                    && state.started_at.is_some()
                    && !matches!(state.phase, Phase::Pending | Phase::Deciding)
            });
            let back = begun.map(|index| choice(Answer::Rollback(plan.step(index).id.clone())));
            let kind = plan.find(&gate.step).map(|index| &plan.step(index).kind);
            let publishes = matches!(kind, Some(StepKind::PullRequest(_)));
            let again = (!publishes).then(|| choice(Answer::Feedback));
            [choice(Answer::Approve)].into_iter().chain(again).chain(back).collect()
        }
    }
}
