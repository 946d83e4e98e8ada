//! What a report and a pull request say of stories: sections of Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::inline::short;
use super::projection::ReportView;
use crate::judgement::{CriterionVerdict, Level};
use crate::view::gates::QualityGateView;
use crate::view::literal::{brief as brief_line, brief_cell, prose};
use crate::view::stories::StoryStatus;
use crate::view::story_detail::{CriterionTrace, StoryDetail};

/// The longest text of others in a row.
const MAX_TEXT: usize = 300;

/// How many folders are listed, and how many proofs of a gate.
const MAX_FOLDERS: usize = 25;
const MAX_PROOFS: usize = 8;

// Writing to a string cannot fail, so the results of `writeln!` are dropped throughout.

/// Writes everything about stories, for the report.
pub(super) fn all(text: &mut String, view: &ReportView) {
    left_out(text, view);
    table(text, view);
    checklist(text, view);
    criteria(text, view);
    manual(text, view);
    suggestions(text, view);
}

/// Text of others, cut, in one line of Markdown.
fn brief(text: &str) -> String {
    brief_line(text, MAX_TEXT)
}

fn heading(text: &mut String, name: &str) {
    let _ = writeln!(text, "\n## {name}\n");
}

/// Stories that the work does not have. Nobody should have to look for them.
pub(super) fn left_out(text: &mut String, view: &ReportView) {
    let is_out = |story: &&StoryDetail| {
        matches!(story.story.status, StoryStatus::Blocked | StoryStatus::Skipped)
    };
    let out: Vec<_> = view.stories.iter().filter(is_out).collect();
    if out.is_empty() {
        return;
    }
    heading(text, "Blocked and left out");
    for detail in out {
        let story = &detail.story;
        let note = detail.note.as_deref().unwrap_or("no reason was given");
        let _ = writeln!(
            text,
            "- **{} {}**, {}: {}",
            story.id,
            brief(&story.title),
            story.status.as_str(),
            brief(note)
        );
    }
}

pub(super) fn table(text: &mut String, view: &ReportView) {
    if view.stories.is_empty() {
        return;
    }
    heading(text, "Stories");
    text.push_str("| story | title | size | status | iterations | proven |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for StoryDetail { story, .. } in &view.stories {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            story.id,
            brief_cell(&story.title, MAX_TEXT),
            story.size.map_or("–", |size| size.as_str()),
            story.status.as_str(),
            story.iterations,
            story.checks.words().join(", "),
        );
    }
}

/// Which folders changed, and by how much.
pub(super) fn key_changes(text: &mut String, view: &ReportView) {
    let Some(changes) = view.changes.as_ref().filter(|changes| !changes.code.is_empty()) else {
        return;
    };
    let mut folders: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    for file in &changes.code {
        let folder = file.path.rsplit_once('/').map_or("(top folder)", |(folder, _)| folder);
        let (files, added, deleted) = folders.entry(folder).or_default();
        *files += 1;
        *added += file.added.unwrap_or(0);
        *deleted += file.deleted.unwrap_or(0);
    }
    let mut folders: Vec<_> = folders.into_iter().collect();
    folders
        .sort_by_key(|(folder, (_, added, deleted))| (std::cmp::Reverse(added + deleted), *folder));
    heading(text, "Key changes");
    for (folder, (files, added, deleted)) in folders.iter().take(MAX_FOLDERS) {
        let s = if *files == 1 { "" } else { "s" };
        let folder = brief(folder);
        let _ = writeln!(text, "- {folder}: {files} file{s}, +{added} −{deleted}");
    }
    let more = folders.len().saturating_sub(MAX_FOLDERS);
    if more > 0 {
        let _ = writeln!(text, "- {more} more folders");
    }
}

/// Each gate, with what proves it.
pub(super) fn checklist(text: &mut String, view: &ReportView) {
    if view.gates.is_empty() {
        return;
    }
    heading(text, "Checklist");
    for gate in &view.gates {
        gate_row(text, gate);
    }
}

fn gate_row(text: &mut String, gate: &QualityGateView) {
    let tick = if gate.holds { 'x' } else { ' ' };
    let _ = writeln!(text, "- [{tick}] {}", gate.what);
    for proof in gate.proofs.iter().rev().take(MAX_PROOFS).rev() {
        let evidence =
            proof.evidence.as_deref().map(|hash| format!(", evidence `{}`", short(hash)));
        let (summary, evidence) = (brief(&proof.summary), evidence.unwrap_or_default());
        let _ = writeln!(text, "  - {summary} (`{}`{evidence})", proof.step);
    }
    let more = gate.proofs.len().saturating_sub(MAX_PROOFS);
    if more > 0 {
        let _ = writeln!(text, "  - {more} earlier proofs");
    }
    for (steps, words) in [(&gate.waived, "waived"), (&gate.missing, "not proven")] {
        for step in steps.iter().take(MAX_PROOFS) {
            let _ = writeln!(text, "  - **{words}** (`{step}`)");
        }
    }
}

/// What the tester says of each criterion, and by which tests.
pub(super) fn criteria(text: &mut String, view: &ReportView) {
    if view.stories.is_empty() {
        return;
    }
    heading(text, "Acceptance criteria");
    for StoryDetail { story, criteria, .. } in &view.stories {
        for criterion in criteria {
            let verdict = criterion.verdict.map_or("not judged", |verdict| verdict.as_str());
            let _ = writeln!(
                text,
                "- {} {}: {} ({verdict}{})",
                story.id,
                prose(&criterion.id),
                brief(&criterion.text),
                by_tests(criterion)
            );
        }
    }
}

fn by_tests(criterion: &CriterionTrace) -> String {
    let mut tests = String::new();
    for test in criterion.tests.iter().take(3) {
        let _ = write!(tests, ", {}", brief(test));
    }
    tests
}

/// What no test can show, so that a person has to look.
pub(super) fn manual(text: &mut String, view: &ReportView) {
    let manual = Some(CriterionVerdict::ManualVerificationRequired);
    let rows = view.stories.iter().flat_map(|detail| {
        let of = detail.criteria.iter().filter(move |criterion| criterion.verdict == manual);
        of.map(move |criterion| (&detail.story.id, criterion))
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return;
    }
    heading(text, "To be checked by a person");
    for (story, criterion) in rows {
        let how = by_tests(criterion);
        let (id, words) = (prose(&criterion.id), brief(&criterion.text));
        let _ = writeln!(text, "- [ ] {story} {id}: {words}{how}");
    }
}

/// What judges would have otherwise.
pub(super) fn suggestions(text: &mut String, view: &ReportView) {
    let of_stories = view.stories.iter().flat_map(|detail| &detail.remarks);
    let of_stories = of_stories.map(|remark| (&remark.remark, &remark.step));
    let of_steps = view.steps.iter().flat_map(|step| step.remarks.iter().map(|r| (r, &step.id)));
    let all = of_stories.chain(of_steps);
    let rows: Vec<_> = all.filter(|(remark, _)| remark.level == Level::Suggestion).collect();
    if rows.is_empty() {
        return;
    }
    heading(text, "Suggestions of reviewers");
    for (remark, step) in rows {
        let words = remark.words();
        let words = words.strip_prefix("[SUGGESTION] ").unwrap_or(&words);
        let _ = writeln!(text, "- {} (`{step}`)", brief(words));
    }
}

/// What was not looked at because nothing can.
pub(super) fn unchecked(text: &mut String, view: &ReportView) {
    if view.unchecked.is_empty() {
        return;
    }
    heading(text, "Not checked");
    for unchecked in &view.unchecked {
        let _ = writeln!(text, "- {}", brief(unchecked));
    }
}
