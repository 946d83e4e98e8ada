//! Text of others, made fit to be shown.
//!
//! Agents write file names, file contents and output. A terminal obeys control characters,
//! bidirectional marks change the order in which people read, and characters without width make two
//! different words look alike; all of them are shown, never passed on.

use std::fmt::Write as _;

/// Which control characters stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Line breaks and tabs.
    Many,
    /// None: the text is part of a line.
    One,
}

/// Replaces what a terminal would obey or nobody would see by what people can read: `\x1b`,
/// `\u{202e}`, `\u{200b}`.
pub fn printable(text: &str, lines: Lines) -> String {
    let mut shown = String::with_capacity(text.len());
    append(&mut shown, text, lines);
    shown
}

/// Like [`printable`], of bytes: what is not UTF-8 is shown byte by byte (`\xff`), so that two
/// different files never look alike.
pub fn printable_bytes(bytes: &[u8], lines: Lines) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        append(&mut shown, chunk.valid(), lines);
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

fn append(shown: &mut String, text: &str, lines: Lines) {
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '\n' | '\t' if lines == Lines::Many => shown.push(c),
            // Writing to a string cannot fail.
            c if c.is_control() && (c as u32) < 0x100 => {
                let _ = write!(shown, "\\x{:02x}", c as u32);
            }
            c if joins_pictures(c) && is_picture(before) => shown.push(c),
            c if c.is_control() || is_reordering(c) || is_invisible(c) => {
                let _ = write!(shown, "\\u{{{:x}}}", c as u32);
            }
            c => shown.push(c),
        }
        before = c;
    }
}

fn is_reordering(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Characters that have no width, or break a line where no editor shows one.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}'
        | '\u{ffa0}' | '\u{feff}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}'
        | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// What makes one picture out of several characters; after a picture it hides nothing.
fn joins_pictures(c: char) -> bool {
    matches!(c, '\u{200d}' | '\u{fe0f}')
}

fn is_picture(c: char) -> bool {
    ('\u{1f000}'..'\u{20000}').contains(&c)
        || ('\u{2190}'..='\u{2bff}').contains(&c)
        || c == '\u{fe0f}'
}

/// Returns the beginning of a text, at most `max` bytes of it, and how many bytes were left out.
pub fn beginning(text: &str, max: usize) -> (&str, usize) {
    let end = text.floor_char_boundary(max);
    (&text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        assert_eq!(printable("a\x1b[31mb\r\n", Lines::Many), "a\\x1b[31mb\\x0d\n");
        assert_eq!(printable("a\nb\tc\u{9b}", Lines::One), "a\\x0ab\\x09c\\x9b");
        assert_eq!(printable("x\u{202e}y\0", Lines::Many), "x\\u{202e}y\\x00");
        assert_eq!(printable("grün ✓", Lines::One), "grün ✓");
    }

    #[test]
    fn what_nobody_would_see_is_shown() {
        assert_eq!(printable("is\u{200b}Admin", Lines::One), "is\\u{200b}Admin");
        assert_eq!(printable("a\u{fe0f}b\u{e0041}", Lines::One), "a\\u{fe0f}b\\u{e0041}");
        assert_eq!(printable("\u{feff}x\u{2028}y", Lines::Many), "\\u{feff}x\\u{2028}y");
        let pictures = "\u{2764}\u{fe0f} \u{1f468}\u{200d}\u{1f469}";
        assert_eq!(printable(pictures, Lines::One), pictures);
        assert_eq!(printable("a\u{200d}", Lines::One), "a\\u{200d}");
    }

    #[test]
    fn bytes_that_are_no_text_are_told_apart() {
        assert_eq!(printable_bytes(b"a\xff\xfe\0\xc3\xa4", Lines::One), "a\\xff\\xfe\\x00ä");
    }

    #[test]
    fn a_beginning_never_cuts_a_character() {
        assert_eq!(beginning("äöü", 3), ("ä", 4));
        assert_eq!(beginning("abc", 10), ("abc", 0));
    }
}
