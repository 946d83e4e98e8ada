//! An attempt is over, one way or another.

use super::advance;
use super::draft::Draft;
use super::verified::{fail, wait};
use crate::id::{AttemptId, StepIndex};
use crate::proof::{AttemptReport, Outcome, Trouble};
use crate::run::state::{PauseReason, Phase, StopReason};
use crate::run::{Category, Event, Failure, Rejected, VerifyReason};
use crate::snapshot::Snapshot;
use crate::time::{Span, Timestamp};

/// A run whose attempts are lost this often in a row has a problem that trying does not solve.
const LOST_IN_A_ROW: u32 = 20;

/// How long a provider's limit is waited for when it states no end.
const LIMIT_WITHOUT_RESET: Span = Span::minutes(15);

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
        // Stopped by a person: no try is used, and what is there is looked at when the run goes on.
        return Ok(());
    }
    match &report.outcome {
        Outcome::Cancelled => {}
        Outcome::ProviderLimit { resets_at, .. } => {
            let until = resets_at.unwrap_or_else(|| draft.state.now.plus(LIMIT_WITHOUT_RESET));
            limit(draft, index, until);
        }
        Outcome::CouldNotStart { message } => {
            let summary = format!("the agent could not be started: {message}");
            fail(draft, index, Failure::new(Category::Infra, summary, Vec::new()), None, true, 500);
        }
        // Whatever the agent said by its exit code, what it left behind decides.
        Outcome::Exited { .. }
        | Outcome::Signalled { .. }
        | Outcome::TimedOut
        | Outcome::Idle
        | Outcome::OverLimit { .. } => {
            let event = advance::verify(draft, index, snapshot, VerifyReason::AttemptEnded);
            draft.emit(event);
        }
    }
    Ok(())
}

pub(super) fn lost(
    draft: &mut Draft,
    attempt: &AttemptId,
    snapshot: &Snapshot,
    troubles: &[Trouble],
) -> Result<(), Rejected> {
    let (index, stopping) = current(draft, attempt)?;
    draft.emit(Event::AttemptLost {
        attempt: attempt.clone(),
        snapshot: snapshot.clone(),
        trouble: troubles.to_vec(),
    });
    if !troubles.is_empty() {
        // Files in such a state prove nothing; a lost attempt costs no try.
        fail(draft, index, trouble(troubles), None, false, 0);
    }
    let lost = draft.state.step(index).lost;
    if lost >= LOST_IN_A_ROW && stopping.is_none() {
        let detail = format!("{lost} attempts of `{}` were lost in a row", attempt.step);
        draft.emit(Event::RunPaused { reason: PauseReason::LostTooOften, detail });
    }
    // Without trouble the step is due with its work to be looked at first.
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

fn limit(draft: &mut Draft, index: StepIndex, until: Timestamp) {
    wait(draft, index, until, true);
}

fn trouble(troubles: &[Trouble]) -> Failure {
    let summary = troubles.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    Failure::new(Category::Code, summary, Vec::new())
}
