//! Reading the files that people add: roles and platforms of a repository or a user.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use windlass_core::workflow::{Diagnostic, Severity};

/// Why a file cannot be used.
#[derive(Debug)]
pub(crate) enum Unusable {
    /// It was not read: what is wrong, and what to do.
    Refused { why: String, hint: &'static str },
    /// What is wrong in it.
    Wrong(Vec<Diagnostic>),
}

impl Unusable {
    /// Returns the first thing that is wrong.
    pub(crate) fn first(&self) -> String {
        match self {
            Self::Refused { why, .. } => why.clone(),
            Self::Wrong(found) => {
                let error = found.iter().find(|one| one.severity == Severity::Error);
                error.map(ToString::to_string).unwrap_or_default()
            }
        }
    }
}

fn unreadable(file: &str, error: &std::io::Error) -> Unusable {
    let why = format!("`{file}` cannot be read: {error}");
    Unusable::Refused { why, hint: "fix the file, or move it away" }
}

/// Reads a file of the repository. A link that leads out of it is refused: with `--here` an agent can
/// make one, and what it points at would be shown to every agent of the next run.
pub(crate) fn read_inside(top_level: &Path, file: &str, most: usize) -> Result<Vec<u8>, Unusable> {
    let inside = |path: &PathBuf| top_level.canonicalize().is_ok_and(|top| path.starts_with(top));
    let path =
        fs_err::canonicalize(top_level.join(file)).map_err(|error| unreadable(file, &error))?;
    if !inside(&path) {
        let why = format!("`{file}` leads out of the repository, so it is not read");
        return Err(Unusable::Refused { why, hint: "put a copy of it in its place" });
    }
    read(&path, file, most)
}

/// Reads a file of the user's own: one byte more than there may be, so that too much is seen.
pub(crate) fn read(path: &Path, shown: &str, most: usize) -> Result<Vec<u8>, Unusable> {
    let unreadable = |error: std::io::Error| unreadable(shown, &error);
    // Before it is opened: opening a pipe waits for somebody to write into it.
    if !fs_err::metadata(path).map_err(unreadable)?.is_file() {
        let why = format!("`{shown}` is not a file");
        return Err(Unusable::Refused { why, hint: "move it away" });
    }
    let mut source = Vec::new();
    let opened = fs_err::File::open(path).map_err(unreadable)?;
    opened.take(most as u64 + 1).read_to_end(&mut source).map_err(unreadable)?;
    Ok(source)
}
