//! The block that ends a completed run with stories.

use serde::Serialize;

use super::quiet::one_line;
use super::stories::{StoryStatus, story_views};
use crate::run::{RunState, RunStatus};
use crate::time::Span;

/// What a completed run came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `report --json`")]
pub struct CompleteView {
    pub goal: String,
    pub status: RunStatus,
    /// Where the pull request is, if there is one.
    pub pull_request: Option<String>,
    pub id: String,
    #[serde(rename = "runtime_ms")]
    pub runtime: Span,
    pub stories_completed: usize,
    pub stories: usize,
}

/// Projects what a completed run came to; none for one that is not, and for one without items.
pub fn complete_view(state: &RunState) -> Option<CompleteView> {
    let stories = story_views(state);
    if stories.is_empty() || state.status() != RunStatus::Completed {
        return None;
    }
    let done = stories.iter().filter(|story| story.status == StoryStatus::Completed);
    let publication = state.publication.as_ref();
    let address = publication.and_then(|it| it.url.clone().or_else(|| it.compare_url.clone()));
    Some(CompleteView {
        goal: state.plan.goal.clone(),
        status: state.status(),
        pull_request: address,
        id: state.facts.run.to_string(),
        runtime: state.now.since(state.started_at),
        stories_completed: done.count(),
        stories: stories.len(),
    })
}

impl CompleteView {
    /// Returns the block as it is printed.
    pub fn block(&self) -> String {
        let address = self.pull_request.as_deref().unwrap_or("none");
        [
            "WORKFLOW_COMPLETE".to_owned(),
            format!("goal: {}", one_line(&self.goal)),
            format!("status: {}", self.status.as_str()),
            format!("pull request: {}", one_line(address)),
            format!("id: {}", self.id),
            format!("runtime: {}", self.runtime),
            format!("stories: {}/{}", self.stories_completed, self.stories),
        ]
        .join("\n")
    }
}
