//! The surroundings failed, not the work: the checks are run again after a while, or a person is asked.
//!
//! Neither costs a try, and neither is without an end. What checks print is written by the code that they
//! judge, so a suspicion counts only where the verifier saw the same without the work; and a step may wait
//! so often for each of its `retries`, and no more. Waiting proves nothing: the same checks are run again.

use super::blocker;
use super::draft::Draft;
use super::verified::{backoff, wait};
use crate::failure_rules::Cause;
use crate::id::StepIndex;
use crate::plan::Holds;
use crate::proof::{Outcome, Proof, VerifyReport};
use crate::run::blocker::{BlockerCheck, BlockerKind, NewBlocker, Severity};
use crate::run::{Category, Event, Failure, step_bounds};
use crate::time::Span;

/// How often in a row trouble is believed that nobody could look at without the work.
const UNCONFIRMED_IN_A_ROW: u32 = 3;

/// How long the check of a blocker may take.
const CHECK_TIMEOUT: Span = Span::minutes(1);

/// Whether the checks failed for reasons that have nothing to do with the work; then they are run again
/// when it is time, or when a person has helped.
pub(super) fn hinders(
    draft: &mut Draft,
    index: StepIndex,
    failure: &Failure,
    report: &VerifyReport,
    jitter: u16,
) -> bool {
    let failed = || report.proofs.iter().filter(|proof| proof.holds != Holds::Yes);
    if failed().next().is_none() || !failed().all(|proof| is_believed(draft, index, proof)) {
        return false;
    }
    let Some(cause) = failed().find_map(|proof| proof.cause.clone()) else { return false };
    let first = failed().next().map(|proof| proof.summary.clone()).unwrap_or_default();
    draft.emit(Event::VerificationHindered {
        step: draft.id(index),
        failure: failure.clone(),
        cause: cause.clone(),
        report: Box::new(report.clone()),
    });
    let needs_person =
        cause.since_start || matches!(cause.category, Category::Environment | Category::External);
    if needs_person && ask(draft, index, &cause, &first) {
        return true;
    }
    let until = backoff(draft, index, draft.state.step(index).troubled, jitter);
    wait(draft, index, until, false);
    true
}

fn is_believed(draft: &Draft, index: StepIndex, proof: &Proof) -> bool {
    let Some(cause) = &proof.cause else { return false };
    let step = draft.state.step(index);
    if step.free >= step_bounds(draft.state.plan.step(index).retries).free {
        return false;
    }
    // A user's own rule says that only a person can help, and asking one gives nothing away.
    if cause.category == Category::External {
        return true;
    }
    cause.category.is_of_surroundings()
        && match cause.without_work {
            Some(seen) => seen,
            None => step.troubled < UNCONFIRMED_IN_A_ROW,
        }
}

/// Whether an attempt failed for reasons that have nothing to do with the work, so that it costs no try.
pub(super) fn is_free(draft: &Draft, index: StepIndex) -> bool {
    let step = draft.state.step(index);
    let outside = match &step.ended {
        Some(Outcome::AgentFailed { category, .. }) => category.is_of_surroundings(),
        Some(Outcome::CouldNotStart { .. }) => true,
        Some(_) | None => false,
    };
    outside && step.free < step_bounds(draft.state.plan.step(index).retries).free
}

/// What is missing twice in a row will not come by itself; returns whether a person was asked.
pub(super) fn is_missing_again(draft: &mut Draft, index: StepIndex) -> bool {
    let step = draft.state.step(index);
    let missing = step.failure.as_ref().filter(|_| step.repeats >= 2).and_then(|failure| {
        let mut checks = failure.checks.iter();
        checks.find_map(|check| Some((check.cause.clone()?, check.summary.clone())))
    });
    match missing {
        Some((cause, summary)) if cause.category == Category::Environment => {
            ask(draft, index, &cause, &summary)
        }
        Some(_) | None => false,
    }
}

/// Opens the blocker that names what is missing; returns whether that keeps the run.
fn ask(draft: &mut Draft, index: StepIndex, cause: &Cause, check: &str) -> bool {
    let message = in_words(cause, check);
    if draft.state.open_blockers().any(|open| open.message == message) {
        return true;
    }
    let command = cause.missing.as_ref().and_then(crate::failure_rules::Missing::check);
    let check = command.map(|command| BlockerCheck { command, timeout: CHECK_TIMEOUT });
    let new = NewBlocker { message, severity: Severity::default(), check };
    let step = draft.id(index);
    blocker::open(draft, &new, BlockerKind::Help, Some(step)).is_ok()
}

fn in_words(cause: &Cause, check: &str) -> String {
    let cut = |text: &str| text.chars().take(600).collect::<String>().replace('\0', " ");
    let what = match &cause.missing {
        Some(missing) => missing.to_string(),
        None => cut(cause
            .line
            .as_deref()
            .unwrap_or("something is missing that is not part of the work")),
    };
    let since = match cause.since_start {
        true => "; it was so on the base commit already, so that waiting does not help",
        false => "",
    };
    format!("{what}{since} ({})", cut(check))
}
