//! The text of the pull request that a run ends in: what was done, and what stands behind it.

use std::fmt::Write as _;

use super::inline::cost;
use super::markdown::{cell, evidence, prose, steps};
use super::projection::ReportView;
use crate::plan::Holds;

/// Writes the text of the pull request.
pub fn pull_request_body(view: &ReportView) -> String {
    let mut text = String::new();
    summary(&mut text, view);
    steps(&mut text, view);
    evidence(&mut text, view);
    waived(&mut text, view);
    decisions(&mut text, view);
    numbers(&mut text, view);
    text
}

// Writing to a string cannot fail, so the results of `writeln!` are dropped throughout.

fn summary(text: &mut String, view: &ReportView) {
    text.push_str("## Summary\n\n");
    match &view.issue {
        Some(issue) => {
            let _ = writeln!(text, "{}\n\nCloses #{}.", prose(&issue.title), issue.number);
        }
        None => {
            let _ = writeln!(text, "{}", prose(&view.goal));
        }
    }
    if let Some(changes) = &view.changes {
        let _ = writeln!(text, "\nFiles changed: {}.", changes.sum());
    }
    let _ = writeln!(
        text,
        "\nMade by agents, driven by windlass: workflow `{}`, run `{}`. Nothing below rests on an \
         agent's word unless it says *claimed*.",
        view.workflow, view.run
    );
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
        let failed =
            view.proofs.iter().rev().filter(|proof| {
                proof.step == step.id && proof.holds != Holds::Yes && proof.decisive
            });
        for proof in failed {
            let _ = writeln!(text, "  - {}", prose(&proof.summary));
        }
    }
    for step in skipped.iter().filter(|step| !step.waived) {
        let note = step.note.as_deref().unwrap_or_default();
        let _ = writeln!(text, "- {} (`{}`): {}", prose(&step.title), step.id, prose(note));
    }
}

fn decisions(text: &mut String, view: &ReportView) {
    if view.decisions.is_empty() {
        return;
    }
    text.push_str("\n## Decisions\n\n| when | who | what |\n|---|---|---|\n");
    for entry in &view.decisions {
        let _ = writeln!(text, "| {} | {} | {} |", entry.time, cell(&entry.who), cell(&entry.what));
    }
}

fn numbers(text: &mut String, view: &ReportView) {
    let budget = &view.budget;
    text.push_str("\n## Cost and time\n\n");
    let _ = writeln!(text, "- Cost: {}", cost(budget));
    let _ = writeln!(text, "- Working time: {}, in {} attempts", budget.wall_ms, budget.attempts);
    let _ = writeln!(text, "- Journal head: `{}`", view.journal_head);
    let _ = writeln!(text, "- Check it with `windlass audit --run {}`", view.run);
}
