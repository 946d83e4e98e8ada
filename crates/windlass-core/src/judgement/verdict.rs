//! The line that is the verdict.

use super::ReportKind;
use super::lines::{Line, bare};

/// What may stand before the word, with a colon.
const INTRODUCTIONS: [&str; 8] = [
    "verdict",
    "status",
    "decision",
    "result",
    "final verdict",
    "overall verdict",
    "review verdict",
    "security verdict",
];

/// Checks that the report accepts; the error is the reason why it does not.
pub(super) fn read(kind: ReportKind, lines: &[Line<'_>]) -> Result<(), String> {
    let (yes, no) = (kind.accepting(), kind.refusing());
    let (accepting, refusing) = said(kind, lines);
    match (accepting, refusing) {
        (Some(_), None) => Ok(()),
        (None, Some(_)) => Err(no.to_owned()),
        (Some(accepting), Some(refusing)) => {
            Err(format!("gives two verdicts: {yes} on line {accepting}, {no} on line {refusing}"))
        }
        (None, None) => Err(format!("has no verdict: no line says only {yes} or {no}")),
    }
}

/// Returns why a report that needs no verdict says the opposite of what it comes to.
pub(super) fn contradicts(kind: ReportKind, lines: &[Line<'_>]) -> Option<String> {
    let (_, refusing) = said(kind, lines);
    refusing.map(|line| format!("says {} itself on line {line}", kind.refusing()))
}

/// Returns whether a report refuses the work and nothing in it says otherwise.
pub(super) fn refuses(kind: ReportKind, lines: &[Line<'_>]) -> bool {
    let (accepting, refusing) = said(kind, lines);
    accepting.is_none() && refusing.is_some()
}

/// The lines that accept and that refuse.
fn said(kind: ReportKind, lines: &[Line<'_>]) -> (Option<usize>, Option<usize>) {
    let line_of = |wanted: &str| {
        let mut lines = lines.iter().filter(|line| !line.doubtful);
        lines.find(|line| is_word(line.text, wanted)).map(|line| line.number)
    };
    (line_of(kind.accepting()), line_of(kind.refusing()))
}

/// Whether a line says this word in capitals and nothing else. A blank or `-` may stand for `_`.
fn is_word(line: &str, wanted: &str) -> bool {
    let text = bare(line);
    let word = match text.split_once(':') {
        Some((before, after)) if is_introduction(before) => after,
        Some(_) | None => text,
    };
    let word = bare(word).trim_end_matches(['.', '!']);
    let word = bare(word);
    word.len() == wanted.len()
        && word.bytes().zip(wanted.bytes()).all(|(written, wanted)| {
            written == wanted || (wanted == b'_' && matches!(written, b' ' | b'-'))
        })
}

fn is_introduction(text: &str) -> bool {
    let text = bare(text).to_ascii_lowercase();
    INTRODUCTIONS.contains(&text.as_str())
}
