//! The commit that a run would begin with, as its files, links and texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;

use super::blobs::{Bounds, read_bounded};
use super::git_error::GitError;
use super::process::Git;

/// The longest target of a link that is read.
const MAX_TARGET_BYTES: usize = 4 << 10;

/// More links than a repository has.
const MAX_LINKS: usize = 5_000;

/// The files of a commit.
#[derive(Debug)]
pub struct BaseFiles {
    top_level: PathBuf,
    ids: BTreeMap<String, ObjectId>,
    links: BTreeMap<String, String>,
}

impl BaseFiles {
    /// Lists the files of a commit, named as git names it; none where there is no such commit, or no
    /// repository. A path that is no text is left out: no word of a command can mean it.
    ///
    /// # Errors
    /// Git cannot list what the commit has.
    pub fn of(top_level: &Path, commit: &str) -> Result<Option<Self>, GitError> {
        let git = || Git::discovering(top_level);
        let wanted = format!("{commit}^{{commit}}");
        if git().args(["rev-parse", "--verify", "--quiet", &wanted]).run_to_end()?.code != 0 {
            return Ok(None);
        }
        let listed = git().args(["ls-tree", "-r", "-z", "--full-tree", commit]).run()?;
        let (mut ids, mut linked) = (BTreeMap::new(), Vec::new());
        for record in listed.stdout.split(|&byte| byte == 0).filter(|record| !record.is_empty()) {
            // `<mode> <type> <object>TAB<path>`
            let Ok(record) = std::str::from_utf8(record) else { continue };
            let (head, path) = record.split_once('\t').ok_or_else(|| listed.unexpected())?;
            let [mode, _, id] = head.split(' ').collect::<Vec<_>>()[..] else {
                return Err(listed.unexpected());
            };
            if mode == "120000" {
                linked.push((path.to_owned(), ObjectId::new(id)));
            }
            ids.insert(path.to_owned(), ObjectId::new(id));
        }
        let targets: Vec<&ObjectId> = linked.iter().map(|(_, id)| id).collect();
        let bounds = Bounds { files: MAX_LINKS, each: MAX_TARGET_BYTES, all: 4 << 20 };
        let read = read_bounded(&git, &targets, bounds)?;
        let target = |(path, id): (String, ObjectId)| {
            Some((path, String::from_utf8(read.get(&id)?.clone()).ok()?))
        };
        let links = linked.into_iter().filter_map(target).collect();
        Ok(Some(Self { top_level: top_level.to_owned(), ids, links }))
    }

    /// Returns every path.
    pub fn paths(&self) -> BTreeSet<String> {
        self.ids.keys().cloned().collect()
    }

    /// Returns where symbolic links lead, as they are written.
    pub fn links(&self) -> &BTreeMap<String, String> {
        &self.links
    }

    /// Reads files; what is too large or no text is left out of the answer.
    ///
    /// # Errors
    /// Git cannot read them.
    pub fn texts(
        &self,
        paths: &[String],
        bounds: Bounds,
    ) -> Result<BTreeMap<String, String>, GitError> {
        let ids: Vec<(&String, &ObjectId)> =
            paths.iter().filter_map(|path| Some((path, self.ids.get(path)?))).collect();
        let names: Vec<&ObjectId> = ids.iter().map(|(_, id)| *id).collect();
        let read = read_bounded(&|| Git::discovering(&self.top_level), &names, bounds)?;
        let text = |(path, id): (&String, &ObjectId)| {
            Some((path.clone(), String::from_utf8(read.get(id)?.clone()).ok()?))
        };
        Ok(ids.into_iter().filter_map(text).collect())
    }
}
