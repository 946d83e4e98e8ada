//! Words that the writers of a report share.

use crate::plan::{Holds, Strength};
use crate::run::{Publication, RunStatus};
use crate::view::ItemView;
use crate::view::blockers::BlockerView;
use crate::view::questions::QuestionView;
use crate::view::quiet::one_line;
use crate::view::report::projection::{ReportAttempt, ReportStep, ReportView};
use crate::view::status::BudgetView;

pub(super) fn short(id: &str) -> &str {
    id.get(..12).unwrap_or(id)
}

/// Where the pull request is, or where it can be opened.
pub(super) fn pull_request(publication: &Publication) -> String {
    let Publication { remote, pushed, number, url, compare_url, .. } = publication;
    let pushed = short(pushed.as_str());
    match (number, url, compare_url) {
        (Some(number), Some(url), _) => format!("#{number} {url}, at `{pushed}`"),
        (Some(number), None, _) => format!("#{number}, at `{pushed}`"),
        (None, _, Some(page)) => format!("to be opened by hand: {page}, at `{pushed}`"),
        (None, _, None) => format!("to be opened by hand; `{remote}` has the branch at `{pushed}`"),
    }
}

pub(super) fn verdict(holds: Holds) -> &'static str {
    match holds {
        Holds::Yes => "passed",
        Holds::No => "failed",
        Holds::Unknown => "could not run",
    }
}

pub(super) fn strength(strength: Strength) -> &'static str {
    match strength {
        Strength::Observed => "observed",
        Strength::Claimed => "claimed",
    }
}

pub(super) fn rests_on(step: &ReportStep) -> &'static str {
    match step.rests_on {
        Some(Strength::Observed) => "observed",
        Some(Strength::Claimed) => "claimed only",
        None => "–",
    }
}

pub(super) fn step_status(step: &ReportStep) -> &'static str {
    if step.waived { "waived" } else { step.status.as_str() }
}

/// An amount of money: cents, or what is below them where that is all there is.
fn usd(amount: f64) -> String {
    if amount > 0.0 && amount < 0.01 { format!("{amount:.4}") } else { format!("{amount:.2}") }
}

/// How many attempts a step took: `3, 1 cut off`.
pub(super) fn step_attempts(step: &ReportStep) -> String {
    match step.cut_off {
        0 => step.attempts.to_string(),
        cut_off => format!("{}, {cut_off} cut off", step.attempts),
    }
}

pub(super) fn step_cost(step: &ReportStep) -> String {
    match (step.cost_usd, step.unknown_cost) {
        (None, _) => "–".to_owned(),
        (Some(cost), 0) => usd(cost),
        (Some(cost), unknown) => format!("{} + {unknown} unknown", usd(cost)),
    }
}

/// The model of an attempt and its tokens, as far as somebody said.
pub(super) fn spoken(attempt: &ReportAttempt) -> String {
    let mut words = String::new();
    if let Some(model) = &attempt.model {
        words.push_str(", ");
        words.push_str(&one_line(model));
    }
    if let (Some(input), Some(output)) = (attempt.input_tokens, attempt.output_tokens) {
        words.push_str(&format!(", {input} tokens read and {output} written"));
    }
    words
}

pub(super) fn run_status(view: &ReportView) -> &'static str {
    match view.status {
        RunStatus::Active => "active",
        RunStatus::AwaitingApproval => "awaiting approval",
        RunStatus::AwaitingUser => "waiting for a person",
        RunStatus::Waiting => "waiting",
        RunStatus::Paused => "paused",
        RunStatus::Completed => "completed",
        RunStatus::Aborted => "aborted",
    }
}

pub(in crate::view) fn cost(budget: &BudgetView) -> String {
    match (budget.unknown_cost, budget.attempts) {
        (0, _) => format!("{} USD", usd(budget.cost_usd)),
        (unknown, attempts) if unknown == attempts => "unknown: no attempt reported one".to_owned(),
        (unknown, attempts) => {
            format!(
                "{} USD, and unknown for {unknown} of {attempts} attempts",
                usd(budget.cost_usd)
            )
        }
    }
}

pub(super) fn audit(view: &ReportView) -> String {
    match &view.audit {
        None => "not run".to_owned(),
        Some(audit) if audit.ok => format!(
            "ok: {} records in {} decisions, each decided again with the same result",
            audit.records, audit.decisions
        ),
        Some(audit) => {
            let problems = crate::view::count(audit.problems.len(), "problem");
            format!("{problems}: {}", audit.problems.join("; "))
        }
    }
}

/// Returns how far an item has come, and what is to be known about that.
pub(super) fn item_status(item: &ItemView) -> String {
    let status = item.status.as_str();
    match &item.note {
        Some(note) => format!("{status}: {note}"),
        None if item.waived => format!("{status}, with a waived step"),
        None => status.to_owned(),
    }
}

/// How a blocker ended, or why it is open.
pub(super) fn how_it_ended(blocker: &BlockerView) -> String {
    match (&blocker.resolved, &blocker.stays) {
        (Some(resolved), _) => {
            let by = resolved.by.as_deref().unwrap_or("its check");
            let notes = resolved.notes.as_deref().map(|notes| format!(": {notes}"));
            format!("solved by {by}{}", notes.unwrap_or_default())
        }
        (None, Some(why)) => format!("open: {why}"),
        (None, None) => "open".to_owned(),
    }
}

/// What was answered, and who did.
pub(super) fn answer_and_by(known: &QuestionView) -> (String, String) {
    match &known.answer {
        None => ("open".to_owned(), "nobody yet".to_owned()),
        Some(answer) => {
            let by = answer.by.clone().unwrap_or_else(|| "assumed".to_owned());
            (answer.words.clone(), by)
        }
    }
}
