//! Lines that fit: cut where something is quoted, broken where something is told.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Cuts a line that may have colours to so many columns.
pub(crate) fn cut(line: &str, width: usize) -> String {
    if shown_width(line) <= width {
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
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
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

/// Breaks each line of a text that is wider than this between words; what follows is indented a little
/// more than the line itself.
pub(crate) fn fitted(text: &str, width: usize) -> String {
    let lines = text.split('\n').map(|line| fitted_line(line, width));
    lines.collect::<Vec<_>>().join("\n")
}

fn fitted_line(line: &str, width: usize) -> String {
    if shown_width(line) <= width {
        return line.to_owned();
    }
    // A colour at the beginning goes on below.
    let colour = line.strip_prefix('\x1b').and_then(|rest| rest.find('m'));
    let (colour, line) = line.split_at(colour.map_or(0, |end| end + 2));
    let body = line.trim_start_matches(' ');
    let lead = line.len() - body.len();
    // What a tool printed stands behind a bar, which goes on with it.
    let (sign, body) = match body.strip_prefix("│ ") {
        Some(rest) => ("│ ", rest),
        None => ("", body),
    };
    let first = format!("{}{sign}", " ".repeat(lead));
    let more = if sign.is_empty() { " ".repeat(lead + 2) } else { first.clone() };
    // A quarter of the width for words is too little to be read.
    if width < first.chars().count() + 20 {
        return format!("{colour}{line}");
    }
    let (mut out, mut used) = (format!("{colour}{first}"), lead + sign.chars().count());
    let mut fresh = true;
    for word in body.split(' ') {
        let wide = shown_width(word);
        if !fresh && used + 1 + wide > width {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.push_str(&more);
            used = more.chars().count();
            fresh = true;
        }
        if !fresh {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += wide;
        fresh = false;
    }
    out
}

/// How many columns a line takes; sequences of colours take none.
fn shown_width(line: &str) -> usize {
    pieces(line).filter(|(_, shown)| *shown).map(|(c, _)| c.width().unwrap_or(0)).sum()
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

    #[test]
    fn a_wide_line_breaks_between_words_and_goes_on_below_its_beginning() {
        let text = "  a run that was\nshort\n  has become too wide for one";
        assert_eq!(fitted(text, 25), "  a run that was\nshort\n  has become too wide for\n    one");
        assert_eq!(
            fitted("    │ one two three four five six", 30),
            "    │ one two three four five\n    │ six"
        );
        let long = "an unbreakable-and-very-long-word here";
        assert_eq!(fitted(long, 24), "an\n  unbreakable-and-very-long-word\n  here");
        let coloured = "\x1b[2m    │ one two three four five six\x1b[0m";
        let expected = "\x1b[2m    │ one two three four five\n    │ six\x1b[0m";
        assert_eq!(fitted(coloured, 30), expected);
        let coloured = "\x1b[32mall of this fits\x1b[0m";
        assert_eq!(fitted(coloured, 20), coloured);
    }
}
