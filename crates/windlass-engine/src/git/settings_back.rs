//! The settings of a place's git directory, put back after every attempt.
//!
//! An agent may write what it likes there, and git runs what stands there: a monitor, a pager, a
//! driver for diffs, a hook. Whoever looks at the place next, the reviewer's git or a person's, must
//! run nothing of the agent's and see no other objects than there are. What the agent had made of it
//! is returned, so that it can be shown.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;

use super::base_store::alternates;
use super::index;
use super::place::{EXCLUDE_LINE, Place, PlaceError, PlaceKind};
use super::place_files::{self, PlaceFileError, remove_whatever};
use super::process::path_from_bytes;
use super::submodule::{self, Submodule};

/// The pinned copy of the configuration, in the run's own directory.
pub(super) const PINNED: &str = "clone-config";

/// The pinned branches and tags, in the run's own directory.
pub(super) const PINNED_REFS: &str = "clone-refs";

/// Where windlass keeps commits that agents made, each under its own name.
const AGENTS_COMMITS: &str = "refs/windlass/agent/";

/// By how much a list of branches and tags may have grown to be read at all.
const MAX_MORE_REFS_BYTES: u64 = 1 << 20;

/// The most files and folders of branches and tags that are looked at one by one.
const MAX_LOOSE_REFS: usize = 20_000;

/// The most commits of agents that are kept.
const MAX_AGENTS_COMMITS: usize = 1000;

/// The largest file of one branch.
const MAX_REF_BYTES: u64 = 4 << 10;

/// The largest index that is read.
const MAX_INDEX_BYTES: u64 = 256 << 20;

/// Where git finds the folders that a git directory borrows objects from.
pub(super) const ALTERNATES: &str = "objects/info/alternates";

/// Files and folders of a git directory that windlass never makes in a place, except that one which
/// borrows objects says from where.
pub(super) const NOT_OURS: [&str; 16] = [
    "config.worktree",
    "hooks",
    "commondir",
    "gitdir",
    "info/attributes",
    "info/grafts",
    "info/sparse-checkout",
    ALTERNATES,
    // What is half done: git would advise whoever looks next to go on with it.
    "rebase-merge",
    "rebase-apply",
    "sequencer",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
    "BISECT_START",
];

/// How much of a file is kept to be shown.
const MAX_SHOWN_BYTES: u64 = 64 << 10;

/// How many files are shown one by one.
pub(super) const MAX_SHOWN: usize = 100;

/// A file that an agent had made or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Displaced {
    /// Its path in the git directory.
    pub path: PathBuf,
    /// What the agent had made of it; empty for a folder.
    pub content: Vec<u8>,
}

impl Displaced {
    pub(super) fn new(path: impl Into<PathBuf>, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), content: content.into() }
    }
}

impl Place {
    /// Says whether the place has a git directory; a file or a link in its stead is none.
    pub fn has_git_directory(&self) -> bool {
        place_files::open_folder(&self.record.root, Path::new(".git")).is_ok()
    }

    /// Puts the settings back as windlass wrote them; returns what was not as it should be.
    ///
    /// `last` is the commit published last, or the base. The user's own git directory is not ours to
    /// write. Where there is no git directory any more, there is nothing to put back either:
    /// [`restore_git_directory`](Self::restore_git_directory) makes a new one.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn put_settings_back(&self, last: &ObjectId) -> Result<Vec<Displaced>, PlaceError> {
        let Ok(pinned) = fs_err::read(self.run_dir.path(PINNED)) else { return Ok(Vec::new()) };
        if self.record.kind == PlaceKind::Here || !self.has_git_directory() {
            return Ok(Vec::new());
        }
        let mut displaced = Vec::new();
        let exclude = format!("{EXCLUDE_LINE}\n").into_bytes();
        for (name, ours) in [("config", pinned), ("info/exclude", exclude)] {
            self.put_file_back(&Path::new(".git").join(name), name, &ours, &mut displaced)?;
        }
        self.put_refs_back(&mut displaced)?;
        self.clear_not_ours(Path::new(""), self.record.borrows.as_deref(), &mut displaced)?;
        self.put_modules_back(&mut displaced)?;
        self.put_index_back(last, &mut displaced)?;
        self.disarm_repositories(&mut displaced)?;
        Ok(displaced)
    }

    /// Writes a file as it was, if it is not.
    fn put_file_back(
        &self,
        path: &Path,
        name: impl Into<PathBuf>,
        ours: &[u8],
        displaced: &mut Vec<Displaced>,
    ) -> Result<(), PlaceError> {
        let now = self.read(path);
        if now.as_deref() == Some(ours) {
            return Ok(());
        }
        displaced.push(Displaced::new(name, now.unwrap_or_default()));
        self.clear(path)?;
        Ok(place_files::write_file(&self.record.root, path, ours)?)
    }

    /// Removes what windlass never makes in a git directory; `below` leads to that of a submodule, and
    /// `borrows` is the folder that it borrows objects from.
    fn clear_not_ours(
        &self,
        below: &Path,
        borrows: Option<&Path>,
        displaced: &mut Vec<Displaced>,
    ) -> Result<(), PlaceError> {
        for name in NOT_OURS.map(|name| below.join(name)) {
            let path = Path::new(".git").join(&name);
            if let Some(objects) = borrows.filter(|_| name.ends_with(ALTERNATES)) {
                self.put_file_back(&path, &name, &alternates(objects), displaced)?;
                continue;
            }
            if self.record.root.join(&path).symlink_metadata().is_err() {
                continue;
            }
            displaced.push(Displaced::new(name, self.read(&path).unwrap_or_default()));
            self.clear(&path)?;
        }
        Ok(())
    }

    /// Puts the user's branches and tags back where they were, because a reviewer compares with them,
    /// and removes all others: `refs/replace` would show a reviewer other files than there are. The
    /// run's own branch stays, and so do commits of agents that windlass itself had kept.
    fn put_refs_back(&self, displaced: &mut Vec<Displaced>) -> Result<(), PlaceError> {
        let Ok(pinned) = fs_err::read(self.run_dir.path(PINNED_REFS)) else { return Ok(()) };
        // A name may be no UTF-8; both sides are compared as they are read here.
        let text = String::from_utf8_lossy(&pinned);
        let mut refs = Refs {
            place: self,
            own: format!("refs/heads/{}", self.record.branch),
            pinned: refs_in(&text).map(|(object, name)| (name, object)).collect(),
            agents: 0,
            moved: Vec::new(),
            others: String::new(),
        };
        refs.pinned.remove(refs.own.as_str());
        refs.clear_loose()?;
        refs.put_packed_back(&pinned)?;
        displaced.append(&mut refs.moved);
        if !refs.others.is_empty() {
            displaced.push(Displaced::new("refs", refs.others));
        }
        Ok(())
    }

    /// Puts the settings of the submodules back, and removes git directories of others.
    fn put_modules_back(&self, displaced: &mut Vec<Displaced>) -> Result<(), PlaceError> {
        let root = &self.record.root;
        let filled = || self.record.submodules.iter().filter(|module| module.is_filled());
        let known: Vec<PathBuf> = filled().map(|module| path_from_bytes(&module.path)).collect();
        let modules = Path::new(".git/modules");
        if place_files::open_folder(root, modules).is_err() {
            if root.join(modules).symlink_metadata().is_ok() {
                displaced.push(Displaced::new("modules", []));
            }
            self.clear(modules)?;
        } else {
            self.clear_modules(Path::new(""), &known, displaced)?;
        }
        for (module, path) in filled().zip(&known) {
            self.put_module_back(module, path, displaced)?;
        }
        Ok(())
    }

    /// Removes git directories that belong to no known submodule.
    fn clear_modules(
        &self,
        below: &Path,
        known: &[PathBuf],
        displaced: &mut Vec<Displaced>,
    ) -> Result<(), PlaceError> {
        let modules = Path::new(".git/modules");
        for entry in fs_err::read_dir(self.record.root.join(modules).join(below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            let leads_to_one = known.iter().any(|known| known.starts_with(&path));
            if leads_to_one && entry.file_type()?.is_dir() {
                if !known.contains(&path) {
                    self.clear_modules(&path, known, displaced)?;
                }
                continue;
            }
            if displaced.len() < MAX_SHOWN {
                displaced.push(Displaced::new(Path::new("modules").join(&path), []));
            }
            self.clear(&modules.join(&path))?;
        }
        Ok(())
    }

    fn put_module_back(
        &self,
        module: &Submodule,
        path: &Path,
        displaced: &mut Vec<Displaced>,
    ) -> Result<(), PlaceError> {
        let root = &self.record.root;
        let name = Path::new("modules").join(path);
        let directory = Path::new(".git").join(&name);
        if self.leads_astray(&directory.join("index"), path) {
            displaced.push(Displaced::new(name.join("index"), []));
            self.clear(&directory)?;
            module.restore_module(&self.run_dir, &root.join(".git/modules"))?;
        }
        if place_files::open_folder(root, &directory.join("objects")).is_err() {
            // It is gone, or a link stands in its stead.
            displaced.push(Displaced::new(&name, []));
            self.clear(&directory)?;
            return module.restore_module(&self.run_dir, &root.join(".git/modules"));
        }
        let ours = submodule::configuration(path).into_bytes();
        self.put_file_back(&directory.join("config"), name.join("config"), &ours, displaced)?;
        self.clear_not_ours(&name, module.borrows.as_deref(), displaced)?;
        // Git looks for the directory where this file leads. Where there is no folder it leads nowhere.
        let file = path.join(".git");
        let ours = submodule::git_file(path).into_bytes();
        let Ok(folder) = place_files::open_folder(root, path) else { return Ok(()) };
        if self.read(&file).as_deref() == Some(&ours) {
            return Ok(());
        }
        let mode = rustix::fs::fstat(&folder).map_err(io::Error::from)?.st_mode;
        let mode = rustix::fs::Mode::from_raw_mode(mode & 0o7777);
        let change = |mode| rustix::fs::fchmod(&folder, mode).map_err(io::Error::from);
        change(mode | rustix::fs::Mode::RWXU)?;
        self.put_file_back(&file, name.join("gitdir"), &ours, displaced)?;
        Ok(change(mode)?)
    }

    /// Says whether the index of a submodule cannot be read, hides files, or leads git into a repository
    /// that an agent made in it.
    fn leads_astray(&self, index: &Path, module: &Path) -> bool {
        let (root, format) = (&self.record.root, self.engine.format());
        let bytes = match place_files::read_file_bounded(root, index, MAX_INDEX_BYTES) {
            Err(error) if error.is_missing() => return false,
            Err(_) => return true,
            Ok(bytes) => bytes,
        };
        let is_whole = index::is_whole(&bytes, format) == Some(true);
        let (Some(hidden), Some(links), true) =
            (index::hidden(&bytes, format), index::gitlinks(&bytes, format), is_whole)
        else {
            return true;
        };
        let known = |link: &Path| {
            self.record.submodules.iter().any(|known| path_from_bytes(&known.path) == link)
        };
        let made = |link: &Vec<u8>| {
            let link = module.join(path_from_bytes(link));
            !known(&link) && root.join(&link).join(".git").symlink_metadata().is_ok()
        };
        !hidden.is_empty() || links.iter().any(made)
    }

    /// Replaces an index that leads git into repositories of the agent's, where it would do what their
    /// settings say, or that tells git not to look at files.
    fn put_index_back(
        &self,
        last: &ObjectId,
        displaced: &mut Vec<Displaced>,
    ) -> Result<(), PlaceError> {
        let (root, path) = (&self.record.root, Path::new(".git/index"));
        let format = self.engine.format();
        let known = |link: &Vec<u8>| self.record.submodules.iter().any(|known| known.path == *link);
        let mut hidden = Vec::new();
        let links = match place_files::read_file_bounded(root, path, MAX_INDEX_BYTES) {
            Err(error) if error.is_missing() => return Ok(()),
            Err(_) => None,
            Ok(bytes) => {
                hidden = index::hidden(&bytes, format).unwrap_or_default();
                index::is_whole(&bytes, format)
                    .filter(|whole| *whole)
                    .and_then(|_| index::gitlinks(&bytes, format))
            }
        };
        let links = match links {
            Some(links) if hidden.is_empty() && links.iter().all(known) => {
                return self.distrust_times_of_index();
            }
            links => links.unwrap_or_default(),
        };
        let unknown = links.into_iter().filter(|link| !known(link));
        let shown = unknown.chain(hidden).take(MAX_SHOWN);
        displaced.push(Displaced::new("index", shown.collect::<Vec<_>>().join(&b'\n')));
        let fresh = self.run_dir.path("index.fresh");
        match fs_err::remove_file(&fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
        super::run_dir::break_lock(&fresh)?;
        let read = ["read-tree", "--reset", last.as_str()];
        self.run_dir.git(root, &fresh).args(read).run()?;
        self.clear(path)?;
        Ok(place_files::write_file(root, path, &fs_err::read(&fresh)?)?)
    }

    /// Has git compare files with the index by content. An index can hold an old blob beside the times
    /// of the new file, and `git status` would then say that nothing changed. Git looks at the content of
    /// whatever is not older than the index, so the index becomes older than everything.
    fn distrust_times_of_index(&self) -> Result<(), PlaceError> {
        let git = place_files::open_folder(&self.record.root, Path::new(".git"))?;
        // Zero would mean that there is no time.
        let long_ago = rustix::fs::Timespec { tv_sec: 1, tv_nsec: 0 };
        let times = rustix::fs::Timestamps { last_access: long_ago, last_modification: long_ago };
        let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
        rustix::fs::utimensat(&git, "index", &times, flags).map_err(io::Error::from)?;
        Ok(())
    }

    pub(super) fn read(&self, path: &Path) -> Option<Vec<u8>> {
        place_files::read_file_bounded(&self.record.root, path, MAX_SHOWN_BYTES).ok()
    }

    /// Removes whatever stands at a path of the place; a link or a file in the stead of a folder on
    /// the way goes instead.
    pub(super) fn clear(&self, path: &Path) -> Result<(), PlaceFileError> {
        match remove_whatever(&self.record.root, path) {
            Err(PlaceFileError::Replaced { .. }) => match path.parent() {
                Some(parent) if parent != Path::new(".git") && parent != Path::new("") => {
                    self.clear(parent)
                }
                _ => Ok(()),
            },
            done => done,
        }
    }
}

/// The branches and tags of a place, on their way back.
struct Refs<'a> {
    place: &'a Place,
    /// The run's branch.
    own: String,
    /// The user's, with where they belong.
    pinned: HashMap<&'a str, &'a str>,
    /// How many commits of agents were kept.
    agents: usize,
    /// The user's that were elsewhere.
    moved: Vec<Displaced>,
    /// What else there was, one per line.
    others: String,
}

impl Refs<'_> {
    fn root(&self) -> &Path {
        &self.place.record.root
    }

    fn is_object(&self, text: &str) -> bool {
        text.len() == self.place.engine.format().bytes() * 2
            && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    }

    /// Says whether a branch is the run's or a commit that windlass kept.
    fn stays(&mut self, name: &str, object: &str) -> bool {
        if !self.is_object(object) {
            return false;
        }
        if name == self.own {
            return true;
        }
        let kept = name.strip_prefix(AGENTS_COMMITS) == Some(object);
        self.agents += usize::from(kept);
        kept && self.agents <= MAX_AGENTS_COMMITS
    }

    /// Notes a branch that does not stay as it is.
    fn note(&mut self, name: &str, content: &str) {
        if self.pinned.get(name) == Some(&content) {
            return;
        }
        if self.pinned.contains_key(name) && self.moved.len() < MAX_SHOWN {
            self.moved.push(Displaced::new(name, content));
        } else if (self.others.len() as u64) < MAX_SHOWN_BYTES {
            let content: String = content.chars().take(200).collect();
            self.others.push_str(&format!("{content} {name}\n"));
        }
    }

    /// Removes files of single branches. What a file is, is asked of itself and not of what it holds: a
    /// link or a huge file is a branch for git as well.
    fn clear_loose(&mut self) -> Result<(), PlaceError> {
        let root = self.root().to_owned();
        let own = Path::new(".git").join(&self.own);
        let Some(files) = loose_refs(&root) else {
            let tip = self.plain(&own).filter(|tip| self.is_object(tip));
            self.others.push_str("more than can be looked at\n");
            self.place.clear(Path::new(".git/refs"))?;
            for folder in [".git/refs/heads", ".git/refs/tags"] {
                place_files::create_dir(&root, Path::new(folder))?;
            }
            if let Some(tip) = tip {
                place_files::write_file(&root, &own, format!("{tip}\n").as_bytes())?;
            }
            return Ok(());
        };
        for path in files {
            let content = self.plain(&path);
            let name = path.strip_prefix(".git").unwrap_or(&path).to_string_lossy().into_owned();
            let stays = content.as_deref().is_some_and(|content| self.stays(&name, content));
            if !stays {
                self.note(&name, content.as_deref().unwrap_or("no plain file"));
                self.place.clear(&path)?;
            }
        }
        Ok(())
    }

    fn plain(&self, path: &Path) -> Option<String> {
        let bytes = place_files::read_file_bounded(self.root(), path, MAX_REF_BYTES).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }

    /// Writes the list of the user's branches and tags as it was; what stays besides becomes a file.
    fn put_packed_back(&mut self, pinned: &[u8]) -> Result<(), PlaceError> {
        let root = self.root().to_owned();
        let path = Path::new(".git/packed-refs");
        let limit = pinned.len() as u64 + MAX_MORE_REFS_BYTES;
        let now = match place_files::read_file_bounded(&root, path, limit) {
            Ok(now) if now == pinned => return Ok(()),
            Ok(now) => String::from_utf8_lossy(&now).into_owned(),
            Err(error) if error.is_missing() && pinned.is_empty() => return Ok(()),
            Err(error) => {
                if !error.is_missing() {
                    self.others.push_str("a list that is no plain file or too long\n");
                }
                String::new()
            }
        };
        let mut seen = HashMap::new();
        for (object, name) in refs_in(&now) {
            seen.insert(name, object);
            let loose = Path::new(".git").join(name);
            if !self.stays(name, object) {
                self.note(name, object);
            } else if root.join(&loose).symlink_metadata().is_err() {
                place_files::write_file(&root, &loose, format!("{object}\n").as_bytes())?;
            }
        }
        let gone: Vec<&str> =
            self.pinned.keys().copied().filter(|name| !seen.contains_key(name)).collect();
        for name in gone {
            self.note(name, "");
        }
        self.place.clear(path)?;
        Ok(place_files::write_file(&root, path, pinned)?)
    }
}

/// Lists the files below `.git/refs`, without following a link; none where there are too many, or no
/// folder.
fn loose_refs(root: &Path) -> Option<Vec<PathBuf>> {
    let mut folders = vec![PathBuf::from(".git/refs")];
    let (mut files, mut looked_at) = (Vec::new(), 0);
    while let Some(folder) = folders.pop() {
        place_files::open_folder(root, &folder).ok()?;
        for entry in fs_err::read_dir(root.join(&folder)).ok()? {
            let entry = entry.ok()?;
            looked_at += 1;
            if looked_at > MAX_LOOSE_REFS {
                return None;
            }
            let path = folder.join(entry.file_name());
            match entry.file_type().ok()?.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    Some(files)
}

/// The branches and tags of a `packed-refs` file, with where they are.
fn refs_in(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().filter(|line| !line.starts_with(['#', '^']));
    lines.filter_map(|line| line.split_once(' '))
}

#[cfg(test)]
#[path = "settings_back_tests.rs"]
mod tests;
