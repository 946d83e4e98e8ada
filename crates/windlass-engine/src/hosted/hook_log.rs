//! What hooks were asked and answered: one line each, appended without waiting for the disk.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_core::time::Timestamp;

use crate::home::RepositoryHome;

/// The log is begun anew when it is larger; the one before is kept.
const MAX_BYTES: u64 = 8 << 20;

/// The longest reason that is kept.
const MAX_REASON: usize = 400;

/// A line is seldom longer: the reason, escaped, and a few names.
const MAX_LINE_BYTES: u64 = 1024;

/// One call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HookLine {
    /// When.
    pub at: Timestamp,
    /// The session.
    pub session: String,
    /// The event.
    pub event: String,
    /// The tool, where it was about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The subagent, where it was one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What was answered, in one word.
    pub decision: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it took.
    pub ms: f64,
}

/// Returns the log's file.
pub fn path(home: &RepositoryHome) -> PathBuf {
    home.state.join("hooks.jsonl")
}

/// Adds a line. A log that cannot be written stops nobody.
pub fn append(home: &RepositoryHome, mut line: HookLine) {
    if let Some(reason) = &mut line.reason
        && reason.len() > MAX_REASON
    {
        let end = (0..=MAX_REASON).rev().find(|end| reason.is_char_boundary(*end)).unwrap_or(0);
        reason.truncate(end);
        reason.push('…');
    }
    let Ok(mut text) = serde_json::to_vec(&line) else { return };
    text.push(b'\n');
    let path = path(home);
    // A pipe in its place would be waited for, and a link leads to somebody else's file.
    if !is_plain_or_none(&path) {
        let _ = fs_err::remove_file(&path);
    }
    let Ok(mut file) = std::fs::File::options().create(true).append(true).open(&path) else {
        return;
    };
    let _ = file.write_all(&text);
    if file.metadata().is_ok_and(|metadata| metadata.len() > MAX_BYTES) {
        let _ = fs_err::rename(&path, path.with_extension("old.jsonl"));
    }
}

/// Reads the last lines, oldest first; lines that make no sense are left out.
///
/// # Errors
/// The file cannot be read.
pub fn last(home: &RepositoryHome, most: usize) -> std::io::Result<Vec<HookLine>> {
    let text = end_of(home, most)?;
    let mut last: Vec<HookLine> = newest_first(&text).take(most).collect();
    last.reverse();
    Ok(last)
}

/// Returns the lines of a text, the last one first.
fn newest_first(text: &[u8]) -> impl Iterator<Item = HookLine> {
    let lines = text.rsplit(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

/// Returns the end of the log, with that many lines at least.
fn end_of(home: &RepositoryHome, most: usize) -> std::io::Result<Vec<u8>> {
    if !is_plain_or_none(&path(home)) {
        return Ok(Vec::new());
    }
    let mut file = match std::fs::File::open(path(home)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    // No more of the end than that many lines can have; the line that is cut off makes no sense.
    let wanted = u64::try_from(most).unwrap_or(u64::MAX).saturating_mul(MAX_LINE_BYTES);
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(wanted)))?;
    let mut text = Vec::with_capacity(usize::try_from(length.min(wanted)).unwrap_or(0) + 1);
    file.take(wanted).read_to_end(&mut text)?;
    Ok(text)
}

fn is_plain_or_none(path: &Path) -> bool {
    fs_err::symlink_metadata(path).map_or(true, |metadata| metadata.is_file())
}

/// Counts how often a session was sent on since it last called a tool.
pub fn idle_blocks(home: &RepositoryHome, session: &str) -> u32 {
    /// More are not looked at: the host's own bound is below.
    const MOST: usize = 200;
    let text = end_of(home, MOST).unwrap_or_default();
    let mut blocks = 0;
    for line in newest_first(&text).take(MOST).filter(|line| line.session == session) {
        match (line.event.as_str(), line.decision.as_str()) {
            ("Stop", "send_on") => blocks += 1,
            ("PreToolUse" | "UserPromptSubmit", _) if line.agent.is_none() => break,
            _ => {}
        }
    }
    blocks
}
