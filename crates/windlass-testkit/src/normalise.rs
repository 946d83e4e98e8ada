//! What differs from test to test, taken out.

use std::path::Path;

/// Replaces the test's folder, run names, object names, times and durations.
pub fn normalise(text: &str, root: &Path, run: Option<&str>) -> String {
    let mut text = text.replace(&*root.to_string_lossy(), "[ROOT]");
    if let Some(run) = run {
        text = text.replace(run, "[RUN]");
    }
    let lines = text.lines().map(|line| words(&presence(line)).trim_end().to_owned());
    let lines: Vec<String> = lines.collect();
    lines.join("\n")
}

/// From where and how fast a person decided: a test may be run at a terminal, and on a slow machine.
fn presence(line: &str) -> String {
    let mut line = line.to_owned();
    for end in [" after the gate opened", " after it was shown"] {
        if let Some((before, after)) = line.split_once(end)
            && let Some((before, _)) = before.rsplit_once(", ")
        {
            let before = match before.rsplit_once(" on pts/") {
                Some((before, number)) if number.bytes().all(|b| b.is_ascii_digit()) => {
                    format!("{before} without a terminal")
                }
                _ => before.to_owned(),
            };
            line = format!("{before}, [DURATION]{end}{after}");
        }
    }
    line
}

fn words(line: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in line.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '-') {
            word.push(c);
        } else {
            out.push_str(&name(&word));
            word.clear();
            out.push(c);
        }
    }
    out.push_str(&name(&word));
    out
}

fn name(word: &str) -> String {
    let bare = word.trim_end_matches(['.', ':', ',']);
    let tail = &word[bare.len()..];
    let hex = |least: usize| bare.len() >= least && bare.bytes().all(|b| b.is_ascii_hexdigit());
    let time = bare.len() >= 20 && bare.contains('T') && bare.ends_with('Z');
    let duration = bare
        .strip_suffix('s')
        .is_some_and(|n| n.contains('.') && n.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    if time {
        format!("[TIME]{tail}")
    } else if duration {
        format!("[DURATION]{tail}")
    } else if hex(12) {
        format!("[HEX]{tail}")
    } else {
        word.to_owned()
    }
}
