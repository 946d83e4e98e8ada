//! Folders on top of each other, as overlayfs reads them: looked at, hidden and merged without a mount.
//!
//! A whiteout is a character device of number 0:0; anybody may make one. A folder that hides what is
//! below it has the attribute `user.overlay.opaque`.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, Timespec, Timestamps, mknodat, utimensat};

use crate::git::place_files::{self, PlaceFileError};

/// How many links are followed before a path counts as going in circles.
const MAX_LINKS: usize = 40;

/// Puts a whiteout at `path` below the folder `layer`, with the folders above it.
///
/// What a program wrote may be in the layer, so no link in it is followed: where something else than
/// a folder stands on the way, nothing of the layers below is to be seen there anyway.
///
/// # Errors
/// The path is not one within the layer, or the disk fails.
pub(crate) fn hide(layer: &Path, path: &Path) -> io::Result<()> {
    let Some(at) = remove_in(layer, path, Parents::Make)? else { return Ok(()) };
    mknodat(CWD, &at, FileType::CharacterDevice, Mode::empty(), 0)?;
    Ok(())
}

/// Removes what is at `path` below the folder `layer`, without following a link on the way.
///
/// # Errors
/// The path is not one within the layer, or the disk fails.
pub(crate) fn remove(layer: &Path, path: &Path) -> io::Result<()> {
    remove_in(layer, path, Parents::AsTheyAre).map(drop)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Parents {
    Make,
    AsTheyAre,
}

/// Returns where something was removed; none if no plain folders lead there.
fn remove_in(layer: &Path, path: &Path, parents: Parents) -> io::Result<Option<PathBuf>> {
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let (Some(parent), true) = (path.parent(), plain) else {
        let words = format!("`{}` is not a path within a layer", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
    };
    let led = match parents {
        Parents::Make => place_files::create_dir(layer, parent),
        Parents::AsTheyAre => place_files::open_folder(layer, parent).map(drop),
    };
    match led {
        Ok(()) => {}
        Err(PlaceFileError::Replaced { .. }) => return Ok(None),
        Err(error) if error.is_missing() && parents == Parents::AsTheyAre => return Ok(None),
        Err(PlaceFileError::Io { source, .. }) => return Err(source),
        Err(error) => return Err(io::Error::other(error)),
    }
    let at = layer.join(path);
    match at.symlink_metadata() {
        Ok(found) if found.is_dir() => crate::git::remove_whole(&at)?,
        Ok(_) => fs_err::remove_file(&at)?,
        Err(_) => {}
    }
    Ok(Some(at))
}

/// Says whether an entry of a layer stands for something that is not there.
pub(crate) fn is_whiteout(metadata: &std::fs::Metadata) -> bool {
    metadata.file_type().is_char_device() && metadata.rdev() == 0
}

/// Says whether a folder of a layer hides what is below it.
fn is_opaque(folder: &Path) -> bool {
    let mut value = [0; 4];
    rustix::fs::getxattr(folder, "user.overlay.opaque", &mut value[..])
        .is_ok_and(|length| length == 1 && value[0] == b'y')
}

/// Sets the modification time of a file, a folder or a link.
pub(crate) fn set_time(path: &Path, time: Timespec) -> io::Result<()> {
    let times = Timestamps { last_access: time, last_modification: time };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Sets the time of everything below `folder`, and its own.
pub(crate) fn set_times(
    folder: &Path,
    time_of: &mut dyn FnMut(&Path) -> Option<Timespec>,
) -> io::Result<()> {
    walk(folder, &mut |path, _| match time_of(path.strip_prefix(folder).unwrap_or(path)) {
        Some(time) => set_time(path, time),
        None => Ok(()),
    })
}

/// Calls `visit` for everything below `folder`, entries before their folder, and for the folder last.
pub(crate) fn walk(
    folder: &Path,
    visit: &mut dyn FnMut(&Path, &std::fs::Metadata) -> io::Result<()>,
) -> io::Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        // The sweeper may have been faster.
        let Some(metadata) = there(fs_err::symlink_metadata(&path))? else { continue };
        if metadata.is_dir() {
            there(walk(&path, visit))?;
        } else {
            visit(&path, &metadata)?;
        }
    }
    match there(fs_err::symlink_metadata(folder))? {
        Some(metadata) => visit(folder, &metadata),
        None => Ok(()),
    }
}

/// Takes what is gone, or is overlayfs's own and closed to everybody, for nothing.
fn there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Returns the newest modification time below `folder`.
pub(crate) fn newest(folder: &Path) -> io::Result<Timespec> {
    let mut newest = Timespec { tv_sec: 0, tv_nsec: 0 };
    walk(folder, &mut |path, metadata| {
        // Windlass made the folder itself a moment ago.
        if path == folder {
            return Ok(());
        }
        let time = (metadata.mtime(), metadata.mtime_nsec());
        if time > (newest.tv_sec, newest.tv_nsec) {
            newest = Timespec { tv_sec: time.0, tv_nsec: time.1 as _ };
        }
        Ok(())
    })?;
    Ok(newest)
}

/// Folders on top of each other.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    /// From the top.
    folders: Vec<PathBuf>,
    /// How programs that work on them name the root.
    root: PathBuf,
}

impl Layers {
    pub(crate) fn new(folders: Vec<PathBuf>, root: &Path) -> Self {
        Self { folders, root: root.to_owned() }
    }

    /// Returns how programs name the root.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the real file or folder behind a path without links on the way; none if it is not
    /// there.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        let parts: Vec<Component<'_>> = path.components().collect();
        if !parts.iter().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        for layer in &self.folders {
            let (mut at, mut hides) = (layer.clone(), false);
            let mut rest = parts.iter().peekable();
            let is_there = loop {
                let Some(part) = rest.next() else { break true };
                at.push(part);
                let Ok(found) = at.symlink_metadata() else { break false };
                // A file or link on the way hides the folders of that name in all layers below.
                if is_whiteout(&found) || (rest.peek().is_some() && !found.is_dir()) {
                    return None;
                }
                hides |= found.is_dir() && is_opaque(&at);
            };
            match (is_there, hides) {
                (true, _) => return Some(at),
                (false, true) => return None,
                (false, false) => {}
            }
        }
        None
    }

    /// Follows a path as a program in the tree would, and returns where it ends, relative to the root;
    /// none if it leaves the tree or leads to nothing.
    pub(crate) fn resolve(&self, path: &Path) -> Option<PathBuf> {
        let mut rest: Vec<PathBuf> = parts(path);
        let (mut at, mut links) = (PathBuf::new(), 0);
        while let Some(part) = rest.pop() {
            if part == Path::new("..") {
                if !at.pop() {
                    return None;
                }
                continue;
            }
            let next = at.join(&part);
            let real = self.real(&next)?;
            match real.read_link() {
                Ok(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return None;
                    }
                    let target = match target.strip_prefix(&self.root) {
                        Ok(inside) => {
                            at = PathBuf::new();
                            inside.to_owned()
                        }
                        Err(_) if target.is_absolute() => return None,
                        Err(_) => target,
                    };
                    rest.extend(parts(&target));
                }
                Err(_) => at = next,
            }
        }
        Some(at)
    }

    /// Says whether a path leads to a folder of the tree.
    pub(crate) fn is_folder(&self, path: &str) -> bool {
        let found = self.resolve(Path::new(path)).and_then(|path| self.real(&path));
        found.is_some_and(|real| real.is_dir())
    }

    /// Returns where a path leads, if to a plain file of the tree.
    pub(crate) fn file(&self, path: &str) -> Option<String> {
        let resolved = self.resolve(Path::new(path))?;
        let real = self.real(&resolved)?;
        real.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
        resolved.to_str().map(str::to_owned)
    }

    /// Finds the plain files of the tree that have one of `names`.
    pub(crate) fn named(&self, names: &BTreeSet<&str>) -> BTreeMap<String, Vec<String>> {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for layer in self.folders.iter().filter(|_| !names.is_empty()) {
            // A folder that cannot be read has no source file for a report.
            let _ = walk(layer, &mut |path, metadata| {
                let name = path.file_name().and_then(|name| name.to_str());
                let Some(name) = name.filter(|name| metadata.is_file() && names.contains(name))
                else {
                    return Ok(());
                };
                let Some(inside) = path.strip_prefix(layer).ok().and_then(Path::to_str) else {
                    return Ok(());
                };
                if self.real(Path::new(inside)).as_deref() == Some(path) {
                    found.entry(name.to_owned()).or_default().insert(inside.to_owned());
                }
                Ok(())
            });
        }
        found.into_iter().map(|(name, paths)| (name, paths.into_iter().collect())).collect()
    }

    /// Copies one file of the tree to the same path below a folder; one that is not there is none.
    pub(crate) fn copy_out(&self, path: &Path, folder: &Path) -> io::Result<()> {
        let Some(real) = self.real(path) else { return Ok(()) };
        let metadata = fs_err::symlink_metadata(&real)?;
        let to = folder.join(path);
        fs_err::create_dir_all(to.parent().unwrap_or(folder))?;
        super::copied::copy_one(&real, &to, &metadata)
    }

    /// Copies the tree as a program would see it into a folder: what is done where nothing can be
    /// mounted.
    pub(crate) fn merge_into(&self, target: &Path) -> io::Result<()> {
        for layer in self.folders.iter().rev() {
            merge(layer, target)?;
        }
        Ok(())
    }
}

/// The parts of a path, the last one first in line.
fn parts(path: &Path) -> Vec<PathBuf> {
    let mut parts: Vec<PathBuf> = path
        .components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| PathBuf::from(part.as_os_str()))
        .collect();
    parts.reverse();
    parts
}

/// Copies a layer over what is there already.
fn merge(layer: &Path, target: &Path) -> io::Result<()> {
    for entry in fs_err::read_dir(layer)? {
        let entry = entry?;
        let (from, to) = (entry.path(), target.join(entry.file_name()));
        let metadata = fs_err::symlink_metadata(&from)?;
        let there = to.symlink_metadata();
        let clears = is_whiteout(&metadata)
            || !metadata.is_dir()
            || is_opaque(&from)
            || there.as_ref().is_ok_and(|there| !there.is_dir());
        if clears {
            match there {
                Ok(there) if there.is_dir() => crate::git::remove_whole(&to)?,
                Ok(_) => fs_err::remove_file(&to)?,
                Err(_) => {}
            }
        }
        if is_whiteout(&metadata) {
            continue;
        }
        if metadata.is_dir() {
            fs_err::create_dir_all(&to)?;
            merge(&from, &to)?;
            fs_err::set_permissions(&to, metadata.permissions())?;
        } else {
            super::copied::copy_one(&from, &to, &metadata)?;
        }
        let time = Timespec { tv_sec: metadata.mtime(), tv_nsec: metadata.mtime_nsec() as _ };
        set_time(&to, time)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack() -> (tempfile::TempDir, Layers) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("low/a/one", "1"),
            ("low/a/two", "2"),
            ("low/b/three", "3"),
            ("low/c", "file"),
            ("top/a/two", "II"),
            ("top/c/inside", "folder now"),
        ] {
            let path = dir.path().join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        let top = dir.path().join("top");
        hide(&top, Path::new("b")).unwrap();
        hide(&top, Path::new("a/one")).unwrap();
        std::os::unix::fs::symlink("a/two", top.join("link")).unwrap();
        std::os::unix::fs::symlink("/tree/a/two", top.join("absolute")).unwrap();
        std::os::unix::fs::symlink("../outside", top.join("leaves")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", top.join("away")).unwrap();
        std::os::unix::fs::symlink("circle", top.join("circle")).unwrap();
        let layers = Layers::new(vec![top, dir.path().join("low")], Path::new("/tree"));
        (dir, layers)
    }

    #[test]
    fn paths_are_followed_as_a_program_in_the_tree_would() {
        let (_dir, layers) = stack();
        assert_eq!(layers.file("a/two").as_deref(), Some("a/two"));
        assert_eq!(layers.file("link").as_deref(), Some("a/two"));
        assert_eq!(layers.file("absolute").as_deref(), Some("a/two"));
        assert_eq!(layers.file("a/../link").as_deref(), Some("a/two"));
        for gone in ["a/one", "b/three", "leaves", "away", "circle", "a", "nothing"] {
            assert_eq!(layers.file(gone), None, "{gone}");
        }
        assert!(layers.is_folder("c") && layers.is_folder("a") && !layers.is_folder("b"));
        let named = layers.named(&BTreeSet::from(["two", "one", "three", "inside"]));
        assert_eq!(named.len(), 2, "{named:?}");
    }

    #[test]
    fn a_merged_tree_is_what_a_mount_would_show() {
        let (dir, layers) = stack();
        let merged = dir.path().join("merged");
        fs_err::create_dir(&merged).unwrap();
        layers.merge_into(&merged).unwrap();
        assert_eq!(fs_err::read_to_string(merged.join("a/two")).unwrap(), "II");
        assert_eq!(fs_err::read_to_string(merged.join("c/inside")).unwrap(), "folder now");
        for gone in ["a/one", "b"] {
            assert!(merged.join(gone).symlink_metadata().is_err(), "{gone}");
        }
    }

    #[test]
    fn nothing_outside_a_layer_is_hidden() {
        let dir = tempfile::tempdir().unwrap();
        let (layer, outside) = (dir.path().join("layer"), dir.path().join("outside"));
        for folder in [&layer, &outside] {
            fs_err::create_dir_all(folder.join("x")).unwrap();
            fs_err::write(folder.join("x/file"), "kept").unwrap();
        }
        std::os::unix::fs::symlink(&outside, layer.join("link")).unwrap();
        hide(&layer, Path::new("link/x")).unwrap();
        remove(&layer, Path::new("link/x")).unwrap();
        for path in ["", "..", "../outside/x", "x/../../outside/x", "/etc/nothing"] {
            assert!(hide(&layer, Path::new(path)).is_err(), "{path}");
            assert!(remove(&layer, Path::new(path)).is_err(), "{path}");
        }
        assert!(hide(&layer, &outside.join("x")).is_err());
        assert_eq!(fs_err::read_to_string(outside.join("x/file")).unwrap(), "kept");
        hide(&layer, Path::new("x")).unwrap();
        assert!(is_whiteout(&fs_err::symlink_metadata(layer.join("x")).unwrap()));
        // What is hidden hides what was below it.
        hide(&layer, Path::new("x/file")).unwrap();
        remove(&layer, Path::new("link")).unwrap();
        assert!(outside.join("x/file").is_file());
    }

    #[test]
    fn what_stands_on_the_way_hides_what_is_below_it() {
        let dir = tempfile::tempdir().unwrap();
        let host = dir.path().join("host");
        for path in ["low/a/b/c/file", "low/d/file", "low/e/f/file", "host/file"] {
            let path = dir.path().join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "").unwrap();
        }
        let (top, middle) = (dir.path().join("top"), dir.path().join("middle"));
        fs_err::create_dir_all(top.join("a/b/c")).unwrap();
        fs_err::create_dir_all(middle.join("e")).unwrap();
        fs_err::create_dir_all(top.join("e")).unwrap();
        fs_err::write(middle.join("d"), "a file now").unwrap();
        std::os::unix::fs::symlink(&host, middle.join("e/f")).unwrap();
        let layers =
            Layers::new(vec![top.clone(), middle, dir.path().join("low")], Path::new("/t"));
        assert_eq!(layers.file("a/b/c/file").as_deref(), Some("a/b/c/file"));
        for outside in ["../host/file", "a/../../host/file", "/etc/passwd"] {
            assert_eq!(layers.real(Path::new(outside)), None, "{outside}");
        }
        assert_eq!(layers.file("d/file"), None, "a file of the layer above hides the folder");
        assert_eq!(layers.real(Path::new("e/f/file")), None, "no link of a layer is followed");
        // Not the folder of the file, but one above it.
        let flags = rustix::fs::XattrFlags::empty();
        // Not every file system of a temporary folder takes attributes.
        if rustix::fs::setxattr(top.join("a"), "user.overlay.opaque", b"y", flags).is_ok() {
            assert_eq!(layers.file("a/b/c/file"), None, "what is above hides all below it");
            assert!(layers.is_folder("a/b/c"));
        }
    }
}
