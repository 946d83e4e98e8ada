//! Trees checked out as a person's git would do it: the files that a fresh clone has.
//!
//! The repository's attributes hold here, and the user's own settings about line ends as they were
//! when the run began; never those of a place. One base tree per run is checked out whole. Another
//! tree is a *layer* over it: the files that differ, and whiteouts where files are gone.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;

use super::engine_repository::{EngineRepository, configuration_head};
use super::git_error::GitError;
use super::index::{IndexEntry, entries};
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

    /// Brings the times in an index up to date, after they were set on the files.
    ///
    /// # Errors
    /// Git fails.
    pub fn refresh(&self, folder: &Path, index: &Path) -> Result<(), CheckoutError> {
        let refreshed = self.git(folder, index).args(["update-index", "-q", "--refresh"]);
        // Code 1 says that something differs, such as a submodule: that is not what is asked.
        refreshed.run_to_end()?;
        Ok(())
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
    /// Returns branches and tags as lines of a `packed-refs` file; those of windlass are left out,
    /// because they are the work of other runs.
    ///
    /// # Errors
    /// Git fails.
    pub fn packed_refs(&self) -> Result<String, GitError> {
        let listed = Git::at(&self.common_dir)
            .args(["for-each-ref", "--format=%(objectname) %(refname)"])
            .args(["refs/heads", "refs/tags", "refs/remotes"])
            .run()?;
        let text = String::from_utf8_lossy(&listed.stdout);
        let theirs = text.lines().filter(|line| !line.contains(" refs/heads/windlass/"));
        Ok(theirs.map(|line| format!("{line}\n")).collect())
    }

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
        let mut found = vec![self.common_dir.join("objects")];
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
fn shape(before: &[IndexEntry<'_>], now: &[IndexEntry<'_>]) -> LayerShape {
    let files: BTreeMap<&[u8], u32> = now.iter().map(|entry| (entry.path, entry.mode)).collect();
    let (names_before, names_now) = (names(before), names(now));
    let mut gone = BTreeSet::new();
    for entry in before.iter().filter(|entry| !files.contains_key(entry.path)) {
        let path = path_from_bytes(entry.path);
        let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
        above.pop();
        above.reverse();
        let replaced = above.iter().any(|folder| files.contains_key(folder.as_os_str().as_bytes()));
        if replaced {
            // A file in the place of a folder hides all that was in it.
            continue;
        }
        let folder = above.into_iter().find(|folder| !names_now.contains_key(*folder));
        // A folder in the place of the file hides it.
        if folder.is_none() && names_now.contains_key(&path) {
            continue;
        }
        gone.insert(folder.unwrap_or(&path).to_owned());
    }
    let same = |(folder, list): (&PathBuf, &BTreeSet<Vec<u8>>)| {
        (names_before.get(folder) == Some(list)).then(|| folder.clone())
    };
    LayerShape {
        gone: gone.into_iter().collect(),
        same_names: names_now.iter().filter_map(same).collect(),
    }
}

/// The names in every folder of an index.
fn names(all: &[IndexEntry<'_>]) -> BTreeMap<PathBuf, BTreeSet<Vec<u8>>> {
    let mut folders: BTreeMap<PathBuf, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for entry in all {
        let mut path = path_from_bytes(entry.path);
        while let (Some(parent), Some(name)) = (
            path.parent().map(Path::to_owned),
            path.file_name().map(|name| name.as_bytes().to_vec()),
        ) {
            if !folders.entry(parent.clone()).or_default().insert(name) {
                break;
            }
            path = parent;
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index<'a>(paths: &[&'a str]) -> Vec<IndexEntry<'a>> {
        let entry = |path: &&'a str| IndexEntry {
            path: path.as_bytes(),
            mode: 0o100_644,
            object: b"",
            hidden: false,
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

    #[test]
    fn a_folder_with_the_same_names_is_told() {
        let shape = shape(&index(&["a/b", "c/d", "e"]), &index(&["a/b", "c/x", "e"]));
        let same: Vec<PathBuf> = shape.same_names.into_iter().collect();
        assert_eq!(same, [PathBuf::from(""), PathBuf::from("a")]);
        assert_eq!(shape.gone, [PathBuf::from("c/d")]);
    }
}
