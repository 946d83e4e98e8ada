//! Figures and foreign text in one line.

use std::fmt::Write as _;

/// Returns `count` things with a comma between thousands: `1,204 lines`.
pub(super) fn counted(count: u64, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {one}{plural}", grouped(count))
}

/// Returns a number with a comma between thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.char_indices() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        let _ = write!(text, "{digit}");
    }
    text
}

/// Returns at most `most` characters in one line without control characters.
///
/// Only as much of `text` is looked at as is needed: it may be as large as a report.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        for letter in word.chars().filter(|letter| !letter.is_control()) {
            if length >= most {
                line.push('…');
                return line;
            }
            line.push(letter);
            length += 1;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        let numbers = [0, 7, 999, 1000, 1204, 100_000, 12_345_678].map(grouped);
        assert_eq!(numbers, ["0", "7", "999", "1,000", "1,204", "100,000", "12,345,678"]);
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(1204, "line"), "1,204 lines");
    }

    #[test]
    fn a_line_is_short_and_without_escapes() {
        assert_eq!(one_line("  a\n\tb\u{1b}[31m  ", 80), "a b[31m");
        assert_eq!(one_line(&"x".repeat(1000), 3), "xxx…");
        assert_eq!(one_line("abc", 3), "abc");
    }
}
