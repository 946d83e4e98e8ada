//! An attempt is over, one way or another.

use super::draft::Draft;
use super::verified::{backoff, fail, wait};
use super::{advance, blocker};
use crate::id::{AttemptId, StepIndex};
use crate::proof::{AttemptReport, Outcome, Trouble, Usage};
use crate::run::state::{PauseReason, Phase, StopReason};
use crate::run::{Category, EVEN_CHANCE, Event, Failure, Rejected, VerifyReason, step_bounds};
use crate::snapshot::Snapshot;
use crate::time::{Span, Timestamp};

/// What cannot be started this often in a row will not start by itself.
const STARTS_IN_A_ROW: u32 = 5;

/// Returns how long a provider's limit is waited for that states no end, when so many came in a row. The
/// attempt after it is what finds out: one that is refused costs next to nothing, so the first come soon.
pub fn limit_without_reset(in_a_row: u32) -> Span {
    let doubled = Span::minutes(1).0.saturating_mul(1 << in_a_row.saturating_sub(1).min(10));
    Span(doubled.min(Span::hours(1).0))
}

pub(super) fn ended(
    draft: &mut Draft,
    attempt: &AttemptId,
    report: &AttemptReport,
    snapshot: &Snapshot,
    jitter: u16,
) -> Result<(), Rejected> {
    let (index, stopping) = current(draft, attempt)?;
    draft.emit(Event::AttemptEnded {
        attempt: attempt.clone(),
        report: Box::new(report.clone()),
        snapshot: snapshot.clone(),
    });
    if !report.trouble.is_empty() {
        fail(draft, index, trouble(&report.trouble), None, stopping.is_none(), 0);
        return Ok(());
    }
    if stopping.is_some() {
        // Stopped by a person: no try is used, and the work goes on with the run.
        return Ok(());
    }
    if draft.state.asked_for_help(attempt) {
        // Nobody judges what could not be finished; it goes on when somebody has helped.
        return Ok(());
    }
    if let (Some(reason), true) = (&report.escalation, ended_by_itself(&report.outcome))
        && blocker::escalated(draft, attempt, reason)
    {
        return Ok(());
    }
    match &report.outcome {
        Outcome::Cancelled => {}
        Outcome::ProviderLimit { resets_at, .. } => limit(draft, index, *resets_at),
        Outcome::Held { until, .. } => wait(draft, index, *until, true),
        Outcome::CouldNotStart { message } => {
            could_not_start(draft, index, message, jitter);
        }
        Outcome::Interrupted { .. } => interrupted(draft, index, jitter),
        Outcome::AgentFailed { category, message } => {
            agent_failed(draft, index, *category, message, snapshot, jitter);
        }
        Outcome::OverBudget { message } => {
            // It goes on when a person has added to the budget.
            let detail = format!("`{}`: {message}", attempt.step);
            draft.emit(Event::RunPaused { reason: PauseReason::Budget, detail });
        }
        // Whatever the agent said by its exit code, what it left behind decides.
        Outcome::Exited { .. }
        | Outcome::Signalled { .. }
        | Outcome::TimedOut
        | Outcome::Idle
        | Outcome::OverLimit { .. } => judge(draft, index, snapshot),
    }
    Ok(())
}

/// Whether the last words of an attempt are its own.
fn ended_by_itself(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Exited { .. } => true,
        Outcome::Signalled { .. }
        | Outcome::TimedOut
        | Outcome::Idle
        | Outcome::OverLimit { .. }
        | Outcome::Cancelled
        | Outcome::ProviderLimit { .. }
        | Outcome::Held { .. }
        | Outcome::CouldNotStart { .. }
        | Outcome::Interrupted { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::OverBudget { .. } => false,
    }
}

fn judge(draft: &mut Draft, index: StepIndex, snapshot: &Snapshot) {
    let event = advance::verify(draft, index, snapshot, VerifyReason::AttemptEnded);
    draft.emit(event);
}

/// The agent's program says why it could not work.
fn agent_failed(
    draft: &mut Draft,
    index: StepIndex,
    category: Category,
    message: &str,
    snapshot: &Snapshot,
    jitter: u16,
) {
    match category {
        Category::Limit => limit(draft, index, None),
        Category::Lost => interrupted(draft, index, jitter),
        Category::External | Category::Environment => {
            let failure = Failure::new(category, message.to_owned(), Vec::new());
            fail(draft, index, failure, None, false, 0);
            draft.emit(Event::BlockerRaised { message: message.to_owned() });
        }
        // How far it came decides what the next try is told.
        Category::Code
        | Category::Test
        | Category::Compile
        | Category::Type
        | Category::Lint
        | Category::Security
        | Category::Flaky
        | Category::Infra
        | Category::Network
        | Category::Disk
        | Category::Timeout => judge(draft, index, snapshot),
    }
}

/// The program died under the agent: the same conversation goes on. The first time at once, then
/// after a while.
fn interrupted(draft: &mut Draft, index: StepIndex, jitter: u16) {
    let lost = draft.state.step(index).lost;
    if is_lost_too_often(draft, index) {
        lost_too_often(draft, index);
    } else if lost > 1 {
        let until = backoff(draft, index, lost - 1, jitter);
        wait(draft, index, until, false);
    }
}

/// Nothing was tried, so no try is used. What cannot be started again and again needs a person.
fn could_not_start(draft: &mut Draft, index: StepIndex, message: &str, jitter: u16) {
    let summary = format!("the agent could not be started: {message}");
    let failure = Failure::new(Category::Infra, summary.clone(), Vec::new());
    if draft.state.step(index).troubled >= STARTS_IN_A_ROW {
        fail(draft, index, failure, None, false, jitter);
        draft.emit(Event::BlockerRaised { message: summary });
    } else {
        fail(draft, index, failure, None, true, jitter);
    }
}

/// A step whose attempts are lost this often in a row has a problem that trying does not solve.
fn is_lost_too_often(draft: &Draft, index: StepIndex) -> bool {
    draft.state.step(index).lost >= step_bounds(draft.state.plan.step(index).retries).lost
}

fn lost_too_often(draft: &mut Draft, index: StepIndex) {
    let lost = draft.state.step(index).lost;
    let detail = format!("{lost} attempts of `{}` were lost in a row", draft.id(index));
    draft.emit(Event::RunPaused { reason: PauseReason::LostTooOften, detail });
}

pub(super) fn lost(
    draft: &mut Draft,
    attempt: &AttemptId,
    snapshot: &Snapshot,
    troubles: &[Trouble],
    usage: &Usage,
    last_seen: Option<Timestamp>,
    boxed: Option<bool>,
) -> Result<(), Rejected> {
    let (index, stopping) = current(draft, attempt)?;
    let judged = judged_before(draft, index);
    draft.emit(Event::AttemptLost {
        attempt: attempt.clone(),
        snapshot: snapshot.clone(),
        trouble: troubles.to_vec(),
        usage: usage.clone(),
        last_seen,
        boxed,
    });
    if !troubles.is_empty() {
        // Files in such a state prove nothing; a lost attempt costs no try.
        fail(draft, index, trouble(troubles), None, false, 0);
    } else if let Some(failure) = judged.filter(|_| stopping.is_none()) {
        fail(draft, index, failure, None, true, EVEN_CHANCE);
        return Ok(());
    }
    if is_lost_too_often(draft, index) && stopping.is_none() {
        lost_too_often(draft, index);
    }
    // Without trouble the step is due, and its work goes on.
    Ok(())
}

/// Why the last round of a subagent failed. Its work was judged, so that losing it then costs a try:
/// otherwise rounds and losses in turn would use up the attempts of the whole run.
fn judged_before(draft: &Draft, index: StepIndex) -> Option<Failure> {
    let step = draft.state.step(index);
    step.failure.clone().filter(|_| step.handover.as_ref().is_some_and(|hands| hands.rounds > 0))
}

fn current(
    draft: &Draft,
    attempt: &AttemptId,
) -> Result<(StepIndex, Option<StopReason>), Rejected> {
    let index = draft.find(&attempt.step)?;
    let phase = &draft.state.step(index).phase;
    if let Phase::Running { attempt: number, .. } = phase
        && *number == attempt.number
    {
        return Ok((index, None));
    }
    if let Phase::Stopping { attempt: number, reason, .. } = phase
        && *number == attempt.number
    {
        return Ok((index, Some(*reason)));
    }
    Err(Rejected::StaleAttempt { attempt: attempt.clone() })
}

fn limit(draft: &mut Draft, index: StepIndex, resets_at: Option<Timestamp>) {
    let unstated = limit_without_reset(draft.state.step(index).limits);
    let until = resets_at.unwrap_or_else(|| draft.state.now.plus(unstated));
    wait(draft, index, until, true);
}

fn trouble(troubles: &[Trouble]) -> Failure {
    let summary = troubles.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    Failure::new(Category::Code, summary, Vec::new())
}
