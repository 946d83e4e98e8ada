//! How much of a run is proven, counted once for all who say so.

use serde::Serialize;

use super::projection::{ReportProof, ReportStep};
use crate::id::StepId;
use crate::plan::{Holds, StepKind};
use crate::run::{Phase, RunState, StepState, StepStatus, is_no_part};
use crate::view::stories::StoryStatus;
use crate::view::story_detail::StoryDetail;

/// The figures of a run. The step that publishes is not among them: the text of a pull request is
/// written before that step is done, and has to say the same as the report afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `report --json`")]
pub struct ReportCounts {
    /// Steps that an agent worked on and that are done and proven.
    pub steps_proven: usize,
    /// Steps of agents that are part of this run.
    pub steps: usize,
    /// Checks that the proven steps rest on.
    pub checks: usize,
    /// Stories that are completed.
    pub stories_completed: usize,
    pub stories: usize,
}

impl ReportCounts {
    /// Counts what a report shows.
    pub(super) fn of(
        state: &RunState,
        steps: &[ReportStep],
        proofs: &[ReportProof],
        stories: &[StoryDetail],
    ) -> Self {
        let worked = |step: &&ReportStep| step.agent.is_some() && step.not_part.is_none();
        let proven = |step: &&ReportStep| step.status == StepStatus::Done && !step.waived;
        let publishes = |id: &StepId| {
            let plan = state.plan.find(id).map(|index| state.plan.step(index));
            plan.is_some_and(|plan| matches!(plan.kind, StepKind::PullRequest(_)))
        };
        let rests = |id: &StepId| {
            let step = steps.iter().find(|step| step.id == *id);
            step.is_some_and(|step| proven(&step)) && !publishes(id)
        };
        let holds = |proof: &&ReportProof| {
            proof.decisive && proof.holds == Holds::Yes && rests(&proof.step)
        };
        let completed = |detail: &&StoryDetail| detail.story.status == StoryStatus::Completed;
        Self {
            steps_proven: steps.iter().filter(worked).filter(proven).count(),
            steps: steps.iter().filter(worked).count(),
            checks: proofs.iter().filter(holds).count(),
            stories_completed: stories.iter().filter(completed).count(),
            stories: stories.len(),
        }
    }

    /// Returns the figures in words: `4 of 4 steps proven, by 7 checks; 2 of 3 stories completed`.
    pub fn words(&self) -> String {
        let Self { steps_proven, steps, checks, stories_completed, stories } = self;
        let plural = |count: &usize| if *count == 1 { "" } else { "s" };
        let mut words = format!(
            "{steps_proven} of {steps} step{} proven, by {checks} check{}",
            plural(steps),
            plural(checks)
        );
        match stories {
            0 => {}
            1 if *stories_completed == 1 => words.push_str("; the story is completed"),
            _ => words.push_str(&format!("; {stories_completed} of {stories} stories completed")),
        }
        words
    }
}

/// Why a step is not part of a run: its condition is not true, or there is nothing for it to do. A person
/// who leaves a step out does something else: then something is missing.
pub(super) fn not_part(step: &StepState) -> Option<String> {
    let note = step.note.as_ref().filter(|note| is_no_part(note))?;
    (step.phase == Phase::Skipped && !step.waived).then(|| note.clone())
}
