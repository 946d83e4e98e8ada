//! The long way to a snapshot, for a place in which git stumbled.
//!
//! It costs a walk over the whole place and some more processes, and is taken only when the short
//! way failed or found a repository inside the place.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use windlass_core::id::ObjectId;
use windlass_core::proof::Trouble;

use super::observe::SnapshotError;
use super::pathspec::leave_out;
use super::place::Place;
use super::place_files;
use super::process::path_from_bytes;
use super::run_dir::break_lock;

/// Files that git opens without looking what they are.
const READ_BY_GIT: [&str; 3] = [".gitignore", ".gitattributes", ".gitmodules"];

/// A `.git` file holds one path.
const MAX_GIT_FILE_BYTES: u64 = 64 * 1024;

/// How many paths a message lists.
const MAX_LISTED: usize = 10;

/// Stores the code of a place in which the short way failed.
pub(super) fn store(
    place: &mut Place,
    troubles: &mut Vec<Trouble>,
) -> Result<ObjectId, SnapshotError> {
    let index = place.run_dir.index();
    break_lock(&index)?;
    if place.unknown_gitlinks().is_err() {
        rebuild_index(place)?;
    }
    forget(place, &place.unknown_gitlinks()?)?;
    let found = walk(place)?;
    let mut repositories = found.repositories;
    repositories.sort();
    let repositories = without_ignored(place, repositories)?;
    if !repositories.is_empty() {
        let listed = repositories.iter().map(|path| String::from_utf8_lossy(path).into_owned());
        troubles.push(Trouble::NestedRepository { paths: listed.collect() });
    }
    let mut problems = found.problems;

    let added = place.add(&repositories).arg("--ignore-errors").run_to_end()?;
    match added.code {
        0 => {}
        1 => problems.push(added.stderr.trim_end().to_owned()),
        _ => return Err(added.into_error().into()),
    }
    // A repository may have appeared since the walk; its link must not stay in the index.
    forget(place, &place.unknown_gitlinks()?)?;
    if !problems.is_empty() {
        problems.truncate(MAX_LISTED);
        troubles.push(Trouble::Unreadable { message: problems.join("; ") });
    }
    if repositories.is_empty() {
        let tree = place.write_tree(&index)?;
        place.indexed = Some(tree.clone());
        return Ok(tree);
    }
    graft(place, &repositories)
}

/// Starts the run's index anew from the base commit, when a power failure left half of it.
///
/// It only remembers what was seen before; the files are all read again.
fn rebuild_index(place: &Place) -> Result<(), SnapshotError> {
    let index = place.run_dir.index();
    if index.exists() {
        fs_err::remove_file(&index)?;
    }
    place
        .run_dir
        .git(&place.record.root, &index)
        .args(["read-tree", "--reset", place.record.base.as_str()])
        .run()?;
    Ok(())
}

/// Puts the files of each repository inside the place into the tree where they lie.
///
/// This happens in a second index: the run's own index must not have entries inside a folder that
/// git takes for a repository. Outer ones come first, so an inner one is put into them.
fn graft(place: &Place, repositories: &[Vec<u8>]) -> Result<ObjectId, SnapshotError> {
    let whole = place.run_dir.path("index.whole");
    let part = place.run_dir.path("index.part");
    fs_err::copy(place.run_dir.index(), &whole)?;
    for path in repositories {
        for stale in [&part, &whole] {
            break_lock(stale)?;
        }
        if part.exists() {
            fs_err::remove_file(&part)?;
        }
        let folder = place.record.root.join(path_from_bytes(path));
        let mut paths = b".\0".to_vec();
        if path == b".windlass" {
            leave_out(b"run", &mut paths);
        }
        for inner in repositories {
            if let Some(inner) = inner.strip_prefix(&path[..]).and_then(|p| p.strip_prefix(b"/")) {
                leave_out(inner, &mut paths);
            }
        }
        place
            .run_dir
            .git(&folder, &part)
            .args(["add", "-A", "--ignore-errors"])
            .args(["--pathspec-from-file=-", "--pathspec-file-nul"])
            .stdin(paths)
            .run_to_end()?;
        let tree = place.run_dir.git(&folder, &part).arg("write-tree").run()?.line()?;
        // What the place's index has below this path is from before it became a repository.
        let listed = place
            .run_dir
            .git(&place.record.root, &whole)
            .args(["--literal-pathspecs", "ls-files", "-z", "--"])
            .arg(path_from_bytes(path))
            .run()?;
        let entries: Vec<Vec<u8>> = listed
            .stdout
            .split(|&byte| byte == 0)
            .filter(|entry| !entry.is_empty())
            .map(<[u8]>::to_vec)
            .collect();
        forget_in(place, &whole, &entries)?;
        let mut prefix = std::ffi::OsString::from("--prefix=");
        prefix.push(path_from_bytes(path));
        prefix.push("/");
        place
            .run_dir
            .git(&place.record.root, &whole)
            .args(["read-tree".as_ref(), prefix.as_os_str(), tree.as_ref()])
            .run()?;
    }
    Ok(place.write_tree(&whole)?)
}

fn forget(place: &Place, paths: &[Vec<u8>]) -> Result<(), SnapshotError> {
    forget_in(place, &place.run_dir.index(), paths)
}

fn forget_in(place: &Place, index: &Path, paths: &[Vec<u8>]) -> Result<(), SnapshotError> {
    if paths.is_empty() {
        return Ok(());
    }
    let mut stdin = paths.join(&0);
    stdin.push(0);
    place
        .run_dir
        .git(&place.record.root, index)
        .args(["update-index", "--force-remove", "-z", "--stdin"])
        .stdin(stdin)
        .run()?;
    Ok(())
}

/// Drops repositories in ignored folders (a package manager's checkouts, say): they are not code.
fn without_ignored(
    place: &Place,
    repositories: Vec<Vec<u8>>,
) -> Result<Vec<Vec<u8>>, SnapshotError> {
    if repositories.is_empty() {
        return Ok(repositories);
    }
    let mut stdin = repositories.join(&0);
    stdin.push(0);
    let ignored = place
        .run_dir
        .git(&place.record.root, &place.run_dir.index())
        .args(["check-ignore", "-z", "--stdin"])
        .stdin(stdin)
        .run_to_end()?;
    let ignored: Vec<&[u8]> = ignored.stdout.split(|&byte| byte == 0).collect();
    Ok(repositories.into_iter().filter(|path| !ignored.contains(&path.as_slice())).collect())
}

#[derive(Default)]
struct Found {
    repositories: Vec<Vec<u8>>,
    problems: Vec<String>,
}

/// Looks at every file of the place: finds repositories, makes unreadable files readable again,
/// and removes what would block git for ever.
fn walk(place: &Place) -> Result<Found, SnapshotError> {
    let root = &place.record.root;
    let submodules: Vec<PathBuf> = place
        .record
        .submodules
        .iter()
        .map(|known| root.join(path_from_bytes(&known.path)))
        .collect();
    let mut found = Found::default();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        make_accessible(&folder, 0o500, root, &mut found.problems);
        let entries = match fs_err::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                found.problems.push(error.to_string());
                continue;
            }
        };
        if folder != *root && is_repository(&folder) {
            found.repositories.extend(relative(root, &folder));
        }
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            let kind = match path.symlink_metadata() {
                Ok(metadata) => metadata.file_type(),
                Err(_) => continue,
            };
            if kind.is_dir() {
                let skipped = name == ".git"
                    || submodules.contains(&path)
                    || path.strip_prefix(root).is_ok_and(|path| path == Path::new(".windlass/run"));
                if !skipped {
                    folders.push(path);
                }
            } else if kind.is_file() {
                make_accessible(&path, 0o400, root, &mut found.problems);
            } else if kind.is_fifo() && READ_BY_GIT.iter().any(|read| name == *read) {
                // A FIFO holds nothing that could be lost.
                fs_err::remove_file(&path)?;
                found.problems.push(format!("`{}` was a FIFO", shown(root, &path)));
            }
        }
    }
    Ok(found)
}

/// Follows git's own idea of a repository: a `.git` that is one, or that points to one.
fn is_repository(folder: &Path) -> bool {
    let git = folder.join(".git");
    match git.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {
            place_files::read_file_bounded(folder, Path::new(".git"), MAX_GIT_FILE_BYTES)
                .is_ok_and(|text| text.starts_with(b"gitdir:"))
        }
        Ok(_) => git.join("HEAD").symlink_metadata().is_ok() && git.join("objects").is_dir(),
        Err(_) => false,
    }
}

/// Gives the owner the access `needed`, so that the file can be kept.
///
/// The agent's processes are gone by now, so nobody swaps the file for a link meanwhile.
fn make_accessible(path: &Path, needed: u32, root: &Path, problems: &mut Vec<String>) {
    let Ok(metadata) = path.symlink_metadata() else { return };
    let mode = metadata.permissions().mode();
    if mode & needed == needed {
        return;
    }
    let wanted = std::fs::Permissions::from_mode((mode | needed) & 0o7777);
    problems.push(match fs_err::set_permissions(path, wanted) {
        Ok(()) => format!("`{}` could not be read", shown(root, path)),
        Err(error) => error.to_string(),
    });
}

fn relative(root: &Path, path: &Path) -> Option<Vec<u8>> {
    Some(path.strip_prefix(root).ok()?.as_os_str().as_bytes().to_vec())
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}
