//! Trees checked out as a person's git would do it: the files that a fresh clone has.
//!
//! The repository's attributes hold here, and the user's own settings about line ends as they were
//! when the run began; never those of a place. One base tree per run is checked out whole. Another
//! tree is a *layer* over it: the files that differ, and whiteouts where files are gone.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;

use super::engine_repository::{EngineRepository, configuration_head};
use super::git_error::GitError;
use super::index::{IndexEntry, entries, set_times};
use super::lfs;
use super::object::ObjectFormat;
use super::place::Place;
use super::process::{Git, path_from_bytes};
use super::user::UserRepository;

/// Settings of the user that decide what a checkout looks like.
const SETTINGS: &str = r"^core\.(autocrlf|eol)$";

/// The name of files whose change can change how every other file is checked out.
const ATTRIBUTES: &[u8] = b".gitattributes";

/// Why a tree could not be checked out.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// Git failed.
    #[error("a tree could not be checked out")]
    Git(#[from] GitError),
    /// A file could not be written.
    #[error("a tree could not be checked out: {0}")]
    Io(#[from] io::Error),
    /// The index that git wrote cannot be read.
    #[error("git wrote an index of an unknown version")]
    Index,
}

/// A git directory for checkouts, whose objects are the engine's.
#[derive(Clone, Debug)]
pub struct Checkout {
    dir: PathBuf,
    objects: PathBuf,
    format: ObjectFormat,
    settings: Vec<String>,
}

/// What a layer takes away from the tree below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerShape {
    /// Files and whole folders that are gone.
    pub gone: Vec<PathBuf>,
    /// Folders whose list of names is the same as below, although a file in them differs.
    pub same_names: BTreeSet<PathBuf>,
}

impl Checkout {
    /// Makes the directory, or opens it as it was made when the run began.
    ///
    /// # Errors
    /// A file cannot be written, or git fails.
    pub fn open_or_create(
        dir: &Path,
        engine: &EngineRepository,
        user: &UserRepository,
        filter: &Path,
        lfs_store: &Path,
    ) -> Result<Self, CheckoutError> {
        let pinned = dir.join("settings");
        if !pinned.is_file() {
            fs_err::create_dir_all(dir.join("refs"))?;
            fs_err::create_dir_all(dir.join("info"))?;
            fs_err::write(dir.join("HEAD"), "ref: refs/heads/none\n")?;
            let filter = lfs::filter_for_room(user, filter, lfs_store)?;
            let head = configuration_head(engine.format());
            fs_err::write(dir.join("config"), format!("{head}\tbare = false\n{filter}"))?;
            let settings = settings_of(user)?.join("\n");
            fs_err::write(&pinned, settings)?;
        }
        let settings = fs_err::read_to_string(&pinned)?.lines().map(str::to_owned).collect();
        Ok(Self {
            dir: dir.to_owned(),
            objects: engine.objects(),
            format: engine.format(),
            settings,
        })
    }

    fn git(&self, work_tree: &Path, index: &Path) -> Git {
        let git = Git::at(&self.dir).objects(&self.objects).work_tree(work_tree).index(index);
        self.settings.iter().fold(git, |git, setting| git.setting(setting))
    }

    /// Checks a whole tree out into an empty folder.
    ///
    /// # Errors
    /// Git fails.
    pub fn whole(&self, tree: &ObjectId, into: &Path, index: &Path) -> Result<(), CheckoutError> {
        self.git(into, index).args(["read-tree", "--reset", "-u", tree.as_str()]).run()?;
        Ok(())
    }

    /// Brings the times in an index up to date, after they were set on the files that were checked out.
    ///
    /// # Errors
    /// The index cannot be read or written.
    pub fn refresh(&self, folder: &Path, index: &Path) -> Result<(), CheckoutError> {
        let before = fs_err::read(index)?;
        let times = |path: &[u8]| {
            let found = folder.join(path_from_bytes(path)).symlink_metadata().ok()?;
            Some([(found.ctime(), found.ctime_nsec()), (found.mtime(), found.mtime_nsec())])
        };
        let now = set_times(&before, self.format, times).ok_or(CheckoutError::Index)?;
        Ok(fs_err::write(index, now)?)
    }

    /// Checks out into an empty folder what differs between two trees, and says what is gone.
    ///
    /// `index` holds the index of `base` and is turned into that of `tree`.
    ///
    /// # Errors
    /// Git fails, or a file cannot be written.
    pub fn changes(
        &self,
        base: (&ObjectId, &Path),
        tree: &ObjectId,
        into: &Path,
        index: &Path,
    ) -> Result<LayerShape, CheckoutError> {
        let (base_tree, base_folder) = base;
        let before = fs_err::read(index)?;
        self.git(into, index)
            .args(["read-tree", "-m", "-u", base_tree.as_str(), tree.as_str()])
            .run()?;
        let after = fs_err::read(index)?;
        let before = entries(&before, self.format).ok_or(CheckoutError::Index)?;
        let now = entries(&after, self.format).ok_or(CheckoutError::Index)?;
        if attributes_differ(&before, &now) {
            fs_err::remove_file(index)?;
            self.whole(tree, into, index)?;
            drop_equal(into, base_folder, &now)?;
        }
        Ok(shape(&before, &now))
    }

    /// Writes a commit of `tree` on `parent`, and a pack with what it adds, into a git directory of
    /// its own; returns the commit.
    ///
    /// # Errors
    /// Git fails.
    pub fn pack_commit(
        &self,
        git_dir: &Path,
        tree: &ObjectId,
        parent: &ObjectId,
        head: &str,
    ) -> Result<ObjectId, CheckoutError> {
        let objects = git_dir.join("objects");
        fs_err::create_dir_all(objects.join("pack"))?;
        let text = format!("tree {tree}\nparent {parent}\n{head}");
        let commit = Git::at(&self.dir)
            .objects(&objects)
            .also_objects(&self.objects)
            .args(["hash-object", "-w", "-t", "commit", "--stdin"])
            .stdin(text.into_bytes())
            .run()?
            .line()?;
        Git::at(&self.dir)
            .objects(&self.objects)
            // The layer is not synced either, and a pack that is read for some minutes need not be
            // small: looking for deltas would be most of the work.
            .setting("core.fsync=none")
            .setting("pack.threads=1")
            .args(["pack-objects", "--revs", "-q", "--window=0"])
            .arg(objects.join("pack/pack"))
            .stdin(format!("{tree}\n^{parent}\n").into_bytes())
            .run()?;
        Ok(ObjectId::new(commit))
    }

    /// Packs the commits from `base` to `commit` into a git directory.
    ///
    /// # Errors
    /// Git fails.
    pub fn pack_history(
        &self,
        git_dir: &Path,
        commit: &ObjectId,
        base: &ObjectId,
    ) -> Result<(), CheckoutError> {
        let pack = git_dir.join("objects/pack");
        fs_err::create_dir_all(&pack)?;
        Git::at(&self.dir)
            .objects(&self.objects)
            .setting("core.fsync=none")
            .setting("pack.threads=1")
            .args(["pack-objects", "--revs", "-q", "--window=0"])
            .arg(pack.join("pack"))
            .stdin(format!("{commit}\n^{base}\n").into_bytes())
            .run()?;
        Ok(())
    }

    /// Returns how objects are named.
    pub fn format(&self) -> ObjectFormat {
        self.format
    }
}

impl Place {
    /// Fills the submodules of the base commit in a folder with its tree.
    ///
    /// # Errors
    /// Git fails.
    pub fn fill_submodules_in(&self, folder: &Path, indexes: &Path) -> Result<(), CheckoutError> {
        for (number, submodule) in self.record.submodules.iter().enumerate() {
            let inside = folder.join(path_from_bytes(&submodule.path));
            if !submodule.is_filled() {
                continue;
            }
            fs_err::create_dir_all(&inside)?;
            let index = indexes.join(format!("submodule-{number}.index"));
            submodule.check_out(&self.run_dir, &inside, &index)?;
        }
        Ok(())
    }
}

impl UserRepository {
    /// Lists what the checkout has and git ignores: folders as a whole, then single files.
    ///
    /// # Errors
    /// Git fails.
    pub fn ignored_paths(&self) -> Result<Vec<PathBuf>, GitError> {
        let listed = Git::as_the_user(&self.top_level)
            .args(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"])
            .run()?;
        let paths = listed.stdout.split(|&byte| byte == 0).filter(|path| !path.is_empty());
        let paths = paths.map(|path| path.strip_suffix(b"/").unwrap_or(path));
        Ok(paths.map(path_from_bytes).collect())
    }

    /// Returns the folders that objects are read from: the repository's own, then what it borrows.
    pub fn object_folders(&self) -> Vec<PathBuf> {
        object_folders(&self.common_dir)
    }
}

/// Returns the folders that a git directory reads objects from: its own, then what it borrows.
pub(super) fn object_folders(git_dir: &Path) -> Vec<PathBuf> {
    let mut found = vec![git_dir.join("objects")];
    let mut next = 0;
    while let Some(folder) = found.get(next).cloned() {
        next += 1;
        let listed = fs_err::read(folder.join("info/alternates")).unwrap_or_default();
        for line in listed.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let path = folder.join(path_from_bytes(line));
            if let Ok(path) = path.canonicalize()
                && !found.contains(&path)
            {
                found.push(path);
            }
        }
    }
    found
}

/// Reads the user's settings about line ends.
fn settings_of(user: &UserRepository) -> Result<Vec<String>, GitError> {
    let answer = Git::as_the_user(&user.top_level)
        .args(["config", "-z", "--get-regexp", SETTINGS])
        .run_to_end()?;
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    let settings = text.split('\0').filter_map(|setting| setting.split_once('\n'));
    Ok(settings.map(|(key, value)| format!("{key}={value}")).collect())
}

fn attributes_differ(before: &[IndexEntry<'_>], now: &[IndexEntry<'_>]) -> bool {
    let of = |all: &[IndexEntry<'_>]| -> Vec<(Vec<u8>, Vec<u8>)> {
        let own = |entry: &&IndexEntry<'_>| {
            entry.path == ATTRIBUTES || entry.path.ends_with(b"/.gitattributes")
        };
        let pair = |entry: &IndexEntry<'_>| (entry.path.to_vec(), entry.object.to_vec());
        all.iter().filter(own).map(pair).collect()
    };
    of(before) != of(now)
}

/// Removes from a layer the files that are the same below it.
fn drop_equal(layer: &Path, below: &Path, now: &[IndexEntry<'_>]) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in now {
        let path = path_from_bytes(entry.path);
        let (upper, lower) = (layer.join(&path), below.join(&path));
        let (Ok(ours), Ok(theirs)) = (upper.symlink_metadata(), lower.symlink_metadata()) else {
            continue;
        };
        let alike = ours.file_type() == theirs.file_type()
            && ours.len() == theirs.len()
            && ours.permissions().mode() == theirs.permissions().mode();
        if alike && ours.is_file() && fs_err::read(&upper)? == fs_err::read(&lower)? {
            fs_err::remove_file(&upper)?;
        }
    }
    Ok(())
}

/// Works out what a layer takes away.
///
/// Git writes an index in the order of its paths. Only what differs is looked at closely: a tree has tens of
/// thousands of files, and a snapshot changes a few.
fn shape(before: &[IndexEntry<'_>], now: &[IndexEntry<'_>]) -> LayerShape {
    let (before, now) = (Paths::of(before), Paths::of(now));
    let mut gone = BTreeSet::new();
    for path in before.without(&now) {
        let mut above: Vec<&[u8]> = folders_of(path).collect();
        // The top folder is always there.
        above.pop();
        above.reverse();
        if above.iter().any(|folder| now.has_file(folder)) {
            // A file in the place of a folder hides all that was in it.
            continue;
        }
        let folder = above.into_iter().find(|folder| !now.has_folder(folder));
        // A folder in the place of the file hides it.
        if folder.is_none() && now.has_folder(path) {
            continue;
        }
        gone.insert(path_from_bytes(folder.unwrap_or(path)));
    }
    let mut differing = BTreeSet::new();
    for path in before.without(&now).into_iter().chain(now.without(&before)) {
        let mut child = path;
        for folder in folders_of(path) {
            if before.has(child) != now.has(child) {
                differing.insert(folder);
            }
            child = folder;
        }
    }
    let same = now.folders().into_iter();
    let same = same.filter(|folder| before.has_folder(folder) && !differing.contains(folder));
    LayerShape { gone: gone.into_iter().collect(), same_names: same.map(path_from_bytes).collect() }
}

/// The folders above a path, the nearest first; the last one is the top folder.
fn folders_of(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| &path[..at]).chain([&path[..0]])
}

/// The paths of an index, in order.
struct Paths<'a>(Vec<&'a [u8]>);

impl<'a> Paths<'a> {
    fn of(entries: &[IndexEntry<'a>]) -> Self {
        let mut paths: Vec<&[u8]> = entries.iter().map(|entry| entry.path).collect();
        // It is sorted already, unless somebody else than git wrote it.
        paths.sort_unstable();
        Self(paths)
    }

    fn has_file(&self, path: &[u8]) -> bool {
        self.0.binary_search(&path).is_ok()
    }

    fn has_folder(&self, folder: &[u8]) -> bool {
        if folder.is_empty() {
            return !self.0.is_empty();
        }
        let inside = [folder, b"/"].concat();
        let first = self.0.partition_point(|path| *path < inside.as_slice());
        self.0.get(first).is_some_and(|path| path.starts_with(&inside))
    }

    fn has(&self, path: &[u8]) -> bool {
        self.has_file(path) || self.has_folder(path)
    }

    /// Lists the paths that `other` does not have.
    fn without(&self, other: &Self) -> Vec<&'a [u8]> {
        let mut others = other.0.iter().peekable();
        let is_missing = |path: &&&[u8]| {
            while others.next_if(|other| *other < *path).is_some() {}
            others.peek() != Some(path)
        };
        self.0.iter().filter(is_missing).copied().collect()
    }

    fn folders(&self) -> BTreeSet<&'a [u8]> {
        let mut all = BTreeSet::new();
        let mut last: Option<&[u8]> = None;
        for path in &self.0 {
            let mut folders = folders_of(path);
            let Some(nearest) = folders.next().filter(|nearest| last != Some(*nearest)) else {
                continue;
            };
            last = Some(nearest);
            // Above one that is known all are known.
            if all.insert(nearest) {
                folders.take_while(|folder| all.insert(folder)).for_each(drop);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn index<'a>(paths: &[&'a str]) -> Vec<IndexEntry<'a>> {
        let entry = |path: &&'a str| IndexEntry {
            path: path.as_bytes(),
            mode: 0o100_644,
            object: b"",
            hidden: false,
            at: 0,
        };
        paths.iter().map(entry).collect()
    }

    #[test]
    fn a_folder_that_is_gone_is_gone_as_a_whole() {
        let before = index(&["a/b/c", "a/b/d", "a/e", "f", "g/h"]);
        let now = index(&["a/e", "f/x", "g"]);
        let shape = shape(&before, &now);
        assert_eq!(shape.gone, [PathBuf::from("a/b")], "the rest is replaced by what is there now");
        let same: Vec<PathBuf> = shape.same_names.into_iter().collect();
        assert_eq!(same, [PathBuf::from("")], "the top has the same names");
    }

    proptest::proptest! {
        #[test]
        fn what_a_layer_takes_away_is_what_listing_every_folder_shows(
            before in proptest::collection::btree_set("[ab](/[ab]){0,3}", 0..9),
            now in proptest::collection::btree_set("[ab](/[ab]){0,3}", 0..9),
        ) {
            let (before, now) = (tree(before), tree(now));
            let b: Vec<&str> = before.iter().map(String::as_str).collect();
            let n: Vec<&str> = now.iter().map(String::as_str).collect();
            let shape = shape(&index(&b), &index(&n));
            let (names_before, names_now) = (names(&before), names(&now));
            let same: BTreeSet<PathBuf> = names_now
                .iter()
                .filter(|(folder, list)| names_before.get(*folder) == Some(*list))
                .map(|(folder, _)| folder.clone())
                .collect();
            proptest::prop_assert_eq!(&shape.same_names, &same);
            // Below a layer that has all of `now` and hides `gone`, nothing of `before` is left over.
            for path in before.difference(&now) {
                let path = Path::new(path);
                let hidden = shape.gone.iter().any(|gone| path.starts_with(gone));
                let covered = path.ancestors().any(|above| now.contains(above.to_str().unwrap()))
                    || names_now.contains_key(path);
                proptest::prop_assert!(hidden || covered, "{:?} shows through", path);
            }
            for gone in &shape.gone {
                let is_there = now.contains(gone.to_str().unwrap()) || names_now.contains_key(gone);
                proptest::prop_assert!(!is_there, "{:?} is hidden and there", gone);
            }
        }
    }

    /// A set of paths without a file in the stead of a folder, as an index has them.
    fn tree(mut paths: BTreeSet<String>) -> BTreeSet<String> {
        let all = paths.clone();
        paths.retain(|path| !all.iter().any(|other| other.starts_with(&format!("{path}/"))));
        paths
    }

    /// The names in every folder.
    fn names(paths: &BTreeSet<String>) -> BTreeMap<PathBuf, BTreeSet<String>> {
        let mut folders: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for path in paths {
            for path in Path::new(path).ancestors() {
                let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                    continue;
                };
                let name = name.to_str().unwrap().to_owned();
                folders.entry(parent.to_owned()).or_default().insert(name);
            }
        }
        folders
    }

    #[test]
    fn a_folder_with_the_same_names_is_told() {
        let shape = shape(&index(&["a/b", "c/d", "e"]), &index(&["a/b", "c/x", "e"]));
        let same: Vec<PathBuf> = shape.same_names.into_iter().collect();
        assert_eq!(same, [PathBuf::from(""), PathBuf::from("a")]);
        assert_eq!(shape.gone, [PathBuf::from("c/d")]);
    }
}
