//! What guards know, on disk: `guard.json`, one per repository.
//!
//! It is replaced after each decision, by whoever decided. Guards fail closed: once a repository has
//! a store there is a file, and where it is missing or cannot be read, guards refuse.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use windlass_core::hook::GuardFile;
use windlass_core::id::StepId;
use windlass_core::run::RunState;

use crate::home::RepositoryHome;
use crate::journal::load;
use crate::store::{Life, Store};

/// What a look at the file gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Windlass was never used in this repository.
    NoStore,
    /// This is what guards know.
    File(GuardFile),
    /// There is a store, and the file is not there or cannot be read.
    Unreadable,
}

/// Returns the file.
pub fn path(home: &RepositoryHome) -> PathBuf {
    home.state.join("guard.json")
}

/// Reads the file.
pub fn read(home: &RepositoryHome) -> Seen {
    let file = path(home);
    // A pipe in its place would be waited for, and a link leads to somebody else's file.
    if fs_err::symlink_metadata(&file).is_ok_and(|metadata| !metadata.is_file()) {
        return Seen::Unreadable;
    }
    match fs_err::read(file) {
        Ok(bytes) => GuardFile::read(&bytes).map_or(Seen::Unreadable, Seen::File),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if home.state.exists() {
                Seen::Unreadable
            } else {
                Seen::NoStore
            }
        }
        Err(_) => Seen::Unreadable,
    }
}

/// Takes note of a run's present state. Trouble with the file stops no run: guards refuse without it,
/// and the next decision or session writes it anew.
pub fn note(home: &RepositoryHome, state: &RunState) {
    let known = read(home);
    let runs_here = state.facts.here;
    if let (Seen::File(_), false) = (&known, runs_here) {
        return;
    }
    let noted = update(home, known, |file| file.note(state, &|spoke| place_of(home, state, spoke)));
    if noted.is_err() {
        // What is there is not true any more, and none is safer.
        let _ = fs_err::remove_file(path(home));
    }
}

/// Writes the file anew from the journals.
///
/// # Errors
/// The store cannot be read, or the file not be written.
pub fn restore(home: &RepositoryHome) -> io::Result<GuardFile> {
    update(home, Seen::Unreadable, |_| {})
}

fn update(
    home: &RepositoryHome,
    known: Seen,
    change: impl FnOnce(&mut GuardFile),
) -> io::Result<GuardFile> {
    let lock = std::fs::File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(home.state.join("guard.lock"))?;
    flock(&lock, FlockOperation::LockExclusive)?;
    let before = match known {
        Seen::Unreadable => None,
        Seen::File(_) | Seen::NoStore => match read(home) {
            Seen::File(file) => Some(file),
            Seen::NoStore | Seen::Unreadable => None,
        },
    };
    let mut file = match &before {
        Some(file) => file.clone(),
        None => from_journals(home)?,
    };
    change(&mut file);
    if before.as_ref() != Some(&file) {
        replace(&path(home), &file.write())?;
    }
    Ok(file)
}

fn from_journals(home: &RepositoryHome) -> io::Result<GuardFile> {
    let mut file = GuardFile::default();
    let Ok(store) = Store::open_read_only(&home.state) else { return Ok(file) };
    for run in store.runs().map_err(io::Error::other)? {
        if run.life == Life::Unfinished {
            let state = load(&store, &run.id).map_err(io::Error::other)?.state;
            file.note(&state, &|spoke| place_of(home, &state, spoke));
        }
    }
    Ok(file)
}

fn place_of(home: &RepositoryHome, state: &RunState, spoke: &StepId) -> String {
    home.run(&state.facts.run).aside(spoke).place.to_string_lossy().into_owned()
}

/// Replaces a file as a whole. It is made again from the journal, so nothing waits for the disk.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let temporary = tempfile::NamedTempFile::new_in(folder)?;
    fs_err::write(temporary.path(), bytes)?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}
