//! The steps as a tree.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use windlass_core::run::StepStatus;
use windlass_core::view::StepView;

use super::super::look::Look;
use super::super::screen::{Screen, is_finished};
use super::text::{brief, fill, rule};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen, look: Look) {
    let steps = screen.steps();
    let height = usize::from(area.height.saturating_sub(1));
    let selected = screen.selected().unwrap_or(0);
    // The selected step in the middle, as far as the ends allow.
    let top = selected.saturating_sub(height / 2).min(steps.len().saturating_sub(height));
    let done = steps.iter().filter(|step| is_finished(step)).count();
    let mut title = format!("steps: {done} of {} done", steps.len());
    if steps.len() > height {
        let last = (top + height).min(steps.len());
        title = format!("{title}, {} to {last} shown", top + 1);
    }
    let mut lines = vec![rule(&title, look.bold(), area, look)];
    let shown = steps.iter().enumerate().skip(top).take(height);
    lines.extend(shown.map(|(at, step)| row(step, at == selected, area.width, screen, look)));
    frame.render_widget(Paragraph::new(lines), area);
}

fn row(step: &StepView, selected: bool, width: u16, screen: &Screen, look: Look) -> Line<'static> {
    let width = usize::from(width);
    let gate = screen.seen.as_ref().and_then(|seen| seen.view.gate.as_ref());
    let waits = gate.is_some_and(|gate| gate.step == step.id);
    let (words, style) = if waits {
        ("waits for you", look.yours())
    } else if step.waived {
        ("waived", look.bad())
    } else {
        (step.status.as_str(), look.step(step.status))
    };
    let time = elapsed(step, screen);
    let tries = if width >= 70 { tries(step) } else { String::new() };
    // Status, tries and time have fixed columns; the title gets the rest.
    let columns = 15 + if tries.is_empty() && width < 70 { 0 } else { 12 } + 8;
    let indent = "  ".repeat(step.depth.min(width / 8));
    let room = width.saturating_sub(columns + 3);
    let title = fill(&step.title, room.saturating_sub(indent.len()));
    let whole = if selected { look.selected() } else { Style::new() };
    let mut spans = vec![
        Span::styled(format!(" {indent}{} ", step.sign()), style),
        Span::raw(title),
        Span::styled(format!(" {words:<14}"), style),
    ];
    if width >= 70 {
        spans.push(Span::styled(format!("{tries:<12}"), look.dim()));
    }
    spans.push(Span::styled(format!("{time:>7} "), look.dim()));
    Line::from(spans).style(whole)
}

fn tries(step: &StepView) -> String {
    match (step.status, step.attempts) {
        (_, 0) => String::new(),
        (StepStatus::Running, _) => {
            format!("try {} of {}", (step.tries + 1).min(step.retries), step.retries)
        }
        (_, 1) => "1 attempt".to_owned(),
        (_, count) => format!("{count} attempts"),
    }
}

fn elapsed(step: &StepView, screen: &Screen) -> String {
    match step.running_since {
        Some(since) => brief(screen.now.since(since)),
        None if step.attempts > 0 => brief(step.wall),
        None => String::new(),
    }
}
