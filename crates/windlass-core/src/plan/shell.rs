//! Where in a shell command a value can stand and be quoted.

/// Where in a command the reader is, as far as it matters to a placeholder.
///
/// Inside quotes the quotes that windlass adds would mean something else, in a comment a line
/// break in the value would end the comment, and a here-document knows no quotes. The reading is
/// coarse and errs on refusing.
#[derive(Default)]
pub(super) struct Shell {
    quote: Option<char>,
    previous: Option<char>,
    escaped: bool,
    /// A comment or a here-document was seen; where it ends is not worth knowing.
    unquotable: bool,
}

impl Shell {
    /// Goes on over `text`.
    pub(super) fn read(&mut self, text: &str) {
        for c in text.chars() {
            if self.escaped {
                self.escaped = false;
            } else if c == '\\' && self.quote != Some('\'') {
                self.escaped = true;
            } else if self.quote == Some(c) {
                self.quote = None;
            } else if self.quote.is_none() {
                let starts_word = self.previous.is_none_or(char::is_whitespace);
                match c {
                    '\'' | '"' | '`' => self.quote = Some(c),
                    '#' if starts_word => self.unquotable = true,
                    '<' if self.previous == Some('<') => self.unquotable = true,
                    _ => {}
                }
            }
            self.previous = Some(c);
        }
    }

    /// Returns whether a quoted word can stand here and be exactly that word to the shell.
    pub(super) fn takes_a_word(&self) -> bool {
        self.quote.is_none() && !self.escaped && !self.unquotable
    }
}

/// Returns what the shell's `!` negates, where the whole command is one negated pipeline.
///
/// `! a && b` is none: only its first part is negated. The reading is coarse and errs on none.
pub fn negated_command(command: &str) -> Option<&str> {
    let inner = command.trim().strip_prefix('!')?;
    let inner = inner.strip_prefix([' ', '\t'])?.trim_start();
    let (mut quote, mut escaped, mut before) = (None, false, None);
    let mut signs = inner.chars().peekable();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (Some(open), sign) if open == sign => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(sign),
            (None, ';' | '\n' | '(' | ')' | '{' | '}' | '#') => return None,
            (None, '|') if signs.peek() == Some(&'|') => return None,
            // `2>&1` and `&>` redirect.
            (None, '&') if before != Some('>') && signs.peek() != Some(&'>') => return None,
            (None, _) => {}
        }
        before = Some(sign);
    }
    (quote.is_none() && !inner.is_empty()).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_pipeline_is_negated() {
        for (command, inner) in [
            ("! grep -q TODO src", Some("grep -q TODO src")),
            (" !  grep 'a; b' c 2>&1 | head -n 1", Some("grep 'a; b' c 2>&1 | head -n 1")),
            ("! make broken && make test", None),
            ("! make broken; true", None),
            ("! make broken || true", None),
            ("! make broken & wait", None),
            ("! (a; b)", None),
            ("!x", None),
            ("! ", None),
            ("! echo 'open", None),
            ("make test", None),
            ("test ! -f x", None),
        ] {
            assert_eq!(negated_command(command), inner, "{command}");
        }
    }
}
