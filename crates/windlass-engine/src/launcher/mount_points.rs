//! Places to mount on, laid out in memory before the root of a view is put together.
//!
//! A folder that is made through an overlay is made on its disk, under another name first, and
//! removed again with the view. A root has some fifty of them, so they are a layer in memory instead,
//! below what the program writes. Whatever is not laid out here is made when it is mounted on.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use super::view::Mount;

/// The rights of a folder that every user may write.
pub(super) const SHARED: u32 = 0o1777;

/// The layer.
pub(super) struct MountPoints<'a> {
    layer: &'a Path,
    /// What lies in or behind these is not of this layer: mounts, and links, which lead to the host
    /// until the root is changed.
    elsewhere: Vec<PathBuf>,
}

impl<'a> MountPoints<'a> {
    /// Begins in an empty folder that nobody else writes.
    pub(super) fn new(layer: &'a Path) -> Self {
        Self { layer, elsewhere: Vec::new() }
    }

    /// Lays out what a mount needs, as far as that is in this layer.
    pub(super) fn add(&mut self, mount: &Mount) {
        match mount {
            Mount::ReadOnly { from, to } | Mount::Writable { from, to } => {
                if from.is_dir() {
                    self.mounted(to)
                } else {
                    self.file(to)
                }
            }
            Mount::Overlay { to, .. } | Mount::Memory { to } => self.mounted(to),
            Mount::Folder { to } => drop(self.folder(to)),
            Mount::Shared { to } => {
                if let Some(at) = self.folder(to) {
                    let all = std::fs::Permissions::from_mode(SHARED);
                    let _ = fs_err::set_permissions(at, all);
                }
            }
            Mount::Link { to, target } => self.link(to, target),
            // Nothing is masked that is not there.
            Mount::Mask { .. } => {}
        }
    }

    /// A folder that something is mounted on.
    pub(super) fn mounted(&mut self, to: &Path) {
        if self.folder(to).is_some() {
            self.elsewhere.push(names(to));
        }
    }

    /// A file that something is mounted on.
    pub(super) fn file(&mut self, to: &Path) {
        let above = to.parent().and_then(|parent| self.folder(parent));
        if above.is_some() && self.is_here(to) {
            let _ = fs_err::OpenOptions::new().create(true).append(true).open(self.at(to));
            self.elsewhere.push(names(to));
        }
    }

    /// A link, unless something is there.
    pub(super) fn link(&mut self, to: &Path, target: &Path) {
        let above = to.parent().and_then(|parent| self.folder(parent));
        if above.is_some() && self.is_here(to) {
            // A folder stays one, and what is to be in it is laid out there.
            if std::os::unix::fs::symlink(target, self.at(to)).is_ok() {
                self.elsewhere.push(names(to));
            }
        }
    }

    /// Makes a folder and those above it; none where that is not in this layer.
    fn folder(&self, to: &Path) -> Option<PathBuf> {
        let at = self.is_here(to).then(|| self.at(to))?;
        fs_err::create_dir_all(&at).ok().map(|()| at)
    }

    fn is_here(&self, to: &Path) -> bool {
        let to = names(to);
        !self.elsewhere.iter().any(|elsewhere| to.starts_with(elsewhere))
    }

    fn at(&self, to: &Path) -> PathBuf {
        self.layer.join(names(to))
    }
}

/// Returns a path of a view without its root, and without steps that would climb.
pub(super) fn names(to: &Path) -> PathBuf {
    to.components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_behind_a_link_or_within_a_mount() {
        let dir = tempfile::tempdir().unwrap();
        let (layer, host) = (dir.path().join("layer"), dir.path().join("host"));
        fs_err::create_dir_all(host.join("shown")).unwrap();
        fs_err::create_dir(&layer).unwrap();
        let mut points = MountPoints::new(&layer);
        let mounts = [
            Mount::Link { to: "/var/run".into(), target: host.clone() },
            Mount::Folder { to: "/var/run/made".into() },
            Mount::ReadOnly { from: "/etc/passwd".into(), to: "/var/run/file".into() },
            Mount::ReadOnly { from: host.join("shown"), to: "/usr".into() },
            Mount::Memory { to: "/usr/inside".into() },
            Mount::Shared { to: "/tmp".into() },
            Mount::Folder { to: "/../../climbs".into() },
            Mount::Link { to: "/tmp".into(), target: host.clone() },
            Mount::Overlay { layers: Vec::new(), upper: None, to: "/tmp/checkout".into() },
        ];
        mounts.iter().for_each(|mount| points.add(mount));
        let entries = |folder: &Path| -> Vec<_> {
            let entries = fs_err::read_dir(folder).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(entries(&host), ["shown"], "a link leads to the host");
        assert_eq!(entries(&host.join("shown")), [""; 0]);
        assert_eq!(entries(&layer), ["climbs", "tmp", "usr", "var"]);
        assert_eq!(entries(&layer.join("usr")), [""; 0]);
        assert!(layer.join("tmp/checkout").is_dir() && !layer.join("tmp").is_symlink());
        let mode = fs_err::metadata(layer.join("tmp")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, SHARED);
    }
}
