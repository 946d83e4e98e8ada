//! What guards know, on disk: `guard.json`, one per repository.
//!
//! It is replaced after each decision, by whoever decided. Guards fail closed: once a repository has
//! a store there is a file, and where it is missing or cannot be read, guards refuse.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use windlass_core::hook::{GuardFile, GuardedRun};
use windlass_core::id::{RunId, StepId};
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
    if let Seen::File(file) = &known {
        let mut after = file.clone();
        after.note(state, &|spoke| place_of(home, state, spoke));
        // Whoever decides about this run is alone with it: nobody else changes what stands here of it.
        if after == *file && place_file(home, Path::new(&state.facts.place)).exists() {
            return;
        }
    }
    let noted = update(home, known, |file| file.note(state, &|spoke| place_of(home, state, spoke)));
    let noted = noted.and_then(|file| note_beside(home, state, &file));
    if noted.is_err() {
        // What is there is not true any more, and none is safer.
        let _ = fs_err::remove_file(path(home));
    }
}

/// Notes what does not fit into the file, or must be found without the repository.
fn note_beside(home: &RepositoryHome, state: &RunState, file: &GuardFile) -> io::Result<()> {
    let run = file.runs.iter().find(|run| run.run == state.facts.run);
    let place = place_file(home, Path::new(&state.facts.place));
    let Some(run) = run else {
        let _ = fs_err::remove_file(place);
        return Ok(());
    };
    if let Some(folder) = place.parent().filter(|_| !place.exists()) {
        fs_err::create_dir_all(folder)?;
        let key = home.state.file_name().unwrap_or_default();
        replace(&place, key.as_encoded_bytes())?;
    }
    if file.write().len() < serde_json::to_vec(file)?.len() {
        replace(&lists(home, &run.run), &serde_json::to_vec(run)?)?;
    }
    Ok(())
}

/// Returns the file with the lists of a run that are too long for the guards' own.
fn lists(home: &RepositoryHome, run: &RunId) -> PathBuf {
    home.run(run).state.join("guard-lists.json")
}

/// Puts back what was left out of a run for room; where that cannot be read, it stays forbidden.
pub fn with_lists(home: &RepositoryHome, run: GuardedRun) -> GuardedRun {
    if !run.cut {
        return run;
    }
    let read = fs_err::read(lists(home, &run.run)).ok();
    let whole = read.and_then(|bytes| serde_json::from_slice::<GuardedRun>(&bytes).ok());
    match whole.filter(|whole| whole.run == run.run) {
        Some(whole) => GuardedRun { protect: whole.protect, agents: whole.agents, ..run },
        None => run,
    }
}

/// Returns the file that says which repository a checkout belongs to while a session drives a run in it.
fn place_file(home: &RepositoryHome, checkout: &Path) -> PathBuf {
    let root = home.state.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    place_in(root, checkout)
}

fn place_in(root: &Path, checkout: &Path) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    let name = blake3::hash(checkout.as_os_str().as_bytes()).to_hex();
    root.join("sessions/places").join(&name[..16])
}

/// Returns the checkout around `folder` in which a session drives a run, and its repository's key. An agent
/// that moves the git directory away does not get rid of the guards by it.
pub fn guarded_checkout(root: &Path, folder: &Path) -> Option<(PathBuf, String)> {
    if !root.join("sessions/places").exists() {
        return None;
    }
    let folder = folder.canonicalize().ok()?;
    folder.ancestors().find_map(|checkout| {
        let key = fs_err::read_to_string(place_in(root, checkout)).ok()?;
        let plain = key.bytes().all(|byte| byte.is_ascii_hexdigit()) && !key.is_empty();
        plain.then(|| (checkout.to_owned(), key))
    })
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
