//! The text of the pull request that a run ends in: what was done, and what stands behind it.

use std::fmt::Write as _;

use super::inline::cost;
use super::markdown::{cell, evidence, prose, steps};
use super::projection::ReportView;
use super::stories;
use crate::plan::Holds;
use crate::view::printable::beginning;

/// The longest text: forges take 65,536 characters.
pub const MAX_PULL_REQUEST_BYTES: usize = 64_000;

/// The longest goal in a text of several stories; signs that call somebody take more room.
const MAX_GOAL_BYTES: usize = 1_000;

/// What the summary may have.
const MAX_SUMMARY_BYTES: usize = 4_000;

/// Writes the text of the pull request.
pub fn pull_request_body(view: &ReportView) -> String {
    if !view.stories.is_empty() {
        return with_stories(view);
    }
    let mut text = String::new();
    steps(&mut text, view);
    evidence(&mut text, view);
    waived(&mut text, view);
    decisions(&mut text, view);
    numbers(&mut text, view);
    format!("{}{}", summary(view, usize::MAX), calling_nobody(&text))
}

/// A part of the text, and the most bytes that it may have: all together stay below the whole, so that
/// what matters is there however many stories there are.
type Section = (fn(&mut String, &ReportView), usize);

const SECTIONS: [Section; 13] = [
    (stories::left_out, 5_000),
    (stories::table, 8_000),
    (stories::key_changes, 3_000),
    (stories::tests, 3_000),
    (stories::checklist, 8_000),
    (stories::criteria, 9_000),
    (stories::manual, 4_000),
    (stories::suggestions, 4_000),
    (waived, 3_000),
    (stories::unchecked, 1_000),
    (decisions, 3_000),
    (steps, 6_000),
    (numbers, 2_000),
];

/// Writes the text of a pull request of several stories.
fn with_stories(view: &ReportView) -> String {
    let mut text = bounded(&summary(view, MAX_GOAL_BYTES), MAX_SUMMARY_BYTES);
    for (section, most) in SECTIONS {
        let mut part = String::new();
        section(&mut part, view);
        text.push_str(&bounded(&calling_nobody(&part), most));
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

fn summary(view: &ReportView, most: usize) -> String {
    let goal = view.issue.as_ref().map_or(&view.goal, |issue| &issue.title);
    let (goal, _) = beginning(goal, most);
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
    if let Some(before) = &view.before {
        let _ = writeln!(text, "\n**Before the run:** {}.", calling_nobody(&prose(before)));
    }
    if let Some(cold) = &view.cold {
        let words = cold.words();
        let _ = writeln!(text, "\n**Last proof:** {}.", calling_nobody(&prose(&words)));
    }
    if let Some(unprotected) = view.unprotected_words() {
        let _ = writeln!(text, "\n**Not protected:** {}.", calling_nobody(&prose(&unprotected)));
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
        let sections: usize = SECTIONS.iter().map(|(_, most)| most).sum();
        assert!(MAX_SUMMARY_BYTES + sections <= MAX_PULL_REQUEST_BYTES, "{sections}");
        let long = format!("## A\n\n{}", "- é\n".repeat(500));
        let cut = bounded(&long, 300);
        assert!(
            cut.len() <= 300 && cut.ends_with("- é\n\n… more of it: `windlass report`\n"),
            "{cut}"
        );
        assert!(bounded(&"x".repeat(500), 100).len() <= 100);
    }

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
