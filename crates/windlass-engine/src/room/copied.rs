//! Ignored folders of the user's checkout, copied when a run begins.
//!
//! Nothing in the checkout is a layer while it can still change: a build that the user does beside
//! the run would change what checks see. So what is there before any agent began is copied, once.
//! Dependency folders are hard-linked where that is safe, because nothing writes into their files; it is
//! not where agents write in the checkout, who could change what all rooms see by changing a file in
//! place. Caches of tests and of compiled scripts are left out, because they remember answers.

use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::Timespec;

use super::layers::set_time;
use crate::exposed::Exposed;
use crate::home::canonical;

/// Folders whose files are installed and never written in place.
const DEPENDENCIES: &[&str] = &["node_modules", ".venv", "venv", "vendor", ".bundle"];

/// Whether a folder holds what was installed, which no build makes again.
pub(crate) fn is_installed(path: &str) -> bool {
    let name = Path::new(path).file_name().and_then(std::ffi::OsStr::to_str);
    name.is_some_and(|name| DEPENDENCIES.contains(&name))
}

/// Folders that remember answers, wherever they are: copied, they could answer for code that they were
/// not made from.
const CACHES: &[&str] = &[
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
];

/// Reports and settings of editors, which no check needs. Only what is ignored by this name is meant: a
/// package may be called so too.
const LEFT_OUT: &[&str] = &[".idea", ".vscode", "htmlcov", "coverage", "test-results"];

/// More entries than any dependency folder has; hard links of so many take some seconds.
const MAX_ENTRIES: u64 = 400_000;

/// What of the checkout is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copying {
    /// Folders of at most `limit` bytes; those of dependencies are linked, whatever they hold.
    Linking {
        /// How large a folder may be.
        limit: u64,
    },
    /// Folders of at most `limit` bytes, without a link to any file: agents will write in the checkout.
    Apart {
        /// How large a folder may be.
        limit: u64,
    },
    /// Nothing: agents have been in the checkout.
    Nothing,
}

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
    copying: Copying,
    exposed: &Exposed,
) -> io::Result<Copied> {
    let mut copied = Copied::default();
    let mut sum = Sum::default();
    fs_err::create_dir_all(to)?;
    let (limit, may_link) = match copying {
        Copying::Linking { limit } => (limit, true),
        Copying::Apart { limit } => (limit, false),
        Copying::Nothing => return Ok(copied),
    };
    for path in ignored {
        // Git lists a folder, and again what an ignore file inside of it ignores.
        if ignored.iter().any(|above| above != path && path.starts_with(above)) {
            continue;
        }
        let source = from.join(path);
        let is_left_out = path.components().any(|part| is_one_of(CACHES, part.as_os_str()))
            || path.file_name().is_some_and(|name| is_one_of(LEFT_OUT, name));
        if !source.is_dir() || is_left_out {
            continue;
        }
        let name = path.to_string_lossy().into_owned();
        let is_dependency = path.file_name().is_some_and(|name| is_one_of(DEPENDENCIES, name));
        if source.is_symlink()
            && let Some(why) = why_not_followed(from, &source, is_dependency, exposed)
        {
            copied.left_out.push((name, why));
            continue;
        }
        let linked = is_dependency && may_link;
        let why = match size_of(&source) {
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

fn is_one_of(names: &[&str], name: &std::ffi::OsStr) -> bool {
    name.to_str().is_some_and(|name| names.contains(&name))
}

/// Says why a link is not taken for the folder that it leads to; none if it is. Whoever writes in the
/// checkout can put a link there, and what it leads to would be shown in every box and room.
fn why_not_followed(
    from: &Path,
    link: &Path,
    is_dependency: bool,
    exposed: &Exposed,
) -> Option<String> {
    let (from, target) = (canonical(from), canonical(link));
    let words = |why: &str| Some(format!("it is a link to `{}`, {why}", target.display()));
    if !is_dependency {
        return words("and links are followed for dependencies only");
    }
    if let Ok(inside) = target.strip_prefix(&from) {
        let is_git = inside.components().any(|part| part.as_os_str() == ".git");
        return if is_git || inside.as_os_str().is_empty() {
            words("which holds more than dependencies")
        } else {
            None
        };
    }
    let is_installed = target.file_name().is_some_and(|name| is_one_of(DEPENDENCIES, name))
        || target.join("pyvenv.cfg").is_file();
    match is_installed && !exposed.hides(&target) {
        true => None,
        false => words("which does not look like installed dependencies"),
    }
}

/// Takes what the user's own tools removed meanwhile for nothing.
fn still_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Counts bytes and entries, without what is left out.
fn size_of(folder: &Path) -> io::Result<(u64, u64)> {
    let (mut bytes, mut entries) = (0, 0);
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Some(listed) = still_there(fs_err::read_dir(&folder))? else { continue };
        for entry in listed {
            let entry = entry?;
            if is_one_of(CACHES, &entry.file_name()) {
                continue;
            }
            entries += 1;
            if entries > MAX_ENTRIES {
                return Ok((bytes, entries));
            }
            let Some(metadata) = still_there(entry.metadata())? else { continue };
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
    let Some(listed) = still_there(fs_err::read_dir(from))? else { return Ok(()) };
    fs_err::create_dir_all(to)?;
    for entry in listed {
        let entry = entry?;
        if is_one_of(CACHES, &entry.file_name()) {
            continue;
        }
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let Some(metadata) = still_there(fs_err::symlink_metadata(&source))? else { continue };
        if metadata.is_dir() {
            copy_folder(&source, &target, linked)?;
        } else if !(linked && link_one(&source, &target, &metadata)) {
            match copy_one(&source, &target, &metadata) {
                Err(_) if source.symlink_metadata().is_err() => {}
                other => other?,
            }
        }
    }
    let Some(metadata) = still_there(fs_err::metadata(from))? else { return Ok(()) };
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

    const LINKING: Copying = Copying::Linking { limit: 4096 };

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
        let copied = copy_folders(&from, &ignored, &to, LINKING, &Exposed::default()).unwrap();
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
            let vendor = [PathBuf::from("vendor")];
            copy_folders(&from, &vendor, &to, LINKING, &Exposed::default()).unwrap().holds
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
        let copied = copy_folders(&from, &ignored, &to, LINKING, &Exposed::default()).unwrap();
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
        write(&dir.path().join("elsewhere/node_modules/x/index.js"), "installed");
        fs_err::create_dir_all(&from).unwrap();
        std::os::unix::fs::symlink("../elsewhere/node_modules", from.join("node_modules")).unwrap();
        let ignored = [PathBuf::from("node_modules")];
        copy_folders(&from, &ignored, &to, LINKING, &Exposed::default()).unwrap();
        assert!(!to.join("node_modules").is_symlink());
        assert!(to.join("node_modules/x/index.js").is_file());
    }

    #[test]
    fn no_file_is_shared_where_agents_write_in_the_checkout() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("checkout"), dir.path().join("copied"));
        let file = "node_modules/jest/bin/jest.js";
        write(&from.join(file), "run the tests");
        let ignored = [PathBuf::from("node_modules")];
        let apart = Copying::Apart { limit: 4096 };
        copy_folders(&from, &ignored, &to, apart, &Exposed::default()).unwrap();
        // As an agent would do it: the file stays the same one.
        fs_err::write(from.join(file), "exit 0").unwrap();
        assert_eq!(fs_err::read_to_string(to.join(file)).unwrap(), "run the tests");
        let later = dir.path().join("later");
        let nothing = Copying::Nothing;
        let copied = copy_folders(&from, &ignored, &later, nothing, &Exposed::default()).unwrap();
        assert_eq!(copied, Copied::default());
        assert_eq!(fs_err::read_dir(&later).unwrap().count(), 0);
    }

    #[test]
    fn a_package_that_is_called_like_a_report_is_copied_with_its_environment() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("checkout"), dir.path().join("copied"));
        let package = ".venv/lib/python3/site-packages/coverage/__init__.py";
        write(&from.join(package), "measure");
        write(&from.join(".venv/lib/python3/site-packages/coverage/__pycache__/a.pyc"), "answer");
        write(&from.join("coverage/lcov.info"), "report");
        write(&from.join("a/htmlcov/index.html"), "report");
        let ignored = [".venv", "coverage", "a/htmlcov"].map(PathBuf::from);
        let copied = copy_folders(&from, &ignored, &to, LINKING, &Exposed::default()).unwrap();
        assert_eq!(copied.folders, [".venv"]);
        assert!(to.join(package).is_file());
        assert!(!to.join(package).with_file_name("__pycache__").exists());
        assert!(!to.join("coverage").exists() && !to.join("a").exists());
    }

    #[test]
    fn a_link_leads_to_dependencies_only() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("checkout"), dir.path().join("copied"));
        write(&dir.path().join("home/.ssh/id"), "key");
        write(&dir.path().join("home/.virtualenvs/shop/pyvenv.cfg"), "home = /usr/bin");
        write(&from.join("packages/deps/x"), "installed");
        write(&from.join(".git/config"), "settings");
        let links = [
            ("build", "../home/.ssh"),
            ("node_modules", "../home/.ssh"),
            ("a/vendor", "../../home"),
            ("b/vendor", "../.git"),
            ("c/vendor", ".."),
            (".venv", "../home/.virtualenvs/shop"),
            ("d/node_modules", "../packages/deps"),
        ];
        for (name, target) in links {
            fs_err::create_dir_all(from.join(name).parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(target, from.join(name)).unwrap();
        }
        let ignored = links.map(|(name, _)| PathBuf::from(name));
        let copied = copy_folders(&from, &ignored, &to, LINKING, &Exposed::default()).unwrap();
        assert_eq!(copied.folders, [".venv", "d/node_modules"]);
        let left: Vec<&str> = copied.left_out.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(left, ["build", "node_modules", "a/vendor", "b/vendor", "c/vendor"]);
    }

    #[test]
    fn what_is_gone_when_it_is_copied_is_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("target"), dir.path().join("copied"));
        copy_folder(&from, &to, false).unwrap();
        assert!(!to.exists() && size_of(&from).unwrap() == (0, 0));
        assert!(still_there(fs_err::metadata(&from)).unwrap().is_none());
    }
}
