//! How deltas are told to people and programs.

use serde_json::{Value, json};
use windlass_core::spec::{Conflict, DeltaBlock};
use windlass_core::view::{Lines, printable};
use windlass_core::workflow::Diagnostic;

use crate::output::{Output, note};

/// A delta in one line.
pub(super) fn line(entry: &Value) -> String {
    let text = |key: &str| entry[key].as_str().unwrap_or_default();
    format!("{}  {}  {}  ({})", text("id"), text("status"), text("title"), text("target"))
}

/// Says what a command came to, where that is a status.
pub(super) fn done(id: &str, status: &str, output: &mut Output) {
    match output.is_json() {
        true => output.json(&json!({"id": id, "status": status})),
        false => output.data(&format!("{id}: {status}")),
    }
}

pub(super) fn block(block: &DeltaBlock, output: &mut Output) {
    let name = printable(&block.name, Lines::One);
    let to = block.new_name.as_deref().map(|new| format!(" → {}", printable(new, Lines::One)));
    output.data(&format!("\n{} {name}{}", block.kind.word(), to.unwrap_or_default()));
    for (label, text) in [
        ("reason", &block.reason),
        ("migration", &block.migration),
        ("previously", &block.previous),
    ] {
        if let Some(text) = text {
            output.data(&format!("  {label}: {}", printable(text, Lines::One)));
        }
    }
    if block.reason.is_none() && !block.content.is_empty() {
        let content = output.foreign(&block.content).replace('\n', "\n  ");
        output.data(&format!("  {content}"));
    }
}

pub(super) fn findings(found: &[Diagnostic]) -> Value {
    let one = |finding: &Diagnostic| json!({"file": finding.file, "line": finding.line, "message": finding.message, "help": finding.help});
    found.iter().map(one).collect()
}

pub(super) fn warnings(found: &[Diagnostic], output: &Output) {
    for finding in found {
        output.remark(&format!("warning: {finding}"));
    }
}

/// A conflict as programs read it: `deltas` are those that clash, one alone with the spec as it is now.
pub(super) fn conflict(target: &str, deltas: &[&str], conflict: &Conflict) -> Value {
    json!({
        "target": target,
        "deltas": deltas,
        "requirement": conflict.requirement,
        "scenario": conflict.scenario,
        "base": conflict.base,
        "ours": conflict.ours,
        "theirs": conflict.theirs,
    })
}

/// Tells conflicts to people, with all three sides.
pub(super) fn conflicts(found: &[Value]) {
    for conflict in found {
        let text = |key: &str| conflict[key].as_str().unwrap_or_default().to_owned();
        let deltas: Vec<&str> =
            conflict["deltas"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let what = match conflict["scenario"].as_str() {
            Some(scenario) => format!("{}, scenario {scenario}", text("requirement")),
            None => text("requirement"),
        };
        let sides = match deltas.as_slice() {
            [one] => format!("{one} and the spec"),
            several => several.join(" and "),
        };
        note(&format!("conflict: {} in {}: {sides}", printable(&what, Lines::One), text("target")));
        for side in ["base", "ours", "theirs"] {
            let said = match conflict[side].as_str() {
                Some(said) => printable(said, Lines::Many).replace('\n', "\n    "),
                None => "(not there)".to_owned(),
            };
            note(&format!("  {side}:\n    {said}"));
        }
    }
}
