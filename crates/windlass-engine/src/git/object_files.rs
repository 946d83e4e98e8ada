//! The files of object folders: which there are, and links to them.
//!
//! They are read while the user's git may be writing and repacking them.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Files of a pack that its readers need. What git finds out by itself is left out: an index over
/// several packs names packs that may be gone.
const PARTS_OF_PACK: [&str; 3] = ["pack", "idx", "rev"];

/// The files of object folders, by their path in such a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listed {
    /// What tells git about the shape of the history. It is read first: all commits that it names are
    /// in packs and objects that are listed later.
    graphs: BTreeMap<PathBuf, PathBuf>,
    /// Objects with a file of their own. They are listed before the packs that git moves them to.
    pub(super) loose: BTreeMap<PathBuf, PathBuf>,
    pub(super) packs: BTreeMap<PathBuf, PathBuf>,
}

impl Listed {
    pub(super) fn of(folders: &[PathBuf]) -> io::Result<Self> {
        let mut listed = Self::default();
        for folder in folders {
            let graph = Path::new("info/commit-graph");
            if folders.len() == 1 && folder.join(graph).is_file() {
                listed.graphs.insert(graph.to_owned(), folder.join(graph));
            }
            for first in 0..=u8::MAX {
                let prefix = format!("{first:02x}");
                files_in(folder, &prefix, &mut listed.loose, |name| {
                    name.len() > 36 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
                })?;
            }
            files_in(folder, "pack", &mut listed.packs, |name| {
                let extension = name.rsplit_once('.').map(|(_, extension)| extension);
                name.starts_with("pack-")
                    && extension.is_some_and(|extension| PARTS_OF_PACK.contains(&extension))
            })?;
        }
        // A pack is there when its index is, which git writes last.
        let whole: Vec<PathBuf> = listed.packs.keys().cloned().collect();
        listed.packs.retain(|path, _| whole.binary_search(&path.with_extension("idx")).is_ok());
        Ok(listed)
    }

    /// Names the store by what is in it.
    pub(super) fn name(&self) -> String {
        let mut hash = blake3::Hasher::new();
        for (path, _) in self.graphs.iter().chain(&self.loose).chain(&self.packs) {
            hash.update(path.as_os_str().as_bytes());
            hash.update(b"\0");
        }
        hash.finalize().to_hex()[..16].to_owned()
    }

    pub(super) fn link(&self, objects: &Path) -> io::Result<()> {
        for folder in ["info", "pack"] {
            fs_err::create_dir_all(objects.join(folder))?;
        }
        let mut made = String::new();
        for (path, from) in self.graphs.iter().chain(&self.loose).chain(&self.packs) {
            let folder = path.parent().unwrap_or(Path::new("")).to_string_lossy();
            if folder != made {
                made = folder.into_owned();
                fs_err::create_dir_all(objects.join(&made))?;
            }
            // The plain call: its error has to keep the system's number.
            std::fs::hard_link(from, objects.join(path))?;
        }
        Ok(())
    }

    /// Says whether nothing was repacked since: a reader of a folder that is being repacked may see
    /// neither the old pack nor the new one.
    pub(super) fn still_holds(&self, now: &Self) -> bool {
        self.packs == now.packs && self.loose.keys().all(|path| now.loose.contains_key(path))
    }
}

/// Adds the files of a folder, without following links; one that is in there already is the same.
fn files_in(
    objects: &Path,
    below: &str,
    found: &mut BTreeMap<PathBuf, PathBuf>,
    wanted: impl Fn(&str) -> bool,
) -> io::Result<()> {
    let entries = match fs_err::read_dir(objects.join(below)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| wanted(name)) else { continue };
        if entry.file_type()?.is_file() {
            found.entry(Path::new(below).join(name)).or_insert_with(|| entry.path());
        }
    }
    Ok(())
}
