//! A page: title, text, keys.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::super::look::Look;
use super::super::pager::Pager;
use super::super::screen::Screen;
use super::text::{cut, ends};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen, look: Look) {
    let Some(pager) = &screen.pager else { return };
    let width = usize::from(area.width);
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(1), Constraint::Length(1)])
            .areas(area);
    let title = Span::raw(format!(" {}", pager.title));
    let at = Span::raw(format!("{} ", position(pager)));
    frame.render_widget(Paragraph::new(ends(title, at, width).style(look.selected())), head);
    let lines: Vec<Line<'_>> = if pager.loaded {
        let shown = pager.wrapped.iter().skip(pager.top).take(usize::from(body.height));
        shown
            .map(|line| {
                let style = look.line(line.kind);
                let style = if pager.is_hit(line) { style.patch(look.selected()) } else { style };
                Line::styled(line.text.as_str(), style)
            })
            .collect()
    } else {
        vec![Line::styled("reading …", look.dim())]
    };
    frame.render_widget(Paragraph::new(lines), body);
    frame.render_widget(Paragraph::new(foot_line(screen, pager, width, look)), foot);
}

fn position(pager: &Pager) -> String {
    let last = (pager.top + pager.height).min(pager.wrapped.len());
    let lines = format!("{} to {last} of {}", (pager.top + 1).min(last), pager.wrapped.len());
    match pager.attempt {
        Some((shown, count)) if count > 1 => format!("attempt {shown} of {count}, lines {lines}"),
        _ => format!("lines {lines}"),
    }
}

fn foot_line(screen: &Screen, pager: &Pager, width: usize, look: Look) -> Line<'static> {
    if let Some(input) = &pager.typing {
        let (before, after) = input.halves();
        return Line::raw(cut(&format!("/{before}▏{after}"), width));
    }
    if let Some(notice) = &screen.notice {
        let style = if notice.bad { look.bad() } else { look.good() };
        return Line::styled(cut(&notice.text, width), style);
    }
    let attempts =
        if pager.attempt.is_some_and(|(_, count)| count > 1) { "  [ ] attempt" } else { "" };
    let keys = format!("↑↓ PgUp PgDn Home End  / search{attempts}  q back");
    Line::styled(cut(&keys, width), look.dim())
}
