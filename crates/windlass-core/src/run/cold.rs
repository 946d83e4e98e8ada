//! The last proof is cold: what has to hold at the end is looked at once more on a fresh clone, where
//! nothing is left of an earlier check.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{ContentHash, ObjectId, StepIndex};
use crate::plan::{BaselinePolicy, CheckId, Criterion, Holds, StepKind};
use crate::proof::{Proof, VerifyReport};
use crate::run::state::{Phase, RunState};
use crate::run::{BaseRecord, Category, ColdCheck, FailedCheck, Failure};
use crate::time::Timestamp;

/// What was proven on a fresh clone, and what is being.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cold {
    /// Proofs so far.
    pub proofs: u32,
    /// How many of them failed; never reset.
    #[serde(default)]
    pub failures: u32,
    /// The proof that is going on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub going_on: Option<ColdProof>,
    /// The last proof that held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<ColdProof>,
    /// Why a person lets the run end without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waived: Option<String>,
}

/// One proof on a fresh clone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColdProof {
    /// Its number in the run, from 1.
    pub proof: u32,
    /// What it is about.
    pub subject: ColdSubject,
    /// When it began.
    pub since: Timestamp,
}

/// What a proof on a fresh clone is about. It says nothing about any other code or check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColdSubject {
    /// The code.
    pub code: ObjectId,
    /// What is looked at, each by what it is and sees.
    pub checks: Vec<ContentHash>,
}

impl ColdSubject {
    /// Returns whether a proof of this is one of `other`, too: of the same code, and of all its checks.
    pub fn covers(&self, other: &Self) -> bool {
        self.code == other.code && other.checks.iter().all(|check| self.checks.contains(check))
    }
}

/// What a proof on a fresh clone comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ColdVerdict {
    Held,
    /// What the step proved does not hold; `reopens` is the step that can mend it.
    Failed {
        step: StepIndex,
        reopens: Option<StepIndex>,
        failure: Failure,
    },
    /// It could not be found out.
    Unanswered(String),
}

impl Cold {
    pub(super) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl RunState {
    /// Returns what failed before the run, where only new failures count.
    pub fn known_failures(&self) -> Option<&BaseRecord> {
        let record = self.facts.base_record.as_ref();
        record.filter(|_| self.plan.baseline == BaselinePolicy::NoNewFailures)
    }

    /// Returns what has to be proven on a fresh clone before the run is complete, before the step that
    /// publishes goes on, or before a person is asked for the last time; none where it is at none of
    /// them, or where nothing has to.
    pub fn cold_subject(&self) -> Option<ColdSubject> {
        let at_the_end =
            self.remaining == 0 || self.in_hand().any(|index| self.is_at_the_end(index));
        if !at_the_end || self.goes_without_cold_proof() {
            return None;
        }
        let checks = self.cold_checks();
        if checks.is_empty() {
            return None;
        }
        let name = |check: &ColdCheck| ContentHash::of(self.cold_name(check).as_bytes());
        let checks = checks.iter().map(name).collect();
        Some(ColdSubject { code: self.code_at_the_end().clone(), checks })
    }

    /// Whether the workflow or a person lets the run end without it.
    pub(super) fn goes_without_cold_proof(&self) -> bool {
        !self.plan.cold || self.facts.no_cold.is_some() || self.cold.waived.is_some()
    }

    /// Returns whether the run has to be proven on a fresh clone before it goes on.
    pub fn awaits_cold_proof(&self) -> bool {
        let held = self.cold.held.as_ref().map(|held| &held.subject);
        let covers = |subject: &ColdSubject| held.is_some_and(|held| held.covers(subject));
        self.cold_subject().is_some_and(|subject| !covers(&subject))
    }

    /// Judges what was seen on a fresh clone: each criterion with these answers instead of those that
    /// it was proven with.
    pub(super) fn judge_cold(&self, report: &VerifyReport) -> ColdVerdict {
        if let Some(message) = &report.broken {
            return ColdVerdict::Unanswered(message.clone());
        }
        let mut by_step: BTreeMap<StepIndex, BTreeMap<CheckId, Option<&Proof>>> = BTreeMap::new();
        for (position, check) in self.cold_checks().iter().enumerate() {
            let is_its = |proof: &&Proof| usize::try_from(proof.check.0) == Ok(position);
            let proof = report.proofs.iter().find(is_its);
            for (index, id) in &check.asked_by {
                by_step.entry(*index).or_default().insert(*id, proof);
            }
        }
        let judged = |wanted: Holds| {
            let steps =
                by_step.iter().filter(move |(index, seen)| self.judge(**index, seen) == wanted);
            steps.map(|(index, seen)| (*index, seen)).collect::<Vec<_>>()
        };
        let failed = judged(Holds::No);
        let by_agent = |(index, _): &&(StepIndex, _)| self.plan.step(*index).agent().is_some();
        let unheld: Vec<&Proof> =
            failed.iter().flat_map(|(step, seen)| self.speak_against(*step, seen)).collect();
        if let Some(first) = unheld.first()
            && let Some(cause) = &first.cause
            && unheld.iter().all(|proof| is_of_machine(proof))
        {
            // Nobody's work can mend that: a person sees to the machine, and it is proven again.
            return ColdVerdict::Unanswered(format!("{}: {}", first.summary, cause.in_words()));
        }
        if let Some((step, seen)) = failed.iter().find(by_agent).or(failed.first()) {
            let failure = failure(self.speak_against(*step, seen));
            return ColdVerdict::Failed { step: *step, reopens: self.mends(*step), failure };
        }
        match judged(Holds::Unknown).first() {
            None => ColdVerdict::Held,
            Some((_, seen)) => ColdVerdict::Unanswered(why_unanswered(seen.values().copied())),
        }
    }

    fn judge(&self, index: StepIndex, seen: &BTreeMap<CheckId, Option<&Proof>>) -> Holds {
        let Some(done) = &self.plan.step(index).done else { return Holds::Yes };
        let unheld = &self.step(index).unheld;
        done.judge(&|check| match seen.get(&check) {
            Some(proof) => proof.map_or(Holds::Unknown, |proof| proof.holds),
            None if unheld.contains(&check) => Holds::No,
            None => Holds::Yes,
        })
    }

    /// What was seen that is not what the step's criterion wants of it.
    fn speak_against<'p>(
        &self,
        index: StepIndex,
        seen: &'p BTreeMap<CheckId, Option<&'p Proof>>,
    ) -> impl Iterator<Item = &'p Proof> {
        let signed = self.plan.step(index).done.iter().flat_map(Criterion::signed);
        let wanted: BTreeMap<CheckId, Holds> =
            signed.map(|(sign, check)| (check.id, sign.wanted())).collect();
        let is_wrong = move |(id, proof): (&CheckId, &Option<&'p Proof>)| {
            proof.filter(|proof| wanted.get(id) != Some(&proof.holds))
        };
        seen.iter().filter_map(is_wrong)
    }

    /// Returns the step that is open again when what this one proved does not hold: itself, if an
    /// agent works on it or in it, else where it goes back to when it fails.
    fn mends(&self, index: StepIndex) -> Option<StepIndex> {
        let worked_on = self.plan.step(index).agent().is_some();
        if worked_on || !self.plan.nested(index).is_empty() {
            return Some(index);
        }
        self.failed_target(index)
    }

    /// Whether the proof of a step counts at the end: it is done, or about to be, and nothing
    /// of it has left the place.
    pub(super) fn counts_at_the_end(&self, index: StepIndex) -> bool {
        let step = self.step(index);
        let proven = matches!(step.phase, Phase::Done) || self.is_at_the_end(index);
        proven && !step.waived && self.item_of(index).is_none_or(|item| item.left.is_none())
    }

    /// Whether the step is proven, and what comes next cannot be taken back: it publishes, or a person is
    /// asked to accept the last thing that the run does.
    pub(crate) fn is_at_the_end(&self, index: StepIndex) -> bool {
        let (plan, step) = (self.plan.step(index), self.step(index));
        let publishes = matches!(plan.kind, StepKind::PullRequest(_)) && !step.acted;
        let Phase::Proven { snapshot } = &step.phase else { return false };
        let asks = plan.gate.is_some() && !step.approved;
        let asks = asks || self.lands_unseen(index, snapshot).is_some();
        publishes || (asks && self.is_last(index))
    }

    /// Whether nothing is to be done after the step: what is around it ends with it.
    pub(super) fn is_last(&self, index: StepIndex) -> bool {
        let mut ends_with_it = 1;
        let mut around = self.plan.step(index).parent;
        while let Some(group) = around {
            let plan = self.plan.step(group);
            if plan.done.is_some() || plan.gate.is_some() {
                return false;
            }
            ends_with_it += 1;
            around = plan.parent;
        }
        self.remaining == ends_with_it
    }

    /// The code that the run ends with. What a step left that a person skipped is in the place and in
    /// no commit.
    pub(super) fn code_at_the_end(&self) -> &ObjectId {
        let skipped =
            self.plan.indexes().any(|index| matches!(self.step(index).phase, Phase::Skipped));
        let committed = self.head_code != self.facts.base_tree;
        if skipped && committed && self.remaining == 0 {
            &self.head_code
        } else {
            &self.proven_code
        }
    }
}

/// Whether the machine or its network failed, and not what is looked at.
fn is_of_machine(proof: &Proof) -> bool {
    let category = proof.cause.as_ref().map(|cause| cause.category);
    matches!(category, Some(Category::Infra | Category::Network | Category::Disk))
}

fn failure<'p>(seen: impl Iterator<Item = &'p Proof>) -> Failure {
    let failed: Vec<&Proof> = seen.collect();
    let category = failed.iter().find_map(|proof| Some(proof.cause.as_ref()?.category));
    let checks: Vec<FailedCheck> = failed.into_iter().map(FailedCheck::of).collect();
    let first = checks.first().map_or("the checks failed", |check| &check.summary);
    let summary = format!("it was proven, but failed on a fresh clone: {first}");
    Failure::new(category.unwrap_or(Category::Test), summary, checks)
}

fn why_unanswered<'p>(mut seen: impl Iterator<Item = Option<&'p Proof>>) -> String {
    let open = seen.find(|proof| proof.is_none_or(|proof| proof.holds == Holds::Unknown)).flatten();
    let Some(proof) = open else { return "not everything was looked at".to_owned() };
    match proof.excerpt.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        Some(excerpt) => format!("{}\n{excerpt}", proof.summary),
        None => proof.summary.clone(),
    }
}
