//! What changed besides lines, read for the core from the two trees.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;

use windlass_core::id::ObjectId;
use windlass_core::view::{
    EntryChange, EntryKind, MAX_FOLLOWED, Side, Trees, clone_notes, decides_what_is_cloned,
};

use super::GitError;
use super::blobs::Blobs;
use super::diff::{Change, TreeEntry};
use super::engine_repository::EngineRepository;

/// How much of a file or link is read for a note.
const MAX_READ_BYTES: u64 = 1 << 20;

/// How many links of a tree are read at once. On the way of a link may be others.
const MAX_LINKS_AT_ONCE: usize = 2_000;

/// How many are read one by one besides.
const MAX_SINGLE: u32 = 32;

impl EngineRepository {
    /// Says which of these changes, whose new tree is `tree`, alter what a fresh clone gets besides lines.
    ///
    /// That costs two processes where files are read for it, and one more where a link changed.
    ///
    /// # Errors
    /// Git cannot read what it is about: then nobody knows what is missing from the notes.
    pub fn clone_notes(
        &self,
        tree: &ObjectId,
        changes: &[Change],
    ) -> Result<Vec<String>, GitError> {
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
        let stored = Stored::new(self, tree, &changes);
        let notes = clone_notes(&changes, &stored);
        stored.wrong.into_inner().map_or(Ok(notes), Err)
    }

    /// Everything in a tree, folders included.
    fn entries(
        &self,
        tree: &ObjectId,
    ) -> Result<BTreeMap<Vec<u8>, (EntryKind, ObjectId)>, GitError> {
        let listed = self.git().args(["ls-tree", "-r", "-t", "-z", "--full-tree", tree.as_str()]);
        let answer = listed.run()?;
        let entry = |record: &[u8]| {
            // `<mode> <type> <object>TAB<path>`
            let tab = record.iter().position(|&byte| byte == b'\t')?;
            let mut head = std::str::from_utf8(&record[..tab]).ok()?.split(' ');
            let mode = u32::from_str_radix(head.next()?, 8).ok()?;
            let id = ObjectId::new(head.nth(1)?);
            Some((record[tab + 1..].to_vec(), (EntryKind::of_mode(mode), id)))
        };
        Ok(answer.stdout.split(|&byte| byte == 0).filter_map(entry).collect())
    }
}

/// Two trees of the engine's repository.
struct Stored<'a> {
    engine: &'a EngineRepository,
    tree: &'a ObjectId,
    changes: BTreeMap<&'a [u8], &'a EntryChange>,
    /// Listed when the first link is followed.
    listed: OnceCell<BTreeMap<Vec<u8>, (EntryKind, ObjectId)>>,
    /// Read when the first file or link is.
    blobs: OnceCell<Blobs>,
    single: Cell<u32>,
    /// What git could not do: the first of it.
    wrong: RefCell<Option<GitError>>,
}

impl<'a> Stored<'a> {
    fn new(engine: &'a EngineRepository, tree: &'a ObjectId, changes: &'a [EntryChange]) -> Self {
        let changes = changes.iter().map(|change| (change.path.as_slice(), change)).collect();
        let (listed, blobs) = (OnceCell::new(), OnceCell::new());
        let (single, wrong) = (Cell::new(0), RefCell::new(None));
        Self { engine, tree, changes, listed, blobs, single, wrong }
    }

    /// Whoever reads the notes is told that git failed, and not that nothing is there.
    fn known<T: Default>(&self, answer: Result<T, GitError>) -> T {
        answer.unwrap_or_else(|error| {
            self.wrong.borrow_mut().get_or_insert(error);
            T::default()
        })
    }

    fn listed(&self) -> &BTreeMap<Vec<u8>, (EntryKind, ObjectId)> {
        self.listed.get_or_init(|| self.known(self.engine.entries(self.tree)))
    }

    /// What will be asked for, as far as that is known: the changed files that git reads, changed
    /// links, and where there are some, links that may lie on their way.
    fn read_together(&self) -> Blobs {
        let read_by_git =
            self.changes.values().filter(|change| decides_what_is_cloned(&change.path));
        let both = read_by_git.flat_map(|change| [&change.old, &change.new]).flatten();
        let mut ids: Vec<ObjectId> = both.map(|(_, id)| ObjectId::new(id.as_str())).collect();
        ids.truncate(MAX_LINKS_AT_ONCE);
        let new = self.changes.values().filter_map(|change| change.new.as_ref());
        let links = new.filter(|(kind, _)| *kind == EntryKind::Link).take(MAX_FOLLOWED);
        let links: Vec<ObjectId> = links.map(|(_, id)| ObjectId::new(id.as_str())).collect();
        if !links.is_empty() {
            let others = self.listed().values().filter(|(kind, _)| *kind == EntryKind::Link);
            ids.extend(links);
            ids.extend(others.take(MAX_LINKS_AT_ONCE).map(|(_, id)| id.clone()));
        }
        ids.sort_unstable();
        ids.dedup();
        let ids: Vec<&ObjectId> = ids.iter().collect();
        self.known(self.engine.read_small(&ids, MAX_READ_BYTES))
    }

    fn object(&self, side: Side, path: &[u8]) -> Option<ObjectId> {
        let change = self.changes.get(path);
        let entry = change.and_then(|change| match side {
            Side::Old => change.old.as_ref(),
            Side::New => change.new.as_ref(),
        });
        match (entry, side) {
            (Some((_, id)), _) => Some(ObjectId::new(id.as_str())),
            (None, Side::New) => self.listed().get(path).map(|(_, id)| id.clone()),
            (None, Side::Old) => None,
        }
    }
}

impl Trees for Stored<'_> {
    fn read(&self, side: Side, path: &[u8]) -> Option<Vec<u8>> {
        let id = self.object(side, path)?;
        if let Some(found) = self.blobs.get_or_init(|| self.read_together()).get(&id) {
            return Some(found.clone());
        }
        if self.single.replace(self.single.get().saturating_add(1)) >= MAX_SINGLE {
            return None;
        }
        let max = usize::try_from(MAX_READ_BYTES).unwrap_or(usize::MAX);
        let git = self.engine.git().args(["cat-file", "blob", id.as_str()]);
        let answer = git.cut_stdout_at(max).run().map(|answer| Some(answer.stdout));
        self.known(answer)
    }

    fn kind(&self, path: &[u8]) -> Option<EntryKind> {
        self.listed().get(path).map(|(kind, _)| *kind)
    }
}
