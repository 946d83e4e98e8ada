//! What is kept of an attempt's output, read back as lines.

use std::path::Path;

use serde_json::Value;

use crate::git::place_files;

/// More than the launcher ever keeps. A file that is larger was not written by the launcher.
const MAX_KEPT_BYTES: u64 = 16 << 20;

/// How long the words of a program may be in a report.
const MAX_WORDS: usize = 600;

/// Reads the JSON objects of a kept output, one per line.
///
/// The middle of a long output is not kept, so a line may be cut anywhere; a line may be no JSON at
/// all. Neither says anything, and neither is an error here.
pub(super) fn messages(file: &Path) -> Vec<Value> {
    let bytes = bytes(file);
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{"));
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Reads a kept text.
pub(super) fn text(file: &Path) -> String {
    String::from_utf8_lossy(&bytes(file)).into_owned()
}

/// Never through a link and never from a pipe, which an unconfined agent could put there.
pub(super) fn bytes(file: &Path) -> Vec<u8> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return Vec::new() };
    // A file that is not there, or is none, says nothing.
    place_files::read_file_bounded(folder, Path::new(name), MAX_KEPT_BYTES).unwrap_or_default()
}

/// Returns the first line of a text that says something, bounded.
pub(super) fn first_words(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(words)
}

/// Returns a text on one line, bounded.
pub(super) fn words(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_WORDS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
