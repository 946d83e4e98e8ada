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

/// Writes what [`printable`] shows as an escape of JSON, in a text that is JSON already: the value stays the
/// same, and whoever looks at it in a terminal sees every character that it has.
pub fn printable_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        // Outside its strings JSON has none of these, but line breaks where it is laid out for people.
        let escaped = c != '\n' && (c.is_control() || is_reordering(c) || is_invisible(c));
        if !escaped {
            shown.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\u{unit:04x}");
        }
    }
    shown
}

fn append(shown: &mut String, text: &str, lines: Lines) {
    let mut before = ' ';
    let mut base = ' ';
    let mut marks = 0;
    for c in text.chars() {
        if is_mark(c) {
            marks += 1;
        } else {
            (base, marks) = (c, 0);
        }
        match c {
            '\n' | '\t' if lines == Lines::Many => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            // Writing to a string cannot fail.
            c if c.is_control() && (c as u32) < 0x100 => {
                let _ = write!(shown, "\\x{:02x}", c as u32);
            }
            c if joins_pictures(c) && is_picture(before) => shown.push(c),
            // As wide as the letters of the writing that it belongs to.
            '\u{3000}' if is_wide(before) => shown.push(c),
            c if marks > MOST_MARKS || (marks > 0 && carries_no_mark(base)) => {
                let _ = write!(shown, "\\u{{{:x}}}", c as u32);
            }
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

/// How many marks one letter carries in any writing that we know of. A pile of them covers other lines.
const MOST_MARKS: usize = 3;

/// Marks that are drawn over the character before them.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{5bf}'
        | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}' | '\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}'
        | '\u{6e7}'..='\u{6e8}' | '\u{6ea}'..='\u{6ed}' | '\u{e31}' | '\u{e34}'..='\u{e3a}'
        | '\u{e47}'..='\u{e4e}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{302a}'..='\u{302f}' | '\u{3099}'..='\u{309a}'
        | '\u{fe20}'..='\u{fe2f}')
}

/// Signs and spaces carry no marks in any language: `=` with a stroke over it reads as another sign.
fn carries_no_mark(base: char) -> bool {
    base.is_whitespace() || base.is_control() || base.is_ascii_punctuation()
}

/// Characters that have no width, look like a space, break a line where no editor shows one, only say how
/// others are drawn, or look as each machine's fonts please.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
        | '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}'
        | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{16fe4}' | '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{fff8}' | '\u{fffe}'..='\u{ffff}' |
        '\u{2800}' | '\u{1d159}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' |
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}'
        | '\u{ffa0}' | '\u{feff}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}'
        | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Letters that take the room of two others, and have a space of their own.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
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
        assert_eq!(printable("a\nb\tc\u{9b}", Lines::One), "a\\nb\\tc\\x9b");
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
    fn blanks_private_characters_and_piles_of_marks_are_shown() {
        for hidden in [
            '\u{2800}',
            '\u{e000}',
            '\u{f8ff}',
            '\u{3164}',
            '\u{ad}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{f0000}',
            '\u{10fffd}',
        ] {
            let shown = printable(&format!("a{hidden}b"), Lines::Many);
            assert_eq!(shown, format!("a\\u{{{:x}}}b", hidden as u32));
        }
        let pile = format!("a{}b", "\u{301}".repeat(6));
        assert_eq!(
            printable(&pile, Lines::One),
            format!("a{}{}b", "\u{301}".repeat(3), "\\u{301}".repeat(3))
        );
        assert_eq!(printable("a =\u{338} b", Lines::One), "a =\\u{338} b");
        for honest in [
            "e\u{301}",
            "\u{1ec7}",
            "\u{5e9}\u{5c1}\u{5b8}",
            "\u{e17}\u{e35}\u{e48}",
            "한글 日本語 عربي",
        ] {
            assert_eq!(printable(honest, Lines::One), honest);
        }
    }

    #[test]
    fn what_looks_like_a_space_and_is_none_is_shown() {
        for hidden in
            ['\u{a0}', '\u{2003}', '\u{200a}', '\u{202f}', '\u{205f}', '\u{1680}', '\u{3000}']
        {
            let shown = printable(&format!("a{hidden}b"), Lines::Many);
            assert_eq!(shown, format!("a\\u{{{:x}}}b", hidden as u32));
        }
        for hidden in
            ['\u{600}', '\u{6dd}', '\u{70f}', '\u{8e2}', '\u{110bd}', '\u{13430}', '\u{1bca0}']
        {
            assert!(printable(&hidden.to_string(), Lines::One).starts_with("\\u{"), "{hidden:?}");
        }
        // In Japanese it is the usual space.
        assert_eq!(printable("東京\u{3000}大阪", Lines::One), "東京\u{3000}大阪");
    }

    #[test]
    fn json_keeps_its_value_and_shows_every_character() {
        let hostile = "a\u{202e}b\u{9b}31m\u{7f}\u{200b}\u{e0041}\u{a0} é 日本 \\ \" \n \u{2028}";
        let value = serde_json::json!({"name\u{202e}": [hostile, "plain"]});
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let shown = printable_json(&text);
            assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
            assert_eq!(printable(&shown, Lines::Many), shown, "nothing is left to be shown");
            assert!(
                shown.contains("\\u202e")
                    && shown.contains("\\udb40\\udc41")
                    && shown.contains('é')
            );
        }
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
