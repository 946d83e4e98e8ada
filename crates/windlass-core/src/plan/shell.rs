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
