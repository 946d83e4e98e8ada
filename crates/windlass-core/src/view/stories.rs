//! How far stories have come: status, the four checks, and the phase of test-first work.
//!
//! All of it follows from the fold: nobody sets a status or a check. A check is true when every step
//! of the story that could prove it and has begun *is* proven, and at least one is; so it is false
//! before, false again when such a step is opened again, and false when one was waived.

use serde::Serialize;

use crate::id::{ItemId, StepId, StepIndex};
use crate::judgement::ReportKind;
use crate::plan::{Check, CheckKind, Criterion, PlanStep};
use crate::run::{ItemState, ItemStatus, Phase, RunState};
use crate::story::Size;

/// Where a story stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are the documented list")]
pub enum StoryStatus {
    Pending,
    InProgress,
    Testing,
    Review,
    Completed,
    Blocked,
    /// A person does without it.
    Skipped,
}

impl StoryStatus {
    /// Returns the status as it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Testing => "testing",
            Self::Review => "review",
            Self::Completed => "completed",
            Self::Blocked => "blocked",
            Self::Skipped => "skipped",
        }
    }
}

/// What the engine has seen of a story.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are the documented list")]
pub struct StoryChecks {
    pub tests_pass: bool,
    pub coverage_met: bool,
    pub review_approved: bool,
    pub security_cleared: bool,
}

impl StoryChecks {
    /// Returns what is proven, for people to read.
    pub fn words(self) -> Vec<&'static str> {
        [
            (self.tests_pass, "tests pass"),
            (self.coverage_met, "coverage met"),
            (self.review_approved, "review approved"),
            (self.security_cleared, "security cleared"),
        ]
        .into_iter()
        .filter_map(|(holds, words)| holds.then_some(words))
        .collect()
    }
}

/// A phase of test-first work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "the names are the documented list")]
pub enum TddPhase {
    Red,
    Green,
    Refactor,
    Verify,
}

impl TddPhase {
    /// Every phase, in order.
    pub const ALL: [Self; 4] = [Self::Red, Self::Green, Self::Refactor, Self::Verify];

    /// Returns the phase as people write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Red => "RED",
            Self::Green => "GREEN",
            Self::Refactor => "REFACTOR",
            Self::Verify => "VERIFY",
        }
    }

    fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str().eq_ignore_ascii_case(name))
    }
}

/// How far one story has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `tdd status --json`")]
pub struct StoryView {
    pub id: ItemId,
    pub title: String,
    pub size: Option<Size>,
    pub status: StoryStatus,
    pub tdd_phase: Option<TddPhase>,
    /// The step that is in hand or comes next.
    pub step: Option<StepId>,
    /// Attempts at all of its steps.
    pub attempts: u32,
    /// The most attempts at one of its steps: how often the work went round.
    pub iterations: u32,
    pub checks: StoryChecks,
    pub depends_on: Vec<ItemId>,
}

/// Projects the stories of a run, in the order in which they come up.
pub fn story_views(state: &RunState) -> Vec<StoryView> {
    state.items.iter().map(|item| story_view(state, item)).collect()
}

/// Projects one story.
pub fn story_view(state: &RunState, item: &ItemState) -> StoryView {
    let current = current(state, item);
    let steps = item.steps(&state.plan);
    let attempts = steps.iter().map(|index| state.step(*index).attempts);
    StoryView {
        id: item.item.id.clone(),
        title: item.item.title.clone(),
        size: item.item.story.as_ref().map(|story| story.size),
        status: story_status(state, item),
        tdd_phase: tdd_phase(state, item),
        step: current.map(|index| state.plan.step(index).id.clone()),
        attempts: attempts.clone().fold(0, u32::saturating_add),
        iterations: attempts.max().unwrap_or(0),
        checks: story_checks(state, item),
        depends_on: item.item.story.as_ref().map(|s| s.depends_on.clone()).unwrap_or_default(),
    }
}

/// Returns where a story stands.
pub fn story_status(state: &RunState, item: &ItemState) -> StoryStatus {
    match state.item_status(item) {
        ItemStatus::Pending => StoryStatus::Pending,
        ItemStatus::Blocked => StoryStatus::Blocked,
        ItemStatus::Done => StoryStatus::Completed,
        ItemStatus::Skipped => StoryStatus::Skipped,
        ItemStatus::Active => match current(state, item).map(|index| state.plan.step(index)) {
            Some(step) => match stage_of(step) {
                Stage::Work => StoryStatus::InProgress,
                Stage::Testing => StoryStatus::Testing,
                Stage::Review => StoryStatus::Review,
            },
            None => StoryStatus::InProgress,
        },
    }
}

/// What a step of a story is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Work,
    Testing,
    Review,
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other checks are no reports")]
/// Says what a step is for, by what proves it. The one place for checks that are verdicts.
fn stage_of(step: &PlanStep) -> Stage {
    let checks = required(step);
    let report = checks.iter().find_map(|check| match &check.kind {
        CheckKind::VerdictIn { kind, .. } => Some(*kind),
        _ => None,
    });
    match report {
        Some(ReportKind::Tests) => return Stage::Testing,
        Some(ReportKind::Review | ReportKind::Security) => return Stage::Review,
        None => {}
    }
    let judged = checks.iter().any(|check| matches!(check.kind, CheckKind::Verdict { .. }));
    match (judged, last_name(step)) {
        (true, "verify" | "test" | "tests") => Stage::Testing,
        (true, _) => Stage::Review,
        (false, _) => Stage::Work,
    }
}

/// What a check of a step proves about a story. The one place for new kinds of checks.
pub(super) fn proves(step: &PlanStep, check: &Check) -> Option<Proves> {
    match &check.kind {
        CheckKind::Junit { .. } | CheckKind::Green(_) => Some(Proves::Tests),
        CheckKind::Coverage { .. } => Some(Proves::Coverage),
        // A command is one of tests where the step says so.
        CheckKind::Run { .. } => matches!(last_name(step), "green" | "verify" | "test" | "tests")
            .then_some(Proves::Tests),
        CheckKind::Verdict { .. } if last_name(step) == "security" => Some(Proves::Security),
        CheckKind::Verdict { .. } => (stage_of(step) == Stage::Review).then_some(Proves::Review),
        CheckKind::VerdictIn { kind: ReportKind::Review, .. } => Some(Proves::Review),
        CheckKind::VerdictIn { kind: ReportKind::Security, .. } => Some(Proves::Security),
        CheckKind::VerdictIn { kind: ReportKind::Tests, .. }
        | CheckKind::Red(_)
        | CheckKind::Stories { .. }
        | CheckKind::Questions { .. }
        | CheckKind::File { .. }
        | CheckKind::Diff { .. }
        | CheckKind::Checklist { .. }
        | CheckKind::State { .. } => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proves {
    Tests,
    Coverage,
    Review,
    Security,
}

/// Returns what the engine has seen of a story.
pub fn story_checks(state: &RunState, item: &ItemState) -> StoryChecks {
    let steps = if item.open { item.steps(&state.plan) } else { Vec::new() };
    let is_proven = |what: Proves| {
        let could = steps.iter().copied().filter(|index| {
            let step = state.plan.step(*index);
            required(step).into_iter().any(|check| proves(step, check) == Some(what))
        });
        let mut begun = could
            .filter(|index| state.step(*index).started_at.is_some())
            .filter(|index| state.step(*index).phase != Phase::Skipped)
            .peekable();
        begun.peek().is_some()
            && begun.all(|index| {
                let step = state.step(index);
                step.phase == Phase::Done && !step.waived
            })
    };
    StoryChecks {
        tests_pass: is_proven(Proves::Tests),
        coverage_met: is_proven(Proves::Coverage),
        review_approved: is_proven(Proves::Review),
        security_cleared: is_proven(Proves::Security),
    }
}

/// The checks without which a step is never proven: those below `any` and `not` are none.
fn required(step: &PlanStep) -> Vec<&Check> {
    fn collect<'c>(criterion: &'c Criterion, into: &mut Vec<&'c Check>) {
        match criterion {
            Criterion::All(parts) => parts.iter().for_each(|part| collect(part, into)),
            Criterion::Check(check) => into.push(check),
            Criterion::Any(_) | Criterion::Not(_) => {}
        }
    }
    let mut checks = Vec::new();
    if let Some(criterion) = &step.done {
        collect(criterion, &mut checks);
    }
    checks
}

/// Returns the phase that a story is in, or comes to next; none for a finished one, and for one
/// whose steps have no such names.
pub fn tdd_phase(state: &RunState, item: &ItemState) -> Option<TddPhase> {
    if state.is_item_finished(item) {
        return None;
    }
    let named: Vec<(StepIndex, Option<TddPhase>)> = item
        .steps(&state.plan)
        .into_iter()
        .map(|index| (index, TddPhase::of(last_name(state.plan.step(index)))))
        .collect();
    if named.is_empty() {
        let foreach = state.plan.find(&item.item.step)?;
        let repeated = &state.plan.foreach(foreach)?.steps;
        return repeated.iter().find_map(|step| TddPhase::of(last_name(step)));
    }
    let first = named.iter().find_map(|(_, phase)| *phase)?;
    let Some(current) = current(state, item) else { return Some(TddPhase::Verify) };
    let after_all = named.iter().rev().find(|(_, phase)| phase.is_some());
    if after_all.is_some_and(|(last, _)| current > *last) {
        return Some(TddPhase::Verify);
    }
    let so_far = named.iter().filter(|(index, _)| *index <= current);
    Some(so_far.filter_map(|(_, phase)| *phase).next_back().unwrap_or(first))
}

/// Returns the step of a story that is in hand, stuck, or comes next.
fn current(state: &RunState, item: &ItemState) -> Option<StepIndex> {
    let steps = item.steps(&state.plan);
    let in_hand = steps.iter().copied().find(|index| state.is_in_hand(*index));
    in_hand.or_else(|| steps.iter().copied().find(|index| !state.step(*index).is_finished()))
}

/// The last part of a step's id.
fn last_name(step: &PlanStep) -> &str {
    step.id.as_str().rsplit('/').next().unwrap_or_default()
}
