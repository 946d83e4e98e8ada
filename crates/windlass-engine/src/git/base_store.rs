//! Base stores: the user's objects, which places borrow instead of copying them.
//!
//! A store is a folder of hard links to the packs and objects of the user's repository, as they were
//! when it was made. It never changes afterwards: whoever needs newer objects makes another store. So a
//! place has no objects of attempts that came later, and a killed maker leaves a draft and no half store.
//! The links keep the objects when the user repacks, prunes, moves or removes the repository. No git
//! runs in a store: it is a folder of objects and no repository, so nothing in it is ever pruned.
//!
//! A store goes when no place borrows from it. Who makes a place holds the lock together with others
//! until the place's record names the store; who removes stores holds it alone.
//!
//! Design page: `docs/design/places.md`.

use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use windlass_core::id::ObjectId;

use super::checkout::object_folders;
use super::engine_repository::{EngineRepository, unshare};
use super::git_error::GitError;
use super::object_files::Listed;
use super::place::borrowed_by;
use super::process::{Git, path_from_bytes};
use super::remove::remove_whole;
use super::settings_back::ALTERNATES;
use crate::fault;

/// The folder of a store with its objects, and the one with the names of its borrowers.
const OBJECTS: &str = "objects";
const BORROWERS: &str = "borrowers";

/// How the name of a store begins that is being made.
const DRAFT: &str = ".making-";

/// How often a store is made anew because the user's repository was repacked meanwhile.
const TRIES: usize = 5;

/// The base stores of one repository.
#[derive(Clone, Debug)]
pub(super) struct BaseStores {
    dir: PathBuf,
}

/// A store that is not removed while this is there.
#[derive(Debug)]
pub(super) struct Lent {
    /// The folder with the objects.
    pub(super) objects: PathBuf,
    _lock: File,
}

/// What a git directory of a place gets its objects by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lender<'a> {
    /// Where base stores are; none where objects have to be copied.
    pub(super) stores: Option<&'a Path>,
    pub(super) engine: &'a EngineRepository,
    /// Where the record of the place lies.
    pub(super) run_dir: &'a Path,
}

impl Lender<'_> {
    /// Clones a repository of the user; the clone borrows its objects where that is possible, and has
    /// copies elsewhere. `wanted` is a commit that has to be there.
    pub(super) fn clone(
        &self,
        from: &Path,
        common_dir: &Path,
        git_dir: &Path,
        wanted: &ObjectId,
    ) -> Result<Option<Lent>, BaseStoreError> {
        let is_shallow = common_dir.join("shallow").exists();
        if let Some(stores) = self.stores.filter(|_| !is_shallow) {
            // Branches first: what they lead to is in a store that is made after they were read.
            git_clone(from, git_dir, &["--shared"])?;
            let folders = object_folders(common_dir);
            let stores = BaseStores::at(stores);
            if let Some(lent) = stores.lend(&folders, wanted, self.engine, self.run_dir)? {
                fs_err::write(git_dir.join(ALTERNATES), alternates(&lent.objects))?;
                return Ok(Some(lent));
            }
            remove_whole(git_dir)?;
        }
        copy(from, git_dir)?;
        Ok(None)
    }
}

/// Clones a repository of the user with copies of its objects.
pub(super) fn copy(from: &Path, git_dir: &Path) -> Result<(), GitError> {
    git_clone(from, git_dir, &["--local", "--no-hardlinks"])
}

fn git_clone(from: &Path, git_dir: &Path, how: &[&str]) -> Result<(), GitError> {
    let clone = Git::anywhere().args(["clone", "--quiet", "--bare", "--template="]).args(how);
    clone.args([from.as_os_str(), git_dir.as_os_str()]).run().map(drop)
}

impl BaseStores {
    pub(super) fn at(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    /// Returns a store with the objects in `folders`, for the place whose record lies in `run_dir`; none
    /// where they cannot be linked: on another disk, or where they belong to somebody else.
    ///
    /// `wanted` is a commit that has to be among them.
    fn lend(
        &self,
        folders: &[PathBuf],
        wanted: &ObjectId,
        engine: &EngineRepository,
        run_dir: &Path,
    ) -> Result<Option<Lent>, BaseStoreError> {
        fs_err::create_dir_all(&self.dir)?;
        let dir = fs_err::canonicalize(&self.dir)?;
        if dir.as_os_str().as_bytes().contains(&b'\n') {
            // Git reads one path per line.
            return Ok(None);
        }
        self.remove_unused()?;
        let lock = self.lock(FlockOperation::LockShared)?;
        let Some(store) = make(&dir, folders)? else { return Ok(None) };
        let objects = store.join(OBJECTS);
        let wanted = format!("{wanted}^{{commit}}");
        let asked = engine.git().objects(&objects).args(["cat-file", "-e", &wanted]);
        if asked.run_to_end()?.code != 0 {
            return Ok(None);
        }
        let name = blake3::hash(run_dir.as_os_str().as_bytes()).to_hex();
        fs_err::create_dir_all(store.join(BORROWERS))?;
        let borrower = store.join(BORROWERS).join(&name[..16]);
        fs_err::write(borrower, run_dir.as_os_str().as_bytes())?;
        fault::point("base-store-lent");
        Ok(Some(Lent { objects, _lock: lock }))
    }

    /// Removes the stores that no place borrows from, and drafts that a killed process left; does nothing
    /// while somebody makes a place.
    pub(super) fn remove_unused(&self) -> io::Result<()> {
        if !self.dir.is_dir() {
            return Ok(());
        }
        let alone = match self.lock(FlockOperation::NonBlockingLockExclusive) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            alone => alone?,
        };
        for store in self.stores()? {
            let name = store.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(DRAFT) {
                remove_whole(&store)?;
            } else if !is_borrowed(&store)? {
                // Whoever is killed while removing leaves a draft, not half a store.
                let draft = self.dir.join(format!("{DRAFT}{name}"));
                fs_err::rename(&store, &draft)?;
                remove_whole(&draft)?;
            }
        }
        drop(alone);
        Ok(())
    }

    /// Gives the objects of all stores inodes of their own, because an agent is about to work in the
    /// user's checkout, where it can write those that they were linked from.
    pub(super) fn unshare(&self) -> io::Result<()> {
        if !self.dir.is_dir() {
            return Ok(());
        }
        let _lock = self.lock(FlockOperation::LockShared)?;
        self.stores()?.iter().try_for_each(|store| unshare(&store.join(OBJECTS)))
    }

    fn stores(&self) -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for entry in fs_err::read_dir(&self.dir)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                found.push(entry.path());
            }
        }
        Ok(found)
    }

    fn lock(&self, how: FlockOperation) -> io::Result<File> {
        let path = self.dir.join("lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        match rustix::io::retry_on_intr(|| flock(&file, how)) {
            // A file system without locks has one process at a time on it.
            Ok(()) | Err(Errno::NOTSUP | Errno::INVAL | Errno::NOLCK) => Ok(file),
            Err(error) => Err(error.into()),
        }
    }
}

/// Why a store could not be made.
#[derive(Debug, thiserror::Error)]
pub enum BaseStoreError {
    /// Git failed.
    #[error("the base store could not be read")]
    Git(#[from] GitError),
    /// A file could not be linked or written.
    #[error("the base store could not be written")]
    Io(#[from] io::Error),
}

/// Removes the base stores in `dir` that no place borrows from.
///
/// # Errors
/// The folder cannot be read or written.
pub fn remove_unused_stores(dir: &Path) -> io::Result<()> {
    BaseStores::at(dir).remove_unused()
}

/// The line that git reads as the folder with borrowed objects.
pub(super) fn alternates(objects: &Path) -> Vec<u8> {
    [objects.as_os_str().as_bytes(), b"\n"].concat()
}

/// Says whether a place that is there borrows from a store. Who cannot be asked counts as a borrower.
fn is_borrowed(store: &Path) -> io::Result<bool> {
    let borrowers = match fs_err::read_dir(store.join(BORROWERS)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        borrowers => borrowers?,
    };
    let objects = store.join(OBJECTS);
    for borrower in borrowers {
        let run_dir = path_from_bytes(&fs_err::read(borrower?.path())?);
        let borrowed = borrowed_by(&run_dir);
        if borrowed.map_or(true, |folders| folders.contains(&objects)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes the store of all that is in `folders`, or finds it.
fn make(dir: &Path, folders: &[PathBuf]) -> io::Result<Option<PathBuf>> {
    for _ in 0..TRIES {
        let listed = Listed::of(folders)?;
        let store = dir.join(listed.name());
        if store.is_dir() {
            return Ok(Some(store));
        }
        let draft = tempfile::Builder::new().prefix(DRAFT).tempdir_in(dir)?;
        match listed.link(&draft.path().join(OBJECTS)) {
            // It was repacked: what is gone here is in a new pack now.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) if cannot_be_linked(&error) => return Ok(None),
            linked => linked?,
        }
        if !listed.still_holds(&Listed::of(folders)?) {
            continue;
        }
        fault::point("base-store-linked");
        let draft = draft.keep();
        return match fs_err::rename(&draft, &store) {
            // Somebody else was faster.
            Err(_) if store.is_dir() => remove_whole(&draft).map(|()| Some(store)),
            renamed => renamed.map(|()| Some(store)),
        };
    }
    Ok(None)
}

fn cannot_be_linked(error: &io::Error) -> bool {
    let errors = [Errno::XDEV, Errno::PERM, Errno::ACCESS, Errno::MLINK, Errno::OPNOTSUPP];
    errors.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

#[cfg(test)]
#[path = "base_store_tests.rs"]
mod tests;
