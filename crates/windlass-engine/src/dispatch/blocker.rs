//! Looking whether a blocker is put right.

use windlass_core::id::ObjectId;
use windlass_core::plan::{Check, CheckId, CheckKind, Criterion, PlanStep, StepKind};
use windlass_core::proof::VerifyReport;
use windlass_core::run::{InputKind, RunState};
use windlass_core::snapshot::Snapshot;
use windlass_core::view;

use super::message::Report;
use super::worker::Worker;
use crate::verify::{Cancel, VerifyRequest};

impl Worker {
    /// Runs the check of a blocker, then what has to hold before the run goes on, on code that was
    /// accepted. Both run where all checks do, and are confined as they are.
    pub(super) fn look_at_blocker(
        &mut self,
        state: &RunState,
        blocker: u32,
        look: u32,
        code: &ObjectId,
        cancel: &Cancel,
    ) -> Report {
        let Some(step) = step_for(state, blocker) else {
            let report = Box::new(VerifyReport::empty());
            return InputKind::BlockerLookedAt { blocker, look, report }.into();
        };
        let papers = state.latest.as_ref().map_or_else(|| code.clone(), |seen| seen.papers.clone());
        let document = view::document(state);
        let request = VerifyRequest {
            plan: &state.plan,
            step: &step,
            baseline: None,
            first_code: None,
            red: None,
            snapshot: &Snapshot { code: code.clone(), papers },
            proven_code: code,
            committed_code: code,
            pins: &state.pins,
            context: &state.context,
            document: &document,
        };
        let verification = self.verifier.verify(&self.place, &self.engine, &request, cancel);
        let report = Box::new(verification.report);
        let input = InputKind::BlockerLookedAt { blocker, look, report };
        Report { input, passes: verification.passes }
    }
}

/// A step that nobody works on, with the check of the blocker as its criterion.
fn step_for(state: &RunState, blocker: u32) -> Option<PlanStep> {
    let check = state.blocker(blocker)?.check.as_ref().map(|check| {
        let kind = CheckKind::Run {
            command: check.command.clone(),
            folder: None,
            timeout: check.timeout,
            cache: false,
            env: Vec::new(),
        };
        Criterion::Check(Check { id: CheckId(0), kind })
    });
    let parts: Vec<Criterion> = check.into_iter().chain(state.plan.recheck.clone()).collect();
    let like = state.plan.steps.first()?;
    Some(PlanStep {
        kind: StepKind::Group,
        may_write: Vec::new(),
        writes: Vec::new(),
        on: std::collections::BTreeMap::new(),
        done: Some(Criterion::All(parts)),
        ..like.clone()
    })
}
