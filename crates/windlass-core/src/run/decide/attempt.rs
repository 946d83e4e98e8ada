//! An attempt is over, one way or another.

use super::draft::Draft;
use super::verified::{backoff, fail, wait};
use super::{advance, blocker};
use crate::id::{AttemptId, StepIndex};
use crate::proof::{AttemptReport, Outcome, Trouble, Usage};
use crate::run::state::{PauseReason, Phase, StopReason};
use crate::run::{Category, Event, Failure, Rejected, VerifyReason};
use crate::snapshot::Snapshot;
use crate::time::{Span, Timestamp};

/// A run whose attempts are lost this often in a row has a problem that trying does not solve.
pub(crate) const LOST_IN_A_ROW: u32 = 20;

/// How long a provider's limit is waited for when it states no end.
pub const LIMIT_WITHOUT_RESET: Span = Span::minutes(15);

pub(super) fn ended(
    draft: &mut Draft,
    attempt: &AttemptId,
    report: &AttemptReport,
    snapshot: &Snapshot,
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
            let summary = format!("the agent could not be started: {message}");
            fail(draft, index, Failure::new(Category::Infra, summary, Vec::new()), None, true, 500);
        }
        Outcome::Interrupted { .. } => interrupted(draft, index),
        Outcome::AgentFailed { category, message } => {
            agent_failed(draft, index, *category, message, snapshot);
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
) {
    match category {
        Category::Limit => limit(draft, index, None),
        Category::Lost => interrupted(draft, index),
        Category::External => {
            let failure = Failure::new(category, message.to_owned(), Vec::new());
            fail(draft, index, failure, None, false, 0);
            draft.emit(Event::BlockerRaised { message: message.to_owned() });
        }
        // How far it came decides what the next try is told.
        Category::Code | Category::Test | Category::Infra | Category::Timeout => {
            judge(draft, index, snapshot);
        }
    }
}

/// The program died under the agent: the same conversation goes on. The first time at once, then
/// after a while.
fn interrupted(draft: &mut Draft, index: StepIndex) {
    let lost = draft.state.step(index).lost;
    if lost >= LOST_IN_A_ROW {
        lost_too_often(draft, index, lost);
    } else if lost > 1 {
        let until = backoff(draft, index, lost - 1, 500);
        wait(draft, index, until, false);
    }
}

fn lost_too_often(draft: &mut Draft, index: StepIndex, lost: u32) {
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
    }
    let lost = draft.state.step(index).lost;
    if lost >= LOST_IN_A_ROW && stopping.is_none() {
        lost_too_often(draft, index, lost);
    }
    // Without trouble the step is due, and its work goes on.
    Ok(())
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
    let until = resets_at.unwrap_or_else(|| draft.state.now.plus(LIMIT_WITHOUT_RESET));
    wait(draft, index, until, true);
}

fn trouble(troubles: &[Trouble]) -> Failure {
    let summary = troubles.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    Failure::new(Category::Code, summary, Vec::new())
}
