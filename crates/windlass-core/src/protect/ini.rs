//! Files of sections, as `setup.cfg` and `tox.ini` are.
//!
//! Readers of this format differ, so a section is no more than its lines: whoever changes one of them
//! changes the section.

use serde_json::{Map, Value};

/// Lines before any section.
const TOP: &str = "";

/// Reads a text as its sections; none where it is not clear which section a line belongs to.
pub(super) fn read(text: &str) -> Option<Value> {
    // Signs that end a line for some readers and for others do not.
    let ends =
        ['\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];
    if text.starts_with('\u{feff}') || text.contains('\0') || text.contains(ends) {
        return None;
    }
    let mut sections = Map::new();
    let mut name = TOP.to_owned();
    for line in text.lines() {
        let words = line.trim();
        if words.is_empty() || words.starts_with(['#', ';']) {
            continue;
        }
        if words.starts_with('[') {
            // Behind blanks it is part of a value to some readers, and a section to others.
            let section = line.strip_prefix('[')?.split_once(']')?;
            if !section.1.trim().is_empty() {
                return None;
            }
            name = section.0.to_owned();
            // Given twice, one of them may be the only one that counts.
            if sections.insert(name.clone(), Value::Array(Vec::new())).is_some() {
                return None;
            }
            continue;
        }
        let lines = sections.entry(name.clone()).or_insert_with(|| Value::Array(Vec::new()));
        lines.as_array_mut()?.push(line.trim_end().into());
    }
    // What stands before every section, or under this name, counts for all of them.
    let for_all = [sections.remove(TOP), sections.get("DEFAULT").cloned()];
    let for_all: Vec<Value> = for_all.into_iter().flatten().collect();
    if !for_all.is_empty() {
        for lines in sections.values_mut() {
            lines.as_array_mut()?.extend(for_all.clone());
        }
    }
    Some(Value::Object(sections))
}
