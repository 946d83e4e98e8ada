//! Text as a YAML scalar that reads back as exactly that text.

/// Returns `text` in double quotes, with everything escaped that YAML readers disagree about.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(c),
            _ if c.is_alphanumeric() => out.push(c),
            _ => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

/// Returns `text` as one line of a comment: bounded, and without control characters.
pub(crate) fn comment(text: &str) -> String {
    const LONGEST: usize = 300;
    let plain = text.chars().take(LONGEST).map(|c| if is_odd(c) { '\u{fffd}' } else { c });
    let mut line: String = plain.collect();
    if text.chars().count() > LONGEST {
        line.push('…');
    }
    line
}

/// Whether a character could end a line or hide text, for some reader or terminal.
fn is_odd(c: char) -> bool {
    !(c.is_alphanumeric() || c == '…' || (' '..='~').contains(&c))
}
