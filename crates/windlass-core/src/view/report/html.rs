//! The report as one HTML file: no script, nothing from elsewhere, readable on paper and on a phone.
//!
//! Everything that an agent or a person wrote goes through maud, which escapes it, after control
//! characters were made visible. The policy in the head is the second line: a browser loads and
//! runs nothing, whatever got into the page.

use maud::{DOCTYPE, Markup, PreEscaped, html as page};

use super::html_stories;
use super::inline::{
    answer_and_by, audit, cost, how_it_ended, item_status, pull_request, rests_on, run_status,
    short, spoken, step_attempts, step_cost, step_status, strength, verdict,
};
use super::projection::{ReportAttempt, ReportProof, ReportStep, ReportView};
use crate::plan::{Holds, Strength};
use crate::run::{RunStatus, StepStatus};
use crate::view::changes::FileChange;
use crate::view::kept::Fate;
use crate::view::literal::{Part, parts};
use crate::view::printable::{Lines, printable};
use crate::view::quiet::one_line;

const STYLE: &str = include_str!("style.css");

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// How many changed files are listed; the rest is only counted.
const MAX_FILES: usize = 500;

/// Writes the report as one self-contained HTML file.
pub fn html(view: &ReportView) -> String {
    let title = one_line(&view.goal);
    let markup = page! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { (title) " · windlass report" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (header(view, &title))
                main {
                    (html_stories::progress(view))
                    (steps(view))
                    (items(view))
                    (help(view))
                    (html_stories::stories(view))
                    (decisions(view))
                    (evidence(view))
                    (last_proof(view))
                    (unchecked(view))
                    (attempts(view))
                    (files(view))
                    (budget(view))
                    (journal(view))
                }
                footer {
                    "Written by windlass " (view.version) " from the journal of run " code { (view.run) }
                    ". Check it with " code { "windlass audit --run " (view.run) } "."
                }
            }
        }
    };
    markup.into_string()
}

fn header(view: &ReportView, title: &str) -> Markup {
    let counts = &view.counts;
    let tone = match view.status {
        RunStatus::Completed => "good",
        RunStatus::Aborted => "bad",
        RunStatus::Active
        | RunStatus::AwaitingApproval
        | RunStatus::AwaitingUser
        | RunStatus::Waiting
        | RunStatus::Paused => "busy",
    };
    page! {
        header {
            div.kicker { "Windlass report · " (view.workflow) }
            h1 { (title) }
            p {
                span class={ "pill " (tone) } { (run_status(view)) }
                @if let Some(detail) = &view.detail { " " span.soft { (prose(detail)) } }
            }
            p.soft {
                @if let Some(issue) = &view.issue { "Issue #" (issue.number) " " (one_line(&issue.title)) " · " }
                "started " (moment(&view.started_at))
                @if let (Some(ended), Some(took)) = (&view.ended_at, view.took) {
                    ", ended " (moment(ended)) " after " (took)
                }
            }
            p.soft { "branch " code { (view.branch) } " at " code { (short(&view.head)) } ", from " code { (short(&view.base)) } }
            @if let Some(publication) = &view.publication {
                p { "Pull request " (prose(&pull_request(publication))) }
                @for note in &publication.notes { p.soft { (prose(note)) } }
            }
            dl.cards {
                (card("Steps proven", &format!("{} of {}", counts.steps_proven, counts.steps), &counts.words()))
                (card("Attempts", &view.budget.attempts.to_string(), &format!("of at most {}", view.budget.attempts_limit)))
                (card("Working time", &view.budget.wall_ms.to_string(), &format!("of at most {}", view.budget.wall_ms_limit)))
                @if view.saved.0 > 0 { (card("Time saved", &view.saved.to_string(), "by earlier passes")) }
                (card("Decisions", &view.decisions.len().to_string(), ""))
                @if let Some(changes) = &view.changes {
                    (card("Files changed", &changes.all().count().to_string(), &lines_of(&changes.sum())))
                }
                @if let Some(tests) = &view.tests {
                    (card("Tests", &format!("{} → {}", tests.before, tests.after), &one_line(&tests.what_is_less())))
                }
                @if let Some(audit) = &view.audit {
                    (card("Journal", if audit.ok { "sound" } else { "damaged" }, &format!("{} records", audit.records)))
                }
            }
        }
    }
}

/// The part of a sum after the number of files.
fn lines_of(sum: &str) -> String {
    sum.split_once(", ").map(|(_, lines)| format!("lines: {lines}")).unwrap_or_default()
}

fn card(name: &str, value: &str, note: &str) -> Markup {
    page! { div { dt { (name) } dd { (value) @if !note.is_empty() { small { (note) } } } } }
}

fn steps(view: &ReportView) -> Markup {
    page! {
        h2 { "Steps" }
        div.panel {
            table.stack {
                thead { tr {
                    th { "Step" } th { "Status" } th { "Rests on" } th.n { "Attempts" } th.n { "Time" }
                    th.n { "Cost, USD" } th { "Files" } th { "Commit" }
                } }
                tbody { @for step in &view.steps { (step_row(step)) } }
            }
        }
    }
}

fn step_row(step: &ReportStep) -> Markup {
    let tone = match step.status {
        StepStatus::Done if step.waived => "busy",
        StepStatus::Done => "good",
        StepStatus::Failed | StepStatus::Blocked => "bad",
        StepStatus::Running | StepStatus::Verifying | StepStatus::Ready => "busy",
        StepStatus::Pending | StepStatus::Skipped | StepStatus::Invalidated => "soft",
    };
    let files = step.changes.as_ref().map(crate::view::Changes::sum).unwrap_or_default();
    let commit = step.commit.as_deref().map(short).unwrap_or_default();
    page! {
        tr {
            th scope="row" {
                (one_line(&step.title)) " " span.soft.mono { (step.id) }
            }
            td data-name="Status" {
                span class=(tone) { (step_status(step)) }
                @if let Some(note) = &step.note { span.soft { ": " (prose(note)) } }
                @if let Some(words) = &step.set_aside { span.soft { "; " (prose(words)) } }
            }
            td data-name="Rests on" class=[none(rests_on(step))] { (rests_on(step)) }
            td.n data-name="Attempts" { (step_attempts(step)) }
            td.n data-name="Time" { (step.wall) }
            td.n data-name="Cost, USD" class=[none(&step_cost(step))] { (step_cost(step)) }
            td data-name="Files" class=[none(&files)] { (files) }
            td data-name="Commit" class=[none(commit)] { code { (commit) } }
        }
    }
}

/// On a phone, a row leaves out what says nothing.
fn none(value: &str) -> Option<&'static str> {
    matches!(value, "" | "–").then_some("none")
}

fn items(view: &ReportView) -> Markup {
    page! {
        @if !view.items.is_empty() {
                h2 { "Items" }
                div.panel {
                    table {
                        thead { tr { th { "Item" } th { "Title" } th { "Status" } th { "Asked for by" } } }
                        tbody {
                            @for item in &view.items {
                                tr {
                                    td { code { (item.id) } }
                                    td { (one_line(&item.title)) }
                                    td { (one_line(&item_status(item))) }
                                    td { (one_line(&item.source)) }
                                }
                            }
                        }
                    }
                }
        }
    }
}

/// What people were needed for: blockers, and questions.
fn help(view: &ReportView) -> Markup {
    page! {
        @if !view.blockers.is_empty() {
            h2 { "Blockers" }
            div.panel { ul { @for blocker in &view.blockers {
                li {
                    strong { (blocker.severity.as_str()) } " " (one_line(&blocker.description)) ": "
                    (one_line(&how_it_ended(blocker)))
                }
            } } }
        }
        @if !view.clarifications.is_empty() {
            h2 { "Clarifications" }
            div.panel { ul { @for known in &view.clarifications {
                li {
                    (one_line(&known.question)) " " strong { (one_line(&answer_and_by(known).0)) }
                    " (" (one_line(&answer_and_by(known).1)) ")"
                }
            } } }
        }
    }
}

fn decisions(view: &ReportView) -> Markup {
    page! {
        h2 { "Decisions" }
        @if view.decisions.is_empty() {
            p.soft { "There were no decisions." }
        } @else {
            div.panel { ol.time {
                @for entry in &view.decisions {
                    li {
                        span.soft { (moment(&entry.time)) }
                        span {
                            // Most decisions name who took them.
                            @if !entry.what.contains(&entry.who) { strong { (one_line(&entry.who)) } ": " }
                            (prose(&entry.what))
                        }
                    }
                }
            } }
        }
    }
}

fn evidence(view: &ReportView) -> Markup {
    let of = |step: &ReportStep| -> Vec<&ReportProof> {
        view.proofs.iter().filter(|proof| proof.decisive && proof.step == step.id).collect()
    };
    page! {
        h2 { "Evidence" }
        p.soft {
            "What proves each step. Observed: windlass checked it itself. "
            "Claimed: an agent said so."
        }
        @for step in &view.steps {
            @let proofs = of(step);
            @if !proofs.is_empty() {
                h3 { (one_line(&step.title)) " " span.soft.mono { (step.id) } }
                div.panel { @for proof in proofs { (proof_row(proof)) } }
            }
        }
    }
}

fn proof_row(proof: &ReportProof) -> Markup {
    let tone = match proof.holds {
        Holds::Yes => "good",
        Holds::No => "bad",
        Holds::Unknown => "soft",
    };
    let line = page! {
        span class=(tone) { (verdict(proof.holds)) } " " (prose(&proof.summary)) " "
        @match proof.strength {
            Strength::Observed => span.soft { (strength(proof.strength)) },
            Strength::Claimed => span.busy { (strength(proof.strength)) },
        }
        span.soft {
            ", on " code { (short(&proof.code)) } ", " (proof.took)
            @if proof.cached { ", cached" }
        }
    };
    with_output(&line, proof.output.as_deref(), proof.evidence.as_ref().map(|blob| blob.bytes))
}

/// A line that opens where there is output behind it.
fn with_output(line: &Markup, output: Option<&str>, bytes: Option<u64>) -> Markup {
    page! {
        @match output.filter(|text| !text.trim().is_empty()) {
            Some(text) => details {
                summary { (line) }
                div.inside {
                    pre { (printable(text.trim_end(), Lines::Many)) }
                    @if let Some(bytes) = bytes { p.soft { (bytes) " bytes are kept in full" } }
                }
            },
            None => div.row.still { (line) },
        }
    }
}

fn attempts(view: &ReportView) -> Markup {
    page! {
        h2 { "Attempts" }
        @if view.attempts.is_empty() { p.soft { "None so far." } }
        div.panel { @for attempt in &view.attempts { (attempt_row(attempt, view)) } }
        @if let Some(words) = confinement(view) { p.soft { "Confinement: " (prose(words)) } }
    }
}

fn attempt_row(attempt: &ReportAttempt, view: &ReportView) -> Markup {
    let failed = |proof: &&ReportProof| {
        proof.attempt.as_ref() == Some(&attempt.id) && proof.holds == Holds::No
    };
    let proofs: Vec<&ReportProof> = view.proofs.iter().filter(failed).collect();
    let said = attempt.output.as_deref().filter(|text| !text.trim().is_empty());
    let line = page! {
        code { (attempt.id) } " " (prose(&attempt.ended))
        @if let Some(took) = attempt.took { span.soft { " after " (took) } }
        @if let Some(cost) = attempt.cost_usd { span.soft { ", " (format!("{cost:.2}")) " USD" } }
        @if !spoken(attempt).is_empty() { span.soft { (spoken(attempt)) } }
        @if let (Some(fate), None) = (attempt.fate, &attempt.failure) {
            " " span class=(if fate == Fate::Proven { "good" } else { "soft" }) { "· " (fate.as_str()) }
        }
        @if let Some(failure) = &attempt.failure {
            br; span.bad { "not proven: " (prose(failure)) }
        }
        @if attempt.left_behind > 0 {
            br; span.busy { "left " (attempt.left_behind) " processes behind, which were ended" }
        }
    };
    page! {
        @if said.is_none() && proofs.is_empty() {
            div.row.still { (line) }
        } @else {
            details {
                summary { (line) }
                div.inside {
                    @for proof in proofs {
                        p { span.bad { (verdict(proof.holds)) } " " (prose(&proof.summary)) }
                        @if let Some(text) = &proof.output { pre { (printable(text.trim_end(), Lines::Many)) } }
                    }
                    @if let Some(text) = said {
                        p.soft { "What the agent printed; none of it counts as proof:" }
                        pre { (printable(text.trim_end(), Lines::Many)) }
                    }
                }
            }
        }
    }
}

/// How attempts were confined, once for all of them.
fn confinement(view: &ReportView) -> Option<&str> {
    view.attempts.iter().rev().find_map(|attempt| attempt.confinement.as_deref())
}

fn files(view: &ReportView) -> Markup {
    let Some(changes) = &view.changes else { return page! {} };
    let count = changes.all().count();
    page! {
        h2 { "Files changed" }
        @if changes.is_empty() {
            p.soft { "None." }
        } @else {
            p.soft { (changes.sum()) ", since " code { (short(&view.base)) } }
            @if !changes.notes.is_empty() {
                p { "These change what a fresh clone gets:" }
                ul { @for note in &changes.notes { li { (one_line(note)) } } }
            }
            div.panel { table {
                thead { tr { th { "File" } th { } th.n { "Added" } th.n { "Deleted" } } }
                tbody { @for file in changes.all().take(MAX_FILES) { (file_row(file)) } }
            } }
            @if count > MAX_FILES { p.soft { (count - MAX_FILES) " more files" } }
        }
    }
}

fn file_row(file: &FileChange) -> Markup {
    let word = match file.status.letter() {
        'A' => "added",
        'D' => "deleted",
        'T' => "other kind",
        _ => "changed",
    };
    page! {
        tr {
            td { code { (one_line(&file.path)) } }
            td.word { (word) }
            @match (file.added, file.deleted) {
                (Some(added), Some(deleted)) => {
                    td.n { span.good { "+" (added) } }
                    td.n { span.bad { "−" (deleted) } }
                },
                _ => td.n.soft colspan="2" { "binary" },
            }
        }
    }
}

fn last_proof(view: &ReportView) -> Markup {
    page! {
        @if let Some(before) = &view.before {
            h2 { "Before the run" }
            div.panel { p { (prose(before)) } }
        }
        @if let Some(cold) = &view.cold {
            h2 { "Last proof" }
            div.panel { p { (prose(&cold.words())) } }
        }
        @if let Some(unprotected) = view.unprotected_words() {
            h2 { "Not protected" }
            div.panel { p { (prose(&unprotected)) } }
        }
        @if let Some(unfollowed) = view.unfollowed_words() {
            h2 { "Could not be followed" }
            div.panel { p { (prose(&unfollowed)) } }
        }
    }
}

fn unchecked(view: &ReportView) -> Markup {
    page! {
        @if !view.unchecked.is_empty() {
            h2 { "Not checked" }
            div.panel { ul { @for unchecked in &view.unchecked { li { (unchecked) } } } }
        }
    }
}

fn budget(view: &ReportView) -> Markup {
    let budget = &view.budget;
    // A bar is a picture of a number that stands beside it.
    let share = |used: u64, limit: u64| used as f64 / (limit.max(1)) as f64;
    page! {
        h2 { "Budget" }
        div.panel { table {
            tbody {
                tr {
                    th scope="row" { "Attempts" }
                    td { (budget.attempts) " of at most " (budget.attempts_limit) (bar(share(budget.attempts, budget.attempts_limit))) }
                }
                tr {
                    th scope="row" { "Working time" }
                    td { (budget.wall_ms) " of at most " (budget.wall_ms_limit) (bar(share(budget.wall_ms.0, budget.wall_ms_limit.0))) }
                }
                tr {
                    th scope="row" { "Cost" }
                    td {
                        (cost(budget)) ", of at most " (format!("{:.2}", budget.cost_usd_limit)) " USD"
                        @if budget.cost_usd_limit > 0.0 { (bar(budget.cost_usd / budget.cost_usd_limit)) }
                    }
                }
            }
        } }
    }
}

fn bar(share: f64) -> Markup {
    let percent = (share * 100.0).clamp(0.0, 100.0);
    page! { span.bar aria-hidden="true" { i style=(format!("width:{percent:.1}%")) {} } }
}

fn journal(view: &ReportView) -> Markup {
    let sound = view.audit.as_ref().is_none_or(|audit| audit.ok);
    page! {
        h2 { "Journal" }
        div.panel { table { tbody {
            tr { th scope="row" { "Audit" } td { span class=(if sound { "" } else { "bad" }) { (one_line(&audit(view))) } } }
            tr { th scope="row" { "Head" } td { code { (view.journal_head) } } }
        } } }
    }
}

/// A line of text of others, with what it quotes in backticks set as code.
pub(super) fn prose(text: &str) -> Markup {
    let text = one_line(text);
    page! {
        @for part in parts(&text) {
            @match part {
                Part::Words(words) => (words),
                Part::Code(quoted) => code { (quoted) },
            }
        }
    }
}

/// A moment to the second; the exact one is in the markup.
fn moment(time: &str) -> Markup {
    let shown = time.get(..19).map_or_else(|| time.to_owned(), |text| text.replace('T', " "));
    page! { time datetime=(time) { (shown) " UTC" } }
}
