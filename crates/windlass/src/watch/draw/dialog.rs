//! Questions to the person, and the help.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};
use windlass_core::view::RollbackTarget;

use super::super::look::Look;
use super::super::screen::{Dialog, Screen};
use super::super::text_input::TextInput;
use super::text::{cut, fill};

const HELP: &str = "\
↑ ↓ j k     choose a step; Esc follows what happens again
Enter, e    evidence: what was checked, and its output
d           diff: what the step changed
p           prompt: what the agent was told
o           output: what the agent printed
l           log: what happened, event by event
a f r       at a gate: approve, feedback, rollback
s           pause the run, or let it go on
in a page   PgUp PgDn Home End, / search, n N, [ ] attempt
q           leave; the run continues without you";

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen, look: Look) {
    let Some(dialog) = &screen.dialog else { return };
    let width = area.width.saturating_sub(4).min(72);
    let inner = usize::from(width.saturating_sub(4));
    let (title, lines) = match dialog {
        Dialog::Help => ("keys".to_owned(), HELP.lines().map(Line::raw).collect()),
        Dialog::Approve { step, message: None, .. } => (
            format!("approve `{step}`"),
            vec![
                Line::raw("Accept exactly what is shown?"),
                Line::raw(""),
                Line::styled("y yes   m yes, with a message   n no", look.bold()),
            ],
        ),
        Dialog::Approve { step, message: Some(message), .. } => (
            format!("approve `{step}`"),
            typed("A message to keep with it (optional):", message, "approves", inner, look),
        ),
        Dialog::Feedback { step, text, .. } => (
            format!("feedback for `{step}`"),
            typed("What should be different?", text, "sends it back", inner, look),
        ),
        Dialog::Rollback { targets, at, reset_code, why: None } => {
            let room = usize::from(area.height.saturating_sub(9)).max(1);
            (
                "roll back to".to_owned(),
                targets_lines(targets, *at, *reset_code, (inner, room), look),
            )
        }
        Dialog::Rollback { targets, at, why: Some(why), .. } => {
            let target = targets.get(*at).map(|target| target.step.as_str()).unwrap_or_default();
            (
                format!("roll back to `{target}`"),
                typed("Why? The step is told.", why, "rolls back", inner, look),
            )
        }
        Dialog::Pause => (
            "pause the run".to_owned(),
            vec![
                Line::raw("Start nothing new?"),
                Line::raw(""),
                Line::styled("y let the running attempt finish", look.bold()),
                Line::styled("x stop it now; it uses no try", look.bold()),
                Line::styled("n no", look.bold()),
            ],
        ),
        Dialog::Resume => (
            "resume the run".to_owned(),
            vec![
                Line::raw("Let the run go on?"),
                Line::raw(""),
                Line::styled("y yes   n no", look.bold()),
            ],
        ),
    };
    let mut lines = lines;
    if !screen.hears_question() {
        hide_keys(&mut lines, look);
    }
    show(frame, area, width, &title, lines, look);
}

/// Keys that do not count yet are not named; their lines stay, so that nothing jumps.
fn hide_keys(lines: &mut [Line<'_>], look: Look) {
    for line in lines.iter_mut().filter(|line| line.style == look.bold()) {
        *line = Line::styled("…", look.dim());
    }
}

fn show(
    frame: &mut Frame<'_>,
    area: Rect,
    width: u16,
    title: &str,
    lines: Vec<Line<'_>>,
    look: Look,
) {
    let inner = usize::from(width.saturating_sub(4)).max(1);
    let rows: usize = lines.iter().map(|line| line.width().div_ceil(inner).max(1)).sum();
    let height = u16::try_from(rows + 2).unwrap_or(u16::MAX).min(area.height);
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    frame.render_widget(Clear, place);
    let title = format!(" {} ", cut(title, inner.saturating_sub(2)));
    let block = Block::bordered()
        .title(Span::styled(title, look.bold()))
        .padding(ratatui::widgets::Padding::horizontal(1));
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).block(block), place);
}

/// A line to type into; what does not fit is out of sight on the left.
fn typed(
    question: &'static str,
    input: &TextInput,
    enter: &str,
    width: usize,
    look: Look,
) -> Vec<Line<'static>> {
    let (before, after) = input.halves();
    let room = width.saturating_sub(1);
    let mut start = 0;
    for (at, c) in before.char_indices() {
        if Span::raw(&before[start..]).width() <= room * 3 / 4 {
            break;
        }
        start = at + c.len_utf8();
    }
    let seen = fill(&format!("{}▏{after}", &before[start..]), width);
    vec![
        Line::raw(question),
        Line::styled(seen, look.selected()),
        Line::raw(""),
        Line::styled(format!("Enter {enter}   Esc cancel"), look.bold()),
    ]
}

fn targets_lines(
    targets: &[RollbackTarget],
    at: usize,
    reset_code: bool,
    (width, room): (usize, usize),
    look: Look,
) -> Vec<Line<'static>> {
    let top = at.saturating_sub(room / 2).min(targets.len().saturating_sub(room));
    let row = |(index, target): (usize, &RollbackTarget)| {
        let suggested = if target.suggested { "  (suggested)" } else { "" };
        let text = format!(" {} ({}){suggested}", target.title, target.step);
        let style = if index == at { look.selected() } else { Style::new() };
        Line::styled(fill(&text, width), style)
    };
    let mut lines: Vec<Line<'static>> =
        targets.iter().enumerate().skip(top).take(room).map(row).collect();
    let code = if reset_code { "[x]" } else { "[ ]" };
    lines.push(Line::raw(""));
    lines.push(Line::raw(format!("{code} c: set the code back to where it began")));
    lines.push(Line::styled("↑↓ choose   Enter go on   Esc cancel", look.bold()));
    lines
}
