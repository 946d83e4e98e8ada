//! Text of others as Markdown that shows exactly its characters.
//!
//! By the rules of CommonMark an entity never takes the place of a sign that marks something, whatever
//! stands around it; a backslash does so before punctuation. Where the two differ between renderers, or
//! where a run of signs counts (backticks, bars of tables, dollars), the entity is used; elsewhere the
//! backslash, because people also read the source. What is left after rendering, a forge reads once
//! more: see [`quiet`](super::quiet). Every text is one line, so nothing of it begins a block but its
//! first word.

use super::printable::beginning;
use super::quiet::{SEPARATOR, is_in_shortcode, mentioning_nobody, one_line, quiet};

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// In a line: a paragraph, a heading, an entry of a list.
    Line,
    /// In a cell of a table.
    Cell,
}

/// A part of a line of text of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::view) enum Part<'t> {
    Words(&'t str),
    /// What stood between two single backticks.
    Code(&'t str),
}

/// Text of others in one line: what is quoted in single backticks is code, and nothing else of it is
/// Markdown or HTML, calls somebody or closes something.
pub fn prose(text: &str) -> String {
    written(&one_line(text), Within::Line)
}

/// As [`prose`], in a cell of a table.
pub fn cell(text: &str) -> String {
    written(&one_line(text), Within::Cell)
}

/// As [`prose`], of about `most` bytes of the text, and never more than twice as many.
pub(in crate::view) fn brief(text: &str, most: usize) -> String {
    cut(text, most, Within::Line)
}

/// As [`cell`], of about `most` bytes of the text, and never more than twice as many.
pub(in crate::view) fn brief_cell(text: &str, most: usize) -> String {
    cut(text, most, Within::Cell)
}

/// A name as code; one with signs that end code is text instead.
pub(in crate::view) fn code(name: &str) -> String {
    let name = one_line(name);
    let plain = !name.is_empty() && !name.contains(['`', '|']);
    if plain { format!("`{}`", mentioning_nobody(&name)) } else { written(&name, Within::Cell) }
}

/// An address as a link; one with signs that are in no address is text instead.
pub(in crate::view) fn address(url: &str) -> String {
    let is_plain =
        |sign: char| sign.is_ascii_alphanumeric() || "-._~:/?#@!$&'()*+,;=%".contains(sign);
    let web = url.starts_with("https://") || url.starts_with("http://");
    if web && url.chars().all(is_plain) { format!("<{url}>") } else { prose(url) }
}

/// Takes a line apart at pairs of single backticks with something else between them. Runs of other
/// lengths pair with nothing here: every renderer counts them in its own way.
pub(in crate::view) fn parts(line: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = line;
    let mut from = 0;
    while let Some((start, length)) = run_of_backticks(rest, from) {
        let inside = start + length;
        let end = run_of_backticks(rest, inside).filter(|end| length == 1 && end.1 == 1);
        match end {
            Some((end, _)) if !rest[inside..end].trim().is_empty() => {
                parts.push(Part::Words(&rest[..start]));
                parts.push(Part::Code(rest[inside..end].trim()));
                rest = &rest[end + 1..];
                from = 0;
            }
            Some(_) | None => from = inside,
        }
    }
    parts.push(Part::Words(rest));
    parts.retain(|part| *part != Part::Words(""));
    parts
}

/// Finds the next run of backticks: where it starts, and how long it is.
fn run_of_backticks(text: &str, from: usize) -> Option<(usize, usize)> {
    let start = from + text[from..].find('`')?;
    let length = text[start..].bytes().take_while(|byte| *byte == b'`').count();
    Some((start, length))
}

fn cut(text: &str, most: usize, within: Within) -> String {
    let line = one_line(text);
    let (mut start, _) = beginning(&line, most);
    loop {
        let text = written(start, within);
        if text.len() <= 2 * most || start.is_empty() {
            let more = if start.len() < line.len() { "…" } else { "" };
            return format!("{text}{more}");
        }
        (start, _) = beginning(start, start.len() / 2);
    }
}

fn written(line: &str, within: Within) -> String {
    let mut text = String::with_capacity(line.len() + line.len() / 4);
    for part in parts(line) {
        match part {
            Part::Words(words) => escape(&mut text, words),
            Part::Code(code) => set_as_code(&mut text, code, within),
        }
    }
    // A colon that windlass writes next would make `:name` at the end a picture.
    let tail = line.trim_end_matches(is_in_shortcode);
    if tail.len() < line.len() && tail.ends_with(':') {
        text.push(SEPARATOR);
    }
    text
}

fn set_as_code(text: &mut String, code: &str, within: Within) {
    // A table ends its cells before code is looked for, and what a backslash before `\|` does then
    // differs between renderers.
    if within == Within::Cell && code.contains("\\|") {
        // It is text then, and must not become one word with what stands beside it.
        text.push(SEPARATOR);
        escape(text, code);
        text.push(SEPARATOR);
        return;
    }
    let code = mentioning_nobody(code);
    let code = if within == Within::Cell { code.replace('|', "\\|") } else { code };
    text.push('`');
    text.push_str(&code);
    text.push('`');
}

/// Writes words so that each of their signs is only itself.
fn escape(text: &mut String, words: &str) {
    let starts = text.is_empty();
    let signs: Vec<char> = quiet(words).chars().collect();
    let number = signs.iter().take_while(|sign| sign.is_ascii_digit()).count();
    let mut in_word = false;
    for (at, sign) in signs.iter().copied().enumerate() {
        let is_first = starts && at == 0;
        // Once for a whole run, or a long one would take the square of its length.
        if sign == '_' && (at == 0 || signs[at - 1] != '_') {
            in_word = is_in_word(&signs, at);
        }
        match sign {
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '&' => text.push_str("&amp;"),
            '`' => text.push_str("&#96;"),
            '|' => text.push_str("&#124;"),
            // What follows a heading in braces can be its attributes.
            '{' => text.push_str("&#123;"),
            // GitHub finds formulas by dollars that stand free, also where a backslash is before them.
            '$' => {
                text.push(SEPARATOR);
                text.push_str("&#36;");
            }
            '\\' | '*' | '[' | ']' | '~' | '^' => push_escaped(text, sign),
            // It begins and ends headings; elsewhere it only was a reference.
            '#' if is_first
                || signs.get(at + 1).is_none_or(|next| *next == '#' || *next == ' ') =>
            {
                push_escaped(text, sign);
            }
            '_' if !in_word => push_escaped(text, sign),
            // Lists, underlines of headings, definitions; commands of GitLab and of bots begin a line
            // with a slash.
            '-' | '+' | '=' | ':' | '/' if is_first => push_escaped(text, sign),
            '.' | ')' if starts && number > 0 && at == number => push_escaped(text, sign),
            sign => text.push(sign),
        }
    }
}

fn push_escaped(text: &mut String, sign: char) {
    text.push('\\');
    text.push(sign);
}

/// Whether a run of underscores stands within a word, where it marks nothing: names of files and
/// functions stay readable in the source.
fn is_in_word(signs: &[char], run: usize) -> bool {
    let is_letter = |sign: Option<&char>| sign.is_some_and(|sign| sign.is_alphanumeric());
    let before = run.checked_sub(1).map(|before| &signs[before]);
    let after = signs[run..].iter().find(|sign| **sign != '_');
    is_letter(before) && is_letter(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_is_neither_markdown_nor_html() {
        assert_eq!(prose("a <script> & [x](y)"), "a &lt;script&gt; &amp; \\[x\\](y)");
        assert_eq!(prose("run `grep [a]|<b>` ok"), "run `grep [a]|<b>` ok");
        assert_eq!(prose("one ` alone <b>"), "one &#96; alone &lt;b&gt;");
        assert_eq!(prose("a\x1b[0m\nb"), "a\\\\x1b\\[0m b");
        assert_eq!(prose("may_write _x_"), "may_write \\_x\\_");
    }

    #[test]
    fn bars_end_no_cell() {
        assert_eq!(cell("run `a|b` | c"), "run `a\\|b` &#124; c");
        assert_eq!(cell("run `a\\|b`"), "run \u{200b}a\\\\&#124;b\u{200b}");
    }

    #[test]
    fn code_that_is_text_after_all_makes_no_name_with_its_neighbours() {
        assert_eq!(cell("`\\|@`ada"), "\u{200b}\\\\&#124;@\u{200b}ada");
    }

    #[test]
    fn only_single_backticks_with_something_between_them_are_a_pair() {
        use Part::{Code, Words};
        assert_eq!(parts("a `b` c"), [Words("a "), Code("b"), Words(" c")]);
        assert_eq!(parts("``` a `````"), [Words("``` a `````")]);
        assert_eq!(parts("` `x``y`"), [Words("` `x``y`")]);
        assert_eq!(parts("`a```b`c`"), [Words("`a```b"), Code("c")]);
        assert_eq!(parts(""), []);
    }

    #[test]
    fn a_name_that_would_end_its_code_is_text() {
        assert_eq!(code("feature/a"), "`feature/a`");
        assert_eq!(code("a`b|c"), "a&#96;b&#124;c");
        assert_eq!(address("https://x.org/a/pull/3"), "<https://x.org/a/pull/3>");
        assert_eq!(address("https://x.org/<b>"), "https:\u{200b}//x.org/&lt;b&gt;");
    }

    #[test]
    fn hostile_text_takes_at_most_twice_its_room() {
        for text in ["|".repeat(400), "@#1".repeat(200), "`$`".repeat(100), "x".repeat(400)] {
            let written = brief(&text, 300);
            assert!(written.len() <= 600 + "…".len() && written.len() > 100, "{written}");
            assert_eq!(written.ends_with('…'), text.len() > 300 || written.len() > 302);
        }
        assert_eq!(brief("short", 300), "short");
    }
}
