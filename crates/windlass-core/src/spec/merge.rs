//! The three-way merge of one requirement block, scenario by scenario.

use std::collections::BTreeMap;

use super::{labelled, normal, with_line_ends};
use crate::markdown::Outline;

/// A scenario, or what stands in front of the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The scenario's name, and the how manieth of that name it is; none for the text in front.
    pub(super) key: Option<(String, usize)>,
    pub(super) text: String,
}

/// What two sides changed differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clash {
    /// The scenario; none for the text in front, or for the order.
    pub(super) scenario: Option<String>,
    pub(super) base: Option<String>,
    pub(super) ours: Option<String>,
    pub(super) theirs: Option<String>,
}

/// Cuts a block at its headings of level 4.
pub(super) fn parts(block: &str) -> Vec<Part> {
    let outline = Outline::of(block);
    let starts = outline.headings.iter().filter(|heading| heading.level == 4);
    let starts: Vec<(usize, &str)> = starts.map(|h| (h.range.start, h.title.as_str())).collect();
    let mut found = vec![Part {
        key: None,
        text: block[..starts.first().map_or(block.len(), |first| first.0)].trim_end().to_owned(),
    }];
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for (index, (start, title)) in starts.iter().enumerate() {
        let end = starts.get(index + 1).map_or(block.len(), |next| next.0);
        let name = labelled(title, "scenario:").unwrap_or(title).to_owned();
        let count = times.entry(name.clone()).or_default();
        *count += 1;
        found.push(Part {
            key: Some((name, *count)),
            text: block[*start..end].trim_end().to_owned(),
        });
    }
    found
}

/// Returns the names of the scenarios of a block.
pub(super) fn scenarios(block: &str) -> Vec<String> {
    parts(block).into_iter().filter_map(|part| Some(part.key?.0)).collect()
}

/// Returns the scenarios that a block has and another lacks, counting those of one name.
pub(super) fn missing_scenarios(block: &str, other: &str) -> Vec<String> {
    let there: Vec<_> = parts(other).into_iter().filter_map(|part| part.key).collect();
    let keys = parts(block).into_iter().filter_map(|part| part.key);
    keys.filter(|key| !there.contains(key)).map(|(name, _)| name).collect()
}

/// Merges what two sides made of a block; `ours` is what is in the spec now.
///
/// A part that one side left alone is as the other side has it. Parts that both changed alike are as they have
/// it. All else clashes.
pub(super) fn merge(
    base: &str,
    ours: &str,
    theirs: &str,
    line_end: &str,
) -> Result<String, Vec<Clash>> {
    let (base, ours, theirs) = (parts(base), parts(ours), parts(theirs));
    let order = order(&keys(&base), &keys(&ours), &keys(&theirs)).ok_or_else(|| {
        let list = |parts: &[Part]| Some(names(parts));
        vec![Clash { scenario: None, base: list(&base), ours: list(&ours), theirs: list(&theirs) }]
    })?;
    let (mut merged, mut clashes) = (Vec::new(), Vec::new());
    for key in order {
        let (b, o, t) = (text(&base, &key), text(&ours, &key), text(&theirs, &key));
        match settled(b, o, t) {
            Some(Some(text)) => merged.push(with_line_ends(text, line_end)),
            Some(None) => {}
            None => clashes.push(Clash {
                scenario: key.map(|(name, _)| name),
                base: b.map(str::to_owned),
                ours: o.map(str::to_owned),
                theirs: t.map(str::to_owned),
            }),
        }
    }
    match clashes.is_empty() {
        true => Ok(merged.join(&line_end.repeat(2))),
        false => Err(clashes),
    }
}

/// Returns what a part becomes, `Some(None)` where it goes; none where the sides clash.
fn settled<'p>(
    base: Option<&'p str>,
    ours: Option<&'p str>,
    theirs: Option<&'p str>,
) -> Option<Option<&'p str>> {
    let same = |one: Option<&str>, other: Option<&str>| one.map(normal) == other.map(normal);
    if same(base, ours) {
        Some(theirs)
    } else if same(base, theirs) || same(ours, theirs) {
        Some(ours)
    } else {
        None
    }
}

type Key = Option<(String, usize)>;

fn keys(parts: &[Part]) -> Vec<Key> {
    parts.iter().map(|part| part.key.clone()).collect()
}

fn names(parts: &[Part]) -> String {
    let names: Vec<&str> =
        parts.iter().filter_map(|part| Some(part.key.as_ref()?.0.as_str())).collect();
    names.join(", ")
}

fn text<'p>(parts: &'p [Part], key: &Key) -> Option<&'p str> {
    parts.iter().find(|part| part.key == *key).map(|part| part.text.as_str())
}

/// Returns the order of all parts: that of the side that changed it; none where both did, and differently.
fn order(base: &[Key], ours: &[Key], theirs: &[Key]) -> Option<Vec<Key>> {
    let common = |side: &[Key], other: &[Key]| -> Vec<Key> {
        side.iter().filter(|key| other.contains(key)).cloned().collect()
    };
    let moved = |side: &[Key]| common(side, base) != common(base, side);
    let (first, second) = match (moved(ours), moved(theirs)) {
        (true, true) if common(ours, theirs) != common(theirs, ours) => return None,
        (_, true) => (theirs, ours),
        (_, false) => (ours, theirs),
    };
    let mut order = first.to_vec();
    for (index, key) in second.iter().enumerate().filter(|(_, key)| !first.contains(key)) {
        // Behind the part that it stands behind on its own side, and behind what that side put there before.
        let before =
            second[..index].iter().rev().find_map(|near| order.iter().position(|k| k == near));
        order.insert(before.map_or(0, |at| at + 1), key.clone());
    }
    Some(order)
}
