//! One line of text that a person types.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use windlass_core::view::plain_line;

/// The longest message; a prompt has room for little more.
const MOST_CHARS: usize = 2000;

/// One line of text with a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TextInput {
    chars: Vec<char>,
    cursor: usize,
}

impl TextInput {
    pub(super) fn text(&self) -> String {
        self.chars.iter().collect()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.chars.iter().all(|c| c.is_whitespace())
    }

    /// Returns what stands before and after the cursor.
    pub(super) fn halves(&self) -> (String, String) {
        (self.chars[..self.cursor].iter().collect(), self.chars[self.cursor..].iter().collect())
    }

    /// Takes in text that was pasted; its lines become one.
    pub(super) fn paste(&mut self, text: &str) {
        let words: Vec<String> = text.lines().map(plain_line).collect();
        for c in words.join(" ").chars() {
            self.insert(c);
        }
    }

    /// Takes in a key.
    pub(super) fn key(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('u') if control => {
                self.chars.drain(..self.cursor);
                self.cursor = 0;
            }
            KeyCode::Char('w') if control => self.remove_word(),
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.chars.len(),
            KeyCode::Char(c) if !control && !c.is_control() => self.insert(c),
            KeyCode::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.chars.remove(self.cursor);
            }
            KeyCode::Delete if self.cursor < self.chars.len() => {
                self.chars.remove(self.cursor);
            }
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(self.chars.len()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.chars.len(),
            _ => {}
        }
    }

    fn insert(&mut self, c: char) {
        if self.chars.len() < MOST_CHARS {
            self.chars.insert(self.cursor, c);
            self.cursor += 1;
        }
    }

    fn remove_word(&mut self) {
        let before = &self.chars[..self.cursor];
        let spaces = before.iter().rev().take_while(|c| c.is_whitespace()).count();
        let word = before.iter().rev().skip(spaces).take_while(|c| !c.is_whitespace()).count();
        let start = self.cursor - spaces - word;
        self.chars.drain(start..self.cursor);
        self.cursor = start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[(KeyCode, KeyModifiers)]) -> TextInput {
        let mut input = TextInput::default();
        input.paste("use the\nhelper");
        for (code, modifiers) in keys {
            input.key(KeyEvent::new(*code, *modifiers));
        }
        input
    }

    #[test]
    fn a_line_is_edited_as_people_expect() {
        let none = KeyModifiers::NONE;
        assert_eq!(typed(&[]).text(), "use the helper");
        assert_eq!(typed(&[(KeyCode::Char('w'), KeyModifiers::CONTROL)]).text(), "use the ");
        let keys = [(KeyCode::Home, none), (KeyCode::Delete, none), (KeyCode::Char('U'), none)];
        assert_eq!(typed(&keys).text(), "Use the helper");
        let keys = [(KeyCode::Left, none), (KeyCode::Backspace, none), (KeyCode::Char('ü'), none)];
        assert_eq!(typed(&keys).text(), "use the helpür");
        assert!(typed(&[(KeyCode::Char('u'), KeyModifiers::CONTROL)]).is_blank());
    }
}
