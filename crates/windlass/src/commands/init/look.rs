//! Looking at a repository's folders.

use std::path::Path;

use windlass_core::init::{Folder, wants};

use crate::error::CommandError;

/// How many folders beneath the repository's own are looked into.
const MOST_FOLDERS: usize = 200;

/// The largest manifest that is read.
const MOST_BYTES: u64 = 256 << 10;

/// Folders that hold what tools have made or fetched.
const NOT_OURS: [&str; 8] =
    ["node_modules", "vendor", "target", "dist", "build", "venv", "__pycache__", "third_party"];

/// Lists the repository's own folder and those directly beneath it.
pub(super) fn folders(top_level: &Path) -> Result<Vec<Folder>, CommandError> {
    let root = folder(top_level, String::new()).map_err(CommandError::failure)?;
    let names: Vec<String> = root
        .folders
        .iter()
        .filter(|name| !name.starts_with('.') && !NOT_OURS.contains(&name.as_str()))
        .take(MOST_FOLDERS)
        .cloned()
        .collect();
    let mut folders = vec![root];
    for name in names {
        // A folder that cannot be read holds nothing for us.
        folders.extend(folder(&top_level.join(&name), name));
    }
    Ok(folders)
}

fn folder(path: &Path, name: String) -> Result<Folder, std::io::Error> {
    let mut folder = Folder { path: name, ..Folder::default() };
    for entry in fs_err::read_dir(path)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        // Links are followed nowhere: they may lead out of the repository.
        let kind = entry.file_type()?;
        if kind.is_dir() {
            folder.folders.insert(name);
        } else if kind.is_file() {
            if wants(&name) && entry.metadata()?.len() <= MOST_BYTES {
                let bytes = fs_err::read(entry.path())?;
                folder.texts.insert(name.clone(), String::from_utf8_lossy(&bytes).into_owned());
            }
            folder.files.insert(name);
        }
    }
    Ok(folder)
}
