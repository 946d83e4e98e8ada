//! How far the stories of a run have come, told on the way.

use std::fmt::Write as _;

use serde::Serialize;

use super::literal::brief;
use super::report::cost;
use super::status::{BudgetView, status_view};
use super::stories::{StoryStatus, StoryView, story_views};
use crate::id::ItemId;
use crate::run::RunState;
use crate::time::{Span, Timestamp};

/// How many stories are told of those that were finished last.
const RECENT: usize = 5;

/// How many stories are told of those that come up next.
const NEXT: usize = 3;

/// How many blockers are told.
const BLOCKERS: usize = 10;

/// The longest text of others in a line.
const MAX_TEXT: usize = 300;

/// How far the stories of a run have come.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `report --json`")]
pub struct ProgressView {
    pub counts: ProgressCounts,
    /// Stories that were finished last, the newest first.
    pub recent: Vec<StoryView>,
    /// The story in hand.
    pub current: Option<StoryView>,
    pub blockers: Vec<String>,
    pub next_steps: Vec<String>,
    /// Since the run began, waiting included.
    #[serde(rename = "runtime_ms")]
    pub runtime: Span,
    pub budget: BudgetView,
}

/// How many stories stand where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ProgressCounts {
    pub total: usize,
    pub completed: usize,
    pub in_progress: usize,
    pub pending: usize,
    pub blocked: usize,
    pub skipped: usize,
}

impl ProgressCounts {
    fn of(stories: &[StoryView]) -> Self {
        let mut counts = Self { total: stories.len(), ..Self::default() };
        for story in stories {
            match story.status {
                StoryStatus::Completed => counts.completed += 1,
                StoryStatus::Pending => counts.pending += 1,
                StoryStatus::Blocked => counts.blocked += 1,
                StoryStatus::Skipped => counts.skipped += 1,
                StoryStatus::InProgress | StoryStatus::Testing | StoryStatus::Review => {
                    counts.in_progress += 1;
                }
            }
        }
        counts
    }

    /// Returns the counts in one line.
    pub fn words(self) -> String {
        let mut words = format!("{} of {} stories completed", self.completed, self.total);
        for (count, what) in [
            (self.in_progress, "in progress"),
            (self.pending, "pending"),
            (self.blocked, "blocked"),
            (self.skipped, "skipped"),
        ] {
            if count > 0 {
                let _ = write!(words, ", {count} {what}");
            }
        }
        words
    }
}

/// Projects how far the stories have come; none for a run without any.
pub fn progress_view(state: &RunState) -> Option<ProgressView> {
    let stories = story_views(state);
    if stories.is_empty() {
        return None;
    }
    let status = status_view(state);
    let current = stories.iter().find(|story| {
        matches!(story.status, StoryStatus::InProgress | StoryStatus::Testing | StoryStatus::Review)
    });
    let pending = stories.iter().filter(|story| story.status == StoryStatus::Pending);
    let mut next_steps: Vec<String> =
        pending.take(NEXT).map(|story| format!("{}: {}", story.id, story.title)).collect();
    next_steps.extend(
        status.next.iter().take(2).map(|next| format!("`{}`: {}", next.command, next.does)),
    );
    Some(ProgressView {
        counts: ProgressCounts::of(&stories),
        recent: recent(state, &stories),
        current: current.cloned(),
        blockers: blockers(state, &status.items),
        next_steps,
        runtime: state.now.since(state.started_at),
        budget: status.budget,
    })
}

fn recent(state: &RunState, stories: &[StoryView]) -> Vec<StoryView> {
    let finished_at = |id: &ItemId| -> Option<Timestamp> {
        let item = state.item(id)?;
        state.step(state.group_of(item)?).completed_at
    };
    let mut done: Vec<(Option<Timestamp>, &StoryView)> = stories
        .iter()
        .filter(|story| story.status == StoryStatus::Completed)
        .map(|story| (finished_at(&story.id), story))
        .collect();
    done.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    done.into_iter().take(RECENT).map(|(_, story)| story.clone()).collect()
}

fn blockers(state: &RunState, items: &[super::ItemView]) -> Vec<String> {
    let open = state.blockers.iter().filter(|blocker| blocker.resolved.is_none());
    let open = open.map(|blocker| format!("{} ({})", blocker.message, blocker.severity.as_str()));
    let blocked = items.iter().filter(|item| item.status == crate::run::ItemStatus::Blocked);
    let blocked = blocked.map(|item| {
        format!("{}: {}", item.id, item.note.as_deref().unwrap_or("no reason was given"))
    });
    open.chain(blocked).take(BLOCKERS).collect()
}

/// Writes it as Markdown, below a heading of its own.
pub fn progress_markdown(view: &ProgressView) -> String {
    let mut text = format!("## Progress\n\n{}\n", view.counts.words());
    let mut list = |heading: &str, rows: Vec<String>| {
        if !rows.is_empty() {
            let _ = writeln!(text, "\n**{heading}**\n");
        }
        for row in rows {
            let _ = writeln!(text, "- {}", brief(&row, MAX_TEXT));
        }
    };
    let told = |story: &StoryView| {
        let s = if story.iterations == 1 { "" } else { "s" };
        format!("{} ({} iteration{s}): {}", story.id, story.iterations, story.title)
    };
    list("Finished last", view.recent.iter().map(told).collect());
    let current = view.current.iter().map(|story| {
        let phase = story.tdd_phase.map(|phase| format!(", {}", phase.as_str()));
        let proven = match story.checks.words() {
            words if words.is_empty() => "nothing is proven yet".to_owned(),
            words => words.join(", "),
        };
        let (status, phase) = (story.status.as_str(), phase.unwrap_or_default());
        format!("{} ({status}{phase}; {proven}): {}", story.id, story.title)
    });
    list("In hand", current.collect());
    list("Blockers", view.blockers.clone());
    list("Next", view.next_steps.clone());
    let budget = &view.budget;
    let cost = cost(budget);
    let _ = writeln!(
        text,
        "\nTime: {} since the start, {} of work in {}. Cost: {cost}.",
        view.runtime,
        budget.wall_ms,
        crate::view::count(budget.attempts as usize, "attempt")
    );
    text
}
