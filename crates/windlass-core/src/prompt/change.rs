//! What was done in the run so far, as commands that show it.

use std::fmt::Write as _;

use super::section;
use crate::id::{ObjectId, StepIndex};
use crate::run::RunState;

/// Adds the commit that the work is compared with, and the commands that show it. Before anything was
/// accepted there is nothing to be seen.
pub(super) fn describe(text: &mut String, state: &RunState, index: StepIndex) {
    let base = &state.facts.base;
    if state.proven_code == state.facts.base_tree || base.as_str().is_empty() {
        return;
    }
    let name = &state.facts.base_name;
    let base = short(base);
    let mut body = format!("Base commit: `{base}`, where the run began");
    body.push_str(&if name.is_empty() { ".\n".to_owned() } else { format!(" on `{name}`.\n") });
    let item = state.item_of(index);
    if let Some(began) = item.and_then(|item| item.began_at.as_ref())
        && short(began) != base
    {
        let began = short(began);
        let _ = writeln!(body, "- this item: `git diff {began}` (`git log --oneline {began}..`)");
    }
    let _ = writeln!(body, "- the whole run: `git diff {base}` (`git log --oneline {base}..`)");
    if state.proven_code != state.head_code {
        body.push_str("- new files that are in no commit yet: `git status --short`\n");
    }
    section(text, "The change so far", &body);
}

/// Enough of a commit's name for git to find it.
fn short(commit: &ObjectId) -> &str {
    commit.as_str().get(..12).unwrap_or(commit.as_str())
}
