//! What the run is for, where it stands, since when, and who drives it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::super::look::Look;
use super::super::screen::{Driven, Screen, Seen};
use super::text::{brief, cut, ends};

/// Two lines, and one more when something is wrong.
pub(super) fn height(screen: &Screen) -> u16 {
    let alert = screen.seen.as_ref().and_then(|seen| alert(seen, screen));
    if alert.is_some() { 3 } else { 2 }
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen, look: Look) {
    let Some(seen) = &screen.seen else { return };
    let run = &seen.view.run;
    let width = usize::from(area.width);
    let mut lines = vec![ends(
        Span::styled(run.goal.clone(), look.bold()),
        Span::styled(format!("run {}", run.id), look.dim()),
        width,
    )];
    let since = brief(screen.now.since(run.since_moment));
    let status = format!("{}{}", run.status.words(), run.since_words(&since));
    let room = width.saturating_sub(status.chars().count() + 3);
    let place = format!("workflow {}, branch {}", run.workflow, run.branch);
    lines.push(Line::from(vec![
        Span::styled(status, look.run(run.status)),
        Span::styled(format!("   {}", cut(&place, room)), look.dim()),
    ]));
    if let Some(alert) = alert(seen, screen) {
        lines.push(Line::styled(cut(&alert, width), look.bad()));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

/// What is wrong with the view or with who drives the run.
fn alert(seen: &Seen, screen: &Screen) -> Option<String> {
    if let Some(trouble) = &seen.trouble {
        return Some(format!("what is shown may be old: {trouble}"));
    }
    match seen.driver {
        Driven::Nobody { since } if seen.view.run.wants_driver() => {
            let ago = brief(screen.now.since(since));
            Some(format!("nobody drives this run since {ago}: continue with `windlass resume`"))
        }
        Driven::Nobody { .. } | Driven::By { .. } => None,
    }
}
