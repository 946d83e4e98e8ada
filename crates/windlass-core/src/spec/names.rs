//! Names in a delta that contradict each other.

use std::collections::BTreeMap;

use super::delta::{DeltaBlock, DeltaKind};
use super::folded;
use crate::source::diagnostic::Findings;
use crate::source::suggest::shown;

/// Reports names that stand in more than one place, and text under a name that is gone.
pub(super) fn check_names(blocks: &[DeltaBlock], findings: &mut Findings) {
    let mut seen: BTreeMap<String, &DeltaBlock> = BTreeMap::new();
    let renamed: BTreeMap<String, &DeltaBlock> = blocks
        .iter()
        .filter(|block| block.kind == DeltaKind::Renamed)
        .map(|block| (folded(&block.name), block))
        .collect();
    for block in blocks.iter().filter(|block| block.kind != DeltaKind::Renamed) {
        let name = folded(&block.name);
        if let Some(first) = seen.get(&name) {
            let message = format!(
                "{} is {} here and {} in line {}",
                shown(&block.name),
                block.kind.word(),
                first.kind.word(),
                first.line
            );
            findings.error_with_help(
                block.at(),
                message,
                "a delta says one thing about a requirement",
            );
        }
        if let Some(rename) = renamed.get(&name)
            && rename.new_name.as_deref().map(folded).as_ref() != Some(&name)
        {
            let new = rename.new_name.as_deref().unwrap_or_default();
            let (message, help) = match block.kind {
                DeltaKind::Modified => (
                    format!(
                        "{} is RENAMED in line {}, and MODIFIED under its old name",
                        shown(&block.name),
                        rename.line
                    ),
                    format!("write `### Requirement: {new}` here"),
                ),
                DeltaKind::Removed => (
                    format!(
                        "{} is RENAMED in line {}, and REMOVED",
                        shown(&block.name),
                        rename.line
                    ),
                    "do one of the two".to_owned(),
                ),
                // The name is free again once the old block has another one.
                DeltaKind::Added | DeltaKind::Renamed => {
                    seen.insert(name, block);
                    continue;
                }
            };
            findings.error_with_help(block.at(), message, help);
        }
        seen.insert(name, block);
    }
    check_renames(blocks, &seen, findings);
}

fn check_renames(
    blocks: &[DeltaBlock],
    others: &BTreeMap<String, &DeltaBlock>,
    findings: &mut Findings,
) {
    let (mut from, mut to) = (BTreeMap::new(), BTreeMap::new());
    for block in blocks.iter().filter(|block| block.kind == DeltaKind::Renamed) {
        let new = block.new_name.as_deref().unwrap_or_default();
        for (seen, name, word) in [(&mut from, block.name.as_str(), "FROM"), (&mut to, new, "TO")] {
            if let Some(line) = seen.insert(folded(name), block.line) {
                let message = format!("{word} names {} a second time", shown(name));
                findings.error_with_help(
                    block.at(),
                    message,
                    format!("the first one is in line {line}"),
                );
            }
        }
        if let Some(added) = others.get(&folded(new)).filter(|other| other.kind == DeltaKind::Added)
        {
            let message =
                format!("{} is ADDED in line {}, and a new name here", shown(new), added.line);
            findings.error_with_help(block.at(), message, "choose another name for one of the two");
        }
    }
}
