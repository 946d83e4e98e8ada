//! Reading and writing files of a place without ever leaving it.
//!
//! An agent owns every file of its place. It may have replaced `.git/refs` or `.windlass/run` by a
//! symbolic link to somewhere else, and a plain write would then land there. So a path is walked
//! folder by folder, each opened relative to the one before and without following links: whoever
//! moves or replaces a folder meanwhile moves the write with it, but never out of the place.
//! (`openat2` does the same in one call, but only on Linux; these paths are a few folders deep.)
//!
//! New content goes into a new file that is renamed over the old one: a reader sees the old bytes
//! or the new ones, and a hard link or FIFO under the old name is replaced, not written through.

use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Timespec, Timestamps};
use rustix::io::Errno;

/// Why a file of a place could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum PlaceFileError {
    /// The path is absolute, empty, or climbs with `..`.
    #[error("`{path}` is not a path inside a place")]
    NotInside {
        /// The path.
        path: PathBuf,
    },
    /// A folder on the way is a symbolic link or no folder at all.
    #[error("`{path}` is not a plain folder or file: something replaced it")]
    Replaced {
        /// The part of the path that is not plain.
        path: PathBuf,
    },
    /// The file holds more than the caller wants to read.
    #[error("`{path}` holds more than {limit} bytes")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What the caller allows.
        limit: u64,
    },
    /// The system refused.
    #[error("`{path}` cannot be read or written")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl PlaceFileError {
    /// Says whether the file simply does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    fn at(path: &Path, errno: Errno) -> Self {
        match errno {
            // With O_NOFOLLOW a link is ELOOP, with O_DIRECTORY it is ENOTDIR.
            Errno::LOOP | Errno::NOTDIR => Self::Replaced { path: path.to_owned() },
            errno => Self::Io { path: path.to_owned(), source: errno.into() },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Refuse,
    Create,
}

const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

fn names(relative: &Path) -> Result<Vec<&OsStr>, PlaceFileError> {
    let names = relative
        .components()
        .map(|part| match part {
            Component::Normal(name) => Some(name),
            Component::Prefix(_)
            | Component::RootDir
            | Component::CurDir
            | Component::ParentDir => None,
        })
        .collect::<Option<Vec<_>>>();
    names.ok_or_else(|| PlaceFileError::NotInside { path: relative.to_owned() })
}

fn walk(root: &Path, folders: &[&OsStr], missing: Missing) -> Result<OwnedFd, PlaceFileError> {
    let mut here = rustix::fs::open(root, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty())
        .map_err(|errno| PlaceFileError::at(root, errno))?;
    let mut path = root.to_owned();
    for name in folders {
        path.push(name);
        if missing == Missing::Create {
            match rustix::fs::mkdirat(&here, *name, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(PlaceFileError::at(&path, errno)),
            }
        }
        here = rustix::fs::openat(&here, *name, FOLDER, Mode::empty())
            .map_err(|errno| PlaceFileError::at(&path, errno))?;
    }
    Ok(here)
}

/// Opens the folder that holds `relative`, and returns it with the last name of the path.
fn parent<'a>(
    root: &Path,
    relative: &'a Path,
    missing: Missing,
) -> Result<(OwnedFd, &'a OsStr), PlaceFileError> {
    let names = names(relative)?;
    let Some((last, folders)) = names.split_last() else {
        return Err(PlaceFileError::NotInside { path: relative.to_owned() });
    };
    Ok((walk(root, folders, missing)?, last))
}

/// Opens the folder `relative` of a place; an empty path is the place itself.
pub fn open_folder(root: &Path, relative: &Path) -> Result<OwnedFd, PlaceFileError> {
    walk(root, &names(relative)?, Missing::Refuse)
}

/// Makes the folder `relative` and those above it, where they are missing.
pub fn create_dir(root: &Path, relative: &Path) -> Result<(), PlaceFileError> {
    walk(root, &names(relative)?, Missing::Create).map(drop)
}

/// Writes a file whole, making the folders above it where they are missing.
pub fn write_file(root: &Path, relative: &Path, bytes: &[u8]) -> Result<(), PlaceFileError> {
    write(root, relative, bytes, Mode::from_raw_mode(0o644), None, Durability::Remakeable)
}

/// Like [`write_file`], for bytes that must survive a power failure.
pub fn write_file_synced(root: &Path, relative: &Path, bytes: &[u8]) -> Result<(), PlaceFileError> {
    write(root, relative, bytes, Mode::from_raw_mode(0o644), None, Durability::Synced)
}

/// Like [`write_file`], for a file that nobody else may read.
pub(crate) fn write_private(
    root: &Path,
    relative: &Path,
    bytes: &[u8],
) -> Result<(), PlaceFileError> {
    write(root, relative, bytes, Mode::from_raw_mode(0o600), None, Durability::Remakeable)
}

/// Like [`write_file`], for a file that can be run.
pub(crate) fn write_program(
    root: &Path,
    relative: &Path,
    bytes: &[u8],
) -> Result<(), PlaceFileError> {
    write(root, relative, bytes, Mode::from_raw_mode(0o755), None, Durability::Remakeable)
}

/// The names of files that are being written, as a rule of git. A process that is killed leaves one
/// behind, and it is nobody's work.
pub(super) const TEMPORARIES: &str = ".windlass-[0-9]*-[0-9]*";

/// Whether bytes must survive a power failure, or can be made again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    Synced,
    Remakeable,
}

/// Writes a file that is not meant to change again.
pub(super) fn write_read_only(
    root: &Path,
    relative: &Path,
    bytes: &[u8],
    durability: Durability,
) -> Result<(), PlaceFileError> {
    write(root, relative, bytes, Mode::from_raw_mode(0o444), None, durability)
}

/// Writes a file whole and gives it `modified` as its modification time.
pub(super) fn write_file_dated(
    root: &Path,
    relative: &Path,
    bytes: &[u8],
    modified: Timespec,
) -> Result<(), PlaceFileError> {
    write(root, relative, bytes, Mode::from_raw_mode(0o644), Some(modified), Durability::Remakeable)
}

fn write(
    root: &Path,
    relative: &Path,
    bytes: &[u8],
    mode: Mode,
    modified: Option<Timespec>,
    durability: Durability,
) -> Result<(), PlaceFileError> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let (folder, name) = parent(root, relative, Missing::Create)?;
    let path = root.join(relative);
    let failed = |source: io::Error| PlaceFileError::Io { path: path.clone(), source };
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = format!(".windlass-{}-{number}", std::process::id());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(&folder, &temporary, flags, mode) {
        // A leftover of a killed process with our number: it is ours to replace.
        Err(Errno::EXIST) => {
            rustix::fs::unlinkat(&folder, &temporary, AtFlags::empty())
                .map_err(|errno| failed(errno.into()))?;
            rustix::fs::openat(&folder, &temporary, flags, mode)
        }
        other => other,
    }
    .map_err(|errno| PlaceFileError::at(&path, errno))?;
    let mut file = fs_err::File::from_parts(file.into(), path.clone());
    let written = file.write_all(bytes).and_then(|()| {
        if let Some(time) = modified {
            let times = Timestamps { last_access: time, last_modification: time };
            rustix::fs::futimens(file.file(), &times)?;
        }
        if durability == Durability::Synced {
            rustix::fs::fdatasync(file.file())?;
        }
        Ok(rustix::fs::renameat(&folder, &temporary, &folder, name)?)
    });
    written.map_err(|source| {
        // The write failed already; a leftover temporary file does no harm.
        let _ = rustix::fs::unlinkat(&folder, &temporary, AtFlags::empty());
        failed(source)
    })
}

/// Adds bytes to the end of a plain file, making it where it is missing.
pub(super) fn append_file(
    root: &Path,
    relative: &Path,
    bytes: &[u8],
) -> Result<(), PlaceFileError> {
    let (folder, name) = parent(root, relative, Missing::Create)?;
    let path = root.join(relative);
    let flags = OFlags::WRONLY
        | OFlags::APPEND
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::CLOEXEC;
    let file = rustix::fs::openat(&folder, name, flags, Mode::from_raw_mode(0o644))
        .map_err(|errno| PlaceFileError::at(&path, errno))?;
    let stat = rustix::fs::fstat(&file).map_err(|errno| PlaceFileError::at(&path, errno))?;
    // A hard link shares its bytes with a file that may lie anywhere.
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || stat.st_nlink != 1 {
        return Err(PlaceFileError::Replaced { path });
    }
    fs_err::File::from_parts(file.into(), path.clone())
        .write_all(bytes)
        .map_err(|source| PlaceFileError::Io { path, source })
}

/// Moves a file or folder to another name in the same place.
pub fn rename_within(root: &Path, from: &Path, to: &Path) -> Result<(), PlaceFileError> {
    let (old, old_name) = parent(root, from, Missing::Refuse)?;
    let (new, new_name) = parent(root, to, Missing::Create)?;
    rustix::fs::renameat(&old, old_name, &new, new_name)
        .map_err(|errno| PlaceFileError::at(&root.join(to), errno))
}

/// Removes a file; a file that is not there is removed already.
pub fn remove_file(root: &Path, relative: &Path) -> Result<(), PlaceFileError> {
    let (folder, name) = match parent(root, relative, Missing::Refuse) {
        Err(error) if error.is_missing() => return Ok(()),
        other => other?,
    };
    match rustix::fs::unlinkat(&folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(PlaceFileError::at(&root.join(relative), errno)),
    }
}

/// Removes whatever stands at a path, folders with all that is in them; no link on the way is
/// followed, and one at the end goes itself.
pub(crate) fn remove_whatever(root: &Path, relative: &Path) -> Result<(), PlaceFileError> {
    let (folder, name) = match parent(root, relative, Missing::Refuse) {
        Err(error) if error.is_missing() => return Ok(()),
        other => other?,
    };
    let path = root.join(relative);
    match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {
            super::remove::remove_whole(&path)
                .map_err(|source| PlaceFileError::Io { path: path.clone(), source })
        }
        Ok(_) => remove_file(root, relative),
        Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(PlaceFileError::at(&path, errno)),
    }
}

/// Reads a plain file of at most `limit` bytes.
pub fn read_file_bounded(
    root: &Path,
    relative: &Path,
    limit: u64,
) -> Result<Vec<u8>, PlaceFileError> {
    let (folder, name) = parent(root, relative, Missing::Refuse)?;
    read_in(folder.as_fd(), name, &root.join(relative), limit)
}

/// Reads the plain file `name` of an open folder; `path` is for messages only.
pub(super) fn read_in(
    folder: impl AsFd,
    name: &OsStr,
    path: &Path,
    limit: u64,
) -> Result<Vec<u8>, PlaceFileError> {
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name, flags, Mode::empty())
        .map_err(|errno| PlaceFileError::at(path, errno))?;
    let stat = rustix::fs::fstat(&file).map_err(|errno| PlaceFileError::at(path, errno))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(PlaceFileError::Replaced { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    fs_err::File::from_parts(file.into(), path.to_owned())
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|source| PlaceFileError::Io { path: path.to_owned(), source })?;
    if bytes.len() as u64 > limit {
        return Err(PlaceFileError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// Returns the size of the plain file `relative`; `None` when nothing is there.
pub(super) fn size_of(root: &Path, relative: &Path) -> Result<Option<u64>, PlaceFileError> {
    let (folder, name) = match parent(root, relative, Missing::Refuse) {
        Err(error) if error.is_missing() => return Ok(None),
        other => other?,
    };
    match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
            Ok(Some(u64::try_from(stat.st_size).unwrap_or(0)))
        }
        Ok(_) => Err(PlaceFileError::Replaced { path: root.join(relative) }),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(PlaceFileError::at(&root.join(relative), errno)),
    }
}
