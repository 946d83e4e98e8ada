//! Back to an earlier step: by a verdict or by a person.

use super::draft::Draft;
use super::gate::resume_if_stopped;
use crate::id::{StepId, StepIndex};
use crate::plan::{Rollback, glob};
use crate::proof::VerifyReport;
use crate::run::state::{PauseReason, Phase};
use crate::run::{Event, Rejected};
use crate::snapshot::Snapshot;

/// How much of a judge's findings is handed on; a prompt has room for little more.
const MAX_FINDINGS: usize = 2000;

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
        message: findings(draft, index, verdict),
        files: report.route_files.clone(),
        reset_code: false,
        observed,
    });
}

/// What the judge said, with all that it published: the step that is reopened drops those keys, so
/// this is where its findings live on.
fn findings(draft: &Draft, index: StepIndex, verdict: &str) -> String {
    let step = draft.state.step(index);
    let context = draft.state.context_of(index);
    let mut message = format!("`{}` said {verdict}", draft.id(index));
    for key in &step.published {
        let value = key.split('.').try_fold(&*context, |value, part| value.get(part));
        if let Some(value) = value {
            message.push_str(&format!("\n{key}: {value}"));
        }
    }
    match message.char_indices().nth(MAX_FINDINGS) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message,
    }
}

/// The earliest step that a listed file belongs to.
fn target(rollback: &Rollback, files: &[String]) -> StepIndex {
    let by_file = files.iter().filter_map(|file| {
        let first = rollback.by_path.iter().find(|(pattern, _)| {
            glob::compile(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(file))
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
    if let Some(busy) = draft.state.in_flight() {
        return Err(Rejected::Busy { what: format!("`{}` is being worked on", draft.id(busy)) });
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
