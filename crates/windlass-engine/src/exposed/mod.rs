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
    /// The same without links.
    real_home: PathBuf,
    /// Folders and files that must stay hidden, without links.
    hidden: Vec<PathBuf>,
    /// Keys among the system's settings.
    keys: Vec<PathBuf>,
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

/// Devices that programs expect, where there are no views.
const DEVICES: &[&str] = &[
    "/dev/full",
    "/dev/null",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/random",
    "/dev/shm",
    "/dev/tty",
    "/dev/urandom",
    "/dev/zero",
];

impl Exposed {
    /// Looks for what tools need.
    pub fn look(around: &Around<'_>) -> Self {
        let home = around.home().unwrap_or_else(|| PathBuf::from("/home/nobody"));
        let hidden = around.hidden.iter().map(|hidden| canonical(hidden)).collect();
        let real_home = canonical(&home);
        let mut exposed = Self { home, real_home, hidden, ..Self::default() };
        system::look(&mut exposed);
        home::look(around, &mut exposed);
        found::look(around, &mut exposed);
        exposed.links.sort();
        exposed.links.dedup();
        exposed
    }

    /// Returns what every program needs to run at all.
    pub(crate) fn system_only() -> Self {
        let home = PathBuf::from("/home/nobody");
        let mut exposed = Self { real_home: home.clone(), home, ..Self::default() };
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
        let kernels = DEVICES.iter().chain(&["/proc", "/run/systemd/resolve"]).map(PathBuf::from);
        let mut covered = self.covered();
        if rustix::process::geteuid().is_root() {
            // Others cannot read them anyway.
            covered.extend(
                self.keys.iter().filter(|key| key.starts_with("/etc")).map(PathBuf::as_path),
            );
        }
        let shown = self.shown.iter().flat_map(|shown| without(&shown.path, &covered));
        shown.chain(kernels).filter(|path| path.exists()).collect()
    }

    /// Returns what a path opens that a check names, where there are no views.
    pub(crate) fn readable_besides(&self, path: &Path) -> Vec<PathBuf> {
        let real = canonical(path);
        let hidden: Vec<&Path> = self.hidden.iter().map(PathBuf::as_path).collect();
        if self.hides(&real) { Vec::new() } else { without(&real, &hidden) }
    }

    /// Returns the mounts of a path that a check names: without windlass's own folders and the checkout,
    /// and without keys that it does not name itself.
    pub(crate) fn mounts_besides(&self, path: &Path) -> Vec<Mount> {
        let real = canonical(path);
        if !path.exists() || self.hides(&real) {
            return Vec::new();
        }
        let mut mounts = mounts_of(path);
        for hidden in self.hidden.iter().filter(|hidden| is_beneath(hidden, &real)) {
            mounts.extend(cover(hidden, hidden));
        }
        let keys = self.keys.iter().filter(|key| is_beneath(key, &real));
        mounts.extend(keys.map(|key| Mount::Mask { to: key.clone() }));
        mounts
    }

    /// What is covered where a folder of the system holds it.
    fn covered(&self) -> Vec<&Path> {
        self.hidden.iter().map(PathBuf::as_path).chain([self.real_home.as_path()]).collect()
    }

    /// Says whether a path without links is, or lies within, what must stay hidden.
    pub(crate) fn hides(&self, real: &Path) -> bool {
        self.hidden.iter().any(|hidden| real.starts_with(hidden))
    }

    /// Returns what was asked for and is not shown, because it holds what must stay hidden.
    pub fn refused(&self) -> &[PathBuf] {
        &self.refused
    }

    /// Says whether a path is shown already, by itself or with a folder above it.
    pub fn covers(&self, path: &Path) -> bool {
        let path = canonical(path);
        let is_covered = |shown: &Shown| {
            let mut beneath = self.covered().into_iter();
            beneath.any(|hidden| is_beneath(hidden, &shown.path) && path.starts_with(hidden))
        };
        self.shown.iter().any(|shown| path.starts_with(&shown.path) && !is_covered(shown))
    }

    /// Says whether the home lies in a folder of the system, and an empty one is put in its place: what
    /// the root has there is out of sight.
    pub(crate) fn covers_home(&self) -> bool {
        self.shown.iter().any(|shown| is_beneath(&self.real_home, &shown.path))
    }

    /// Shows a folder of the system, whatever lies in it: that is covered.
    fn show_system(&mut self, folder: &Path) {
        let Ok(real) = folder.canonicalize() else { return };
        if self.hides(&real) || real == self.real_home {
            self.refused.push(real);
        } else if !self.covers(&real) {
            self.shown.push(Shown { path: real, how: How::System });
        }
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

    /// Shows a cache that is not there yet, unless a link leads to it or it would lie in what is hidden:
    /// whoever could place the link would say where it is made.
    fn show_new(&mut self, path: &Path) {
        let there = path.ancestors().skip(1).find(|above| above.symlink_metadata().is_ok());
        let below_home = path.starts_with(&self.real_home)
            && there.is_some_and(|above| {
                above.starts_with(&self.real_home)
                    && above.canonicalize().is_ok_and(|real| real == above)
            });
        if below_home && !self.hides(path) && !self.covers(path) {
            self.shown.push(Shown { path: path.to_owned(), how: How::Cache });
        }
    }

    /// Returns the mounts, with the uppers of caches below `uppers` and earlier uppers, which are only
    /// read, below `earlier`.
    ///
    /// # Errors
    /// A folder for an upper layer cannot be made.
    pub fn mounts(&self, uppers: &Path, earlier: &[PathBuf]) -> std::io::Result<Vec<Mount>> {
        let (mut mounts, covered) = (system::mounts(), self.covered());
        for Shown { path, how } in &self.shown {
            let (from, to) = (path.clone(), path.clone());
            mounts.push(match how {
                How::System => Mount::ReadOnly { from, to },
                How::Cache | How::Programs if path.exists() && !path.is_dir() => {
                    Mount::ReadOnly { from, to }
                }
                How::Programs => Mount::Overlay { layers: vec![from], upper: None, to },
                How::Cache => {
                    let name = cache_name(path);
                    let upper = Upper::below(&uppers.join(&name), true);
                    upper.make()?;
                    let earlier = earlier.iter().map(|earlier| earlier.join(&name).join("u"));
                    let mut layers: Vec<PathBuf> = earlier.filter(|path| path.is_dir()).collect();
                    // One that is not there yet is empty: a tool makes it, and it goes with the room.
                    let empty = uppers.join("empty");
                    if from.is_dir() {
                        layers.push(from);
                    } else {
                        fs_err::create_dir_all(&empty)?;
                        layers.push(empty);
                    }
                    Mount::Overlay { layers, upper: Some(upper), to }
                }
            });
            // Folders of the system are shown whatever lies in them, and a home may.
            for hidden in covered.iter().filter(|hidden| is_beneath(hidden, path)) {
                mounts.extend(cover(hidden, hidden));
            }
        }
        mounts.extend(self.keys.iter().map(|key| Mount::Mask { to: key.clone() }));
        mounts.push(Mount::Folder { to: self.home.clone() });
        for (link, target) in &self.links {
            mounts.push(Mount::Link { to: link.clone(), target: target.clone() });
        }
        Ok(mounts)
    }
}

/// Returns the mounts that show one more path. Links on its way are followed here: in a view that is
/// being built they would lead to the machine.
fn mounts_of(path: &Path) -> Vec<Mount> {
    let Ok(real) = path.canonicalize() else { return Vec::new() };
    let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
    let link = (real != path && !climbs)
        .then(|| Mount::Link { to: path.to_owned(), target: real.clone() });
    let shown = Mount::ReadOnly { from: real.clone(), to: real };
    [shown].into_iter().chain(link).collect()
}

/// Puts nothing in the place of what must stay hidden. A folder is one that can be written, because
/// parts of it may be shown after all: what tools keep in a home, the place of an attempt.
fn cover(to: &Path, hidden: &Path) -> Option<Mount> {
    let to = to.to_owned();
    match hidden.metadata() {
        Ok(found) if found.is_dir() => Some(Mount::Memory { to }),
        Ok(_) => Some(Mount::Mask { to }),
        Err(_) => None,
    }
}

/// Returns a folder, or the parts of it without what must stay hidden.
fn without(path: &Path, hidden: &[&Path]) -> Vec<PathBuf> {
    if !hidden.iter().any(|hidden| is_beneath(hidden, path)) {
        return vec![path.to_owned()];
    }
    let entries = fs_err::read_dir(path).into_iter().flatten().flatten();
    // A rule about a link would be one about what it leads to.
    let plain = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    let shown = plain.map(|entry| entry.path()).filter(|path| !hidden.contains(&path.as_path()));
    shown.flat_map(|path| without(&path, hidden)).collect()
}

fn is_beneath(path: &Path, folder: &Path) -> bool {
    path != folder && path.starts_with(folder)
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

    /// On a fresh home a tool makes its cache; where it is, and what it is, nobody else says.
    #[test]
    fn caches_that_are_not_there_yet_take_writes() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (home, bin) = (root.join("ada"), root.join("bin"));
        fs_err::create_dir_all(home.join("elsewhere")).unwrap();
        fs_err::create_dir_all(&bin).unwrap();
        for program in ["cargo", "npm", "java"] {
            fs_err::write(bin.join(program), "").unwrap();
        }
        // A link that somebody placed decides nothing.
        std::os::unix::fs::symlink(home.join("elsewhere"), home.join(".npm")).unwrap();
        let env = [("HOME", &home), ("PATH", &bin)]
            .map(|(name, path)| (name.to_owned(), path.to_string_lossy().into_owned()));
        let exposed = Exposed::look(&Around { env: &env, hidden: &[], added: &[] });
        let caches: Vec<PathBuf> = exposed
            .caches()
            .into_iter()
            .filter_map(|path| path.strip_prefix(&home).ok().map(Path::to_owned))
            .collect();
        let expected = [
            ".cargo/git",
            ".cargo/registry",
            ".gradle/caches",
            ".gradle/wrapper",
            ".m2/repository",
            ".m2/wrapper",
        ];
        assert_eq!(caches, expected.map(PathBuf::from));
        let uppers = root.join("uppers");
        let mounts = exposed.mounts(&uppers, &[]).unwrap();
        let registry = home.join(".cargo/registry");
        let found = mounts.iter().find_map(|mount| match mount {
            Mount::Overlay { layers, upper: Some(_), to } if *to == registry => Some(layers),
            _ => None,
        });
        assert_eq!(found, Some(&vec![uppers.join("empty")]));
        assert!(!registry.exists(), "nothing is made on the machine");
    }

    /// A folder that is shown like one of the system, and what lies in it.
    fn shown(hidden: &[&str], home: &str) -> (tempfile::TempDir, PathBuf, Exposed) {
        let dir = tempfile::tempdir().unwrap();
        let opt = dir.path().canonicalize().unwrap();
        for file in ["tool/bin/x", "work/shop/src/a", "ada/.ssh/id", "ada/.cargo/bin/y", "state/db"]
        {
            fs_err::create_dir_all(opt.join(file).parent().unwrap()).unwrap();
            fs_err::write(opt.join(file), "").unwrap();
        }
        let hidden = hidden.iter().map(|path| opt.join(path)).collect();
        let home = opt.join(home);
        let mut exposed = Exposed { real_home: home.clone(), home, hidden, ..Exposed::default() };
        exposed.show_system(&opt);
        exposed.show(&opt.join("ada/.cargo/bin"), How::Programs, &[]);
        (dir, opt, exposed)
    }

    #[test]
    fn what_is_hidden_is_covered_where_a_folder_of_the_system_holds_it() {
        let (dir, opt, exposed) = shown(&["work/shop", "state/db"], "ada");
        let mounts = exposed.mounts(&dir.path().join("uppers"), &[]).unwrap();
        let at = |wanted: &Mount| mounts.iter().position(|mount| mount == wanted).unwrap();
        let whole = at(&Mount::ReadOnly { from: opt.clone(), to: opt.clone() });
        let home = at(&Mount::Memory { to: opt.join("ada") });
        let tools =
            mounts.iter().position(|mount| mount.to() == opt.join("ada/.cargo/bin")).unwrap();
        assert!(whole < at(&Mount::Memory { to: opt.join("work/shop") }));
        assert!(whole < at(&Mount::Mask { to: opt.join("state/db") }));
        assert!(whole < home && home < tools, "tools of the home are shown on the covered one");
        assert!(exposed.covers_home() && exposed.covers(&opt.join("ada/.cargo/bin/y")));
        assert!(!exposed.covers(&opt.join("ada/.ssh/id")) && exposed.covers(&opt.join("tool")));
    }

    #[test]
    fn what_is_hidden_is_not_readable_without_views_either() {
        let (_dir, opt, exposed) = shown(&["work/shop", "state/db"], "ada");
        let readable = exposed.readable();
        let reads = |path: &str| readable.iter().any(|shown| opt.join(path).starts_with(shown));
        assert!(reads("tool/bin/x") && reads("ada/.cargo/bin/y"), "{readable:?}");
        for hidden in ["work/shop/src/a", "state/db", "ada/.ssh/id"] {
            assert!(!reads(hidden), "{hidden}: {readable:?}");
        }
    }

    #[test]
    fn a_home_at_the_root_hides_nothing_of_the_system() {
        let env = [("HOME".to_owned(), "/".to_owned())];
        let exposed = Exposed::look(&Around { env: &env, hidden: &[], added: &[] });
        assert!(exposed.covers(Path::new("/usr/bin")), "{:?}", exposed.listed());
    }

    #[test]
    fn a_check_cannot_name_what_must_stay_hidden() {
        let (_dir, opt, exposed) = shown(&["work/shop", "state"], "elsewhere");
        for path in ["state", "state/db", "work/shop/src"] {
            assert_eq!(exposed.mounts_besides(&opt.join(path)), [], "{path}");
            assert!(exposed.readable_besides(&opt.join(path)).is_empty(), "{path}");
        }
        let work = opt.join("work");
        let covered = Mount::Memory { to: work.join("shop") };
        let whole = Mount::ReadOnly { from: work.clone(), to: work.clone() };
        assert_eq!(exposed.mounts_besides(&work), [whole, covered]);
        let tool = opt.join("tool");
        assert_eq!(exposed.readable_besides(&tool), [tool]);
    }
}
