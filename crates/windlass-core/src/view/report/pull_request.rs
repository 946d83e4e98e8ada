//! The text of the pull request that a run ends in: what was done, and what stands behind it.

use std::fmt::Write as _;

use super::inline::cost;
use super::markdown::{clone_notes, evidence, steps};
use super::projection::{ReportStep, ReportView};
use super::{proven, stories};
use crate::plan::Holds;
use crate::view::literal::{brief, cell, code, prose};
use crate::view::printable::beginning;
use crate::view::stories::StoryStatus;
use crate::view::story_detail::StoryDetail;

/// The longest text: forges take 65,536 characters.
pub const MAX_PULL_REQUEST_BYTES: usize = 64_000;

/// The longest goal; it may take twice as much room when all of it has to be escaped.
const MAX_GOAL_BYTES: usize = 1_000;

/// The longest sentence about tests, what was before the run, and its last proof.
const MAX_NOTE_BYTES: usize = 400;

/// What the summary may have.
const MAX_SUMMARY_BYTES: usize = 4_500;

/// How many stories stand at the beginning, and how much of a title.
const MAX_STORIES: usize = 12;
const MAX_TITLE_BYTES: usize = 120;

/// A part of the text, and the most bytes that it may have: all together stay below the whole, so that
/// what matters is there however many stories there are, and whatever others wrote.
type Section = (fn(&mut String, &ReportView), usize);

/// What whoever merges reads: what was proven, and what was not.
const FIRST: [Section; 8] = [
    (proven::table, 6_000),
    (clone_notes, 3_000),
    (stories::left_out, 4_000),
    (waived, 5_000),
    (stories::manual, 4_000),
    (stories::suggestions, 3_000),
    (unchecked, 2_000),
    (not_part, 2_000),
];

/// What is there to look up, folded.
const FOLDED: [Section; 8] = [
    (stories::table, 5_000),
    (stories::checklist, 5_000),
    (stories::criteria, 5_000),
    (stories::key_changes, 2_000),
    (evidence, 5_000),
    (decisions, 2_500),
    (steps, 4_000),
    (numbers, 1_500),
];

/// Writes the text of the pull request: what changed and why, how it was proven, what to look at, and in a
/// fold the rest.
pub fn pull_request_body(view: &ReportView) -> String {
    let mut text = bounded(&summary(view), MAX_SUMMARY_BYTES);
    parts(&mut text, view, &FIRST);
    text.push_str("\n<details>\n<summary>Evidence, decisions, steps and cost</summary>\n");
    parts(&mut text, view, &FOLDED);
    text.push_str("\n</details>\n");
    text
}

fn parts(text: &mut String, view: &ReportView, sections: &[Section]) {
    for (section, most) in sections {
        let mut part = String::new();
        section(&mut part, view);
        text.push_str(&bounded(&part, *most));
    }
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
    let mut text = format!("## What changed and why\n\n{}\n", brief(goal, MAX_GOAL_BYTES));
    if let Some(issue) = &view.issue {
        let _ = writeln!(text, "\nCloses #{}.", issue.number);
    }
    let is_there = |story: &&StoryDetail| story.story.status == StoryStatus::Completed;
    let there: Vec<_> = view.stories.iter().filter(is_there).collect();
    if !there.is_empty() {
        text.push('\n');
    }
    for detail in there.iter().take(MAX_STORIES) {
        let _ = writeln!(text, "- {}", brief(&detail.story.title, MAX_TITLE_BYTES));
    }
    if there.len() > MAX_STORIES {
        let _ = writeln!(text, "- and {} more stories, listed below", there.len() - MAX_STORIES);
    }
    if let Some(changes) = &view.changes {
        let _ = writeln!(text, "\nFiles changed: {}.", changes.sum());
    }
    if let Some(tests) = &view.tests {
        // Names of tests are text of agents.
        let _ = writeln!(text, "\nTests: {}.", brief(&tests.words(), MAX_NOTE_BYTES));
    }
    text
}

/// What was let pass without its proof. Nobody should have to look for it.
fn waived(text: &mut String, view: &ReportView) {
    let waived: Vec<_> = view.steps.iter().filter(|step| step.waived).collect();
    let missing = |step: &&ReportStep| step.note.is_some() && step.not_part.is_none();
    let skipped: Vec<_> = view.steps.iter().filter(missing).collect();
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

/// What nobody looked at: nothing can, or nothing keeps it from those who are judged.
fn unchecked(text: &mut String, view: &ReportView) {
    stories::unchecked(text, view);
    let words = [
        ("Not protected", view.unprotected_words()),
        ("Could not be followed", view.unfollowed_words()),
    ];
    for (name, words) in words {
        if let Some(words) = words {
            let _ = writeln!(text, "\n**{name}:** {}.", prose(&words));
        }
    }
}

/// What the workflow leaves out of this run: nothing is missing.
fn not_part(text: &mut String, view: &ReportView) {
    let out = view.steps.iter().filter_map(|step| Some((step, step.not_part.as_ref()?)));
    let out: Vec<_> = out.collect();
    if out.is_empty() {
        return;
    }
    text.push_str("\n## Not part of this run\n\n");
    for (step, why) in out {
        let _ = writeln!(text, "- {} (`{}`): {}", prose(&step.title), step.id, prose(why));
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
    let attempts = crate::view::count(budget.attempts as usize, "attempt");
    let _ = writeln!(text, "- Working time: {}, in {attempts}", budget.wall_ms);
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
        let sum: usize = FIRST.iter().chain(&FOLDED).map(|(_, most)| most).sum();
        let fold = 200;
        assert!(MAX_SUMMARY_BYTES + sum + fold <= MAX_PULL_REQUEST_BYTES, "{sum}");
        let long = format!("## A\n\n{}", "- é\n".repeat(500));
        let cut = bounded(&long, 300);
        assert!(
            cut.len() <= 300 && cut.ends_with("- é\n\n… more of it: `windlass report`\n"),
            "{cut}"
        );
        assert!(bounded(&"x".repeat(500), 100).len() <= 100);
    }
}
