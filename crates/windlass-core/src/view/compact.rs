//! What an agent needs that goes on with a run after its own memory is gone.
//!
//! At most [`MAX_COMPACT_BYTES`] as JSON, whatever the lengths of goals, titles and failures: every
//! text has a bound that counts what it takes in JSON, where a sign can take six bytes.

use serde::Serialize;

use super::status::status_view;
use super::stories::{StoryStatus, TddPhase, story_view};
use crate::run::{About, ItemState, ItemStatus, RunState, advice};

/// No compact account is longer, as JSON.
pub const MAX_COMPACT_BYTES: usize = 4096;

const MAX_GOAL: usize = 900;
const MAX_PHASE: usize = 240;
const MAX_ID: usize = 80;
const MAX_TITLE: usize = 320;
const MAX_INSTRUCTION: usize = 260;
const MAX_INSTRUCTIONS: usize = 5;

/// What an agent needs to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `compact --json`")]
pub struct CompactView {
    pub workflow_id: String,
    pub goal: String,
    /// The step in hand and how the run stands.
    pub current_phase: String,
    pub recently_resolved_blockers: Vec<String>,
    pub current_story: Option<CompactStory>,
    pub resume_instructions: Vec<String>,
}

/// How many resolved blockers are told.
const BLOCKERS: usize = 3;

/// The longest words about one of them.
const MAX_BLOCKER: usize = 180;

/// The story in hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields are the documented contract of `compact --json`")]
pub struct CompactStory {
    pub id: String,
    pub title: String,
    pub status: StoryStatus,
    pub tdd_phase: Option<TddPhase>,
    pub attempts: u32,
}

/// Projects what an agent needs to go on.
pub fn compact_view(state: &RunState) -> CompactView {
    let holding = state.holding().map(|(index, ..)| index);
    let item = holding.and_then(|index| state.item_of(index)).or_else(|| stuck(state));
    let step = holding.map(|index| state.plan.step(index).id.to_string());
    let phase = match step {
        Some(step) => format!("{step} ({})", state.status().as_str()),
        None => state.status().as_str().to_owned(),
    };
    CompactView {
        workflow_id: fit(state.facts.run.as_str(), MAX_ID),
        goal: fit(state.plan.goal.trim(), MAX_GOAL),
        current_phase: fit(&phase, MAX_PHASE),
        recently_resolved_blockers: resolved_blockers(state),
        current_story: item.map(|item| {
            let view = story_view(state, item);
            CompactStory {
                id: fit(view.id.as_str(), MAX_ID),
                title: fit(&view.title, MAX_TITLE),
                status: view.status,
                tdd_phase: view.tdd_phase,
                attempts: view.attempts,
            }
        }),
        resume_instructions: instructions(state),
    }
}

/// The story that keeps the run from going on, while nobody works on one.
fn stuck(state: &RunState) -> Option<&ItemState> {
    let mut items = state.items.iter().map(|item| &**item);
    items.find(|item| state.item_status(item) == ItemStatus::Blocked)
}

/// The last blockers that were solved, and how; all together take less than 600 bytes.
fn resolved_blockers(state: &RunState) -> Vec<String> {
    let resolved = state.blockers.iter().rev().filter_map(|blocker| {
        let resolution = blocker.resolved.as_ref()?;
        let notes = resolution.notes.as_deref().unwrap_or("solved");
        Some(fit(&format!("{}: {notes}", blocker.message), MAX_BLOCKER))
    });
    let mut last: Vec<String> = resolved.take(BLOCKERS).collect();
    last.reverse();
    last
}

fn instructions(state: &RunState) -> Vec<String> {
    let mut list = Vec::new();
    if state.is_ended() {
        list.push("The run has ended: nothing is to be done.".to_owned());
        return list;
    }
    if let Some((index, plan, step)) = state.holding() {
        if let Some(failure) = &step.failure {
            list.push(format!(
                "The last try of `{}` was not accepted: {}",
                plan.id, failure.summary
            ));
            let about = About::Step(state.plan.step(index).id.clone());
            list.push(format!("Advice: {}", advice(state, &about, state.now).reason));
        } else if plan.agent().is_some() {
            list.push(format!("Work on `{}` goes on; its prompt says what to do.", plan.id));
        }
    }
    let view = status_view(state);
    list.extend(view.run.detail);
    list.extend(view.next.iter().take(2).map(|next| format!("`{}`: {}", next.command, next.does)));
    list.push("Everything else: `windlass status`, and `.windlass/run/state.json`.".to_owned());
    list.truncate(MAX_INSTRUCTIONS);
    list.iter().map(|text| fit(text, MAX_INSTRUCTION)).collect()
}

/// Returns the text on one line, or its beginning, so that it takes at most `max` bytes in JSON.
fn fit(text: &str, max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut taken = 0;
    let mut fitted = String::new();
    for sign in line.chars() {
        taken += in_json(sign);
        // Three bytes for the ellipsis, two for the quotes.
        if taken + 5 > max {
            return format!("{fitted}…");
        }
        fitted.push(sign);
    }
    fitted
}

/// How many bytes a sign takes inside a JSON string.
fn in_json(sign: char) -> usize {
    match sign {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => sign.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_cut_takes_no_more_than_its_bound_in_json() {
        for text in ["\u{1}".repeat(900), "\"\\".repeat(900), "é😀".repeat(900), "x".repeat(5000)]
        {
            for max in [20, 80, 320] {
                let json = serde_json::to_string(&fit(&text, max)).unwrap();
                assert!(json.len() <= max, "{max}: {json}");
            }
        }
        assert_eq!(fit(" a\n b ", 80), "a b");
    }

    #[test]
    fn all_bounds_together_stay_below_the_whole() {
        let texts = MAX_GOAL + MAX_PHASE + 2 * MAX_ID + MAX_TITLE;
        let blockers = 600;
        let frame = 400;
        assert!(
            texts + blockers + frame + MAX_INSTRUCTIONS * (MAX_INSTRUCTION + 1) < MAX_COMPACT_BYTES
        );
    }
}
