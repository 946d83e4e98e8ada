//! Files that are written whole or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{Act, Change, PluginError};

/// Reads a text; none where there is no file.
pub(super) fn read(path: &Path) -> Result<Option<String>, PluginError> {
    match fs_err::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(PluginError::NotText { path: path.to_owned() }),
        },
    }
}

/// Replaces a file, with the folders above it. A link stays one, and permissions stay as they are.
pub(super) fn replace(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let target = crate::home::canonical(path);
    let folder = target.parent().unwrap_or(Path::new("/"));
    fs_err::create_dir_all(folder)?;
    let mode = match fs_err::metadata(&target) {
        Ok(there) => there.permissions().mode() & 0o7777,
        Err(_) => mode,
    };
    let mut file = tempfile::Builder::new()
        .prefix(".windlass-")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))?;
    file.write_all(text.as_bytes())?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Makes a folder of windlass's own hold these files and no others.
pub(super) fn write_tree(
    folder: &Path,
    files: &BTreeMap<String, String>,
    act: Act,
) -> Result<Vec<Change>, PluginError> {
    let mut changes = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        // What is no text is not what windlass wrote.
        let same = fs_err::read(&path).is_ok_and(|bytes| bytes == text.as_bytes());
        if same {
            changes.push(Change::Unchanged { path });
            continue;
        }
        if act == Act::Do {
            replace(&path, text, 0o644)?;
        }
        changes.push(Change::Written { path, text: Some(text.clone()) });
    }
    for name in present(folder)? {
        if !files.contains_key(&name) {
            let path = folder.join(name);
            if act == Act::Do {
                fs_err::remove_file(&path)?;
            }
            changes.push(Change::Removed { path });
        }
    }
    Ok(changes)
}

/// Returns the files in a folder and below it, by their paths in it.
pub(super) fn present(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inner) = open.pop() {
        let entries = match fs_err::read_dir(folder.join(&inner)) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let path = inner.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else {
                found.insert(path.to_string_lossy().into_owned());
            }
        }
    }
    Ok(found)
}
