//! Submodules: filled at their pin from what is on disk, then only watched.
//!
//! The engine never lets git enter a submodule that an agent can write: `git status` there would
//! obey the submodule's own configuration. Whether its files changed is judged by their stat data,
//! where the change time cannot be set by anybody.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_core::id::ObjectId;

use super::base_store::{Lender, Lent, alternates, copy};
use super::git_error::GitError;
use super::place::PlaceError;
use super::place_files;
use super::process::{Git, path_from_bytes};
use super::remove::make_read_only;
use super::run_dir::RunDir;
use super::settings_back::ALTERNATES;
use super::user::UserRepository;

/// A submodule of the base commit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Submodule {
    /// Its path in the repository.
    pub path: Vec<u8>,
    /// The commit it is pinned to.
    pub commit: ObjectId,
    /// The user's git directory that it was filled from; `None` when there is none on this
    /// machine. Nothing is fetched from the network.
    pub source: Option<PathBuf>,
    /// The stat data of its files right after they were made.
    pub(super) fingerprint: Option<String>,
    /// The objects of a base store that its git directory borrows; none where it has copies.
    #[serde(default)]
    pub(super) borrows: Option<PathBuf>,
}

impl Submodule {
    /// Says whether its files are in the place.
    pub fn is_filled(&self) -> bool {
        self.source.is_some()
    }

    /// Says whether its files are not as they were made.
    pub(super) fn has_changed(&self, root: &Path) -> io::Result<bool> {
        let path = path_from_bytes(&self.path);
        if place_files::open_folder(root, &path).is_err() {
            // Removed, or a link to somewhere else that is not to be walked.
            return Ok(true);
        }
        let folder = root.join(path);
        Ok(match &self.fingerprint {
            Some(then) => fingerprint(&folder)? != *then,
            // An unfilled one is an empty folder.
            None => fs_err::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()),
        })
    }

    /// Sets its git directory up, without an index.
    fn configure(&self, module: &Path) -> io::Result<()> {
        fs_err::write(module.join("config"), configuration(&path_from_bytes(&self.path)))?;
        fs_err::write(module.join("HEAD"), format!("{}\n", self.commit))
    }

    /// Makes its git directory anew below `modules`, with objects of its own; its files stay as they are.
    pub(super) fn restore_module(
        &self,
        run_dir: &RunDir,
        modules: &Path,
    ) -> Result<(), PlaceError> {
        let Some(source) = &self.source else { return Ok(()) };
        let module = modules.join(path_from_bytes(&self.path));
        fs_err::create_dir_all(module.parent().unwrap_or(modules))?;
        copy(source, &module)?;
        self.configure(&module)?;
        if let Some(objects) = &self.borrows {
            // It is put back after every attempt, so it is there from the beginning.
            fs_err::write(module.join(ALTERNATES), alternates(objects))?;
        }
        let index = module.join("index");
        run_dir
            .git(&module, &index)
            .objects(&source.join("objects"))
            .args(["read-tree", "--reset", self.commit.as_str()])
            .run()?;
        Ok(())
    }

    /// Checks its files out into `folder`, with the index `index`.
    ///
    /// Only the objects of the user's module are used; its configuration is not read.
    pub(super) fn check_out(
        &self,
        run_dir: &RunDir,
        folder: &Path,
        index: &Path,
    ) -> Result<(), GitError> {
        let Some(source) = &self.source else { return Ok(()) };
        run_dir
            .git(folder, index)
            .objects(&source.join("objects"))
            .args(["read-tree", "--reset", "-u", self.commit.as_str()])
            .run()
            .map(drop)
    }
}

/// The configuration of a submodule's git directory.
pub(super) fn configuration(path: &Path) -> String {
    let up = "../".repeat(path.components().count());
    let path = path.display();
    format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ../../{up}{path}\n"
    )
}

/// The file that leads from a submodule's files to its git directory.
pub(super) fn git_file(path: &Path) -> String {
    let up = "../".repeat(path.components().count());
    format!("gitdir: {up}.git/modules/{}\n", path.display())
}

/// Lists the submodules of the tree in the run's index.
pub(super) fn list(
    run_dir: &RunDir,
    root: &Path,
    user: &UserRepository,
) -> Result<Vec<Submodule>, GitError> {
    let listed = run_dir.git(root, &run_dir.index()).args(["ls-files", "-z", "--stage"]).run()?;
    let mut submodules = Vec::new();
    for entry in listed.stdout.split(|&byte| byte == 0) {
        // `<mode> <object> <stage>TAB<path>`
        let Some(rest) = entry.strip_prefix(b"160000 ") else { continue };
        let tab = rest.iter().position(|&byte| byte == b'\t').ok_or_else(|| listed.unexpected())?;
        let commit = String::from_utf8_lossy(&rest[..tab]);
        let commit = commit.split(' ').next().unwrap_or_default();
        let path = rest[tab + 1..].to_vec();
        let source = find_source(user, &path, commit)?;
        submodules.push(Submodule {
            path,
            commit: ObjectId::from(commit),
            source,
            fingerprint: None,
            borrows: None,
        });
    }
    Ok(submodules)
}

/// Fills the submodules of a fresh private clone and makes them read-only; returns the stores that they
/// borrow from as well.
pub(super) fn fill(
    run_dir: &RunDir,
    user: &UserRepository,
    root: &Path,
    lender: &Lender<'_>,
) -> Result<(Vec<Submodule>, Vec<Lent>), PlaceError> {
    let (mut submodules, mut all_lent) = (list(run_dir, root, user)?, Vec::new());
    for submodule in &mut submodules {
        let Some(source) = &submodule.source else { continue };
        let path = path_from_bytes(&submodule.path);
        let folder = root.join(&path);
        let module = root.join(".git/modules").join(&path);
        fs_err::create_dir_all(module.parent().unwrap_or(root))?;
        let lent = lender.clone(source, source, &module, &submodule.commit)?;
        submodule.configure(&module)?;
        submodule.borrows = lent.as_ref().map(|lent| lent.objects.clone());
        all_lent.extend(lent);
        fs_err::write(folder.join(".git"), git_file(&path))?;
        submodule.check_out(run_dir, &folder, &module.join("index"))?;
        make_read_only(&folder)?;
        submodule.fingerprint = Some(fingerprint(&folder)?);
    }
    Ok((submodules, all_lent))
}

/// Finds the git directory of a submodule in the user's checkout, if it has the pinned commit.
fn find_source(
    user: &UserRepository,
    path: &[u8],
    commit: &str,
) -> Result<Option<PathBuf>, GitError> {
    let path = path_from_bytes(path);
    let checked_out = user.top_level.join(&path);
    let linked = fs_err::read_to_string(checked_out.join(".git")).ok().and_then(|text| {
        Some(checked_out.join(text.strip_prefix("gitdir: ")?.trim_end_matches('\n')))
    });
    let candidates =
        [linked, Some(checked_out.join(".git")), Some(user.common_dir.join("modules").join(&path))];
    for candidate in candidates.into_iter().flatten() {
        let Ok(candidate) = candidate.canonicalize() else { continue };
        if !candidate.join("objects").is_dir() {
            continue;
        }
        let wanted = format!("{commit}^{{commit}}");
        if Git::at(&candidate).args(["cat-file", "-e", &wanted]).run_to_end()?.code == 0 {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

/// Hashes the stat data of all files below `folder`.
pub(super) fn fingerprint(folder: &Path) -> io::Result<String> {
    use std::os::unix::ffi::OsStrExt as _;
    let mut hash = blake3::Hasher::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs_err::read_dir(&folder) {
            Ok(entries) => entries,
            // Removed or replaced: the fingerprint differs, which is the answer.
            Err(_) => continue,
        };
        let mut entries = entries.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs_err::DirEntry::file_name);
        for entry in entries {
            let metadata = fs_err::symlink_metadata(entry.path())?;
            hash.update(
                entry
                    .path()
                    .as_os_str()
                    .as_bytes()
                    .get(folder.as_os_str().len()..)
                    .unwrap_or_default(),
            );
            // A folder's times change with every cache in it that comes and goes; its entries
            // are hashed anyway.
            if metadata.is_dir() {
                hash.update(b"/");
                folders.push(entry.path());
            } else {
                for number in [
                    u64::from(metadata.mode()),
                    metadata.size(),
                    metadata.ino(),
                    metadata.ctime().cast_unsigned(),
                    metadata.ctime_nsec().cast_unsigned(),
                    metadata.mtime().cast_unsigned(),
                    metadata.mtime_nsec().cast_unsigned(),
                ] {
                    hash.update(&number.to_le_bytes());
                }
            }
        }
        hash.update(b"\0");
    }
    Ok(hash.finalize().to_hex()[..32].to_owned())
}
