//! The last proof is cold: it comes before the run is complete, and before anything is published or a
//! person is asked whether it may be.

use super::draft::Draft;
use crate::id::StepIndex;
use crate::plan::MAX_COLD_FAILURES;
use crate::proof::VerifyReport;
use crate::run::cold::ColdVerdict;
use crate::run::state::{Control, PauseReason};
use crate::run::{Event, Failure, Rejected};

/// Who opens a step again whose proof does not hold on a fresh clone.
const BY: &str = "the cold proof";

/// What the step that is open again is told, besides what failed.
const MESSAGE: &str = "make it hold on a fresh clone, which has what git tracks and what `prepare` makes, \
     and nothing that git ignores or an earlier command left behind";

/// Returns whether the proof has to come first.
pub(super) fn is_in_the_way(draft: &Draft) -> bool {
    draft.state.awaits_cold_proof()
}

/// Begins the proof where one is asked for; it is an act, and waits for a driver.
pub(super) fn begin(draft: &Draft) -> Option<Event> {
    let cold = &draft.state.cold;
    if cold.going_on.is_some() || draft.state.driver.is_none() || !is_in_the_way(draft) {
        return None;
    }
    let subject = draft.state.cold_subject()?;
    let proof = cold.proofs.saturating_add(1);
    Some(Event::ColdProofBegan { proof, code: subject.code, checks: subject.checks })
}

/// Gives a proof up that is about something else than what is there now.
pub(super) fn give_up(draft: &Draft) -> Option<Event> {
    let going_on = draft.state.cold.going_on.as_ref()?;
    let aborting = matches!(draft.state.control, Control::Aborting);
    let stands = !aborting && draft.state.cold_subject().as_ref() == Some(&going_on.subject);
    (!stands).then_some(Event::ColdProofAbandoned { proof: going_on.proof })
}

/// Gives it up because the run stops at once.
pub(super) fn stop(draft: &mut Draft) {
    if let Some(proof) = draft.state.cold.going_on.as_ref().map(|going_on| going_on.proof) {
        draft.emit(Event::ColdProofAbandoned { proof });
    }
}

/// A person lets the run end without it: a check may be unable to run on a fresh clone, and the plan
/// of a run cannot be changed.
pub(super) fn waive(draft: &mut Draft, reason: &str) -> Result<(), Rejected> {
    if reason.trim().is_empty() {
        return Err(Rejected::NoReason);
    }
    if draft.state.goes_without_cold_proof() {
        return Err(Rejected::NoColdProof);
    }
    draft.emit(Event::ColdProofWaived { reason: reason.trim().to_owned() });
    Ok(())
}

/// What has to hold at the end was looked at on a fresh clone.
pub(super) fn proved(draft: &mut Draft, proof: u32, report: &VerifyReport) -> Result<(), Rejected> {
    if draft.state.cold.going_on.as_ref().is_none_or(|going_on| going_on.proof != proof) {
        return Err(Rejected::NotExpected);
    }
    let report = Box::new(report.clone());
    match draft.state.judge_cold(&report) {
        ColdVerdict::Held => draft.emit(Event::ColdProofHeld { proof, report }),
        ColdVerdict::Unanswered(message) => {
            let detail = format!("the checks on a fresh clone could not run: {}", line(&message));
            draft.emit(Event::ColdProofBroken { proof, message, report });
            draft.emit(Event::RunPaused { reason: PauseReason::RepeatedFailure, detail });
        }
        ColdVerdict::Failed { step, reopens, failure } => {
            let step = draft.id(step);
            draft.emit(Event::ColdProofFailed { proof, step, failure: failure.clone(), report });
            failed(draft, reopens, failure);
        }
    }
    Ok(())
}

/// The step behind it is open again, and all that depends on it; not for ever.
fn failed(draft: &mut Draft, reopens: Option<StepIndex>, failure: Failure) {
    let failures = draft.state.cold.failures;
    let reopens = reopens.filter(|_| failures < MAX_COLD_FAILURES);
    let (Some(target), Some(observed)) = (reopens, draft.state.latest.clone()) else {
        let times = if failures == 1 { String::new() } else { format!(" ({failures} times over)") };
        let detail = format!("{}{times}", failure.summary);
        draft.emit(Event::RunPaused { reason: PauseReason::RetriesExhausted, detail });
        return;
    };
    let excerpts = failure.checks.iter().filter_map(|check| check.excerpt.as_deref());
    let message = [MESSAGE, &failure.summary].into_iter().chain(excerpts).collect::<Vec<_>>();
    draft.emit(Event::RolledBack {
        target: draft.id(target),
        by: BY.to_owned(),
        message: super::rollback::bounded(message.join("\n")),
        files: Vec::new(),
        reset_code: false,
        code: None,
        observed,
        failure: Some(Box::new(failure)),
        presence: None,
    });
}

fn line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
