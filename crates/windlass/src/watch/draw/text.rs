//! Text that fits.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use super::super::look::Look;
use super::super::pager::fitting;

/// Cuts a text to so many columns, with a sign where something is missing.
pub(in crate::watch) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    if width == 0 {
        return String::new();
    }
    let end = fitting(text, width - 1);
    // A single character may be wider than what there is.
    let kept = if text[..end].width() < width { &text[..end] } else { "" };
    format!("{kept}…")
}

/// Fills a text up to so many columns, or cuts it.
pub(super) fn fill(text: &str, width: usize) -> String {
    let mut text = cut(text, width);
    let missing = width.saturating_sub(text.width());
    text.extend(std::iter::repeat_n(' ', missing));
    text
}

/// A line with a left and a right end; the left one gives way.
pub(super) fn ends(left: Span<'static>, right: Span<'static>, width: usize) -> Line<'static> {
    let right = Span::styled(cut(&right.content, width), right.style);
    let room = width.saturating_sub(right.width() + 1);
    let left = Span::styled(fill(&left.content, room), left.style);
    Line::from(vec![left, Span::raw(" "), right])
}

/// A title in a horizontal rule.
pub(super) fn rule(title: &str, style: Style, area: Rect, look: Look) -> Line<'static> {
    let text = rule_text(title, usize::from(area.width));
    let tail = text.trim_end_matches('─').len();
    let (head, tail) = text.split_at(tail);
    Line::from(vec![
        Span::styled("── ", look.dim()),
        Span::styled(head.trim_start_matches(['─', ' ']).to_owned(), style),
        Span::styled(tail.to_owned(), look.dim()),
    ])
}

/// A title in a horizontal rule, as plain text.
pub(in crate::watch) fn rule_text(title: &str, width: usize) -> String {
    let title = cut(title, width.saturating_sub(6));
    let tail = "─".repeat(width.saturating_sub(title.width() + 4));
    format!("── {title} {tail}")
}

/// A span that is drawn once a second: no fractions, which would only flicker.
pub(in crate::watch) fn brief(span: windlass_core::time::Span) -> String {
    match span.0 / 1000 {
        seconds @ 0..10 => format!("{seconds}s"),
        _ => span.to_string(),
    }
}

/// Bytes as people say them.
pub(super) fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{} kB", count / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", count / 1_000_000),
        _ => format!("{} GB", count / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_columns_and_not_by_characters() {
        assert_eq!(cut("planning", 8), "planning");
        assert_eq!(cut("planning", 5), "plan…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut("漢字漢字", 4), "漢…");
        assert_eq!(cut("漢字", 1), "…");
        assert_eq!(cut("x", 0), "");
        assert_eq!(fill("漢", 4), "漢  ");
    }
}
