//! What a run needs from a person, as text.

use std::fmt::Write as _;

use windlass_core::time::Timestamp;
use windlass_core::view::{BlockedView, BlockerView, Lines, QuestionView, StatusView, printable};

use crate::clock::Clock;

/// How many lines of what a check said are shown.
const MOST_LINES: usize = 6;

/// How many blocked steps are shown on one screen.
const MOST_BLOCKED: usize = 8;

/// Writes everything that waits for a person besides gates.
pub(super) fn waits(text: &mut String, view: &StatusView, now: Timestamp) {
    for view in &view.blockers {
        text.push_str(&indented(&blocker(view, now)));
    }
    for view in &view.questions {
        text.push_str(&indented(&question(view)));
    }
    for view in view.blocked.iter().take(MOST_BLOCKED) {
        text.push_str(&indented(&blocked(view)));
    }
    if view.blocked.len() > MOST_BLOCKED {
        let _ = writeln!(
            text,
            "  and {} more: `windlass blocker list`",
            view.blocked.len() - MOST_BLOCKED
        );
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// Writes one blocker: what is wrong, how bad it is, since when, and why it stays.
pub(crate) fn blocker(view: &BlockerView, now: Timestamp) -> String {
    let mut text = format!(
        "blocker {} ({}, {}, for {}): {}\n",
        view.id,
        view.status,
        view.severity.as_str(),
        now.since(view.since_moment),
        shown(&view.description),
    );
    let step = view.step.as_ref().map(|step| format!(" of `{step}`")).unwrap_or_default();
    let _ = writeln!(text, "  raised by {}{step}", shown(&view.by));
    if let Some(resolved) = &view.resolved {
        let by = resolved.by.as_deref().map_or_else(
            || "its check holds".to_owned(),
            |person| format!("solved by {}", shown(person)),
        );
        let _ = writeln!(text, "  {by}, {}", resolved.at);
        if let Some(notes) = &resolved.notes {
            let _ = writeln!(text, "  notes: {}", shown(notes));
        }
        return text;
    }
    if let Some(check) = &view.check_command {
        let _ = writeln!(text, "  check: {}", shown(check));
    }
    if let Some(why) = &view.stays {
        let why = printable(why, Lines::Many);
        for (number, line) in why.lines().take(MOST_LINES).enumerate() {
            let _ = writeln!(text, "  {}{line}", if number == 0 { "it stays: " } else { "  " });
        }
    }
    text
}

/// Writes one blocked step or story.
pub(crate) fn blocked(view: &BlockedView) -> String {
    let what = match &view.item {
        Some(item) => format!("`{item}` {}", shown(&view.title)),
        None => format!("`{}`", view.step),
    };
    format!("blocked: {what}: {} (`{}`)", shown(&view.why), view.step)
}

/// Writes one question with its choices, or with its answer.
pub(crate) fn question(view: &QuestionView) -> String {
    let (phase, category) = (view.phase, shown(&view.category));
    let mut text = format!("{} ({phase}, {category}): {}", view.id, shown(&view.question));
    if let Some(answer) = &view.answer {
        let by = match (&answer.by, answer.assumed) {
            (Some(person), false) => format!("answered by {}", shown(person)),
            _ => "assumed: nobody answered".to_owned(),
        };
        let _ = write!(text, "\n  {} ({by})", shown(&answer.words));
        return text;
    }
    if let Some(why) = &view.rationale {
        let _ = write!(text, "\n  why: {}", shown(why));
    }
    for choice in &view.choices {
        let mark = if choice.recommended { " (recommended)" } else { "" };
        let _ = write!(text, "\n  {}: {}{mark}", choice.id, shown(&choice.text));
    }
    match &view.until {
        Some(until) => {
            let until = Clock::here().localised(until).into_owned();
            let _ = write!(text, "\n  without an answer the recommendation is taken at {until}");
        }
        None => text.push_str("\n  only a person can answer this: nothing is assumed"),
    }
    text
}

fn shown(text: &str) -> String {
    printable(text, Lines::One)
}
