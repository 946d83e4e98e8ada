//! The lines of a Markdown text that count.
//!
//! A scan of its own instead of a Markdown parser: it takes time in proportion to the text, whatever
//! the text nests, and where it is in doubt it errs on the side that sends work back. In doubt a line
//! gives no verdict, but what it names as found counts.

/// How much of a line is looked at.
const MAX_LINE: usize = 4000;

/// How many cells of a row are looked at.
const MAX_CELLS: usize = 20;

/// A line that counts, without what makes it a heading or an item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line<'t> {
    /// Its number, from 1.
    pub(super) number: usize,
    pub(super) text: &'t str,
    /// Whether it may be part of indented code, of a quote that goes on, of HTML or of a comment, or
    /// stands behind a box that nobody has ticked.
    pub(super) doubtful: bool,
}

/// Returns the lines outside of fenced code and quotes.
pub(super) fn counting(markdown: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    // A quote or HTML goes on until an empty line.
    let mut goes_on = false;
    for (number, line) in (1..).zip(markdown.lines()) {
        let text = content(line);
        if let Some(opened) = fence {
            if closes(text, opened) {
                fence = None;
            }
            continue;
        }
        if text.is_empty() {
            goes_on = false;
            continue;
        }
        fence = opens(text);
        if fence.is_some() {
            goes_on = false;
            continue;
        }
        if text.starts_with('>') {
            goes_on = true;
            continue;
        }
        goes_on |= is_html(text);
        let commented = in_comment || text.contains("<!--");
        let doubtful = goes_on || commented || is_indented(line) || is_unticked(line);
        in_comment = match (text.rfind("<!--"), text.rfind("-->")) {
            (Some(open), Some(close)) => open > close,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => in_comment,
        };
        lines.push(Line { number, text: short(text), doubtful });
    }
    lines
}

/// Returns the fence that begins a block of code.
fn opens(text: &str) -> Option<&str> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let fence = &text[..text.len() - text.trim_start_matches(mark).len()];
    let is_inline = mark == '`' && text[fence.len()..].contains('`');
    (fence.len() >= 3 && !is_inline).then_some(fence)
}

fn closes(text: &str, fence: &str) -> bool {
    let mark = fence.chars().next().unwrap_or('`');
    text.len() >= fence.len() && text.chars().all(|c| c == mark)
}

fn is_html(text: &str) -> bool {
    let inner = text.strip_prefix('<').map(|inner| inner.strip_prefix('/').unwrap_or(inner));
    inner.is_some_and(|inner| inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!'))
}

fn is_indented(line: &str) -> bool {
    line.starts_with("    ") || line.trim_start_matches(' ').starts_with('\t')
}

/// Whether what stands on a line is a choice that was not taken.
fn is_unticked(line: &str) -> bool {
    let line = line.trim_end();
    line.strip_suffix(content(line)).is_some_and(|before| before.contains("[ ]"))
}

fn short(text: &str) -> &str {
    let end = (0..=MAX_LINE.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// Returns what stands on a line behind marks of lists, headings and boxes.
fn content(line: &str) -> &str {
    let mut text = line.trim();
    // Lists in lists; nobody goes deeper on one line.
    for _ in 0..4 {
        let rest = text.trim_start_matches('#');
        let rest = strip_item(rest).unwrap_or(rest);
        let rest = ["[ ] ", "[x] ", "[X] "]
            .into_iter()
            .find_map(|checkbox| rest.strip_prefix(checkbox))
            .unwrap_or(rest)
            .trim_start();
        if rest.len() == text.len() {
            break;
        }
        text = rest;
    }
    text
}

fn strip_item(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix(['-', '*', '+']) {
        return rest.strip_prefix([' ', '\t']).map(str::trim_start);
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text[digits..].strip_prefix(['.', ')'])?.strip_prefix([' ', '\t'])?;
    (1..=9).contains(&digits).then(|| rest.trim_start())
}

/// Returns text without what Markdown puts around it, and without signs such as ✅.
pub(super) fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| {
        matches!(c, '*' | '_' | '`') || c.is_whitespace() || (!c.is_ascii() && !c.is_alphanumeric())
    })
}

/// Returns the cells of a row of a table.
pub(super) fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    Some(inner.split('|').take(MAX_CELLS).map(str::trim).collect())
}
