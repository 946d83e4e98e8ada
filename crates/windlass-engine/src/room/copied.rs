//! Ignored folders of the user's checkout, copied when a run begins.
//!
//! Nothing in the checkout is a layer while it can still change: a build that the user does beside
//! the run would change what checks see. So what is there before any agent began is copied, once.
//! Dependency folders are hard-linked where that is safe, because nothing writes into their files;
//! caches of tests and of compiled scripts are left out, because they remember answers.

use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::Timespec;

use super::layers::set_time;

/// Folders whose files are installed and never written in place.
const DEPENDENCIES: &[&str] = &["node_modules", ".venv", "venv", "vendor", ".bundle"];

/// Whether a folder holds what was installed, which no build makes again.
pub(crate) fn is_installed(path: &str) -> bool {
    let name = Path::new(path).file_name().and_then(std::ffi::OsStr::to_str);
    name.is_some_and(|name| DEPENDENCIES.contains(&name))
}

/// Folders that remember answers: copied, they could answer for code that they were not made from.
const LEFT_OUT: &[&str] = &[
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
    ".nyc_output",
    ".jest",
    ".cache",
    ".parcel-cache",
    ".turbo",
    ".gradle",
    ".windlass",
    ".git",
    ".idea",
    ".vscode",
    "htmlcov",
    "coverage",
    "test-results",
];

/// More entries than any dependency folder has; hard links of so many take some seconds.
const MAX_ENTRIES: u64 = 400_000;

/// What was copied, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copied {
    /// Folders that were copied, relative to the checkout.
    pub folders: Vec<String>,
    /// Folders that were not, and why.
    pub left_out: Vec<(String, String)>,
    /// What the copied folders hold: names and sizes, as one number. Another checkout of the same code
    /// may have other dependencies.
    #[serde(default)]
    pub holds: String,
}

/// Names and sizes of files, added up in whatever order they are met.
#[derive(Default)]
struct Sum(u128);

impl Sum {
    fn add(&mut self, path: &Path, bytes: u64) {
        use std::os::unix::ffi::OsStrExt as _;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes.to_le_bytes());
        hasher.update(path.as_os_str().as_bytes());
        let mut number = [0; 16];
        number.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        self.0 = self.0.wrapping_add(u128::from_le_bytes(number));
    }
}

/// Copies the ignored folders among `ignored`, paths relative to `from`, to below `to`.
///
/// # Errors
/// The target cannot be written; a folder that cannot be read is left out and said.
pub(crate) fn copy_folders(
    from: &Path,
    ignored: &[PathBuf],
    to: &Path,
    limit: u64,
) -> io::Result<Copied> {
    let mut copied = Copied::default();
    let mut sum = Sum::default();
    fs_err::create_dir_all(to)?;
    for path in ignored {
        // Git lists a folder, and again what an ignore file inside of it ignores.
        if ignored.iter().any(|above| above != path && path.starts_with(above)) {
            continue;
        }
        let source = from.join(path);
        // A link to a folder counts as the folder: its target is outside the room.
        if !source.is_dir() || path.components().any(|part| is_left_out(part.as_os_str())) {
            continue;
        }
        let name = path.to_string_lossy().into_owned();
        let linked = path
            .file_name()
            .is_some_and(|name| DEPENDENCIES.iter().any(|known| name.to_str() == Some(known)));
        let size = size_of(&source);
        let why = match size {
            Err(error) => Some(format!("it cannot be read: {error}")),
            Ok((_, entries)) if entries > MAX_ENTRIES => {
                Some(format!("it has more than {MAX_ENTRIES} entries"))
            }
            Ok((bytes, _)) if !linked && bytes > limit => {
                Some(format!("it holds {} MiB, more than copy_limit", bytes >> 20))
            }
            Ok(_) => None,
        };
        if let Some(why) = why {
            copied.left_out.push((name, why));
            continue;
        }
        let target = to.join(path);
        fs_err::create_dir_all(target.parent().unwrap_or(to))?;
        copy_folder(&source, &target, linked)?;
        add_up(&target, path, &mut sum)?;
        copied.folders.push(name);
    }
    copied.holds = format!("{:032x}", sum.0);
    Ok(copied)
}

fn is_left_out(name: &std::ffi::OsStr) -> bool {
    name.to_str().is_some_and(|name| LEFT_OUT.contains(&name))
}

/// Counts bytes and entries, without what is left out.
fn size_of(folder: &Path) -> io::Result<(u64, u64)> {
    let (mut bytes, mut entries) = (0, 0);
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs_err::read_dir(&folder)? {
            let entry = entry?;
            if is_left_out(&entry.file_name()) {
                continue;
            }
            entries += 1;
            if entries > MAX_ENTRIES {
                return Ok((bytes, entries));
            }
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                open.push(entry.path());
            } else {
                // A sparse file costs what it holds.
                bytes += metadata.len().min(metadata.blocks() * 512);
            }
        }
    }
    Ok((bytes, entries))
}

/// Adds what a folder holds, under the name that it has in the checkout.
fn add_up(folder: &Path, name: &Path, sum: &mut Sum) -> io::Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let (metadata, name) = (entry.metadata()?, name.join(entry.file_name()));
        if metadata.is_dir() {
            add_up(&entry.path(), &name, sum)?;
        } else {
            sum.add(&name, metadata.len());
        }
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path, linked: bool) -> io::Result<()> {
    fs_err::create_dir_all(to)?;
    for entry in fs_err::read_dir(from)? {
        let entry = entry?;
        if is_left_out(&entry.file_name()) {
            continue;
        }
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let metadata = fs_err::symlink_metadata(&source)?;
        if metadata.is_dir() {
            copy_folder(&source, &target, linked)?;
        } else if !(linked && link_one(&source, &target, &metadata)) {
            copy_one(&source, &target, &metadata)?;
        }
    }
    let metadata = fs_err::metadata(from)?;
    // A folder that its owner cannot write could not be copied up.
    let mode = metadata.permissions().mode() | 0o700;
    fs_err::set_permissions(to, std::fs::Permissions::from_mode(mode))?;
    set_time(to, time_of(&metadata))
}

/// Links a file of this user; one of another user or group could not be copied up in a namespace.
fn link_one(from: &Path, to: &Path, metadata: &std::fs::Metadata) -> bool {
    let ours = metadata.uid() == rustix::process::geteuid().as_raw()
        && metadata.gid() == rustix::process::getegid().as_raw();
    ours && metadata.is_file() && fs_err::hard_link(from, to).is_ok()
}

/// Copies a file or a link with its time; the kernel shares the content where the disk can. Sockets,
/// pipes and devices are nobody's input, and a file that cannot be read is not there.
pub(crate) fn copy_one(from: &Path, to: &Path, metadata: &std::fs::Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_symlink() {
        std::os::unix::fs::symlink(fs_err::read_link(from)?, to)?;
    } else if kind.is_file() {
        // Never onto something that is there: it may be a link to the very file that is copied.
        if to.symlink_metadata().is_ok() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("`{}` is there already", to.display()),
            ));
        }
        match fs_err::copy(from, to) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
            other => other.map(drop)?,
        }
    } else {
        debug_assert!(kind.is_socket() || kind.is_fifo() || !kind.is_file());
        return Ok(());
    }
    set_time(to, time_of(metadata))
}

fn time_of(metadata: &std::fs::Metadata) -> Timespec {
    Timespec { tv_sec: metadata.mtime(), tv_nsec: metadata.mtime_nsec() as _ }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    #[test]
    fn folders_are_copied_dependencies_linked_and_what_remembers_answers_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("checkout"), dir.path().join("copied"));
        write(&from.join("target/debug/out"), "built");
        write(&from.join("node_modules/x/index.js"), "installed");
        write(&from.join("node_modules/.cache/answer"), "remembered");
        write(&from.join("src/__pycache__/a.pyc"), "remembered");
        write(&from.join("big/file"), &"x".repeat(5000));
        write(&from.join(".env"), "single file");
        let ignored =
            ["target", "node_modules", "src/__pycache__", "big", ".env"].map(PathBuf::from);
        let copied = copy_folders(&from, &ignored, &to, 4096).unwrap();
        assert_eq!(copied.folders, ["target", "node_modules"]);
        let left: Vec<&str> = copied.left_out.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(left, ["big"]);
        let inode = |path: PathBuf| fs_err::metadata(path).unwrap().ino();
        assert_ne!(inode(from.join("target/debug/out")), inode(to.join("target/debug/out")));
        let linked = "node_modules/x/index.js";
        assert_eq!(inode(from.join(linked)), inode(to.join(linked)));
        for absent in ["node_modules/.cache", "src", "big", ".env"] {
            assert!(!to.join(absent).exists(), "{absent}");
        }
    }

    #[test]
    fn what_was_copied_is_told_apart_by_names_and_sizes() {
        let dir = tempfile::tempdir().unwrap();
        let from = dir.path().join("checkout");
        let mut number = 0;
        let mut holds = || {
            number += 1;
            let to = dir.path().join(number.to_string());
            copy_folders(&from, &[PathBuf::from("vendor")], &to, 1 << 20).unwrap().holds
        };
        write(&from.join("vendor/a/one"), "1");
        write(&from.join("vendor/b/two"), "2");
        let first = holds();
        assert_eq!(first, holds(), "the same folder");
        write(&from.join("vendor/b/two"), "22");
        let larger = holds();
        fs_err::rename(from.join("vendor/b/two"), from.join("vendor/b/three")).unwrap();
        let renamed = holds();
        assert!(first != larger && larger != renamed && first != renamed);
    }

    #[test]
    fn a_folder_that_git_lists_with_what_is_in_it_is_copied_once_and_nothing_is_emptied() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("checkout"), dir.path().join("copied"));
        write(&from.join(".venv/.gitignore"), "*\n");
        write(&from.join(".venv/bin/tool"), "content");
        std::os::unix::fs::symlink("bin", from.join(".venv/sbin")).unwrap();
        let ignored = [".venv", ".venv/bin", ".venv/.gitignore", ".venv/sbin"].map(PathBuf::from);
        let copied = copy_folders(&from, &ignored, &to, 1 << 20).unwrap();
        assert_eq!(copied.folders, [".venv"]);
        for root in [&from, &to] {
            assert_eq!(fs_err::read_to_string(root.join(".venv/bin/tool")).unwrap(), "content");
        }
        let file = from.join(".venv/bin/tool");
        let metadata = fs_err::symlink_metadata(&file).unwrap();
        assert!(copy_one(&file, &to.join(".venv/bin/tool"), &metadata).is_err());
        assert_eq!(fs_err::read_to_string(&file).unwrap(), "content");
    }

    #[test]
    fn a_dependency_folder_that_is_a_link_is_copied_as_the_folder_behind_it() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("checkout"), dir.path().join("copied"));
        write(&dir.path().join("elsewhere/x/index.js"), "installed");
        fs_err::create_dir_all(&from).unwrap();
        std::os::unix::fs::symlink("../elsewhere", from.join("node_modules")).unwrap();
        copy_folders(&from, &[PathBuf::from("node_modules")], &to, 1 << 20).unwrap();
        assert!(!to.join("node_modules").is_symlink());
        assert!(to.join("node_modules/x/index.js").is_file());
    }
}
