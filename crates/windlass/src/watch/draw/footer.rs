//! The budget, the next gate, and the keys.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use windlass_core::run::RunStatus;
use windlass_core::view::{BudgetView, StatusView};

use super::super::keys::can_pause;
use super::super::look::Look;
use super::super::screen::Screen;
use super::text::{brief, cut};

/// How wide a gauge is.
const GAUGE: usize = 6;

pub(super) fn height(screen: &Screen) -> u16 {
    if screen.size.1 >= 14 { 3 } else { 2 }
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen, look: Look) {
    let Some(seen) = &screen.seen else { return };
    let width = usize::from(area.width);
    let mut lines = vec![budget(&seen.view.budget, width, look)];
    if area.height >= 3 {
        lines.push(Line::styled(cut(&ahead(&seen.view), width), look.dim()));
    }
    lines.push(keys_or_notice(screen, width, look));
    frame.render_widget(Paragraph::new(lines), area);
}

fn budget(budget: &BudgetView, width: usize, look: Look) -> Line<'static> {
    let attempts = format!("{} of {} attempts", budget.attempts, budget.attempts_limit);
    let wall = format!("{} of {}", brief(budget.wall_ms), brief(budget.wall_ms_limit));
    let cost = budget.cost_words();
    // Three gauges, and the room between them.
    let words = attempts.len() + wall.len() + cost.len();
    if width < words + 3 * (GAUGE + 1) + 4 {
        let (attempts, wall) = (attempts.replace(" of ", "/"), wall.replace(" of ", "/"));
        return Line::styled(cut(&format!("{attempts}, {wall}, {cost}"), width), look.dim());
    }
    let known = budget.unknown_cost == 0;
    let mut spans = Vec::new();
    let mut part = |gauge: Option<String>, words: String| {
        if let Some(gauge) = gauge {
            spans.push(Span::styled(gauge, look.busy()));
            spans.push(Span::raw(" "));
        }
        spans.push(Span::styled(format!("{words}  "), look.dim()));
    };
    part(Some(gauge(budget.attempts as f64, budget.attempts_limit as f64)), attempts);
    part(Some(gauge(budget.wall_ms.0 as f64, budget.wall_ms_limit.0 as f64)), wall);
    part(known.then(|| gauge(budget.cost_usd, budget.cost_usd_limit)), cost);
    Line::from(spans)
}

/// A bar of blocks; the number beside it says the same.
fn gauge(used: f64, limit: f64) -> String {
    let share = if limit > 0.0 { (used / limit).clamp(0.0, 1.0) } else { 1.0 };
    // Between zero and the width of a gauge.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded above")]
    let full = (share * GAUGE as f64).ceil() as usize;
    format!("{}{}", "█".repeat(full), "░".repeat(GAUGE - full))
}

fn ahead(view: &StatusView) -> String {
    match (&view.gate, &view.next_gate) {
        (Some(gate), _) => format!("gate: `{}` waits for your answer", gate.step),
        (None, Some(gate)) if gate.steps_until == 1 => {
            format!("next gate: {}, as soon as it is proven", gate.title)
        }
        (None, Some(gate)) => {
            format!("next gate: {}, {} steps from here", gate.title, gate.steps_until)
        }
        (None, None) => "no gate ahead".to_owned(),
    }
}

fn keys_or_notice(screen: &Screen, width: usize, look: Look) -> Line<'static> {
    if let Some(notice) = &screen.notice {
        let style = if notice.bad { look.bad() } else { look.good() };
        return Line::styled(cut(&notice.text, width), style);
    }
    if screen.deciding {
        return Line::styled("sending your answer …", look.busy());
    }
    let stops = match screen.seen.as_ref().map(|seen| seen.view.run.status) {
        Some(status) if can_pause(status) => "s pause  ",
        Some(RunStatus::Paused | RunStatus::AwaitingUser) => "s resume  ",
        _ => "",
    };
    let all =
        format!("↑↓ step  e evidence  d diff  p prompt  o output  l log  {stops}? help  q quit");
    let few = "↑↓ e d p o l s  ? help  q quit";
    let text = if all.chars().count() <= width { &all } else { few };
    Line::styled(cut(text, width), look.dim())
}
