//! Text of others, made fit to be shown.
//!
//! Agents write file names, file contents and output. A terminal obeys control characters, and
//! bidirectional marks change the order in which people read; both are shown, never passed on.

use std::fmt::Write as _;

/// Which control characters stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Line breaks and tabs.
    Many,
    /// None: the text is part of a line.
    One,
}

/// Replaces what a terminal would obey by what people can read: `\x1b`, `\u{202e}`.
pub fn printable(text: &str, lines: Lines) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' if lines == Lines::Many => shown.push(c),
            // Writing to a string cannot fail.
            c if c.is_control() && (c as u32) < 0x100 => {
                let _ = write!(shown, "\\x{:02x}", c as u32);
            }
            c if c.is_control() || is_reordering(c) => {
                let _ = write!(shown, "\\u{{{:x}}}", c as u32);
            }
            c => shown.push(c),
        }
    }
    shown
}

fn is_reordering(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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
        assert_eq!(printable("x\u{202e}y", Lines::Many), "x\\u{202e}y");
        assert_eq!(printable("grün ✓", Lines::One), "grün ✓");
    }

    #[test]
    fn a_beginning_never_cuts_a_character() {
        assert_eq!(beginning("äöü", 3), ("ä", 4));
        assert_eq!(beginning("abc", 10), ("abc", 0));
    }
}
