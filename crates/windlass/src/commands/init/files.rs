//! Writing what was made, and leaving alone what is there.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::cli::InitArguments;
use crate::error::CommandError;

/// What became of one file.
pub(super) struct Put {
    pub(super) path: PathBuf,
    pub(super) action: Action,
    pub(super) text: String,
}

pub(super) enum Action {
    Written,
    WouldWrite,
    Unchanged,
    Kept,
    Replaced(PathBuf),
    WouldReplace,
}

impl Action {
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::WouldWrite => "would_write",
            Self::Unchanged => "unchanged",
            Self::Kept => "kept",
            Self::Replaced(_) => "replaced",
            Self::WouldReplace => "would_replace",
        }
    }
}

/// Writes a file, unless there is one already.
pub(super) fn put(
    top_level: &Path,
    path: &Path,
    text: &str,
    arguments: &InitArguments,
) -> Result<Put, CommandError> {
    let target = top_level.join(path);
    // A workflow is there under its other ending as well.
    let other = target.with_extension("yml");
    let there = [target.clone(), other].into_iter().find(|path| path.symlink_metadata().is_ok());
    let same = there
        .as_ref()
        .is_some_and(|there| fs_err::read(there).is_ok_and(|bytes| bytes == text.as_bytes()));
    let action = match (there, arguments.force, arguments.dry_run) {
        (Some(_), ..) if same => Action::Unchanged,
        (Some(_), false, _) => Action::Kept,
        (Some(_), true, true) => Action::WouldReplace,
        (Some(there), true, false) => {
            let backup = keep_aside(&there)?;
            write_new(&target, text)?;
            Action::Replaced(backup.strip_prefix(top_level).unwrap_or(&backup).to_owned())
        }
        (None, _, true) => Action::WouldWrite,
        (None, _, false) => {
            write_new(&target, text)?;
            Action::Written
        }
    };
    Ok(Put { path: path.to_owned(), action, text: text.to_owned() })
}

/// Gives a file another name beside its own, and returns that.
fn keep_aside(path: &Path) -> Result<PathBuf, CommandError> {
    let mut number = 1u32;
    loop {
        let suffix = if number == 1 { ".bak".to_owned() } else { format!(".bak{number}") };
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let backup = PathBuf::from(name);
        if backup.symlink_metadata().is_err() {
            fs_err::rename(path, &backup).map_err(CommandError::failure)?;
            return Ok(backup);
        }
        number += 1;
    }
}

/// Writes a file that is not there yet, with the folders above it.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<(), CommandError> {
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder).map_err(CommandError::failure)?;
    }
    let mut options = fs_err::OpenOptions::new();
    let mut file =
        options.write(true).create_new(true).open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                CommandError::usage(format!("`{}` is there already", path.display()))
                    .hint("name a new file, or move that one away")
            }
            _ => CommandError::failure(error),
        })?;
    file.write_all(text.as_bytes()).map_err(CommandError::failure)
}
