//! Cutting text without breaking it.

/// Returns the beginning of `text`, at most `max` bytes long and never half a character.
pub(super) fn cut(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns `text` on one line and at most `max` bytes long, with an ellipsis where it was cut.
pub(super) fn one_line(text: &str, max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= max { line } else { format!("{}…", cut(&line, max.saturating_sub(3))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_never_splits_a_character() {
        assert_eq!(cut("héllo", 2), "h");
        assert_eq!(cut("héllo", 3), "hé");
        assert_eq!(one_line("a\n  b\tc", 80), "a b c");
        assert_eq!(one_line("ééééé", 7), "éé…");
    }
}
