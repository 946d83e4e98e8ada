//! Two open deltas of one spec, compared before either is applied.

use std::collections::BTreeMap;

use super::apply::{Base, Conflict};
use super::delta::{Delta, DeltaBlock, DeltaKind};
use super::merge::merge;
use super::{folded, normal};

/// Returns what would clash if both deltas were applied, whichever comes first. `ours` is the first one's side.
pub fn overlap(first: &Delta, second: &Delta, base: Base<'_>) -> Vec<Conflict> {
    let touched = touched(first);
    let mut conflicts = Vec::new();
    for block in &second.blocks {
        for name in names(block) {
            if let Some(other) = touched.get(&folded(name)) {
                conflicts.extend(compared(other, block, base));
            }
        }
    }
    conflicts.dedup();
    conflicts
}

fn names(block: &DeltaBlock) -> impl Iterator<Item = &str> {
    std::iter::once(block.name.as_str()).chain(block.new_name.as_deref())
}

fn touched(delta: &Delta) -> BTreeMap<String, &DeltaBlock> {
    let named = |block: &'_ DeltaBlock| names(block).map(folded).collect::<Vec<_>>();
    delta
        .blocks
        .iter()
        .flat_map(|block| named(block).into_iter().map(move |name| (name, block)))
        .collect()
}

fn compared(first: &DeltaBlock, second: &DeltaBlock, base: Base<'_>) -> Vec<Conflict> {
    let was = match base {
        Base::Known(base) => base.block(&second.name),
        Base::Unchecked => None,
    };
    let side = |block: &DeltaBlock| match block.kind {
        DeltaKind::Added | DeltaKind::Modified => Some(block.text.clone()),
        DeltaKind::Removed => None,
        DeltaKind::Renamed => block.new_name.as_ref().map(|new| format!("### Requirement: {new}")),
    };
    let whole = || {
        vec![Conflict {
            requirement: second.name.clone(),
            scenario: None,
            base: was.map(str::to_owned),
            ours: side(first),
            theirs: side(second),
            line: second.line,
        }]
    };
    match (first.kind, second.kind) {
        (DeltaKind::Added, DeltaKind::Added) | (DeltaKind::Modified, DeltaKind::Modified)
            if normal(&first.text) == normal(&second.text) =>
        {
            Vec::new()
        }
        (DeltaKind::Modified, DeltaKind::Modified) => {
            let Some(was) = was else { return whole() };
            let clashes = merge(was, &first.text, &second.text, "\n").err().unwrap_or_default();
            let conflict = |clash: super::merge::Clash| Conflict {
                requirement: second.name.clone(),
                scenario: clash.scenario,
                base: clash.base,
                ours: clash.ours,
                theirs: clash.theirs,
                line: second.line,
            };
            clashes.into_iter().map(conflict).collect()
        }
        _ => whole(),
    }
}
