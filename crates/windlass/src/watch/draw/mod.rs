//! Drawing the screen: pure, from what is known to what is shown.

mod dialog;
mod footer;
mod header;
mod page;
mod panel;
mod steps;
mod text;

pub(super) use panel::life;
pub(super) use text::{brief, cut, rule_text};

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::{Clear, Paragraph, Wrap};

use super::look::Look;
use super::screen::{SMALLEST, Screen};

/// From this width on, steps and details stand side by side.
const WIDE: u16 = 110;

/// Draws all.
pub(super) fn draw(frame: &mut Frame<'_>, screen: &Screen, look: Look) {
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        return too_small(frame, area);
    }
    if screen.seen.is_none() {
        frame.render_widget(Paragraph::new("reading the journal …"), area);
    } else if screen.pager.is_some() {
        page::draw(frame, area, screen, look);
    } else {
        overview(frame, area, screen, look);
    }
    if screen.dialog.is_some() {
        dialog::draw(frame, area, screen, look);
    }
}

fn too_small(frame: &mut Frame<'_>, area: Rect) {
    let text = format!(
        "terminal too small: needs at least {}x{}, this is {}x{}",
        SMALLEST.0, SMALLEST.1, area.width, area.height
    );
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
}

fn overview(frame: &mut Frame<'_>, area: Rect, screen: &Screen, look: Look) {
    let [head, body, foot] = Layout::vertical([
        Constraint::Length(header::height(screen)),
        Constraint::Min(3),
        Constraint::Length(footer::height(screen)),
    ])
    .areas(area);
    header::draw(frame, head, screen, look);
    footer::draw(frame, foot, screen, look);
    let (left, right) = if body.width >= WIDE {
        let [left, right] =
            Layout::horizontal([Constraint::Percentage(45), Constraint::Percentage(55)])
                .spacing(2)
                .areas(body);
        (left, right)
    } else {
        // The title and all steps, but never more than half: what happens is below.
        let wanted = u16::try_from(screen.steps().len() + 1).unwrap_or(u16::MAX);
        let most = if screen.shows_gate() { body.height / 3 } else { body.height / 2 };
        let steps = wanted.min(most.max(2));
        let [above, below] =
            Layout::vertical([Constraint::Length(steps), Constraint::Min(1)]).areas(body);
        (above, below)
    };
    steps::draw(frame, left, screen, look);
    panel::draw(frame, right, screen, look);
}
