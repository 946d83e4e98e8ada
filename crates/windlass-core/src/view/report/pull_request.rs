//! The text of the pull request that a run ends in: what was done, and what stands behind it.

use std::fmt::Write as _;

use super::inline::cost;
use super::markdown::{cell, evidence, prose, steps};
use super::projection::ReportView;
use crate::plan::Holds;

/// Writes the text of the pull request.
pub fn pull_request_body(view: &ReportView) -> String {
    let mut text = String::new();
    steps(&mut text, view);
    evidence(&mut text, view);
    waived(&mut text, view);
    decisions(&mut text, view);
    numbers(&mut text, view);
    format!("{}{}", summary(view), calling_nobody(&text))
}

/// Takes the calls out of text of others: on a forge `@name` notifies somebody, and `#1` or an
/// address links another issue and can even close it. A space without width keeps the words as they
/// are to read. What is set as code calls nobody.
fn calling_nobody(text: &str) -> String {
    let mut quiet = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut code = false;
        let mut before = ' ';
        let mut rest = line.chars().peekable();
        while let Some(c) = rest.next() {
            code ^= c == '`' && before != '\\';
            quiet.push(c);
            let next = rest.peek().copied().unwrap_or(' ');
            let calls = match c {
                '@' => next.is_alphanumeric(),
                '#' => next.is_ascii_digit(),
                '-' => next.is_ascii_digit() && quiet.to_ascii_lowercase().ends_with("gh-"),
                ':' => next == '/',
                _ => false,
            };
            if calls && !code {
                quiet.push('\u{200b}');
            }
            before = c;
        }
    }
    quiet
}

// Writing to a string cannot fail, so the results of `writeln!` are dropped throughout.

fn summary(view: &ReportView) -> String {
    let goal = view.issue.as_ref().map_or(&view.goal, |issue| &issue.title);
    let mut text = format!("## Summary\n\n{}\n", calling_nobody(&prose(goal)));
    if let Some(issue) = &view.issue {
        let _ = writeln!(text, "\nCloses #{}.", issue.number);
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
    fn words_of_others_call_nobody_and_close_nothing() {
        let quiet =
            calling_nobody("ask @ada, fixes #1 GH-2 https://x.org/a/issues/3 a#b a@ `@x #1`");
        assert_eq!(
            quiet,
            "ask @\u{200b}ada, fixes #\u{200b}1 GH-\u{200b}2 https:\u{200b}//x.org/a/issues/3 a#b a@ \
             `@x #1`"
        );
        assert_eq!(calling_nobody("a \\` b @ada"), "a \\` b @\u{200b}ada");
    }
}
