//! Notes in a delta that do not become part of the spec.

use super::document::Mark;
use crate::markdown::Outline;
use crate::source::diagnostic::Findings;

/// What the author says about a block that goes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    pub(super) reason: Option<String>,
    pub(super) migration: Option<String>,
}

/// Reads `**Reason**: …` and `**Migration**: …`; each goes on until the next one or an empty line.
pub(super) fn removed_notes(body: &str) -> Notes {
    let mut notes = Notes::default();
    let mut open: Option<&mut Option<String>> = None;
    for line in body.lines() {
        let bare = line.trim().trim_start_matches(['-', '+', ' ']);
        let plain = bare.replace("**", "");
        let label = |word: &str| {
            let head = plain.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word));
            head.and_then(|_| plain[word.len()..].trim_start().strip_prefix(':')).map(str::trim)
        };
        if let Some(text) = label("Reason") {
            notes.reason = Some(text.to_owned());
            open = Some(&mut notes.reason);
        } else if let Some(text) = label("Migration") {
            notes.migration = Some(text.to_owned());
            open = Some(&mut notes.migration);
        } else if line.trim().is_empty() {
            open = None;
        } else if let Some(Some(text)) = open.as_deref_mut() {
            text.push(' ');
            text.push_str(line.trim());
        }
    }
    notes
}

/// Takes `(Previously: …)` out of a body, and returns what it says.
///
/// It begins a line and ends with the bracket that closes it, at the end of a line; code is left alone.
pub(super) fn without_previous(
    body: &str,
    heading: &Mark,
    findings: &mut Findings,
) -> (String, Option<String>) {
    const OPENS: &str = "(previously:";
    let outline = Outline::of(body);
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        let begins = line.trim_start().get(..OPENS.len());
        let is_note = begins.is_some_and(|head| head.eq_ignore_ascii_case(OPENS));
        if !is_note || outline.is_opaque(start) {
            start += line.len();
            continue;
        }
        let open = start + (line.len() - line.trim_start().len());
        let Some(length) = closing(&body[open..]) else {
            findings.error_with_help(
                heading.at(),
                "`(Previously: …` below this heading has no closing bracket at the end of a line",
                "close it; what it says is not copied into the spec",
            );
            return (body.to_owned(), None);
        };
        let said = body[open + OPENS.len()..open + length - 1].trim().to_owned();
        let after = body[open + length..].trim_start_matches([' ', '\t']);
        let after =
            after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
        // The empty line that set the note apart goes with it.
        let before = &body[..start];
        let alone =
            before.trim().is_empty() || before.ends_with("\n\n") || before.ends_with("\r\n\r\n");
        let after = if alone { after.trim_start_matches(['\r', '\n']) } else { after };
        return (format!("{before}{after}"), Some(said));
    }
    (body.to_owned(), None)
}

/// Returns the length of a text in brackets whose last one ends a line.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && letter == ')' {
            let rest = text[at + 1..].lines().next().unwrap_or_default();
            return rest.trim().is_empty().then_some(at + 1);
        }
    }
    None
}
