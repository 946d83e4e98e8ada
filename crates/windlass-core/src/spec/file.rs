//! Delta files as windlass writes them.

use super::front::{DeltaStatus, FrontMatterOf};

/// Returns the text of a new delta.
pub fn new_delta(front: &FrontMatterOf) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut head = String::from("---\n");
    for (key, value) in [
        ("delta_id", &front.delta_id),
        ("req_id", &front.req_id),
        ("title", &front.title),
        ("created_at", &front.created_at),
    ] {
        head.push_str(&format!("{key}: {}\n", quoted(value)));
    }
    head.push_str(&format!("status: {}\n", quoted(front.status.word())));
    if let Some(target) = &front.target {
        head.push_str(&format!("target: {}\n", quoted(target)));
    }
    if let Some(base) = &front.base {
        head.push_str(&format!("base: {}\n", quoted(base)));
    }
    format!("{head}---\n# Delta: {}\n{TEMPLATE}", front.title)
}

/// What a person fills in; comments are no part of what is applied.
const TEMPLATE: &str = "
<!-- Take away the sections that you do not need.

## ADDED Requirements
### Requirement: Name
The system SHALL …
#### Scenario: Name
- GIVEN …
- WHEN …
- THEN …

## MODIFIED Requirements
### Requirement: Name of one that is there
(Previously: what it said)
The whole new text, with every scenario.

## REMOVED Requirements
### Requirement: Name of one that is there
**Reason**: why it goes
**Migration**: what those do who use it

## RENAMED Requirements
- FROM: `### Requirement: Old Name`
- TO: `### Requirement: New Name`
-->
";

/// Returns a delta file with another status; nothing else in it changes. None where it has no front matter.
pub fn with_status(text: &str, status: DeltaStatus) -> Option<String> {
    let skipped = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut start = skipped;
    for (number, line) in text[skipped..].split_inclusive('\n').enumerate() {
        let bare = line.trim_end();
        let end = &line[bare.len()..];
        if number == 0 {
            if bare != "---" {
                return None;
            }
        } else if bare == "---" {
            // There is none yet.
            let (before, after) = text.split_at(start);
            return Some(format!("{before}status: \"{}\"{end}{after}", status.word()));
        } else if let Some(rest) = line.strip_prefix("status").map(str::trim_start)
            && rest.starts_with(':')
        {
            let comment = bare.find(" #").map_or("", |at| &bare[at..]);
            let after = &text[start + line.len()..];
            let before = &text[..start];
            return Some(format!("{before}status: \"{}\"{comment}{end}{after}", status.word()));
        }
        start += line.len();
    }
    None
}
