//! Text from outside, made safe for a terminal: no escape sequence and no control character of an
//! agent reaches the screen of a person.

/// How far a tab goes.
const TAB: usize = 4;

/// Splits a text into lines that can be shown as they are.
pub fn plain_lines(text: &str) -> Vec<String> {
    text.split('\n').map(plain_line).collect()
}

/// Makes one line showable.
///
/// What a carriage return would overwrite is left out, as a terminal would: a progress bar shows its
/// last state. Escape sequences, other control characters and marks that turn the direction of
/// writing are dropped, tabs become spaces.
pub fn plain_line(line: &str) -> String {
    let line = line.trim_end_matches(['\r', '\n']);
    let line = line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or("");
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    let mut column = 0;
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_control_sequence(&mut chars),
            '\t' => {
                let wide = TAB - column % TAB;
                out.extend(std::iter::repeat_n(' ', wide));
                column += wide;
            }
            c if c.is_control() || is_invisible(c) => {}
            c => {
                out.push(c);
                column += 1;
            }
        }
    }
    out
}

/// Marks that change how other characters are shown, and have no width of their own.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Skips what follows an escape character: a control sequence, a string, or two characters.
fn skip_escape(chars: &mut Rest<'_>) {
    match chars.next() {
        Some('[') => skip_control_sequence(chars),
        // A title, a link or a device's string: it ends with a bell or with `ESC \`.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || c == '\u{9c}' {
                    return;
                }
                if c == '\u{1b}' {
                    chars.next_if_eq(&'\\');
                    return;
                }
            }
        }
        Some('(' | ')' | '*' | '+' | '#' | '%' | ' ') => {
            chars.next();
        }
        Some(_) | None => {}
    }
}

/// Skips the parameters and the last character of a control sequence.
fn skip_control_sequence(chars: &mut Rest<'_>) {
    while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_titles_and_bells_do_not_reach_the_screen() {
        assert_eq!(plain_line("\u{1b}[1;31mred\u{1b}[0m\u{7}"), "red");
        assert_eq!(plain_line("\u{1b}]0;a title\u{7}text"), "text");
        assert_eq!(plain_line("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\"), "link");
        assert_eq!(plain_line("\u{1b}(Bx\u{1b}Py\u{9b}2Jz"), "x");
        assert_eq!(plain_line("end\u{1b}"), "end");
        assert_eq!(plain_line("end\u{1b}[12;"), "end");
    }

    #[test]
    fn a_progress_bar_shows_its_last_state() {
        assert_eq!(plain_line("10%\r20%\r30%\r"), "30%");
        assert_eq!(plain_line("windows\r"), "windows");
    }

    #[test]
    fn tabs_become_spaces_and_direction_marks_vanish() {
        assert_eq!(plain_line("a\tb"), "a   b");
        assert_eq!(plain_line("abc\u{202e}def"), "abcdef");
        assert_eq!(plain_lines("a\nb\n"), ["a", "b", ""]);
    }
}
