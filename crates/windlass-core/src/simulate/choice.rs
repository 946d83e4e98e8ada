//! What could happen next on a path; the first choice is what goes well.

use super::target::{Answer, Target, is_worked_on, routes, skip_key};
use super::walk::Walk;
use crate::id::{StepId, StepIndex};
use crate::plan::Skip;
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
    /// An agent ends, having asked to skip a step or used up the budget.
    End { effect: Effect, asks: Option<StepId>, costs_all: bool },
    /// The verifier sees this.
    Verify { effect: Effect, sees: Sees },
    /// A person answers the gate.
    Answer(Answer),
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
        files: Vec<String>,
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
    let effects = walk.outstanding();
    let is_timer = |effect: &&Effect| matches!(effect, Effect::Wake { .. });
    // A timer is waited for when nothing else is left to do.
    let Some(effect) = effects.iter().find(|effect| !is_timer(effect)).or(effects.first()) else {
        return at_gate(walk);
    };
    match effect {
        Effect::EvaluateWhen { step, .. } => when(walk, step, effect),
        Effect::EnsureAttempt { attempt } => end(walk, &attempt.step, effect),
        Effect::Verify { step, .. } => verify(walk, step, effect),
        Effect::TakeBaseline(_)
        | Effect::StopAttempt { .. }
        | Effect::EnsureCommit { .. }
        | Effect::Adopt { .. }
        | Effect::ReadTasks { .. }
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

fn end(walk: &Walk, step: &StepId, effect: &Effect) -> Vec<Choice> {
    let choice = |target, asks, costs_all| Choice {
        target,
        act: Act::End { effect: effect.clone(), asks, costs_all },
    };
    let mut choices = vec![choice(None, None, false)];
    let plan = &walk.state.plan;
    let Some(index) = plan.find(step) else { return choices };
    if skip_key(plan.step(index)).is_some() {
        for other in plan.indexes().filter(|other| *other != index) {
            let skippable = plan.step(other).skip == Skip::Allowed
                && walk.state.step(other).phase == Phase::Pending;
            if skippable {
                let asked = plan.step(other).id.clone();
                let target = Target::Skip { step: asked.clone() };
                choices.push(choice(Some(target), Some(asked), false));
            }
        }
    }
    choices.push(choice(Some(Target::Budget), None, true));
    choices
}

fn verify(walk: &Walk, step: &StepId, effect: &Effect) -> Vec<Choice> {
    let plan = &walk.state.plan;
    let Some(index) = plan.find(step) else { return Vec::new() };
    let choice =
        |target, sees| Choice { target, act: Act::Verify { effect: effect.clone(), sees } };
    if let Some(sees) = walk.expected(step) {
        return vec![choice(None, sees)];
    }
    let step = || step.clone();
    match walk.reason() {
        VerifyReason::AttemptEnded => judged(walk, index, choice),
        VerifyReason::MayBeDone if plan.step(index).satisfied_ok => vec![
            choice(None, Sees::OneFailure),
            choice(Some(Target::Satisfied { step: step() }), Sees::Proof),
        ],
        VerifyReason::GroupDone => vec![
            choice(None, Sees::Proof),
            choice(Some(Target::Exhausted { step: step() }), Sees::Failures),
        ],
        VerifyReason::MayBeDone
        | VerifyReason::ChangedAtGate
        | VerifyReason::Pinned
        | VerifyReason::MovedOn => vec![choice(None, Sees::Proof)],
    }
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
        for (target, files) in routes(plan, planned, verdict) {
            if let Some(files) = files {
                let verdict = verdict.clone();
                choices.push(choice(Some(target), Sees::Verdict { verdict, files }));
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
    if planned.retries > SAME_FAILURE && state.tries == 0 {
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
            [choice(Answer::Approve), choice(Answer::Feedback)].into_iter().chain(back).collect()
        }
    }
}
