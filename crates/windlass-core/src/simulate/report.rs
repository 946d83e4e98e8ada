//! What stub agents and the stub verifier report.

use super::cover::checks;
use crate::id::{ContentHash, ObjectId, RunId};
use crate::plan::{CheckId, CheckKind, Criterion, Holds, PlanStep, Strength, Suite};
use crate::proof::{
    AttemptReport, Finding, Outcome, Proof, ProtectedChange, RedSuite, Usage, VerifyReport,
};
use crate::run::{Publication, RunFacts, RunState};
use crate::snapshot::{Baseline, Snapshot};
use crate::time::Span;

/// The protected file that a stub agent changes.
pub(super) const PROTECTED_FILE: &str = "protected";

pub(super) fn facts() -> RunFacts {
    RunFacts {
        run: RunId::new("simulate"),
        branch: "windlass/simulate".to_owned(),
        base_name: "main".to_owned(),
        base: "base".into(),
        base_tree: "code-0".into(),
        place: String::new(),
        here: false,
        approved_in_advance: None,
        backend: "stub".to_owned(),
        command: None,
        command_from_repository: false,
        carried: Vec::new(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        failure_rules: Vec::new(),
        services: Vec::new(),
        push_settings: None,
        questions_wait: None,
        base_record: None,
        no_cold: None,
        commits: crate::plan::CommitStyle::default(),
    }
}

/// The pull request that a stub forge opens.
pub(super) fn publication(commit: &ObjectId) -> Publication {
    Publication {
        remote: "origin".to_owned(),
        pushed: commit.clone(),
        number: Some(1),
        url: None,
        compare_url: None,
        body_file: None,
        notes: Vec::new(),
    }
}

/// The files after so many changes.
pub(super) fn snapshot(changes: u32) -> Snapshot {
    let code: ObjectId = format!("code-{changes}").as_str().into();
    Snapshot { code, papers: "papers".into() }
}

pub(super) fn baseline(snapshot: Snapshot) -> Baseline {
    Baseline { snapshot, files: ContentHash::of(b"{}") }
}

/// An agent that ended by itself and cost so much.
pub(super) fn ended(outcome: Outcome, cost_usd: f64) -> AttemptReport {
    AttemptReport {
        outcome,
        usage: Usage { cost_usd: Some(cost_usd), ..Usage::default() },
        result: None,
        output: None,
        left_behind: 0,
        trouble: Vec::new(),
        confinement: "none".to_owned(),
        escalation: None,
    }
}

/// A report on which the criterion holds.
pub(super) fn holds(step: &PlanStep) -> VerifyReport {
    let mut report = report(step, Holds::Yes, "");
    report.red = step.reds().map(red).collect();
    report.verdict = checks(step).into_iter().find_map(|check| accepted(&check.kind));
    report
}

/// A report that all that has to hold at the end does, on a fresh clone.
pub(super) fn holds_cold(state: &RunState) -> VerifyReport {
    let mut report = VerifyReport::empty();
    let numbers = (0..).map(CheckId);
    let checks = numbers.zip(state.cold_checks());
    report.proofs = checks.map(|(id, check)| proof(id, check.sign.wanted(), "")).collect();
    report
}

/// Tests that fail, as nobody counted them.
fn red(suite: &Suite) -> RedSuite {
    RedSuite {
        command: suite.command.clone(),
        folder: suite.folder.clone(),
        ran: 0,
        failing: None,
        passed: false,
    }
}

/// A report on which it does not; failures of other `words` look different.
pub(super) fn fails(step: &PlanStep, words: &str) -> VerifyReport {
    report(step, Holds::No, words)
}

/// A report on which all holds but the verdict.
pub(super) fn says(step: &PlanStep, verdict: &str, findings: Vec<Finding>) -> VerifyReport {
    let mut report = report(step, Holds::Yes, "");
    for check in checks(step) {
        if accepted(&check.kind).is_some()
            && let Some(proof) = report.proofs.iter_mut().find(|proof| proof.check == check.id)
        {
            proof.holds = Holds::No;
        }
    }
    report.verdict = Some(verdict.to_owned());
    report.route_files = findings.iter().filter_map(|found| found.file.clone()).collect();
    report.route_findings = findings;
    report
}

/// A report of a changed file that judges the work.
pub(super) fn protected(step: &PlanStep) -> VerifyReport {
    let change = ProtectedChange::of_file(PROTECTED_FILE.to_owned(), Some(PROTECTED_FILE.into()));
    VerifyReport { protected: vec![change], ..holds(step) }
}

fn accepted(kind: &CheckKind) -> Option<String> {
    kind.accepts().and_then(|accept| accept.first().cloned())
}

fn report(step: &PlanStep, wanted: Holds, words: &str) -> VerifyReport {
    let mut report = VerifyReport::empty();
    if let Some(criterion) = &step.done {
        satisfy(criterion, wanted, words, &mut report.proofs);
    }
    report
}

/// Sets every check so that the tree as a whole is as wanted.
fn satisfy(criterion: &Criterion, wanted: Holds, words: &str, proofs: &mut Vec<Proof>) {
    match criterion {
        Criterion::All(parts) | Criterion::Any(parts) => {
            for part in parts {
                satisfy(part, wanted, words, proofs);
            }
        }
        Criterion::Not(part) => {
            let other = if wanted == Holds::Yes { Holds::No } else { Holds::Yes };
            satisfy(part, other, words, proofs);
        }
        Criterion::Check(check) => proofs.push(proof(check.id, wanted, words)),
    }
}

fn proof(check: CheckId, holds: Holds, words: &str) -> Proof {
    Proof {
        check,
        holds,
        strength: Strength::Observed,
        summary: words.to_owned(),
        excerpt: None,
        evidence: None,
        cached: false,
        took: Span(0),
        cause: None,
    }
}
