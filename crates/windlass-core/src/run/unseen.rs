//! Protected files that are asked about at the next gate, and not at once: what of them no person has seen.
//!
//! A step goes on although it changed such a file, and the change waits: the next gate that a person answers
//! shows it, and what that person accepts is pinned. Nothing lands before: where no gate is left, one opens
//! before the run publishes or is complete, also if everything was approved in advance.
//!
//! What waits is known by the code that it was proven in, because code can be taken back. A code that nobody
//! looked at since something waits could hold any of it, so there all of it is asked about. Where some steps
//! commit and others do not, the branch and the place hold different code, and both land.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::{ObjectId, StepIndex};
use crate::plan::StepKind;
use crate::proof::{Blob, ProtectedChange, VerifyReport};
use crate::run::state::{Accepted, Gate, GateKind, Phase, RunState};
use crate::snapshot::Snapshot;

/// Changes that no person has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unseen {
    /// The changes, as they differ from what the run began with.
    pub changes: Vec<ProtectedChange>,
    /// Their diff; none where it has to be made from the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<Blob>,
}

/// What waits in each code.
pub(super) type UnseenByCode = BTreeMap<ObjectId, Unseen>;

impl RunState {
    /// Returns whether any change waits to be seen.
    pub fn has_unseen(&self) -> bool {
        self.unseen.values().any(|unseen| !unseen.changes.is_empty())
    }

    /// Returns what nobody has seen of this code; none where everything was.
    pub fn unseen_in(&self, code: &ObjectId) -> Option<Unseen> {
        let unseen = self.unseen.get(code).cloned().unwrap_or_else(|| {
            let mut changes: Vec<ProtectedChange> = Vec::new();
            for change in self.unseen.values().flat_map(|unseen| &unseen.changes) {
                if !changes.contains(change) {
                    changes.push(change.clone());
                }
            }
            Unseen { changes, diff: None }
        });
        (!unseen.changes.is_empty()).then_some(unseen)
    }

    /// Returns the protected files that a gate is about: those that it opened for, or those that it shows
    /// because nobody has seen them.
    pub fn asked_about(&self, gate: &Gate) -> Option<Unseen> {
        match &gate.kind {
            GateKind::Protected { changes, diff, .. } => {
                Some(Unseen { changes: changes.clone(), diff: diff.clone() })
            }
            GateKind::Approval => self.unseen_in(&gate.snapshot.code),
            GateKind::Route { .. } => None,
        }
    }

    /// Returns what would land unseen if finishing this step, which is proven, lets the work land.
    pub(super) fn lands_unseen(&self, index: StepIndex, snapshot: &Snapshot) -> Option<Unseen> {
        let (plan, step) = (self.plan.step(index), self.step(index));
        let publishes = matches!(plan.kind, StepKind::PullRequest(_)) && !step.acted;
        let lands = (publishes || self.is_last(index)) && !plan.is_spoke();
        if lands { self.unseen_to_land(&snapshot.code) } else { None }
    }

    /// Returns what would land unseen if this code is what the run ends with: its branch may hold another one.
    pub(super) fn unseen_to_land(&self, code: &ObjectId) -> Option<Unseen> {
        if self.unseen.is_empty() {
            return None;
        }
        self.unseen_in(&self.head_code).or_else(|| self.unseen_in(code))
    }

    /// Returns the step that is asked about when all of them are finished: the last one that was proven.
    pub(super) fn last_proven(&self) -> Option<StepIndex> {
        let is_proven = |index: &StepIndex| {
            let (plan, step) = (self.plan.step(*index), self.step(*index));
            matches!((&plan.kind, &step.phase), (StepKind::Agent { .. }, Phase::Done))
                && !step.waived
                && !plan.is_spoke()
        };
        self.plan.indexes().filter(is_proven).last()
    }

    /// Remembers what a proven code holds that nobody has seen.
    pub(super) fn note_unseen(&mut self, code: &ObjectId, report: &VerifyReport) {
        if report.later.is_empty() && self.unseen.is_empty() {
            return;
        }
        let (changes, diff) = (report.later.clone(), report.later_diff.clone());
        let before = [&self.facts.base_tree, &self.head_code, &self.proven_code].map(Clone::clone);
        let unseen = Arc::make_mut(&mut self.unseen);
        if unseen.is_empty() {
            // Nothing waited until now.
            unseen.extend(before.map(|code| (code, Unseen::default())));
        }
        unseen.insert(code.clone(), Unseen { changes, diff });
    }

    /// Remembers who accepted the protected files that a gate is about.
    pub(super) fn note_accepted(&mut self, gate: &Gate, by: &str) {
        let Some(asked) = self.asked_about(gate) else { return };
        let accepted = Arc::make_mut(&mut self.accepted);
        for ProtectedChange { path, now, .. } in asked.changes {
            let (step, by) = (gate.step.clone(), by.to_owned());
            accepted.insert(path, Accepted { now, step, by });
        }
    }

    /// A person has seen these changes, in whatever code they are.
    pub(super) fn note_seen(&mut self, changes: &[ProtectedChange]) {
        if self.unseen.is_empty() {
            return;
        }
        for unseen in Arc::make_mut(&mut self.unseen).values_mut() {
            unseen.changes.retain(|change| !changes.contains(change));
        }
    }
}
