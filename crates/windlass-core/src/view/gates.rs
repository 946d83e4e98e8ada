//! The quality gates of a run with stories: what was checked, what proves it, what is missing.
//!
//! A gate is no word of the engine: which gate a check belongs to follows from what it looks at and
//! from where it stands.

use serde::Serialize;

use super::history::{History, ProofEntry};
use super::story_detail::TraceProof;
use crate::id::{StepId, StepIndex};
use crate::judgement::ReportKind;
use crate::plan::{Check, CheckKind, Holds, Plan, PlanStep, StepKind};
use crate::platform::CommandName;
use crate::run::{ItemStatus, Phase, RunState, is_no_part};

/// One quality gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[expect(missing_docs, reason = "the words say it")]
pub enum QualityGate {
    #[serde(rename = "G1")]
    Design,
    #[serde(rename = "G2")]
    Build,
    #[serde(rename = "G3")]
    Test,
    #[serde(rename = "G4")]
    Coverage,
    #[serde(rename = "G5")]
    Final,
    #[serde(rename = "G6")]
    Security,
    #[serde(rename = "G7")]
    BeforePublishing,
    #[serde(rename = "red")]
    Red,
    #[serde(rename = "review")]
    Review,
}

impl QualityGate {
    /// Returns its name and what it is about.
    pub fn words(self) -> &'static str {
        match self {
            Self::Design => "G1 design: every story has a design, files and dependencies",
            Self::Build => "G2 build: the code of every story builds",
            Self::Test => "G3 test: the tests of every story pass",
            Self::Coverage => "G4 coverage: enough for the size of every story",
            Self::Final => "G5 final: build and tests once more, after all judges",
            Self::Security => "G6 security: stories that need it are cleared",
            Self::BeforePublishing => "G7 before the pull request: build, tests and lint",
            Self::Red => "Tests first: new tests failed before there was an implementation",
            Self::Review => "Review: somebody else approved every story",
        }
    }
}

/// How a gate stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `report --json`")]
pub struct QualityGateView {
    pub gate: QualityGate,
    /// What it is about.
    pub what: &'static str,
    /// Whether all of it is proven.
    pub holds: bool,
    pub proofs: Vec<TraceProof>,
    /// Steps that were let pass without it.
    pub waived: Vec<StepId>,
    /// Steps that have not proven it.
    pub missing: Vec<StepId>,
}

/// Projects the gates of a run, as far as its workflow has them.
pub fn gate_views(state: &RunState, history: &History) -> Vec<QualityGateView> {
    let mut views: Vec<QualityGateView> = Vec::new();
    for index in state.plan.in_reading_order() {
        // What is repeated is looked at where it is, in its items. What a person left out is missing, unless
        // the whole story is out.
        let step = state.step(index);
        let story = state.item_of(index).map(|item| state.item_status(item));
        let is_out =
            story == Some(ItemStatus::Skipped) || step.note.as_deref().is_some_and(is_no_part);
        let skipped = step.phase == Phase::Skipped && is_out;
        if state.plan.foreach(index).is_none() && !skipped {
            of_step(state, index, history, &mut views);
        }
    }
    for view in &mut views {
        view.holds = view.waived.is_empty() && view.missing.is_empty();
    }
    views.sort_by_key(|view| view.gate);
    views
}

fn of_step(
    state: &RunState,
    index: StepIndex,
    history: &History,
    views: &mut Vec<QualityGateView>,
) {
    let (plan, step) = (state.plan.step(index), state.step(index));
    let Some(criterion) = &plan.done else { return };
    let known = history.steps.get(&plan.id).map(|known| known.proofs.as_slice());
    for check in criterion.checks() {
        let Some(gate) = gate_of(state, index, check) else { continue };
        let proven = |entry: &&ProofEntry| {
            entry.decisive && entry.proof.check == check.id && entry.proof.holds == Holds::Yes
        };
        let proof = known.unwrap_or_default().iter().rev().find(proven);
        let view = at(views, gate);
        // The text of a pull request is written before its own step is done.
        let stands = matches!(step.phase, Phase::Done | Phase::Publishing { .. });
        match proof.filter(|_| stands && !step.waived) {
            Some(entry) => view.proofs.push(TraceProof::of(&plan.id, entry)),
            None if step.waived => add(&mut view.waived, &plan.id),
            None => add(&mut view.missing, &plan.id),
        }
    }
}

fn add(steps: &mut Vec<StepId>, step: &StepId) {
    if !steps.contains(step) {
        steps.push(step.clone());
    }
}

fn at(views: &mut Vec<QualityGateView>, gate: QualityGate) -> &mut QualityGateView {
    let position = views.iter().position(|view| view.gate == gate).unwrap_or_else(|| {
        views.push(QualityGateView {
            gate,
            what: gate.words(),
            holds: false,
            proofs: Vec::new(),
            waived: Vec::new(),
            missing: Vec::new(),
        });
        views.len() - 1
    });
    &mut views[position]
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other checks belong to no gate")]
fn gate_of(state: &RunState, index: StepIndex, check: &Check) -> Option<QualityGate> {
    let step = state.plan.step(index);
    let in_item = state.plan.item_of(index).is_some();
    match &check.kind {
        CheckKind::Stories { designed: true, .. } => return Some(QualityGate::Design),
        CheckKind::VerdictIn { kind: ReportKind::Security, .. } => {
            return Some(QualityGate::Security);
        }
        CheckKind::VerdictIn { kind: ReportKind::Review, .. } => return Some(QualityGate::Review),
        CheckKind::Red(_) => return Some(QualityGate::Red),
        _ => {}
    }
    let what = match &check.kind {
        CheckKind::Junit { .. } | CheckKind::Green(_) => QualityGate::Test,
        CheckKind::Coverage { .. } => QualityGate::Coverage,
        CheckKind::Run { command, .. } => match of_platform(&state.plan, command)? {
            CommandName::Build => QualityGate::Build,
            CommandName::Test => QualityGate::Test,
            CommandName::Coverage => QualityGate::Coverage,
            _ => QualityGate::BeforePublishing,
        },
        _ => return None,
    };
    // Nothing of the item but the group around it comes after the last look.
    let group = state.plan.item_group(index);
    let mut after = state.plan.dependents(index).iter();
    let is_last = only_proves(step) && after.all(|next| Some(*next) == group);
    Some(match (in_item, is_last) {
        (true, true) => QualityGate::Final,
        (true, false) => what,
        (false, _) => QualityGate::BeforePublishing,
    })
}

/// Whether nobody works on a step.
fn only_proves(step: &PlanStep) -> bool {
    matches!(step.kind, StepKind::Group)
}

/// Which of the platform's commands this is.
fn of_platform(plan: &Plan, command: &str) -> Option<CommandName> {
    let names = [CommandName::Build, CommandName::Test, CommandName::Lint, CommandName::Coverage];
    names.into_iter().find(|name| {
        let mut platforms = plan.platforms.iter();
        platforms.any(|platform| platform.pack.command(*name).is_some_and(|way| way.run == command))
    })
}
