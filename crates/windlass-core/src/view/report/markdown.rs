//! The report as Markdown.

use std::fmt::Write as _;

use super::inline::{
    answer_and_by, audit, cost, how_it_ended, item_status, rests_on, run_status, short, spoken,
    step_attempts, step_cost, step_status, strength, verdict,
};
use super::projection::{ReportProof, ReportView};
use super::stories;
use crate::plan::Holds;
use crate::run::Publication;
use crate::view::literal::{address, cell, code, prose};
use crate::view::progress::progress_markdown;

/// How many changed files are listed; the rest is only counted.
const MAX_FILES: usize = 200;

/// How many changes besides lines are listed.
const MAX_NOTES: usize = 50;

/// Writes the report: what was done, what proves it, who decided, files, time and cost.
pub fn markdown(view: &ReportView) -> String {
    let mut text = String::new();
    header(&mut text, view);
    if let Some(progress) = &view.progress {
        let _ = write!(text, "\n{}", progress_markdown(progress));
    }
    steps(&mut text, view);
    items(&mut text, view);
    help(&mut text, view);
    stories::all(&mut text, view);
    evidence(&mut text, view);
    decisions(&mut text, view);
    attempts(&mut text, view);
    files(&mut text, view);
    text
}

// Writing to a string cannot fail, so the results of `writeln!` are dropped throughout.

fn header(text: &mut String, view: &ReportView) {
    let _ = writeln!(text, "# {}\n", prose(&view.goal));
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "- **{name}:** {value}");
    };
    row("Run", &format!("`{}`, workflow {}", view.run, code(&view.workflow)));
    let reason = view.reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    row("Status", &format!("{}{reason}", run_status(view)));
    if let Some(issue) = &view.issue {
        row("Issue", &format!("#{} {}", issue.number, prose(&issue.title)));
    }
    row("Branch", &format!("{} at `{}`, from `{}`", code(&view.branch), view.head, view.base));
    if let Some(publication) = &view.publication {
        row("Pull request", &pull_request(publication));
        for note in &publication.notes {
            row("Note", &prose(note));
        }
    }
    row("Started", &view.started_at);
    if let (Some(ended), Some(took)) = (&view.ended_at, view.took) {
        row("Ended", &format!("{ended}, after {took}"));
    }
    row("Proven", &view.counts.words());
    let budget = &view.budget;
    row("Attempts", &format!("{} of at most {}", budget.attempts, budget.attempts_limit));
    row("Working time", &format!("{} of at most {}", budget.wall_ms, budget.wall_ms_limit));
    row("Cost", &format!("{}, of at most {:.2} USD", cost(budget), budget.cost_usd_limit));
    if view.saved.0 > 0 {
        row("Time saved", &format!("{}: checks that had passed on the same code", view.saved));
    }
    if let Some(changes) = &view.changes {
        row("Files changed", &changes.sum());
    }
    if let Some(tests) = &view.tests {
        row("Tests", &prose(&tests.words()));
    }
    if let Some(before) = &view.before {
        row("Before the run", &prose(before));
    }
    if let Some(cold) = &view.cold {
        row("Last proof", &prose(&cold.words()));
    }
    for unchecked in &view.unchecked {
        row("Not checked", &prose(unchecked));
    }
    if let Some(unprotected) = view.unprotected_words() {
        row("Not protected", &prose(&unprotected));
    }
    if let Some(unfollowed) = view.unfollowed_words() {
        row("Could not be followed", &prose(&unfollowed));
    }
    row("Journal head", &format!("`{}`", view.journal_head));
    if view.audit.is_some() {
        row("Audit", &prose(&audit(view)));
    }
}

/// Where the pull request is, or where it can be opened. The forge said so, and people go there: these
/// are the only links of the report.
fn pull_request(publication: &Publication) -> String {
    let Publication { remote, pushed, number, url, compare_url, .. } = publication;
    let pushed = short(pushed.as_str());
    match (number, url, compare_url) {
        (Some(number), Some(url), _) => format!("#{number} {}, at `{pushed}`", address(url)),
        (Some(number), None, _) => format!("#{number}, at `{pushed}`"),
        (None, _, Some(page)) => format!("to be opened by hand: {}, at `{pushed}`", address(page)),
        (None, _, None) => {
            format!("to be opened by hand; {} has the branch at `{pushed}`", code(remote))
        }
    }
}

pub(super) fn steps(text: &mut String, view: &ReportView) {
    text.push_str("\n## Steps\n\n");
    text.push_str("| step | status | attempts | rests on | time | cost | files | commit |\n");
    text.push_str("|---|---|---|---|---|---|---|---|\n");
    for step in &view.steps {
        let mut status = match (&step.note, step.waived) {
            (_, true) => "**waived**".to_owned(),
            (Some(note), false) => format!("{}: {}", step_status(step), cell(note)),
            (None, false) => step_status(step).to_owned(),
        };
        if let Some(words) = &step.set_aside {
            let _ = write!(status, "; {}", cell(words));
        }
        let commit = step.commit.as_ref().map(|id| format!("`{}`", short(id))).unwrap_or_default();
        let files = step.changes.as_ref().map_or_else(|| "–".to_owned(), |changes| changes.sum());
        let _ = writeln!(
            text,
            "| {} (`{}`) | {status} | {} | {} | {} | {} | {files} | {commit} |",
            cell(&step.title),
            step.id,
            step_attempts(step),
            rests_on(step),
            step.wall,
            step_cost(step),
        );
    }
}

fn items(text: &mut String, view: &ReportView) {
    if view.items.is_empty() {
        return;
    }
    text.push_str("\n## Items\n\n");
    text.push_str("| item | title | status | asked for by |\n|---|---|---|---|\n");
    for item in &view.items {
        let status =
            cell(&item_status(item)).replace("with a waived step", "**with a waived step**");
        let (title, source) = (cell(&item.title), cell(&item.source));
        let _ = writeln!(text, "| `{}` | {title} | {status} | {source} |", item.id);
    }
}

/// What people were needed for: blockers, and questions.
fn help(text: &mut String, view: &ReportView) {
    if !view.blockers.is_empty() {
        text.push_str(
            "\n## Blockers\n\n| blocker | severity | what | how it ended |\n|---|---|---|---|\n",
        );
        for blocker in &view.blockers {
            let (severity, what) = (blocker.severity.as_str(), cell(&blocker.description));
            let ended = cell(&how_it_ended(blocker));
            let _ = writeln!(text, "| {} | {severity} | {what} | {ended} |", blocker.id);
        }
    }
    if !view.clarifications.is_empty() {
        text.push_str(
            "\n## Clarifications\n\n| question | about | answer | by |\n|---|---|---|---|\n",
        );
        for known in &view.clarifications {
            let (answer, by) = answer_and_by(known);
            let about = format!("{}, {}", known.phase, cell(&known.category));
            let (question, answer, by) = (cell(&known.question), cell(&answer), cell(&by));
            let _ = writeln!(text, "| {question} | {about} | {answer} | {by} |");
        }
    }
}

pub(super) fn evidence(text: &mut String, view: &ReportView) {
    text.push_str("\n## Evidence\n\n");
    text.push_str("| step | check | verdict | strength | on code | evidence |\n");
    text.push_str("|---|---|---|---|---|---|\n");
    for proof in view.proofs.iter().filter(|proof| proof.decisive) {
        let evidence = proof.evidence.as_ref();
        let _ = writeln!(
            text,
            "| `{}` | {} | {}{} | {} | `{}` | {} |",
            proof.step,
            cell(&proof.summary),
            bold_verdict(proof),
            if proof.cached { " (cached)" } else { "" },
            strength(proof.strength),
            short(&proof.code),
            evidence.map(|blob| format!("`{}`", short(blob.hash.as_str()))).unwrap_or_default(),
        );
    }
}

fn bold_verdict(proof: &ReportProof) -> String {
    match proof.holds {
        Holds::No => format!("**{}**", verdict(proof.holds)),
        Holds::Yes | Holds::Unknown => verdict(proof.holds).to_owned(),
    }
}

fn decisions(text: &mut String, view: &ReportView) {
    if view.decisions.is_empty() {
        return;
    }
    text.push_str("\n## Decisions\n\n");
    for entry in &view.decisions {
        let _ = writeln!(text, "- {} {}: {}", entry.time, who(&entry.who), prose(&entry.what));
    }
}

fn attempts(text: &mut String, view: &ReportView) {
    text.push_str("\n## Attempts\n\n");
    let mut said: Option<&String> = None;
    for attempt in &view.attempts {
        let took = attempt.took.map(|took| format!(" after {took}")).unwrap_or_default();
        let cost = attempt.cost_usd.map(|cost| format!(", {cost:.2} USD")).unwrap_or_default();
        let failure = match &attempt.failure {
            Some(failure) => format!("; not proven: {}", prose(failure)),
            None => attempt.fate.map(|fate| format!("; {}", fate.as_str())).unwrap_or_default(),
        };
        let ended = prose(&attempt.ended);
        let spoken = prose(&spoken(attempt));
        let _ = writeln!(text, "- `{}` {ended}{took}{cost}{spoken}{failure}", attempt.id);
        if attempt.left_behind > 0 {
            let _ = writeln!(
                text,
                "  - left {} processes behind, which were ended",
                attempt.left_behind
            );
        }
        // The same words for every attempt would hide what differs.
        if let Some(confinement) = &attempt.confinement
            && said != Some(confinement)
        {
            let _ = writeln!(text, "  - confinement: {}", prose(confinement));
            said = Some(confinement);
        }
    }
}

/// Who decided. An attempt is code: as prose its `#1` would be taken apart, and nobody could copy it.
fn who(name: &str) -> String {
    if name.starts_with("agent:") { code(name) } else { prose(name) }
}

fn files(text: &mut String, view: &ReportView) {
    let Some(changes) = view.changes.as_ref().filter(|changes| !changes.is_empty()) else { return };
    text.push_str("\n## Files changed\n\n| file | | added | deleted |\n|---|---|---|---|\n");
    for file in changes.all().take(MAX_FILES) {
        let lines = |count: Option<u64>| count.map_or("binary".to_owned(), |n| n.to_string());
        let (letter, added, deleted) =
            (file.status.letter(), lines(file.added), lines(file.deleted));
        let _ = writeln!(text, "| {} | {letter} | {added} | {deleted} |", cell(&file.path));
    }
    let more = changes.all().count().saturating_sub(MAX_FILES);
    if more > 0 {
        let _ = writeln!(text, "\n{more} more files: `windlass diff --stat --run {}`", view.run);
    }
    clone_notes(text, view);
}

/// What changed besides lines.
pub(super) fn clone_notes(text: &mut String, view: &ReportView) {
    let notes = view.changes.as_ref().map_or(&[][..], |changes| &changes.notes);
    if notes.is_empty() {
        return;
    }
    text.push_str("\n## What a fresh clone gets\n\n");
    for note in notes.iter().take(MAX_NOTES) {
        let _ = writeln!(text, "- {}", prose(note));
    }
    let more = notes.len().saturating_sub(MAX_NOTES);
    if more > 0 {
        let _ = writeln!(text, "- {more} more: `windlass diff --stat --run {}`", view.run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_attempt_can_be_copied() {
        assert_eq!(who("agent:plan#1"), "`agent:plan#1`");
        assert_eq!(who("agent:plan#1`<b>"), "agent:plan#\u{200b}1&#96;&lt;b&gt;");
        assert_eq!(who("ada"), "ada");
    }
}
