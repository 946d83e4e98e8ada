//! Back to an earlier step: by a verdict or by a person.

use globset::Glob;

use super::draft::Draft;
use super::gate::resume_if_stopped;
use crate::id::{StepId, StepIndex};
use crate::plan::Rollback;
use crate::proof::VerifyReport;
use crate::run::state::{PauseReason, Phase};
use crate::run::{Event, Rejected};
use crate::snapshot::Snapshot;

pub(super) fn by_verdict(
    draft: &mut Draft,
    index: StepIndex,
    verdict: &str,
    report: &VerifyReport,
    observed: Snapshot,
) {
    let step = draft.id(index);
    let route = draft.state.plan.step(index).on[verdict].clone();
    let taken = draft.state.step(index).routes.get(verdict).copied().unwrap_or(0);
    let target = draft.id(target(&route.rollback, &report.route_files));
    draft.emit(Event::RouteTaken {
        step: step.clone(),
        verdict: verdict.to_owned(),
        target: target.clone(),
    });
    if taken >= route.max {
        draft.emit(Event::StepFailed { step: step.clone() });
        let detail = format!("`{step}` said {verdict} more than {} times", route.max);
        draft.emit(Event::RunPaused { reason: PauseReason::RollbackLimit, detail });
        return;
    }
    draft.emit(Event::RolledBack {
        target,
        by: step.as_str().to_owned(),
        message: format!("`{step}` said {verdict}"),
        files: report.route_files.clone(),
        reset_code: false,
        observed,
    });
}

/// The earliest step that a listed file belongs to.
fn target(rollback: &Rollback, files: &[String]) -> StepIndex {
    let by_file = files.iter().filter_map(|file| {
        let first = rollback.by_path.iter().find(|(glob, _)| {
            Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(file))
        });
        first.map(|(_, step)| *step)
    });
    by_file.min().unwrap_or(rollback.otherwise)
}

pub(super) fn by_person(
    draft: &mut Draft,
    step: &StepId,
    message: &str,
    reset_code: bool,
    observed: &Snapshot,
) -> Result<(), Rejected> {
    if message.trim().is_empty() {
        return Err(Rejected::NoReason);
    }
    let index = draft.find(step)?;
    if let Some(holder) = draft.state.holder
        && draft.state.is_in_flight(holder)
    {
        return Err(Rejected::Busy { what: format!("`{}` is being worked on", draft.id(holder)) });
    }
    let begun = |index: StepIndex| {
        let step = draft.state.step(index);
        step.started_at.is_some() && !matches!(step.phase, Phase::Pending | Phase::Deciding)
    };
    if !begun(index) && !draft.state.plan.nested(index).into_iter().any(begun) {
        return Err(Rejected::NotBegun { step: step.clone() });
    }
    draft.emit(Event::RolledBack {
        target: step.clone(),
        by: draft.actor(),
        message: message.to_owned(),
        files: Vec::new(),
        reset_code,
        observed: observed.clone(),
    });
    resume_if_stopped(draft);
    Ok(())
}
