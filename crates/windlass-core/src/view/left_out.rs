//! What a draft pull request does not have.

use std::fmt::Write as _;

use crate::run::{ItemState, LEFT_OUT, RunState};
use crate::view::literal::brief;

/// The longest text of others in a row.
const MAX_TEXT: usize = 300;

/// Returns how the text of a draft begins: which items are not in it, and why. None for a pull request
/// that is none.
pub fn left_out_text(state: &RunState) -> Option<String> {
    if !state.draft {
        return None;
    }
    // The name of whoever asked for it stands behind the reason.
    let is_reason = |reason: &str| reason.starts_with(LEFT_OUT);
    // What has begun is skipped step by step.
    let by_steps = |item: &ItemState| {
        let steps = item.steps(&state.plan);
        steps.iter().any(|index| state.step(*index).note.as_deref().is_some_and(is_reason))
    };
    let left_out =
        |item: &&ItemState| item.item.skipped.as_deref().is_some_and(is_reason) || by_steps(item);
    let mut text = String::from(
        "> **Draft.** A person asked for this pull request before all of the work was done. It does \
         not have:\n>\n",
    );
    for item in state.items.iter().map(|item| &**item).filter(left_out) {
        let title = brief(&item.item.title, MAX_TEXT);
        let why = brief(&why(state, item), MAX_TEXT);
        let _ = writeln!(text, "> - `{}` {title}: {why}", item.item.id);
    }
    text.push('\n');
    Some(text)
}

fn why(state: &RunState, item: &ItemState) -> String {
    let steps = item.steps(&state.plan);
    let failed = steps.iter().find_map(|index| {
        let failure = state.step(*index).failure.as_ref()?;
        Some(format!("`{}` failed: {}", state.plan.step(*index).id, failure.summary))
    });
    match failed {
        Some(why) => why,
        None if steps.iter().any(|index| state.step(*index).started_at.is_some()) => {
            "it was not finished".to_owned()
        }
        None => "it was not begun".to_owned(),
    }
}
