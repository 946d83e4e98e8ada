//! Words for tests about the proof on a fresh clone.

use super::{Draft, Run, facts, holds, plan, proof};
use crate::item::NewItem;
use crate::plan::{Check, CheckId, CheckKind, Criterion, Holds};
use crate::proof::{Proof, VerifyReport};
use crate::run::{Event, InputKind, RunFacts};
use crate::time::Span;

/// A check that runs this command.
pub(crate) fn runs(id: u32, command: &str) -> Criterion {
    let kind = CheckKind::Run {
        command: command.to_owned(),
        folder: None,
        timeout: Span::minutes(5),
        cache: true,
        env: Vec::new(),
        room: Box::default(),
    };
    Criterion::Check(Check { id: CheckId(id), kind })
}

/// As [`runs`], with a variable that depends on the item.
pub(crate) fn runs_with(id: u32, command: &str, variable: &str) -> Criterion {
    let mut criterion = runs(id, command);
    if let Criterion::Check(Check { kind: CheckKind::Run { room, .. }, .. }) = &mut criterion {
        room.variables.insert(variable.to_owned(), ".item.id".to_owned());
    }
    criterion
}

impl Draft {
    pub(crate) fn proven_by(mut self, done: Criterion) -> Self {
        self.step.done = Some(done);
        self
    }
}

impl Run {
    /// A run whose last proof is cold.
    pub(crate) fn cold(drafts: impl IntoIterator<Item = Draft>) -> Self {
        let mut plan = plan(drafts);
        plan.cold = true;
        Self::start(plan, facts())
    }

    /// The same over these items.
    pub(crate) fn cold_over(
        items: impl IntoIterator<Item = NewItem>,
        drafts: impl IntoIterator<Item = Draft>,
    ) -> Self {
        let mut plan = plan(drafts);
        (plan.cold, plan.items) = (true, items.into_iter().collect());
        Self::start(plan, facts())
    }

    /// The same, whose gates somebody approved with `--yes`.
    pub(crate) fn cold_in_advance(drafts: impl IntoIterator<Item = Draft>) -> Self {
        let mut plan = plan(drafts);
        plan.cold = true;
        let facts = RunFacts { approved_in_advance: Some("ann".to_owned()), ..facts() };
        Self::start(plan, facts)
    }

    /// The commands that have to pass on a fresh clone.
    pub(crate) fn cold_commands(&self) -> Vec<String> {
        let checks = self.state.cold_checks().into_iter();
        checks.filter_map(|c| c.kind.command().map(|command| command.command.to_owned())).collect()
    }

    /// What was seen on a fresh clone is reported.
    pub(crate) fn proves_cold(&mut self, report: VerifyReport) -> Vec<Event> {
        let proof = self.state.cold.proofs;
        self.expect(InputKind::ColdProved { proof, report: Box::new(report) })
    }
}

/// What was seen on a fresh clone, check by check.
pub(crate) fn seen<const N: usize>(holds_: [Holds; N]) -> VerifyReport {
    let proofs = (0..).zip(holds_).map(|(number, seen)| Proof {
        check: CheckId(number),
        excerpt: Some(format!("output {number}")),
        ..proof(seen, &format!("check {number}"))
    });
    VerifyReport { proofs: proofs.collect(), ..holds() }
}
