//! Answers effects as agents and checks that always do well would.

use windlass_core::id::StepId;
use windlass_core::proof::{AttemptReport, VerifyReport};
use windlass_core::run::{Effect, InputKind};
use windlass_core::snapshot::Baseline;

use crate::BenchResult;

/// What the outside world looks like, always.
#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) files: Baseline,
    pub(crate) ended: AttemptReport,
}

impl Edge {
    /// Returns the report of a performed effect; `verified` says what the verifier saw of a step.
    pub(crate) fn answer(
        &self,
        effect: Effect,
        verified: impl FnOnce(&StepId) -> Option<VerifyReport>,
    ) -> BenchResult<InputKind> {
        match effect {
            Effect::TakeBaseline(request) => Ok(InputKind::BaselineTaken {
                step: request.step,
                epoch: request.epoch,
                baseline: self.files.clone(),
            }),
            Effect::EnsureAttempt { attempt } => Ok(InputKind::AttemptEnded {
                attempt,
                report: Box::new(self.ended.clone()),
                snapshot: self.files.snapshot.clone(),
                jitter: windlass_core::run::EVEN_CHANCE,
            }),
            Effect::Verify { verification, step, .. } => {
                let report = verified(&step).ok_or_else(|| format!("no report of `{step}`"))?;
                Ok(InputKind::Verified { verification, report: Box::new(report), jitter: 0 })
            }
            other => Err(format!("the simulated run asks for `{other}`").into()),
        }
    }
}
