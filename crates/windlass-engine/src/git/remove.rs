//! Removing folders that agents or checks filled.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};

/// Why a place was not removed.
#[derive(Debug, thiserror::Error)]
pub enum RemoveError {
    /// The folder is not one that windlass made.
    #[error("`{path}` is not a place below `{data_root}`")]
    NotAPlace {
        /// What was to be removed.
        path: PathBuf,
        /// Where places are.
        data_root: PathBuf,
    },
    /// The system refused.
    #[error("the place could not be removed")]
    Io(#[from] io::Error),
}

/// Removes a private clone.
///
/// `data_root` is the folder of windlass that private clones are made in. Whatever the agent wrote
/// into its place, only what really lies below that folder is removed, and a link is never
/// followed. A place that is not there is removed already.
pub fn remove_place(data_root: &Path, dir: &Path) -> Result<(), RemoveError> {
    let refused =
        || RemoveError::NotAPlace { path: dir.to_owned(), data_root: data_root.to_owned() };
    let (Some(parent), Some(name)) = (dir.parent(), dir.file_name()) else {
        return Err(refused());
    };
    let data_root = fs_err::canonicalize(data_root)?;
    let parent = match fs_err::canonicalize(parent) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    let real = parent.join(name);
    match fs_err::symlink_metadata(&real) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Ok(metadata) if metadata.is_dir() && parent.starts_with(&data_root) => {}
        _ => return Err(refused()),
    }
    Ok(remove_whole(&real)?)
}

/// How deep a tree may be that is removed as it is: one descriptor is open per level.
const MAX_DEPTH: usize = 100;

/// Removes a folder and all below it, closed and deeply nested folders included; one that is not there is
/// removed already.
pub(crate) fn remove_whole(dir: &Path) -> io::Result<()> {
    match fs_err::remove_dir_all(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if may_be_closed_or_deep(&error) => {
            let top = open_folder(rustix::fs::CWD, dir.as_os_str().as_bytes())?;
            let mut cut = Cut { top: &top, moved: 0 };
            loop {
                let before = cut.moved;
                cut.open_and_cut(&top, 0)?;
                if cut.moved == before {
                    break;
                }
            }
            fs_err::remove_dir_all(dir)
        }
        other => other,
    }
}

fn may_be_closed_or_deep(error: &io::Error) -> bool {
    let too_deep = [rustix::io::Errno::MFILE, rustix::io::Errno::NAMETOOLONG];
    error.kind() == io::ErrorKind::PermissionDenied
        || too_deep.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// A tree on its way to being removed.
struct Cut<'a> {
    top: &'a OwnedFd,
    /// How many folders were moved to the top.
    moved: usize,
}

impl Cut<'_> {
    /// Gives the owner all rights on the folders below one, and moves those that lie too deep to the top.
    /// Files stay as they are: they can be removed all the same, and one may be a link to a file of the
    /// user's. It goes by descriptors, because a tree may be deeper than a path can be long.
    fn open_and_cut(&mut self, folder: &OwnedFd, depth: usize) -> io::Result<()> {
        let mut entries = rustix::fs::Dir::read_from(folder)?;
        while let Some(entry) = entries.read() {
            let entry = entry?;
            let name = entry.file_name();
            let is_folder = matches!(entry.file_type(), FileType::Directory | FileType::Unknown);
            if !is_folder || matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let inner = match open_folder(folder, name.to_bytes()) {
                Ok(inner) => inner,
                // It is no folder, or gone.
                Err(error) if is_no_folder(&error) => continue,
                Err(error) => return Err(error),
            };
            if depth < MAX_DEPTH {
                self.open_and_cut(&inner, depth + 1)?;
            } else {
                self.moved += 1;
                let free = format!(".removed-{}", self.moved);
                rustix::fs::renameat(folder, name, self.top, free)?;
            }
        }
        Ok(())
    }
}

fn is_no_folder(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotADirectory | io::ErrorKind::NotFound)
}

/// Opens a folder, with all rights for its owner; a link is none.
fn open_folder(at: impl AsFd, name: &[u8]) -> io::Result<OwnedFd> {
    // A folder that cannot be read can still be named by a descriptor, and changed through it.
    let path = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let named = rustix::fs::openat(&at, name, path, Mode::empty())?;
    let mode = Mode::from_raw_mode(rustix::fs::fstat(&named)?.st_mode & 0o7777);
    if !mode.contains(Mode::RWXU) {
        let itself = format!("/proc/self/fd/{}", named.as_raw_fd());
        rustix::fs::chmod(itself, mode | Mode::RWXU)?;
    }
    let read = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(&at, name, read, Mode::empty())?)
}

/// Gives the owner all rights on one folder; a link is left alone.
pub(super) fn let_owner_in(folder: &Path) -> io::Result<()> {
    open_folder(rustix::fs::CWD, folder.as_os_str().as_bytes()).map(drop)
}

/// Takes the right to write from everything below `folder`; links are left alone.
pub(super) fn make_read_only(folder: &Path) -> io::Result<()> {
    let metadata = fs_err::symlink_metadata(folder)?;
    if metadata.is_symlink() {
        return Ok(());
    }
    if metadata.is_dir() {
        for entry in fs_err::read_dir(folder)? {
            make_read_only(&entry?.path())?;
        }
    }
    let mode = metadata.permissions().mode() & 0o7777;
    if mode & 0o222 == 0 {
        return Ok(());
    }
    fs_err::set_permissions(folder, std::fs::Permissions::from_mode(mode & !0o222))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_that_is_deeper_than_a_path_is_long_and_closed_at_its_end_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("deep");
        fs_err::create_dir(&root).unwrap();
        let mut folder = open_folder(rustix::fs::CWD, root.as_os_str().as_bytes()).unwrap();
        for _ in 0..3000 {
            rustix::fs::mkdirat(&folder, "d", Mode::RWXU).unwrap();
            folder = open_folder(&folder, b"d").unwrap();
        }
        rustix::fs::mkdirat(&folder, "closed", Mode::empty()).unwrap();
        remove_whole(&root).unwrap();
        assert!(!root.exists());
    }
}
