//! Git directories that an agent made in its place, with their settings taken away.
//!
//! Git runs what the configuration of a repository says: a monitor at `git status`, a pager, hooks. It
//! takes a folder for a repository wherever it has a `.git`, and also where the folder itself looks like a
//! bare one. A person or a reviewer who looks around in the place must run nothing of the agent's, so
//! every such directory gets a plain configuration, in ignored folders too. Its objects and branches stay.
//!
//! What the base commit has is the user's own, test fixtures say, and stays as it is there.

use std::path::{Path, PathBuf};

use super::place::{Place, PlaceError};
use super::place_files;
use super::settings_back::{Displaced, MAX_SHOWN, NOT_OURS};

/// A configuration that runs nothing.
const PLAIN: &[u8] = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n";

/// A file that names a commit or a branch is short.
const MAX_HEAD_BYTES: u64 = 4 << 10;

/// The largest file that is compared with the base.
const MAX_COMPARED_BYTES: u64 = 1 << 20;

impl Place {
    /// Takes the settings away from every git directory in the place but its own.
    pub(super) fn disarm_repositories(
        &self,
        displaced: &mut Vec<Displaced>,
    ) -> Result<(), PlaceError> {
        for directory in self.git_directories() {
            for name in ["config"].iter().chain(&NOT_OURS).map(|name| directory.join(name)) {
                if self.record.root.join(&name).symlink_metadata().is_err()
                    || self.is_in_base(&name)
                {
                    continue;
                }
                let content = self.read(&name).unwrap_or_default();
                let is_config = name.ends_with("config");
                if is_config && content == PLAIN {
                    continue;
                }
                if displaced.len() < MAX_SHOWN {
                    displaced.push(Displaced::new(&name, content));
                }
                self.clear(&name)?;
                if is_config {
                    place_files::write_file(&self.record.root, &name, PLAIN)?;
                }
            }
        }
        Ok(())
    }

    /// Lists the git directories below the root, without following links. The place's own and what
    /// lies in it are looked after by others.
    fn git_directories(&self) -> Vec<PathBuf> {
        let (mut found, mut folders) = (Vec::new(), vec![PathBuf::new()]);
        while let Some(folder) = folders.pop() {
            let Ok(entries) = self.entries(&folder) else { continue };
            let has = |wanted: &str| entries.iter().any(|(name, _)| name == wanted);
            let bare = has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
            if folder != Path::new("") && bare && self.names_commit(&folder.join("HEAD")) {
                found.push(folder.clone());
            }
            for (name, is_folder) in entries {
                let own = folder == Path::new("") && name == ".git";
                if is_folder && !own {
                    folders.push(folder.join(name));
                }
            }
        }
        found
    }

    /// Lists a folder; one that the agent closed is opened first.
    fn entries(&self, folder: &Path) -> std::io::Result<Vec<(std::ffi::OsString, bool)>> {
        let path = self.record.root.join(folder);
        let listed = fs_err::read_dir(&path).or_else(|_| {
            super::remove::let_owner_in(&path)?;
            fs_err::read_dir(&path)
        })?;
        let entries = listed.flatten().map(|entry| {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            (entry.file_name(), is_folder)
        });
        Ok(entries.collect())
    }

    /// Says whether git would take a file for the `HEAD` of a repository.
    fn names_commit(&self, head: &Path) -> bool {
        let root = &self.record.root;
        if root.join(head).symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            return true;
        }
        let Ok(text) = place_files::read_file_bounded(root, head, MAX_HEAD_BYTES) else {
            return false;
        };
        let text = text.trim_ascii();
        text.starts_with(b"ref:") || (text.len() >= 40 && text.iter().all(u8::is_ascii_hexdigit))
    }

    /// Says whether the base commit has a file with the same bytes, or a folder with the same files.
    fn is_in_base(&self, path: &Path) -> bool {
        let root = &self.record.root;
        if place_files::open_folder(root, path).is_ok() {
            let Ok(entries) = self.entries(path) else { return false };
            return entries.iter().all(|(name, _)| self.is_in_base(&path.join(name)));
        }
        let Ok(now) = place_files::read_file_bounded(root, path, MAX_COMPARED_BYTES) else {
            return false;
        };
        let mut name = std::ffi::OsString::from(format!("{}:", self.record.base));
        name.push(path);
        let index = self.run_dir.index();
        let read = self.run_dir.git(root, &index).args(["cat-file", "blob"]).arg(name).run_to_end();
        read.is_ok_and(|read| read.code == 0 && read.stdout == now)
    }
}
