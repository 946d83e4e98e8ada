//! Removing folders that agents or checks filled.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

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

/// Removes a folder and all below it, read-only folders included; one that is not there is removed
/// already.
pub(crate) fn remove_whole(dir: &Path) -> io::Result<()> {
    match fs_err::remove_dir_all(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            set_access(dir, Access::Folders)?;
            fs_err::remove_dir_all(dir)
        }
        other => other,
    }
}

/// Who may write the files of a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// The owner may open every folder. Files stay as they are: they can be removed all the same, and
    /// one may be a link to a file of the user's.
    Folders,
    ReadOnly,
}

/// Gives everything below `folder` the same access; links are left alone.
pub(super) fn set_access(folder: &Path, access: Access) -> io::Result<()> {
    let metadata = fs_err::symlink_metadata(folder)?;
    if metadata.is_symlink() {
        return Ok(());
    }
    let mode = metadata.permissions().mode() & 0o7777;
    let wanted = match (access, metadata.is_dir()) {
        (Access::Folders, true) => mode | 0o700,
        (Access::Folders, false) => mode,
        (Access::ReadOnly, _) => mode & !0o222,
    };
    let change = || {
        if mode == wanted {
            return Ok(());
        }
        fs_err::set_permissions(folder, std::fs::Permissions::from_mode(wanted))
    };
    // A folder is opened up before its entries are looked at, and closed after.
    if access == Access::Folders {
        change()?;
    }
    if metadata.is_dir() {
        for entry in fs_err::read_dir(folder)? {
            set_access(&entry?.path(), access)?;
        }
    }
    if access == Access::Folders { Ok(()) } else { change() }
}
