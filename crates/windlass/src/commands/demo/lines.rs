//! Lines that fit: cut where something is quoted, broken where something is told.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Cuts a line that may have colours to so many columns.
pub(super) fn cut(line: &str, width: usize) -> String {
    let shown = pieces(line).filter(|(_, shown)| *shown).map(|(c, _)| c.width().unwrap_or(0));
    if shown.sum::<usize>() <= width {
        return line.to_owned();
    }
    let (mut out, mut used) = (String::new(), 0);
    for (c, shown) in pieces(line) {
        used += if shown { c.width().unwrap_or(0) } else { 0 };
        if used >= width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    if line.contains('\x1b') {
        out.push_str("\x1b[0m");
    }
    out
}

/// The characters of a line, and whether each is shown: sequences of colours take no room.
fn pieces(line: &str) -> impl Iterator<Item = (char, bool)> {
    let mut sequence = false;
    line.chars().map(move |c| {
        let hidden = sequence || c == '\x1b';
        sequence = hidden && !c.is_ascii_alphabetic();
        (c, !hidden)
    })
}

/// Breaks a text between words into lines of so many columns.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_fits_stays_as_it_is() {
        assert_eq!(cut("\x1b[32m+four\x1b[0m", 5), "\x1b[32m+four\x1b[0m");
    }

    #[test]
    fn colours_take_no_room_and_end_where_the_line_is_cut() {
        assert_eq!(cut("\x1b[32m+fifteen\x1b[0m", 5), "\x1b[32m+fif…\x1b[0m");
        assert_eq!(cut("\x1b[32m+four\x1b[0m more", 6), "\x1b[32m+four\x1b[0m…\x1b[0m");
        assert_eq!(cut("fifteen", 5), "fift…");
    }

    #[test]
    fn words_are_kept_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("unbreakable", 4), ["unbreakable"]);
    }
}
