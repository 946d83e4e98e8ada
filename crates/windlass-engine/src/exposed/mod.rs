//! What a box and a room show of the machine, by list.
//!
//! Everything starts from an empty root. [`system`] is what every program needs to run at all,
//! [`home`] is what tools keep in a home, [`found`] is what `PATH` and the tools' own variables lead
//! to, and what the user adds. A file with keys is on no list. Whatever is shown is told:
//! [`Exposed::listed`] is what `doctor --json` prints.

mod found;
mod home;
mod system;

pub(crate) use found::{installation_of, show_program};

use std::path::{Path, PathBuf};

use crate::home::canonical;
use crate::launcher::view::{Mount, Upper};

/// How a folder or file is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// By a bind: folders of the system, and single files.
    System,
    /// By an overlay that hides sockets and takes writes, which are thrown away: what tools keep.
    Cache,
    /// By an overlay that can be read only: programs.
    Programs,
}

/// One folder or file that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Where it is, on the host and in the view.
    pub path: PathBuf,
    /// How it is shown.
    pub how: How,
}

/// What is shown of the machine.
#[derive(Clone, Debug, Default)]
pub struct Exposed {
    shown: Vec<Shown>,
    links: Vec<(PathBuf, PathBuf)>,
    refused: Vec<PathBuf>,
    home: PathBuf,
}

/// What the list is made from.
#[derive(Clone, Debug)]
pub struct Around<'a> {
    /// The user's environment.
    pub env: &'a [(String, String)],
    /// Folders that hold what must stay hidden: the checkout, windlass's own folders, places. No
    /// folder above one of them is shown.
    pub hidden: &'a [PathBuf],
    /// What the user adds.
    pub added: &'a [PathBuf],
}

impl Around<'_> {
    fn variable(&self, wanted: &str) -> Option<&str> {
        let found = self.env.iter().rev().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    fn home(&self) -> Option<PathBuf> {
        self.variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
    }
}

impl Exposed {
    /// Looks for what tools need.
    pub fn look(around: &Around<'_>) -> Self {
        let home = around.home().unwrap_or_else(|| PathBuf::from("/home/nobody"));
        let mut exposed = Self { home, ..Self::default() };
        system::look(&mut exposed);
        home::look(around, &mut exposed);
        found::look(around, &mut exposed);
        exposed.links.sort();
        exposed.links.dedup();
        exposed
    }

    /// Returns what every program needs to run at all.
    pub(crate) fn system_only() -> Self {
        let mut exposed = Self { home: PathBuf::from("/home/nobody"), ..Self::default() };
        system::look(&mut exposed);
        exposed
    }

    /// Returns the home folder, in the view as on the host.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Returns what is shown, for people.
    pub fn listed(&self) -> &[Shown] {
        &self.shown
    }

    /// Returns the caches of the home, which checks may fill where there are no layers.
    pub fn caches(&self) -> Vec<PathBuf> {
        let caches = self.shown.iter().filter(|shown| shown.how == How::Cache);
        caches.map(|shown| shown.path.clone()).collect()
    }

    /// Returns what may be read where there are no views: everything that is shown, and the kernel's own
    /// folders.
    pub fn readable(&self) -> Vec<PathBuf> {
        let kernels = ["/dev", "/proc", "/run/systemd/resolve"].map(PathBuf::from).into_iter();
        let shown = self.shown.iter().map(|shown| shown.path.clone());
        shown.chain(kernels).filter(|path| path.exists()).collect()
    }

    /// Returns what was asked for and is not shown, because it holds what must stay hidden.
    pub fn refused(&self) -> &[PathBuf] {
        &self.refused
    }

    /// Says whether a path is shown already, by itself or with a folder above it.
    pub fn covers(&self, path: &Path) -> bool {
        let path = canonical(path);
        self.shown.iter().any(|shown| path.starts_with(&shown.path))
    }

    /// Shows a folder or file, unless it is shown or would show what must stay hidden.
    pub(crate) fn show(&mut self, path: &Path, how: How, hidden: &[PathBuf]) {
        let Ok(real) = path.canonicalize() else { return };
        // A path that climbs leads to the real one by itself, once that is there.
        let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
        if real != path && !climbs {
            self.links.push((path.to_owned(), real.clone()));
        }
        if self.covers(&real) {
            return;
        }
        let holds_hidden = real.is_dir()
            && hidden.iter().chain([&self.home]).any(|hidden| canonical(hidden).starts_with(&real));
        let within_hidden = hidden.iter().any(|hidden| real.starts_with(canonical(hidden)));
        if holds_hidden || within_hidden || real.parent().is_none() {
            self.refused.push(real);
            return;
        }
        self.shown.push(Shown { path: real, how });
    }

    /// Returns the mounts, with the uppers of caches below `uppers` and earlier uppers, which are only
    /// read, below `earlier`.
    ///
    /// # Errors
    /// A folder for an upper layer cannot be made.
    pub fn mounts(&self, uppers: &Path, earlier: &[PathBuf]) -> std::io::Result<Vec<Mount>> {
        let mut mounts = system::mounts();
        for Shown { path, how } in &self.shown {
            let (from, to) = (path.clone(), path.clone());
            mounts.push(match how {
                How::System => Mount::ReadOnly { from, to },
                _ if !path.is_dir() => Mount::ReadOnly { from, to },
                How::Programs => Mount::Overlay { layers: vec![from], upper: None, to },
                How::Cache => {
                    let name = cache_name(path);
                    let upper = Upper::below(&uppers.join(&name), true);
                    upper.make()?;
                    let earlier = earlier.iter().map(|earlier| earlier.join(&name).join("u"));
                    let mut layers: Vec<PathBuf> = earlier.filter(|path| path.is_dir()).collect();
                    layers.push(from);
                    Mount::Overlay { layers, upper: Some(upper), to }
                }
            });
        }
        mounts.extend(system::masks());
        mounts.push(Mount::Folder { to: self.home.clone() });
        for (link, target) in &self.links {
            mounts.push(Mount::Link { to: link.clone(), target: target.clone() });
        }
        Ok(mounts)
    }
}

/// Returns the mounts that show one more path. Links on its way are followed here: in a view that is
/// being built they would lead to the machine.
pub(crate) fn mounts_of(path: &Path) -> Vec<Mount> {
    let Ok(real) = path.canonicalize() else { return Vec::new() };
    let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
    let link = (real != path && !climbs)
        .then(|| Mount::Link { to: path.to_owned(), target: real.clone() });
    let shown = Mount::ReadOnly { from: real.clone(), to: real };
    [shown].into_iter().chain(link).collect()
}

/// Names the upper layer of a cache; the same in every process of a run.
fn cache_name(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    blake3::hash(path.as_os_str().as_bytes()).to_hex()[..12].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_behind_a_link_is_shown_where_it_really_is() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let real = root.join("run/service");
        fs_err::create_dir_all(&real).unwrap();
        std::os::unix::fs::symlink(root.join("run"), root.join("var")).unwrap();
        let asked = root.join("var/service");
        let shown = Mount::ReadOnly { from: real.clone(), to: real.clone() };
        let link = Mount::Link { to: asked.clone(), target: real.clone() };
        assert_eq!(mounts_of(&asked), [shown.clone(), link]);
        assert_eq!(mounts_of(&real), [shown]);
        assert_eq!(mounts_of(&root.join("absent")), []);
    }
}
