//! Services outside the repository that the words of an item name.

use std::fmt::Write as _;

use super::text::one_line;
use super::{lines_within, section};
use crate::deps::{Find, Services};
use crate::id::StepIndex;
use crate::run::RunState;

/// How much of a prompt they take.
pub(super) const MAX_SERVICES: usize = 700;

/// The words after the list.
const MISSING: &str = "Work and test against the stand-in. A secret that is missing is a reason for \
    `windlass block \"WHAT IS MISSING\" --check COMMAND`, never for a guess.";

/// Adds what the item of the step needs from outside.
pub(super) fn outside(text: &mut String, state: &RunState, index: StepIndex) {
    let Some(item) = state.item_of(index).map(|state| &state.item) else { return };
    let finds = Services::new(&state.facts.services).in_item(item);
    if finds.is_empty() {
        return;
    }
    let list: String = finds.iter().map(line).collect();
    let list = lines_within(&list, MAX_SERVICES - MISSING.len());
    section(text, "Outside services", &format!("{list}\n{MISSING}"));
}

fn line(find: &Find) -> String {
    let Find { kind, keyword, mock_strategy, secrets, .. } = find;
    let mut line = format!("- {} ({}): ", one_line(keyword, 60), one_line(kind, 40));
    line.push_str(&one_line(mock_strategy, 120));
    if !secrets.is_empty() {
        let _ = write!(line, "; usual secrets: {}", one_line(&secrets.join(", "), 120));
    }
    line.push('\n');
    line
}
