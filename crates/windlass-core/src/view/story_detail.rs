//! Everything about one story: its criteria with what stands behind each, its steps, what was found.

use serde::Serialize;

use super::history::{History, ProofEntry, StepHistory};
use super::items::note;
use super::stories::{Proves, StoryView, proves, story_view};
use crate::id::{StepId, StepIndex};
use crate::judgement::{CriterionVerdict, Level, Remark, ReportKind};
use crate::plan::{CheckKind, Holds};
use crate::run::{Blocker, ItemState, RunState, StepStatus};

/// Everything about one story.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `story show --json`")]
pub struct StoryDetail {
    #[serde(flatten)]
    pub story: StoryView,
    pub body: String,
    pub security: bool,
    pub files: Vec<String>,
    pub design: Option<String>,
    /// Who asked for it.
    pub source: String,
    /// Why it is skipped or blocked.
    pub note: Option<String>,
    pub criteria: Vec<CriterionTrace>,
    pub steps: Vec<StoryStep>,
    pub blockers: Vec<StoryBlocker>,
    pub remarks: Vec<StoryRemark>,
}

/// One acceptance criterion, and what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `story show --json`")]
pub struct CriterionTrace {
    pub id: String,
    pub text: String,
    /// What the tester says of it; none before somebody did.
    pub verdict: Option<CriterionVerdict>,
    /// The tests that the tester names.
    pub tests: Vec<String>,
    /// What windlass saw: the tester's report was taken, the tests passed.
    pub proofs: Vec<TraceProof>,
    /// The last commit of the story.
    pub commit: Option<String>,
}

/// One proof behind a criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `story show --json`")]
pub struct TraceProof {
    pub step: StepId,
    pub verification: u32,
    pub summary: String,
    /// The hash of the whole evidence.
    pub evidence: Option<String>,
}

/// One step of a story.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `story show --json`")]
pub struct StoryStep {
    pub id: StepId,
    pub status: StepStatus,
    pub waived: bool,
    pub attempts: u32,
    /// How often a verdict led back from it.
    pub sent_back: u32,
    /// The judge's last verdict.
    pub verdict: Option<String>,
    pub note: Option<String>,
    pub commit: Option<String>,
    pub proofs: Vec<TraceProof>,
}

/// Something that kept, or keeps, a story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `story show --json`")]
pub struct StoryBlocker {
    pub id: u32,
    pub message: String,
    pub resolved: bool,
    /// What was done about it.
    pub notes: Option<String>,
}

/// Something that a judge of a story found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `story show --json`")]
pub struct StoryRemark {
    pub step: StepId,
    #[serde(flatten)]
    pub remark: Remark,
}

/// Projects everything about one story.
pub fn story_detail(state: &RunState, item: &ItemState, history: &History) -> StoryDetail {
    let facts = item.item.story.as_ref();
    let steps = item.steps(&state.plan);
    StoryDetail {
        story: story_view(state, item),
        body: item.item.body.clone(),
        security: facts.is_some_and(|story| story.security),
        files: facts.map(|story| story.files.clone()).unwrap_or_default(),
        design: facts.and_then(|story| story.design.clone()),
        source: item.item.source.words(),
        note: note(state, item),
        criteria: criteria(state, item, history),
        steps: steps.iter().map(|index| step(state, *index, history)).collect(),
        blockers: blockers(state, &steps),
        remarks: remarks(state, &steps, history),
    }
}

fn step(state: &RunState, index: StepIndex, history: &History) -> StoryStep {
    let (plan, step) = (state.plan.step(index), state.step(index));
    let known = history.steps.get(&plan.id);
    StoryStep {
        id: plan.id.clone(),
        status: state.step_status(index),
        waived: step.waived,
        attempts: step.attempts,
        sent_back: known.map_or(0, |known| known.sent_back),
        verdict: known.and_then(|known| known.verdict.clone()),
        note: step.note.clone(),
        commit: known.and_then(|known| known.commit.as_ref()).map(ToString::to_string),
        proofs: decisive(known).map(|entry| TraceProof::of(&plan.id, entry)).collect(),
    }
}

fn decisive(known: Option<&StepHistory>) -> impl Iterator<Item = &ProofEntry> {
    let proofs = known.map(|known| known.proofs.as_slice()).unwrap_or_default();
    proofs.iter().filter(|entry| entry.decisive && entry.proof.holds == Holds::Yes)
}

impl TraceProof {
    pub(super) fn of(step: &StepId, entry: &ProofEntry) -> Self {
        Self {
            step: step.clone(),
            verification: entry.verification.0,
            summary: entry.proof.summary.clone(),
            evidence: entry.proof.evidence.as_ref().map(|blob| blob.hash.as_str().to_owned()),
        }
    }
}

fn criteria(state: &RunState, item: &ItemState, history: &History) -> Vec<CriterionTrace> {
    let Some(story) = &item.item.story else { return Vec::new() };
    let steps = item.steps(&state.plan);
    let known = |index: &StepIndex| history.steps.get(&state.plan.step(*index).id);
    let said: Vec<_> = steps.iter().filter_map(known).flat_map(|known| &known.criteria).collect();
    let commit = steps.iter().rev().find_map(|index| known(index)?.commit.as_ref());
    let proofs: Vec<TraceProof> =
        steps.iter().flat_map(|index| of_tests(state, *index, history)).collect();
    let criterion = |criterion: &crate::story::AcceptanceCriterion| {
        let result = said.iter().rev().find(|said| said.id == criterion.id);
        CriterionTrace {
            id: criterion.id.clone(),
            text: criterion.text.clone(),
            verdict: result.map(|result| result.verdict),
            tests: result.map(|result| result.tests.clone()).unwrap_or_default(),
            // A criterion that nobody judged rests on nothing, whatever else was proven.
            proofs: result.map(|_| proofs.clone()).unwrap_or_default(),
            commit: commit.filter(|_| result.is_some()).map(ToString::to_string),
        }
    };
    story.criteria.iter().map(criterion).collect()
}

/// The proofs of a step that say something about tests: the tester's report, and runs of them.
fn of_tests(state: &RunState, index: StepIndex, history: &History) -> Vec<TraceProof> {
    let plan = state.plan.step(index);
    let Some(criterion) = &plan.done else { return Vec::new() };
    let checks = criterion.checks();
    let tells_tests =
        |kind: &CheckKind| matches!(kind, CheckKind::Junit { .. } | CheckKind::Green(_));
    // Beside a check that is about tests, a mere command builds.
    let any = checks.iter().any(|check| tells_tests(&check.kind));
    let about_tests = |entry: &&ProofEntry| {
        checks.iter().any(|check| {
            let report = matches!(check.kind, CheckKind::VerdictIn { kind: ReportKind::Tests, .. });
            let tests = if any {
                tells_tests(&check.kind)
            } else {
                proves(plan, check) == Some(Proves::Tests)
            };
            check.id == entry.proof.check && (report || tests)
        })
    };
    let proofs = decisive(history.steps.get(&plan.id)).filter(about_tests);
    proofs.map(|entry| TraceProof::of(&plan.id, entry)).collect()
}

fn blockers(state: &RunState, steps: &[StepIndex]) -> Vec<StoryBlocker> {
    let about = |blocker: &Blocker| {
        let step = blocker.step.as_ref().and_then(|step| state.plan.find(step));
        step.is_some_and(|index| steps.contains(&index))
    };
    let told = |blocker: &Blocker| StoryBlocker {
        id: blocker.id,
        message: blocker.message.clone(),
        resolved: blocker.resolved.is_some(),
        notes: blocker.resolved.as_ref().and_then(|resolution| resolution.notes.clone()),
    };
    state.blockers.iter().filter(|blocker| about(blocker)).map(|blocker| told(blocker)).collect()
}

fn remarks(state: &RunState, steps: &[StepIndex], history: &History) -> Vec<StoryRemark> {
    let mut all: Vec<StoryRemark> = Vec::new();
    for index in steps {
        let step = &state.plan.step(*index).id;
        let known = history.steps.get(step).into_iter().flat_map(|known| &known.remarks);
        all.extend(known.map(|remark| StoryRemark { step: step.clone(), remark: remark.clone() }));
    }
    let weight = |remark: &StoryRemark| Level::ALL.iter().position(|l| *l == remark.remark.level);
    all.sort_by_key(weight);
    all
}
