//! The text of the pull request that a run ends in: what was done, and what stands behind it.

use std::fmt::Write as _;

use super::inline::cost;
use super::markdown::{clone_notes, evidence, steps};
use super::projection::{ReportStep, ReportView};
use super::stories;
use crate::plan::Holds;
use crate::view::literal::{brief, cell, code, prose};
use crate::view::printable::beginning;

/// The longest text: forges take 65,536 characters.
pub const MAX_PULL_REQUEST_BYTES: usize = 64_000;

/// The longest goal; it may take twice as much room when all of it has to be escaped.
const MAX_GOAL_BYTES: usize = 1_000;

/// The longest sentence about tests, what was before the run, and its last proof.
const MAX_NOTE_BYTES: usize = 400;

/// What the summary may have.
const MAX_SUMMARY_BYTES: usize = 5_000;

/// A part of the text, and the most bytes that it may have: all together stay below the whole, so that
/// what matters is there however many stories there are, and whatever others wrote.
type Section = (fn(&mut String, &ReportView), usize);

const OF_STEPS: [Section; 6] = [
    (clone_notes, 3_000),
    (steps, 18_000),
    (evidence, 20_000),
    (waived, 8_000),
    (decisions, 8_000),
    (numbers, 2_000),
];

const OF_STORIES: [Section; 14] = [
    (stories::left_out, 5_000),
    (clone_notes, 3_000),
    (stories::table, 7_000),
    (stories::key_changes, 3_000),
    (stories::tests, 3_000),
    (stories::checklist, 7_000),
    (stories::criteria, 7_000),
    (stories::manual, 4_000),
    (stories::suggestions, 4_000),
    (waived, 3_000),
    (stories::unchecked, 1_000),
    (decisions, 3_000),
    (steps, 6_000),
    (numbers, 2_000),
];

/// Writes the text of the pull request.
pub fn pull_request_body(view: &ReportView) -> String {
    let sections: &[Section] = if view.stories.is_empty() { &OF_STEPS } else { &OF_STORIES };
    let mut text = bounded(&summary(view), MAX_SUMMARY_BYTES);
    for (section, most) in sections {
        let mut part = String::new();
        section(&mut part, view);
        text.push_str(&bounded(&part, *most));
    }
    text
}

/// Keeps whole lines, as many as fit, and says so where some do not.
fn bounded(part: &str, most: usize) -> String {
    const MORE: &str = "\n… more of it: `windlass report`\n";
    if part.len() <= most {
        return part.to_owned();
    }
    let (start, _) = beginning(part, most.saturating_sub(MORE.len()));
    let whole = start.rfind('\n').map_or("", |end| &start[..=end]);
    format!("{whole}{MORE}")
}

// Writing to a string cannot fail, so the results of `writeln!` are dropped throughout.

fn summary(view: &ReportView) -> String {
    let goal = view.issue.as_ref().map_or(&view.goal, |issue| &issue.title);
    let mut text = format!("## Summary\n\n{}\n", brief(goal, MAX_GOAL_BYTES));
    if let Some(issue) = &view.issue {
        let _ = writeln!(text, "\nCloses #{}.", issue.number);
    }
    if let Some(changes) = &view.changes {
        let _ = writeln!(text, "\nFiles changed: {}.", changes.sum());
    }
    if let Some(tests) = &view.tests {
        // Names of tests are text of agents.
        let _ = writeln!(text, "\nTests: {}.", brief(&tests.words(), MAX_NOTE_BYTES));
    }
    let _ = writeln!(
        text,
        "\nMade by agents, driven by windlass: workflow {}, run `{}`. Nothing below rests on an \
         agent's word unless it says *claimed*.",
        code(&view.workflow),
        view.run
    );
    if let Some(before) = &view.before {
        let _ = writeln!(text, "\n**Before the run:** {}.", brief(before, MAX_NOTE_BYTES));
    }
    if let Some(cold) = &view.cold {
        let words = cold.words();
        let _ = writeln!(text, "\n**Last proof:** {}.", brief(&words, MAX_NOTE_BYTES));
    }
    if let Some(unprotected) = view.unprotected_words() {
        let _ = writeln!(text, "\n**Not protected:** {}.", prose(&unprotected));
    }
    if let Some(unfollowed) = view.unfollowed_words() {
        let _ = writeln!(text, "\n**Could not be followed:** {}.", prose(&unfollowed));
    }
    text
}

/// What was let pass without its proof. Nobody should have to look for it.
fn waived(text: &mut String, view: &ReportView) {
    let waived: Vec<_> = view.steps.iter().filter(|step| step.waived).collect();
    let skipped: Vec<_> = view.steps.iter().filter(|step| step.note.is_some()).collect();
    if waived.is_empty() && skipped.is_empty() {
        return;
    }
    text.push_str("\n## Not proven\n\n");
    for step in waived {
        let _ = writeln!(text, "- **{} (`{}`): waived**", prose(&step.title), step.id);
        let proofs = || view.proofs.iter().filter(|proof| proof.step == step.id);
        // What did not hold when it was looked at last.
        let last = proofs().map(|proof| proof.time.as_str()).max();
        let failed =
            proofs().filter(|proof| proof.holds != Holds::Yes && Some(proof.time.as_str()) == last);
        for proof in failed {
            let _ = writeln!(text, "  - {}", prose(&proof.summary));
        }
        set_aside(text, step);
    }
    for step in skipped.iter().filter(|step| !step.waived) {
        let note = step.note.as_deref().unwrap_or_default();
        let _ = writeln!(text, "- {} (`{}`): {}", prose(&step.title), step.id, prose(note));
        set_aside(text, step);
    }
}

fn set_aside(text: &mut String, step: &ReportStep) {
    if let Some(words) = &step.set_aside {
        let _ = writeln!(text, "  - {}", prose(words));
    }
}

fn decisions(text: &mut String, view: &ReportView) {
    if view.decisions.is_empty() {
        return;
    }
    text.push_str("\n## Decisions\n\n| when | who | what |\n|---|---|---|\n");
    for entry in &view.decisions {
        let _ =
            writeln!(text, "| {} | {} | {} |", entry.time, who_cell(&entry.who), cell(&entry.what));
    }
}

/// As in the report, in a cell of a table.
fn who_cell(name: &str) -> String {
    if name.starts_with("agent:") { code(name) } else { cell(name) }
}

fn numbers(text: &mut String, view: &ReportView) {
    let budget = &view.budget;
    text.push_str("\n## Cost and time\n\n");
    let _ = writeln!(text, "- Cost: {}", cost(budget));
    let _ = writeln!(text, "- Working time: {}, in {} attempts", budget.wall_ms, budget.attempts);
    if view.saved.0 > 0 {
        let _ = writeln!(
            text,
            "- Time saved: {}, by checks that had passed on the same code",
            view.saved
        );
    }
    let _ = writeln!(text, "- Journal head: `{}`", view.journal_head);
    let _ = writeln!(
        text,
        "- Check it with `windlass audit --run {} --head {}`",
        view.run, view.journal_head
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sections_together_stay_below_the_whole() {
        for sections in [&OF_STEPS[..], &OF_STORIES] {
            let sum: usize = sections.iter().map(|(_, most)| most).sum();
            assert!(MAX_SUMMARY_BYTES + sum <= MAX_PULL_REQUEST_BYTES, "{sum}");
        }
        let long = format!("## A\n\n{}", "- é\n".repeat(500));
        let cut = bounded(&long, 300);
        assert!(
            cut.len() <= 300 && cut.ends_with("- é\n\n… more of it: `windlass report`\n"),
            "{cut}"
        );
        assert!(bounded(&"x".repeat(500), 100).len() <= 100);
    }
}
