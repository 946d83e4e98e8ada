//! What changed besides lines, read for the core from the two trees.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use windlass_core::id::ObjectId;
use windlass_core::view::{EntryChange, EntryKind, Side, Trees, clone_notes};

use super::diff::{Change, TreeEntry, TreePath};
use super::engine_repository::EngineRepository;

/// How much of a file or link is read for a note.
const MAX_READ_BYTES: usize = 1 << 20;

impl EngineRepository {
    /// Says which of these changes alter what a fresh clone gets besides lines.
    ///
    /// That costs a process for each of the few files that are read for it, and one more where a
    /// link changed.
    pub fn clone_notes(&self, base: &ObjectId, tree: &ObjectId, changes: &[Change]) -> Vec<String> {
        let entry = |entry: &Option<TreeEntry>| {
            let entry = entry.as_ref()?;
            Some((EntryKind::of_mode(entry.mode), entry.id.to_string()))
        };
        let changes: Vec<EntryChange> = changes
            .iter()
            .map(|change| EntryChange {
                path: change.path.as_bytes().to_vec(),
                old: entry(&change.old),
                new: entry(&change.new),
            })
            .collect();
        clone_notes(&changes, &Stored { engine: self, base, tree, kinds: OnceCell::new() })
    }

    /// Everything in a tree, folders included.
    fn kinds(&self, tree: &ObjectId) -> BTreeMap<Vec<u8>, EntryKind> {
        let listed = self.git().args(["ls-tree", "-r", "-t", "-z", "--full-tree", tree.as_str()]);
        let Ok(answer) = listed.run() else { return BTreeMap::new() };
        let entry = |record: &[u8]| {
            // `<mode> <type> <object>TAB<path>`
            let tab = record.iter().position(|&byte| byte == b'\t')?;
            let mode =
                std::str::from_utf8(record[..tab].split(|&byte| byte == b' ').next()?).ok()?;
            let mode = u32::from_str_radix(mode, 8).ok()?;
            Some((record[tab + 1..].to_vec(), EntryKind::of_mode(mode)))
        };
        answer.stdout.split(|&byte| byte == 0).filter_map(entry).collect()
    }
}

/// Two trees of the engine's repository.
struct Stored<'a> {
    engine: &'a EngineRepository,
    base: &'a ObjectId,
    tree: &'a ObjectId,
    /// Listed when the first link is followed.
    kinds: OnceCell<BTreeMap<Vec<u8>, EntryKind>>,
}

impl Trees for Stored<'_> {
    fn read(&self, side: Side, path: &[u8]) -> Option<Vec<u8>> {
        let tree = match side {
            Side::Old => self.base,
            Side::New => self.tree,
        };
        self.engine.read_start(tree, &TreePath::new(path), MAX_READ_BYTES).ok()?
    }

    fn kind(&self, path: &[u8]) -> Option<EntryKind> {
        self.kinds.get_or_init(|| self.engine.kinds(self.tree)).get(path).copied()
    }
}
