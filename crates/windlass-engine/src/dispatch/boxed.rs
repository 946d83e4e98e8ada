//! The box around an attempt: what it needs, by list.
//!
//! The place stands at the path of the user's checkout. Beside it there are the system's folders,
//! tools and their caches, the program that plays the agent, and what windlass wrote for this attempt.
//! Home and temporary folder are the attempt's own and go with it; the conversation of its program
//! stays for the step and the role.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use windlass_core::plan::PlanStep;

use super::attempt::{ERRORS, OUTPUT};
use super::worker::Worker;
use crate::agent::AgentCommand;
use crate::exposed::{Around, How, installation_of, show_program};
use crate::git::{PlaceKind, place_files};
use crate::home::{WORK_PREFIX, canonical};
use crate::launcher::view::{Mount, Rights, Upper, View, ViewNetwork};
use crate::level::Level;

/// How much of a folder's name is for people.
const MAX_NAME_CHARS: usize = 80;

/// How much of a script is read for the programs that it names.
const MAX_SCRIPT_BYTES: u64 = 16 << 10;

/// What git reads in every folder, and more of it than anybody writes.
const IGNORE_FILE: &str = ".gitignore";
const MAX_IGNORE_BYTES: u64 = 64 << 10;

/// What windlass is called in a box.
const COMMAND: &str = "windlass";

/// Parts of the checkout's git directory that an attempt in it must not write.
const PARTS_OF_GIT: [&str; 8] =
    ["commondir", "config", "config.worktree", "gitdir", "hooks", "info", "lfs/objects", "modules"];

impl Worker {
    /// Whether attempts run in a box here.
    pub(super) fn is_boxed(&self) -> bool {
        *self.verifier.rooms.level() == Level::Namespaces
    }

    /// Returns where an agent finds its place.
    pub(super) fn works_in(&self) -> &Path {
        if self.is_boxed() { &self.site.user.top_level } else { self.place.root() }
    }

    /// Returns the folder that is kept for a step and its role.
    pub(super) fn kept_for(&self, step: &PlanStep, agent: &str) -> PathBuf {
        self.run.attempts.join(kept_name(step.id.as_str(), agent))
    }

    /// Returns the folder in which an agent in a box finds this very windlass. It has a path of its own,
    /// because the program may lie in the checkout, where the place is.
    pub(super) fn box_bin(&self) -> io::Result<PathBuf> {
        let bin = self.run.state.join("box");
        fs_err::create_dir_all(&bin)?;
        if !bin.join(COMMAND).is_file() {
            fs_err::write(bin.join(COMMAND), "")?;
        }
        Ok(canonical(&bin))
    }

    /// Returns the command line of an attempt, with windlass where the attempt finds it.
    pub(super) fn argv_of(&self, command: &AgentCommand) -> Vec<String> {
        let mut argv = command.argv.clone();
        let exe = self.site.exe.to_string_lossy();
        if let Ok(bin) = self.box_bin()
            && self.is_boxed()
        {
            let own = bin.join(COMMAND).to_string_lossy().into_owned();
            argv.iter_mut().filter(|word| **word == exe).for_each(|word| word.clone_from(&own));
        }
        argv
    }

    /// Returns the home folder of attempts in a box, which has the path of the user's.
    pub(super) fn home_in_box(&self) -> &Path {
        self.verifier.rooms.exposed().home()
    }

    /// Builds the view of an attempt.
    pub(super) fn box_of(
        &self,
        scratch: &Path,
        command: &AgentCommand,
        path: &str,
        network: ViewNetwork,
    ) -> io::Result<View> {
        let mut exposed = self.verifier.rooms.exposed().clone();
        let hidden = self.site.hidden();
        let around = Around { env: &self.site.env, hidden: &hidden, added: &[] };
        let inside = |path: &PathBuf| canonical(path).starts_with(&self.site.user.top_level);
        let programs = command.programs.iter();
        for program in programs.filter(|path| !inside(path) && **path != self.site.exe) {
            for program in named_in(program).into_iter().chain([program.clone()]) {
                show_program(&program, &around, &mut exposed);
                let real = canonical(&program);
                let whole = installation_of(&real);
                // The folder of a lone script may hold anything.
                if Some(whole.as_path()) != real.parent() {
                    exposed.show(&whole, How::Programs, &hidden);
                }
                exposed.show(&program, How::System, &hidden);
            }
        }
        let folder = scratch.join("box");
        let mut mounts = exposed.mounts(&folder.join("home"), &[])?;
        self.add_place(&mut mounts)?;
        let bin = self.box_bin()?;
        for path in written_for(scratch)?.into_iter().chain([bin.clone(), self.run.socket()]) {
            if path.exists() {
                let path = canonical(&path);
                mounts.push(Mount::ReadOnly { from: path.clone(), to: path });
            }
        }
        let exe = canonical(&self.site.exe);
        mounts.push(Mount::ReadOnly { from: exe, to: bin.join(COMMAND) });
        for path in command.write.iter().chain(&self.site.allow_write) {
            let path = canonical(path);
            if path.exists() {
                mounts.push(Mount::Writable { from: path.clone(), to: path });
            }
        }
        let writes = Upper::below(&folder.join("root"), true);
        writes.make()?;
        fs_err::create_dir_all(folder.join("stage"))?;
        let profile = self.write_home(&writes.dir, path)?;
        if exposed.covers_home() {
            let to = self.home_in_box().join(".profile");
            mounts.push(Mount::ReadOnly { from: profile, to });
        }
        Ok(View { stage: folder.join("stage"), writes, mounts, network, rights: Rights::None })
    }

    /// Puts the place where the checkout stands.
    fn add_place(&self, mounts: &mut Vec<Mount>) -> io::Result<()> {
        let to = self.site.user.top_level.clone();
        let from = self.place.root().to_owned();
        if self.place.kind() == PlaceKind::Here {
            mounts.push(Mount::Writable { from, to });
            let user = &self.site.user;
            add_git(&user.top_level, &user.git_dir, &user.common_dir, mounts);
            return Ok(());
        }
        let borrowed = self.place.borrowed().into_iter();
        mounts.extend(borrowed.map(|path| Mount::ReadOnly { from: path.clone(), to: path }));
        let copied = self.verifier.rooms.copied_folder();
        if self.has_copied_folders() && self.no_layers_over_place().is_none() {
            let work = work_beside(self.place.root());
            crate::git::remove_whole(&work)?;
            fs_err::create_dir_all(&work)?;
            self.keep_ignoring(&copied);
            let upper = Some(Upper { dir: from, work, volatile: false });
            mounts.push(Mount::Overlay { layers: vec![copied], upper, to });
        } else {
            mounts.push(Mount::Writable { from, to });
        }
        Ok(())
    }

    /// Puts the ignore file of a copied folder that ignores itself into the place. An environment of Python
    /// is such a folder, and often no other rule ignores it: what an attempt installs there would lie in
    /// the place without that file, and half an environment would become a part of the work.
    fn keep_ignoring(&self, copied: &Path) {
        for folder in self.verifier.rooms.copied().folders {
            let rules = Path::new(&folder).join(IGNORE_FILE);
            let Ok(bytes) = place_files::read_file_bounded(copied, &rules, MAX_IGNORE_BYTES) else {
                continue;
            };
            let ignores_itself = String::from_utf8_lossy(&bytes).lines().any(|line| line == "*");
            // An agent may have written its own there; whatever stands in the way stays as it is.
            if ignores_itself && self.place.root().join(&rules).symlink_metadata().is_err() {
                let _ = place_files::write_file(self.place.root(), &rules, &bytes);
            }
        }
    }

    fn has_copied_folders(&self) -> bool {
        let copied = fs_err::read_dir(self.verifier.rooms.copied_folder());
        copied.is_ok_and(|mut entries| entries.next().is_some())
    }

    /// Says why the place cannot be put over other folders. It may lie on another disk than the layers of
    /// rooms, and one that is an overlay itself takes none.
    fn no_layers_over_place(&self) -> Option<String> {
        let places = self.place.root().parent().unwrap_or(self.place.root());
        match self.site.level(places) {
            Level::Namespaces => None,
            Level::Landlock { why } | Level::None { why } => Some(why),
        }
    }

    /// Says what a box does not show of the copied folders, for the record of the attempt.
    pub(super) fn not_copied_in_words(&self) -> String {
        if !self.is_boxed() || self.place.kind() == PlaceKind::Here || !self.has_copied_folders() {
            return String::new();
        }
        self.no_layers_over_place().map_or_else(String::new, |why| {
            format!("; without the folders that were copied from your checkout: {why}")
        })
    }

    /// A login shell would set `PATH` anew, and the agent would not find its tools.
    fn write_home(&self, root: &Path, path: &str) -> io::Result<PathBuf> {
        let home = self.home_in_box();
        let folder = root.join(home.strip_prefix("/").unwrap_or(home));
        fs_err::create_dir_all(&folder)?;
        let quoted = shlex::try_quote(path).map_err(io::Error::other)?;
        let file = folder.join(".profile");
        fs_err::write(&file, format!("export PATH={quoted}\n"))?;
        Ok(file)
    }
}

/// Shows the git directory of the user's checkout. What something is mounted on can be neither moved nor
/// removed, so it stays where it is, with the parts that are only to be read. Nothing is made here to be
/// mounted on: an empty `commondir` would break the user's git, so one that an attempt makes is found
/// afterwards.
fn add_git(top_level: &Path, git_dir: &Path, common_dir: &Path, mounts: &mut Vec<Mount>) {
    let mut bind = |path: PathBuf, read_only: bool| {
        let (from, to) = (path.clone(), path);
        mounts.push(match read_only {
            true => Mount::ReadOnly { from, to },
            false => Mount::Writable { from, to },
        });
    };
    let link = top_level.join(".git");
    if link.is_file() {
        // In a linked worktree this file says where the directory is.
        bind(link, true);
    }
    bind(common_dir.to_owned(), false);
    let mut folders = vec![common_dir];
    folders.extend((git_dir != common_dir).then_some(git_dir));
    for folder in folders {
        let parts = PARTS_OF_GIT.map(|part| folder.join(part)).into_iter();
        parts.filter(|part| part.exists()).for_each(|part| bind(part, true));
    }
}

/// The name of the folder that is kept for a step and its role: readable, and by its end no two pairs
/// have the same one.
fn kept_name(step: &str, agent: &str) -> String {
    let name = format!("{}-{agent}", step.replace('/', "."));
    let name = name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.', "_");
    let name: String = name.chars().take(MAX_NAME_CHARS).collect();
    // No name has a line break.
    let pair = blake3::hash(format!("{step}\n{agent}").as_bytes()).to_hex();
    format!("{name}-{}", &pair[..12])
}

/// The folder that overlayfs needs beside a place, on the same file system.
fn work_beside(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    place.with_file_name(format!("{WORK_PREFIX}{name}"))
}

/// What windlass wrote for an attempt to read. What the attempt prints goes into the same folder, and
/// one that reads all files it finds would never end.
fn written_for(scratch: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(scratch)? {
        let entry = entry?;
        let own = ["box", "tmp", OUTPUT, ERRORS].iter().any(|name| entry.file_name() == *name);
        if !own {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// The programs that a script names by their whole path: a small script before the real program is how
/// people set an agent up.
fn named_in(script: &Path) -> Vec<PathBuf> {
    let Ok(file) = fs_err::File::open(script) else { return Vec::new() };
    let mut text = Vec::new();
    if file.take(MAX_SCRIPT_BYTES).read_to_end(&mut text).is_err() || !text.starts_with(b"#!") {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let words = text.split(|c: char| c.is_whitespace() || "'\"`;|&()<>=".contains(c));
    let programs = words.map(PathBuf::from).filter(|path| path.is_absolute() && path.is_file());
    programs.filter(|path| rustix::fs::access(path, Access::EXEC_OK).is_ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_and_role_has_a_folder_of_its_own() {
        let pairs = [("a-b", "c"), ("a", "b-c"), ("a/b", "c"), ("a.b", "c"), ("a_b", "c")];
        let names: std::collections::BTreeSet<String> =
            pairs.iter().map(|(step, agent)| kept_name(step, agent)).collect();
        assert_eq!(names.len(), pairs.len(), "{names:?}");
        let name = kept_name(&"x".repeat(400), "../../y");
        assert!(name.len() < 120 && !name.contains('/') && name != "..", "{name}");
    }

    #[test]
    fn what_leads_the_users_git_is_mounted_and_read_only() {
        let root = tempfile::tempdir().unwrap();
        let (top, common) = (root.path().join("top"), root.path().join("common"));
        let own = common.join("worktrees/top");
        let parts = ["hooks", "info", "lfs/objects"].map(|part| common.join(part));
        for folder in parts.iter().chain([&top, &own]) {
            fs_err::create_dir_all(folder).unwrap();
        }
        for file in [top.join(".git"), own.join("commondir"), own.join("gitdir")] {
            fs_err::write(file, "x").unwrap();
        }
        let mut mounts = Vec::new();
        add_git(&top, &own, &common, &mut mounts);
        let read_only = |path: &Path| {
            let (from, to) = (path.to_owned(), path.to_owned());
            mounts.contains(&Mount::ReadOnly { from, to })
        };
        for part in &parts {
            assert!(read_only(part), "{}", part.display());
        }
        assert!(read_only(&top.join(".git")));
        assert!(read_only(&own.join("commondir")) && read_only(&own.join("gitdir")));
        let (from, to) = (common.clone(), common.clone());
        assert!(mounts.contains(&Mount::Writable { from, to }), "it cannot be moved away");
        assert!(!common.join("commondir").exists(), "an empty one would break the user's git");
    }

    #[test]
    fn no_spoke_has_its_place_where_another_place_has_its_work_folder() {
        let run = Path::new("/data/places/key/r-1");
        let spoke = Path::new("/data/places/key/r-1.layer");
        assert_ne!(work_beside(run), spoke);
        assert_ne!(work_beside(run), work_beside(spoke));
        assert_eq!(work_beside(run).parent(), run.parent());
    }
}
