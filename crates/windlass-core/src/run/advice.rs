//! Whether trying again is worth it: a pure function of the state.
//!
//! It says what windlass itself would do by the category of the last failure, and when only a
//! person can help.

use serde::Serialize;

use super::decide::{SAME_FAILURE, limit_without_reset};
use crate::id::StepIndex;
use crate::plan::PlanStep;
use crate::run::state::{Control, Phase, RunState, StepState};
use crate::run::{About, Category, step_bounds};
use crate::time::{Span, Timestamp};

/// Whether trying again is worth it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(
    missing_docs,
    reason = "the fields are the documented contract of `failure advice --json`"
)]
pub struct Advice {
    pub should_retry: bool,
    /// How long to wait before.
    pub backoff_seconds: u64,
    /// Whether a person has to help.
    pub escalate: bool,
    /// Why, in one sentence.
    pub reason: String,
}

impl Advice {
    fn retry(after: Span, reason: impl Into<String>) -> Self {
        let backoff_seconds = after.0.div_ceil(1000);
        Self { should_retry: true, backoff_seconds, escalate: false, reason: reason.into() }
    }

    fn escalate(reason: impl Into<String>) -> Self {
        Self { should_retry: false, backoff_seconds: 0, escalate: true, reason: reason.into() }
    }

    fn nothing_to_do(reason: impl Into<String>) -> Self {
        Self { should_retry: false, backoff_seconds: 0, escalate: false, reason: reason.into() }
    }
}

/// Says whether trying again is worth it for an item or a step, at `now`.
pub fn advice(state: &RunState, about: &About, now: Timestamp) -> Advice {
    let steps = state.steps_about(about);
    if is_over(state, about, &steps) {
        return Advice::nothing_to_do("it is finished");
    }
    let notes: Vec<_> = state.notes_about(about).collect();
    if let Some(noted) = notes.iter().rev().find(|noted| noted.category == Category::External) {
        return Advice::escalate(format!("{} noted: {}", noted.by, noted.summary));
    }
    let Some(index) = concerned(state, &steps) else {
        let Some(noted) = notes.last() else { return Advice::retry(NOW, "nothing has failed") };
        return Advice::retry(NOW, format!("{} noted: {}", noted.by, noted.summary));
    };
    if let (Control::Obstructed { message }, true) = (&state.control, state.is_in_hand(index)) {
        return Advice::escalate(message.clone());
    }
    let (plan, step) = (state.plan.step(index), state.step(index));
    by_phase(plan, step, now).or_else(|| by_failure(plan, step)).unwrap_or_else(|| {
        let noted = notes.last().map(|noted| format!("{} noted: {}", noted.by, noted.summary));
        Advice::retry(NOW, noted.unwrap_or_else(|| "nothing has failed".to_owned()))
    })
}

const NOW: Span = Span(0);

fn is_over(state: &RunState, about: &About, steps: &[StepIndex]) -> bool {
    match about {
        About::Item(item) => state.item(item).is_some_and(|item| state.is_item_finished(item)),
        About::Step(_) => steps.iter().all(|step| state.step(*step).is_finished()),
    }
}

/// Returns the step that the advice is about: one that cannot go on, else the one at work, else the
/// last that failed.
fn concerned(state: &RunState, steps: &[StepIndex]) -> Option<StepIndex> {
    let stuck =
        |index: &&StepIndex| matches!(state.step(**index).phase, Phase::Failed | Phase::Blocked);
    let open = |index: &&StepIndex| !state.step(**index).is_finished();
    let failed = |index: &&StepIndex| open(index) && state.step(**index).failure.is_some();
    let found = steps.iter().find(stuck);
    let found = found.or_else(|| steps.iter().find(|index| state.is_in_hand(**index)));
    found.or_else(|| steps.iter().rfind(failed)).copied()
}

fn by_phase(plan: &PlanStep, step: &StepState, now: Timestamp) -> Option<Advice> {
    let last = step.failure.as_ref().map_or("", |failure| failure.summary.as_str());
    match &step.phase {
        Phase::Blocked => {
            let why = step.note.as_deref().unwrap_or("it cannot go on");
            Some(Advice::escalate(format!("`{}` is blocked: {why}", plan.id)))
        }
        Phase::Failed if step.repeats >= SAME_FAILURE => {
            let times = step.repeats;
            Some(Advice::escalate(format!(
                "`{}` failed in the same way {times} times over: {last}",
                plan.id
            )))
        }
        Phase::Failed => {
            Some(Advice::escalate(format!("the tries of `{}` are used up: {last}", plan.id)))
        }
        Phase::Waiting { until, limit } => {
            let why = match &step.trouble {
                _ if *limit => "a limit ends then".to_owned(),
                Some(cause) => cause.in_words(),
                None => "the surroundings failed".to_owned(),
            };
            Some(Advice::retry(until.since(now), format!("wait until {until}: {why}")))
        }
        Phase::Pending
        | Phase::Deciding
        | Phase::Ready
        | Phase::Reading
        | Phase::Repeating
        | Phase::Beginning
        | Phase::Due
        | Phase::Running { .. }
        | Phase::Stopping { .. }
        | Phase::Verifying { .. }
        | Phase::Committing { .. }
        | Phase::Adopting { .. }
        | Phase::Publishing { .. }
        | Phase::Proven { .. }
        | Phase::AtGate { .. }
        | Phase::Done
        | Phase::Skipped => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the guards ask for the kind of category")]
fn by_failure(plan: &PlanStep, step: &StepState) -> Option<Advice> {
    if step.lost >= step_bounds(plan.retries).lost {
        return Some(Advice::escalate(format!("{} attempts were lost in a row", step.lost)));
    }
    if step.lost > 0 {
        return Some(Advice::retry(NOW, "the last attempt was lost, which costs no try"));
    }
    let failure = step.failure.as_ref()?;
    let left = plan.retries.saturating_sub(step.tries);
    let tries = match left {
        1 => "1 try is left".to_owned(),
        left => format!("{left} tries are left"),
    };
    Some(match failure.category {
        Category::External => Advice::escalate(failure.summary.clone()),
        Category::Environment if step.repeats >= 2 => {
            Advice::escalate(format!("the same is missing again: {}", failure.summary))
        }
        Category::Limit => Advice::retry(limit_without_reset(step.limits), "a provider's limit"),
        Category::Lost => Advice::retry(NOW, "the last attempt was lost, which costs no try"),
        _ if left == 0 => {
            Advice::escalate(format!("the tries of `{}` are used up: {}", plan.id, failure.summary))
        }
        category if category.is_of_work() && step.repeats >= SAME_FAILURE => Advice::escalate(
            format!("the same failure {} times over: {}", step.repeats, failure.summary),
        ),
        category if category.is_of_work() && step.repeats == 2 => Advice::retry(
            NOW,
            format!(
                "a {category} failure, the same twice over: look for another cause, once more and the \
                 run asks a person; {tries}"
            ),
        ),
        Category::Environment => {
            Advice::retry(NOW, format!("something is missing: do without it, or say so; {tries}"))
        }
        category @ (Category::Infra | Category::Network | Category::Disk | Category::Timeout) => {
            let after = plan.backoff.after(step.tries.max(step.troubled).max(1));
            Advice::retry(
                after,
                format!("{category}: the machine or a service may recover; {tries}"),
            )
        }
        category @ (Category::Code
        | Category::Test
        | Category::Compile
        | Category::Type
        | Category::Lint
        | Category::Security
        | Category::Flaky) => {
            Advice::retry(NOW, format!("a {category} failure: fix its cause; {tries}"))
        }
    })
}
