//! What a report says, whoever writes it down.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cold::{ReportCold, report_cold};
use super::counts::{ReportCounts, not_part};
use crate::id::{ContentHash, RunId, StepId};
use crate::judgement::Remark;
use crate::measure::TestsChanged;
use crate::plan::{Holds, Issue, PlanStep, StepKind, Strength};
use crate::proof::{Blob, Outcome};
use crate::run::{BaseRecord, Publication, RunState, RunStatus, StepState, StepStatus};
use crate::time::{Span, Timestamp};
use crate::view::ItemView;
use crate::view::blockers::{BlockerView, blocker_views};
use crate::view::changes::Changes;
use crate::view::complete::{CompleteView, complete_view};
use crate::view::gates::{QualityGateView, gate_views};
use crate::view::history::{AttemptEntry, History, ProofEntry};
use crate::view::kept::Fate;
use crate::view::progress::{ProgressView, progress_view};
use crate::view::questions::{QuestionView, question_views};
use crate::view::status::{BudgetView, status_view};
use crate::view::story_detail::{StoryDetail, story_detail};

/// What the journal alone does not say.
#[derive(Clone, Debug, Default)]
pub struct ReportFacts {
    /// The last link of the journal's chain.
    pub head: String,
    /// Whether the journal is what it says, where somebody looked.
    pub audit: Option<ReportAudit>,
    /// What the run changed since its base, where the files are known.
    pub changes: Option<Changes>,
    /// How the tests that it declares changed, where they did.
    pub tests: Option<TestsChanged>,
    /// What each step changed.
    pub step_changes: BTreeMap<StepId, Changes>,
    /// What checks and agents printed, shortened, by the hash of the whole.
    pub outputs: BTreeMap<ContentHash, String>,
    /// What became of the files of each attempt.
    pub fates: BTreeMap<String, Fate>,
    /// The version of windlass that writes the report.
    pub version: String,
}

/// What an audit of the journal found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ReportAudit {
    pub ok: bool,
    pub records: u64,
    pub decisions: u64,
    pub problems: Vec<String>,
}

/// The report of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `report --json`")]
pub struct ReportView {
    pub run: RunId,
    pub workflow: String,
    pub goal: String,
    pub status: RunStatus,
    pub reason: Option<&'static str>,
    /// The reason in a sentence.
    pub detail: Option<String>,
    pub issue: Option<Issue>,
    pub branch: String,
    pub head: String,
    pub base: String,
    pub started_at: String,
    pub ended_at: Option<String>,
    /// From the start to the end, waiting included.
    #[serde(rename = "took_ms")]
    pub took: Option<Span>,
    pub budget: BudgetView,
    pub steps: Vec<ReportStep>,
    /// How much of it is proven.
    pub counts: ReportCounts,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemView>,
    /// What only a person could solve, and how it ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<BlockerView>,
    /// What agents asked, and what was answered or assumed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clarifications: Vec<QuestionView>,
    /// Everything about the items that are stories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stories: Vec<StoryDetail>,
    /// The quality gates, for a run with stories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<QualityGateView>,
    /// How far an unfinished run with items has come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ProgressView>,
    /// What a completed run with items came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_complete: Option<CompleteView>,
    /// How long checks would have taken that had passed on the same code.
    #[serde(rename = "saved_ms")]
    pub saved: Span,
    /// What failed before anyone did anything, or that nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The last proof: on a fresh clone, or left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cold: Option<ReportCold>,
    /// What was not checked because a platform has no command for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<String>,
    /// Steps that commands judge while nothing is protected that these follow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unprotected: Vec<String>,
    /// What of their commands could not be followed when it was looked what judges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfollowed: Vec<String>,
    pub decisions: Vec<ReportDecision>,
    pub proofs: Vec<ReportProof>,
    pub attempts: Vec<ReportAttempt>,
    pub changes: Option<Changes>,
    /// How the tests that the repository declares changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestsChanged>,
    /// What of the run is outside: its branch at the remote, and its pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publication: Option<Publication>,
    pub journal_head: String,
    pub audit: Option<ReportAudit>,
    pub version: String,
}

impl ReportView {
    /// Says which steps are judged by what their own agents could change; none where there is no such step.
    pub(super) fn unprotected_words(&self) -> Option<String> {
        const MOST: usize = 5;
        let named = &self.unprotected[..self.unprotected.len().min(MOST)];
        let more = match self.unprotected.len() - named.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let steps = named.join("`, `");
        (!steps.is_empty()).then(|| format!("nothing that judges `{steps}`{more} is protected"))
    }

    /// Says what could not be followed of the commands that judge; none where all could be.
    pub(super) fn unfollowed_words(&self) -> Option<String> {
        const MOST: usize = 5;
        let named = &self.unfollowed[..self.unfollowed.len().min(MOST)];
        let more = match self.unfollowed.len() - named.len() {
            0 => String::new(),
            count => format!("; and {count} more"),
        };
        (!named.is_empty()).then(|| format!("{}{more}", named.join("; ")))
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `report --json`")]
pub struct ReportStep {
    pub id: StepId,
    pub title: String,
    pub status: StepStatus,
    pub waived: bool,
    /// What became of its work where that is not part of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<String>,
    pub note: Option<String>,
    /// Why the workflow leaves it out of this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_part: Option<String>,
    pub agent: Option<String>,
    pub attempts: u32,
    /// How many of them something else than the agent ended.
    pub cut_off: usize,
    /// The strongest thing that its completion rests on.
    pub rests_on: Option<Strength>,
    #[serde(rename = "wall_ms")]
    pub wall: Span,
    /// What its attempts cost, as far as somebody said.
    pub cost_usd: Option<f64>,
    /// Attempts whose cost nobody said.
    pub unknown_cost: usize,
    /// Tokens, as far as somebody said.
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// The models that its attempts used, as far as somebody said.
    pub models: Vec<String>,
    /// What its judge found; what judges found in stories stands with those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    pub commit: Option<String>,
    pub changes: Option<Changes>,
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ReportDecision {
    pub time: String,
    pub who: String,
    pub what: String,
}

/// One check of one verification.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `report --json`")]
pub struct ReportProof {
    pub step: StepId,
    /// The attempt whose files were judged.
    pub attempt: Option<String>,
    pub time: String,
    pub summary: String,
    pub holds: Holds,
    pub strength: Strength,
    pub cached: bool,
    /// Whether the step's completion rests on it.
    pub decisive: bool,
    pub code: String,
    pub evidence: Option<Blob>,
    /// What the check printed, shortened.
    pub output: Option<String>,
    #[serde(rename = "took_ms")]
    pub took: Span,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `report --json`")]
pub struct ReportAttempt {
    pub id: String,
    pub step: StepId,
    pub started_at: String,
    #[serde(rename = "took_ms")]
    pub took: Option<Span>,
    /// How it ended, in words.
    pub ended: String,
    /// Why it did not lead to a proof.
    pub failure: Option<String>,
    /// What became of its files.
    pub fate: Option<Fate>,
    pub left_behind: u32,
    pub confinement: Option<String>,
    pub cost_usd: Option<f64>,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub turns: Option<u64>,
    pub model: Option<String>,
    /// What the agent printed, shortened.
    pub output: Option<String>,
}

/// Projects the report of a run.
pub fn report_view(state: &RunState, history: &History, facts: &ReportFacts) -> ReportView {
    let status = status_view(state);
    let run = status.run;
    let stories: Vec<StoryDetail> = state
        .items
        .iter()
        .filter(|item| item.item.story.is_some())
        .map(|item| story_detail(state, item, history))
        .collect();
    let (steps, proofs) = (steps(state, history, facts), proofs(state, history, facts));
    ReportView {
        counts: ReportCounts::of(state, &steps, &proofs, &stories),
        run: run.id,
        workflow: run.workflow,
        goal: run.goal,
        status: run.status,
        reason: run.reason,
        detail: run.detail,
        issue: state.plan.issue.clone(),
        branch: run.branch,
        head: run.head,
        base: state.facts.base.as_str().to_owned(),
        started_at: run.started_at,
        ended_at: history.ended_at.map(|at| at.to_string()),
        took: history.ended_at.map(|at| at.since(state.started_at)),
        budget: status.budget,
        steps,
        items: status.items,
        blockers: blocker_views(state),
        clarifications: question_views(state),
        gates: if stories.is_empty() { Vec::new() } else { gate_views(state, history) },
        stories,
        progress: progress_view(state).filter(|_| !state.is_ended()),
        workflow_complete: complete_view(state),
        saved: saved(history),
        before: state.facts.base_record.as_ref().and_then(BaseRecord::for_report),
        cold: report_cold(state, history),
        unchecked: state.plan.unchecked.clone(),
        unprotected: state.plan.unprotected(),
        unfollowed: state.plan.unfollowed.clone(),
        decisions: decisions(history),
        proofs,
        attempts: attempts(state, history, facts),
        changes: facts.changes.clone(),
        tests: facts.tests.clone(),
        publication: run.publication,
        journal_head: facts.head.clone(),
        audit: facts.audit.clone(),
        version: facts.version.clone(),
    }
}

/// What earlier passes on the same code saved.
fn saved(history: &History) -> Span {
    let proofs = history.steps.values().flat_map(|step| &step.proofs);
    let cached = proofs.filter(|entry| entry.proof.cached).map(|entry| entry.proof.took.0);
    Span(cached.fold(0, u64::saturating_add))
}

fn steps(state: &RunState, history: &History, facts: &ReportFacts) -> Vec<ReportStep> {
    let step = |index| {
        let (plan, step) = (state.plan.step(index), state.step(index));
        let history = history.steps.get(&plan.id);
        let used = Used::by(history.map(|history| history.attempts.as_slice()).unwrap_or_default());
        ReportStep {
            id: plan.id.clone(),
            title: plan.title.clone(),
            status: state.step_status(index),
            waived: step.waived,
            set_aside: set_aside(plan, step),
            note: step.note.clone(),
            not_part: not_part(step),
            agent: match &plan.kind {
                StepKind::Agent { agent, .. } => Some(agent.clone()),
                StepKind::Group | StepKind::Foreach(_) | StepKind::PullRequest(_) => None,
            },
            attempts: step.attempts,
            cut_off: used.cut_off,
            rests_on: history.and_then(crate::view::StepHistory::strength),
            wall: step.wall,
            cost_usd: used.priced.then_some(step.cost_usd),
            unknown_cost: used.unknown_cost,
            input_tokens: used.input_tokens,
            output_tokens: used.output_tokens,
            models: used.models,
            remarks: match state.item_of(index) {
                Some(_) => Vec::new(),
                None => history.map(|history| history.remarks.clone()).unwrap_or_default(),
            },
            commit: history.and_then(|history| history.commit.as_ref()).map(ToString::to_string),
            changes: facts.step_changes.get(&plan.id).cloned(),
        }
    };
    state.plan.in_reading_order().into_iter().map(step).collect()
}

/// How many files are named.
const NAMED: usize = 5;

/// Unproven work that is not part of the result: how much it is, and how to see it.
fn set_aside(plan: &PlanStep, step: &StepState) -> Option<String> {
    if !step.set_aside && !step.kept_unproven {
        return None;
    }
    let is_it = if step.kept_unproven { "stays, UNPROVEN" } else { "is not part of the result" };
    let see = format!("`windlass diff {}#{}`", plan.id, step.attempts);
    let Some(looked) = step.looked.as_ref().filter(|looked| looked.changed_count > 0) else {
        return Some(format!("its work {is_it}: {see}"));
    };
    let named: Vec<&str> = looked.changed.iter().take(NAMED).map(String::as_str).collect();
    let more = looked.changed_count.saturating_sub(named.len() as u64);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let named = named.join(", ");
    Some(format!("its work {is_it} ({named}{more}): {see}"))
}

/// What the attempts of a step used, in all.
#[derive(Default)]
struct Used {
    cut_off: usize,
    priced: bool,
    unknown_cost: usize,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    models: Vec<String>,
}

impl Used {
    /// Attempts that go on, and those that were never started, say nothing.
    fn by(attempts: &[AttemptEntry]) -> Self {
        let mut used = Self::default();
        let started = |entry: &&AttemptEntry| {
            entry.took.is_some() && !matches!(entry.outcome, Some(Outcome::Held { .. }))
        };
        for AttemptEntry { usage, outcome, .. } in attempts.iter().filter(started) {
            // One without an outcome was lost with its driver.
            let by_itself = outcome.as_ref().is_some_and(|outcome| !outcome.was_cut_off());
            used.cut_off += usize::from(!by_itself);
            used.priced |= usage.cost_usd.is_some();
            used.unknown_cost += usize::from(usage.cost_usd.is_none());
            add(&mut used.input_tokens, usage.input_tokens);
            add(&mut used.output_tokens, usage.output_tokens);
            if let Some(model) = &usage.model
                && !used.models.contains(model)
            {
                used.models.push(model.clone());
            }
        }
        used
    }
}

fn add(sum: &mut Option<u64>, known: Option<u64>) {
    if let Some(known) = known {
        *sum = Some(sum.unwrap_or(0).saturating_add(known));
    }
}

fn decisions(history: &History) -> Vec<ReportDecision> {
    let decision = |entry: &crate::view::DecisionEntry| ReportDecision {
        time: entry.at.to_string(),
        who: entry.who.clone(),
        what: entry.what.clone(),
    };
    history.decisions.iter().map(decision).collect()
}

fn proofs(state: &RunState, history: &History, facts: &ReportFacts) -> Vec<ReportProof> {
    let mut rows = Vec::new();
    for plan in state.plan.in_reading_order().into_iter().map(|index| state.plan.step(index)) {
        let Some(history) = history.steps.get(&plan.id) else { continue };
        for entry in &history.proofs {
            let proof = &entry.proof;
            let kept = proof.evidence.as_ref().and_then(|blob| facts.outputs.get(&blob.hash));
            rows.push(ReportProof {
                step: plan.id.clone(),
                attempt: judged(&history.attempts, entry).map(|attempt| attempt.id.to_string()),
                time: entry.at.to_string(),
                summary: proof.summary.clone(),
                holds: proof.holds,
                strength: proof.strength,
                cached: proof.cached,
                decisive: entry.decisive,
                code: entry.snapshot.code.as_str().to_owned(),
                evidence: proof.evidence.clone(),
                output: kept.or(proof.excerpt.as_ref()).cloned(),
                took: proof.took,
            });
        }
    }
    rows
}

/// The attempt whose files a proof is about: the newest one with these files before it.
fn judged<'a>(attempts: &'a [AttemptEntry], entry: &ProofEntry) -> Option<&'a AttemptEntry> {
    let fits = |attempt: &&AttemptEntry| {
        attempt.snapshot.as_ref() == Some(&entry.snapshot) && attempt.started_at <= entry.at
    };
    attempts.iter().rev().find(fits)
}

fn attempts(state: &RunState, history: &History, facts: &ReportFacts) -> Vec<ReportAttempt> {
    let mut all: Vec<(Timestamp, ReportAttempt)> = Vec::new();
    for plan in state.plan.in_reading_order().into_iter().map(|index| state.plan.step(index)) {
        let Some(history) = history.steps.get(&plan.id) else { continue };
        for attempt in &history.attempts {
            let output = attempt.output.as_ref().and_then(|blob| facts.outputs.get(&blob.hash));
            let row = ReportAttempt {
                id: attempt.id.to_string(),
                step: plan.id.clone(),
                started_at: attempt.started_at.to_string(),
                took: attempt.took,
                ended: attempt.ended.clone(),
                failure: attempt.failure.clone(),
                fate: facts.fates.get(&attempt.id.to_string()).copied(),
                left_behind: attempt.left_behind,
                confinement: attempt.confinement.clone(),
                cost_usd: attempt.usage.cost_usd,
                input_tokens: attempt.usage.input_tokens,
                output_tokens: attempt.usage.output_tokens,
                turns: attempt.usage.turns,
                model: attempt.usage.model.clone(),
                output: output.cloned(),
            };
            all.push((attempt.started_at, row));
        }
    }
    // In the order of the run; a stable sort keeps the plan's order where the clock cannot tell.
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, row)| row).collect()
}
